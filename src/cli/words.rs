//! The stable JSON words of the command line, as told in `docs/headless.md`.

use serde_json::{Map, Value, json};

use crate::cli::clock::utc;
use crate::cli::follow::Said;
use crate::model::message::{Author, Item, ItemBody, Message, MessageState, PermissionOutcome, ToolCall};
use crate::model::pack::{ContextPack, PackReport};
use crate::model::turn::{LimitInfo, PermissionRequest, TurnFailure, Usage};

/// A unit word such as `running`, as it is stored.
pub fn word(value: impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// The fields of `more` after `first`'s.
pub fn with(first: Value, more: Value) -> Value {
    let mut all = match first {
        Value::Object(fields) => fields,
        other => Map::from_iter([("value".to_owned(), other)]),
    };
    if let Value::Object(fields) = more {
        all.extend(fields);
    }
    Value::Object(all)
}

/// One new part of an answer, as an event.
pub fn said(said: &Said) -> Value {
    match said {
        Said::Text { key, delta } => json!({ "event": "text", "item": key, "delta": delta }),
        Said::TextReplaced { key, text } => json!({ "event": "text", "item": key, "replace": text }),
        Said::Thinking { key, delta } => json!({ "event": "thinking", "item": key, "delta": delta }),
        Said::ThinkingReplaced { key, text } => json!({ "event": "thinking", "item": key, "replace": text }),
        Said::Withdrawn { key } => json!({ "event": "withdrawn", "item": key }),
        Said::Tool { key, call } => with(json!({ "event": "tool", "item": key }), tool(call)),
        Said::Plan { key, entries } => json!({ "event": "plan", "item": key, "entries": word(entries) }),
        Said::Notice { level, text } => json!({ "event": "notice", "level": word(level), "text": text }),
        Said::Permission { request: asked, outcome } => {
            with(with(json!({ "event": "permission" }), request(asked)), answered(outcome.as_ref()))
        }
    }
}

fn tool(call: &ToolCall) -> Value {
    json!({
        "name": call.name,
        "kind": word(call.kind),
        "title": call.title,
        "input": call.input,
        "state": word(call.state),
        "output": call.output,
        "exit_code": call.exit_code,
        "duration_ms": call.duration_ms,
        "changed_files": call.changed_files,
        "diff": call.diff,
    })
}

fn request(request: &PermissionRequest) -> Value {
    json!({
        "ask": request.ask,
        "tool": request.tool,
        "action": word(request.action),
        "command": request.command,
        "diff": request.diff,
        "paths": request.paths,
        "folder": request.folder,
        "reason": request.reason,
    })
}

fn answered(outcome: Option<&PermissionOutcome>) -> Value {
    match outcome {
        None => json!({ "answer": null }),
        Some(PermissionOutcome::AllowedOnce) => json!({ "answer": "allowed_once" }),
        Some(PermissionOutcome::Denied { comment }) => json!({ "answer": "denied", "comment": comment }),
        Some(PermissionOutcome::Gone) => json!({ "answer": "gone" }),
    }
}

pub fn usage(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "cached_input_tokens": usage.cached_input_tokens,
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cost_usd": usage.cost_usd,
        "window_tokens": usage.window_tokens,
        "window_used_tokens": usage.window_used_tokens,
    })
}

pub fn usage_event(of: &Usage) -> Value {
    with(json!({ "event": "usage" }), usage(of))
}

pub fn limit_event(limit: &LimitInfo) -> Value {
    json!({
        "event": "limit",
        "kind": limit.kind,
        "used_percent": limit.used_percent,
        "resets_at": limit.resets_at_ms.map(utc),
        "reached": limit.reached,
    })
}

pub fn failure(failure: &TurnFailure) -> Value {
    json!({
        "kind": word(failure.kind),
        "message": failure.message,
        "hint": failure.hint,
        "detail": failure.detail,
        "resets_at": failure.resets_at_ms.map(utc),
    })
}

pub fn failed_event(of: &TurnFailure) -> Value {
    with(json!({ "event": "failed" }), failure(of))
}

pub fn context_event(report: &PackReport) -> Value {
    with(json!({ "event": "context" }), report_of(report))
}

