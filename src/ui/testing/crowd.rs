//! More branches than anyone has: hundreds, sixty deep, with labels that fit nowhere.

use std::sync::Arc;

use crate::api::snapshot::Snapshot;
use crate::model::id::ConversationId;
use crate::model::turn::TurnState;
use crate::ui::view_state::Shelf;

use super::branches::{self, branch};
use super::{SHOWN, put_view, view};

/// Ids from here on.
const FIRST: i64 = 1_000;
/// How deep the first of them hang.
const DEEP: i64 = 60;
const COUNT: i64 = 500;

fn label(number: i64) -> String {
    match number % 6 {
        0 => format!("Way {number}"),
        1 => format!("토큰 갱신 경합 조건을 Redis 없이 푸는 방법 {number}"),
        2 => format!("🧭 With a map 🗺️ {number}"),
        3 => format!("{number} {}", "and everything that comes along with it ".repeat(250)),
        4 => format!("crates/harbor-auth/src/session/rotation/{number}"),
        _ => "W".repeat(300),
    }
}

/// Twelve tabs, the deepest branch in front.
pub(super) fn shelf() -> Shelf {
    let tabs: Vec<_> = (0..12).map(|at| ConversationId(FIRST + DEEP - 1 - at)).collect();
    Shelf { root: SHOWN, at: tabs.first().copied(), tabs, open: true, compared: None }
}

/// Adds them to the list, and opens those that have tabs.
pub(super) fn fill(snap: &mut Snapshot) {
    branches::fill(snap);
    snap.branch_focus = None;
    let mut rows: Vec<_> = snap.conversations.iter().cloned().collect();
    for number in 0..COUNT {
        let parent = if (1..DEEP).contains(&number) { ConversationId(FIRST + number - 1) } else { SHOWN };
        let state = (number % 7 == 0).then_some(TurnState::Running);
        let mut row = branch((ConversationId(FIRST + number), &label(number)), parent, Some(3), state);
        if let Some(made) = &mut row.conversation.branch
            && number % 5 == 4
        {
            made.facts.git_branch =
                Some(format!("feature/a-name-of-a-git-branch-that-goes-on-and-on-{number}"));
        }
        if DEEP - 13 < number && number < DEEP {
            put_view(snap, view(row.clone(), Vec::new(), None));
        }
        rows.push(Arc::new(row));
    }
    snap.conversations = rows.into();
}
