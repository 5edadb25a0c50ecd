//! From a spec to a pack: fixed sections, then shares of what room is left, then the report.

use std::time::Instant;

use sha2::{Digest as _, Sha256};

use crate::context::draft::{Draft, Placed};
use crate::context::error::ContextError;
use crate::context::mode;
use crate::context::section::{NEWEST_MESSAGES, Section, SectionCx, Want, hex};
use crate::context::sections::ALL;
use crate::context::spec::{PackSpec, Sources};
use crate::context::tiers::{Delivery, delivery};
use crate::context::tokens::estimate_tokens;
use crate::context::trim::chars;
use crate::model::id::ConversationId;
use crate::model::pack::{
    ContextPack, Mode, ModeReason, PackReport, PackSection, SectionId, SectionNote, SectionReport,
};
use crate::store::{ReadDb, StoreError};

/// A blank line between two sections.
pub(in crate::context) const SEPARATOR_CHARS: usize = 2;

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
    let plan = sources.db.active_plan(spec.conversation).map_err(ContextError::from);
    let count = newest.as_ref().map_or(0, Vec::len);
    let (mode, mode_reason) = mode::decide(spec.seat.mode, count, matches!(plan, Ok(Some(_))));
    let budget = usize::try_from(spec.budget_chars).unwrap_or(usize::MAX);
    let cx = SectionCx {
        spec,
        mode,
        db: sources.db,
        newest: &newest,
        last_words: &last_words,
        plan: &plan,
        room_chars: budget,
    };
    let mut draft = Draft::new(spec);
    let mut wanted: Vec<(&dyn Section, Want, Delivery)> = Vec::with_capacity(ALL.len());
    for section in ALL {
        match delivery(section.id(), mode, spec.seat.supply) {
            Delivery::Skip(why) => draft.leave_out(section.id(), why),
            how => wanted.push((*section, section.wants(spec, mode), how)),
        }
    }
    let fixed_hash = draft.fixed(&cx, &wanted, budget);
    let room = budget.saturating_sub(draft.reserved_chars());
    draft.shared(&SectionCx { room_chars: room, ..cx }, &wanted, room);
    Ok(finish(draft, spec, (mode, mode_reason), fixed_hash, started))
}

/// The mode that a pack for this request would have, for deciding which slow sources to ask.
///
/// # Errors
/// The conversation cannot be read.
pub fn mode_of(
    db: &ReadDb,
    conversation: ConversationId,
    user_seq: i64,
    chosen: Option<Mode>,
) -> Result<(Mode, ModeReason), StoreError> {
    if chosen.is_some() {
        return Ok(mode::decide(chosen, 0, false));
    }
    let count = db.recent(conversation, user_seq, NEWEST_MESSAGES)?.len();
    Ok(mode::decide(None, count, db.active_plan(conversation)?.is_some()))
}

fn finish(
    draft: Draft<'_>,
    spec: &PackSpec,
    (mode, mode_reason): (Mode, ModeReason),
    fixed_hash: String,
    started: Instant,
) -> ContextPack {
    let done = draft.done();
    let mut notes = done.notes;
    notes.extend(spec.found.notes.iter().map(|(id, text)| SectionNote { id: *id, text: text.clone() }));
    notes.sort();
    notes.dedup();
    let texts = || done.placed.iter().map(|placed| (placed.id, placed.fitted.text.as_str()));
    let parity_hash = hash(texts().filter(|(id, _)| *id != SectionId::Identity));
    let full_hash = hash(texts());
    let lengths: usize = texts().map(|(_, text)| chars(text)).sum();
    let separators = SEPARATOR_CHARS * done.placed.len().saturating_sub(1);
    let mut sections = Vec::with_capacity(done.placed.len());
    let mut reports = Vec::with_capacity(done.placed.len());
    for Placed { id, fitted, budget_chars, want_chars } in done.placed {
        reports.push(SectionReport {
            id,
            chars: count(chars(&fitted.text)),
            estimated_tokens: estimate_tokens(&fitted.text),
            budget_chars: count(budget_chars),
            want_chars: count(want_chars),
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
        left_out: done.left_out,
        held_by_session: done.held,
        notes,
        fixed_hash,
        told: done.told,
        parity_hash,
        hash: full_hash,
        assembly_micros: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
    };
    ContextPack { sections, report }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// SHA-256 in hex. Names and lengths are hashed too, so that text cannot move between sections unseen.
pub(in crate::context) fn hash<'a>(sections: impl Iterator<Item = (SectionId, &'a str)>) -> String {
    let mut sha = Sha256::new();
    for (id, text) in sections {
        sha.update(id.label().as_bytes());
        sha.update((text.len() as u64).to_le_bytes());
        sha.update(text.as_bytes());
    }
    hex(sha)
}
