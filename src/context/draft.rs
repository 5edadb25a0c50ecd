//! A pack in the making: what got its place, what was left out, what the engine's session holds.

use std::collections::{BTreeMap, BTreeSet};

use crate::context::assemble::{SEPARATOR_CHARS, hash};
use crate::context::error::ContextError;
use crate::context::history::{Fact, Fitted};
use crate::context::rounds::{Sharer, settle};
use crate::context::section::{Part, Section, SectionCx, Trimmable, Want};
use crate::context::sections::IDENTITY_MAX_CHARS;
use crate::context::spec::PackSpec;
use crate::context::tiers::Delivery;
use crate::context::trim::{chars, grouped, keep_head};
use crate::model::pack::{LeftOut, Mode, SectionId, SectionNote};

/// With less room than this a fixed section is left out rather than cut.
const LEAST_SECTION_CHARS: usize = 100;

/// Most of the line that stands for a section.
const LINE_MAX_CHARS: usize = 400;

/// Told at the start of an engine's session and then only when they change.
const HELD_SECTIONS: [SectionId; 4] =
    [SectionId::Project, SectionId::PlatformRules, SectionId::Role, SectionId::Identity];

/// Told in a session once and not again, whatever changes in them: the session heard the rest itself.
const TOLD_ONCE: [SectionId; 2] = [SectionId::ThreadInheritance, SectionId::CompressedMemory];

/// What a session believes until it hears otherwise: when there is nothing any more, it is told so with the heading
/// it knows. `None` = it may go on believing what it was told.
fn over(id: SectionId, mode: Mode) -> Option<(&'static str, &'static str)> {
    let told = match id {
        SectionId::Plan => ("Plan", "No plan is followed any more."),
        SectionId::PlanDocument => ("Plan document", "There is none any more."),
        SectionId::Findings => ("Findings of reviews", "None is open any more."),
        // In Lite those of other conversations are not told, whether there are any or not.
        SectionId::Agreements if mode == Mode::Lite => {
            ("Already decided", "The decisions of this conversation that were told earlier no longer hold.")
        }
        SectionId::Agreements => ("Already decided", "The decisions that were told earlier no longer hold."),
        SectionId::Artifacts => ("Pinned artifacts", "None is pinned any more."),
        SectionId::Skills => ("Skills", "None is switched on any more."),
        SectionId::Project
        | SectionId::PlatformRules
        | SectionId::Role
        | SectionId::Identity
        | SectionId::Participants
        | SectionId::ThreadInheritance
        | SectionId::Recent
        | SectionId::Retrieval
        | SectionId::CompressedMemory
        | SectionId::CodeSearch
        | SectionId::CodeGraph
        | SectionId::CrossSession => return None,
    };
    Some(told)
}

/// In place of a hash: only the line that stands for the section was told.
const LINE_TOLD: &str = "line:";

/// A section that made it into the pack.
pub(in crate::context) struct Placed {
    pub id: SectionId,
    pub fitted: Fitted,
    pub budget_chars: usize,
    pub want_chars: usize,
}

/// What a draft came to, in pack order.
pub(in crate::context) struct Done {
    pub placed: Vec<Placed>,
    pub left_out: Vec<LeftOut>,
    pub held: Vec<String>,
    pub notes: Vec<SectionNote>,
    pub told: BTreeMap<SectionId, String>,
}

pub(in crate::context) struct Draft<'a> {
    spec: &'a PackSpec,
    placed: Vec<Placed>,
    left_out: Vec<LeftOut>,
    /// What the session holds: the fixed sections and messages, then sections by name.
    held: Vec<String>,
    held_names: Vec<(SectionId, String)>,
    notes: Vec<SectionNote>,
    told: BTreeMap<SectionId, String>,
    /// Room the fixed sections take, separators included, the same for every engine.
    reserved_chars: usize,
}

impl<'a> Draft<'a> {
    pub fn new(spec: &'a PackSpec) -> Self {
        let told = spec.held.as_ref().map(|held| held.sections.clone()).unwrap_or_default();
        Self {
            spec,
            placed: Vec::new(),
            left_out: Vec::new(),
            held: Vec::new(),
            held_names: Vec::new(),
            notes: Vec::new(),
            told,
            reserved_chars: 0,
        }
    }

    pub fn reserved_chars(&self) -> usize {
        self.reserved_chars
    }

    pub fn leave_out(&mut self, id: SectionId, why: impl Into<String>) {
        self.left_out.push(LeftOut { id, why: why.into() });
    }

    fn note(&mut self, id: SectionId, text: impl Into<String>) {
        self.notes.push(SectionNote { id, text: text.into() });
    }

    fn hold(&mut self, id: SectionId) {
        self.held_names.push((id, id.label().to_lowercase()));
        self.leave_out(id, "held by the session");
    }

