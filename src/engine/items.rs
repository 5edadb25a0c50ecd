//! What was shown of the running answer, by key: so that nothing shows twice, is lost, or grows after its end.

use std::collections::HashMap;

use crate::engine::SeatOutput;
use crate::engine::wire::{Cleaner, OutputBuffer, clean};
use crate::model::message::{ItemBody, ToolCall, ToolState};
use crate::model::turn::TurnEvent;

/// Text that is said, or only thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Text,
    Thinking,
}

impl Said {
    fn body(self, text: String) -> ItemBody {
        match self {
            Self::Text => ItemBody::Text { text },
            Self::Thinking => ItemBody::Thinking { text },
        }
    }

    fn fits(self, body: &ItemBody) -> bool {
        match self {
            Self::Text => matches!(body, ItemBody::Text { .. }),
            Self::Thinking => matches!(body, ItemBody::Thinking { .. }),
        }
    }
}

#[derive(Debug)]
struct Shown {
    body: ItemBody,
    cleaner: Cleaner,
    output: OutputBuffer,
    /// The engine gave its final form.
    closed: bool,
    /// The engine gave this partial up and will say it again; it goes when something new comes.
    void: bool,
}

/// The items of one turn, in the order they came.
#[derive(Debug, Default)]
pub struct ItemBook {
    order: Vec<String>,
    shown: HashMap<String, Shown>,
}

impl ItemBook {
    pub fn contains(&self, key: &str) -> bool {
        self.shown.contains_key(key)
    }

    /// True when the item was given in its final form.
    pub fn is_closed(&self, key: &str) -> bool {
        self.shown.get(key).is_some_and(|shown| shown.closed)
    }

    /// The tool call under this key, as shown.
    pub fn tool(&self, key: &str) -> Option<&ToolCall> {
        match &self.shown.get(key)?.body {
            ItemBody::Tool(call) => Some(call),
            _ => None,
        }
    }

    /// The text under this key, as shown.
    pub fn text(&self, key: &str) -> Option<&str> {
        match &self.shown.get(key)?.body {
            ItemBody::Text { text } | ItemBody::Thinking { text } => Some(text),
            _ => None,
        }
    }

    /// True when the engine gave this partial up.
    pub fn is_void(&self, key: &str) -> bool {
        self.shown.get(key).is_some_and(|shown| shown.void)
    }

    /// More of a text. Starts the item when it is new; what comes after its final form is dropped.
    pub fn say(&mut self, key: &str, said: Said, piece: &str, out: &mut SeatOutput) {
        self.revive(key, out);
        if let Some(shown) = self.shown.get_mut(key) {
            if shown.closed || !said.fits(&shown.body) {
                return;
            }
            let delta = shown.cleaner.push(piece);
            if delta.is_empty() {
                return;
            }
            if let ItemBody::Text { text } | ItemBody::Thinking { text } = &mut shown.body {
                text.push_str(&delta);
            }
            out.events.push(TurnEvent::ItemDelta { key: key.to_owned(), delta });
            return;
        }
        let mut cleaner = Cleaner::default();
        let text = cleaner.push(piece);
        if text.is_empty() {
            return;
        }
        self.start(key, said.body(text), cleaner, out);
    }

    /// The final text. Replaces the draft when it differs; a second final text under the same key wins over the first.
    pub fn said(&mut self, key: &str, said: Said, text: &str, out: &mut SeatOutput) {
        let text = clean(text);
        if text.is_empty() && !self.contains(key) {
            return;
        }
        self.put(key, said.body(text), out);
        self.close(key);
    }

    /// The item as it stands now; starts it when it is new, says nothing when nothing changed.
    pub fn put(&mut self, key: &str, body: ItemBody, out: &mut SeatOutput) {
        self.revive(key, out);
        if let Some(shown) = self.shown.get_mut(key) {
            if shown.body != body {
                shown.body = body.clone();
                out.events.push(TurnEvent::ItemReplaced { key: key.to_owned(), body });
            }
            return;
        }
        self.start(key, body, Cleaner::default(), out);
    }

    /// No more pieces are taken for this key.
    pub fn close(&mut self, key: &str) {
        if let Some(shown) = self.shown.get_mut(key) {
            shown.closed = true;
        }
    }

    /// More output of a running tool.
    pub fn output(&mut self, key: &str, piece: &str, out: &mut SeatOutput) {
        let Some(shown) = self.shown.get_mut(key) else { return };
        let ItemBody::Tool(call) = &mut shown.body else { return };
        if shown.closed {
            return;
        }
        let delta = shown.output.push(piece);
        if !delta.is_empty() {
            call.output.push_str(&delta);
            out.events.push(TurnEvent::ItemDelta { key: key.to_owned(), delta });
        }
    }

    /// The engine gave this partial up. It stays until something new comes, so that a failure leaves it standing.
    pub fn void(&mut self, key: &str) {
        if let Some(shown) = self.shown.get_mut(key)
            && !shown.closed
        {
            shown.void = true;
        }
    }

    /// As [`ItemBook::void`], for every text that is not complete. Tools may go on beside a broken stream.
    pub fn void_open_texts(&mut self) {
        for key in &self.order {
            if let Some(shown) = self.shown.get_mut(key) {
                shown.void |=
                    !shown.closed && !matches!(shown.body, ItemBody::Tool(_) | ItemBody::Plan { .. });
            }
        }
    }

