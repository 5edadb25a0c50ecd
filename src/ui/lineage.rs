//! Where branches hang: their ancestors, what is below them, and their order in a list.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::api::snapshot::{ConversationRow, Snapshot};
use crate::model::id::ConversationId;

/// Deepest nesting that is drawn.
const DEPTH_MAX: u8 = 6;

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

/// Branches below a conversation, at any depth, nearest first.
#[must_use]
pub fn under(snap: &Snapshot, id: ConversationId) -> Vec<&Arc<ConversationRow>> {
    let mut children: HashMap<ConversationId, Vec<&Arc<ConversationRow>>> = HashMap::new();
    for row in snap.conversations.iter() {
        if let Some(parent) = parent(row) {
            children.entry(parent).or_default().push(row);
        }
    }
    // Each is taken once, so rows that are each other's ancestors come to an end.
    let mut found = Vec::new();
    let mut from = vec![id];
    while let Some(above) = from.pop() {
        for row in children.remove(&above).unwrap_or_default() {
            if row.conversation.id != id {
                found.push(row);
                from.push(row.conversation.id);
            }
        }
    }
    found
}

/// How many branches are below a conversation, at any depth.
#[must_use]
pub fn below(snap: &Snapshot, id: ConversationId) -> usize {
    under(snap, id).len()
}

/// Rows in their order, each branch below the branch it starts from, with its depth.
#[must_use]
pub fn tree<'a>(rows: &[&'a Arc<ConversationRow>]) -> Vec<(u8, &'a Arc<ConversationRow>)> {
    let listed: HashSet<ConversationId> = rows.iter().map(|row| row.conversation.id).collect();
    let mut children: HashMap<ConversationId, Vec<&'a Arc<ConversationRow>>> = HashMap::new();
    let mut tops = Vec::new();
    for row in rows {
        match parent(row).filter(|id| listed.contains(id)) {
            Some(parent) => children.entry(parent).or_default().push(row),
            None => tops.push(*row),
        }
    }
    let mut out = Vec::with_capacity(rows.len());
    for row in tops {
        hang(&mut children, row, 0, &mut out);
    }
    // Rows that are each other's ancestors hang on nothing; they must be seen to be mended or deleted.
    if out.len() < rows.len() {
        let hung: HashSet<ConversationId> = out.iter().map(|(_, row)| row.conversation.id).collect();
        let loose = rows.iter().filter(|row| !hung.contains(&row.conversation.id));
        out.extend(loose.map(|row| (0, *row)));
    }
    out
}

fn hang<'a>(
    children: &mut HashMap<ConversationId, Vec<&'a Arc<ConversationRow>>>,
    row: &'a Arc<ConversationRow>,
    depth: u8,
    out: &mut Vec<(u8, &'a Arc<ConversationRow>)>,
) {
    // Depth first without the machine's stack: a chain of branches may be long.
    let mut open = vec![(depth, row)];
    while let Some((depth, row)) = open.pop() {
        out.push((depth, row));
        let inner = depth.saturating_add(1).min(DEPTH_MAX);
        let below = children.remove(&row.conversation.id).unwrap_or_default();
        open.extend(below.into_iter().rev().map(|child| (inner, child)));
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
    /// Each branch of the chain starts from the one before: no stack of calls and no square of their number.
    #[test]
    fn a_very_long_chain_of_branches_is_listed() {
        const COUNT: i64 = 30_000;
        let mut snap = testing::snapshot("branch-drawer");
        let first = row(&snap, PKCE).unwrap().clone();
        let chain = (1..=COUNT).map(|step| {
            let mut row = (*first).clone();
            let before = row.conversation.id.0 + (step - 1) * 1_000;
            row.conversation.id = ConversationId(before + 1_000);
            row.conversation.branch.as_mut().unwrap().parent = ConversationId(before);
            Arc::new(row)
        });
        let all: Vec<_> = snap.conversations.iter().cloned().chain(chain).collect();
        snap.conversations = all.into();
        let rows: Vec<_> = snap.conversations.iter().filter(|row| parent(row).is_some()).collect();
        assert_eq!(tree(&rows).len(), rows.len());
        assert_eq!(below(&snap, PKCE), 1 + usize::try_from(COUNT).unwrap());
    }
}
