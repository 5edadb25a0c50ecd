//! A tool call as the protocol tells it, in pieces, made into one [`ToolCall`].

use serde_json::Value;

use crate::engine::wire::{self, one_line};
use crate::model::message::{ToolCall, ToolKind, ToolState};
use crate::model::turn::PermissionAction;

/// Lays what `told` says over what was known; fields that are not told stay.
pub(super) fn merge(call: &mut ToolCall, told: &Value, name_of_id: fn(&str) -> Option<&str>) {
    let title = told.get("title").and_then(Value::as_str).map(one_line);
    if call.name.is_empty() {
        let id = told.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
        call.name = tool_name(name_of_id(id), title.as_deref(), told.get("kind").and_then(Value::as_str));
    }
    // Some agents end with the bare name of the tool, after a title that said more.
    let says_more = |title: &String| call.title.is_empty() || *title != call.name;
    if let Some(title) = title.filter(|title| !title.is_empty() && says_more(title)) {
        call.title = title;
    }
    if let Some(kind) = told.get("kind").and_then(Value::as_str) {
        call.kind = kind_of(kind);
    }
    if let Some(state) = told.get("status").and_then(Value::as_str).and_then(state_of) {
        call.state = state;
    }
    if let Some(input) = told.get("rawInput").and_then(input_text) {
        call.input = wire::tool_output(&input);
    }
    if call.input.is_empty()
        && call.kind == ToolKind::Run
        && let Some(command) = title_whole(told)
    {
        call.input = wire::tool_output(&command);
    }
    if let Some(diff) = diff_of(told) {
        call.diff = Some(diff);
    }
    if let Some(output) = output_of(told) {
        call.output = wire::tool_output(&output);
    }
    if let Some(code) = exit_code(told) {
        call.exit_code = Some(code);
    }
    if call.kind == ToolKind::Edit {
        for path in paths(told) {
            if !call.changed_files.contains(&path) {
                call.changed_files.push(path);
            }
        }
    }
    // A path that is told from the root on, but without it, would be another file.
    let whole = format!("/{}", call.title);
    if call.changed_files.contains(&whole) {
        call.title = whole;
    }
}

fn tool_name(from_id: Option<&str>, title: Option<&str>, kind: Option<&str>) -> String {
    let title = title
        .filter(|title| !title.is_empty() && !title.contains(char::is_whitespace) && !title.contains('/'));
    from_id.or(title).or(kind).unwrap_or("tool").to_owned()
}

/// The protocol's words for what a tool does.
fn kind_of(kind: &str) -> ToolKind {
    match kind {
        "read" => ToolKind::Read,
        "search" => ToolKind::Search,
        "execute" => ToolKind::Run,
        "edit" | "delete" | "move" => ToolKind::Edit,
        "fetch" => ToolKind::Fetch,
        _ => ToolKind::Other,
    }
}

pub(super) fn action_of(kind: ToolKind) -> PermissionAction {
    match kind {
        ToolKind::Run => PermissionAction::Run,
        ToolKind::Edit => PermissionAction::Edit,
        ToolKind::Fetch => PermissionAction::Fetch,
        ToolKind::Read | ToolKind::Search | ToolKind::Agent | ToolKind::Other => PermissionAction::Other,
    }
}

fn state_of(status: &str) -> Option<ToolState> {
    match status {
        "pending" => Some(ToolState::Pending),
        "in_progress" => Some(ToolState::Running),
        "completed" => Some(ToolState::Done),
        "failed" => Some(ToolState::Failed),
        _ => None,
    }
}

/// A command alone is shown as it is; anything else as JSON.
fn input_text(input: &Value) -> Option<String> {
    match input {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) if fields.is_empty() => None,
        Value::Object(fields) => match command_of(input) {
            Some(command)
                if fields.keys().all(|key| ["command", "cwd", "description"].contains(&key.as_str())) =>
            {
                Some(command)
            }
            _ => serde_json::to_string_pretty(input).ok(),
        },
        other => Some(other.to_string()),
    }
}

/// The command a tool is to run, if its input names one.
pub(super) fn command_of(input: &Value) -> Option<String> {
    match input.get("command")? {
        Value::String(command) => Some(command.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(words.join(" ")).filter(|command| !command.is_empty())
        }
        _ => None,
    }
}

/// The title to the last blank: of agents that tell no input it is the command itself.
pub(super) fn title_whole(told: &Value) -> Option<String> {
    told.get("title").and_then(Value::as_str).filter(|title| !title.trim().is_empty()).map(wire::clean)
}

fn contents(told: &Value) -> impl Iterator<Item = &Value> {
    told.get("content").and_then(Value::as_array).into_iter().flatten()
}

/// The agent's own diff, else one made of the old and new text it sent.
pub(super) fn diff_of(told: &Value) -> Option<String> {
    let own = told.get("rawInput").and_then(|input| input.get("diff")).and_then(Value::as_str);
    if let Some(own) = own.filter(|own| !own.is_empty()) {
        return Some(wire::tool_output(own));
    }
    let made: Vec<String> = contents(told)
        .filter(|part| part["type"] == "diff")
        .filter_map(|part| {
            // Some agents send an empty old text for a new file.
            let old = part.get("oldText").and_then(Value::as_str).filter(|old| !old.is_empty());
            Some(wire::diff_of(part.get("path")?.as_str()?, old, part.get("newText")?.as_str()?))
        })
        .collect();
    (!made.is_empty()).then(|| made.concat())
}

