//! The closed list of everything that can happen to the domain.

use crate::api::command::Command;
use crate::api::snapshot::{DatabaseStatus, Offers};
use crate::domain::checkout::GitDone;
use crate::model::branch::Summary;
use crate::model::engine::{EngineInfo, EngineStatus};
use crate::model::id::{ConversationId, FindId, MessageId, ProjectId, TurnId};
use crate::model::knowledge::Knowledge;
use crate::model::message::Message;
use crate::model::pack::ContextPack;
use crate::model::project::{SeatChoice, TextNames};
use crate::model::record::{IndexRow, Startup, TurnRecord};
use crate::model::skill::SkillSuggestion;
use crate::model::summary::{SummaryEvent, SummarySources};
use crate::model::turn::TurnEvent;

/// One thing that happened.
#[expect(
    clippy::large_enum_variant,
    reason = "moved through a queue once; boxing each delta would cost more"
)]
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    Command(Command),
    /// An engine said something, or the runtime on its behalf.
    Turn {
        turn: TurnId,
        event: TurnEvent,
    },
    /// A read that was asked for has come back.
    Stored(Stored),
    /// A write has been applied, or not; `Err` is one line: what, why.
    Written {
        ticket: u64,
        result: Result<(), String>,
    },
    /// Everything that was kept, at start.
    Started(Box<Startup>),
    /// The engines there are, after start or after the settings changed.
    Engines(Vec<EngineInfo>),
    Discovered {
        statuses: Vec<EngineStatus>,
        took_ms: u64,
        complete: bool,
    },
    /// What a project's folder has checked out. `detached`: `branch` names a commit.
    GitBranch {
        project: ProjectId,
        branch: Option<String>,
        detached: bool,
    },
    Git(GitDone),
    Offers {
        project: ProjectId,
        offers: Offers,
    },
    /// Skills that fit the text of a preview.
    Suggested {
        conversation: ConversationId,
        prompt: String,
        suggestions: Vec<SkillSuggestion>,
    },
    /// A file with a text of the user's own was made, or not. `title`: what the notice says.
    TextMade {
        project: ProjectId,
        title: String,
        result: Result<std::path::PathBuf, String>,
    },
    Names {
        project: ProjectId,
        names: TextNames,
    },
    /// A summary comes on.
    Summary {
        branch: ConversationId,
        run: TurnId,
        event: SummaryEvent,
    },
    Database(DatabaseStatus),
    /// A folder a command named was checked on disk; `Err` says why it cannot be a project.
    FolderChecked {
        path: std::path::PathBuf,
        result: Result<(), String>,
    },
    /// Something outside the domain failed; shown as a notice.
    Trouble {
        title: String,
        body: String,
    },
    /// Time passed; sent about twice a second while [`crate::domain::AppState::wants_tick`].
    Tick,
    /// Engines have ended and the store is drained.
    Finished,
}

/// Results of reads. `Err` is one line, fit to be shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored {
    Index {
        conversation: ConversationId,
        generation: u32,
        result: Result<OpenedConversation, String>,
    },
    Page {
        conversation: ConversationId,
        page: u32,
        generation: u32,
        result: Result<Vec<Message>, String>,
    },
    Found {
        conversation: ConversationId,
        find: FindId,
        query: String,
        result: Result<(Vec<MessageId>, bool), String>,
    },
    /// One message, read to be sent again.
    Resend {
        turn: TurnId,
        plan: crate::domain::effect::ResendPlan,
        result: Result<(TurnRecord, Message), String>,
    },
    Pack {
        conversation: ConversationId,
        turn: TurnId,
        result: Result<Option<ContextPack>, String>,
    },
    Speakers {
        branch: ConversationId,
        summary: Summary,
        result: Result<Vec<String>, String>,
    },
    Sources {
        branch: ConversationId,
        result: Result<SummarySources, String>,
    },
    Knowledge {
        project: ProjectId,
        result: Result<Box<Knowledge>, String>,
    },
    Preview {
        conversation: ConversationId,
        seat: SeatChoice,
        prompt: String,
        compare: bool,
        result: Result<ContextPack, String>,
    },
}

/// What is read when a conversation is opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenedConversation {
    pub index: Vec<IndexRow>,
    /// Its newest turn, and whether that turn has a stored pack report.
    pub turn: Option<TurnRecord>,
    pub report: Option<crate::model::pack::PackReport>,
}
