//! Questions of an agent to its host, and their answers.

use serde_json::{Value, json};

use crate::engine::SeatOutput;
use crate::engine::wire;
use crate::model::message::{NoticeLevel, ToolCall, ToolKind, ToolState};
use crate::model::turn::{Decision, PermissionRequest, TurnEvent};

use super::{AcpDialect, tools};

/// One open question.
#[derive(Debug)]
struct Ask {
    ask: String,
    /// The agent's id of its request, given back as it came.
    id: Value,
    options: Value,
    item_key: Option<String>,
}

/// The open questions, oldest first.
#[derive(Debug, Default)]
pub(super) struct Asks(Vec<Ask>);

impl Asks {
    fn take(&mut self, ask: &str) -> Option<Ask> {
        let at = self.0.iter().position(|open| open.ask == ask)?;
        Some(self.0.remove(at))
    }

    /// The agent asks no longer.
    pub(super) fn drop_all(&mut self, out: &mut SeatOutput) {
        out.events.extend(self.0.drain(..).map(|open| TurnEvent::PermissionGone { ask: open.ask }));
    }

    /// The turn is being cancelled, which answers every question.
    pub(super) fn cancel_all(&mut self, out: &mut SeatOutput) {
        out.lines.extend(self.0.iter().map(|open| cancelled(&open.id)));
        self.drop_all(out);
    }
}

fn cancelled(id: &Value) -> String {
    wire::rpc_result(id, &json!({"outcome": {"outcome": "cancelled"}}))
}

fn selected(id: &Value, option: &str) -> String {
    wire::rpc_result(id, &json!({"outcome": {"outcome": "selected", "optionId": option}}))
}

/// The id of the option of this kind; ids differ between agents, kinds do not.
fn option_of<'a>(options: &'a Value, kind: &str) -> Option<&'a str> {
    options.as_array()?.iter().find(|option| option["kind"] == kind)?.get("optionId")?.as_str()
}

impl AcpDialect {
    pub(super) fn permission_asked(&mut self, id: &Value, params: &Value, out: &mut SeatOutput) {
        let Some(turn) = self.turn.as_mut().filter(|turn| !turn.cancelled) else {
            out.lines.push(cancelled(id));
            return;
        };
        let options = &params["options"];
        let told = &params["toolCall"];
        let item_key = told.get("toolCallId").and_then(Value::as_str).map(str::to_owned);
        let name_of_id = self.profile.tool_name_of_id;
        let mut call = ToolCall::default();
        if let Some(key) = &item_key {
            turn.tool(key, out, |known| {
                // The question tells the input its own way; what the call itself told is the truer one.
                let input = std::mem::take(&mut known.input);
                tools::merge(known, told, name_of_id);
                if !input.is_empty() {
                    known.input = input;
                }
            });
            call = turn.known_tool(key).cloned().unwrap_or_default();
        } else {
            tools::merge(&mut call, told, name_of_id);
        }
        if self.seat.skip_permissions
            && !self.seat.words_only
            && let Some(option) =
                option_of(options, "allow_once").or_else(|| option_of(options, "allow_always"))
        {
            out.lines.push(selected(id, option));
            return;
        }
        let input = &told["rawInput"];
        let command = (call.kind == ToolKind::Run || input.get("command").is_some()).then(|| {
            tools::command_of(input)
                .or_else(|| tools::title_whole(told))
                .unwrap_or_else(|| call.input.clone())
        });
        let folder = input.get("cwd").and_then(Value::as_str).map(str::to_owned);
        let ask = wire::id_key(id);
        let request = PermissionRequest {
            ask: ask.clone(),
            tool: call.name.clone(),
            action: tools::action_of(call.kind),
            command,
            diff: tools::diff_of(told),
            paths: tools::paths(told),
            folder: folder.or_else(|| Some(self.seat.cwd.to_string_lossy().into_owned())),
            reason: tools::texts_of(told).map(|text| wire::clean(&text)),
            item_key: item_key.clone(),
        };
        self.asks.0.push(Ask { ask, id: id.clone(), options: options.clone(), item_key });
        out.events.push(TurnEvent::PermissionAsked(request));
    }

    pub(super) fn permission_answered(&mut self, ask: &str, decision: &Decision, out: &mut SeatOutput) {
        let Some(open) = self.asks.take(ask) else { return };
        let option = match decision {
            Decision::AllowOnce => option_of(&open.options, "allow_once"),
            Decision::Deny { .. } => {
                option_of(&open.options, "reject_once").or_else(|| option_of(&open.options, "reject_always"))
            }
        };
        match (option, decision) {
            (Some(option), _) => out.lines.push(selected(&open.id, option)),
            (None, Decision::Deny { .. }) => out.lines.push(cancelled(&open.id)),
            (None, Decision::AllowOnce) => {
                // More than what was allowed is never chosen.
                let text = "The agent offered no way to allow this once, so it was refused.".to_owned();
                out.events.push(TurnEvent::Notice { level: NoticeLevel::Warn, text });
                let option = option_of(&open.options, "reject_once").map(str::to_owned);
                out.lines
                    .push(option.map_or_else(|| cancelled(&open.id), |option| selected(&open.id, &option)));
            }
        }
        if let (Some(key), Some(turn)) = (&open.item_key, &mut self.turn) {
            // Not every agent tells that an allowed call begins, or that a refused one ended.
            let state = match decision {
                Decision::AllowOnce => ToolState::Running,
                Decision::Deny { .. } => ToolState::Denied,
            };
            turn.tool(key, out, |call| call.state = state);
        }
    }
}
