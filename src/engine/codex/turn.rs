//! The running turn of a Codex thread: its items, as they come.

use std::collections::HashMap;

use serde_json::Value;

use crate::engine::codex::items;
use crate::engine::codex::outcome::Totals;
use crate::engine::items::{ItemBook, Said};
use crate::engine::wire::{list_at, one_line, str_at, text_at, u64_at};
use crate::engine::{SeatOutput, TimerId};
use crate::model::message::NoticeLevel;
use crate::model::turn::TurnEvent;

/// State of one turn.
#[derive(Debug, Default)]
pub struct Turn {
    /// What is to be sent, until it was sent.
    pub prompt: String,
    /// Codex's own id of the turn, once known.
    pub id: Option<String>,
    pub book: ItemBook,
    /// Changes of each file change item, as a request for it names only the item.
    changes: HashMap<String, Vec<Value>>,
    pub totals: Option<Totals>,
    /// A final error; the turn's end follows it.
    pub error: Option<Value>,
    pub error_timer: Option<TimerId>,
    /// Runs while Codex waits for the network.
    pub network: Option<TimerId>,
    pub retries: u32,
    pub cancel: Option<TimerId>,
}

impl Turn {
    pub fn new(prompt: &str) -> Self {
        Self { prompt: prompt.to_owned(), ..Self::default() }
    }

    /// The changes told for a file change item.
    pub fn changes_of(&self, item: &str) -> &[Value] {
        self.changes.get(item).map_or(&[], Vec::as_slice)
    }

    pub fn show(&mut self, item: &Value, done: bool, out: &mut SeatOutput) {
        if let (Some("fileChange"), Some(id)) = (str_at(item, "/type"), str_at(item, "/id")) {
            self.changes.insert(id.to_owned(), list_at(item, "/changes").to_vec());
        }
        items::show(item, done, &mut self.book, out);
    }

    /// One notification that belongs to this turn.
    pub fn told(&mut self, method: &str, params: &Value, out: &mut SeatOutput) {
        let item = params.get("item").unwrap_or(&Value::Null);
        if self.network.is_some() && method.starts_with("item/") {
            (self.network, self.error) = (None, None);
        }
        match method {
            "item/started" => self.show(item, false, out),
            "item/completed" => self.show(item, true, out),
            "item/agentMessage/delta" | "item/plan/delta" => self.say(Said::Text, params, out),
            "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta" => {
                self.say(Said::Thinking, params, out)
            }
            "item/reasoning/summaryPartAdded" => {
                let id = text_at(params, "/itemId");
                if u64_at(params, "/summaryIndex").is_some_and(|index| index > 0) && self.book.contains(&id) {
                    self.book.say(&id, Said::Thinking, "\n\n", out);
                }
            }
            "item/commandExecution/outputDelta" | "item/fileChange/outputDelta" => {
                self.book.output(&text_at(params, "/itemId"), &text_at(params, "/delta"), out);
            }
            "item/mcpToolCall/progress" => {
                self.book.output(
                    &text_at(params, "/itemId"),
                    &format!("{}\n", text_at(params, "/message")),
                    out,
                );
            }
            "item/fileChange/patchUpdated" => {
                let id = text_at(params, "/itemId");
                self.changes.insert(id, list_at(params, "/changes").to_vec());
            }
            "turn/plan/updated" => items::plan(params, &mut self.book, out),
            "warning" | "guardianWarning" => notice(NoticeLevel::Warn, &text_at(params, "/message"), out),
            "model/rerouted" => {
                let text = format!("Codex went on with the model {}.", text_at(params, "/toModel"));
                notice(NoticeLevel::Info, &text, out);
            }
            "mcpServer/startupStatus/updated" => {
                if str_at(params, "/status") == Some("failed") {
                    let name = text_at(params, "/name");
                    notice(NoticeLevel::Warn, &format!("The MCP server {name} did not start."), out);
                }
            }
            _ if is_known(method) => {}
            _ => {
                out.skipped += 1;
                out.log.push(format!("unknown method {method:?}"));
            }
        }
    }

    fn say(&mut self, said: Said, params: &Value, out: &mut SeatOutput) {
        let (Some(id), Some(delta)) = (str_at(params, "/itemId"), str_at(params, "/delta")) else {
            out.skipped += 1;
            return;
        };
        self.book.say(id, said, delta, out);
    }
}

/// Notifications that are understood and change nothing here.
fn is_known(method: &str) -> bool {
    const KNOWN: &[&str] =
        &["thread/", "turn/", "hook/", "account/", "remoteControl/", "skills/", "app/", "modelProvider/"];
    KNOWN.iter().any(|front| method.starts_with(front)) || method == "deprecationNotice"
}

fn notice(level: NoticeLevel, text: &str, out: &mut SeatOutput) {
    let text = one_line(text);
    if !text.is_empty() {
        out.events.push(TurnEvent::Notice { level, text });
    }
}
