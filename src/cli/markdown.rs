//! Messages as text and as Markdown. Pure.
//!
//! A fence is always longer than any within, and a fence that a message leaves open is closed, so that no
//! message swallows the next.

use crate::cli::args::Parts;
use crate::cli::clock::utc;
use crate::cli::out::one_line;
use crate::cli::words::state_word;
use crate::model::message::{
    Author, ItemBody, Message, MessageState, PermissionOutcome, PlanEntryState, ToolCall, ToolState,
};
use crate::model::turn::PermissionRequest;

/// The head of an exported conversation.
pub fn title(title: &str) -> String {
    format!("# {}\n", one_line(title, 300))
}

/// One message of an exported conversation, with its own heading.
pub fn message(message: &Message, parts: Parts) -> String {
    let mut text = format!("\n## {} — {}\n", author(&message.author), utc(message.created_ms));
    body(message, parts, &mut text);
    text
}

/// One message as `messages` lists it.
pub fn short(message: &Message, parts: Parts) -> String {
    let mut text = format!(
        "[{}] {} — {} ({})\n",
        message.id,
        author(&message.author),
        utc(message.created_ms),
        state_word(&message.state)
    );
    body(message, parts, &mut text);
    text.push('\n');
    text
}

fn author(author: &Author) -> String {
    match author {
        Author::User => "You".into(),
        Author::System => "tunaflow".into(),
        Author::Agent { model, name, .. } => match model {
            Some(model) => format!("{} ({})", one_line(name, 100), one_line(model, 100)),
            None => one_line(name, 100),
        },
    }
}

fn body(message: &Message, parts: Parts, text: &mut String) {
    for item in &message.items {
        let part = match &item.body {
            ItemBody::Text { text } => closed(text),
            ItemBody::Adopted(card) => closed(&card.markdown()),
            ItemBody::Thinking { text } if parts.thinking => quoted("Thinking", text),
            ItemBody::Tool(call) if parts.tools => tool(call),
            ItemBody::Permission { request, outcome } if parts.tools => permission(request, outcome.as_ref()),
            ItemBody::Plan { entries } if parts.tools => entries
                .iter()
                .map(|entry| {
                    let mark = if entry.state == PlanEntryState::Done { 'x' } else { ' ' };
                    format!("- [{mark}] {}\n", one_line(&entry.text, 1_000))
                })
                .collect(),
            ItemBody::Notice { text, .. } => quoted("Notice", text),
            ItemBody::Thinking { .. }
            | ItemBody::Tool(_)
            | ItemBody::Permission { .. }
            | ItemBody::Plan { .. } => {
                continue;
            }
        };
        if part.trim().is_empty() {
            continue;
        }
        text.push('\n');
        text.push_str(&part);
        if !part.ends_with('\n') {
            text.push('\n');
        }
    }
    if let Some(end) = ending(&message.state) {
        text.push('\n');
        text.push_str(&end);
    }
}

fn ending(state: &MessageState) -> Option<String> {
    let words = match state {
        MessageState::Complete => return None,
        MessageState::Streaming => "Still being written.".to_owned(),
        MessageState::Stopped => "Stopped here.".to_owned(),
        MessageState::Interrupted => "Interrupted: tunaflow ended while this was written.".to_owned(),
        MessageState::Damaged { why } => format!("This message cannot be read: {why}"),
        MessageState::Failed { failure } => {
            let mut words = format!("Failed: {} {}", failure.message, failure.hint);
            if !failure.detail.is_empty() {
                words.push('\n');
                words.push_str(&failure.detail);
            }
            words
        }
    };
    Some(quoted("", &words))
}

/// Text in a quote, each of its lines.
fn quoted(label: &str, text: &str) -> String {
    let mut quote = String::new();
    if !label.is_empty() {
        quote.push_str(&format!("> *{label}*\n>\n"));
    }
    for line in closed(text).lines() {
        quote.push_str(if line.is_empty() { ">" } else { "> " });
        quote.push_str(line);
        quote.push('\n');
    }
    quote
}

fn tool(call: &ToolCall) -> String {
    let state = match call.state {
        ToolState::Pending => "pending",
        ToolState::Running => "running",
        ToolState::Done => "done",
        ToolState::Failed => "failed",
        ToolState::Denied => "denied",
        ToolState::Stopped => "stopped",
    };
    let exit = call.exit_code.map(|code| format!(", exit code {code}")).unwrap_or_default();
    let mut text = format!("**Tool {}** ({state}{exit})", one_line(&call.name, 100));
    if !call.title.is_empty() {
        text.push(' ');
        text.push_str(&code(&one_line(&call.title, 1_000)));
    }
    text.push('\n');
    for (word, part) in
        [("", &call.input), ("", &call.output), ("diff", call.diff.as_ref().unwrap_or(&String::new()))]
    {
        if !part.trim().is_empty() {
            text.push('\n');
            text.push_str(&fenced(word, part));
        }
    }
    text
}

