//! What the programs see of our environment, and finding them.

use tunaflow::api::command::EngineCommand;
use tunaflow::model::engine::{Availability, EngineId};
use tunaflow::model::turn::{FailureKind, TurnState};

use super::{Bench, KEY_VARIABLES, processes, shown};
use crate::support::clis::Engine;

/// The key variable by which the engine is billed, where it has one.
fn own_key(engine: Engine) -> Option<&'static str> {
    match engine {
        Engine::Claude => Some("ANTHROPIC_API_KEY"),
        Engine::Codex => Some("OPENAI_API_KEY"),
        Engine::Gemini => Some("GEMINI_API_KEY"),
        Engine::OpenCode => None,
    }
}

/// With a subscription no key reaches anything we start; with metered billing the engine's own do.
fn keys(engine: Engine) {
    let Some(bench) = Bench::with_subscription(engine) else { return };
    let id = bench.conversation();
    bench.app.begin(id, "SLOWSTART:500 first");
    let program = bench.running_program();
    let home = format!("HOME={}", bench.app.home().display());
    for process in processes::of_home(bench.app.home()) {
        for name in KEY_VARIABLES {
            assert!(!process.has_variable(name), "{engine:?}: {name} reached {:?}", process.args);
        }
        for name in ["PATH", "TMPDIR", "LANG"] {
            assert!(process.has_variable(name), "{engine:?}: {name} did not reach {:?}", process.args);
        }
    }
    assert!(program.env.contains(&home));
    let view = bench.app.until_idle(id);
    let Some(own_key) = own_key(engine) else {
        assert_eq!(view.turn.as_ref().unwrap().state, TurnState::Done, "{}", shown(&view));
        return;
    };
    let failure = view.turn.as_ref().unwrap().failure.clone();
    let failure = failure.unwrap_or_else(|| panic!("{engine:?}: {}", shown(&view)));
    assert_eq!(failure.kind, FailureKind::NotLoggedIn, "{engine:?}: {failure:?}");

    bench.bill_by_key();
    let text = bench.said(id, "second");
    assert!(text.contains("Hello from the model server."), "{engine:?}: {text}");
    // A program may write over the place its environment is read from; our guard before it has the same one.
    let started = processes::of_home(bench.app.home());
    let snapshot = bench.app.snapshot();
    let row = snapshot.engines.iter().find(|row| row.info.id.as_str() == engine.program()).unwrap();
    assert!(row.info.key_variables.iter().any(|known| known == own_key), "{:?}", row.info);
    for name in KEY_VARIABLES {
        let may_have = row.info.key_variables.iter().any(|known| known == name);
        assert_eq!(started.iter().any(|process| process.has_variable(name)), may_have, "{engine:?}: {name}");
    }
}

#[test]
fn keys_of_claude() {
    keys(Engine::Claude);
}

#[test]
fn keys_of_codex() {
    keys(Engine::Codex);
}

#[test]
fn keys_of_gemini() {
    keys(Engine::Gemini);
}

#[test]
fn keys_of_opencode() {
    keys(Engine::OpenCode);
}

/// All four are found on the search path and tell their version.
#[test]
fn all_are_found() {
    if !Engine::ALL.into_iter().all(crate::support::clis::is_installed) {
        return;
    }
    let Some(bench) = Bench::with_subscription(Engine::Claude) else { return };
    bench.app.send(EngineCommand::Rediscover);
    let ids = Engine::ALL.map(|engine| EngineId::new(engine.program()));
    let snapshot = bench.app.until("every program found", |s| {
        let row = |id: &EngineId| s.engines.iter().find(|row| row.info.id == *id);
        ids.iter().all(|id| row(id).is_some_and(|row| row.status.availability != Availability::Checking))
    });
    for row in snapshot.engines.iter().filter(|row| ids.contains(&row.info.id)) {
        assert_eq!(row.status.found_by.as_deref(), Some("PATH"), "{:?}", row.status);
        let version = row.status.version.clone().unwrap_or_default();
        assert!(version.split('.').count() >= 3, "{:?}", row.status);
    }
}
