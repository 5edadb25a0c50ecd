//! A list of which as much is told as fits: whole items from the front, then a mark that says what was cut. Pure.

use std::collections::BTreeSet;

use crate::context::history::{Fact, Fitted};
use crate::context::trim::{chars, grouped, keep_head};

/// Room kept for the mark that says what was cut.
const MARK_CHARS: usize = 64;

/// Less of an item than this is not worth telling.
const LEAST_USEFUL_CHARS: usize = 120;

/// One thing to tell. Its fences are closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Row id, for tracing; 0 = none.
    pub id: i64,
    /// Heading line above all items of the same group that stand together; empty = none.
    pub group: String,
    pub text: String,
    /// What is told by it.
    pub fact: Option<Fact>,
    /// Rows of the messages that say the same; where all of them are told whole, it is left out.
    pub messages: Vec<i64>,
    /// Its words as [`squeezed`](crate::context::rounds::squeezed) gives them: where another section shows them, it is
    /// left out. Empty = not compared.
    pub quote: String,
}

/// Items, the most important first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Items {
    pub items: Vec<Item>,
    /// For the mark: `agreement`; many are named with an `s` behind it.
    pub noun: &'static str,
    /// Between two items: a line end, or a blank line.
    pub joint: &'static str,
}

impl Items {
    /// Room it takes to tell all of them.
    pub fn len_chars(&self) -> usize {
        (0..self.items.len()).map(|at| chars(&self.piece(at))).sum()
    }

    /// An item with what stands before it.
    fn piece(&self, at: usize) -> String {
        let Some(item) = self.items.get(at) else { return String::new() };
        let before = at.checked_sub(1).and_then(|before| self.items.get(before));
        let opens = !item.group.is_empty() && before.is_none_or(|before| before.group != item.group);
        let gap = match (before, opens) {
            (None, _) => "",
            (Some(_), true) => "\n\n",
            (Some(_), false) => self.joint,
        };
        if opens {
            return format!("{gap}{}{}{}", item.group, self.joint, item.text);
        }
        format!("{gap}{}", item.text)
    }

    /// The first items that fit `budget_chars`, mark included. With more room it never tells fewer.
    pub fn fit(&self, budget_chars: usize) -> Fitted {
        let pieces: Vec<String> = (0..self.items.len()).map(|at| self.piece(at)).collect();
        let lengths: Vec<usize> = pieces.iter().map(|piece| chars(piece)).collect();
        let all: usize = lengths.iter().sum();
        let room = if all <= budget_chars { all } else { budget_chars.saturating_sub(MARK_CHARS) };
        let mut used = 0;
        let mut kept = 0;
        for length in &lengths {
            if used + length > room {
                break;
            }
            used += length;
            kept += 1;
        }
        let mut text: String = pieces.iter().take(kept).map(String::as_str).collect();
        let told = |count: usize| self.items.iter().take(count);
        let mut fitted = Fitted {
            source_ids: told(kept).map(|item| item.id).filter(|id| *id != 0).collect(),
            told: told(kept).filter_map(|item| item.fact).collect(),
            ..Fitted::default()
        };
        if kept == self.items.len() {
            fitted.text = text;
            return fitted;
        }
        let mut cut_chars = all - used;
        let mut shortened = 0;
        if used < room / 2
            && let (Some(item), Some(piece)) = (self.items.get(kept), pieces.get(kept))
            && let Some(before) = piece.strip_suffix(item.text.as_str())
            && let left = (room - used).saturating_sub(chars(before))
            && left >= LEAST_USEFUL_CHARS
        {
            let head = keep_head(&item.text, left, "more");
            text.push_str(before);
            text.push_str(&head.text);
            fitted.source_ids.extend(Some(item.id).filter(|id| *id != 0));
            shortened = 1;
            cut_chars = cut_chars - chars(&item.text) - chars(before) + head.cut_chars;
        }
        if text.is_empty() {
            fitted.cut = format!("all {}", self.count(self.items.len()));
            return fitted;
        }
        let missing = self.items.len() - kept - shortened;
        if missing > 0 {
            text.push_str("\n\n");
            text.push_str(&format!("… {} more {}", grouped(missing), self.noun(missing)));
            text.push_str(&format!(", {} characters", grouped(cut_chars)));
        }
        let whole = self.items.len() - kept;
        fitted.cut = format!(
            "{} of {} cut, {} characters",
            grouped(whole),
            self.count(self.items.len()),
            grouped(cut_chars)
        );
        fitted.text = text;
        fitted
    }

    fn noun(&self, count: usize) -> String {
        if count == 1 { self.noun.to_owned() } else { format!("{}s", self.noun) }
    }

    fn count(&self, count: usize) -> String {
        format!("{} {}", grouped(count), self.noun(count))
    }

    /// Takes out what is told already; returns how many went.
    pub fn drop_told(&mut self, told: &BTreeSet<Fact>) -> usize {
        let before = self.items.len();
        self.items.retain(|item| {
            let by_messages = !item.messages.is_empty()
                && item.messages.iter().all(|id| told.contains(&Fact::Message(*id)));
            !by_messages && item.fact.is_none_or(|fact| !told.contains(&fact))
        });
        before - self.items.len()
    }
}

#[cfg(test)]
#[path = "items_tests.rs"]
mod tests;
