//! Two conversations side by side: opened, aligned, scrolled, written to, closed.

use egui::{Key, Modifiers, Vec2};
use tunaflow::api::command::{AppCommand, BranchCommand, ChatCommand, Command};
use tunaflow::api::snapshot::Snapshot;
use tunaflow::model::id::{ConversationId, MessageId};
use tunaflow::model::project::Draft;
use tunaflow::model::settings::ThemeChoice;
use tunaflow::ui::route::Route;
use tunaflow::ui::testing::branches::{self, OLD, PKCE, REDIS};
use tunaflow::ui::testing::compared::{self, CRATE};
use tunaflow::ui::testing::{SHOWN, fixture};

use super::bench::{Bench, SMALL};

const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);
const LEFT: &str = "Message in the left column";
const RIGHT: &str = "Message in the right column";

fn sends(bench: &mut Bench) -> Vec<(ConversationId, String)> {
    let sent = bench.sent().into_iter();
    sent.filter_map(|command| match command {
        Command::Chat(ChatCommand::Send { conversation, draft }) => Some((conversation, draft.text)),
        // The drafts of both sides stay.
        Command::Chat(ChatCommand::SendWords { conversation, text }) => Some((conversation, text)),
        _ => None,
    })
    .collect()
}

/// The last thing told about what is on screen.
fn viewing(bench: &mut Bench) -> Option<(Option<ConversationId>, Vec<ConversationId>, Vec<ConversationId>)> {
    let sent = bench.sent().into_iter().rev();
    sent.filter_map(|command| match command {
        Command::App(AppCommand::Viewing { conversation, beside, held, .. }) => {
            Some((conversation, beside, held))
        }
        _ => None,
    })
    .next()
}

fn archive(snap: &mut Snapshot, id: ConversationId, card: Option<MessageId>) {
    let Some(open) = snap.view(id) else { return };
    let mut view = (**open).clone();
    let mut row = (*view.row).clone();
    row.conversation.archived = true;
    if let Some(branch) = &mut row.conversation.branch {
        branch.facts.adopted = card;
    }
    view.row = row.into();
    tunaflow::ui::testing::put_view(snap, view);
}

fn is_compared(bench: &Bench) -> bool {
    bench.has("Close comparison")
}

#[test]
fn a_comparison_opens_from_menu_key_palette_and_tabs_and_closes_to_where_one_was() {
    let mut bench = Bench::of("branch-drawer");
    bench.click("More about this branch");
    bench.click_part("Compare with…");
    assert!(bench.has("Compare OAuth2 PKCE with"));
    bench.type_text("grace");
    bench.key(Modifiers::NONE, Key::Enter);
    assert!(is_compared(&bench) && bench.has("Grace window in Redis") && bench.has(LEFT) && bench.has(RIGHT));
    assert!(bench.is_focused(LEFT), "{:?}", bench.focused_name());
    bench.key(Modifiers::NONE, Key::Escape);
    assert!(!is_compared(&bench) && bench.has("Message in the branch") && bench.has("Message"));

    bench.key(CTRL_SHIFT, Key::J);
    assert!(bench.has("Compare OAuth2 PKCE with"), "the nearest kin is first");
    bench.key(Modifiers::NONE, Key::Enter);
    assert!(bench.has("The branch starts at its message 2"), "its parent");
    bench.key(CTRL_SHIFT, Key::J);
    assert!(!is_compared(&bench));

    bench.key(CTRL, Key::K);
    bench.type_text("compare branches");
    bench.key(Modifiers::NONE, Key::Enter);
    bench.key(Modifiers::NONE, Key::Escape);
    assert!(!is_compared(&bench) && !bench.has("Compare OAuth2 PKCE with"));

    bench.click_part("Grace window in Redis");
    bench.click("Compare the open branches");
    assert!(is_compared(&bench));
    bench.click("Close comparison");
    bench.secondary_click_part("Branch OAuth2 PKCE");
    bench.click("Compare with the tab in front");
    assert!(is_compared(&bench));
    assert_eq!(bench.route(), Route::Chat { conversation: SHOWN });
}

