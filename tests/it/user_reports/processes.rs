//! The processes of agents: stopping, dying, and what they leave behind.

use std::time::{Duration, Instant};

use tunaflow::api::command::ChatCommand;
use tunaflow::model::message::MessageState;
use tunaflow::model::turn::{FailureKind, TurnState};

use super::fake::{answered, app_with, app_with_claude, claude, claude_after, failure, running, starts};
use crate::real::processes::programs;
use crate::support::app::{TestApp, last};

/// Long enough to stay, and seen by nobody.
const GRANDCHILDREN: &str = "sleep 600 &\nsetsid sh -c 'trap \"\" TERM INT HUP; while :; do sleep 1; done' &";

/// Waits until so many processes of this home run.
fn until_running(app: &TestApp, wanted: impl Fn(usize) -> bool) {
    app.poll("as many processes as wanted", Duration::from_secs(10), || {
        wanted(running(app.home()).len()).then_some(())
    });
}

/// Children of the agent outlive the closed conversation and the closed app, and burn the machine.
#[test]
fn nothing_an_agent_started_outlives_its_conversation_or_the_app() {
    for by_quitting in [false, true] {
        let app = app_with_claude(&format!("{GRANDCHILDREN}\nanswer ok"));
        let id = app.conversation("claude");
        answered(&app.ask(id, "start something"));
        // Guard, agent, sleeper, and the deaf one with its own.
        until_running(&app, |count| count >= 4);
        let started = Instant::now();
        if by_quitting {
            let home = app.stop();
            assert!(running(home.path()).is_empty(), "{:?}", running(home.path()));
        } else {
            app.send(ChatCommand::Delete { conversation: id });
            until_running(&app, |count| count == 0);
        }
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }
}

/// Quitting in the middle of a turn leaves nothing behind either.
#[test]
fn nothing_is_left_when_the_app_ends_in_mid_turn() {
    let app = app_with_claude(&format!("{GRANDCHILDREN}\ninit; text m1 part; sleep 600"));
    let id = app.conversation("claude");
    app.begin(id, "go");
    app.until("part", |s| {
        s.view(id).is_some_and(|v| v.live.first().is_some_and(|m| m.plain_text() == "part"))
    });
    until_running(&app, |count| count >= 4);
    let home = app.stop();
    assert!(running(home.path()).is_empty(), "{:?}", running(home.path()));
}

/// Stop says "stopped" while the agent, deaf to every signal, goes on working and talking.
#[test]
fn a_deaf_agent_is_stopped_within_five_seconds_and_says_nothing_more() {
    let turn = format!(
        "init; text m1 'kept part'; {GRANDCHILDREN}\nn=2; while :; do text m$n 'late words'; n=$((n + 1)); sleep 0.02; done"
    );
    let app = app_with("claude", &claude_after("trap '' TERM INT HUP", &turn));
    let id = app.conversation("claude");
    app.begin(id, "work");
    app.until("part", |s| {
        s.view(id).is_some_and(|v| v.live.first().is_some_and(|m| m.plain_text().contains("late words")))
    });
    let started = Instant::now();
    app.send(ChatCommand::Stop { conversation: id });
    app.until("stopping at once", |s| {
        s.view(id).is_some_and(|v| {
            v.turn.as_ref().is_some_and(|turn| matches!(turn.state, TurnState::Stopping | TurnState::Stopped))
        })
    });
    assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
    let at_stop = last_text(&app.view(id));
    let view = app.until_idle(id);
    until_running(&app, |count| count == 0);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let answer = last(&view);
    assert_eq!(answer.state, MessageState::Stopped);
    assert!(answer.plain_text().starts_with("kept part"));
    // Lines that were on their way when the stop was seen may still come; two seconds of them may not.
    let later = answer.plain_text().matches("late words").count() - at_stop.matches("late words").count();
    assert!(later <= 5, "{later} pieces after the stop");
}

fn last_text(view: &tunaflow::api::snapshot::ConversationView) -> String {
    view.live.first().map_or_else(|| last(view).plain_text(), |answer| answer.plain_text())
}

/// The agent dies and its conversation shows "working" for ever, also after a restart.
#[test]
fn an_agent_killed_in_mid_turn_fails_the_turn_and_the_next_one_starts_anew() {
    let app = app_with_claude(
        "case \"$line\" in *'once more'*) answer fine ;; *'work on'*) init; text m1 half; sleep 600 ;; *) answer fine ;; esac",
    );
    let id = app.conversation("claude");
    answered(&app.ask(id, "hello"));
    app.begin(id, "work on");
    app.until("half", |s| {
        s.view(id).is_some_and(|v| v.live.first().is_some_and(|m| m.plain_text() == "half"))
    });
    let program = programs(app.home());
    assert_eq!(program.len(), 1, "{program:?}");
    program[0].kill();
    let view = app.until_idle(id);
    let told = failure(&view);
    assert_eq!(told.kind, FailureKind::Crashed);
    assert!(told.message.contains("signal 9") && !told.hint.is_empty(), "{told:?}");
    assert_eq!(last(&view).plain_text(), "half");
    let view = app.ask(id, "once more");
    assert_eq!(answered(&view), "fine");
    let started = starts(&app);
    assert_eq!(started.len(), 2);
    assert_eq!(started[1].resumed, started[0].session, "in the same session");
    let app = app.restart();
    app.open_whole(id);
    assert!(app.snapshot().conversations.iter().all(|row| row.state != Some(TurnState::Running)));
    assert_eq!(app.snapshot().running_turns, 0);
}

/// The agent ends in order between two turns, as idle ones do; the next message must not fail for it.
#[test]
fn an_agent_that_ended_between_turns_is_started_again() {
    let app = app_with("claude", &claude("answer \"turn $turn\"; exit 0"));
    let id = app.conversation("claude");
    for _ in 0..3 {
        assert_eq!(answered(&app.ask(id, "hello")), "turn 1");
    }
    let started = starts(&app);
    assert_eq!(started.len(), 3);
    assert!(started[1..].iter().all(|start| start.resumed == started[0].session), "{started:?}");
}

/// Messages that waited go out the moment a turn ends; each one would start another process for the same session.
#[test]
fn messages_that_waited_are_served_by_the_same_process() {
    let app = app_with_claude("init; text \"m$turn\" \"turn $turn\"; sleep 0.05; result");
    let id = app.conversation("claude");
    app.begin(id, "message 0");
    for number in 1..20 {
        app.say(id, &format!("message {number}"));
    }
    app.until("all answered", |s| {
        s.view(id).is_some_and(|view| view.queue.is_empty() && view.live.is_empty() && view.index.len() == 40)
    });
    assert_eq!(answered(&app.until_idle(id)), "turn 20");
    assert_eq!(starts(&app).len(), 1, "{:?}", starts(&app));
}
