//! Where two conversations part: the message at the top of each column. Pure.

use crate::api::snapshot::Snapshot;
use crate::model::id::{ConversationId, MessageId};
use crate::ui::lineage;
use crate::ui::panels::conversation::Inherited;

/// How a column begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The message that stands at its top; `None` = its first one.
    pub message: Option<MessageId>,
    /// That message is another conversation's.
    pub inherited: Option<Inherited>,
    /// It is a branch that knows nothing of its parent.
    pub blank: bool,
}

/// How both columns of a comparison begin: a conversation at the message the other one starts from, else each at the
/// message it starts from itself.
#[must_use]
pub fn starts(snap: &Snapshot, pair: [ConversationId; 2]) -> [Start; 2] {
    let [left, right] = pair;
    [start(snap, left, right), start(snap, right, left)]
}

fn start(snap: &Snapshot, here: ConversationId, other: ConversationId) -> Start {
    let path = lineage::path(snap, other);
    // The branch of this conversation that leads to the other one.
    let next = path.iter().position(|row| row.conversation.id == here).and_then(|place| path.get(place + 1));
    let below = next.and_then(|row| row.conversation.branch.as_ref());
    if let Some(branch) = below {
        return Start { message: branch.checkpoint, ..Start::default() };
    }
    let own = lineage::row(snap, here).and_then(|row| row.conversation.branch.as_ref());
    let Some(branch) = own else { return Start::default() };
    let inherited = branch.checkpoint.map(|message| Inherited { parent: branch.parent, message });
    Start { message: branch.checkpoint, inherited, blank: branch.checkpoint.is_none() }
}

/// Conversations whose messages a comparison shows, though they are not compared.
#[must_use]
pub fn held(starts: &[Start; 2], pair: [ConversationId; 2]) -> Vec<ConversationId> {
    let mut held: Vec<ConversationId> =
        starts.iter().filter_map(|start| Some(start.inherited?.parent)).collect();
    held.retain(|id| !pair.contains(id));
    held.dedup();
    held
}

/// With what a conversation can be compared: its parent, branches that start beside it, then the others of the same
/// main conversation; those in the archive last.
#[must_use]
pub fn others(snap: &Snapshot, id: ConversationId) -> Vec<(Kin, ConversationId)> {
    let root = lineage::root(snap, id).unwrap_or(id);
    let parent = lineage::row(snap, id).and_then(|row| lineage::parent(row));
    let mut found: Vec<(bool, Kin, ConversationId)> = Vec::new();
    for row in lineage::row(snap, root).into_iter().chain(lineage::under(snap, root)) {
        let other = row.conversation.id;
        if other == id {
            continue;
        }
        let kin = if Some(other) == parent {
            Kin::Parent
        } else if lineage::parent(row) == Some(id) {
            Kin::Child
        } else if parent.is_some() && lineage::parent(row) == parent {
            Kin::Sibling
        } else {
            Kin::Other
        };
        found.push((row.conversation.archived && kin != Kin::Parent, kin, other));
    }
    found.sort_by_key(|(archived, kin, _)| (*archived, *kin));
    found.into_iter().map(|(_, kin, id)| (kin, id)).collect()
}

/// How another conversation is related.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kin {
    Parent,
    Sibling,
    Child,
    Other,
}

impl Kin {
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Parent => "Its parent",
            Self::Sibling => "Branch of the same parent",
            Self::Child => "Starts from it",
            Self::Other => "Same conversation",
        }
    }
}

/// The order of two columns: an ancestor stands left.
#[must_use]
pub fn ordered(snap: &Snapshot, pair: [ConversationId; 2]) -> [ConversationId; 2] {
    let [one, other] = pair;
    let is_above = lineage::path(snap, one).iter().any(|row| row.conversation.id == other);
    if is_above { [other, one] } else { pair }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testing;
    use crate::ui::testing::SHOWN;
    use crate::ui::testing::branches::{DEEP, OLD, PKCE, REDIS};

    #[test]
    fn each_column_begins_where_the_two_part() {
        let snap = testing::snapshot("branch-drawer");
        let lent = |parent, message| {
            let message = MessageId(message);
            let inherited = Some(Inherited { parent, message });
            Start { message: Some(message), inherited, blank: false }
        };
        let own = |message| Start { message: Some(MessageId(message)), ..Start::default() };
        let cases = [
            ([PKCE, REDIS], [lent(SHOWN, 2), lent(SHOWN, 3)], vec![SHOWN]),
            ([SHOWN, PKCE], [own(2), lent(SHOWN, 2)], vec![]),
            ([SHOWN, DEEP], [own(2), lent(PKCE, 122)], vec![PKCE]),
            ([PKCE, DEEP], [own(122), lent(PKCE, 122)], vec![]),
            ([DEEP, REDIS], [lent(PKCE, 122), lent(SHOWN, 3)], vec![PKCE, SHOWN]),
            ([OLD, PKCE], [Start { blank: true, ..Start::default() }, lent(SHOWN, 2)], vec![SHOWN]),
        ];
        for (pair, expected, kept) in cases {
            let made = starts(&snap, pair);
            assert_eq!(made, expected, "{pair:?}");
            assert_eq!(held(&made, pair), kept, "{pair:?}");
        }
        assert_eq!(ordered(&snap, [DEEP, SHOWN]), [SHOWN, DEEP]);
        assert_eq!(ordered(&snap, [REDIS, PKCE]), [REDIS, PKCE]);
    }

    #[test]
    fn nearest_kin_is_offered_first_and_the_archive_last() {
        let snap = testing::snapshot("branch-drawer");
        assert_eq!(
            others(&snap, PKCE),
            [(Kin::Parent, SHOWN), (Kin::Sibling, REDIS), (Kin::Child, DEEP), (Kin::Sibling, OLD)]
        );
        assert_eq!(others(&snap, ConversationId(12)), []);
    }
}