#[test]
fn both_columns_begin_with_the_message_they_start_from_at_one_height() {
    for (name, size) in [("branch-compare", super::bench::LARGE), ("branch-compare-narrow", SMALL)] {
        let bench = Bench::with(fixture(name), size, ThemeChoice::Dark);
        let controls = bench.controls();
        let runs: Vec<_> = controls
            .iter()
            .filter(|control| control.name.starts_with("Read") && control.name.contains("session.rs"))
            .map(|control| control.rect)
            .collect();
        let [one, other] = runs.as_slice() else { panic!("{name}: {runs:?}") };
        assert!((one.top() - other.top()).abs() < 1.0, "{name}: {one} {other}");
        assert!((one.left() - other.left()).abs() > 300.0, "{name}: {one} {other}");
        assert!(bench.has("Starts at message 2 of Token refresh race"), "{name}");
    }
}

#[test]
fn what_is_compared_is_loaded_and_counts_as_seen() {
    let mut bench = Bench::of("branch-compare");
    assert_eq!(viewing(&mut bench), Some((None, vec![PKCE, CRATE], vec![SHOWN])));
    bench.key(CTRL, Key::Backslash);
    assert_eq!(viewing(&mut bench), Some((Some(SHOWN), vec![PKCE, CRATE], vec![])));
    bench.publish(|snap| snap.open.retain(|view| view.row.conversation.id != CRATE));
    bench.wait(2.5);
    assert!(viewing(&mut bench).is_some(), "what has not come is asked for again");
    bench.key(Modifiers::NONE, Key::Escape);
    assert_eq!(viewing(&mut bench), Some((Some(SHOWN), vec![PKCE], vec![])));
}

#[test]
fn three_columns_stand_beside_each_other_while_both_branches_stream() {
    let mut bench = Bench::of("branch-compare-streaming");
    let [main, left, right] = ["Message", LEFT, RIGHT].map(|name| bench.rect_of(name));
    let (Some(main), Some(left), Some(right)) = (main, left, right) else { panic!("a column is missing") };
    assert!(main.right() < left.left() && left.right() < right.left(), "{main} {left} {right}");
    assert!(main.width() > 300.0 && left.width() > 300.0 && right.width() > 300.0);
    bench.sent();
    for (name, to) in [("Message", SHOWN), (LEFT, REDIS), (RIGHT, CRATE)] {
        bench.focus(name);
        bench.type_text(&format!("for {to}"));
        bench.publish(|snap| compared::writes(snap, CRATE, &"More of it. ".repeat(400)));
        bench.key(Modifiers::NONE, Key::Enter);
        assert_eq!(sends(&mut bench), [(to, format!("for {to}"))]);
    }
    bench.focus(RIGHT);
    bench.key(Modifiers::NONE, Key::Escape);
    let stop = Command::Chat(ChatCommand::Stop { conversation: CRATE });
    assert!(bench.sent().contains(&stop) && is_compared(&bench), "Esc stops what the user looks at");
}

#[test]
fn typed_words_stay_with_their_conversation_when_the_comparison_opens_and_closes() {
    let mut bench = Bench::of("branch-drawer");
    bench.type_text("half a thought");
    bench.key(CTRL_SHIFT, Key::J);
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!((bench.value(LEFT), bench.value(RIGHT)), (String::new(), "half a thought".to_owned()));
    bench.focus(LEFT);
    bench.type_text("for the parent");
    bench.key(Modifiers::NONE, Key::Escape);
    assert_eq!(bench.value("Message"), "for the parent");
    assert_eq!(bench.value("Message in the branch"), "half a thought");
}

