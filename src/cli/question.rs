//! An agent's question, as a person at a terminal reads it.

use crate::api::snapshot::AskRow;
use crate::cli::front::Front;
use crate::model::visible::visible;

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

/// Who asks for what, exactly; control characters and those that reorder what is read are shown and not obeyed.
pub fn question(asked: &AskRow) -> String {
    let request = &asked.request;
    let mut lines = vec![format!("\n{} asks: {}", asked.agent, request.tool)];
    lines.extend(request.folder.as_ref().map(|folder| format!("  folder: {folder}")));
    lines.extend(request.reason.as_ref().map(|reason| format!("  reason: {reason}")));
    lines.extend(request.command.as_ref().map(|command| format!("  command: {command}")));
    lines.extend(request.paths.iter().map(|path| format!("  file: {path}")));
    lines.extend(request.diff.clone());
    let shown = lines.join("\n");
    visible(&shown).into_owned() + "\nAllow this once? [y/N] "
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_question_is_hidden() {
        for (text, expected) in [
            ("rm -rf 한글 👋\n\tx", "rm -rf 한글 👋\n\tx"),
            ("a\u{1b}[2Jb\rc", "a\\u{1b}[2Jb\\rc"),
            ("ls \u{202e}fr- mr", "ls \\u{202e}fr- mr"),
            ("r\u{200b}m", "r\\u{200b}m"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }
}
