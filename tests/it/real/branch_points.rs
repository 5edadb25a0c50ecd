//! Branches at message 5 of 9 or so: one that another agent said, one that was edited, an answer given again.
//!
//! What the model reads holds all up to that message and nothing after it, told in words or by a fork.

use std::sync::Arc;

use tunaflow::api::command::ChatCommand;
use tunaflow::model::id::{ConversationId, MessageId};

use super::{Bench, count_in};
use crate::support::app::messages;
use crate::support::clis::Engine;
use crate::support::model_server::Recorded;

const INHERITED: &str = "## Before this branch";
const NUMBERS: [&str; 5] = ["one", "two", "three", "four", "five"];

fn ask(bench: &Bench, id: ConversationId, name: &str) -> Arc<Recorded> {
    let said = bench.said(id, &format!("ask-{name} SAY:reply-{name}"));
    assert_eq!(said, format!("reply-{name}"), "{:?}", bench.engine);
    bench.last_request()
}

/// How often a question and its answer stand in a request.
fn counts(request: &Recorded, name: &str) -> (usize, usize) {
    (count_in(request, &format!("ask-{name}")), count_in(request, &format!("reply-{name}")))
}

fn said(bench: &Bench, id: ConversationId) -> Vec<MessageId> {
    messages(&bench.app.view(id)).iter().map(|message| message.id).collect()
}

/// `expected` = how often each is to stand there. A fresh session may be told of an answer in more than one section,
/// but of one that is not known, in none.
fn known(request: &Recorded, name: &str, expected: (usize, usize), what: &str) {
    let (asked, said) = counts(request, name);
    let is_right = asked == expected.0 && if expected.1 == 0 { said == 0 } else { said >= expected.1 };
    assert!(is_right, "{what}: {name}: {asked} and {said}, not {expected:?}\n{}", request.body);
}

/// Another engine than the checkpoint's: it is told in words, at an answer and at words of the user.
fn told_what_another_said(bench: &Bench) {
    let engine = bench.engine;
    let lines: Vec<String> =
        NUMBERS.iter().map(|name| format!("{{\"turn\":true}}\n{{\"text\":\"reply-{name}\"}}")).collect();
    let parent = bench.app.scripted(&lines.join("\n"));
    for name in NUMBERS {
        bench.app.ask(parent, &format!("ask-{name}"));
    }
    let said = said(bench, parent);
    for (at, last_reply) in [(4, 0), (5, 1)] {
        let branch = bench.app.branch(parent, said[at], Some(bench.seat()));
        let request = ask(bench, branch, "aside");
        let expected = [(1, 1), (1, 1), (1, last_reply), (0, 0), (0, 0)];
        for (name, expected) in NUMBERS.iter().zip(expected) {
            known(&request, name, expected, &format!("{engine:?} at {at}"));
        }
        assert_eq!(count_in(&request, INHERITED), 1, "{engine:?}");
    }
}

/// Message 5 was edited: its new words are known and its old ones are not.
fn at_an_edited_message(bench: &Bench, at_turn: bool) {
    let engine = bench.engine;
    let parent = bench.conversation();
    for name in ["one", "two", "old", "older"] {
        ask(bench, parent, name);
    }
    let fifth = said(bench, parent)[4];
    let text = "ask-three SAY:reply-three".to_owned();
    bench.app.send(ChatCommand::EditAndResend { message: fifth, text });
    bench.app.until("replaced", |s| s.view(parent).is_some_and(|v| v.index.len() == 6 && v.live.is_empty()));
    assert_eq!(bench.text_of(&bench.app.until_idle(parent)), "reply-three");
    for name in ["four", "five"] {
        ask(bench, parent, name);
    }
    let said = said(bench, parent);
    for (at, reply_three, forked) in [(4, 0, false), (5, 2, at_turn)] {
        let branch = bench.app.branch(parent, said[at], None);
        let request = ask(bench, branch, "aside");
        // The user's words name the answer, too.
        let three = (1, if reply_three == 0 { 1 } else { reply_three });
        let expected = [(1, 2), (1, 2), three, (0, 0), (0, 0)];
        for (name, expected) in NUMBERS.iter().zip(expected) {
            known(&request, name, expected, &format!("{engine:?} at {at}"));
        }
        for name in ["old", "older"] {
            assert_eq!(counts(&request, name), (0, 0), "{engine:?} at {at}: {name}");
        }
        assert_eq!(count_in(&request, INHERITED), usize::from(!forked), "{engine:?} at {at}");
    }
}

/// Message 5 is a second answer to message 3: both answers were said before the branch.
fn at_an_answer_given_again(bench: &Bench) {
    let engine = bench.engine;
    let parent = bench.conversation();
    for name in ["one", "two"] {
        ask(bench, parent, name);
    }
    let fourth = said(bench, parent)[3];
    bench.app.send(ChatCommand::Regenerate { message: fourth, engine: None });
    bench.app.until("again", |s| s.view(parent).is_some_and(|v| v.index.len() == 5 && v.live.is_empty()));
    assert_eq!(bench.text_of(&bench.app.until_idle(parent)), "reply-two");
    for name in ["three", "four"] {
        ask(bench, parent, name);
    }
    let said = said(bench, parent);
    assert_eq!(said.len(), 9);
    for (at, reply_two) in [(3, 2), (4, 3)] {
        let branch = bench.app.branch(parent, said[at], None);
        let request = ask(bench, branch, "aside");
        let expected = [(1, 2), (1, reply_two), (0, 0), (0, 0)];
        for (name, expected) in NUMBERS.iter().zip(expected) {
            known(&request, name, expected, &format!("{engine:?} at {at}"));
        }
    }
    // The parent goes on where it was.
    let request = ask(bench, parent, "five");
    assert_eq!(counts(&request, "aside"), (0, 0), "{engine:?}");
}

fn points(engine: Engine) {
    let Some(bench) = Bench::start(engine) else { return };
    told_what_another_said(&bench);
    at_an_edited_message(&bench, matches!(engine, Engine::Claude | Engine::Codex));
    at_an_answer_given_again(&bench);
}

#[test]
fn branch_points_of_claude() {
    points(Engine::Claude);
}

#[test]
fn branch_points_of_codex() {
    points(Engine::Codex);
}

#[test]
fn branch_points_of_gemini() {
    points(Engine::Gemini);
}

#[test]
fn branch_points_of_opencode() {
    points(Engine::OpenCode);
}
