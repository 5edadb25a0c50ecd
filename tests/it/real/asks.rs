//! Questions: nothing is written or run before the user saw exactly what it is.

use tunaflow::model::id::ConversationId;
use tunaflow::model::message::{ItemBody, PermissionOutcome, ToolState};
use tunaflow::model::turn::{Decision, PermissionAction, PermissionRequest, TurnState};

use super::{Bench, count_in, in_project, shown};
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
    assert_eq!(
        answer.items.iter().filter(|item| is_denial(&item.body)).count(),
        1,
        "{engine:?}: {}",
        shown(&view)
    );
    let tools: Vec<ToolState> = answer
        .items
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::Tool(call) => Some(call.state),
            _ => None,
        })
        .collect();
    assert_eq!(tools, [ToolState::Denied], "{engine:?}: {}", shown(&view));
    let heard = bench.server.turns().iter().any(|request| count_in(request, "not this file") > 0);
    match engine {
        // The comment is the tool's result.
        Engine::Claude => {
            assert!(heard && answer.plain_text().contains("The write was denied."), "{}", shown(&view));
        }
        // The comment follows as the user's word, so the model answers that.
        Engine::Codex => assert!(heard, "{}", shown(&view)),
        // The protocol has no place for a comment.
        Engine::Gemini => {
            assert!(!heard && answer.plain_text().contains("The write was denied."), "{}", shown(&view));
        }
        // By its protocol a rejection ends the turn, so the model is not asked again.
        Engine::OpenCode => assert!(!heard, "{}", shown(&view)),
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
    let is_allowed = |body: &ItemBody| {
        matches!(body, ItemBody::Permission { outcome: Some(PermissionOutcome::AllowedOnce), .. })
    };
    assert!(last(&view).items.iter().any(|item| is_allowed(&item.body)), "{engine:?}: {}", shown(&view));
}

fn command(bench: &Bench, id: ConversationId) {
    let engine = bench.engine;
    // Longer than any title, with blanks that count.
    let line = format!("printf '%s 한글\\n' \"a  b\" > ran.txt; : {}end", "padding ".repeat(30));
    bench.app.begin(id, &format!("SHELL:{line}"));
    let ask = bench.until_ask(id);
    assert_eq!(ask.request.action, PermissionAction::Run, "{engine:?}: {:?}", ask.request);
    let shown = ask.request.command.clone().unwrap_or_default();
    // Codex tells the whole call of the shell, with the line quoted for it.
    let shown = if engine == Engine::Codex { unquoted(&shown) } else { shown };
    assert_eq!(shown, line, "{engine:?}: {:?}", ask.request);
    let file = in_project(bench, "ran.txt");
    assert!(!file.exists(), "{engine:?} ran before it was allowed");
    bench.answer(&ask, Decision::AllowOnce);
    let view = bench.app.until_idle(id);
    let text = bench.text_of(&view);
    assert!(text.contains("The command was allowed."), "{engine:?}: {text}");
    assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), "a  b 한글\n", "{engine:?}: {text}");
}

/// The line within `/bin/bash -lc "…"`.
fn unquoted(call: &str) -> String {
    let (shell, quoted) = call.split_once(" -lc ").unwrap_or_else(|| panic!("no call of a shell: {call}"));
    assert!(shell.ends_with("sh"), "{call}");
    let line = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    line.unwrap_or(quoted).replace("\\\"", "\"").replace("\\\\", "\\")
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