#[test]
fn one_field_sends_to_both_and_keeps_what_one_side_refuses() {
    let mut bench = Bench::of("branch-compare");
    bench.click("Send to both");
    assert!(!bench.has(LEFT) && bench.is_focused("Message to both"));
    bench.sent();
    bench.type_text("둘 다 비용을 말해 주세요");
    bench.key(Modifiers::NONE, Key::Enter);
    let text = "둘 다 비용을 말해 주세요".to_owned();
    assert_eq!(sends(&mut bench), [(PKCE, text.clone()), (CRATE, text)]);
    assert_eq!(bench.value("Message to both"), "");
    bench.publish(|snap| archive(snap, CRATE, None));
    bench.type_text("once more");
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(sends(&mut bench), [(PKCE, "once more".to_owned())]);
    assert!(bench.has_part("Not sent to With the oauth2 crate: it is archived."));
    assert_eq!(bench.value("Message to both"), "once more");
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(sends(&mut bench), [], "the first side does not get it twice");
}

#[test]
fn differences_of_the_final_answers_are_shown_and_closed_before_the_comparison() {
    let mut bench = Bench::of("branch-compare-diff");
    assert!(bench.has_part("lines differ.") && bench.has_part("Left: I lean to own code"));
    assert!(bench.has_part("Right: I lean to the crate") && bench.has_part("Right: 세션 열에"));
    assert!(bench.has(LEFT) && bench.has(RIGHT), "one can still write");
    bench.publish(|snap| compared::writes(snap, CRATE, "A new one"));
    assert!(bench.has_part("With the oauth2 crate is still writing; this is its answer before."));
    bench.key(Modifiers::NONE, Key::Escape);
    assert!(!bench.has_part("lines differ.") && is_compared(&bench));
    bench.click("Differences");
    bench.publish(|snap| {
        let Some(open) = snap.view(PKCE) else { return };
        let mut view = (**open).clone();
        (view.index, view.pages) = (std::sync::Arc::default(), Default::default());
        tunaflow::ui::testing::put_view(snap, view);
    });
    assert!(bench.has("OAuth2 PKCE has no finished answer yet."));
}

#[test]
fn a_side_may_be_deleted_archived_adopted_or_unreadable() {
    let mut bench = Bench::of("branch-compare");
    bench.publish(|snap| archive(snap, CRATE, Some(MessageId(9))));
    assert!(bench.has("Adopted branches can only be read.") && bench.has(LEFT) && !bench.has(RIGHT));
    bench.publish(|snap| {
        let Some(open) = snap.view(PKCE) else { return };
        let mut view = (**open).clone();
        view.error = Some("disk I/O error".to_owned());
        tunaflow::ui::testing::put_view(snap, view);
    });
    assert!(bench.has_part("disk I/O error"));
    bench.sent();
    bench.click("Try again");
    assert!(viewing(&mut bench).is_some_and(|(_, beside, _)| beside == [PKCE]));
    let mut kept = None;
    bench.publish(|snap| {
        kept = Some(snap.clone());
        branches::remove(snap, &[CRATE]);
    });
    assert!(bench.has_part("This conversation was deleted.") && is_compared(&bench));
    bench.publish(|snap| *snap = kept.unwrap_or_else(|| snap.clone()));
    assert!(!bench.has_part("This conversation was deleted."), "the deletion was undone");
    bench.publish(|snap| branches::remove(snap, &[CRATE, PKCE]));
    assert!(!is_compared(&bench) && bench.has("Message"), "nothing is left to compare");
}

#[test]
fn a_narrow_window_shows_one_side_behind_tabs() {
    let bench = Bench::with(fixture("branch-compare-narrow"), SMALL, ThemeChoice::Light);
    let [left, right] = [LEFT, RIGHT].map(|name| bench.rect_of(name));
    let (Some(left), Some(right)) = (left, right) else { panic!("a column is missing") };
    assert!(left.right() < right.left() && left.width() > 300.0 && right.width() > 300.0);
    let mut bench =
        Bench::with(fixture("branch-compare-narrow"), Vec2::new(660.0, 460.0), ThemeChoice::Light);
    assert!(bench.has(LEFT) && !bench.has(RIGHT));
    assert!(bench.has("The branch starts at its message 2"));
    bench.click_part("Side With the oauth2 crate");
    assert!(!bench.has(LEFT) && bench.has(RIGHT));
    bench.click("Differences");
    assert!(bench.has_part("lines differ.") || bench.has_part("line differs."));
}

