//! What a branch knows: a fork of the engine's own session where there is one, else the parent's words.

use std::sync::Arc;

use tunaflow::api::snapshot::ConversationView;
use tunaflow::model::id::{ConversationId, MessageId};
use tunaflow::model::message::ItemBody;
use tunaflow::model::turn::TurnState;

use crate::support::app::{TestApp, last, messages, seat};

/// Says whether its session was forked, then what it heard.
const ECHO: &str = "{\"tell_fork\":true}\n{\"echo\":true}";
const INHERITED: &str = "## Before this branch";

/// A parent with the turns `ask-1` to `ask-3`.
fn talk(app: &TestApp, script: &str) -> (ConversationId, Vec<MessageId>) {
    let parent = app.scripted(script);
    let mut view = None;
    for number in 1..=3 {
        view = Some(app.ask(parent, &format!("ask-{number}")));
    }
    (parent, messages(&view.unwrap()).iter().map(|message| message.id).collect())
}

fn heard(view: &Arc<ConversationView>) -> String {
    assert_eq!(view.turn.as_ref().unwrap().state, TurnState::Done);
    last(view).plain_text()
}

fn held(view: &ConversationView) -> String {
    view.turn.as_ref().unwrap().report.as_ref().unwrap().held_by_session.join(", ")
}

#[test]
fn a_branch_at_an_answer_is_a_fork_of_the_engines_session() {
    let app = TestApp::new();
    let (parent, said) = talk(&app, ECHO);
    let branch = app.branch(parent, said[3], None);
    let view = app.ask(branch, "ask-aside");
    let first = heard(&view);
    assert!(first.starts_with("fork of ") && first.contains('#'), "{first}");
    assert!(!first.contains(INHERITED) && !first.contains("ask-1"), "the session holds it: {first}");
    assert!(first.contains("## Project"), "what may differ from the parent goes out: {first}");
    assert!(held(&view).contains("thread inheritance"), "{}", held(&view));

    let view = app.ask(branch, "ask-more");
    let second = heard(&view);
    assert!(second.starts_with("no fork") && second.ends_with("ask-more"), "it goes on in its own: {second}");
    assert!(!second.contains("## Project") && !second.contains(INHERITED), "{second}");

    let of_parent = heard(&app.ask(parent, "ask-4"));
    assert!(of_parent.starts_with("no fork") && !of_parent.contains("aside"), "{of_parent}");
    assert!(!of_parent.contains("ask-3"), "its own session went on: {of_parent}");

    // A branch in the branch, of which nothing runs any more.
    let app = app.restart();
    app.open_whole(branch);
    let checkpoint = messages(&app.view(branch))[1].id;
    let inner = app.branch(branch, checkpoint, None);
    let inner_first = heard(&app.ask(inner, "ask-inner"));
    assert!(inner_first.starts_with("fork of ") && !inner_first.contains(INHERITED), "{inner_first}");
    let session = |text: &str| text.split_whitespace().nth(2).unwrap().to_owned();
    assert_ne!(session(&inner_first), session(&first), "of the branch's session, not of its parent's");
}

#[test]
fn other_branches_are_told_in_words() {
    let app = TestApp::new();
    let (parent, said) = talk(&app, ECHO);
    let by_user = heard(&app.ask(app.branch(parent, said[2], None), "ask-aside"));
    assert!(by_user.starts_with("no fork"), "{by_user}");
    assert!(
        by_user.contains(INHERITED) && by_user.contains("ask-2") && !by_user.contains("ask-3"),
        "{by_user}"
    );

    let other = seat(&app.script(ECHO));
    let by_other = heard(&app.ask(app.branch(parent, said[3], Some(other)), "ask-aside"));
    assert!(by_other.starts_with("no fork"), "another engine holds nothing: {by_other}");
    assert!(by_other.contains(INHERITED) && !by_other.contains("ask-3"), "{by_other}");

    // A session that was left still holds the deleted words.
    app.send(tunaflow::api::command::ChatCommand::DeleteMessage { message: said[0] });
    app.until("deleted", |s| s.view(parent).is_some_and(|view| view.index.len() == 5));
    let since = heard(&app.ask(app.branch(parent, said[3], None), "ask-aside"));
    assert!(since.starts_with("no fork") && since.contains(INHERITED), "{since}");
    assert!(!since.contains("[User]\nask-1"), "{since}");
}

#[test]
fn a_fork_that_is_not_made_is_told_in_words_with_a_notice() {
    let app = TestApp::new();
    let (parent, said) = talk(&app, &format!("{{\"fork_lost\":true}}\n{ECHO}"));
    let branch = app.branch(parent, said[3], None);
    let view = app.ask(branch, "ask-aside");
    let text = heard(&view);
    assert!(text.contains("no fork") && text.contains(INHERITED) && !text.contains("ask-3"), "{text}");
    let told = last(&view).items.iter().any(
        |item| matches!(&item.body, ItemBody::Notice { text, .. } if text.contains("could not branch off")),
    );
    assert!(told, "{:?}", last(&view).items);
    let of_parent = heard(&app.ask(parent, "ask-4"));
    assert!(!of_parent.contains("ask-3"), "its own session went on: {of_parent}");
}

/// Its session never held the answer that stands between the request and the new one.
#[test]
fn a_branch_at_an_answer_given_again_is_told_of_both() {
    let app = TestApp::new();
    let parent = app.scripted("{\"turn\":\"aside\"}\n{\"echo\":true}\n{\"turn\":true}\n{\"text\":\"first try\"}\n{\"turn\":true}\n{\"text\":\"second try\"}");
    app.ask(parent, "ask-1");
    let first = messages(&app.view(parent))[1].id;
    // A new seat begins its script anew, so the second answer needs one of its own.
    let other = app.script("{\"turn\":\"aside\"}\n{\"tell_fork\":true}\n{\"echo\":true}\n{\"turn\":true}\n{\"text\":\"second try\"}");
    let engine = Some(tunaflow::model::engine::EngineId::new(&other));
    app.send(tunaflow::api::command::ChatCommand::Regenerate { message: first, engine });
    app.until("again", |s| s.view(parent).is_some_and(|v| v.index.len() == 3 && v.live.is_empty()));
    app.until_idle(parent);
    let said = messages(&app.view(parent));
    assert_eq!(said[2].plain_text(), "second try");
    let text = heard(&app.ask(app.branch(parent, said[2].id, None), "aside"));
    assert!(text.contains("first try"), "{text}");
}
