//! Items of a Codex thread: what the agent says, runs and changes.

use serde_json::Value;

use crate::engine::SeatOutput;
use crate::engine::items::{ItemBook, Said};
use crate::engine::wire::{
    diff_of, i64_at, is_true, list_at, one_line, pretty, str_at, text_at, tool_output,
};
use crate::model::message::{
    ItemBody, NoticeLevel, PlanEntry, PlanEntryState, ToolCall, ToolKind, ToolState,
};
use crate::model::turn::TurnEvent;

/// Key of the agent's own plan.
const PLAN_KEY: &str = "plan";

/// An item that begins (`done` = false) or is complete.
pub fn show(item: &Value, done: bool, book: &mut ItemBook, out: &mut SeatOutput) {
    let (Some(kind), Some(id)) = (str_at(item, "/type"), str_at(item, "/id")) else {
        out.skipped += 1;
        return;
    };
    if book.is_closed(id) {
        return;
    }
    match kind {
        "agentMessage" | "plan" => say(id, Said::Text, &text_at(item, "/text"), done, book, out),
        "reasoning" => say(id, Said::Thinking, &reasoning(item), done, book, out),
        "contextCompaction" => {
            if done {
                let text = "Codex shortened its memory of this session.".to_owned();
                out.events.push(TurnEvent::Notice { level: NoticeLevel::Info, text });
            }
        }
        "userMessage" | "hookPrompt" | "subAgentActivity" | "sleep" | "enteredReviewMode"
        | "exitedReviewMode" => {}
        _ => match call(kind, item) {
            Some(mut call) => {
                if call.output.is_empty()
                    && let Some(shown) = book.tool(id)
                {
                    call.output.clone_from(&shown.output);
                }
                book.put(id, ItemBody::Tool(call), out);
                if done {
                    book.close(id);
                }
            }
            None => out.skipped += 1,
        },
    }
}

fn say(id: &str, said: Said, text: &str, done: bool, book: &mut ItemBook, out: &mut SeatOutput) {
    if done {
        book.said(id, said, text, out);
    } else {
        // A start holds no text as a rule; after a broken stream it begins the item anew.
        book.restart(id, out);
        book.say(id, said, text, out);
    }
}

fn reasoning(item: &Value) -> String {
    let join =
        |field: &str| list_at(item, field).iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n\n");
    let summary = join("/summary");
    if summary.is_empty() { join("/content") } else { summary }
}

/// A tool call of any kind; `None` for items that are none.
fn call(kind: &str, item: &Value) -> Option<ToolCall> {
    let call = match kind {
        "commandExecution" => command(item),
        "fileChange" => file_change(item),
        "mcpToolCall" => mcp(item),
        "dynamicToolCall" => named(item, ToolKind::Other, &text_at(item, "/tool"), item.get("arguments")),
        "collabAgentToolCall" => ToolCall {
            title: one_line(str_at(item, "/prompt").unwrap_or("agent")),
            ..named(item, ToolKind::Agent, &text_at(item, "/tool"), item.get("prompt"))
        },
        "webSearch" => ToolCall {
            title: one_line(str_at(item, "/query").unwrap_or_default()),
            ..named(item, ToolKind::Fetch, "web search", item.get("action"))
        },
        "imageView" => ToolCall {
            title: one_line(str_at(item, "/path").unwrap_or_default()),
            ..named(item, ToolKind::Read, "view image", item.get("path"))
        },
        "functionCallOutput" => {
            let output = tool_output(&pretty(item.get("output").unwrap_or(&Value::Null)));
            ToolCall { output, ..named(item, ToolKind::Other, &text_at(item, "/name"), None) }
        }
        _ => return None,
    };
    Some(ToolCall { duration_ms: i64_at(item, "/durationMs"), ..call })
}

fn named(item: &Value, kind: ToolKind, name: &str, input: Option<&Value>) -> ToolCall {
    ToolCall {
        name: name.to_owned(),
        kind,
        title: one_line(name),
        input: input.map(pretty).unwrap_or_default(),
        state: state(item),
        ..ToolCall::default()
    }
}

