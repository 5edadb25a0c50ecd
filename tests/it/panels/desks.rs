//! Several conversations on screen: each control belongs to one of them, and what is typed goes where it is seen to go.

use std::sync::Arc;

use egui::{Key, Modifiers};
use tunaflow::api::command::{BranchCommand, ChatCommand, Command};
use tunaflow::api::snapshot::{QueuedRow, Snapshot};
use tunaflow::model::id::{ConversationId, MessageId, QueuedId};
use tunaflow::model::message::MessageState;
use tunaflow::model::settings::ThemeChoice;
use tunaflow::model::turn::{FailureKind, TurnFailure};
use tunaflow::ui::testing::branches::{self, DEEP, OLD, PKCE, REDIS};
use tunaflow::ui::testing::{SHOWN, fixture, put_view};
use tunaflow::ui::view_state::Shelf;

use super::bench::{Bench, SMALL};

const CTRL: Modifiers = Modifiers::COMMAND;

fn sends(bench: &mut Bench) -> Vec<(ConversationId, String)> {
    let sent = bench.sent().into_iter();
    sent.filter_map(|command| match command {
        Command::Chat(ChatCommand::Send { conversation, draft }) => Some((conversation, draft.text)),
        _ => None,
    })
    .collect()
}

fn finds(bench: &mut Bench) -> Vec<(ConversationId, String)> {
    let sent = bench.sent().into_iter();
    sent.filter_map(|command| match command {
        Command::Chat(ChatCommand::Find { conversation, query, .. }) => Some((conversation, query)),
        _ => None,
    })
    .collect()
}

#[test]
fn text_to_find_goes_into_the_bar_that_was_opened() {
    let mut bench = Bench::of("branch-drawer");
    bench.focus("Message in the branch");
    bench.key(CTRL, Key::F);
    bench.sent();
    bench.type_text("own");
    assert_eq!(finds(&mut bench), [(PKCE, "own".to_owned())]);
    bench.focus("Message");
    bench.key(CTRL, Key::F);
    bench.type_text("race");
    assert_eq!(finds(&mut bench), [(SHOWN, "race".to_owned())], "both bars are open now");
    bench.focus("Message in the branch");
    bench.key(CTRL, Key::F);
    bench.type_text("x");
    assert_eq!(finds(&mut bench), [(PKCE, "ownx".to_owned())]);
    // A line break in a composer is not the bar's step back.
    bench.focus("Message in the branch");
    bench.type_text("one");
    bench.key(Modifiers::SHIFT, Key::Enter);
    bench.type_text("two");
    assert_eq!(bench.value("Message in the branch"), "one\ntwo");
}

#[test]
fn commands_with_a_slash_hang_on_the_composer_they_are_typed_in() {
    let mut bench = Bench::of("branch-drawer");
    bench.focus("Message in the branch");
    bench.type_text("/re");
    bench.focus("Message");
    bench.type_text("/re");
    let rows = bench.controls().into_iter().filter(|control| control.name == "/rename");
    let mut at: Vec<f32> = rows.map(|control| control.rect.left()).collect();
    at.dedup_by(|one, other| (*one - *other).abs() < 50.0);
    assert!(!at.is_empty() && at.len() <= 2, "{at:?}");
    bench.key(Modifiers::NONE, Key::Enter);
    assert!(bench.has("Rename conversation") && bench.value("Title") == "Token refresh race");
}

#[test]
fn switching_there_and_back_sends_to_the_conversation_that_is_seen() {
    let mut bench = Bench::of("branch-drawer");
    // Between main conversations.
    bench.focus("Message");
    bench.type_text("for A");
    bench.click_part("Rate limits per tenant");
    bench.click_part("Token refresh race");
    assert_eq!(bench.value("Message"), "for A");
    bench.focus("Message");
    bench.sent();
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(sends(&mut bench), [(SHOWN, "for A".to_owned())]);
    // Between branches of the drawer.
    bench.focus("Message in the branch");
    bench.type_text("for PKCE");
    bench.click_part("Without a library");
    assert_eq!(bench.value("Message in the branch"), "");
    bench.click("Branch OAuth2 PKCE");
    assert_eq!(bench.value("Message in the branch"), "for PKCE");
    bench.focus("Message in the branch");
    bench.sent();
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(sends(&mut bench), [(PKCE, "for PKCE".to_owned())]);
    // Nothing but what was sent changed anything.
    assert!(!bench.sent().iter().any(|command| matches!(
        command,
        Command::Chat(ChatCommand::EditAndResend { .. } | ChatCommand::DeleteMessage { .. })
    )));
}

#[test]
fn a_branch_starts_at_the_message_that_was_chosen() {
    let mut bench = Bench::of("chat");
    for (message, checkpoint) in [("Message from Architect Claude", 2), ("Good. Retries from", 3)] {
        bench.sent();
        bench.hover_part(message);
        bench.click("Branch from here");
        let made = bench.sent().into_iter().find_map(|command| match command {
            Command::Branch(BranchCommand::Create { parent, checkpoint, .. }) => Some((parent, checkpoint)),
            _ => None,
        });
        assert_eq!(made, Some((SHOWN, Some(MessageId(checkpoint)))), "{message}");
    }
}

