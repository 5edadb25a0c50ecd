//! Writing: who gets what was typed, and when it is sent.

use std::sync::Arc;

use egui::{Event, ImeEvent, Key, Modifiers};
use tunaflow::api::command::{ChatCommand, Command};
use tunaflow::model::id::{ConversationId, MessageId, QueuedId};
use tunaflow::model::project::Draft;
use tunaflow::ui::route::Route;
use tunaflow::ui::testing::{self, SHOWN};

use super::bench::Bench;

fn sends(commands: &[Command]) -> Vec<(ConversationId, Draft)> {
    commands
        .iter()
        .filter_map(|command| match command {
            Command::Chat(ChatCommand::Send { conversation, draft }) => Some((*conversation, draft.clone())),
            _ => None,
        })
        .collect()
}

fn drafts(commands: &[Command]) -> Vec<(ConversationId, String)> {
    commands
        .iter()
        .filter_map(|command| match command {
            Command::Chat(ChatCommand::SaveDraft { conversation, draft }) => {
                Some((*conversation, draft.text.clone()))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn enter_sends_and_shift_enter_breaks_the_line() {
    let mut bench = Bench::of("chat");
    bench.focus("Message");
    bench.type_text("first");
    bench.key(Modifiers::SHIFT, Key::Enter);
    bench.type_text("second");
    assert!(sends(&bench.sent()).is_empty());
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(sends(&bench.sent()), vec![(SHOWN, Draft::text("first\nsecond"))]);
    assert_eq!(bench.value("Message"), "");
    bench.key(Modifiers::NONE, Key::Enter);
    assert!(sends(&bench.sent()).is_empty(), "nothing was typed");
}

#[test]
fn the_keys_can_be_swapped_and_control_enter_always_sends() {
    let mut fixture = testing::fixture("chat");
    let mut settings = (*fixture.snap.settings).clone();
    settings.enter_sends = false;
    fixture.snap.settings = Arc::new(settings);
    let mut bench = Bench::with(fixture, super::bench::LARGE, Default::default());
    bench.focus("Message");
    bench.type_text("a");
    bench.key(Modifiers::NONE, Key::Enter);
    assert!(sends(&bench.sent()).is_empty());
    bench.key(Modifiers::COMMAND, Key::Enter);
    assert_eq!(sends(&bench.sent()).len(), 1);
}

#[test]
fn enter_while_korean_is_composed_does_not_send() {
    let mut bench = Bench::of("chat");
    bench.focus("Message");
    bench.event(Event::Ime(ImeEvent::Preedit { text: "안녕".into(), active_range_chars: None }));
    for modifiers in [Modifiers::NONE, Modifiers::COMMAND, Modifiers::SHIFT] {
        bench.key(modifiers, Key::Enter);
    }
    bench.key(Modifiers::NONE, Key::Backspace);
    assert!(sends(&bench.sent()).is_empty());
    bench.event(Event::Ime(ImeEvent::Commit("안녕".into())));
    assert_eq!(bench.value("Message"), "안녕");
    assert!(sends(&bench.sent()).is_empty());
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(sends(&bench.sent()), vec![(SHOWN, Draft::text("안녕"))]);
}

/// Every field, not only the composer: a list, a name, a comment.
#[test]
fn keys_belong_to_the_input_method_in_every_field() {
    let preedit = |bench: &mut Bench, text: &str| {
        bench.event(Event::Ime(ImeEvent::Preedit { text: text.into(), active_range_chars: None }));
    };
    let commit = |bench: &mut Bench, text: &str| bench.event(Event::Ime(ImeEvent::Commit(text.into())));
    // The palette: nothing is opened, nothing is closed.
    let mut bench = Bench::of("chat");
    let before = bench.route();
    bench.key(Modifiers::COMMAND, Key::K);
    preedit(&mut bench, "설");
    for key in [Key::Enter, Key::Escape, Key::ArrowDown] {
        bench.key(Modifiers::NONE, key);
    }
    assert_eq!(bench.route(), before);
    commit(&mut bench, "openapi");
    bench.wait(0.1);
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(bench.route(), Route::Chat { conversation: ConversationId(15) });
    // The name of a conversation.
    let mut bench = Bench::of("chat");
    bench.secondary_click_part("Flaky upload test");
    bench.click("Rename…");
    bench.key(Modifiers::COMMAND, Key::A);
    bench.sent();
    preedit(&mut bench, "이름");
    bench.key(Modifiers::NONE, Key::Enter);
    assert!(bench.sent().is_empty());
    commit(&mut bench, "이름");
    bench.wait(0.1);
    bench.key(Modifiers::NONE, Key::Enter);
    let rename = ChatCommand::Rename { conversation: ConversationId(14), title: "이름".into() };
    assert!(bench.sent().contains(&Command::Chat(rename)));
}

#[test]
fn a_draft_is_kept_for_its_conversation_and_shows_in_no_other() {
    let mut bench = Bench::of("chat");
    bench.publish(|snap| {
        let mut other = (**snap.view(SHOWN).unwrap()).clone();
        other.row = Arc::clone(&snap.conversations[2]);
        other.draft = Arc::new(Draft::text("stored for the other"));
        snap.open.push(Arc::new(other));
    });
    bench.focus("Message");
    bench.type_text("mine");
    bench.sent();
    bench.wait(1.0);
    assert_eq!(drafts(&bench.sent()), vec![(SHOWN, "mine".to_owned())]);
    bench.type_text(" and more");
    bench.click_part("Rate limits per tenant");
    let sent = bench.sent();
    assert_eq!(drafts(&sent), vec![(SHOWN, "mine and more".to_owned())], "stored when it is left");
    assert_eq!(bench.route(), Route::Chat { conversation: ConversationId(13) });
    assert_eq!(bench.value("Message"), "stored for the other");
    bench.click_part("Token refresh race, ");
    assert_eq!(bench.value("Message"), "mine and more");
    assert!(drafts(&bench.sent()).is_empty(), "looking changes nothing");
}

#[test]
fn a_big_paste_becomes_a_chip_and_is_sent_whole() {
    let mut bench = Bench::of("chat");
    bench.focus("Message");
    bench.type_text("look at this");
    let paste = "line\n".repeat(15_000);
    bench.event(Event::Paste(paste.clone()));
    assert!(bench.has("Pasted 15,000 lines"));
    assert_eq!(bench.value("Message"), "look at this");
    bench.key(Modifiers::NONE, Key::Enter);
    let sent = sends(&bench.sent());
    assert_eq!(sent, vec![(SHOWN, Draft { text: "look at this".into(), pastes: vec![paste] })]);
    assert!(!bench.has("Pasted 15,000 lines"));
}

#[test]
fn up_in_an_empty_field_edits_the_last_own_message() {
    let mut bench = Bench::of("chat");
    bench.focus("Message");
    bench.key(Modifiers::NONE, Key::ArrowUp);
    assert!(bench.value("Edited message").starts_with("Good. Retries"));
    bench.sent();
    bench.click("Send again");
    let sent = bench.sent();
    let edit = sent.iter().find_map(|command| match command {
        Command::Chat(ChatCommand::EditAndResend { message, .. }) => Some(*message),
        _ => None,
    });
    assert_eq!(edit, Some(MessageId(3)));
}

#[test]
fn queued_messages_can_be_removed_and_sent_now() {
    let mut bench = Bench::of("queue");
    bench.sent();
    bench.click("Queued: Then run the tests");
    bench.click("Send now");
    let sent = bench.sent();
    assert!(sent.contains(&Command::Chat(ChatCommand::SendQueuedNow { queued: QueuedId(31) })), "{sent:?}");
}

#[test]
fn stop_stands_where_send_was() {
    let send = Bench::of("chat");
    let mut stop = Bench::of("streaming");
    let rect = |bench: &Bench, name: &str| {
        bench.controls().into_iter().find(|control| control.name == name).map(|control| control.rect)
    };
    let (send, at) = (rect(&send, "Send").unwrap(), rect(&stop, "Stop").unwrap());
    assert!((send.center() - at.center()).length() < 2.0, "{send} {at}");
    stop.sent();
    stop.click("Stop");
    assert!(stop.sent().contains(&Command::Chat(ChatCommand::Stop { conversation: SHOWN })));
}

#[test]
fn a_slash_word_runs_its_command() {
    let mut bench = Bench::of("chat");
    bench.focus("Message");
    bench.type_text("/keys");
    assert!(bench.has("/keys"));
    bench.key(Modifiers::NONE, Key::Enter);
    assert!(sends(&bench.sent()).is_empty());
    assert_eq!(bench.value("Message"), "");
    assert!(bench.has_part("Find or run…: Ctrl K"), "the key sheet is open");
}
