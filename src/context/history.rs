//! Which messages of a conversation are told, and how much of each. Pure.
//!
//! First the last word of every agent is reserved, whole if all of them fit. Then the window fills from the
//! newest message back until the room is spent. What is left over lets long messages be longer.

use crate::context::budget::allocate_evenly;
use crate::context::trim::{chars, grouped, keep_head_and_tail};

/// Most of one message in the window, unless room is left over.
pub const MAX_PER_MESSAGE_CHARS: usize = 4_000;

/// What a message costs beside its label and text: brackets, blank lines, a mark for a gap before it.
pub const MESSAGE_OVERHEAD_CHARS: usize = 40;

/// A message that would get less than this of the last free room is left out.
const LEAST_USEFUL_CHARS: usize = 200;

/// One message that could be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Row id.
    pub id: i64,
    /// How many messages are newer; `None` = not known, far back.
    pub rank: Option<usize>,
    pub label: String,
    /// The text as it should be told.
    pub text: String,
    /// The same in fewer words, taken when last words do not fit otherwise; `None` = no such form.
    pub slim: Option<String>,
    /// The last word of an agent: never left out for lack of room.
    pub last_word: bool,
    /// `text` has all the words of the message; what tools gave does not count.
    pub has_all_words: bool,
}

impl Entry {
    fn slim(&self) -> &str {
        self.slim.as_deref().unwrap_or(&self.text)
    }

    fn cost(&self, text_chars: usize) -> usize {
        chars(&self.label) + text_chars + MESSAGE_OVERHEAD_CHARS
    }
}

/// What of a conversation is at hand, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    pub heading: String,
    pub entries: Vec<Entry>,
    /// All messages that could be told, read or not; `None` = more than were read, but not how many.
    pub total: Option<usize>,
}

/// A text that fits its room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fitted {
    pub text: String,
    /// What was cut, in words; empty = nothing.
    pub cut: String,
    pub source_ids: Vec<i64>,
    /// What is told whole, so that no other section needs to tell it again.
    pub told: Vec<Fact>,
}

/// Something that could be told twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fact {
    /// The words of a message, by its row id.
    Message(i64),
    /// An agreement, by its row id.
    Agreement(i64),
    /// A passage of code, by its place among those that were found.
    Passage(usize),
}

impl History {
    /// Room it takes to tell all that is at hand.
    pub fn len_chars(&self) -> usize {
        if self.entries.is_empty() {
            return 0;
        }
        let costs: usize = self.entries.iter().map(|entry| entry.cost(chars(&entry.text))).sum();
        self.frame_chars() + costs
    }

    /// Room it takes to tell the last word of every agent, results of tools left aside.
    pub fn last_words_chars(&self) -> usize {
        let musts = self.entries.iter().filter(|entry| entry.last_word);
        let costs: usize = musts.map(|entry| entry.cost(chars(entry.slim()))).sum();
        if costs == 0 { 0 } else { self.frame_chars() + costs }
    }

    fn frame_chars(&self) -> usize {
        chars(&self.heading) + MESSAGE_OVERHEAD_CHARS
    }

    /// The part that fits `budget_chars`, oldest message first.
    pub fn fit(&self, budget_chars: usize) -> Fitted {
        let mut told: Vec<Option<String>> = vec![None; self.entries.len()];
        if let Some(room) = budget_chars.checked_sub(self.frame_chars()) {
            let room = self.tell_last_words(room, &mut told);
            self.tell_window(room, &mut told);
        }
        self.write(&told)
    }

