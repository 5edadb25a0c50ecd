//! Where a branch comes from.

use crate::context::error::ContextError;
use crate::context::section::SectionCx;
use crate::model::project::BranchPoint;

/// Deeper nesting is not followed.
const DEPTH_MAX: usize = 16;

/// The parent of this conversation with the message it starts from, then the parent's own, and so on. Empty
/// for a conversation that is no branch. It never leaves the project.
pub(super) fn lineage(cx: &SectionCx<'_>) -> Result<Vec<BranchPoint>, ContextError> {
    let mut out: Vec<BranchPoint> = Vec::new();
    let mut at = cx.db.conversation(cx.spec.conversation)?;
    while let Some(point) = at.as_ref().and_then(|conversation| conversation.branch) {
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