    /// What a section has to say; failures and silence become lines.
    fn load(&mut self, section: &dyn Section, cx: &SectionCx<'_>, how: &Delivery) -> Option<Part> {
        let id = section.id();
        let loaded: Result<Option<Part>, ContextError> = match how {
            Delivery::Line => section.line(cx).map(|line| line.map(|line| line_part(id, &line))),
            Delivery::Whole | Delivery::Skip(_) => section.load(cx),
        };
        match loaded {
            Ok(Some(part)) => {
                self.held.extend(part.held.iter().cloned());
                for note in &part.notes {
                    self.note(id, note.clone());
                }
                if part.len_chars() == 0 {
                    let held = !part.held.is_empty();
                    self.leave_out(id, if held { "held by the session" } else { "nothing to say" });
                    return None;
                }
                Some(part)
            }
            Ok(None) => self.silent(id, cx.mode),
            Err(error) => {
                self.leave_out(id, format!("could not be read: {error}"));
                None
            }
        }
    }

    /// A section with nothing to say; a session that was told otherwise hears that it is over.
    fn silent(&mut self, id: SectionId, mode: Mode) -> Option<Part> {
        // A section that is silent because it could not be read says nothing of what there is.
        let is_known = self.spec.found.notes.iter().all(|(of, _)| *of != id);
        if let Some((heading, line)) = over(id, mode)
            && is_known
            && self.told.contains_key(&id)
        {
            let part = Part::required(format!("## {heading}\n\n{line}"));
            if self.told.get(&id) != Some(&part.hash()) {
                return Some(part);
            }
        }
        self.leave_out(id, "nothing to say");
        None
    }

    /// Places the fixed sections; returns the hash of those a session holds.
    pub fn fixed(
        &mut self,
        cx: &SectionCx<'_>,
        wanted: &[(&dyn Section, Want, Delivery)],
        budget: usize,
    ) -> String {
        let mut parts: Vec<(SectionId, Part, Fitted)> = Vec::new();
        for (section, want, how) in wanted {
            match want {
                Want::Skip(why) => self.leave_out(section.id(), why.clone()),
                Want::Fixed { max_chars } => {
                    if let Some(part) = self.load(*section, cx, how) {
                        let fitted = part.fit(*max_chars);
                        parts.push((section.id(), part, fitted));
                    }
                }
                Want::Share { .. } => {}
            }
        }
        let is_held = |id: SectionId| HELD_SECTIONS.contains(&id);
        let fixed_hash = hash(
            parts.iter().filter(|(id, ..)| is_held(*id)).map(|(id, _, fitted)| (*id, fitted.text.as_str())),
        );
        if cx.spec.held.as_ref().is_some_and(|held| held.fixed_hash == fixed_hash) {
            let (there, rest): (Vec<_>, Vec<_>) = parts.into_iter().partition(|(id, ..)| is_held(*id));
            let names: Vec<String> = there.iter().map(|(id, ..)| id.label().to_lowercase()).collect();
            self.held.insert(0, names.join(", "));
            for (id, ..) in there {
                self.leave_out(id, "held by the session");
            }
            parts = rest;
        }
        self.place_fixed(parts, budget);
        fixed_hash
    }

    fn place_fixed(&mut self, parts: Vec<(SectionId, Part, Fitted)>, budget: usize) {
        // The identity's room does not depend on its length: every engine's other sections get the same.
        let identity_room = IDENTITY_MAX_CHARS.min(budget / 4);
        let mut room = budget.saturating_sub(identity_room + SEPARATOR_CHARS);
        self.reserved_chars = budget - room;
        for (id, part, fitted) in parts {
            let limit =
                if id == SectionId::Identity { identity_room } else { room.saturating_sub(SEPARATOR_CHARS) };
            let fitted = if chars(&fitted.text) <= limit { fitted } else { part.fit(limit) };
            if fitted.text.is_empty() || (limit < LEAST_SECTION_CHARS && !fitted.cut.is_empty()) {
                self.leave_out(id, format!("no room in a budget of {} characters", grouped(budget)));
                continue;
            }
            let length = chars(&fitted.text);
            if id != SectionId::Identity {
                room -= length + SEPARATOR_CHARS;
                self.reserved_chars += length + SEPARATOR_CHARS;
            }
            self.placed.push(Placed { id, fitted, budget_chars: length, want_chars: part.len_chars() });
        }
    }