/// Text parts, joined; `None` when there are none.
pub(super) fn texts_of(told: &Value) -> Option<String> {
    let texts: Vec<&str> = contents(told)
        .filter(|part| part["type"] == "content")
        .filter_map(|part| part["content"].get("text")?.as_str())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn output_of(told: &Value) -> Option<String> {
    // Before a tool ran, the text says what it will do.
    if !matches!(
        told.get("status").and_then(Value::as_str),
        Some("completed" | "failed" | "in_progress") | None
    ) {
        return None;
    }
    texts_of(told).or_else(|| match told.get("rawOutput")? {
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) => {
            match fields.get("output").or_else(|| fields.get("error")).and_then(Value::as_str) {
                Some(text) => Some(text.to_owned()),
                None => serde_json::to_string_pretty(fields).ok(),
            }
        }
        _ => None,
    })
}

fn exit_code(told: &Value) -> Option<i32> {
    let output = told.get("rawOutput")?;
    let code = output
        .get("exitCode")
        .or_else(|| output.get("exit_code"))
        .or_else(|| output["metadata"].get("exit"))?;
    code.as_i64().and_then(|code| i32::try_from(code).ok())
}

/// Files of the call, each once: those of its diffs first, then its locations.
pub(super) fn paths(told: &Value) -> Vec<String> {
    let locations = told.get("locations").and_then(Value::as_array).into_iter().flatten();
    let mut paths: Vec<String> = Vec::new();
    for part in contents(told).filter(|part| part["type"] == "diff").chain(locations) {
        if let Some(path) = part.get("path").and_then(Value::as_str)
            && !paths.iter().any(|known| known == path)
        {
            paths.push(path.to_owned());
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{merge, paths};
    use crate::model::message::{MAX_TOOL_OUTPUT_CHARS, ToolCall, ToolKind, ToolState};

    fn none(_: &str) -> Option<&str> {
        None
    }

    #[test]
    fn pieces_of_a_call_come_together() {
        let mut call = ToolCall::default();
        merge(
            &mut call,
            &json!({"toolCallId": "c", "title": "bash", "kind": "execute", "status": "pending", "rawInput": {"cwd": "/p"}}),
            none,
        );
        merge(
            &mut call,
            &json!({"toolCallId": "c", "title": "touch x", "status": "in_progress", "rawInput": {"command": "touch x", "cwd": "/p"}}),
            none,
        );
        let end = json!({"status": "completed", "rawOutput": {"output": "\u{1b}[31mok\u{1b}[0m", "metadata": {"exit": 3}}});
        merge(&mut call, &end, none);
        assert_eq!(
            (call.name.as_str(), call.title.as_str(), call.input.as_str()),
            ("bash", "touch x", "touch x")
        );
        assert_eq!((call.kind, call.state, call.exit_code), (ToolKind::Run, ToolState::Done, Some(3)));
        assert_eq!(call.output, "ok");
        assert!(call.changed_files.is_empty());
    }

    #[test]
    fn a_command_told_as_the_title_stays_exact() {
        let command = format!("printf '%s' \"a  b\"; rm -r {}", "x".repeat(300));
        let mut call = ToolCall::default();
        merge(
            &mut call,
            &json!({"toolCallId": "c", "title": command, "kind": "execute", "status": "pending"}),
            none,
        );
        assert_eq!(call.input, command);
        assert!(call.title.ends_with('…') && !call.title.contains("  "));
    }

    #[test]
    fn an_edit_has_a_diff_and_its_file() {
        let mut call = ToolCall::default();
        let told = json!({"title": "Writing to a.txt", "kind": "edit", "status": "completed",
            "content": [{"type": "diff", "path": "/p/a.txt", "oldText": null, "newText": "hi"}], "locations": [{"path": "/p/a.txt"}]});
        merge(&mut call, &told, none);
        assert_eq!(call.diff.as_deref(), Some("--- /dev/null\n+++ /p/a.txt\n@@ -0,0 +1,1 @@\n+hi\n"));
        assert_eq!(
            (call.changed_files, paths(&told)),
            (vec!["/p/a.txt".to_owned()], vec!["/p/a.txt".to_owned()])
        );
        assert_eq!(call.name, "edit");
    }

    #[test]
    fn a_title_that_said_more_stays_and_a_path_is_whole() {
        let mut call = ToolCall::default();
        for told in [
            json!({"toolCallId": "c", "title": "write", "kind": "edit", "status": "pending"}),
            json!({"title": "tmp/p/a.txt", "kind": "edit", "status": "in_progress", "locations": [{"path": "/tmp/p/a.txt"}]}),
            json!({"title": "write", "kind": "edit", "status": "failed"}),
        ] {
            merge(&mut call, &told, none);
        }
        assert_eq!((call.name.as_str(), call.title.as_str()), ("write", "/tmp/p/a.txt"));
        let mut relative = ToolCall::default();
        let told = json!({"title": "src/a.rs", "kind": "edit", "locations": [{"path": "/tmp/p/src/a.rs"}]});
        merge(&mut relative, &told, none);
        assert_eq!(relative.title, "src/a.rs", "short, and right in the project");
    }

    #[test]
    fn huge_output_is_cut_visibly() {
        let mut call = ToolCall::default();
        merge(
            &mut call,
            &json!({"status": "completed", "rawOutput": "한".repeat(MAX_TOOL_OUTPUT_CHARS + 5)}),
            none,
        );
        assert!(call.output.ends_with("left out]"));
        assert!(call.output.chars().count() < MAX_TOOL_OUTPUT_CHARS + 50);
    }
}
