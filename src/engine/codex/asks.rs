//! Requests that Codex puts to its host, and the answers.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::engine::codex::items;
use crate::engine::wire::{clean, id_key, list_at, pretty, rpc_refusal, rpc_result, str_at, text_at};
use crate::model::turn::{Decision, PermissionAction, PermissionRequest};

/// The open requests of a seat, by ask.
#[derive(Debug, Default)]
pub struct Asks {
    open: HashMap<String, Ask>,
}

#[derive(Debug)]
struct Ask {
    id: Value,
    kind: AskKind,
    params: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AskKind {
    /// A command or a file change: answered by a decision.
    Approval,
    /// A call of an MCP tool, or a form of an MCP server.
    Elicitation,
    /// More rights for the rest of the turn.
    Permissions,
    /// Questions with choices.
    UserInput,
}

impl AskKind {
    fn of(method: &str) -> Option<Self> {
        match method {
            "item/commandExecution/requestApproval" | "item/fileChange/requestApproval" => {
                Some(Self::Approval)
            }
            "mcpServer/elicitation/request" => Some(Self::Elicitation),
            "item/permissions/requestApproval" => Some(Self::Permissions),
            "item/tool/requestUserInput" => Some(Self::UserInput),
            _ => None,
        }
    }
}

/// A request of the server.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub id: &'a Value,
    pub method: &'a str,
    pub params: &'a Value,
}

impl Asks {
    /// Takes a request in and gives the question to be shown; for a request that nobody can answer, the refusal.
    ///
    /// `changes` are those of the file change it belongs to, when it was shown before.
    pub fn ask(
        &mut self,
        asked: Asked<'_>,
        changes: &[Value],
        folder: &str,
    ) -> Result<PermissionRequest, String> {
        let Some(kind) = AskKind::of(asked.method) else {
            return Err(rpc_refusal(asked.id, asked.method));
        };
        let question = question(kind, asked, changes, folder);
        let ask = Ask { id: asked.id.clone(), kind, params: asked.params.clone() };
        self.open.insert(question.ask.clone(), ask);
        Ok(question)
    }

    /// The line that answers; `None` when it is no longer open. Says too whether a comment was carried by it.
    pub fn answer(&mut self, ask: &str, decision: &Decision) -> Option<(String, bool)> {
        let ask = self.open.remove(ask)?;
        let allow = matches!(decision, Decision::AllowOnce);
        let (result, carried) = match ask.kind {
            AskKind::Approval => (json!({"decision": if allow { "accept" } else { "decline" }}), false),
            AskKind::Elicitation => (elicited(&ask.params, allow), false),
            // Nothing granted is a denial.
            AskKind::Permissions if allow => (
                json!({"permissions": ask.params.get("permissions").cloned().unwrap_or_default(), "scope": "turn"}),
                false,
            ),
            AskKind::Permissions => (json!({"permissions": {}, "scope": "turn"}), false),
            AskKind::UserInput => (chosen(&ask.params, decision), true),
        };
        Some((rpc_result(&ask.id, &result), carried))
    }

    /// The server no longer waits for this one. False when it was not open.
    pub fn resolved(&mut self, id: &Value) -> bool {
        self.open.remove(&id_key(id)).is_some()
    }

    /// All open asks, which are open no longer.
    pub fn take_all(&mut self) -> Vec<String> {
        let mut asks: Vec<String> = self.open.drain().map(|(ask, _)| ask).collect();
        asks.sort();
        asks
    }
}

fn question(kind: AskKind, asked: Asked<'_>, changes: &[Value], folder: &str) -> PermissionRequest {
    let params = asked.params;
    let reason = ["/reason", "/message"].iter().find_map(|field| str_at(params, field)).map(clean);
    let base = PermissionRequest {
        ask: id_key(asked.id),
        folder: Some(str_at(params, "/cwd").unwrap_or(folder).to_owned()),
        reason,
        item_key: str_at(params, "/itemId").map(str::to_owned),
        ..PermissionRequest::default()
    };
    match kind {
        AskKind::Approval if asked.method.contains("fileChange") => PermissionRequest {
            tool: "apply_patch".to_owned(),
            action: PermissionAction::Edit,
            diff: items::diff(changes),
            paths: if changes.is_empty() {
                str_at(params, "/grantRoot").map(str::to_owned).into_iter().collect()
            } else {
                items::paths(changes)
            },
            ..base
        },
        AskKind::Approval => {
            let network = str_at(params, "/networkApprovalContext/host");
            PermissionRequest {
                tool: "shell".to_owned(),
                action: if network.is_some() { PermissionAction::Fetch } else { PermissionAction::Run },
                command: str_at(params, "/command").or(network).map(clean),
                paths: command_paths(params),
                ..base
            }
        }
        AskKind::Elicitation => {
            let tool = str_at(params, "/_meta/tool_name").unwrap_or("question");
            let server = text_at(params, "/serverName");
            let input = params.pointer("/_meta/tool_params").or_else(|| params.get("requestedSchema"));
            PermissionRequest {
                tool: format!("{server}.{tool}"),
                command: Some(format!("{server}.{tool} {}", input.map(pretty).unwrap_or_default())),
                ..base
            }
        }
        AskKind::Permissions => PermissionRequest {
            tool: "permissions".to_owned(),
            command: Some(pretty(params.get("permissions").unwrap_or(&Value::Null))),
            ..base
        },
        AskKind::UserInput => {
            PermissionRequest { tool: "question".to_owned(), reason: Some(choices(params)), ..base }
        }
    }
}