    /// Places the sections that share what the fixed ones left.
    pub fn shared(&mut self, cx: &SectionCx<'_>, wanted: &[(&dyn Section, Want, Delivery)], room: usize) {
        let mut sharers: Vec<Sharer> = Vec::new();
        let mut hashes: Vec<String> = Vec::new();
        let mut heard_all = true;
        // What the session holds of sections that are not told again.
        let mut before: BTreeSet<Fact> = BTreeSet::new();
        for (section, want, how) in wanted {
            let Want::Share { weight_tenths, min_chars, max_chars } = want else { continue };
            let id = section.id();
            let Some(part) = self.load(*section, cx, how) else {
                heard_all &= id != SectionId::Recent || !self.could_not_be_read(id);
                continue;
            };
            let is_line = *how == Delivery::Line;
            let all = if is_line { format!("{LINE_TOLD}{}", part.hash()) } else { part.hash() };
            if self.is_held(id, &all, is_line) {
                if !is_line && !TOLD_ONCE.contains(&id) {
                    before.extend(part.fit(part.len_chars()).told);
                }
                self.hold(id);
                continue;
            }
            // The last word of every agent is reserved before anybody else gets more than a minimum.
            let reserved = match &part.trimmable {
                Trimmable::History(history) if id == SectionId::Recent => history.last_words_chars(),
                Trimmable::History(_)
                | Trimmable::Nothing
                | Trimmable::Text { .. }
                | Trimmable::Items(_)
                | Trimmable::Skills(_) => 0,
            };
            let min_chars = (*min_chars).max(reserved);
            let max_chars = if is_line { LINE_MAX_CHARS } else { max_chars.unwrap_or(usize::MAX) };
            sharers.push(Sharer::new(part, *weight_tenths, min_chars, max_chars, id));
            hashes.push(all);
        }
        let separators = SEPARATOR_CHARS * sharers.len().saturating_sub(1);
        let room = room.saturating_sub(separators);
        for sharer in &mut sharers {
            // Nobody may demand more than there is, else the last one would leave too.
            sharer.ask.min_chars = sharer.ask.min_chars.min(room);
        }
        settle(room, &mut sharers, &before);
        for (sharer, all) in sharers.into_iter().zip(hashes) {
            heard_all &= self.place(sharer, all);
        }
        // A fresh session that heard all messages itself needs no summary of them later.
        if self.spec.held.is_none() && heard_all {
            self.told.entry(SectionId::CompressedMemory).or_insert_with(|| "heard".to_owned());
        }
    }

    fn could_not_be_read(&self, id: SectionId) -> bool {
        self.left_out.iter().any(|left| left.id == id && left.why != "nothing to say")
    }

    /// True when the session was told all that the part has to say.
    fn is_held(&self, id: SectionId, all: &str, is_line: bool) -> bool {
        if self.spec.held.is_none() || id == SectionId::Recent {
            return false;
        }
        let Some(told) = self.told.get(&id) else { return false };
        told == all || (TOLD_ONCE.contains(&id) && (is_line || !told.starts_with(LINE_TOLD)))
    }

    /// Places a section with its share. False when it is the window and does not show all messages.
    fn place(&mut self, sharer: Sharer, all: String) -> bool {
        let Sharer { ask, part, repeated, share_chars } = sharer;
        let id = ask.id;
        let is_window = id == SectionId::Recent;
        if repeated > 0 {
            self.note(id, format!("{} left out: told already", grouped(repeated)));
        }
        if repeated > 0 && part.is_emptied() {
            self.leave_out(id, "all of it is told already");
            self.told.insert(id, all);
            return true;
        }
        let Some(budget_chars) = share_chars else {
            self.leave_out(id, "no room beside heavier sections");
            return !is_window;
        };
        let fitted = part.fit(budget_chars);
        if fitted.text.is_empty() {
            self.leave_out(id, format!("no room: {} characters were left", grouped(budget_chars)));
            return !is_window;
        }
        let shows_all = match &part.trimmable {
            Trimmable::History(history) => history.total == Some(fitted.source_ids.len()),
            Trimmable::Nothing | Trimmable::Text { .. } | Trimmable::Items(_) | Trimmable::Skills(_) => true,
        };
        if !is_window {
            // What was cut is told again when there is room for more of it.
            let told = if fitted.cut.is_empty() {
                all
            } else {
                hash([(id, all.as_str()), (id, fitted.text.as_str())].into_iter())
            };
            if self.spec.held.is_some() && self.told.get(&id) == Some(&told) {
                self.hold(id);
                return true;
            }
            self.told.insert(id, told);
        }
        let length = chars(&fitted.text);
        // Messages are reckoned with marks and labels; those that are told whole took no more than they are long.
        let (budget_chars, want_chars) =
            if fitted.cut.is_empty() { (length, length) } else { (budget_chars, part.len_chars()) };
        self.placed.push(Placed { id, fitted, budget_chars, want_chars });
        !is_window || shows_all
    }

    pub fn done(mut self) -> Done {
        self.placed.sort_by_key(|placed| placed.id);
        self.left_out.sort_by_key(|left| left.id);
        self.held_names.sort();
        if !self.held_names.is_empty() {
            let names: Vec<String> = self.held_names.into_iter().map(|(_, name)| name).collect();
            self.held.push(names.join(", "));
        }
        Done {
            placed: self.placed,
            left_out: self.left_out,
            held: self.held,
            notes: self.notes,
            told: self.told,
        }
    }
}

fn line_part(id: SectionId, line: &str) -> Part {
    let line = keep_head(line, LINE_MAX_CHARS - chars(id.label()) - 8, "more").text;
    let mut part = Part::required(format!("## {}\n\n{line}", id.label()));
    part.notes.push("one line instead of the text, as the profile says".to_owned());
    part
}
