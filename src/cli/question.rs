//! An agent's question, as a person at a terminal reads it.

use crate::api::snapshot::AskRow;
use crate::cli::front::Front;

/// What an agent reads when nobody can be asked.
pub const NOBODY: &str =
    "This is a headless run: nobody can be asked. Go on without it, or say what you need and end.";

/// Waits until the question is open no more.
pub async fn gone(front: &mut Front, asked: &AskRow) {
    while let Some(snapshot) = front.app.changed().await {
        if !snapshot.asks.iter().any(|open| open.turn == asked.turn && open.request.ask == asked.request.ask)
        {
            return;
        }
    }
}

/// Who asks for what, exactly; control characters are shown and not obeyed.
pub fn question(asked: &AskRow) -> String {
    let request = &asked.request;
    let mut lines = vec![format!("\n{} asks: {}", asked.agent, request.tool)];
    lines.extend(request.folder.as_ref().map(|folder| format!("  folder: {folder}")));
    lines.extend(request.reason.as_ref().map(|reason| format!("  reason: {reason}")));
    lines.extend(request.command.as_ref().map(|command| format!("  command: {command}")));
    lines.extend(request.paths.iter().map(|path| format!("  file: {path}")));
    lines.extend(request.diff.clone());
    let shown = lines.join("\n");
    let mut text = String::new();
    for c in shown.chars() {
        if c.is_control() && c != '\n' && c != '\t' {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    text.push_str("\nAllow this once? [y/N] ");
    text
}
