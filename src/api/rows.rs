//! The list of conversations, with an index of which hangs on which that is built once for each list.

use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::api::snapshot::ConversationRow;
use crate::model::id::ConversationId;

/// Conversations of a project in the order they are listed; read it as a slice. Cloning shares list and index.
#[derive(Clone, Default)]
pub struct ConversationRows(Arc<List>);

#[derive(Default)]
struct List {
    rows: Box<[Arc<ConversationRow>]>,
    /// Built when it is first asked for.
    index: OnceLock<Index>,
}

/// Places are those in the list.
#[derive(Default)]
struct Index {
    place: HashMap<ConversationId, usize>,
    /// What starts from a conversation, in the order of the list.
    children: HashMap<ConversationId, Vec<usize>>,
    /// By place, the main conversation above a branch; `None` for a main conversation, and where the way up ends
    /// at nothing or goes in a circle.
    main: Vec<Option<ConversationId>>,
}

impl ConversationRows {
    /// The row of a conversation.
    #[must_use]
    pub fn of(&self, id: ConversationId) -> Option<&Arc<ConversationRow>> {
        self.0.rows.get(*self.index().place.get(&id)?)
    }

    /// Branches that start from a conversation, in the order of the list.
    pub fn children(&self, id: ConversationId) -> impl Iterator<Item = &Arc<ConversationRow>> {
        let places = self.index().children.get(&id).map(Vec::as_slice).unwrap_or_default();
        places.iter().filter_map(|place| self.0.rows.get(*place))
    }

    /// The main conversation above a branch, at any depth; `None` when it is none or hangs on nothing.
    #[must_use]
    pub fn main_of(&self, id: ConversationId) -> Option<ConversationId> {
        let index = self.index();
        *index.main.get(*index.place.get(&id)?)?
    }

    /// Branches below a main conversation, at any depth, in the order of the list.
    pub fn under(&self, main: ConversationId) -> impl Iterator<Item = &Arc<ConversationRow>> {
        let all = self.0.rows.iter().zip(&self.index().main);
        all.filter_map(move |(row, above)| (*above == Some(main)).then_some(row))
    }

    /// How many branches hang below a conversation, at any depth.
    #[must_use]
    pub fn count_below(&self, id: ConversationId) -> usize {
        // Rows that are each other's ancestors are counted once.
        let mut seen = HashSet::from([id]);
        let mut open = vec![id];
        while let Some(at) = open.pop() {
            let below = self.children(at).map(|row| row.conversation.id);
            open.extend(below.filter(|id| seen.insert(*id)));
        }
        seen.len() - 1
    }

    fn index(&self) -> &Index {
        self.0.index.get_or_init(|| Index::of(&self.0.rows))
    }
}

impl Index {
    fn of(rows: &[Arc<ConversationRow>]) -> Self {
        let mut index = Self { place: HashMap::with_capacity(rows.len()), ..Self::default() };
        for (place, row) in rows.iter().enumerate() {
            index.place.entry(row.conversation.id).or_insert(place);
            if let Some(branch) = &row.conversation.branch {
                index.children.entry(branch.parent).or_default().push(place);
            }
        }
        // From each main conversation down; what is not reached has none.
        index.main = vec![None; rows.len()];
        let mains = rows.iter().filter(|row| row.conversation.branch.is_none());
        let mut open: Vec<ConversationId> = Vec::new();
        for main in mains.map(|row| row.conversation.id) {
            open.push(main);
            while let Some(at) = open.pop() {
                for place in index.children.get(&at).into_iter().flatten() {
                    if let (Some(above), Some(row)) = (index.main.get_mut(*place), rows.get(*place)) {
                        *above = Some(main);
                        open.push(row.conversation.id);
                    }
                }
            }
        }
        index
    }
}

impl Deref for ConversationRows {
    type Target = [Arc<ConversationRow>];

    fn deref(&self) -> &Self::Target {
        &self.0.rows
    }
}

impl std::fmt::Debug for ConversationRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl From<Vec<Arc<ConversationRow>>> for ConversationRows {
    fn from(rows: Vec<Arc<ConversationRow>>) -> Self {
        Self(Arc::new(List { rows: rows.into(), index: OnceLock::new() }))
    }
}

impl FromIterator<Arc<ConversationRow>> for ConversationRows {
    fn from_iter<I: IntoIterator<Item = Arc<ConversationRow>>>(rows: I) -> Self {
        rows.into_iter().collect::<Vec<_>>().into()
    }
}
