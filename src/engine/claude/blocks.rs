//! Which text belongs where: deltas by message id and block index, reconciled with whole `assistant` lines.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::engine::SeatOutput;
use crate::engine::items::{ItemBook, Said};
use crate::engine::wire::{list_at, str_at, text_at, u64_at};

/// One content block of a streamed message.
#[derive(Debug)]
struct Block {
    index: Option<u64>,
    key: String,
    /// `None` for a tool call.
    said: Option<Said>,
    /// Its whole form came.
    whole: bool,
}

/// The blocks of the running turn, by message.
#[derive(Debug, Default)]
pub struct Blocks {
    messages: HashMap<String, Vec<Block>>,
    /// The message whose stream is open.
    current: String,
    /// Lines that were read already, by their own id.
    lines: HashSet<String>,
    next_key: u64,
}

/// A tool call found in a message, to be shown by `tools`.
#[derive(Debug, PartialEq)]
pub struct FoundTool<'a> {
    pub id: &'a str,
    pub name: &'a str,
    /// `None` while it still streams.
    pub input: Option<&'a Value>,
}

impl Blocks {
    /// True when a line with this `uuid` was read before; a repeated line must not show twice.
    pub fn is_repeated(&mut self, line: &Value) -> bool {
        str_at(line, "/uuid").is_some_and(|id| !self.lines.insert(id.to_owned()))
    }

    /// One `stream_event` of the main agent. Gives a tool call when one begins.
    pub fn stream<'a>(
        &mut self,
        line: &'a Value,
        book: &mut ItemBook,
        out: &mut SeatOutput,
    ) -> Option<FoundTool<'a>> {
        let event = line.get("event")?;
        let index = u64_at(event, "/index");
        match str_at(event, "/type")? {
            "message_start" => self.current = text_at(event, "/message/id"),
            "content_block_start" => return self.block_start(line, event, index, book, out),
            "content_block_delta" => {
                let (said, piece) = match str_at(event, "/delta/type")? {
                    "text_delta" => (Said::Text, str_at(event, "/delta/text")?),
                    "thinking_delta" => (Said::Thinking, str_at(event, "/delta/thinking")?),
                    _ => return None,
                };
                let key = self.open_key(line, index, said);
                book.say(&key, said, piece, out);
            }
            "message_stop" => self.give_up(line, book),
            "content_block_stop" | "message_delta" | "ping" => {}
            _ => out.skipped += 1,
        }
        None
    }

    fn block_start<'a>(
        &mut self,
        line: &Value,
        event: &'a Value,
        index: Option<u64>,
        book: &mut ItemBook,
        out: &mut SeatOutput,
    ) -> Option<FoundTool<'a>> {
        let block = event.get("content_block")?;
        let said = match str_at(block, "/type")? {
            "text" => Said::Text,
            "thinking" => Said::Thinking,
            kind if is_tool(kind) => {
                let id = str_at(block, "/id")?;
                let known = Block { index, key: id.to_owned(), said: None, whole: false };
                let message = self.message_of(line);
                self.messages.entry(message).or_default().push(known);
                return Some(FoundTool { id, name: str_at(block, "/name").unwrap_or_default(), input: None });
            }
            _ => return None,
        };
        let key = self.open_key(line, index, said);
        let piece = str_at(block, if said == Said::Text { "/text" } else { "/thinking" }).unwrap_or_default();
        book.say(&key, said, piece, out);
        None
    }

    /// A broken stream: from this block on the message is void and will be said again.
    fn give_up(&self, line: &Value, book: &mut ItemBook) {
        let Some(from) = u64_at(line, "/abandoned_blocks/from_block_index") else { return };
        let message = self.message_of(line);
        for block in self.messages.get(&message).map_or(&[][..], Vec::as_slice) {
            if !block.whole && block.index.is_none_or(|index| index >= from) {
                book.void(&block.key);
            }
        }
    }

    /// One whole `assistant` line of the main agent. Gives the tool calls it holds.
    pub fn whole<'a>(
        &mut self,
        line: &'a Value,
        book: &mut ItemBook,
        out: &mut SeatOutput,
    ) -> Vec<FoundTool<'a>> {
        let message = text_at(line, "/message/id");
        if let Some(text) = str_at(line, "/message/content") {
            self.whole_text(&message, Said::Text, text, book, out);
            return Vec::new();
        }
        let mut tools = Vec::new();
        for block in list_at(line, "/message/content") {
            match str_at(block, "/type").unwrap_or_default() {
                "text" => self.whole_text(&message, Said::Text, &text_at(block, "/text"), book, out),
                "thinking" => {
                    self.whole_text(&message, Said::Thinking, &text_at(block, "/thinking"), book, out)
                }
                kind if is_tool(kind) => {
                    let Some(id) = str_at(block, "/id") else { continue };
                    book.drop_void(out);
                    let name = str_at(block, "/name").unwrap_or_default();
                    tools.push(FoundTool {
                        id,
                        name,
                        input: Some(block.get("input").unwrap_or(&Value::Null)),
                    });
                }
                "redacted_thinking" => {}
                _ => out.skipped += 1,
            }
        }
        tools
    }

    fn whole_text(
        &mut self,
        message: &str,
        said: Said,
        text: &str,
        book: &mut ItemBook,
        out: &mut SeatOutput,
    ) {
        // Deltas whose message start was lost are filed under no message.
        let waiting = [message, ""].into_iter().find_map(|home| self.waiting_key(home, said, text, book));
        let key = waiting.unwrap_or_else(|| {
            let key = self.fresh_key(message);
            let block = Block { index: None, key: key.clone(), said: Some(said), whole: false };
            self.messages.entry(message.to_owned()).or_default().push(block);
            key
        });
        for block in self.messages.values_mut().flatten().filter(|block| block.key == key) {
            block.whole = true;
        }
        book.said(&key, said, text, out);
    }

    /// Which draft this whole text completes: the one that says the same, else the one that was streamed last.
    /// Drafts that were given up are said again from the first.
    fn waiting_key(&self, message: &str, said: Said, text: &str, book: &ItemBook) -> Option<String> {
        let waiting: Vec<&Block> =
            self.messages.get(message)?.iter().filter(|block| block.waits_for(said)).collect();
        let same = waiting.iter().find(|block| book.text(&block.key) == Some(text));
        let void = waiting.iter().find(|block| book.is_void(&block.key));
        same.or(void).or(waiting.last()).map(|block| block.key.clone())
    }

    /// The key that takes deltas of this block; a block whose whole form came takes none.
    fn open_key(&mut self, line: &Value, index: Option<u64>, said: Said) -> String {
        let message = self.message_of(line);
        let known = self.messages.get(&message).and_then(|blocks| {
            blocks
                .iter()
                .find(|block| block.index == index && block.said == Some(said))
                .map(|block| block.key.clone())
        });
        if let Some(key) = known {
            return key;
        }
        let key = self.fresh_key(&message);
        self.messages.entry(message).or_default().push(Block {
            index,
            key: key.clone(),
            said: Some(said),
            whole: false,
        });
        key
    }

    fn message_of(&self, line: &Value) -> String {
        str_at(line, "/api_message_id").unwrap_or(&self.current).to_owned()
    }

    fn fresh_key(&mut self, message: &str) -> String {
        self.next_key += 1;
        format!("{message}#{}", self.next_key)
    }
}

impl Block {
    fn waits_for(&self, said: Said) -> bool {
        self.said == Some(said) && !self.whole
    }
}

fn is_tool(kind: &str) -> bool {
    matches!(kind, "tool_use" | "server_tool_use" | "mcp_tool_use")
}
