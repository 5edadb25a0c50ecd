//! Where branches hang: their ancestors, what is below them, and their order in a list.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::api::snapshot::{ConversationRow, Snapshot};
use crate::model::id::ConversationId;

/// Deepest nesting that is drawn.
pub const DEPTH_MAX: u8 = 6;

/// The row of a conversation of the current project.
#[must_use]
pub fn row(snap: &Snapshot, id: ConversationId) -> Option<&Arc<ConversationRow>> {
    snap.conversations.of(id)
}

/// The conversation a branch starts from; `None` for a main conversation.
#[must_use]
pub fn parent(row: &ConversationRow) -> Option<ConversationId> {
    row.conversation.branch.as_ref().map(|branch| branch.parent)
}

/// Branches that start from a conversation, newest first.
pub fn children(snap: &Snapshot, id: ConversationId) -> impl Iterator<Item = &Arc<ConversationRow>> {
    snap.conversations.children(id)
}

/// The way from the main conversation down to `id`, both included; a missing ancestor ends it there.
#[must_use]
pub fn path(snap: &Snapshot, id: ConversationId) -> Vec<&Arc<ConversationRow>> {
    let mut path = Vec::new();
    let mut seen = HashSet::new();
    let mut at = row(snap, id);
    // A row that names itself as its own ancestor must not hang the window.
    while let Some(here) = at.filter(|here| seen.insert(here.conversation.id)) {
        path.push(here);
        at = parent(here).and_then(|id| row(snap, id));
    }
    path.reverse();
    path
}

/// The main conversation above a branch; `None` when `id` is none or its main conversation is not there.
#[must_use]
pub fn root(snap: &Snapshot, id: ConversationId) -> Option<ConversationId> {
    snap.conversations.main_of(id)
}

/// Branches whose main conversation is `root`, at any depth, newest first.
pub fn under(snap: &Snapshot, root: ConversationId) -> impl Iterator<Item = &Arc<ConversationRow>> {
    snap.conversations.under(root)
}

/// How many branches are below a conversation, at any depth.
#[must_use]
pub fn below(snap: &Snapshot, id: ConversationId) -> usize {
    snap.conversations.count_below(id)
}

/// A row of a [`tree`].
#[derive(Clone, Copy, Debug)]
pub struct Hung<'a> {
    pub row: &'a Arc<ConversationRow>,
    /// How far it is indented, at most [`DEPTH_MAX`].
    pub depth: u8,
    /// Where in the tree the row stands that it starts from.
    pub above: Option<usize>,
}

