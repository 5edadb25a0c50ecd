//! The running turn of a Claude Code seat: what the agent says and does, as it comes.

use std::collections::HashSet;

use serde_json::Value;

use crate::engine::claude::blocks::Blocks;
use crate::engine::claude::outcome::window_input;
use crate::engine::claude::tools;
use crate::engine::items::ItemBook;
use crate::engine::wire::{is_true, list_at, one_line, str_at, text_at, u64_at};
use crate::engine::{SeatOutput, TimerId};
use crate::model::message::NoticeLevel;
use crate::model::turn::{TurnEvent, Usage};

/// State of the running turn.
pub struct Turn {
    pub uuid: String,
    pub started: bool,
    pub blocks: Blocks,
    pub book: ItemBook,
    pub denied: HashSet<String>,
    pub model: Option<String>,
    /// Of the last request: what went in, and that with what came out.
    pub window_input_tokens: Option<u64>,
    pub window_used_tokens: Option<u64>,
    /// `error` of the last error that came as an `assistant` line.
    pub error: Option<String>,
    pub cancel: Option<TimerId>,
    pub login: Option<TimerId>,
    pub used: Usage,
    /// Sub-agents that work on after the answer.
    pub background_agents: usize,
    /// The answer is complete, but Claude will speak again when its sub-agents are done.
    pub held: Option<TurnEvent>,
    pub held_until: Option<TimerId>,
    /// `uuid` of the last line of the agent's own words.
    pub fork_point: Option<String>,
}

impl Turn {
    pub fn new(uuid: String) -> Self {
        Self {
            uuid,
            started: false,
            blocks: Blocks::default(),
            book: ItemBook::default(),
            denied: HashSet::new(),
            model: None,
            window_input_tokens: None,
            window_used_tokens: None,
            error: None,
            cancel: None,
            login: None,
            used: Usage::default(),
            background_agents: 0,
            held: None,
            held_until: None,
            fork_point: None,
        }
    }

    pub fn init(&mut self, line: &Value, out: &mut SeatOutput) {
        if is_sub_agent(line) {
            return;
        }
        // Claude speaks again by itself.
        (self.held, self.held_until) = (None, None);
        if self.started {
            return;
        }
        self.started = true;
        self.model = str_at(line, "/model").map(str::to_owned);
        let session = str_at(line, "/session_id").map(str::to_owned);
        out.events.push(TurnEvent::Started { session, model: self.model.clone() });
        for server in list_at(line, "/mcp_servers") {
            if str_at(server, "/status") == Some("failed") {
                let name = text_at(server, "/name");
                notice(NoticeLevel::Warn, &format!("The MCP server {name} did not start."), out);
            }
        }
    }

    /// What the agent says and does.
    pub fn content(&mut self, kind: &str, line: &Value, out: &mut SeatOutput) {
        if kind != "stream_event" && self.blocks.is_repeated(line) {
            out.log.push(format!("a repeated {kind} line"));
            return;
        }
        if let Some(parent) = str_at(line, "/parent_tool_use_id") {
            if kind == "assistant" {
                tools::sub_agent(line, parent, &mut self.book, out);
            }
            return;
        }
        match kind {
            "stream_event" => {
                self.note_window(line);
                if let Some(tool) = self.blocks.stream(line, &mut self.book, out) {
                    tools::show(&tool, &mut self.book, out);
                }
            }
            "assistant" => self.assistant(line, out),
            _ => {
                let host = tools::HostDid { denied: &self.denied, cancelled: self.cancel.is_some() };
                tools::results(line, host, &mut self.book, out);
            }
        }
    }

    fn assistant(&mut self, line: &Value, out: &mut SeatOutput) {
        if is_true(line, "/is_api_error_message") || str_at(line, "/error").is_some() {
            // Its text is the failure's, which the result tells; it is no answer.
            self.error = Some(text_at(line, "/error"));
            return;
        }
        let tools = self.blocks.whole(line, &mut self.book, out);
        // A session cut behind a call lacks its result.
        self.fork_point = str_at(line, "/uuid").filter(|_| tools.is_empty()).map(str::to_owned);
        for tool in tools {
            tools::show(&tool, &mut self.book, out);
        }
    }

    fn note_window(&mut self, line: &Value) {
        match str_at(line, "/event/type") {
            Some("message_start") => {
                let input = line.pointer("/event/message/usage").and_then(window_input);
                self.window_input_tokens = input.or(self.window_input_tokens);
                self.window_used_tokens = self.window_input_tokens;
            }
            Some("message_delta") => {
                let output = u64_at(line, "/event/usage/output_tokens").unwrap_or(0);
                self.window_used_tokens = self.window_input_tokens.map(|input| input.saturating_add(output));
            }
            _ => {}
        }
    }
}

fn is_sub_agent(line: &Value) -> bool {
    str_at(line, "/parent_tool_use_id").is_some()
}

/// A line for the user, if there is anything to say.
pub fn notice(level: NoticeLevel, text: &str, out: &mut SeatOutput) {
    let text = one_line(text);
    if !text.is_empty() {
        out.events.push(TurnEvent::Notice { level, text });
    }
}
