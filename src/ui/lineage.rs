//! Where branches hang: their ancestors, what is below them, and their order in a list.

use std::sync::Arc;

use crate::api::snapshot::{ConversationRow, Snapshot};
use crate::model::id::ConversationId;

/// Deepest nesting that is drawn.
const DEPTH_MAX: usize = 6;

/// The row of a conversation of the current project.
#[must_use]
pub fn row(snap: &Snapshot, id: ConversationId) -> Option<&Arc<ConversationRow>> {
    snap.conversations.iter().find(|row| row.conversation.id == id)
}

/// The conversation a branch starts from; `None` for a main conversation.
#[must_use]
pub fn parent(row: &ConversationRow) -> Option<ConversationId> {
    row.conversation.branch.as_ref().map(|branch| branch.parent)
}

/// The way from the main conversation down to `id`, both included; a missing ancestor ends it there.
#[must_use]
pub fn path(snap: &Snapshot, id: ConversationId) -> Vec<&Arc<ConversationRow>> {
    let mut path = Vec::new();
    let mut at = row(snap, id);
    while let Some(here) = at {
        // A row that names itself as its own ancestor must not hang the window.
        if path.iter().any(|seen: &&Arc<ConversationRow>| seen.conversation.id == here.conversation.id) {
            break;
        }
        path.push(here);
        at = parent(here).and_then(|id| row(snap, id));
    }
    path.reverse();
    path
}

/// The main conversation above a branch; `None` when `id` is none or its main conversation is not there.
#[must_use]
pub fn root(snap: &Snapshot, id: ConversationId) -> Option<ConversationId> {
    parent(row(snap, id)?)?;
    let top = *path(snap, id).first()?;
    top.conversation.branch.is_none().then_some(top.conversation.id)
}

/// Branches below a conversation, at any depth.
#[must_use]
pub fn below(snap: &Snapshot, id: ConversationId) -> usize {
    let hangs = |row: &&Arc<ConversationRow>| {
        row.conversation.id != id
            && path(snap, row.conversation.id).iter().any(|above| above.conversation.id == id)
    };
    snap.conversations.iter().filter(hangs).count()
}

/// Rows in their order, each branch below the branch it starts from, with its depth.
#[must_use]
pub fn tree<'a>(rows: &[&'a Arc<ConversationRow>]) -> Vec<(u8, &'a Arc<ConversationRow>)> {
    let listed = |id: ConversationId| rows.iter().any(|row| row.conversation.id == id);
    let mut out = Vec::with_capacity(rows.len());
    for row in rows {
        if parent(row).is_none_or(|id| !listed(id)) {
            hang(rows, row, 0, &mut out);
        }
    }
    // Rows that are each other's ancestors hang on nothing; they must be seen to be mended or deleted.
    if out.len() < rows.len() {
        let is_in = |out: &[(u8, &Arc<ConversationRow>)], row: &Arc<ConversationRow>| {
            out.iter().any(|(_, other)| other.conversation.id == row.conversation.id)
        };
        for row in rows {
            if !is_in(&out, row) {
                out.push((0, row));
            }
        }
    }
    out
}

fn hang<'a>(
    rows: &[&'a Arc<ConversationRow>],
    row: &'a Arc<ConversationRow>,
    depth: u8,
    out: &mut Vec<(u8, &'a Arc<ConversationRow>)>,
) {
    out.push((depth, row));
    let inner = depth.saturating_add(1).min(u8::try_from(DEPTH_MAX).unwrap_or(u8::MAX));
    for child in rows.iter().filter(|child| parent(child) == Some(row.conversation.id)) {
        if out.len() <= rows.len() {
            hang(rows, child, inner, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testing;
    use crate::ui::testing::branches::{DEEP, PKCE};

    #[test]
    fn a_branch_in_a_branch_is_found_from_both_ends() {
        let snap = testing::snapshot("branch-drawer");
        let ids: Vec<ConversationId> = path(&snap, DEEP).iter().map(|row| row.conversation.id).collect();
        assert_eq!(ids, [testing::SHOWN, PKCE, DEEP]);
        assert_eq!((root(&snap, DEEP), root(&snap, testing::SHOWN)), (Some(testing::SHOWN), None));
        assert_eq!((below(&snap, PKCE), below(&snap, DEEP)), (1, 0));
        let rows: Vec<_> = snap.conversations.iter().filter(|row| parent(row).is_some()).collect();
        let tree = tree(&rows);
        let at = tree.iter().position(|(_, row)| row.conversation.id == PKCE).unwrap();
        assert_eq!((tree[at].0, tree[at + 1].0, tree[at + 1].1.conversation.id), (0, 1, DEEP));
        assert_eq!(tree.len(), rows.len());
    }

    #[test]
    fn a_row_that_is_its_own_ancestor_ends_the_way() {
        let mut snap = testing::snapshot("branch-drawer");
        let turned = snap.conversations.iter().map(|row| {
            let mut row = (**row).clone();
            if row.conversation.id == PKCE
                && let Some(branch) = &mut row.conversation.branch
            {
                branch.parent = DEEP;
            }
            Arc::new(row)
        });
        snap.conversations = turned.collect();
        assert_eq!(root(&snap, PKCE), None);
        assert_eq!(path(&snap, DEEP).len(), 2);
        let rows: Vec<_> = snap.conversations.iter().filter(|row| parent(row).is_some()).collect();
        let mut shown: Vec<ConversationId> = tree(&rows).iter().map(|(_, row)| row.conversation.id).collect();
        shown.sort_unstable();
        shown.dedup();
        assert_eq!(shown.len(), rows.len(), "each is still listed");
    }
}
