//! A plan of work: what shall be reached, in which steps, and how far it is.

use serde::{Deserialize, Serialize};

use crate::model::id::{ConversationId, PlanId, ProjectId};

/// Longest plan document that is kept, in Unicode characters.
pub const PLAN_DOCUMENT_MAX_CHARS: usize = 1_000_000;

/// One plan. It belongs to a project and is told in the conversations it is linked to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub id: PlanId,
    pub project: ProjectId,
    /// Where it was made; `None` once that conversation is gone.
    pub conversation: Option<ConversationId>,
    /// The branch in which it is carried out.
    pub implementation: Option<ConversationId>,
    /// The branch in which the work is judged.
    pub review: Option<ConversationId>,
    /// The plan that is followed. At most one per conversation is told: the newest active one.
    pub active: bool,
    pub updated_ms: i64,
    pub body: PlanBody,
    /// Markdown, free form; empty = none.
    pub document: String,
}

/// What a plan says, apart from its document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanBody {
    pub title: String,
    pub description: String,
    pub expected_outcome: String,
    pub subtasks: Vec<Subtask>,
    pub constraints: Vec<String>,
    pub non_goals: Vec<String>,
    pub phase: PlanPhase,
    /// Grows by one with every change of what it says.
    pub version: u32,
    pub created_ms: i64,
}

/// One step of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Subtask {
    /// From 1, unique in its plan; agents and people name it by this.
    pub number: u32,
    pub title: String,
    pub details: String,
    /// Numbers of the steps that come first.
    pub depends_on: Vec<u32>,
    pub state: SubtaskState,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal, $label:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name {
            #[default]
            $($variant,)+
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Stable word, as on the command line and in the database.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// As shown.
            pub fn label(self) -> &'static str {
                match self { $(Self::$variant => $label),+ }
            }

            /// Reads [`Self::word`] in any case; `None` for anything else.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.word().eq_ignore_ascii_case(text.trim()))
            }
        }
    };
}
pub(in crate::model) use words;

words! {
    /// How far a step is. The first is what an unknown word becomes.
    SubtaskState {
        Todo = "todo", "To do";
        InProgress = "in-progress", "In progress";
        Done = "done", "Done";
        Dropped = "dropped", "Dropped";
    }
}

words! {
    /// How far a plan is.
    PlanPhase {
        Drafting = "drafting", "Drafting";
        Approval = "approval", "Approval";
        Implementation = "implementation", "Implementation";
        Review = "review", "Review";
        Rework = "rework", "Rework";
        Revision = "revision", "Revision";
        Done = "done", "Done";
    }
}

impl Plan {
    /// True in every conversation the plan is linked to.
    pub fn is_linked_to(&self, conversation: ConversationId) -> bool {
        [self.conversation, self.implementation, self.review].contains(&Some(conversation))
    }
}

impl PlanBody {
    /// Steps done and steps that count; dropped ones do not.
    pub fn progress(&self) -> (usize, usize) {
        let counts = |one: &&Subtask| one.state != SubtaskState::Dropped;
        let done = self.subtasks.iter().filter(|one| one.state == SubtaskState::Done).count();
        (done, self.subtasks.iter().filter(counts).count())
    }
}
