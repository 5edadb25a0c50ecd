//! Where a branch comes from.

use crate::context::error::ContextError;
use crate::context::section::SectionCx;
use crate::model::id::{ConversationId, MessageId};
use crate::model::project::Conversation;

/// Deeper nesting is not followed.
const DEPTH_MAX: usize = 16;

/// Where a branch starts: what was said up to `checkpoint`, itself included, is known in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BranchPoint {
    pub parent: ConversationId,
    pub checkpoint: MessageId,
}

/// The parent of this conversation with the message it starts from, then the parent's own, and so on. Empty
/// for a conversation that is no branch, or one that starts knowing nothing. It never leaves the project.
pub(super) fn lineage(cx: &SectionCx<'_>) -> Result<Vec<BranchPoint>, ContextError> {
    let mut out: Vec<BranchPoint> = Vec::new();
    let mut at = cx.db.conversation(cx.spec.conversation)?;
    let point = |conversation: &Conversation| {
        let branch = conversation.branch.as_ref()?;
        Some(BranchPoint { parent: branch.parent, checkpoint: branch.checkpoint? })
    };
    while let Some(point) = at.as_ref().and_then(point) {
        let is_known = out.iter().any(|known| known.parent == point.parent);
        if out.len() >= DEPTH_MAX || is_known {
            break;
        }
        at = cx.db.conversation(point.parent)?.filter(|parent| parent.project == cx.spec.project);
        if at.is_none() {
            break;
        }
        out.push(point);
    }
    Ok(out)
}
