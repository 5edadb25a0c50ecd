//! Messages as text for the clipboard.

use crate::api::snapshot::ConversationView;
use crate::model::id::MessageId;
use crate::model::message::{Author, Item, ItemBody, Message, MessageState};

/// Who a message is from.
#[must_use]
pub fn author(message: &Message) -> &str {
    match &message.author {
        Author::User => "You",
        Author::Agent { name, .. } => name,
        Author::System => "tunaflow",
    }
}

/// The whole message as Markdown, tool calls as lines and fences.
#[must_use]
pub fn markdown(message: &Message) -> String {
    let parts: Vec<String> = message.items.iter().filter_map(item).collect();
    parts.join("\n\n")
}

fn item(item: &Item) -> Option<String> {
    match &item.body {
        ItemBody::Text { text } if !text.is_empty() => Some(text.clone()),
        ItemBody::Tool(call) => {
            let mut out = format!("- {}: `{}`", call.name, call.title);
            if let Some(code) = call.exit_code {
                out.push_str(&format!(", exit {code}"));
            }
            if let Some(diff) = &call.diff {
                out.push_str(&format!("\n\n```diff\n{}\n```", diff.trim_end()));
            } else if !call.output.is_empty() {
                out.push_str(&format!("\n\n```\n{}\n```", call.output.trim_end()));
            }
            Some(out)
        }
        ItemBody::Plan { entries } => {
            let done = |state| if state == crate::model::message::PlanEntryState::Done { "x" } else { " " };
            let lines: Vec<String> =
                entries.iter().map(|entry| format!("- [{}] {}", done(entry.state), entry.text)).collect();
            Some(lines.join("\n"))
        }
        ItemBody::Adopted(card) => Some(card.markdown()),
        ItemBody::Text { .. }
        | ItemBody::Thinking { .. }
        | ItemBody::Notice { .. }
        | ItemBody::Permission { .. } => None,
    }
}

/// The newest finished or running answer that is loaded.
#[must_use]
pub fn newest_answer(view: &ConversationView) -> Option<String> {
    (0..view.index.len()).rev().take(200).find_map(|place| {
        let message = view.message(place)?;
        matches!(message.author, Author::Agent { .. }).then(|| markdown(message))
    })
}

/// The newest answer that is loaded and finished.
#[must_use]
pub fn newest_answer_id(view: &ConversationView) -> Option<MessageId> {
    (0..view.index.len()).rev().take(200).find_map(|place| {
        let message = view.message(place)?;
        let done = message.state != MessageState::Streaming;
        (done && matches!(message.author, Author::Agent { .. })).then_some(message.id)
    })
}

/// The newest message that a branch can start at.
#[must_use]
pub fn newest_whole_id(view: &ConversationView) -> Option<MessageId> {
    (0..view.index.len()).rev().take(200).find_map(|place| {
        let message = view.message(place)?;
        let whole = message.state != MessageState::Streaming && message.author != Author::System;
        whole.then_some(message.id)
    })
}

/// All loaded messages as Markdown.
#[must_use]
pub fn conversation(view: &ConversationView) -> String {
    let mut out = format!("# {}\n", view.row.conversation.title);
    for message in (0..view.index.len()).filter_map(|place| view.message(place)) {
        out.push_str(&format!("\n## {}\n\n{}\n", author(message), markdown(message)));
    }
    out
}
