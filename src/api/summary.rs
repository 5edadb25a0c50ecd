//! What could be adopted of a branch, as shown.

use std::sync::Arc;

use crate::model::id::ConversationId;
use crate::model::project::SeatChoice;
use crate::model::summary::SummarySources;
use crate::model::turn::{TurnFailure, Usage};

/// One branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryView {
    pub branch: ConversationId,
    /// What needs no agent; `None` while it is being read.
    pub sources: Option<Arc<SummarySources>>,
    /// Reading failed; one line.
    pub error: Option<String>,
    /// The newest request for an agent's summary; `None` = nobody was asked.
    pub request: Option<Arc<SummaryRequest>>,
}

/// An agent's summary on its way, or its draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryRequest {
    pub seat: SeatChoice,
    /// Who is asked, e.g. `Claude Code`.
    pub agent: String,
    pub state: SummaryState,
    /// The part that is read now; above `parts` = they are put together. 0 = not begun.
    pub part: u32,
    /// How many parts the branch is read in; 0 = not known yet.
    pub parts: u32,
    /// What has come of it; when it is done, the draft of at most
    /// [`crate::model::summary::SUMMARY_MAX_CHARS`].
    pub text: String,
    /// All that the agent wrote, where the draft was cut from it.
    pub whole: Option<String>,
    /// Over all parts so far.
    pub usage: Option<Usage>,
    pub failure: Option<TurnFailure>,
    /// The branch has changed since it was read.
    pub outdated: bool,
}

/// How a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryState {
    Running,
    Done,
    Failed,
    Stopped,
}

impl SummaryState {
    /// The stable word, as in `--json`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }
}
