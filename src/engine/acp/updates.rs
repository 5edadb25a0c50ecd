//! What an agent tells while a turn runs (`session/update`), and the state of that turn.

use serde_json::Value;

use crate::engine::SeatOutput;
use crate::engine::wire::{self, Cleaner};
use crate::model::message::{ItemBody, PlanEntry, PlanEntryState, ToolCall, ToolState};
use crate::model::turn::{TurnEvent, Usage};

use super::{AcpDialect, Stage, tools};

/// Which kind of running text is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Text,
    Thinking,
}

/// The text or thinking item that grows.
#[derive(Debug)]
struct Open {
    flow: Flow,
    key: String,
    /// The agent's id of the message, where it tells one.
    message: Option<String>,
    cleaner: Cleaner,
}

/// One running turn.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) cancelled: bool,
    open: Option<Open>,
    flows: u32,
    tools: Vec<(String, ToolCall)>,
    planned: bool,
    usage: Usage,
    /// Cost of the whole session so far, in US dollars.
    pub(super) session_cost: Option<f64>,
}

impl Turn {
    fn chunk(&mut self, flow: Flow, update: &Value, out: &mut SeatOutput) {
        let Some(text) = update["content"].get("text").and_then(Value::as_str) else {
            out.skipped += 1;
            return;
        };
        let message = update.get("messageId").and_then(Value::as_str);
        if let Some(open) =
            self.open.as_mut().filter(|open| open.flow == flow && open.message.as_deref() == message)
        {
            let delta = open.cleaner.push(text);
            if !delta.is_empty() {
                out.events.push(TurnEvent::ItemDelta { key: open.key.clone(), delta });
            }
            return;
        }
        let mut cleaner = Cleaner::default();
        let text = cleaner.push(text);
        if text.is_empty() {
            return;
        }
        self.flows += 1;
        let (key, body) = match flow {
            Flow::Text => (format!("text-{}", self.flows), ItemBody::Text { text }),
            Flow::Thinking => (format!("thinking-{}", self.flows), ItemBody::Thinking { text }),
        };
        self.open = Some(Open { flow, key: key.clone(), message: message.map(str::to_owned), cleaner });
        out.events.push(TurnEvent::ItemStarted { key, body });
    }

    /// Lays `told` over the tool call with this id, new or known, and tells it.
    pub(super) fn tool(&mut self, id: &str, out: &mut SeatOutput, change: impl FnOnce(&mut ToolCall)) {
        self.open = None;
        let known = self.tools.iter().position(|(key, _)| key == id);
        let at = known.unwrap_or(self.tools.len());
        if known.is_none() {
            self.tools.push((id.to_owned(), ToolCall::default()));
        }
        let Some((_, call)) = self.tools.get_mut(at) else { return };
        let before = call.state;
        change(call);
        // A refused call is later told as failed; what the user decided is the truer word.
        if before == ToolState::Denied {
            call.state = ToolState::Denied;
        } else if self.cancelled && matches!(call.state, ToolState::Done | ToolState::Failed) {
            call.state = ToolState::Stopped;
        }
        if matches!(call.state, ToolState::Denied | ToolState::Failed) {
            call.changed_files.clear();
        }
        let (key, body) = (id.to_owned(), ItemBody::Tool(call.clone()));
        out.events.push(match known {
            Some(_) => TurnEvent::ItemReplaced { key, body },
            None => TurnEvent::ItemStarted { key, body },
        });
    }

    pub(super) fn known_tool(&self, id: &str) -> Option<&ToolCall> {
        self.tools.iter().find(|(key, _)| key == id).map(|(_, call)| call)
    }

    fn plan(&mut self, update: &Value, out: &mut SeatOutput) {
        let rows = update.get("entries").and_then(Value::as_array).into_iter().flatten();
        let entries = rows
            .filter_map(|row| {
                let state = match row.get("status").and_then(Value::as_str) {
                    Some("completed") => PlanEntryState::Done,
                    Some("in_progress") => PlanEntryState::InProgress,
                    _ => PlanEntryState::Pending,
                };
                Some(PlanEntry { text: wire::clean(row.get("content")?.as_str()?), state })
            })
            .collect();
        let (key, body) = ("plan".to_owned(), ItemBody::Plan { entries });
        self.open = None;
        out.events.push(if self.planned {
            TurnEvent::ItemReplaced { key, body }
        } else {
            TurnEvent::ItemStarted { key, body }
        });
        self.planned = true;
    }

