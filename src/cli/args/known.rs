//! Wishes about what a project keeps beside its conversations, and about profiles.

use std::path::PathBuf;

use crate::cli::args::{FileFrom, TextFrom};
use crate::model::id::{AgreementId, ArtifactId, ConversationId, FindingId, MessageId, PlanId};
use crate::model::knowledge::Severity;
use crate::model::pack::{Mode, Supply};
use crate::model::plan::{PlanPhase, SubtaskState};
use crate::model::project::TextKind;

/// One command about what a project keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    Plan(PlanWish),
    Finding(FindingWish),
    Agreement(AgreementWish),
    Artifact(ArtifactWish),
    Branch(BranchWish),
    LinkList(Option<ConversationId>),
    /// `on`: `conversation` shall know of `linked`; else not any more.
    Link {
        conversation: ConversationId,
        linked: ConversationId,
        on: bool,
    },
    /// A file of the project with a role, a persona or a skill; no text = a draft.
    NewText {
        kind: TextKind,
        name: String,
        text: Option<FileFrom>,
    },
    SkillList(Option<ConversationId>),
    /// `on: None` drops the switch.
    SkillSwitch {
        skill: String,
        conversation: Option<ConversationId>,
        on: Option<bool>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanWish {
    List,
    Show(PlanId),
    Export(PlanId),
    /// `in_use`: it is the plan to follow in that conversation.
    Add {
        change: PlanChange,
        conversation: Option<ConversationId>,
        in_use: bool,
    },
    Edit(PlanId, PlanChange),
    Step {
        plan: PlanId,
        number: u32,
        change: StepChange,
    },
    Use {
        plan: PlanId,
        conversation: Option<ConversationId>,
    },
    Unuse(PlanId),
    Remove(PlanId),
}

/// What a plan shall say; `None` and no steps leave it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanChange {
    pub title: Option<String>,
    pub description: Option<String>,
    pub outcome: Option<String>,
    pub phase: Option<PlanPhase>,
    pub constraints: Option<Vec<String>>,
    pub non_goals: Option<Vec<String>>,
    /// New steps, at the end: title and details.
    pub steps: Vec<(String, String)>,
    pub document: Option<FileFrom>,
}

/// What a step shall be; `None` leaves it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepChange {
    pub state: Option<SubtaskState>,
    pub title: Option<String>,
    pub details: Option<String>,
    pub after: Option<Vec<u32>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingWish {
    List { open_only: bool, plan: Option<PlanId> },
    Add(FindingNew),
    Settle { finding: FindingId, resolution: String },
    Reopen(FindingId),
    Remove(FindingId),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingNew {
    pub text: TextFrom,
    pub severity: Severity,
    pub file: Option<PathBuf>,
    pub line: Option<u32>,
    pub plan: Option<PlanId>,
    pub step: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgreementWish {
    List,
    Add { text: TextFrom, conversation: Option<ConversationId> },
    Remove(AgreementId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArtifactWish {
    List,
    Show(ArtifactId),
    Add(ArtifactNew),
    Pin { artifact: ArtifactId, pinned: bool },
    Remove(ArtifactId),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArtifactNew {
    pub title: String,
    pub language: String,
    pub conversation: Option<ConversationId>,
    pub pinned: bool,
    pub text: FileFrom,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchWish {
    /// All, or those of one conversation.
    List(Option<ConversationId>),
    /// `at: None` starts knowing nothing of the parent.
    Add {
        parent: ConversationId,
        at: Option<MessageId>,
        label: Option<String>,
    },
    Adopt {
        branch: ConversationId,
        from: AdoptFrom,
        /// The summary is shown, and nothing is adopted.
        draft: bool,
    },
    Undo(ConversationId),
    Rename {
        branch: ConversationId,
        label: String,
    },
    Git {
        branch: ConversationId,
        git_branch: Option<String>,
    },
    /// `on`: the parent shows its gist; `told`: the parent's agents are told of it.
    Hint {
        branch: ConversationId,
        on: bool,
        told: bool,
    },
    /// `None` = only once it is adopted.
    Share {
        branch: ConversationId,
        shared: Option<bool>,
    },
    Archive {
        branch: ConversationId,
        archived: bool,
    },
    Remove(ConversationId),
    /// `file`: the difference of that one; `diff`: those of all.
    Changes {
        branch: ConversationId,
        file: Option<String>,
        diff: bool,
    },
    Worktree {
        branch: ConversationId,
        wish: WorktreeWish,
    },
}

/// What is to become of a branch's own checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorktreeWish {
    /// `None` = a new git branch named by the label.
    Add {
        git_branch: Option<String>,
    },
    Remove {
        with_ignored: bool,
    },
    Forget,
}

/// Where the summary of a branch comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdoptFrom {
    /// An agent is asked; `None` = the branch's own.
    Agent {
        engine: Option<String>,
        model: Option<String>,
    },
    KeyPositions,
    LastAnswer,
    Words(TextFrom),
}

/// Seats kept under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Profiles {
    List,
    Add(ProfileNew),
    Remove(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileNew {
    pub name: String,
    pub engine: String,
    pub model: Option<String>,
    pub role: Option<String>,
    pub persona: Option<String>,
    pub mode: Option<Mode>,
    pub supply: Supply,
}

/// A longer text that a command takes.
pub enum Source<'a> {
    Words(&'a TextFrom),
    File(&'a FileFrom),
}

impl Known {
    /// True when nothing is changed.
    pub fn only_looks(&self) -> bool {
        matches!(
            self,
            Self::Plan(PlanWish::List | PlanWish::Show(_) | PlanWish::Export(_))
                | Self::Finding(FindingWish::List { .. })
                | Self::Agreement(AgreementWish::List)
                | Self::Artifact(ArtifactWish::List | ArtifactWish::Show(_))
                | Self::Branch(BranchWish::List(_) | BranchWish::Changes { .. })
                | Self::LinkList(_)
                | Self::SkillList(_)
        )
    }

    /// True when it makes a folder a project that is none yet.
    pub fn begins(&self) -> bool {
        matches!(
            self,
            Self::Plan(PlanWish::Add { .. })
                | Self::Finding(FindingWish::Add(_))
                | Self::Agreement(AgreementWish::Add { .. })
                | Self::Artifact(ArtifactWish::Add(_))
                | Self::NewText { .. }
                | Self::SkillSwitch { .. }
        )
    }

    /// The text it takes from outside, if any.
    pub fn source(&self) -> Option<Source<'_>> {
        match self {
            Self::Plan(PlanWish::Add { change, .. } | PlanWish::Edit(_, change)) => {
                change.document.as_ref().map(Source::File)
            }
            Self::Finding(FindingWish::Add(new)) => Some(Source::Words(&new.text)),
            Self::Agreement(AgreementWish::Add { text, .. }) => Some(Source::Words(text)),
            Self::Branch(BranchWish::Adopt { from: AdoptFrom::Words(text), .. }) => Some(Source::Words(text)),
            Self::NewText { text, .. } => text.as_ref().map(Source::File),
            Self::Artifact(ArtifactWish::Add(new)) => Some(Source::File(&new.text)),
            _ => None,
        }
    }
}
