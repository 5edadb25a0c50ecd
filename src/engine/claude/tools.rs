//! Tool calls of Claude Code as items: what they do, what they changed, how they ended.

use std::collections::HashSet;

use serde_json::Value;

use crate::engine::SeatOutput;
use crate::engine::claude::blocks::FoundTool;
use crate::engine::items::ItemBook;
use crate::engine::wire::{
    diff_of, i64_at, is_true, list_at, one_line, pretty, str_at, text_at, tool_output,
};
use crate::model::message::{ItemBody, PlanEntry, PlanEntryState, ToolCall, ToolKind, ToolState};
use crate::model::turn::TurnEvent;

/// Key of the agent's own to-do list.
const PLAN_KEY: &str = "plan";

/// Shows a tool call that begins or whose input is whole now.
pub fn show(found: &FoundTool<'_>, book: &mut ItemBook, out: &mut SeatOutput) {
    if found.name == "TodoWrite" {
        if let Some(input) = found.input {
            book.put(PLAN_KEY, plan(input), out);
        }
        return;
    }
    if book.is_closed(found.id) {
        return;
    }
    let call = match found.input {
        Some(input) => call(found.name, input),
        None => ToolCall { name: found.name.to_owned(), kind: kind(found.name), ..ToolCall::default() },
    };
    book.put(found.id, ItemBody::Tool(call), out);
}

/// A tool call whose input is known.
pub fn call(name: &str, input: &Value) -> ToolCall {
    ToolCall {
        name: name.to_owned(),
        kind: kind(name),
        title: title(name, input),
        input: pretty(input),
        state: ToolState::Running,
        diff: diff_from_input(name, input),
        ..ToolCall::default()
    }
}

/// What the host did to the calls of a turn.
#[derive(Clone, Copy, Debug)]
pub struct HostDid<'a> {
    pub denied: &'a HashSet<String>,
    pub cancelled: bool,
}

/// Ends the tool calls whose results a `user` line holds.
pub fn results(line: &Value, host: HostDid<'_>, book: &mut ItemBook, out: &mut SeatOutput) {
    for block in list_at(line, "/message/content") {
        let kind = str_at(block, "/type").unwrap_or_default();
        if kind.ends_with("tool_result") {
            result(line, block, host, book, out);
        }
    }
}

fn result(line: &Value, block: &Value, host: HostDid<'_>, book: &mut ItemBook, out: &mut SeatOutput) {
    let Some(id) = str_at(block, "/tool_use_id") else { return };
    if book.is_closed(id) {
        return;
    }
    let Some(mut call) = book.tool(id).cloned() else { return };
    let text = result_text(block.get("content").unwrap_or(&Value::Null));
    let failed = is_true(block, "/is_error");
    let refused = list_at(line, "/tool_result_meta").iter().any(|meta| {
        str_at(meta, "/id") == Some(id) && str_at(meta, "/permission_decision/decision") == Some("reject")
    });
    call.state = match failed {
        true if host.denied.contains(id) => ToolState::Denied,
        true if host.cancelled => ToolState::Stopped,
        true if refused => ToolState::Denied,
        true => ToolState::Failed,
        false => ToolState::Done,
    };
    if is_true(line, "/tool_use_result/interrupted") {
        call.state = ToolState::Stopped;
    }
    call.exit_code = exit_code(&text).filter(|_| failed && call.kind == ToolKind::Run);
    call.output = tool_output(&text);
    // One line may carry several results; the structured form belongs to a lone one.
    let results =
        list_at(line, "/message/content").iter().filter(|block| block.get("tool_use_id").is_some()).count();
    if let (Some(told), 1, false) = (line.get("tool_use_result"), results, failed) {
        structured(told, &mut call);
    }
    if call.kind == ToolKind::Edit && call.state != ToolState::Done {
        call.changed_files.clear();
    }
    book.put(id, ItemBody::Tool(call), out);
    book.close(id);
}

/// A line under the call that a sub-agent works for: its own text never becomes the answer.
pub fn sub_agent(line: &Value, parent: &str, book: &mut ItemBook, out: &mut SeatOutput) {
    for block in list_at(line, "/message/content") {
        if str_at(block, "/type") == Some("tool_use") {
            let name = str_at(block, "/name").unwrap_or_default();
            let title = title(name, block.get("input").unwrap_or(&Value::Null));
            if book.is_closed(parent) {
                out.events.push(TurnEvent::Phase(one_line(&format!("In the background: {name} {title}"))));
            } else {
                book.output(parent, &format!("› {name} {title}\n"), out);
            }
        }
    }
}

