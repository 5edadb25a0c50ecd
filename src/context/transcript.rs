//! Messages as text for an agent to read. Pure.
//!
//! Reasoning never leaves here, tool results are plain text, and fences are closed, so that one message
//! cannot swallow the next.

use crate::context::fence::{Fences, Line, closed, fenced};
use crate::context::trim::{chars, grouped, keep_head_and_tail, prefix};
use crate::model::message::{
    Author, Item, ItemBody, Message, MessageState, PermissionOutcome, ToolCall, ToolState,
};

/// Fenced blocks of more lines than this become one line in older messages.
pub const LONG_FENCE_LINES: usize = 30;

/// Most of one tool result shown in a recent message.
const TOOL_OUTPUT_CHARS: usize = 1_500;

/// How much of a message is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Words, and the results of tools.
    Results,
    /// Words; tools as one line each.
    Words,
    /// Words without long code blocks; tools as one line each. The user's words stay whole all the same.
    Pruned,
}

/// Who is named above a message: `User`, `Architect Claude · claude · Architect`.
pub fn label(author: &Author) -> String {
    match author {
        Author::User => "User".to_owned(),
        Author::System => "tunaflow".to_owned(),
        Author::Agent { engine, name, role, .. } => {
            let role = role.as_deref().map(one_line).filter(|role| !role.is_empty());
            let role = role.map(|role| format!(" · {role}")).unwrap_or_default();
            format!("{} · {engine}{role}", one_line(name))
        }
    }
}

/// The shown name of an agent; `None` for the user and the app.
pub fn speaker(author: &Author) -> Option<&str> {
    match author {
        Author::User | Author::System => None,
        Author::Agent { name, .. } => Some(name),
    }
}

/// The message as text; empty when there is nothing to tell.
pub fn body(message: &Message, detail: Detail) -> String {
    let from_user = message.author == Author::User;
    let mut parts: Vec<String> = Vec::new();
    for item in &message.items {
        parts.extend(item_text(item, detail, from_user));
    }
    if let Some(note) = state_note(&message.state) {
        parts.push(note);
    }
    parts.join("\n\n")
}

fn item_text(item: &Item, detail: Detail, from_user: bool) -> Option<String> {
    match &item.body {
        ItemBody::Text { text } if text.trim().is_empty() => None,
        ItemBody::Text { text } => {
            let text = closed(text.trim_end());
            if detail == Detail::Pruned && !from_user {
                return Some(without_long_fences(&text));
            }
            Some(text.into_owned())
        }
        ItemBody::Adopted(card) => Some(closed(&card.markdown()).into_owned()),
        ItemBody::Tool(call) => Some(tool_text(call, detail)),
        ItemBody::Permission { request, outcome: Some(PermissionOutcome::Denied { comment }) } => {
            let comment = one_line(comment);
            let colon = if comment.is_empty() { "" } else { ": " };
            Some(format!("[the user did not allow {}{colon}{comment}]", one_line(&request.tool)))
        }
        ItemBody::Thinking { .. }
        | ItemBody::Plan { .. }
        | ItemBody::Notice { .. }
        | ItemBody::Permission { .. } => None,
    }
}

fn tool_text(call: &ToolCall, detail: Detail) -> String {
    let mut line = format!("[{}", one_line(&call.name));
    if !call.title.trim().is_empty() {
        line.push_str(": ");
        line.push_str(&one_line(&call.title));
    }
    match (call.state, call.exit_code) {
        (ToolState::Denied, _) => line.push_str(" — not allowed"),
        (ToolState::Stopped, _) => line.push_str(" — stopped"),
        (_, Some(code)) if code != 0 => line.push_str(&format!(" — exit code {code}")),
        (ToolState::Failed, _) => line.push_str(" — failed"),
        (ToolState::Pending | ToolState::Running | ToolState::Done, _) => {}
    }
    if !call.changed_files.is_empty() {
        line.push_str(&format!(" — {} files changed", call.changed_files.len()));
    }
    if call.output.trim().is_empty() {
        line.push(']');
        return line;
    }
    if detail == Detail::Results {
        let output = keep_head_and_tail(&fenced(&call.output), TOOL_OUTPUT_CHARS).text;
        return format!("{line}]\n{output}");
    }
    let lines = call.output.lines().count();
    let noun = if lines == 1 { "line" } else { "lines" };
    line.push_str(&format!(
        " — output: {} {noun}, {} characters]",
        grouped(lines),
        grouped(chars(&call.output))
    ));
    line
}

fn state_note(state: &MessageState) -> Option<String> {
    match state {
        MessageState::Complete | MessageState::Damaged { .. } => None,
        MessageState::Streaming => Some("[still answering]".to_owned()),
        MessageState::Stopped => Some("[stopped by the user here]".to_owned()),
        MessageState::Failed { failure } => Some(format!("[failed here: {}]", one_line(&failure.message))),
        MessageState::Interrupted => Some("[broken off here: tunaflow ended]".to_owned()),
    }
}

/// Fenced blocks over [`LONG_FENCE_LINES`] as one line that names what was there.
fn without_long_fences(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fences = Fences::default();
    let mut block = String::new();
    let mut info = String::new();
    for line in text.split_inclusive('\n') {
        match fences.take(line) {
            Line::Outside => out.push_str(line),
            Line::Opens => {
                block = line.to_owned();
                info = line.trim().trim_start_matches(['`', '~']).trim().to_owned();
            }
            Line::Inside => block.push_str(line),
            Line::Closes => {
                block.push_str(line);
                let lines = block.lines().count().saturating_sub(2);
                if lines > LONG_FENCE_LINES {
                    let what = if info.is_empty() { "code".to_owned() } else { format!("code, {info}") };
                    let size = grouped(chars(&block));
                    out.push_str(&format!("[{what}: {lines} lines, {size} characters]"));
                    out.push_str(if line.ends_with('\n') { "\n" } else { "" });
                } else {
                    out.push_str(&block);
                }
                block.clear();
            }
        }
    }
    out.push_str(&block);
    out
}

/// `text` in one line of at most 200 characters.
pub fn one_line(text: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if length > 0 {
            out.push(' ');
            length += 1;
        }
        let word_chars = chars(word);
        if length + word_chars > 200 {
            out.push_str(prefix(word, 199_usize.saturating_sub(length)));
            out.push('…');
            break;
        }
        out.push_str(word);
        length += word_chars;
    }
    out
}

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;
