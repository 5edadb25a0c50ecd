//! Flows through the real runtime: command in, snapshot out, with scripted engines.

use tunaflow::api::command::{ChatCommand, ProjectCommand, SettingsCommand};
use tunaflow::api::snapshot::Snapshot;
use tunaflow::model::engine::EngineId;
use tunaflow::model::id::ConversationId;
use tunaflow::model::message::{Author, ItemBody, MessageState, PermissionOutcome};
use tunaflow::model::project::Draft;
use tunaflow::model::turn::{Decision, FailureKind, TurnState};

use crate::support::app::{TestApp, last, messages};

fn texts(view: &tunaflow::api::snapshot::ConversationView) -> Vec<String> {
    messages(view).iter().map(|message| message.plain_text()).collect()
}

#[test]
fn a_message_is_answered_and_both_are_kept() {
    let app = TestApp::new();
    let id = app.scripted(r#"{"text":"안녕 👋 hello"}"#);
    let view = app.ask(id, "질문 one");
    assert_eq!(texts(&view), ["질문 one", "안녕 👋 hello"]);
    assert_eq!(view.turn.as_ref().unwrap().state, TurnState::Done);
    assert_eq!(view.row.conversation.title, "질문 one");
    let app = app.restart();
    let kept = app.open_whole(id);
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[1].plain_text(), "안녕 👋 hello");
    assert!(matches!(&kept[1].author, Author::Agent { name, .. } if !name.is_empty()));
}

#[test]
fn deltas_and_the_whole_are_one_copy_and_identical_answers_stay_two() {
    let app = TestApp::new();
    let id = app.scripted(
        "{\"stream\":{\"text\":\"same words\",\"chunk_chars\":3,\"every_ms\":0}}\n{\"replace\":\"same words\"}\n{\"close\":true}\n{\"text\":\"same words\"}",
    );
    let view = app.ask(id, "go");
    let items: Vec<_> = last(&view).items.iter().map(|item| item.body.clone()).collect();
    let same = ItemBody::Text { text: "same words".into() };
    assert_eq!(items, [same.clone(), same]);
}

#[test]
fn messages_sent_while_a_turn_runs_wait_and_go_out_once_in_order() {
    let app = TestApp::new();
    let id = app.scripted(
        "{\"turn\":\"first\"}\n{\"text\":\"begun\"}\n{\"hang\":true}\n{\"turn\":true}\n{\"text\":\"ok\"}",
    );
    app.say(id, "first");
    app.until_state(id, TurnState::Running);
    for text in ["second", "third", "fourth"] {
        app.say(id, text);
    }
    app.until("three wait", |s| s.view(id).is_some_and(|view| view.queue.len() == 3));
    app.send(ChatCommand::Stop { conversation: id });
    app.until("all delivered", |s| {
        s.view(id).is_some_and(|view| view.queue.is_empty() && view.live.is_empty() && view.index.len() == 8)
    });
    let said: Vec<String> = messages(&app.view(id))
        .iter()
        .filter(|message| message.author == Author::User)
        .map(|message| message.plain_text())
        .collect();
    assert_eq!(said, ["first", "second", "third", "fourth"]);
}

#[test]
fn waiting_messages_survive_a_crash_and_are_delivered_once() {
    let app = TestApp::new();
    let id = app.scripted("{\"turn\":\"second\"}\n{\"text\":\"ok\"}\n{\"turn\":\"third\"}\n{\"text\":\"ok\"}\n{\"turn\":\"first\"}\n{\"text\":\"begun\"}\n{\"hang\":true}");
    app.say(id, "first");
    app.until_state(id, TurnState::Running);
    app.say(id, "second");
    app.say(id, "third");
    app.until("two wait", |s| s.view(id).is_some_and(|view| view.queue.len() == 2));
    let app = app.restart();
    assert_eq!(row(&app.snapshot(), id), Some(TurnState::Interrupted));
    app.send(ChatCommand::Open { conversation: id });
    app.until("delivered", |s| {
        s.view(id).is_some_and(|view| view.queue.is_empty() && view.live.is_empty() && view.index.len() == 6)
    });
    let kept = app.open_whole(id);
    let said: Vec<String> =
        kept.iter().filter(|m| m.author == Author::User).map(|message| message.plain_text()).collect();
    assert_eq!(said, ["first", "second", "third"]);
    assert_eq!(kept[1].state, MessageState::Interrupted);
    assert_eq!(kept[1].plain_text(), "begun");
}