#[test]
fn news_from_elsewhere_do_not_move_the_words_of_whoever_types() {
    let mut bench = Bench::of("branch-drawer");
    bench.focus("Message in the branch");
    bench.type_text("first half");
    bench.publish(|snap| {
        let mut rows: Vec<_> = snap.conversations.iter().cloned().collect();
        rows.rotate_left(1);
        snap.conversations = rows.into();
        branches::remove(snap, &[DEEP]);
    });
    bench.type_text(", second half");
    bench.sent();
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(sends(&mut bench), [(PKCE, "first half, second half".to_owned())]);
}

/// A branch in the archive whose newest answer failed, with a message that waited.
fn failed(snap: &mut Snapshot) {
    let Some(open) = snap.view(OLD) else { return };
    let mut view = (**open).clone();
    let failure = TurnFailure {
        kind: FailureKind::Network,
        message: "No way to the server.".into(),
        hint: String::new(),
        detail: String::new(),
        resets_at_ms: None,
    };
    let mut answer = tunaflow::ui::testing::message(142, tunaflow::ui::testing::claude(), Vec::new());
    answer.state = MessageState::Failed { failure };
    let mut stopped = tunaflow::ui::testing::message(143, tunaflow::ui::testing::claude(), Vec::new());
    stopped.state = MessageState::Stopped;
    let all = vec![tunaflow::ui::testing::user(141, "And cookies?"), answer, stopped];
    let row = (*view.row).clone();
    view = tunaflow::ui::testing::view(row, all, None);
    view.queue = Arc::from([QueuedRow { id: QueuedId(5), text: "later".into() }]);
    put_view(snap, view);
}

#[test]
fn a_branch_in_the_archive_offers_nothing_that_would_change_it() {
    let mut bench = Bench::of("branch-archived");
    bench.publish(failed);
    assert!(bench.has_part("No way to the server.") && bench.has_part("Stopped."));
    let offered = |bench: &Bench, name: &str| {
        bench
            .controls()
            .into_iter()
            .filter(|control| control.name.starts_with(name) && control.rect.left() > 840.0)
            .count()
    };
    for name in ["Retry", "Use ", "Continue", "Queued", "Edit and send again", "Answer again"] {
        let expected = usize::from(name == "Continue");
        assert_eq!(offered(&bench, name), expected, "{name}");
    }
    assert!(bench.has("Continue here"));
    bench.sent();
    // By then the keyboard has arrived.
    bench.wait(1.0);
    bench.click_part("And cookies?");
    for command in ["continue", "edit the last"] {
        bench.key(CTRL, Key::K);
        bench.type_text(command);
        bench.key(Modifiers::NONE, Key::Enter);
    }
    let changed = bench.sent().into_iter().any(|command| {
        matches!(command, Command::Chat(ChatCommand::Continue { .. } | ChatCommand::EditAndResend { .. }))
    });
    assert!(!changed);
    assert!(!bench.has("Edited message"), "{:?}", bench.focused_name());
}

#[test]
fn tabs_pin_and_the_one_in_front_are_there_after_a_restart() {
    let mut bench = Bench::of("branch-drawer");
    bench.click_part("Grace window in Redis");
    let kept = bench.shelves();
    assert_eq!(
        kept,
        [Shelf { root: SHOWN, tabs: vec![PKCE, REDIS], at: Some(REDIS), open: true, compared: None }]
    );
    let mut again = fixture("branch-drawer");
    again.snap.branch_focus = None;
    (again.shelves, again.pinned) = (kept, true);
    let mut bench = Bench::with(again, super::bench::LARGE, ThemeChoice::Dark);
    assert!(
        bench.has("Unpin branch")
            && bench.has("Branch OAuth2 PKCE")
            && bench.has("Branch Grace window in Redis")
    );
    assert!(
        bench.has("Stop") && bench.is_focused("Message"),
        "the running one is in front, without the keyboard"
    );
    bench.click_part("Without a library");
    bench.key(Modifiers::CTRL, Key::J);
    assert_eq!(bench.shelves().first().map(|shelf| (shelf.tabs.len(), shelf.open)), Some((3, false)));
}

#[test]
fn tabs_of_branches_that_are_gone_are_dropped() {
    let mut start = fixture("branch-drawer");
    start.snap.branch_focus = None;
    branches::remove(&mut start.snap, &[REDIS]);
    let gone = ConversationId(999);
    start.shelves = vec![
        Shelf { root: SHOWN, tabs: vec![REDIS, gone, PKCE], at: Some(REDIS), open: true, compared: None },
        Shelf { root: gone, tabs: vec![PKCE], at: Some(PKCE), open: true, compared: Some([gone, PKCE]) },
    ];
    let bench = Bench::with(start, super::bench::LARGE, ThemeChoice::Dark);
    assert!(bench.has("Message in the branch") && bench.has("OAuth2 PKCE"));
    let shelf = bench.shelves().into_iter().find(|shelf| shelf.root == SHOWN);
    assert_eq!(shelf.map(|shelf| (shelf.tabs, shelf.at)), Some((vec![PKCE], Some(PKCE))));
}

#[test]
fn the_title_keeps_its_room_beside_a_pinned_branch() {
    let mut bench = Bench::with(fixture("branch-pinned"), SMALL, ThemeChoice::Dark);
    let headings = bench.controls().into_iter().filter(|control| control.name == "Token refresh race");
    let widest = headings.map(|control| control.rect.width()).fold(0.0, f32::max);
    assert!(widest > 100.0, "{widest}");
    for name in ["Find in this conversation", "Context of the next message", "Show or hide the branch"] {
        assert!(bench.has(name), "{name}");
    }
    bench.click("Place: Chat");
    bench.click("Project");
    assert!(bench.has_part("Plans"));
}
