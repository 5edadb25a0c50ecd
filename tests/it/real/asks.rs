//! Questions: nothing is written or run before the user saw exactly what it is.

use tunaflow::model::id::ConversationId;
use tunaflow::model::message::{ItemBody, PermissionOutcome, ToolState};
use tunaflow::model::turn::{Decision, PermissionAction, PermissionRequest, TurnState};

use super::{Bench, in_project, shown};
use crate::support::app::last;
use crate::support::clis::Engine;
use crate::support::model_server::WRITTEN_TEXT;

/// The question of a file change names the file and holds its content.
fn names_the_file(bench: &Bench, request: &PermissionRequest, path: &std::path::Path) {
    let engine = bench.engine;
    assert_eq!(request.action, PermissionAction::Edit, "{engine:?}: {request:?}");
    assert_eq!(request.paths, [path.to_string_lossy()], "{engine:?}: {request:?}");
    let diff = request.diff.clone().unwrap_or_default();
    assert!(diff.contains(WRITTEN_TEXT), "{engine:?}: {request:?}");
}

fn denied(bench: &Bench, id: ConversationId) {
    let engine = bench.engine;
    let file = in_project(bench, "denied.txt");
    bench.app.begin(id, &format!("WRITE:{}", file.display()));
    let ask = bench.until_ask(id);
    names_the_file(bench, &ask.request, &file);
    assert!(!file.exists(), "{engine:?} wrote before it was allowed");
    bench.answer(&ask, Decision::Deny { comment: "not this file".to_owned() });
    let view = bench.app.until_idle(id);
    assert!(!file.exists(), "{engine:?} wrote what was denied");
    assert_eq!(view.turn.as_ref().unwrap().state, TurnState::Done, "{engine:?}: {}", shown(&view));
    let answer = last(&view);
    let is_denial = |body: &ItemBody| {
        matches!(body, ItemBody::Permission { outcome: Some(PermissionOutcome::Denied { comment }), .. }
            if comment == "not this file")
    };
    assert_eq!(answer.items.iter().filter(|item| is_denial(&item.body)).count(), 1, "{engine:?}: {}", shown(&view));
    let tools: Vec<ToolState> = answer
        .items
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::Tool(call) => Some(call.state),
            _ => None,
        })
        .collect();
    assert_eq!(tools, [ToolState::Denied], "{engine:?}: {}", shown(&view));
    match engine {
        // By its protocol a rejection ends OpenCode's turn, so the model is not asked again.
        Engine::OpenCode => {}
        _ => assert!(answer.plain_text().contains("The write was denied."), "{engine:?}: {}", shown(&view)),
    }
}

fn allowed(bench: &Bench, id: ConversationId) {
    let engine = bench.engine;
    let file = in_project(bench, "allowed.txt");
    bench.app.begin(id, &format!("WRITE:{}", file.display()));
    let ask = bench.until_ask(id);
    names_the_file(bench, &ask.request, &file);
    bench.answer(&ask, Decision::AllowOnce);
    let view = bench.app.until_idle(id);
    let text = bench.text_of(&view);
    assert!(text.contains("The write was allowed."), "{engine:?}: {text}");
    assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), format!("{WRITTEN_TEXT}\n"), "{engine:?}");
    let is_allowed =
        |body: &ItemBody| matches!(body, ItemBody::Permission { outcome: Some(PermissionOutcome::AllowedOnce), .. });
    assert!(last(&view).items.iter().any(|item| is_allowed(&item.body)), "{engine:?}: {}", shown(&view));
}

fn command(bench: &Bench, id: ConversationId) {
    let engine = bench.engine;
    let line = "printf '%s 한글\\n' \"a  b\" > ran.txt";
    bench.app.begin(id, &format!("SHELL:{line}"));
    let ask = bench.until_ask(id);
    assert_eq!(ask.request.action, PermissionAction::Run, "{engine:?}: {:?}", ask.request);
    assert_eq!(ask.request.command.as_deref(), Some(line), "{engine:?}: {:?}", ask.request);
    let file = in_project(bench, "ran.txt");
    assert!(!file.exists(), "{engine:?} ran before it was allowed");
    bench.answer(&ask, Decision::AllowOnce);
    let view = bench.app.until_idle(id);
    let text = bench.text_of(&view);
    assert!(text.contains("The command was allowed."), "{engine:?}: {text}");
    assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), "a  b 한글\n", "{engine:?}: {text}");
}

fn asks(engine: Engine) {
    let Some(bench) = Bench::start(engine) else { return };
    let id = bench.conversation();
    denied(&bench, id);
    allowed(&bench, id);
    command(&bench, id);
}

#[test]
fn claude_asks() {
    asks(Engine::Claude);
}

#[test]
fn codex_asks() {
    asks(Engine::Codex);
}

#[test]
fn gemini_asks() {
    asks(Engine::Gemini);
}

#[test]
fn opencode_asks() {
    asks(Engine::OpenCode);
}