/// A pack's report.
fn report_of(report: &PackReport) -> Value {
    let sections: Vec<Value> = report
        .sections
        .iter()
        .map(|section| {
            json!({
                "id": word(section.id),
                "title": section.id.label(),
                "chars": section.chars,
                "estimated_tokens": section.estimated_tokens,
                "budget_chars": section.budget_chars,
                "want_chars": section.want_chars,
                "cut": section.cut,
                "source_ids": section.source_ids,
            })
        })
        .collect();
    let left_out: Vec<Value> =
        report.left_out.iter().map(|left| json!({ "id": word(left.id), "why": left.why })).collect();
    let notes: Vec<Value> =
        report.notes.iter().map(|note| json!({ "id": word(note.id), "text": note.text })).collect();
    json!({
        "mode": word(report.mode),
        "mode_reason": report.mode_reason.label(),
        "budget_chars": report.budget_chars,
        "total_chars": report.total_chars,
        "sections": sections,
        "left_out": left_out,
        "held_by_session": report.held_by_session,
        "notes": notes,
        "hash": report.hash,
        "parity_hash": report.parity_hash,
        "fixed_hash": report.fixed_hash,
        "assembly_micros": report.assembly_micros,
    })
}

/// A pack with the exact text of each section.
pub fn pack(pack: &ContextPack) -> Value {
    let mut value = report_of(&pack.report);
    if let Some(Value::Array(sections)) = value.get_mut("sections") {
        for section in sections {
            let id = section.get("id").cloned();
            let text =
                pack.sections.iter().find(|known| Some(word(known.id)) == id).map(|known| known.text.clone());
            if let Value::Object(fields) = section {
                fields.insert("text".to_owned(), word(text));
            }
        }
    }
    value
}

/// A message, whole.
pub fn message(message: &Message) -> Value {
    let items: Vec<Value> = message.items.iter().map(item).collect();
    json!({
        "id": message.id,
        "seq": message.seq,
        "turn": message.turn,
        "author": author(&message.author),
        "created": utc(message.created_ms),
        "state": state_word(&message.state),
        "failure": match &message.state { MessageState::Failed { failure: of } => failure(of), _ => Value::Null },
        "damage": match &message.state { MessageState::Damaged { why } => json!(why), _ => Value::Null },
        "text": message.plain_text(),
        "items": items,
        "duration_ms": message.duration_ms,
        "usage": message.usage.as_ref().map(usage),
    })
}

/// `complete`, `streaming`, `stopped`, `failed`, `interrupted` or `damaged`.
pub fn state_word(state: &MessageState) -> &'static str {
    match state {
        MessageState::Complete => "complete",
        MessageState::Streaming => "streaming",
        MessageState::Stopped => "stopped",
        MessageState::Failed { .. } => "failed",
        MessageState::Interrupted => "interrupted",
        MessageState::Damaged { .. } => "damaged",
    }
}

fn author(author: &Author) -> Value {
    match author {
        Author::User => json!({ "kind": "user" }),
        Author::Agent { engine, model, name, role } => {
            json!({ "kind": "agent", "engine": engine, "model": model, "name": name, "role": role })
        }
        Author::System => json!({ "kind": "system" }),
    }
}

fn item(item: &Item) -> Value {
    let (kind, fields) = match &item.body {
        ItemBody::Text { text } => ("text", json!({ "text": text })),
        ItemBody::Thinking { text } => ("thinking", json!({ "text": text })),
        ItemBody::Tool(call) => ("tool", tool(call)),
        ItemBody::Plan { entries } => ("plan", json!({ "entries": word(entries) })),
        ItemBody::Notice { level, text } => ("notice", json!({ "level": word(level), "text": text })),
        ItemBody::Adopted(card) => (
            "adopted",
            json!({
                "branch": card.branch,
                "label": card.label,
                "source": card.source.word(),
                "written_by": card.written_by,
                "text": card.text,
                "messages": card.messages,
                "agents": card.agents,
                "usage": card.usage.as_deref().map(usage),
            }),
        ),
        ItemBody::Permission { request: asked, outcome } => {
            ("permission", with(request(asked), answered(outcome.as_ref())))
        }
    };
    with(json!({ "item": kind, "key": item.key }), fields)
}