    /// Returns the room left.
    fn tell_last_words(&self, room: usize, told: &mut [Option<String>]) -> usize {
        let window_chars: usize = self
            .entries
            .iter()
            .filter(|entry| !entry.last_word)
            .map(|entry| entry.cost(chars(&entry.text).min(MAX_PER_MESSAGE_CHARS)))
            .sum();
        let mut musts: Vec<(&Entry, &mut Option<String>)> =
            self.entries.iter().zip(told).filter(|(entry, _)| entry.last_word).collect();
        let full: usize = musts.iter().map(|(entry, _)| entry.cost(chars(&entry.text))).sum();
        let slim: usize = musts.iter().map(|(entry, _)| entry.cost(chars(entry.slim()))).sum();
        if full <= room || slim <= room {
            for (entry, told) in musts {
                let text = if full <= room { &entry.text } else { entry.slim() };
                *told = Some(text.to_owned());
            }
            return room - if full <= room { full } else { slim };
        }
        // Not even the labels fit: the oldest go. No settable budget is that small.
        while musts.iter().map(|(entry, _)| entry.cost(0)).sum::<usize>() > room {
            musts.pop();
        }
        let labels: usize = musts.iter().map(|(entry, _)| entry.cost(0)).sum();
        let wants: Vec<usize> = musts.iter().map(|(entry, _)| chars(entry.slim())).collect();
        let mut left = room - labels;
        // The newest other messages are what the request most likely is about: they keep a quarter.
        let shares = allocate_evenly(left - (left / 4).min(window_chars), &wants);
        for ((entry, told), share) in musts.into_iter().zip(shares) {
            let text = keep_head_and_tail(entry.slim(), share).text;
            left -= chars(&text);
            *told = Some(text);
        }
        left
    }

    fn tell_window(&self, mut room: usize, told: &mut [Option<String>]) {
        let mut window: Vec<(&Entry, &mut Option<String>, usize)> = Vec::new();
        let mut cap = MAX_PER_MESSAGE_CHARS;
        for (entry, told) in self.entries.iter().zip(told) {
            if entry.last_word {
                continue;
            }
            let len = chars(&entry.text);
            let cost = entry.cost(len.min(cap));
            if cost <= room {
                room -= cost;
                window.push((entry, told, len));
                continue;
            }
            if window.is_empty() && room >= entry.cost(LEAST_USEFUL_CHARS) {
                cap = room - entry.cost(0);
                room = 0;
                window.push((entry, told, len));
            }
            break;
        }
        let spent: usize = window.iter().map(|(_, _, len)| (*len).min(cap)).sum();
        let used = |cap: usize| window.iter().map(|(_, _, len)| (*len).min(cap)).sum::<usize>();
        let (mut low, mut high) = (cap, cap + room);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if used(middle) <= spent + room { low = middle } else { high = middle - 1 }
        }
        for (entry, told, _) in window {
            *told = Some(keep_head_and_tail(&entry.text, low).text);
        }
    }

    fn write(&self, told: &[Option<String>]) -> Fitted {
        let shown =
            || self.entries.iter().zip(told).filter_map(|(entry, text)| Some((entry, text.as_ref()?)));
        let mut parts: Vec<String> = Vec::new();
        let mut source_ids = Vec::new();
        let mut older = self.total;
        let mut told_whole = Vec::new();
        let mut shortened = 0;
        for (entry, text) in shown().collect::<Vec<_>>().into_iter().rev() {
            let gap = match (older, entry.rank) {
                (Some(older), Some(rank)) => Some(older.saturating_sub(rank + 1)),
                _ => None,
            };
            parts.extend(gap_mark(gap));
            parts.push(format!("[{}]\n{text}", entry.label));
            source_ids.push(entry.id);
            if entry.has_all_words && (*text == entry.text || Some(text) == entry.slim.as_ref()) {
                told_whole.push(Fact::Message(entry.id));
            }
            shortened += usize::from(*text != entry.text);
            older = entry.rank;
        }
        let missing = self.total.map(|total| total.saturating_sub(source_ids.len()));
        let cut = cut_words(missing, shortened);
        if parts.is_empty() {
            return Fitted { cut, ..Fitted::default() };
        }
        parts.extend(gap_mark(older.map_or(Some(0), Some)));
        let text = format!("{}{}", self.heading, parts.join("\n\n"));
        Fitted { text, cut, source_ids, told: told_whole }
    }
}

fn gap_mark(missing: Option<usize>) -> Option<String> {
    match missing {
        Some(0) => None,
        Some(1) => Some("… 1 message not shown".to_owned()),
        Some(count) => Some(format!("… {} messages not shown", grouped(count))),
        None => Some("… messages not shown".to_owned()),
    }
}

fn cut_words(missing: Option<usize>, shortened: usize) -> String {
    let counted = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 message {what}")),
        _ => Some(format!("{} messages {what}", grouped(count))),
    };
    let missing = match missing {
        None => Some("older messages not shown".to_owned()),
        Some(missing) => counted(missing, "not shown"),
    };
    let parts: Vec<String> = [missing, counted(shortened, "shortened")].into_iter().flatten().collect();
    parts.join(", ")
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