fn command_paths(params: &Value) -> Vec<String> {
    let paths = list_at(params, "/commandActions").iter().filter_map(|action| str_at(action, "/path"));
    paths.map(str::to_owned).collect()
}

/// A form with fields that must be filled in cannot be answered here and is declined.
fn elicited(params: &Value, allow: bool) -> Value {
    let fillable =
        list_at(params, "/requestedSchema/required").is_empty() && str_at(params, "/mode") != Some("url");
    if allow && fillable { json!({"action": "accept", "content": {}}) } else { json!({"action": "decline"}) }
}

fn choices(params: &Value) -> String {
    let questions = list_at(params, "/questions").iter().map(|question| {
        let options =
            list_at(question, "/options").iter().map(|option| format!("\n- {}", text_at(option, "/label")));
        format!("{}{}", text_at(question, "/question"), options.collect::<String>())
    });
    let questions = questions.collect::<Vec<_>>().join("\n\n");
    clean(&format!("{questions}\n\nAllow takes the first choice. To answer freely, deny with a comment."))
}

fn chosen(params: &Value, decision: &Decision) -> Value {
    let answers: Map<String, Value> = list_at(params, "/questions")
        .iter()
        .filter_map(|question| {
            let answer = match decision {
                Decision::AllowOnce => str_at(question, "/options/0/label")?,
                Decision::Deny { comment } if comment.is_empty() => return None,
                Decision::Deny { comment } => comment,
            };
            Some((text_at(question, "/id"), json!({"answers": [answer]})))
        })
        .collect();
    json!({"answers": answers})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::wire::parse_object;

    #[test]
    fn every_request_is_asked_or_refused() {
        let deny = Decision::Deny { comment: "use B".to_owned() };
        let question = json!({"questions": [{"id": "q", "question": "Which?", "options": [{"label": "A"}]}]});
        let rights = json!({"permissions": {"network": {"enabled": true}}});
        let form = json!({"serverName": "m", "requestedSchema": {"required": ["name"]}});
        let table = [
            (
                "item/commandExecution/requestApproval",
                json!({}),
                "{\"decision\":\"accept\"}",
                "{\"decision\":\"decline\"}",
            ),
            (
                "item/fileChange/requestApproval",
                json!({}),
                "{\"decision\":\"accept\"}",
                "{\"decision\":\"decline\"}",
            ),
            (
                "mcpServer/elicitation/request",
                json!({}),
                "{\"action\":\"accept\",\"content\":{}}",
                "{\"action\":\"decline\"}",
            ),
            ("mcpServer/elicitation/request", form, "{\"action\":\"decline\"}", "{\"action\":\"decline\"}"),
            (
                "item/permissions/requestApproval",
                rights,
                "{\"permissions\":{\"network\":{\"enabled\":true}},\"scope\":\"turn\"}",
                "{\"permissions\":{},\"scope\":\"turn\"}",
            ),
            (
                "item/tool/requestUserInput",
                question,
                "{\"answers\":{\"q\":{\"answers\":[\"A\"]}}}",
                "{\"answers\":{\"q\":{\"answers\":[\"use B\"]}}}",
            ),
        ];
        for (method, params, allowed, denied) in table {
            for (decision, expected) in [(&Decision::AllowOnce, allowed), (&deny, denied)] {
                let mut asks = Asks::default();
                let id = json!(0);
                let asked = asks.ask(Asked { id: &id, method, params: &params }, &[], "/p").expect("asked");
                let (line, _) = asks.answer(&asked.ask, decision).expect("open");
                let result =
                    parse_object(&line).and_then(|line| line.get("result").cloned()).expect("a result");
                assert_eq!(result.to_string(), expected, "{method}");
                assert!(asks.answer(&asked.ask, decision).is_none());
            }
        }
        let id = json!("x");
        let refused =
            Asks::default().ask(Asked { id: &id, method: "item/tool/call", params: &Value::Null }, &[], "/p");
        assert!(refused.expect_err("nobody answers").contains("-32601"));
    }

    #[test]
    fn a_file_change_shows_the_diff_of_its_item() {
        let changes = [json!({"path": "a", "kind": {"type": "add"}, "diff": "x\n"})];
        let (id, params) = (json!(1), json!({"itemId": "call"}));
        let asked = Asked { id: &id, method: "item/fileChange/requestApproval", params: &params };
        let shown = Asks::default().ask(asked, &changes, "/p").expect("asked");
        assert_eq!(
            (shown.paths.as_slice(), shown.item_key.as_deref()),
            (&["a".to_owned()][..], Some("call"))
        );
        assert!(shown.diff.is_some_and(|diff| diff.contains("+x")));
    }
}
