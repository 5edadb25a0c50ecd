//! Questions that Claude Code puts to its host, and the answers.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::engine::claude::tools::{diff_from_input, kind, paths};
use crate::engine::wire::{clean, list_at, pretty, str_at, text_at};
use crate::model::message::ToolKind;
use crate::model::turn::{Decision, PermissionAction, PermissionRequest};

/// The open questions of a seat, by request id.
#[derive(Debug, Default)]
pub struct Asks {
    open: HashMap<String, Ask>,
}

#[derive(Debug)]
struct Ask {
    tool: String,
    tool_use_id: Option<String>,
    input: Value,
}

/// What an answer means for the engine and for the item it belongs to.
#[derive(Debug)]
pub struct Answered {
    pub line: String,
    /// The tool call that was denied.
    pub denied: Option<String>,
}

impl Asks {
    /// Takes a `can_use_tool` request in and gives the question to be shown.
    pub fn ask(&mut self, id: &str, request: &Value, folder: &str, item_known: bool) -> PermissionRequest {
        let tool = text_at(request, "/tool_name");
        let input = request.get("input").cloned().unwrap_or_default();
        let tool_use_id = str_at(request, "/tool_use_id").map(str::to_owned);
        let asked = question(id, &tool, &input, request, folder);
        let asked = PermissionRequest { item_key: tool_use_id.clone().filter(|_| item_known), ..asked };
        self.open.insert(id.to_owned(), Ask { tool, tool_use_id, input });
        asked
    }

    /// The line that answers an open question; `None` when it is no longer open.
    pub fn answer(&mut self, id: &str, decision: &Decision) -> Option<Answered> {
        let ask = self.open.remove(id)?;
        let (response, denied) = match decision {
            Decision::AllowOnce => (json!({"behavior": "allow", "updatedInput": allowed_input(&ask)}), None),
            Decision::Deny { comment } => {
                let comment =
                    if comment.trim().is_empty() { "The user did not allow this." } else { comment };
                (json!({"behavior": "deny", "message": comment}), ask.tool_use_id)
            }
        };
        Some(Answered { line: success(id, &response), denied })
    }

    /// The engine withdrew its question. False when it was not open.
    pub fn cancel(&mut self, id: &str) -> bool {
        self.open.remove(id).is_some()
    }

    /// Ids of all open questions, which are open no longer.
    pub fn take_all(&mut self) -> Vec<String> {
        let mut ids: Vec<String> = self.open.drain().map(|(id, _)| id).collect();
        ids.sort();
        ids
    }
}

/// A control response that succeeds.
fn success(id: &str, response: &Value) -> String {
    json!({"type": "control_response", "response": {"subtype": "success", "request_id": id, "response": response}})
        .to_string()
}

/// A control response that refuses, so that the engine does not wait for ever.
pub fn refusal(id: &str, why: &str) -> String {
    json!({"type": "control_response", "response": {"subtype": "error", "request_id": id, "error": why}})
        .to_string()
}

/// Denies a question that comes while no turn runs.
pub fn deny_unseen(id: &str) -> String {
    success(id, &json!({"behavior": "deny", "message": "No turn is running, so nobody can be asked."}))
}

fn question(id: &str, tool: &str, input: &Value, request: &Value, folder: &str) -> PermissionRequest {
    let action = match kind(tool) {
        ToolKind::Run => PermissionAction::Run,
        ToolKind::Edit => PermissionAction::Edit,
        ToolKind::Fetch => PermissionAction::Fetch,
        ToolKind::Read | ToolKind::Search | ToolKind::Agent | ToolKind::Other => PermissionAction::Other,
    };
    let diff = diff_from_input(tool, input).or_else(|| str_at(input, "/plan").map(clean));
    let command = str_at(input, "/command").map(clean).or_else(|| {
        // No command and no change: what is asked for is the call itself, as it stands.
        (diff.is_none() && tool != ASK_USER).then(|| format!("{tool} {}", pretty(input)))
    });
    let mut paths = paths(input);
    if let Some(blocked) =
        str_at(request, "/blocked_path").filter(|path| !paths.iter().any(|known| known == path))
    {
        paths.push(blocked.to_owned());
    }
    // For an edit, the description only repeats the file's name.
    let told = str_at(request, "/description").filter(|_| action != PermissionAction::Edit);
    let own = str_at(input, "/description").or_else(|| str_at(request, "/decision_reason")).or(told);
    let reason = if tool == ASK_USER { choices(input) } else { own.map(clean) };
    PermissionRequest {
        ask: id.to_owned(),
        tool: tool.to_owned(),
        action,
        command,
        diff,
        paths,
        folder: Some(folder.to_owned()),
        reason: reason.filter(|reason| !reason.trim().is_empty()),
        item_key: None,
    }
}

