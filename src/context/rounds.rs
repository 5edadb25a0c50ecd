//! Sharing the room and telling nothing twice, together. Pure.
//!
//! What the conversation's window shows whole is left out of other sections, and then they ask for less; the
//! window gets more room and shows more. So it goes in rounds: share, look what is told whole, leave that out
//! elsewhere, share again.
//!
//! Why this ends, and always the same way:
//! - Things are only ever left out, never taken back. Each round but the last leaves out at least one, and there
//!   are at most [`ROUNDS_MAX`]; a thing left out is told by somebody.
//! - To leave something out makes a section ask for less, and then nobody else's share falls (`allocate`, property
//!   d). All sections stay in the sum, even those that have nothing left, so that who must leave for lack of
//!   room does not change midway.
//! - A list tells more with more room ([`Items::fit`](crate::context::items::Items::fit)). A window nearly always
//!   does; should it show a message shortened that it showed whole before, it keeps its former share, and the
//!   others get the difference.
//! - Who tells a thing first in pack order keeps it. Nothing depends on the order in which sections are looked at.

use std::collections::BTreeSet;

use crate::context::budget::{Ask, Share, allocate};
use crate::context::history::Fact;
use crate::context::section::{Part, Trimmable};
use crate::model::pack::SectionId;

/// Later rounds leave out next to nothing; without an end the window could be fitted as often as it has messages.
/// What is told twice after the last one is left out without sharing again.
const ROUNDS_MAX: usize = 6;

/// A section that shares the room.
pub struct Sharer {
    pub ask: Ask,
    pub part: Part,
    /// Things left out because another section tells them.
    pub repeated: usize,
    /// `None` = it had to leave.
    pub share_chars: Option<usize>,
}

impl Sharer {
    pub fn new(part: Part, weight_tenths: u32, min_chars: usize, max_chars: usize, id: SectionId) -> Self {
        let len_chars = part.len_chars();
        let ask = Ask { id, len_chars, weight_tenths, min_chars, max_chars };
        Self { ask, part, repeated: 0, share_chars: None }
    }

    fn facts(&self, quotes: &[Quote]) -> BTreeSet<Fact> {
        let fitted = self.share_chars.map(|chars| self.part.fit(chars)).unwrap_or_default();
        let mut facts: BTreeSet<Fact> = fitted.told.into_iter().collect();
        if !quotes.is_empty() {
            let said = squeezed(&fitted.text);
            facts.extend(quotes.iter().filter(|quote| said.contains(&quote.words)).map(|quote| quote.fact));
        }
        facts
    }

    fn quotes(&self) -> Vec<Quote> {
        let Trimmable::Items(items) = &self.part.trimmable else { return Vec::new() };
        let with_words = items.items.iter().filter(|item| !item.quote.is_empty());
        let quotes =
            with_words.filter_map(|item| Some(Quote { fact: item.fact?, words: item.quote.clone() }));
        quotes.collect()
    }

    fn is_window(&self) -> bool {
        matches!(self.part.trimmable, Trimmable::History(_))
    }

    /// Sections whose told things matter to others: texts without them need no fitting in between.
    fn tells_facts(&self, quotes: &[Quote]) -> bool {
        !quotes.is_empty()
            || match &self.part.trimmable {
                Trimmable::History(_) => true,
                Trimmable::Items(items) => items.items.iter().any(|item| item.fact.is_some()),
                Trimmable::Skills(skills) => skills.passages.iter().any(|facts| !facts.is_empty()),
                Trimmable::Nothing | Trimmable::Text { .. } => false,
            }
    }
}

/// Words that could stand in another section, too.
struct Quote {
    fact: Fact,
    words: String,
}

/// A text for comparing: its lines without what stands before and behind them, none of them empty.
pub fn squeezed(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.fold(String::new(), |mut out, line| {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(line);
        out
    })
}

/// Gives every sharer its share of `room_chars` and leaves out what is told twice, or was told `before`.
pub fn settle(room_chars: usize, sharers: &mut [Sharer], before: &BTreeSet<Fact>) {
    let quotes: Vec<Quote> = sharers.iter().flat_map(Sharer::quotes).collect();
    let mut shown: Vec<(SectionId, BTreeSet<Fact>)> = Vec::new();
    share(room_chars, sharers, &mut shown, &quotes);
    for _ in 0..ROUNDS_MAX {
        let mut dropped = 0;
        for sharer in sharers.iter_mut() {
            let earlier: BTreeSet<Fact> = shown
                .iter()
                .filter(|(id, _)| *id < sharer.ask.id)
                .flat_map(|(_, facts)| facts)
                .chain(before)
                .copied()
                .collect();
            let gone = sharer.part.drop_told(&earlier);
            if gone > 0 {
                sharer.repeated += gone;
                sharer.ask.len_chars = if sharer.part.is_emptied() { 0 } else { sharer.part.len_chars() };
                dropped += gone;
            }
        }
        if dropped == 0 {
            return;
        }
        share(room_chars, sharers, &mut shown, &quotes);
    }
    leave_out_the_rest(sharers, before, &quotes);
}

/// What the last round still tells twice goes, in pack order; the little room that this frees stays empty.
fn leave_out_the_rest(sharers: &mut [Sharer], before: &BTreeSet<Fact>, quotes: &[Quote]) {
    let mut in_order: Vec<&mut Sharer> = sharers.iter_mut().collect();
    in_order.sort_by_key(|sharer| sharer.ask.id);
    let mut told = before.clone();
    for sharer in in_order {
        let gone = sharer.part.drop_told(&told);
        if gone > 0 {
            sharer.repeated += gone;
            sharer.ask.len_chars = if sharer.part.is_emptied() { 0 } else { sharer.part.len_chars() };
            sharer.share_chars = sharer.share_chars.map(|chars| chars.min(sharer.ask.want_chars()));
        }
        if sharer.tells_facts(quotes) {
            told.extend(sharer.facts(quotes));
        }
    }
}

/// Shares the room; `shown` is what each telling section showed before, and then what it shows now.
fn share(
    room_chars: usize,
    sharers: &mut [Sharer],
    shown: &mut Vec<(SectionId, BTreeSet<Fact>)>,
    quotes: &[Quote],
) {
    let before: Vec<Option<usize>> = sharers.iter().map(|sharer| sharer.share_chars).collect();
    give(room_chars, sharers);
    let mut held_back = false;
    for (sharer, before) in sharers.iter_mut().zip(before) {
        let former = shown.iter().find(|(id, _)| *id == sharer.ask.id).map(|(_, facts)| facts);
        if let (true, Some(former), Some(before)) = (sharer.is_window(), former, before)
            && !former.is_subset(&sharer.facts(quotes))
        {
            sharer.ask.max_chars = before;
            held_back = true;
        }
    }
    if held_back {
        give(room_chars, sharers);
    }
    let telling = sharers.iter().filter(|sharer| sharer.tells_facts(quotes));
    *shown = telling.map(|sharer| (sharer.ask.id, sharer.facts(quotes))).collect();
}

fn give(room_chars: usize, sharers: &mut [Sharer]) {
    let asks: Vec<Ask> = sharers.iter().map(|sharer| sharer.ask).collect();
    for (sharer, Share { chars, .. }) in sharers.iter_mut().zip(allocate(room_chars, &asks)) {
        sharer.share_chars = chars;
    }
}

#[cfg(test)]
#[path = "rounds_tests.rs"]
mod tests;