#[test]
fn another_branch_in_the_sidebar_leads_out_of_the_comparison() {
    let mut bench = Bench::of("branch-compare");
    bench.click_part("With the oauth2 crate,");
    assert!(is_compared(&bench) && bench.is_focused(RIGHT), "one that is shown takes the keyboard");
    bench.sent();
    bench.click_part("Grace window in Redis");
    assert!(!is_compared(&bench) && bench.has("Message in the branch"));
    let opened = bench.sent().contains(&Command::Branch(BranchCommand::Open { branch: REDIS }));
    assert!(opened);
}

#[test]
fn columns_scroll_alone_or_together() {
    let long = |snap: &mut Snapshot| {
        for id in [PKCE, CRATE] {
            compared::writes(snap, id, &"A paragraph of some words that wraps.\n\n".repeat(80));
        }
    };
    let first = |bench: &Bench| -> Vec<f32> {
        let controls = bench.controls();
        let lines = controls.iter().filter(|control| control.name.ends_with(" starts here"));
        let mut tops: Vec<(f32, f32)> =
            lines.map(|control| (control.rect.left(), control.rect.top())).collect();
        tops.sort_by(|a, b| a.0.total_cmp(&b.0));
        tops.into_iter().map(|(_, top)| top).collect()
    };
    let mut bench = Bench::of("branch-compare");
    bench.publish(long);
    let before = first(&bench);
    assert_eq!(before.len(), 2);
    bench.scroll_at(egui::pos2(400.0, 400.0), -120.0);
    let [left, right] = first(&bench)[..] else { panic!("a line is missing") };
    assert!(left < before[0] - 50.0 && (right - before[1]).abs() < 1.0, "{left} {right} {before:?}");
    bench.click("Scroll together");
    bench.steps(3);
    let [left, right] = first(&bench)[..] else { panic!("a line is missing") };
    assert!((left - right).abs() < 1.5, "{left} {right}");
    bench.scroll_at(egui::pos2(1000.0, 400.0), -100.0);
    let [left_now, right_now] = first(&bench)[..] else { panic!("a line is missing") };
    assert!(right_now < right - 50.0 && (left_now - right_now).abs() < 1.5, "{left_now} {right_now}");
}

#[test]
fn a_lost_send_comes_back_into_its_own_field() {
    let mut bench = Bench::of("branch-compare");
    bench.focus(RIGHT);
    bench.type_text("refused");
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(bench.value(RIGHT), "");
    bench.publish(|snap| {
        let Some(open) = snap.view(CRATE) else { return };
        let mut view = (**open).clone();
        view.draft = Draft::text("refused").into();
        tunaflow::ui::testing::put_view(snap, view);
    });
    bench.wait(1.0);
    assert_eq!((bench.value(RIGHT), bench.value(LEFT)), ("refused".to_owned(), String::new()));
}

#[test]
fn old_branches_can_be_compared_too() {
    let mut bench = Bench::of("branch-archived");
    bench.key(CTRL_SHIFT, Key::J);
    bench.type_text("pkce");
    bench.key(Modifiers::NONE, Key::Enter);
    assert!(bench.has("Knows nothing of its parent, archived"), "its column can only be read");
    assert!(bench.has("Continue here") && bench.has(RIGHT) && !bench.has(LEFT));
    bench.sent();
    bench.click("Continue here");
    let back = Command::Chat(ChatCommand::SetArchived { conversation: OLD, archived: false });
    assert!(bench.sent().contains(&back));
}

/// A hint that fits no line must not make one field higher than the other.
#[test]
fn both_fields_are_of_one_height_whatever_their_hints_say() {
    for name in ["branch-compare-narrow", "branch-compare", "branch-compare-streaming"] {
        let bench = Bench::with(fixture(name), SMALL, ThemeChoice::Light);
        let [left, right] = [LEFT, RIGHT].map(|name| bench.rect_of(name).unwrap());
        assert_eq!((left.top(), left.height()), (right.top(), right.height()), "{name}");
    }
}