fn row(snapshot: &Snapshot, id: ConversationId) -> Option<TurnState> {
    snapshot.conversations.iter().find(|row| row.conversation.id == id).and_then(|row| row.state)
}

#[test]
fn a_crash_in_mid_stream_loses_nothing_older_than_a_second_and_doubles_nothing() {
    let app = TestApp::new();
    let id =
        app.scripted("{\"text\":\"kept words\"}\n{\"delay_ms\":1500}\n{\"text\":\" more\"}\n{\"hang\":true}");
    app.say(id, "go");
    app.until("second piece", |s| {
        s.view(id).is_some_and(|view| view.live.first().is_some_and(|m| m.plain_text() == "kept words more"))
    });
    let app = app.crash_and_restart();
    let kept = app.open_whole(id);
    assert_eq!(kept.len(), 2);
    assert!(kept[1].plain_text().starts_with("kept words"), "{:?}", kept[1]);
    assert_eq!(kept[1].state, MessageState::Interrupted);
    let turn = app.view(id).turn.clone().unwrap();
    assert_eq!(turn.state, TurnState::Interrupted);
    app.send(ChatCommand::Continue { turn: turn.turn });
    app.until("goes on", |s| s.view(id).is_some_and(|view| view.index.len() == 4));
}

#[test]
fn a_question_holds_the_turn_and_the_answer_is_bound_to_it() {
    let app = TestApp::new();
    let id = app.scripted(
        r#"{"ask":{"tool":"Bash","action":"run","command":"rm -r build","on_allow":"removed","on_deny":"left"}}"#,
    );
    app.say(id, "clean");
    let view = app.until_state(id, TurnState::NeedsYou);
    let ask = view.asks[0].clone();
    assert_eq!(ask.request.command.as_deref(), Some("rm -r build"));
    assert_eq!(app.snapshot().asks.len(), 1);
    // An answer to something else does nothing.
    app.send(ChatCommand::Answer { turn: ask.turn, ask: "other".into(), decision: Decision::AllowOnce });
    app.until("told", |s| s.notices.iter().any(|notice| notice.title.contains("question has gone")));
    assert_eq!(app.view(id).asks.len(), 1);
    let decision = Decision::Deny { comment: "keep it".into() };
    app.send(ChatCommand::Answer { turn: ask.turn, ask: ask.request.ask.clone(), decision });
    let view = app.until_idle(id);
    let answer = last(&view);
    assert!(answer.plain_text().contains("left"));
    assert!(answer.items.iter().any(|item| matches!(
        &item.body,
        ItemBody::Permission { outcome: Some(PermissionOutcome::Denied { comment }), .. } if comment == "keep it"
    )));
}

#[test]
fn stop_keeps_the_part_and_drops_what_comes_later() {
    let app = TestApp::new();
    let id = app.scripted("{\"text\":\"part\"}\n{\"hang\":\"deaf\"}\n{\"text\":\"late\"}");
    app.say(id, "go");
    app.until("part shown", |s| {
        s.view(id).is_some_and(|view| view.live.first().is_some_and(|m| m.plain_text() == "part"))
    });
    app.send(ChatCommand::Stop { conversation: id });
    app.until("stopping or stopped", |s| {
        matches!(row(s, id), Some(TurnState::Stopping | TurnState::Stopped))
    });
    let view = app.until_idle(id);
    assert_eq!(last(&view).state, MessageState::Stopped);
    assert_eq!(last(&view).plain_text(), "part");
}

