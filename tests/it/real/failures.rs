//! Failures of the provider, told apart as far as the command line tells them apart.

use std::time::{Duration, Instant};

use tunaflow::api::command::SettingsCommand;
use tunaflow::model::id::ConversationId;
use tunaflow::model::turn::{FailureKind, TurnFailure, TurnState};

use super::{Bench, shown};
use crate::support::clis::Engine;

/// Longest time until a failure must be shown.
const TOLD_WITHIN: Duration = Duration::from_secs(60);

fn fails(bench: &Bench, id: ConversationId, prompt: &str) -> TurnFailure {
    let started = Instant::now();
    let view = bench.app.ask(id, prompt);
    let engine = bench.engine;
    assert_eq!(view.turn.as_ref().unwrap().state, TurnState::Failed, "{engine:?}: {}", shown(&view));
    assert!(started.elapsed() < TOLD_WITHIN, "{engine:?} took {:?} for {prompt}", started.elapsed());
    let failure = view.turn.as_ref().unwrap().failure.clone().unwrap();
    eprintln!(
        "{engine:?} {prompt:?}: {:?} after {:.1?}, {} requests: {}",
        failure.kind,
        started.elapsed(),
        bench.requests_with(prompt),
        failure.message
    );
    assert!(!failure.message.is_empty() && !failure.hint.is_empty(), "{engine:?}: {failure:?}");
    failure
}

fn failures(engine: Engine) {
    let Some(bench) = Bench::start(engine) else { return };
    let id = bench.conversation();
    let limited = fails(&bench, id, "STATUS:429");
    let wanted = match engine {
        // The provider's words for 429 are "You exceeded your current quota", which is what we tell.
        Engine::Gemini => FailureKind::PlanLimit,
        _ => FailureKind::RateLimited,
    };
    assert_eq!(limited.kind, wanted, "{engine:?}: {limited:?}");
    assert!(bench.requests_with("STATUS:429") <= 8, "{engine:?}: {}", bench.requests_with("STATUS:429"));

    let refused = fails(&bench, id, "---\nSTATUS:401");
    assert_eq!(refused.kind, FailureKind::NotLoggedIn, "{engine:?}: {refused:?}");
    assert!(bench.requests_with("STATUS:401") <= 6, "{engine:?}: {}", bench.requests_with("STATUS:401"));

    assert_eq!(bench.said(id, "---\nSAY:all is well"), "all is well", "{engine:?}");
    if engine == Engine::OpenCode {
        silence(&bench, id);
    }
}

/// OpenCode tries an overloaded or a broken answer again for ever, and says nothing.
fn silence(bench: &Bench, id: ConversationId) {
    let mut settings = (*bench.app.snapshot().settings).clone();
    settings.turn_idle_timeout_secs = 10;
    bench.app.send(SettingsCommand::Set(Box::new(settings)));
    bench.app.until("a short patience", |s| s.settings.turn_idle_timeout_secs == 10);
    for prompt in ["---\nSTATUS:529", "---\nCUT"] {
        let failure = fails(bench, id, prompt);
        assert_eq!(failure.kind, FailureKind::TimedOut, "{failure:?}");
        assert!(failure.message.contains("10 s"), "{failure:?}");
    }
    assert_eq!(bench.said(id, "---\nSAY:all is well again"), "all is well again");
}

#[test]
fn failures_of_claude() {
    failures(Engine::Claude);
}

#[test]
fn failures_of_codex() {
    failures(Engine::Codex);
}

#[test]
fn failures_of_gemini() {
    failures(Engine::Gemini);
}

#[test]
fn failures_of_opencode() {
    failures(Engine::OpenCode);
}
