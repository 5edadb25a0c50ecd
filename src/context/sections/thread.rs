//! What was said before a branch left its parent: the message it starts from, and the turns before it.

use crate::context::error::ContextError;
use crate::context::history::{Entry, History};
use crate::context::section::{Part, Section, SectionCx, Trimmable, Want};
use crate::context::sections::lineage::lineage;
use crate::context::spec::PackSpec;
use crate::context::transcript::{Detail, body, label};
use crate::model::message::{Author, Message};
use crate::model::pack::{Mode, SectionId};

/// Turns of the parent that are told, the one with the checkpoint included.
const TURNS: usize = 4;

/// A turn of many answers does not take the rest's place.
const MESSAGES_MAX: u32 = 32;

const HEADING: &str = "## Before this branch\n\nThis conversation branched off another one after the last \
message here.\n\n";

/// The user deleted or replaced it since.
const HEADING_CUT: &str = "## Before this branch\n\nThis conversation branched off another one. The message it \
started from has been removed there since; this is what was said before it.\n\n";

pub(super) struct Thread;

impl Section for Thread {
    fn id(&self) -> SectionId {
        SectionId::ThreadInheritance
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Share { weight_tenths: 15, min_chars: 800, max_chars: Some(6_000) }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let mut turns = 0;
        let mut heading = HEADING;
        let mut entries: Vec<Entry> = Vec::new();
        'before: for (at, origin) in lineage(cx)?.into_iter().enumerate() {
            let checkpoint = cx.db.message(origin.checkpoint)?;
            if checkpoint.as_ref().is_some_and(|message| message.conversation != origin.parent) {
                // Further up it only makes the story shorter.
                if at == 0 {
                    return Err(ContextError::NoCheckpoint(origin.checkpoint));
                }
                break;
            }
            if at == 0 && checkpoint.is_none() {
                heading = HEADING_CUT;
            }
            // A message's id is its place: of a checkpoint that was taken out since, what came before is left.
            let seq = checkpoint.map_or(origin.checkpoint.0, |message| message.seq);
            for message in cx.db.recent(origin.parent, seq.saturating_add(1), MESSAGES_MAX)? {
                if entries.len() >= MESSAGES_MAX as usize {
                    break 'before;
                }
                turns += usize::from(message.author == Author::User);
                entries.extend(entry(&message, entries.len()));
                if turns == TURNS {
                    break 'before;
                }
            }
        }
        if entries.is_empty() {
            return Ok(None);
        }
        let total = Some(entries.len());
        let history = History { heading: heading.to_owned(), entries, total };
        Ok(Some(Part { trimmable: Trimmable::History(Box::new(history)), ..Part::default() }))
    }
}

/// The newest one is the message the branch starts from: it is never left out.
fn entry(message: &Message, rank: usize) -> Option<Entry> {
    let text = body(message, Detail::Words);
    let label = label(&message.author);
    let (id, is_anchor) = (message.id.0, rank == 0);
    (!text.is_empty()).then_some(Entry {
        id,
        rank: Some(rank),
        label,
        text,
        slim: None,
        last_word: is_anchor,
        has_all_words: true,
    })
}
