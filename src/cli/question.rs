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
    visible(&shown) + "\nAllow this once? [y/N] "
}

fn visible(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        if (c.is_control() && c != '\n' && c != '\t') || reorders(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Characters that make a command look like another one: they turn the direction of reading, or have no width.
fn reorders(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
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