    fn usage(&mut self, update: &Value, cost_base: Option<f64>, out: &mut SeatOutput) {
        let count = |field: &str| update.get(field).and_then(Value::as_u64).filter(|count| *count > 0);
        self.usage.window_used_tokens = count("used").or(self.usage.window_used_tokens);
        self.usage.window_tokens = count("size").or(self.usage.window_tokens);
        let cost = &update["cost"];
        if cost.get("currency").and_then(Value::as_str).is_none_or(|currency| currency == "USD")
            && let Some(total) = cost.get("amount").and_then(Value::as_f64)
        {
            self.session_cost = Some(total);
            // The agent tells the sum over its session; a turn's share needs a known start.
            self.usage.cost_usd = cost_base.map(|base| (total - base).max(0.0));
        }
        out.events.push(TurnEvent::Usage(self.usage.clone()));
    }

    /// Totals that come with the end of a turn; `None` when nothing was told at all.
    pub(super) fn final_usage(&mut self, result: &Value) -> Option<Usage> {
        let count = |value: &Value, field: &str| value.get(field).and_then(Value::as_u64);
        let told = &result["usage"];
        let quota = &result["_meta"]["quota"]["token_count"];
        // A cancelled turn is told with zeros, which means: not known.
        if told.is_object() && count(told, "totalTokens") != Some(0) {
            self.usage.input_tokens = count(told, "inputTokens");
            self.usage.cached_input_tokens = count(told, "cachedReadTokens");
            self.usage.output_tokens = count(told, "outputTokens");
            self.usage.reasoning_tokens = count(told, "thoughtTokens");
        } else if quota.is_object() {
            self.usage.input_tokens = count(quota, "input_tokens");
            self.usage.output_tokens = count(quota, "output_tokens");
        }
        (self.usage != Usage::default()).then(|| self.usage.clone())
    }

    /// No tool call stays open after its turn.
    pub(super) fn close_tools(&mut self, stopped: bool, out: &mut SeatOutput) {
        let end = if stopped { ToolState::Stopped } else { ToolState::Done };
        for (key, call) in &mut self.tools {
            if matches!(call.state, ToolState::Pending | ToolState::Running) {
                call.state = end;
                out.events
                    .push(TurnEvent::ItemReplaced { key: key.clone(), body: ItemBody::Tool(call.clone()) });
            }
        }
    }
}

impl AcpDialect {
    pub(super) fn update(&mut self, params: &Value, out: &mut SeatOutput) {
        let update = &params["update"];
        let Some(kind) = update.get("sessionUpdate").and_then(Value::as_str) else {
            out.skipped += 1;
            return;
        };
        if self.stage == Stage::Replaying {
            return self.wait_for_quiet(out);
        }
        // A replayed history, another session, or words after the end of a turn.
        let foreign = self.session.as_deref() != params.get("sessionId").and_then(Value::as_str);
        if self.stage != Stage::Ready || foreign {
            return;
        }
        let Some(turn) = &mut self.turn else { return };
        match kind {
            "agent_message_chunk" => turn.chunk(Flow::Text, update, out),
            "agent_thought_chunk" => turn.chunk(Flow::Thinking, update, out),
            "tool_call" | "tool_call_update" => match update.get("toolCallId").and_then(Value::as_str) {
                Some(id) => {
                    let name_of_id = self.profile.tool_name_of_id;
                    turn.tool(id, out, |call| tools::merge(call, update, name_of_id));
                }
                None => out.skipped += 1,
            },
            "plan" => turn.plan(update, out),
            "usage_update" => turn.usage(update, self.cost_base, out),
            "user_message_chunk"
            | "available_commands_update"
            | "current_mode_update"
            | "config_option_update"
            | "session_info_update" => {}
            other => {
                out.skipped += 1;
                out.log.push(format!("skipped the update `{other}`"));
            }
        }
    }
}