/// Rows in their order, each branch below the branch it starts from.
#[must_use]
pub fn tree<'a>(rows: &[&'a Arc<ConversationRow>]) -> Vec<Hung<'a>> {
    let place: HashMap<ConversationId, usize> =
        rows.iter().enumerate().map(|(place, row)| (row.conversation.id, place)).collect();
    // First child and next sibling, by place.
    let (mut first, mut next) = (vec![None; rows.len()], vec![None; rows.len()]);
    let mut open: Vec<(usize, u8, Option<usize>)> = Vec::new();
    for (at, row) in rows.iter().enumerate().rev() {
        match parent(row).and_then(|id| place.get(&id)).and_then(|above| first.get_mut(*above)) {
            Some(child) => {
                if let Some(sibling) = next.get_mut(at) {
                    *sibling = child.replace(at);
                }
            }
            None => open.push((at, 0, None)),
        }
    }
    let mut out = Vec::with_capacity(rows.len());
    let mut hung = vec![false; rows.len()];
    while let Some((at, depth, above)) = open.pop() {
        let (Some(row), Some(hung)) = (rows.get(at), hung.get_mut(at)) else { continue };
        *hung = true;
        let here = out.len();
        out.push(Hung { row, depth, above });
        // The sibling waits below the child, which comes first.
        if let Some(sibling) = above.and_then(|_| next.get(at).copied().flatten()) {
            open.push((sibling, depth, above));
        }
        if let Some(child) = first.get(at).copied().flatten() {
            open.push((child, depth.saturating_add(1).min(DEPTH_MAX), Some(here)));
        }
    }
    // Rows that are each other's ancestors hang on nothing; they must be seen to be mended or deleted.
    let left = rows.iter().zip(hung).filter(|(_, hung)| !hung);
    out.extend(left.map(|(row, _)| Hung { row, depth: 0, above: None }));
    out
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
        let at = tree.iter().position(|hung| hung.row.conversation.id == PKCE).unwrap();
        assert_eq!((tree[at].depth, tree[at + 1].depth, tree[at + 1].above), (0, 1, Some(at)));
        assert_eq!(tree[at + 1].row.conversation.id, DEEP);
        assert_eq!(children(&snap, PKCE).count(), 1);
        assert_eq!(under(&snap, testing::SHOWN).count(), rows.len());
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
        let mut shown: Vec<ConversationId> =
            tree(&rows).iter().map(|hung| hung.row.conversation.id).collect();
        shown.sort_unstable();
        shown.dedup();
        assert_eq!(shown.len(), rows.len(), "each is still listed");
    }

    fn random(count: i64, seed: u64) -> Snapshot {
        let mut snap = testing::snapshot("branch-drawer");
        let model = row(&snap, PKCE).unwrap().clone();
        let mut state = seed;
        let mut rows: Vec<_> = snap.conversations.iter().cloned().collect();
        for at in 0..count {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mut made = (*model).clone();
            made.conversation.id = ConversationId(1_000 + at);
            made.conversation.branch.as_mut().unwrap().parent = match state >> 40 {
                // Some hang in circles, some on nothing.
                way if way % 11 == 0 => ConversationId(1_000 + i64::try_from(way).unwrap() % count.max(1)),
                way if way % 13 == 0 => ConversationId(77_777),
                way if at == 0 || way % 5 == 0 => testing::SHOWN,
                way => ConversationId(1_000 + i64::try_from(way).unwrap() % at),
            };
            rows.push(Arc::new(made));
        }
        rows.reverse();
        snap.conversations = rows.into();
        snap
    }

    /// The index says what walking the rows says, whatever hangs on what.
    #[test]
    fn the_index_agrees_with_the_ways() {
        for seed in 0..40 {
            let snap = random(60, seed);
            let ways: Vec<_> =
                snap.conversations.iter().map(|row| path(&snap, row.conversation.id)).collect();
            for (row, way) in snap.conversations.iter().zip(&ways) {
                let id = row.conversation.id;
                let top = way.first().unwrap();
                let main = (way.len() > 1 && parent(top).is_none()).then_some(top.conversation.id);
                assert_eq!(root(&snap, id), main, "{seed} {id:?}");
                let on_way = |way: &&Vec<&Arc<ConversationRow>>| {
                    way.last().is_some_and(|last| last.conversation.id != id)
                        && way.iter().any(|above| above.conversation.id == id)
                };
                assert_eq!(below(&snap, id), ways.iter().filter(on_way).count(), "{seed} {id:?}");
            }
            let rows: Vec<_> = snap.conversations.iter().filter(|row| parent(row).is_some()).collect();
            let tree = tree(&rows);
            let mut ids: Vec<_> = tree.iter().map(|hung| hung.row.conversation.id).collect();
            for (at, hung) in tree.iter().enumerate() {
                if let Some(above) = hung.above {
                    assert!(above < at && parent(hung.row) == Some(tree[above].row.conversation.id));
                    assert_eq!(hung.depth, (tree[above].depth + 1).min(DEPTH_MAX));
                }
            }
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), rows.len(), "{seed}: each once");
        }
    }

    /// What each frame asks of 5,000 branches, in a row of one below the other, too.
    #[test]
    fn thousands_of_branches_cost_a_frame_little() {
        let mut snap = random(5_000, 1);
        let mut chain = 0;
        let deep = snap.conversations.iter().map(|row| {
            let mut row = (**row).clone();
            if let Some(branch) = row.conversation.branch.as_mut().filter(|_| row.conversation.id.0 > 1_000) {
                branch.parent = ConversationId(row.conversation.id.0 - 1);
                chain += 1;
            }
            Arc::new(row)
        });
        let deep: crate::api::rows::ConversationRows = deep.collect();
        assert_eq!(chain, 4_999);
        for rows in [snap.conversations.clone(), deep] {
            snap.conversations = rows;
            let started = std::time::Instant::now();
            for _ in 0..20 {
                let listed: Vec<_> = snap.conversations.iter().filter(|row| parent(row).is_some()).collect();
                assert_eq!(tree(&listed).len(), listed.len());
                let roots = snap.conversations.iter().map(|row| root(&snap, row.conversation.id));
                assert_eq!(roots.filter(Option::is_some).count(), under(&snap, testing::SHOWN).count());
                assert!(below(&snap, testing::SHOWN) >= under(&snap, testing::SHOWN).count());
            }
            // Some milliseconds each; a walk of all rows for each row takes minutes.
            assert!(started.elapsed() < std::time::Duration::from_secs(5), "{:?}", started.elapsed());
        }
    }
}