/// Items without a status are complete when they are told.
fn state(item: &Value) -> ToolState {
    match str_at(item, "/status") {
        Some("inProgress") => ToolState::Running,
        Some("failed") => ToolState::Failed,
        Some("declined") => ToolState::Denied,
        Some("interrupted") => ToolState::Stopped,
        _ => ToolState::Done,
    }
}

fn command(item: &Value) -> ToolCall {
    let actions = list_at(item, "/commandActions");
    let kind_of = |action: &Value| match str_at(action, "/type") {
        Some("read") => ToolKind::Read,
        Some("search" | "listFiles") => ToolKind::Search,
        _ => ToolKind::Run,
    };
    // Only when every part of the command reads is it shown as reading.
    let kind = match actions {
        [] => ToolKind::Run,
        [first, rest @ ..] => {
            let kind = kind_of(first);
            if rest.iter().all(|action| kind_of(action) == kind) { kind } else { ToolKind::Run }
        }
    };
    let whole = text_at(item, "/command");
    let plain =
        actions.iter().filter_map(|action| str_at(action, "/command")).collect::<Vec<_>>().join(" && ");
    ToolCall {
        title: one_line(if plain.is_empty() { &whole } else { &plain }),
        input: tool_output(&whole),
        output: str_at(item, "/aggregatedOutput").map(tool_output).unwrap_or_default(),
        exit_code: i64_at(item, "/exitCode").and_then(|code| i32::try_from(code).ok()),
        ..named(item, kind, "shell", None)
    }
}

fn file_change(item: &Value) -> ToolCall {
    let changes = list_at(item, "/changes");
    let paths = paths(changes);
    let state = state(item);
    ToolCall {
        title: one_line(&paths.join(", ")),
        changed_files: if state == ToolState::Done { paths } else { Vec::new() },
        diff: diff(changes),
        ..named(item, ToolKind::Edit, "apply_patch", None)
    }
}

/// Files of a change, as Codex names them.
pub fn paths(changes: &[Value]) -> Vec<String> {
    let mut paths = Vec::new();
    for change in changes {
        let moved = str_at(change, "/kind/move_path");
        paths.extend(str_at(change, "/path").into_iter().chain(moved).map(str::to_owned));
    }
    paths
}

/// One unified diff of all changes; additions and deletions are told as whole contents.
pub fn diff(changes: &[Value]) -> Option<String> {
    let diffs = changes.iter().map(|change| {
        let path = text_at(change, "/path");
        let told = text_at(change, "/diff");
        match str_at(change, "/kind/type") {
            Some("add") if !told.starts_with("--- ") => diff_of(&path, None, &told),
            Some("delete") if !told.starts_with("--- ") => diff_of(&path, Some(&told), ""),
            _ if told.starts_with("--- ") => tool_output(&told),
            _ => tool_output(&format!("--- {path}\n+++ {path}\n{told}")),
        }
    });
    let all: String = diffs.collect();
    (!all.is_empty()).then_some(all)
}

fn mcp(item: &Value) -> ToolCall {
    let name = format!("{}.{}", text_at(item, "/server"), text_at(item, "/tool"));
    let texts = list_at(item, "/result/content").iter().map(|part| match str_at(part, "/type") {
        Some("text") | None => text_at(part, "/text"),
        Some(other) => format!("[{other}]"),
    });
    let mut output = texts.collect::<Vec<_>>().join("\n");
    let mut call = named(item, ToolKind::Other, &name, item.get("arguments"));
    if let Some(error) = str_at(item, "/error/message") {
        if error.contains("user rejected") {
            call.state = ToolState::Denied;
        }
        output.push_str(error);
    }
    if is_true(item, "/result/isError") {
        call.state = ToolState::Failed;
    }
    ToolCall { output: tool_output(&output), ..call }
}

