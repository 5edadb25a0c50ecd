//! What is there again after the app ended or died: messages that waited, drafts, and the truth about turns.

use std::time::Duration;

use tunaflow::api::command::{ChatCommand, ProjectCommand};
use tunaflow::api::snapshot::ConversationView;
use tunaflow::model::message::{Author, MessageState};
use tunaflow::model::project::Draft;
use tunaflow::model::turn::TurnState;

use crate::support::app::{TestApp, last, messages};
use crate::support::database;

fn own_words(view: &ConversationView) -> Vec<String> {
    let own = messages(view).into_iter().filter(|message| message.author == Author::User);
    own.map(|message| message.plain_text()).collect()
}

/// Messages sent while the agent was busy are never sent, or sent twice, once the project was switched or the turn
/// was stopped.
#[test]
fn waiting_messages_outlive_a_project_switch_a_stop_and_a_restart() {
    for restart_at in 0..3 {
        let app = TestApp::new();
        let id = app.scripted(
            // The whole context of a later message holds the first one, too: the later ones go before it.
            "{\"turn\":\"second\"}\n{\"text\":\"ok\"}\n{\"turn\":\"third\"}\n{\"text\":\"ok\"}\n{\"turn\":\"fourth\"}\n{\"text\":\"ok\"}\n{\"turn\":\"first\"}\n{\"text\":\"begun\"}\n{\"hang\":true}",
        );
        app.begin(id, "first");
        for text in ["second", "third", "fourth"] {
            app.say(id, text);
        }
        app.until("three wait", |s| s.view(id).is_some_and(|view| view.queue.len() == 3));
        let mut app = if restart_at == 0 { app.restart() } else { app };
        std::fs::create_dir_all(app.home().join("other")).unwrap();
        let other = std::fs::canonicalize(app.home().join("other")).unwrap();
        app.send(ProjectCommand::Open { path: other });
        app.until("another project", |s| s.projects.len() == 2);
        if restart_at == 1 {
            app = app.restart();
        }
        app.send(ChatCommand::Stop { conversation: id });
        if restart_at == 2 {
            app.until("one goes out", |s| s.view(id).is_some_and(|view| view.queue.len() < 3));
            app = app.restart();
        }
        app.send(ChatCommand::Open { conversation: id });
        app.until("all delivered", |s| {
            s.view(id).is_some_and(|view| {
                !view.loading && view.queue.is_empty() && view.live.is_empty() && view.index.len() == 8
            })
        });
        app.open_whole(id);
        assert_eq!(own_words(&app.view(id)), ["first", "second", "third", "fourth"], "restart {restart_at}");
    }
}

/// What was typed and not sent is gone after a crash.
#[test]
fn drafts_outlive_a_crash_with_their_pastes() {
    let app = TestApp::new();
    let a = app.scripted("{\"text\":\"x\"}");
    let draft = Draft { text: "반쯤 쓴 draft".into(), pastes: vec!["line\n".repeat(15_000)] };
    app.send(ChatCommand::SaveDraft { conversation: a, draft: draft.clone() });
    let b = app.scripted("{\"delay_ms\":1500}\n{\"text\":\"y\"}");
    // Drafts are kept at most a second later.
    app.ask(b, "hello");
    let app = app.crash_and_restart();
    for (id, wanted) in [(a, draft), (b, Draft::default())] {
        app.send(ChatCommand::Open { conversation: id });
        app.until("the draft of each", |s| {
            s.view(id).is_some_and(|view| !view.loading && *view.draft == wanted)
        });
    }
}

/// After a crash or an update everything still looks alive, although no process is.
#[test]
fn after_a_crash_every_turn_that_ran_is_interrupted_and_none_looks_alive() {
    let app = TestApp::new();
    // What ended before others began is on disk.
    let done = app.scripted("{\"text\":\"whole\"}");
    app.ask(done, "go");
    let [running, asking, silent] = [
        "{\"text\":\"part\"}\n{\"hang\":true}",
        "{\"ask\":{\"tool\":\"Bash\",\"action\":\"run\",\"command\":\"ls\"}}",
        "{\"hang\":true}",
    ]
    .map(|script| {
        let id = app.scripted(script);
        app.begin(id, "go");
        id
    });
    app.until_state(asking, TurnState::NeedsYou);
    app.until("said", |s| {
        s.view(running).is_some_and(|v| v.live.first().is_some_and(|m| m.plain_text() == "part"))
    });
    // What is shown may not be kept yet; a crash before that leaves nothing to be interrupted.
    let open = "SELECT count(*) FROM turn WHERE ended_ms IS NULL";
    let streamed = "SELECT count(*) FROM message WHERE plain_text = 'part'";
    app.poll("kept on disk", Duration::from_secs(30), || {
        let count = |sql| database::number(app.home(), sql);
        (count(open) == 3 && count(streamed) == 1).then_some(())
    });
    let app = app.crash_and_restart();
    let snapshot = app.snapshot();
    assert_eq!((snapshot.running_turns, snapshot.asks.len()), (0, 0));
    for id in [running, asking, silent, done] {
        let wanted = if id == done { TurnState::Done } else { TurnState::Interrupted };
        let row = snapshot.conversations.iter().find(|row| row.conversation.id == id).unwrap();
        assert_eq!((row.state, row.asks), (Some(wanted), 0));
        app.open_whole(id);
        let view = app.view(id);
        assert_eq!(view.turn.as_ref().unwrap().state, wanted);
        let state = if id == done { MessageState::Complete } else { MessageState::Interrupted };
        assert_eq!(last(&view).state, state);
        assert!(view.asks.is_empty() && view.live.is_empty());
    }
    // Each can go on.
    let turn = app.view(silent).turn.as_ref().unwrap().turn;
    app.send(ChatCommand::Continue { turn });
    app.until("goes on", |s| s.view(silent).is_some_and(|view| view.live.len() == 1));
}
