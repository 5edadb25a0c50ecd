//! From a spec to a pack: fixed sections, then shares of what room is left, then the report.

use std::time::Instant;

use sha2::{Digest as _, Sha256};

use crate::context::budget::{Ask, allocate};
use crate::context::error::ContextError;
use crate::context::history::Fitted;
use crate::context::mode;
use crate::context::section::{NEWEST_MESSAGES, Part, Section, SectionCx, Want};
use crate::context::sections::{ALL, IDENTITY_MAX_CHARS};
use crate::context::spec::{PackSpec, Sources};
use crate::context::tokens::estimate_tokens;
use crate::context::trim::{chars, grouped};
use crate::model::pack::{
    ContextPack, LeftOut, Mode, ModeReason, PackReport, PackSection, SectionId, SectionReport,
};

/// A blank line between two sections.
const SEPARATOR_CHARS: usize = 2;

/// With less room than this a fixed section is left out rather than cut.
const LEAST_SECTION_CHARS: usize = 100;

/// Told at the start of an engine's session and then only when they change.
const HELD_SECTIONS: [SectionId; 4] =
    [SectionId::Project, SectionId::PlatformRules, SectionId::Role, SectionId::Identity];

/// Puts together what the agent is told with one request.
///
/// Reads only, through indexes. The pack never exceeds the spec's budget; a section that cannot be read is a
/// line in the report. For the same spec, every engine gets the same text but for the identity section.
///
/// # Errors
/// Only when the store answers nothing at all: sending a request without any memory would mislead the user.
pub fn assemble(spec: &PackSpec, sources: &Sources<'_>) -> Result<ContextPack, ContextError> {
    let started = Instant::now();
    let newest =
        sources.db.recent(spec.conversation, spec.user_seq, NEWEST_MESSAGES).map_err(ContextError::from);
    let last_words = sources.db.last_by_speaker(spec.conversation, spec.user_seq).map_err(ContextError::from);
    if let (Err(error), Err(_)) = (&newest, &last_words) {
        return Err(error.clone());
    }
    let count = newest.as_ref().map_or(0, Vec::len);
    let (mode, mode_reason) = mode::decide(spec.seat.mode, count, false);
    let budget = usize::try_from(spec.budget_chars).unwrap_or(usize::MAX);
    let cx = SectionCx {
        spec,
        mode,
        db: sources.db,
        newest: &newest,
        last_words: &last_words,
        room_chars: budget,
    };
    let mut draft = Draft::default();
    let wanted: Vec<(&dyn Section, Want)> =
        ALL.iter().map(|section| (*section, section.wants(spec, mode))).collect();
    let fixed_hash = draft.fixed(&cx, &wanted, budget);
    let room = budget.saturating_sub(draft.reserved_chars);
    draft.shared(&SectionCx { room_chars: room, ..cx }, &wanted, room);
    Ok(draft.finish(spec, (mode, mode_reason), fixed_hash, started))
}

/// A section that made it into the pack.
struct Placed {
    id: SectionId,
    fitted: Fitted,
    budget_chars: usize,
}

#[derive(Default)]
struct Draft {
    placed: Vec<Placed>,
    left_out: Vec<LeftOut>,
    held: Vec<String>,
    /// Room the fixed sections take, separators included, the same for every engine.
    reserved_chars: usize,
}

impl Draft {
    fn leave_out(&mut self, id: SectionId, why: impl Into<String>) {
        self.left_out.push(LeftOut { id, why: why.into() });
    }

    /// What a section has to say; failures and silence become lines.
    fn load(&mut self, section: &dyn Section, cx: &SectionCx<'_>) -> Option<Part> {
        match section.load(cx) {
            Ok(Some(part)) => {
                self.held.extend(part.held.iter().cloned());
                if part.len_chars() == 0 {
                    let held = !part.held.is_empty();
                    self.leave_out(section.id(), if held { "held by the session" } else { "nothing to say" });
                    return None;
                }
                Some(part)
            }
            Ok(None) => {
                self.leave_out(section.id(), "nothing to say");
                None
            }
            Err(error) => {
                self.leave_out(section.id(), format!("could not be read: {error}"));
                None
            }
        }
    }