fn permission(request: &PermissionRequest, outcome: Option<&PermissionOutcome>) -> String {
    let end = match outcome {
        None => "not answered".to_owned(),
        Some(PermissionOutcome::AllowedOnce) => "allowed once".to_owned(),
        Some(PermissionOutcome::Denied { comment }) if comment.is_empty() => "denied".to_owned(),
        Some(PermissionOutcome::Denied { comment }) => format!("denied: {}", one_line(comment, 1_000)),
        Some(PermissionOutcome::Gone) => "gone".to_owned(),
    };
    let what = request.command.clone().unwrap_or_else(|| request.paths.join(", "));
    format!("**Asked for {}** ({end}) {}\n", one_line(&request.tool, 100), code(&one_line(&what, 1_000)))
}

/// Inline code whose back-ticks are longer than any within.
fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_run(text, '`') + 1);
    if ticks.len() == 1 { format!("`{text}`") } else { format!("{ticks} {text} {ticks}") }
}

/// A block whose fence is longer than any within.
fn fenced(word: &str, text: &str) -> String {
    let fence = "`".repeat((longest_run(text, '`') + 1).max(3));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{word}\n{text}{end}{fence}\n")
}

fn longest_run(text: &str, mark: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == mark { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// The text, with a fence that it leaves open closed.
pub fn closed(text: &str) -> String {
    let mut open: Option<(char, usize)> = None;
    for line in text.lines() {
        let Some((mark, length, rest)) = fence_of(line) else { continue };
        open = match open {
            None if mark == '`' && rest.contains('`') => None,
            None => Some((mark, length)),
            Some((kept, least)) if mark == kept && length >= least && rest.trim().is_empty() => None,
            still => still,
        };
    }
    let mut text = text.to_owned();
    if let Some((mark, length)) = open {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.extend(std::iter::repeat_n(mark, length));
        text.push('\n');
    }
    text
}

/// Mark, length and rest of a line that is a fence.
fn fence_of(line: &str) -> Option<(char, usize, &str)> {
    let bare = line.trim_start_matches(' ');
    if line.len() - bare.len() > 3 {
        return None;
    }
    let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = bare.trim_start_matches(mark);
    let length = bare.len() - rest.len();
    (length >= 3).then_some((mark, length, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::engine::EngineId;
    use crate::model::id::{ConversationId, MessageId};
    use crate::model::message::Item;

    const ALL: Parts = Parts { tools: true, thinking: true };

    fn agent(items: Vec<ItemBody>, state: MessageState) -> Message {
        let items =
            items.into_iter().enumerate().map(|(n, body)| Item { key: n.to_string(), body }).collect();
        Message {
            id: MessageId(2),
            conversation: ConversationId(1),
            seq: 2,
            author: Author::Agent {
                engine: EngineId::new("demo"),
                model: Some("tour".into()),
                name: "Demo".into(),
                role: None,
            },
            created_ms: 0,
            state,
            items,
            turn: None,
            duration_ms: None,
            usage: None,
            revision: 0,
            unsaved: false,
        }
    }

    fn text(text: &str) -> ItemBody {
        ItemBody::Text { text: text.into() }
    }

    #[test]
    fn an_open_fence_is_closed_and_a_closed_one_is_left() {
        for (text, expected) in [
            ("plain", "plain"),
            ("```rust\nfn x() {}", "```rust\nfn x() {}\n```\n"),
            ("```\na\n```", "```\na\n```"),
            ("````md\n```\ninner\n```\n", "````md\n```\ninner\n```\n````\n"),
            ("~~~\n```\n", "~~~\n```\n~~~\n"),
            ("    ```\nindented code", "    ```\nindented code"),
            ("```inline``` is no fence", "```inline``` is no fence"),
        ] {
            assert_eq!(closed(text), expected, "{text:?}");
        }
    }

    #[test]
    fn fences_are_longer_than_what_they_hold() {
        for (held, fence) in [("x", "```"), ("```\nx\n```", "````"), ("a ````` b", "``````")] {
            let block = fenced("", held);
            assert!(
                block.starts_with(&format!("{fence}\n")) && block.ends_with(&format!("\n{fence}\n")),
                "{block}"
            );
            assert_eq!(closed(&block), block);
        }
        assert_eq!((code("a"), code("a`b")), ("`a`".into(), "`` a`b ``".into()));
    }

    #[test]
    fn parts_are_left_out_unless_asked_for() {
        let call = ToolCall {
            name: "Bash".into(),
            title: "ls".into(),
            output: "```\nfile".into(),
            exit_code: Some(3),
            state: ToolState::Failed,
            ..ToolCall::default()
        };
        let said = agent(
            vec![ItemBody::Thinking { text: "hm".into() }, ItemBody::Tool(call), text("done")],
            MessageState::Complete,
        );
        assert_eq!(message(&said, Parts::default()), "\n## Demo (tour) — 1970-01-01T00:00:00Z\n\ndone\n");
        let whole = message(&said, ALL);
        for words in
            ["> *Thinking*\n>\n> hm\n", "**Tool Bash** (failed, exit code 3) `ls`", "````\n```\nfile\n````\n"]
        {
            assert!(whole.contains(words), "{whole}");
        }
    }

    #[test]
    fn an_unusual_end_is_told() {
        for (state, words) in [
            (MessageState::Stopped, "> Stopped here."),
            (MessageState::Interrupted, "> Interrupted"),
            (MessageState::Damaged { why: "bad row".into() }, "> This message cannot be read: bad row"),
        ] {
            let whole = message(&agent(vec![text("```\npart")], state), ALL);
            assert!(whole.contains("```\npart\n```\n") && whole.contains(words), "{whole}");
        }
    }
}