    /// Takes back what was given up.
    pub fn drop_void(&mut self, out: &mut SeatOutput) {
        let shown = &self.shown;
        let gone: Vec<String> =
            self.order.iter().filter(|key| shown.get(*key).is_some_and(|item| item.void)).cloned().collect();
        for key in gone {
            self.withdraw(&key, out);
        }
    }

    /// The engine begins this item: an incomplete draft of it is void at once.
    pub fn restart(&mut self, key: &str, out: &mut SeatOutput) {
        if !self.is_closed(key) {
            self.withdraw(key, out);
        }
    }

    fn withdraw(&mut self, key: &str, out: &mut SeatOutput) {
        if self.shown.remove(key).is_some() {
            self.order.retain(|known| known != key);
            out.events.push(TurnEvent::ItemWithdrawn { key: key.to_owned() });
        }
    }

    /// The turn ends: tools that still run take this state.
    pub fn settle_tools(&mut self, state: ToolState, out: &mut SeatOutput) {
        for key in &self.order {
            let Some(shown) = self.shown.get_mut(key) else { continue };
            let ItemBody::Tool(call) = &mut shown.body else { continue };
            if matches!(call.state, ToolState::Pending | ToolState::Running) {
                call.state = state;
                out.events
                    .push(TurnEvent::ItemReplaced { key: key.clone(), body: ItemBody::Tool(call.clone()) });
            }
        }
    }

    /// True while a tool runs.
    pub fn tool_runs(&self) -> bool {
        self.shown
            .values()
            .any(|shown| matches!(&shown.body, ItemBody::Tool(call) if call.state == ToolState::Running))
    }

    fn start(&mut self, key: &str, body: ItemBody, cleaner: Cleaner, out: &mut SeatOutput) {
        self.drop_void(out);
        self.order.push(key.to_owned());
        let shown = Shown {
            body: body.clone(),
            cleaner,
            output: OutputBuffer::default(),
            closed: false,
            void: false,
        };
        self.shown.insert(key.to_owned(), shown);
        out.events.push(TurnEvent::ItemStarted { key: key.to_owned(), body });
    }

    /// A void item that is spoken of again begins anew.
    fn revive(&mut self, key: &str, out: &mut SeatOutput) {
        if self.shown.get(key).is_some_and(|shown| shown.void) {
            self.drop_void(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_text(events: &[TurnEvent]) -> String {
        let mut texts: Vec<(String, String)> = Vec::new();
        for event in events {
            match event {
                TurnEvent::ItemStarted { key, body: ItemBody::Text { text } } => {
                    texts.push((key.clone(), text.clone()))
                }
                TurnEvent::ItemDelta { key, delta } => {
                    texts.iter_mut().filter(|(k, _)| k == key).for_each(|(_, text)| text.push_str(delta));
                }
                TurnEvent::ItemReplaced { key, body: ItemBody::Text { text } } => {
                    texts.iter_mut().filter(|(k, _)| k == key).for_each(|(_, shown)| shown.clone_from(text));
                }
                TurnEvent::ItemWithdrawn { key } => texts.retain(|(k, _)| k != key),
                _ => {}
            }
        }
        texts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn a_draft_becomes_the_final_text_once() {
        let (mut book, mut out) = (ItemBook::default(), SeatOutput::default());
        book.say("a", Said::Text, "Hel", &mut out);
        book.say("a", Said::Text, "lo", &mut out);
        book.said("a", Said::Text, "Hello", &mut out);
        book.say("a", Said::Text, "late", &mut out);
        book.said("b", Said::Text, "Hello", &mut out);
        book.said("c", Said::Text, "", &mut out);
        assert_eq!(shown_text(&out.events), "Hello|Hello");
        assert_eq!(out.events.len(), 3);
    }

    #[test]
    fn a_given_up_draft_goes_only_when_something_new_comes() {
        let (mut book, mut out) = (ItemBook::default(), SeatOutput::default());
        book.said("done", Said::Text, "kept", &mut out);
        book.say("a", Said::Text, "part", &mut out);
        book.void_open_texts();
        assert_eq!(shown_text(&out.events), "kept|part");
        book.say("a", Said::Text, "par", &mut out);
        book.say("a", Said::Text, "tial", &mut out);
        assert_eq!(shown_text(&out.events), "kept|partial");
        book.void_open_texts();
        book.said("b", Said::Text, "other", &mut out);
        assert_eq!(shown_text(&out.events), "kept|other");
    }

    #[test]
    fn escapes_cut_between_deltas_go() {
        let (mut book, mut out) = (ItemBook::default(), SeatOutput::default());
        book.say("a", Said::Text, "x\u{1b}[3", &mut out);
        book.say("a", Said::Text, "1my", &mut out);
        assert_eq!(shown_text(&out.events), "xy");
    }

    #[test]
    fn tools_settle_at_the_end() {
        let (mut book, mut out) = (ItemBook::default(), SeatOutput::default());
        let running = ToolCall { state: ToolState::Running, ..ToolCall::default() };
        book.put("t", ItemBody::Tool(running.clone()), &mut out);
        book.put("t", ItemBody::Tool(running), &mut out);
        book.output("t", "out\u{7}", &mut out);
        assert!(book.tool_runs());
        book.settle_tools(ToolState::Stopped, &mut out);
        assert!(!book.tool_runs());
        assert_eq!(book.tool("t").map(|call| call.output.as_str()), Some("out"));
        assert_eq!(out.events.len(), 3);
    }
}
