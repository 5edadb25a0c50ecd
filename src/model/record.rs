//! Rows as they are kept, and the one closed list of changes to the store.
//!
//! The domain says what is to be written by these; the runtime hands them to the store in order.

use std::collections::BTreeMap;

use crate::model::engine::EngineId;
use crate::model::id::{
    AgreementId, ArtifactId, ConversationId, FindingId, MessageId, PlanId, ProjectId, QueuedId, TopicId,
    TurnId,
};
use crate::model::knowledge::{Agreement, Artifact, Finding, Link, SkillSwitch, Topic};
use crate::model::message::Message;
use crate::model::pack::{ContextPack, SectionId};
use crate::model::plan::Plan;
use crate::model::project::{Conversation, Draft, Project, SeatChoice};
use crate::model::turn::{StopReason, TurnFailure, TurnState, Usage};

/// One turn as kept.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnRecord {
    pub id: TurnId,
    pub conversation: ConversationId,
    pub user_message: MessageId,
    /// The message it writes; made when the engine first says something.
    pub answer: Option<MessageId>,
    pub seat: SeatChoice,
    pub state: TurnState,
    pub started_ms: i64,
    pub ended_ms: Option<i64>,
    pub stop: Option<StopReason>,
    pub failure: Option<TurnFailure>,
    pub usage: Option<Usage>,
    /// The engine's top-level session id that served it.
    pub session: Option<String>,
    /// The engine's own name of the place in its session where this turn ended; a branch can fork there.
    pub fork_point: Option<String>,
}

/// What is known of an engine's own session in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSession {
    pub conversation: ConversationId,
    pub engine: EngineId,
    /// The engine's top-level id, never a sub-agent's.
    pub session: String,
    /// Highest `Message::seq` whose words it holds; what is newer is sent with the next turn.
    pub delivered_seq: i64,
    /// Hash of project, rules, role and identity as last delivered; a change is sent again.
    pub fixed_hash: String,
    /// SHA-256 of each other section as last delivered, by section; an equal text is not sent again.
    pub sections: BTreeMap<SectionId, String>,
    pub turns: u32,
    /// Fill of the model's window after its last turn, if told.
    pub window_used_tokens: Option<u64>,
    pub window_tokens: Option<u64>,
    pub updated_ms: i64,
}

/// A message waiting for the running turn to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedMessage {
    pub id: QueuedId,
    pub conversation: ConversationId,
    pub text: String,
    pub created_ms: i64,
}

/// One row of a conversation's index, oldest first: all that is read when it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRow {
    pub id: MessageId,
    pub seq: i64,
    pub revision: u32,
    /// Characters of all its items.
    pub chars: u32,
    pub by_user: bool,
}

/// One change to the store. A batch is applied in order, in one transaction.
#[derive(Clone, Debug, PartialEq)]
pub enum StoreWrite {
    /// Inserts or replaces.
    PutProject(Project),
    /// With its conversations and everything below them.
    RemoveProject(ProjectId),
    /// Inserts or replaces the row; counts and times come from the value.
    PutConversation(Conversation),
    /// `Some(time)` takes it off the lists, `None` brings it back.
    SetConversationDeleted {
        conversation: ConversationId,
        deleted_ms: Option<i64>,
    },
    /// Inserts or replaces by id.
    PutMessage(Message),
    /// `Some(time)` takes them out of the conversation, `None` brings them back. What is out is erased for good
    /// at the next start.
    SetMessagesDeleted {
        messages: Vec<MessageId>,
        deleted_ms: Option<i64>,
    },
    PutTurn(TurnRecord),
    /// One line of a turn's history, for export and diagnosis; bounded by the caller.
    AppendTurnEvent {
        turn: TurnId,
        at_ms: i64,
        kind: String,
        json: String,
    },
    /// The exact text is kept for the newest turns only, the report always.
    PutPack {
        turn: TurnId,
        pack: Box<ContextPack>,
        sent_text: String,
    },
    PutSession(EngineSession),
    DropSession {
        conversation: ConversationId,
        engine: EngineId,
    },
    /// Drops the sessions of all engines in a conversation (its history was edited).
    DropSessions {
        conversation: ConversationId,
    },
    /// `None` removes it.
    PutDraft {
        conversation: ConversationId,
        draft: Option<Draft>,
    },
    PutQueued(QueuedMessage),
    RemoveQueued(QueuedId),
    /// Inserts or replaces by id, as all of the following.
    PutPlan(Box<Plan>),
    RemovePlan(PlanId),
    PutFinding(Finding),
    RemoveFinding(FindingId),
    PutAgreement(Agreement),
    RemoveAgreement(AgreementId),
    PutArtifact(Box<Artifact>),
    RemoveArtifact(ArtifactId),
    PutTopic(Topic),
    RemoveTopic(TopicId),
    PutLink(Link),
    RemoveLink {
        conversation: ConversationId,
        linked: ConversationId,
    },
    PutSkillSwitch(SkillSwitch),
    /// The project's own switch holds again, or none.
    RemoveSkillSwitch {
        project: ProjectId,
        conversation: Option<ConversationId>,
        skill: String,
    },
    /// `json` is one JSON value.
    PutSetting {
        name: String,
        json: String,
    },
}

/// What is read at start: everything but messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Startup {
    pub projects: Vec<Project>,
    /// Deleted ones are absent.
    pub conversations: Vec<Conversation>,
    pub queued: Vec<QueuedMessage>,
    pub drafts: Vec<(ConversationId, Draft)>,
    /// Name and JSON value.
    pub settings: Vec<(String, String)>,
    /// Turns whose stored state is still live: the app ended while they ran.
    pub open_turns: Vec<TurnRecord>,
    /// Greater than every id in use.
    pub next_id: i64,
}