#[test]
fn a_failure_says_what_to_do_and_retry_goes_on_with_the_same_words() {
    let app = TestApp::new();
    let id = app
        .scripted(r#"{"fail":{"kind":"rate_limited","message":"Too many requests","hint":"Wait a minute"}}"#);
    let view = app.ask(id, "question");
    let turn = view.turn.clone().unwrap();
    assert_eq!(turn.failure.as_ref().unwrap().kind, FailureKind::RateLimited);
    assert!(
        matches!(&last(&view).state, MessageState::Failed { failure } if failure.hint == "Wait a minute")
    );
    let other = EngineId::new(app.script(r#"{"text":"now it works"}"#));
    app.send(ChatCommand::Retry { turn: turn.turn, engine: Some(other.clone()) });
    app.until("asked again", |s| {
        s.view(id).is_some_and(|v| v.turn.as_ref().is_some_and(|t| t.turn != turn.turn))
    });
    let view = app.until_idle(id);
    assert_eq!(texts(&view), ["question", "now it works"]);
    assert_eq!(view.row.conversation.seat.engine, other, "the other engine stays");
}

#[test]
fn a_lost_session_is_tried_once_more_with_the_whole_context_and_says_so() {
    let app = TestApp::new();
    let engine = app.script("{\"session\":\"s-1\"}\n{\"session_lost\":true}\n{\"echo\":true}");
    let id = app.conversation(&engine);
    app.ask(id, "remember the word heron");
    // A new process is needed for the session to be taken up and lost.
    let app = app.restart();
    app.open_whole(id);
    let view = app.ask(id, "which word?");
    let answer = last(&view);
    assert_eq!(answer.state, MessageState::Complete);
    assert!(
        answer
            .items
            .iter()
            .any(|item| matches!(&item.body, ItemBody::Notice { text, .. } if text.contains("session")))
    );
    assert!(answer.plain_text().contains("heron"), "the full pack holds the earlier words");
}

#[test]
fn a_resumed_session_hears_only_what_is_new() {
    let app = TestApp::new();
    let id = app.scripted("{\"session\":\"s-1\"}\n{\"echo\":true}");
    let first = app.ask(id, "the word is heron");
    assert!(last(&first).plain_text().contains("Project"), "{}", last(&first).plain_text());
    let view = app.ask(id, "second question");
    let heard = last(&view).plain_text();
    assert!(heard.ends_with("second question"), "{heard}");
    assert!(!heard.contains("heron"), "{heard}");
    let report = view.turn.as_ref().unwrap().report.clone().unwrap();
    assert!(!report.held_by_session.is_empty());
}

#[test]
fn switching_the_engine_hands_the_conversation_over_once() {
    let app = TestApp::new();
    let id = app.scripted("{\"thinking\":\"secret thoughts\"}\n{\"text\":\"the answer is heron\"}");
    app.ask(id, "name a bird");
    let other = app.script("{\"echo\":true}");
    app.send(ChatCommand::SetSeat { conversation: id, seat: crate::support::app::seat(&other) });
    let view = app.ask(id, "which bird was it?");
    let heard = last(&view).plain_text();
    assert_eq!(heard.matches("name a bird").count(), 1, "{heard}");
    assert!(heard.contains("the answer is heron"));
    assert!(!heard.contains("secret thoughts"));
}

#[test]
fn a_turn_goes_on_while_another_conversation_is_looked_at() {
    let app = TestApp::new();
    let a = app.scripted("{\"text\":\"A \"}\n{\"delay_ms\":300}\n{\"text\":\"complete\"}");
    app.say(a, "go");
    let b = app.scripted("{\"text\":\"B\"}");
    app.ask(b, "hi");
    app.send(ChatCommand::Open { conversation: a });
    let view = app.until_idle(a);
    assert_eq!(last(&view).plain_text(), "A complete");
    assert_eq!(texts(&app.view(b)), ["hi", "B"]);
}

#[test]
fn drafts_belong_to_their_conversation_and_survive() {
    let app = TestApp::new();
    let a = app.scripted("{\"text\":\"x\"}");
    let draft = Draft { text: "초안 a".into(), pastes: vec!["big\npaste".into()] };
    app.send(ChatCommand::SaveDraft { conversation: a, draft: draft.clone() });
    let b = app.conversation("demo");
    app.until("kept", |_| true);
    assert!(app.view(b).draft.is_blank());
    let app = app.restart();
    app.send(ChatCommand::Open { conversation: a });
    app.until("draft back", |s| s.view(a).is_some_and(|view| *view.draft == draft));
}

#[test]
fn a_deleted_conversation_leaves_no_trace_in_a_new_one_and_can_come_back() {
    let app = TestApp::new();
    let a = app.scripted("{\"text\":\"old answer\"}");
    app.ask(a, "old question");
    app.send(ChatCommand::SaveDraft { conversation: a, draft: Draft::text("old draft") });
    app.send(ChatCommand::Delete { conversation: a });
    app.until("gone", |s| s.conversations.iter().all(|row| row.conversation.id != a));
    let project = app.snapshot().project.unwrap();
    app.send(ChatCommand::New { project, seat: None });
    let new = app.until("new", |s| s.focus.is_some_and(|id| id != a)).focus.unwrap();
    assert!(app.view(new).index.is_empty() && app.view(new).draft.is_blank());
    app.send(ChatCommand::UndoDelete { conversation: a });
    app.until("back", |s| s.conversations.iter().any(|row| row.conversation.id == a));
    assert_eq!(app.open_whole(a).len(), 2);
}

#[test]
fn a_missing_project_folder_is_a_clear_error() {
    let app = TestApp::new();
    let id = app.scripted("{\"text\":\"x\"}");
    std::fs::remove_dir_all(app.project_folder()).unwrap();
    let view = app.ask(id, "hello");
    let failure = view.turn.as_ref().unwrap().failure.clone().unwrap();
    assert_eq!(failure.kind, FailureKind::FolderMissing);
    assert!(failure.message.contains("project"));
    app.send(ProjectCommand::Open { path: "/no/such/folder".into() });
    app.until("told", |s| s.notices.iter().any(|notice| notice.body.contains("/no/such/folder")));
}

#[test]
fn editing_an_own_message_replaces_what_followed() {
    let app = TestApp::new();
    let id = app.scripted("{\"echo\":true}");
    app.ask(id, "first heron");
    app.ask(id, "second stork");
    let first = messages(&app.view(id))[0].clone();
    app.send(ChatCommand::EditAndResend { message: first.id, text: "edited crane".into() });
    app.until("cut and asked", |s| s.view(id).is_some_and(|v| v.index.len() == 2 && v.live.is_empty()));
    let view = app.until_idle(id);
    let said = texts(&view);
    assert_eq!(said[0], "edited crane");
    assert!(!said[1].contains("stork") && !said[1].contains("heron"), "{}", said[1]);
    let app = app.restart();
    assert_eq!(app.open_whole(id).len(), 2);
}

#[test]
fn a_crash_leaves_no_context_behind() {
    let app = TestApp::new();
    let left = app.home().join("data").join("context-77.md");
    std::fs::write(&left, "what an agent was told").unwrap();
    let app = app.restart();
    assert!(!left.exists());
    assert!(app.home().join("data").join("tunaflow.db").exists());
}

#[test]
fn a_tour_needs_no_folder_and_no_agent() {
    let app = TestApp::new();
    app.send(ProjectCommand::Tour { engine: EngineId::new("demo") });
    let id = app.until("a conversation", |s| s.focus.is_some()).focus.unwrap();
    let view = app.until_idle(id);
    assert_eq!(view.turn.as_ref().unwrap().state, TurnState::Done);
    assert!(!last(&view).plain_text().is_empty());
    assert_eq!(app.snapshot().projects[0].name, "tour");
}

#[test]
fn asking_again_keeps_the_earlier_answer() {
    let app = TestApp::new();
    let id = app.scripted("{\"text\":\"one\"}\n{\"turn\":true}\n{\"text\":\"two\"}");
    let view = app.ask(id, "q");
    app.send(ChatCommand::Regenerate { message: last(&view).id, engine: None });
    app.until("two answers", |s| s.view(id).is_some_and(|v| v.index.len() == 3 && v.live.is_empty()));
    let said = texts(&app.view(id));
    assert_eq!(said[..2], ["q".to_owned(), "one".to_owned()]);
}

#[test]
fn a_changed_key_is_there_after_a_restart() {
    let app = TestApp::new();
    let mut settings = (*app.snapshot().settings).clone();
    settings.keys.set("archive", vec!["Ctrl+E".into()]);
    settings.keys.set("of_later", vec!["F9".into()]);
    app.send(SettingsCommand::Set(Box::new(settings.clone())));
    app.until("taken", |s| s.settings.keys == settings.keys);
    let app = app.restart();
    let kept = app.until("read", |s| s.settings.keys == settings.keys).settings.clone();
    assert_eq!(kept, settings.into());
}
