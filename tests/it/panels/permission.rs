//! Questions of agents: bound to their id, inert at first, never answered by a key that is held.

use egui::{Key, Modifiers};
use tunaflow::api::command::{ChatCommand, Command};
use tunaflow::model::id::TurnId;
use tunaflow::model::turn::Decision;
use tunaflow::ui::testing::{self, SHOWN};

use super::bench::Bench;

fn answers(bench: &mut Bench) -> Vec<(String, Decision)> {
    bench
        .sent()
        .into_iter()
        .filter_map(|command| match command {
            Command::Chat(ChatCommand::Answer { turn, ask, decision }) => {
                assert_eq!(turn, TurnId(72));
                Some((ask, decision))
            }
            _ => None,
        })
        .collect()
}

fn asking() -> Bench {
    let mut bench = Bench::of("streaming");
    bench.focus("Message");
    bench.publish(|snap| testing::put_asks(snap, vec![testing::ask("one", SHOWN, "rm -r target")]));
    bench
}

#[test]
fn a_new_question_is_inert_for_half_a_second() {
    let mut bench = asking();
    bench.click("Allow once");
    bench.key(Modifiers::NONE, Key::Escape);
    assert!(answers(&mut bench).is_empty());
    bench.wait(0.6);
    bench.click("Allow once");
    assert_eq!(answers(&mut bench), vec![("one".to_owned(), Decision::AllowOnce)]);
}

#[test]
fn enter_held_down_approves_nothing() {
    let mut bench = asking();
    bench.hold(Key::Enter, 40);
    assert!(answers(&mut bench).is_empty());
    bench.focus("Allow once");
    bench.hold(Key::Enter, 1);
    bench.publish(|snap| testing::put_asks(snap, vec![testing::ask("two", SHOWN, "git push")]));
    answers(&mut bench);
    bench.hold(Key::Enter, 40);
    assert!(answers(&mut bench).is_empty(), "the next question takes nothing of a held key");
}

#[test]
fn escape_denies_and_a_comment_goes_along() {
    let mut bench = asking();
    bench.wait(0.6);
    bench.focus("Comment when you deny");
    bench.type_text("run the tests first");
    bench.key(Modifiers::NONE, Key::Escape);
    let expected = Decision::Deny { comment: "run the tests first".into() };
    assert_eq!(answers(&mut bench), vec![("one".to_owned(), expected)]);
}

/// The Escape that gives up a composition is no answer to the question.
#[test]
fn keys_of_an_input_method_answer_nothing() {
    let mut bench = asking();
    bench.wait(0.6);
    bench.focus("Comment when you deny");
    bench
        .event(egui::Event::Ime(egui::ImeEvent::Preedit { text: "먼저".into(), active_range_chars: None }));
    for key in [Key::Escape, Key::Enter] {
        bench.key(Modifiers::NONE, key);
    }
    assert!(answers(&mut bench).is_empty());
    bench.event(egui::Event::Ime(egui::ImeEvent::Commit("먼저 시험".into())));
    bench.wait(0.1);
    bench.key(Modifiers::NONE, Key::Escape);
    let expected = Decision::Deny { comment: "먼저 시험".into() };
    assert_eq!(answers(&mut bench), vec![("one".to_owned(), expected)]);
}

#[test]
fn a_later_question_waits_and_does_not_replace_the_one_being_read() {
    let mut bench = asking();
    bench.wait(0.6);
    bench.publish(|snap| {
        let first = testing::ask("one", SHOWN, "rm -r target");
        testing::put_asks(snap, vec![first, testing::ask("two", SHOWN, "git push --force")]);
    });
    bench.click("Allow once");
    assert_eq!(answers(&mut bench), vec![("one".to_owned(), Decision::AllowOnce)]);
    bench.click("Allow once");
    assert!(answers(&mut bench).is_empty(), "answered once");
    bench.publish(|snap| testing::put_asks(snap, vec![testing::ask("two", SHOWN, "git push --force")]));
    bench.wait(0.6);
    bench.click("Deny");
    assert_eq!(answers(&mut bench), vec![("two".to_owned(), Decision::Deny { comment: String::new() })]);
}

#[test]
fn the_focus_is_never_on_allow() {
    let bench = asking();
    assert!(!bench.is_focused("Allow once"));
    assert!(bench.is_focused("Message"), "what is being typed goes on");
}

#[test]
fn the_whole_command_is_shown() {
    let mut bench = Bench::of("streaming");
    let command = format!("echo {}", "x".repeat(900));
    bench.publish(|snap| testing::put_asks(snap, vec![testing::ask("one", SHOWN, &command)]));
    assert!(bench.has(&command));
}

#[test]
fn a_question_elsewhere_is_one_key_away() {
    let mut bench = Bench::of("chat");
    let there = tunaflow::model::id::ConversationId(12);
    bench.publish(|snap| testing::put_asks(snap, vec![testing::ask("far", there, "ls")]));
    assert!(bench.has("1 needs you"));
    bench.key(Modifiers::NONE, Key::F8);
    assert_eq!(bench.route(), tunaflow::ui::route::Route::Chat { conversation: there });
}
