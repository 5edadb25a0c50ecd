//! What the domain wants done. Data only; the runtime does it.

use std::path::PathBuf;

use crate::domain::checkout::GitJob;
use crate::model::branch::Summary;
use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, FindId, ProjectId, TurnId};
use crate::model::project::{SeatChoice, TextKind};
use crate::model::record::StoreWrite;
use crate::model::settings::Settings;
use crate::model::summary::{SummarySpec, Unwritten};
use crate::model::turn::{Decision, TurnSpec};

/// How a request is made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResendPlan {
    /// Another engine than the one that answered.
    pub engine: Option<EngineId>,
    /// The old answer said nothing and makes room.
    pub replace_empty: bool,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Answered by `Input::Written` with the same ticket.
    Write {
        ticket: u64,
        batch: Vec<StoreWrite>,
    },
    LoadIndex {
        conversation: ConversationId,
        generation: u32,
    },
    LoadPage {
        conversation: ConversationId,
        page: u32,
        generation: u32,
        first_seq: i64,
        last_seq: i64,
    },
    Find {
        conversation: ConversationId,
        find: FindId,
        query: String,
    },
    /// Reads a turn and its user message, to ask again.
    LoadResend {
        turn: TurnId,
        plan: ResendPlan,
    },
    /// Who spoke in a branch that is about to be adopted.
    LoadSpeakers {
        branch: ConversationId,
        summary: Summary,
    },
    /// What the agents of a branch said last.
    LoadSources {
        branch: ConversationId,
        unwritten: Unwritten,
    },
    /// What a project keeps beside its conversations.
    LoadKnowledge {
        project: ProjectId,
    },
    LoadPack {
        conversation: ConversationId,
        turn: TurnId,
    },
    Preview {
        project: ProjectId,
        conversation: ConversationId,
        seat: SeatChoice,
        prompt: String,
        budget_chars: u32,
        /// To be held against another.
        compare: bool,
    },
    /// What the folders of a project and of the user offer. Answered by `Input::Offers`.
    LookForSkills {
        project: ProjectId,
        path: PathBuf,
    },
    /// Which of a project's skills fit a text. Answered by `Input::Suggested`.
    SuggestSkills {
        project: ProjectId,
        conversation: ConversationId,
        prompt: String,
    },
    /// Has a branch summarised. Answered by `Input::Summary`, the last of them `Done` or `Failed`.
    Summarise(Box<SummarySpec>),
    /// Nothing is told of that request any more.
    StopSummary {
        run: TurnId,
    },
    StartTurn(Box<TurnSpec>),
    CancelTurn {
        turn: TurnId,
    },
    Answer {
        turn: TurnId,
        ask: String,
        decision: Decision,
    },
    /// Ends the warm engine processes of a conversation (its history changed, or it was closed).
    CloseSeats {
        conversation: ConversationId,
    },
    /// The settings changed: rebuild the list of engines, adjust limits.
    ApplySettings(Box<Settings>),
    /// Look for one engine or all.
    Discover {
        engine: Option<EngineId>,
    },
    ReadGit {
        project: ProjectId,
        path: PathBuf,
    },
    /// What the program git is to do; answered by `Input::Git`.
    Git(Box<GitJob>),
    /// Which roles and personas there are for a project.
    /// Makes a file of the user's own in a project's folder; answered by `Input::TextMade`.
    MakeText {
        project: ProjectId,
        path: PathBuf,
        kind: TextKind,
        name: String,
        text: String,
    },
    ReadNames {
        project: ProjectId,
        path: PathBuf,
    },
    CheckFolder {
        path: PathBuf,
    },
    /// Makes a folder with one readme in it if it is not there, then as `CheckFolder`.
    MakeFolder {
        path: PathBuf,
        readme: &'static str,
    },
    /// `None` removes the secret.
    StoreSecret {
        name: String,
        value: Option<String>,
    },
    /// Damage was found in the open database: nothing more is written into it. Nothing to do when it is held already.
    HoldStore {
        why: String,
    },
    RestoreBackup {
        path: PathBuf,
    },
    /// Orderly end; answered by `Input::Finished`.
    Shutdown,
}
