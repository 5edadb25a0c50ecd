//! Stopping in the middle, and losing the program in the middle.

use std::time::{Duration, Instant};

use tunaflow::api::command::ChatCommand;
use tunaflow::model::id::ConversationId;
use tunaflow::model::message::MessageState;
use tunaflow::model::turn::{Decision, FailureKind, TurnState};

use super::{Bench, count_in, processes, shown};
use crate::support::app::last;
use crate::support::clis::Engine;

/// Waits until some of a streamed answer is shown.
fn until_streaming(bench: &Bench, id: ConversationId) {
    bench.app.until("a part of the answer", |s| {
        s.view(id).is_some_and(|view| view.live.first().is_some_and(|m| m.plain_text().contains("chunk-3")))
    });
}

fn in_mid_stream(bench: &Bench, id: ConversationId) {
    let engine = bench.engine;
    bench.app.begin(id, "STREAM:400:50");
    until_streaming(bench, id);
    let asked = Instant::now();
    bench.app.send(ChatCommand::Stop { conversation: id });
    let view = bench.app.until_idle(id);
    assert!(asked.elapsed() < Duration::from_secs(4), "{engine:?} took {:?}", asked.elapsed());
    assert_eq!(view.turn.as_ref().unwrap().state, TurnState::Stopped, "{engine:?}: {}", shown(&view));
    let answer = last(&view);
    assert_eq!(answer.state, MessageState::Stopped);
    let text = answer.plain_text();
    assert!(text.starts_with("chunk-1 chunk-2 chunk-3") && !text.contains("chunk-400"), "{engine:?}: {text}");
    assert_eq!(bench.said(id, "---\nSAY:after the stop"), "after the stop", "{engine:?}");
}

fn in_mid_tool(bench: &Bench, id: ConversationId) {
    let engine = bench.engine;
    // A word nothing else on this machine has in its arguments.
    let marker = format!("31415.{}{}", engine as usize, std::process::id());
    bench.app.begin(id, &format!("---\nSHELL:tail -s {marker} -f /dev/null"));
    let ask = bench.until_ask(id);
    bench.answer(&ask, Decision::AllowOnce);
    bench.app.poll("the running tool", Duration::from_secs(20), || {
        processes::with_argument(&marker)
            .iter()
            .any(|process| process.args[0].ends_with("tail"))
            .then_some(())
    });
    bench.app.send(ChatCommand::Stop { conversation: id });
    let view = bench.app.until_idle(id);
    assert_eq!(view.turn.as_ref().unwrap().state, TurnState::Stopped, "{engine:?}: {}", shown(&view));
    bench.app.poll("the end of all the tool's processes", Duration::from_secs(5), || {
        processes::with_argument(&marker).is_empty().then_some(())
    });
    assert_eq!(bench.said(id, "---\nSAY:after the tool"), "after the tool", "{engine:?}");
}

/// The program is killed behind our back: the turn says so, the next one starts it again and loses nothing.
fn crash(bench: &Bench, id: ConversationId) {
    let engine = bench.engine;
    bench.app.begin(id, "---\nosprey-one STREAM:400:50");
    until_streaming(bench, id);
    let program = bench.running_program();
    program.kill();
    let view = bench.app.until_idle(id);
    let failure =
        view.turn.as_ref().unwrap().failure.clone().unwrap_or_else(|| panic!("{engine:?}: {}", shown(&view)));
    assert_eq!(failure.kind, FailureKind::Crashed, "{engine:?}: {failure:?}");
    assert!(failure.message.contains("signal 9"), "{engine:?}: {failure:?}");
    assert!(failure.detail.contains(engine.program()), "{engine:?}: {failure:?}");
    assert!(last(&view).plain_text().contains("chunk-3"), "the part that came is kept");

    assert_eq!(bench.said(id, "---\nSAY:alive again"), "alive again", "{engine:?}");
    let pids: Vec<i32> = bench.programs().iter().map(|process| process.pid).collect();
    assert!(!pids.contains(&program.pid) && pids.len() == 1, "{engine:?}: {pids:?}");
    let request = bench.last_request();
    // What the program had not put away in its own session is told again by us, and nothing is told twice.
    for words in ["after the tool", "osprey-one"] {
        assert!(count_in(&request, words) >= 1, "{engine:?}: {words} was lost");
    }
}

fn stops(engine: Engine) {
    let Some(bench) = Bench::start(engine) else { return };
    let id = bench.conversation();
    in_mid_stream(&bench, id);
    in_mid_tool(&bench, id);
    crash(&bench, id);
    let home = bench.app.home().to_path_buf();
    drop(bench);
    assert!(processes::of_home(&home).is_empty(), "{engine:?}: {:?}", processes::of_home(&home));
}

#[test]
fn stop_claude() {
    stops(Engine::Claude);
}

#[test]
fn stop_codex() {
    stops(Engine::Codex);
}

#[test]
fn stop_gemini() {
    stops(Engine::Gemini);
}

#[test]
fn stop_opencode() {
    stops(Engine::OpenCode);
}
