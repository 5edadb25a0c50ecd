//! What is read to find out whether a branch's request goes to a fork of its parent's session.

use crate::context::{FORKED, Held};
use crate::domain::fork::{ForkFacts, plan_fork};
use crate::model::engine::{EngineId, ForkCap};
use crate::model::id::ConversationId;
use crate::model::pack::SectionId;
use crate::model::project::ConversationKind;
use crate::model::turn::Fork;
use crate::store::{ReadDb, StoreError};

/// The fork for a conversation that has no session of this engine, with what it holds then: all that was said up to
/// the checkpoint. The rest goes out with the request.
///
/// `None` for what is no branch, and where no session of the engine ends at the checkpoint.
pub(in crate::runtime) fn read_fork(
    db: &ReadDb,
    conversation: ConversationId,
    user_seq: i64,
    engine: &EngineId,
    cap: ForkCap,
) -> Result<Option<(Fork, Held)>, StoreError> {
    if cap == ForkCap::None {
        return Ok(None);
    }
    let row = db.conversation(conversation)?.filter(|row| row.kind == ConversationKind::Branch);
    let Some(branch) = row.and_then(|row| row.branch) else { return Ok(None) };
    let Some(checkpoint) = branch.checkpoint else { return Ok(None) };
    let Some(parent) = db.conversation(branch.parent)? else { return Ok(None) };
    // Sessions belong to the folder they were made in.
    let parent_worktree = parent.branch.and_then(|branch| branch.facts.worktree);
    let checkpoint = db.message(checkpoint)?.filter(|message| message.conversation == branch.parent);
    let Some(checkpoint) = checkpoint.filter(|_| branch.facts.worktree == parent_worktree) else {
        return Ok(None);
    };
    let before = db.recent(branch.parent, checkpoint.seq, 1)?.first().map(|message| message.id);
    let turns = db.turns_of(branch.parent)?;
    let kept = db.session(branch.parent, engine)?;
    let facts =
        ForkFacts { engine, cap, checkpoint: &checkpoint, before, turns: &turns, kept: kept.as_ref() };
    let Some(fork) = plan_fork(facts) else { return Ok(None) };
    let mut sections = std::collections::BTreeMap::from([(SectionId::ThreadInheritance, FORKED.to_owned())]);
    if db.recent(conversation, user_seq, 1)?.is_empty() {
        // It hears all messages of the branch itself and needs no summary of them later.
        sections.insert(SectionId::CompressedMemory, FORKED.to_owned());
    }
    // The parent's project and role were told to it by other words maybe, so the branch's own go out.
    let held = Held { delivered_seq: checkpoint.seq, fixed_hash: String::new(), sections };
    Ok(Some((fork, held)))
}