/// Marks a call that the engine refused by itself.
pub fn refused(id: &str, message: &str, book: &mut ItemBook, out: &mut SeatOutput) {
    if let Some(call) = book.tool(id).filter(|_| !book.is_closed(id)) {
        let call = ToolCall { state: ToolState::Denied, output: tool_output(message), ..call.clone() };
        book.put(id, ItemBody::Tool(call), out);
    }
}

/// What a tool does, by its name.
pub fn kind(name: &str) -> ToolKind {
    match name {
        "Bash" | "BashOutput" | "KillShell" | "KillBash" | "Monitor" | "PowerShell" => ToolKind::Run,
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => ToolKind::Edit,
        "Read" | "NotebookRead" | "ReadMcpResource" => ToolKind::Read,
        "Grep" | "Glob" | "LS" | "ToolSearch" => ToolKind::Search,
        "WebFetch" | "WebSearch" | "web_search" | "web_fetch" => ToolKind::Fetch,
        "Task" | "Agent" | "SendMessage" | "Workflow" => ToolKind::Agent,
        _ => ToolKind::Other,
    }
}

/// Fields that say best what a call is about, in order.
const TITLE_FIELDS: &[&str] = &[
    "command",
    "file_path",
    "notebook_path",
    "pattern",
    "path",
    "url",
    "query",
    "description",
    "prompt",
    "skill",
];

fn title(name: &str, input: &Value) -> String {
    let told = TITLE_FIELDS.iter().find_map(|field| input.get(field).and_then(Value::as_str));
    let title = told.map(one_line).unwrap_or_default();
    if title.is_empty() { one_line(name) } else { title }
}

/// Files that a call names.
pub fn paths(input: &Value) -> Vec<String> {
    ["/file_path", "/notebook_path"]
        .iter()
        .filter_map(|field| str_at(input, field))
        .map(str::to_owned)
        .collect()
}

/// The change an edit asks for, before it is made.
pub fn diff_from_input(name: &str, input: &Value) -> Option<String> {
    let path = str_at(input, "/file_path").or_else(|| str_at(input, "/notebook_path"))?;
    match name {
        "Edit" => Some(diff_of(path, Some(str_at(input, "/old_string")?), str_at(input, "/new_string")?)),
        "MultiEdit" => {
            let edits = list_at(input, "/edits");
            let diffs = edits.iter().map(|edit| {
                diff_of(path, Some(&text_at(edit, "/old_string")), &text_at(edit, "/new_string"))
            });
            Some(diffs.collect())
        }
        // Whether the file exists is not told, so the new content is shown as it is.
        "Write" => str_at(input, "/content").map(tool_output),
        "NotebookEdit" => str_at(input, "/new_source").map(tool_output),
        _ => None,
    }
}

fn structured(told: &Value, call: &mut ToolCall) {
    let Some(path) = str_at(told, "/filePath").filter(|_| call.kind == ToolKind::Edit) else { return };
    call.changed_files = vec![path.to_owned()];
    let hunks = list_at(told, "/structuredPatch");
    if !hunks.is_empty() {
        call.diff = Some(diff_from_hunks(path, hunks));
    } else if str_at(told, "/type") == Some("create") {
        call.diff = str_at(told, "/content").map(|content| diff_of(path, None, content));
    }
}

fn diff_from_hunks(path: &str, hunks: &[Value]) -> String {
    let mut diff = format!("--- {path}\n+++ {path}\n");
    for hunk in hunks {
        let number = |field: &str| i64_at(hunk, field).unwrap_or_default();
        diff.push_str(&format!(
            "@@ -{},{} +{},{} @@\n",
            number("/oldStart"),
            number("/oldLines"),
            number("/newStart"),
            number("/newLines")
        ));
        for line in list_at(hunk, "/lines").iter().filter_map(Value::as_str) {
            diff.push_str(line);
            diff.push('\n');
        }
    }
    tool_output(&diff)
}

fn result_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().map(|block| match str_at(block, "/type") {
                Some("text") => text_at(block, "/text"),
                Some("tool_reference") => text_at(block, "/tool_name"),
                Some(other) => format!("[{other}]"),
                None => pretty(block),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        other => pretty(other),
    }
}

/// A failed shell command tells its code in the first line of its output.
fn exit_code(text: &str) -> Option<i32> {
    text.lines().next()?.strip_prefix("Exit code ")?.trim().parse().ok()
}

fn plan(input: &Value) -> ItemBody {
    let entries = list_at(input, "/todos").iter().map(|todo| PlanEntry {
        text: one_line(str_at(todo, "/content").unwrap_or_default()),
        state: match str_at(todo, "/status") {
            Some("completed") => PlanEntryState::Done,
            Some("in_progress") => PlanEntryState::InProgress,
            _ => PlanEntryState::Pending,
        },
    });
    ItemBody::Plan { entries: entries.collect() }
}