const ASK_USER: &str = "AskUserQuestion";

/// A question with choices, in words. Allowing takes the first choice of each; a denial's comment is the free answer.
fn choices(input: &Value) -> Option<String> {
    let questions = list_at(input, "/questions").iter().map(|question| {
        let options =
            list_at(question, "/options").iter().map(|option| format!("\n- {}", text_at(option, "/label")));
        format!("{}{}", text_at(question, "/question"), options.collect::<String>())
    });
    let text = questions.collect::<Vec<_>>().join("\n\n");
    (!text.is_empty()).then(|| {
        clean(&format!("{text}\n\nAllow takes the first choice. To answer freely, deny with a comment."))
    })
}

fn allowed_input(ask: &Ask) -> Value {
    if ask.tool != ASK_USER {
        return ask.input.clone();
    }
    let answers: Map<String, Value> = list_at(&ask.input, "/questions")
        .iter()
        .filter_map(|question| {
            Some((text_at(question, "/question"), Value::from(str_at(question, "/options/0/label")?)))
        })
        .collect();
    let mut input = ask.input.clone();
    if let Some(fields) = input.as_object_mut() {
        fields.insert("answers".to_owned(), Value::Object(answers));
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::wire::parse_object;

    fn request(tool: &str, input: &Value) -> Value {
        json!({"tool_name": tool, "input": input, "tool_use_id": "t1", "description": "words"})
    }

    #[test]
    fn questions_say_what_is_asked() {
        let table = [
            (
                "Bash",
                json!({"command": "rm -r x\u{1b}[0m", "description": "clean"}),
                PermissionAction::Run,
                "rm -r x",
                "",
            ),
            (
                "Edit",
                json!({"file_path": "f", "old_string": "a", "new_string": "b"}),
                PermissionAction::Edit,
                "",
                "-a\n+b",
            ),
            ("Write", json!({"file_path": "f", "content": "new"}), PermissionAction::Edit, "", "new"),
            ("WebFetch", json!({"url": "http://x"}), PermissionAction::Fetch, "http://x", ""),
            ("mcp__m__go", json!({"q": 1}), PermissionAction::Other, "\"q\": 1", ""),
        ];
        for (tool, input, action, command, diff) in table {
            let asked = Asks::default().ask("r", &request(tool, &input), "/p", true);
            assert_eq!((asked.action, asked.folder.as_deref()), (action, Some("/p")), "{tool}");
            assert!(asked.command.clone().unwrap_or_default().contains(command), "{asked:?}");
            assert_eq!(asked.command.is_none(), command.is_empty());
            assert!(asked.diff.clone().unwrap_or_default().contains(diff), "{asked:?}");
            assert_eq!(asked.item_key.as_deref(), Some("t1"));
        }
    }

    #[test]
    fn an_answer_is_bound_to_its_question() {
        let mut asks = Asks::default();
        asks.ask("a", &request("Bash", &json!({"command": "one"})), "/p", false);
        asks.ask("b", &request("Bash", &json!({"command": "two"})), "/p", false);
        let answered = asks.answer("b", &Decision::AllowOnce).expect("open");
        let line = parse_object(&answered.line).expect("json");
        assert_eq!(str_at(&line, "/response/request_id"), Some("b"));
        assert_eq!(str_at(&line, "/response/response/updatedInput/command"), Some("two"));
        assert!(asks.answer("b", &Decision::AllowOnce).is_none());
        let denied = asks.answer("a", &Decision::Deny { comment: "why\nnot".to_owned() }).expect("open");
        let line = parse_object(&denied.line).expect("json");
        assert_eq!(str_at(&line, "/response/response/message"), Some("why\nnot"));
        assert_eq!(denied.denied.as_deref(), Some("t1"));
        assert!(asks.take_all().is_empty());
    }

    #[test]
    fn a_question_with_choices_is_answered_with_the_first() {
        let input =
            json!({"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]});
        let mut asks = Asks::default();
        let asked = asks.ask("q", &request(ASK_USER, &input), "/p", false);
        assert!(asked.reason.is_some_and(|reason| reason.contains("Which?\n- A\n- B")));
        let line = parse_object(&asks.answer("q", &Decision::AllowOnce).expect("open").line).expect("json");
        assert_eq!(str_at(&line, "/response/response/updatedInput/answers/Which?"), Some("A"));
    }
}