    /// Places the fixed sections; returns the hash of those a session holds.
    fn fixed(&mut self, cx: &SectionCx<'_>, wanted: &[(&dyn Section, Want)], budget: usize) -> String {
        let mut parts: Vec<(SectionId, Part, Fitted)> = Vec::new();
        for (section, want) in wanted {
            match want {
                Want::Skip(why) => self.leave_out(section.id(), why.clone()),
                Want::Fixed { max_chars } => {
                    if let Some(part) = self.load(*section, cx) {
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
            self.placed.push(Placed { id, fitted, budget_chars: length });
        }
        fixed_hash
    }

    /// Places the sections that share what the fixed ones left.
    fn shared(&mut self, cx: &SectionCx<'_>, wanted: &[(&dyn Section, Want)], room: usize) {
        let mut parts: Vec<(Ask, Part)> = Vec::new();
        for (section, want) in wanted {
            let Want::Share { weight_tenths, min_chars, max_chars } = want else { continue };
            let Some(part) = self.load(*section, cx) else { continue };
            let ask = Ask {
                id: section.id(),
                len_chars: part.len_chars(),
                weight_tenths: *weight_tenths,
                // No section may demand more than there is, else the last one would leave too.
                min_chars: (*min_chars).min(room),
                max_chars: max_chars.unwrap_or(usize::MAX),
            };
            parts.push((ask, part));
        }
        let asks: Vec<Ask> = parts.iter().map(|(ask, _)| *ask).collect();
        let separators = SEPARATOR_CHARS * parts.len().saturating_sub(1);
        let shares = allocate(room.saturating_sub(separators), &asks);
        for ((ask, part), share) in parts.into_iter().zip(shares) {
            let Some(budget_chars) = share.chars else {
                self.leave_out(ask.id, "no room beside heavier sections");
                continue;
            };
            let fitted = part.fit(budget_chars);
            if fitted.text.is_empty() {
                self.leave_out(ask.id, format!("no room: {} characters were left", grouped(budget_chars)));
                continue;
            }
            self.placed.push(Placed { id: ask.id, fitted, budget_chars });
        }
    }

    fn finish(
        mut self,
        spec: &PackSpec,
        (mode, mode_reason): (Mode, ModeReason),
        fixed_hash: String,
        started: Instant,
    ) -> ContextPack {
        self.placed.sort_by_key(|placed| placed.id);
        self.left_out.sort_by_key(|left| left.id);
        let texts = || self.placed.iter().map(|placed| (placed.id, placed.fitted.text.as_str()));
        let parity_hash = hash(texts().filter(|(id, _)| *id != SectionId::Identity));
        let full_hash = hash(texts());
        let lengths: usize = texts().map(|(_, text)| chars(text)).sum();
        let separators = SEPARATOR_CHARS * self.placed.len().saturating_sub(1);
        let mut sections = Vec::with_capacity(self.placed.len());
        let mut reports = Vec::with_capacity(self.placed.len());
        for Placed { id, fitted, budget_chars } in self.placed {
            reports.push(SectionReport {
                id,
                chars: count(chars(&fitted.text)),
                estimated_tokens: estimate_tokens(&fitted.text),
                budget_chars: count(budget_chars),
                cut: fitted.cut,
                source_ids: fitted.source_ids,
            });
            sections.push(PackSection { id, text: fitted.text });
        }
        let report = PackReport {
            mode,
            mode_reason,
            budget_chars: spec.budget_chars,
            total_chars: count(lengths + separators),
            sections: reports,
            left_out: self.left_out,
            held_by_session: self.held,
            fixed_hash,
            told: std::collections::BTreeMap::new(),
            parity_hash,
            hash: full_hash,
            assembly_micros: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
        };
        ContextPack { sections, report }
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// SHA-256 in hex. Names and lengths are hashed too, so that text cannot move between sections unseen.
fn hash<'a>(sections: impl Iterator<Item = (SectionId, &'a str)>) -> String {
    let mut sha = Sha256::new();
    for (id, text) in sections {
        sha.update(id.label().as_bytes());
        sha.update((text.len() as u64).to_le_bytes());
        sha.update(text.as_bytes());
    }
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