/// The agent's plan, as it stands now.
pub fn plan(params: &Value, book: &mut ItemBook, out: &mut SeatOutput) {
    let entries = list_at(params, "/plan").iter().map(|step| PlanEntry {
        text: one_line(str_at(step, "/step").unwrap_or_default()),
        state: match str_at(step, "/status") {
            Some("completed") => PlanEntryState::Done,
            Some("inProgress") => PlanEntryState::InProgress,
            _ => PlanEntryState::Pending,
        },
    });
    book.put(PLAN_KEY, ItemBody::Plan { entries: entries.collect() }, out);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(item: &Value, done: bool) -> Option<ToolCall> {
        let (mut book, mut out) = (ItemBook::default(), SeatOutput::default());
        show(item, done, &mut book, &mut out);
        book.tool("i").cloned()
    }

    #[test]
    fn commands_tell_kind_output_and_code() {
        let item = |actions: Value| {
            json!({"type": "commandExecution", "id": "i", "command": "/bin/bash -lc 'x'", "status": "failed",
                "commandActions": actions, "aggregatedOutput": "a\u{1b}[0mb", "exitCode": 3, "durationMs": 7})
        };
        let call = shown(&item(json!([{"type": "unknown", "command": "x"}])), true).expect("a tool");
        assert_eq!((call.kind, call.state, call.exit_code), (ToolKind::Run, ToolState::Failed, Some(3)));
        assert_eq!((call.title.as_str(), call.output.as_str(), call.duration_ms), ("x", "ab", Some(7)));
        let read = |kind: &str| json!({"type": kind, "command": "c"});
        let kinds = [
            (json!([read("read")]), ToolKind::Read),
            (json!([read("search"), read("listFiles")]), ToolKind::Search),
            (json!([read("read"), read("unknown")]), ToolKind::Run),
            (json!([]), ToolKind::Run),
        ];
        for (actions, kind) in kinds {
            assert_eq!(shown(&item(actions.clone()), true).map(|call| call.kind), Some(kind), "{actions}");
        }
    }

    #[test]
    fn file_changes_tell_files_only_when_made() {
        let item = |status: &str| {
            json!({"type": "fileChange", "id": "i", "status": status, "changes": [
                {"path": "a", "kind": {"type": "add"}, "diff": "new\n"},
                {"path": "b", "kind": {"type": "update", "move_path": "c"}, "diff": "@@ -1 +1 @@\n-x\n+y\n"}]})
        };
        let call = shown(&item("completed"), true).expect("a tool");
        assert_eq!(call.changed_files, ["a", "b", "c"]);
        let diff = call.diff.expect("a diff");
        assert!(
            diff.contains("+++ a\n@@ -0,0 +1,1 @@\n+new") && diff.contains("--- b\n+++ b\n@@ -1 +1 @@"),
            "{diff}"
        );
        let declined = shown(&item("declined"), true).expect("a tool");
        assert!(declined.changed_files.is_empty() && declined.state == ToolState::Denied);
    }

    #[test]
    fn mcp_calls_tell_result_or_error() {
        let call = |rest: Value| {
            let mut item =
                json!({"type": "mcpToolCall", "id": "i", "server": "m", "tool": "t", "status": "failed"});
            item.as_object_mut().expect("object").extend(rest.as_object().expect("object").clone());
            shown(&item, true).expect("a tool")
        };
        let done =
            call(json!({"status": "completed", "result": {"content": [{"type": "text", "text": "note"}]}}));
        assert_eq!((done.name.as_str(), done.output.as_str(), done.state), ("m.t", "note", ToolState::Done));
        let denied = call(json!({"error": {"message": "user rejected MCP tool call"}}));
        assert_eq!(denied.state, ToolState::Denied);
        assert_eq!(call(json!({"error": {"message": "Transport closed"}})).output, "Transport closed");
    }

    #[test]
    fn unknown_items_are_counted_and_user_items_are_not_shown() {
        let (mut book, mut out) = (ItemBook::default(), SeatOutput::default());
        show(&json!({"type": "userMessage", "id": "u"}), true, &mut book, &mut out);
        show(&json!({"type": "brandNew", "id": "n"}), true, &mut book, &mut out);
        show(&json!({"type": "agentMessage"}), true, &mut book, &mut out);
        assert_eq!((out.events.len(), out.skipped), (0, 2));
    }
}
