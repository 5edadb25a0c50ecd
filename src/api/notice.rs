//! What the user should be told, once.

use crate::api::command::KnowledgeCommand;
use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, NoticeId, TurnId};
use crate::model::message::NoticeLevel;

/// Something to tell the user: what happened, why, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub id: NoticeId,
    pub level: NoticeLevel,
    /// What happened, one line.
    pub title: String,
    /// Why and what to do; may be empty.
    pub body: String,
    pub action: Option<NoticeAction>,
    /// The place it is about; a click leads there.
    pub conversation: Option<ConversationId>,
    /// Worth a desktop notification when the window has no focus.
    pub desktop: bool,
    pub created_ms: i64,
}

/// What a notice offers to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeAction {
    UndoDelete(ConversationId),
    /// Takes back the newest edit or deletion of messages there.
    UndoEdit(ConversationId),
    Open(ConversationId),
    Retry(TurnId),
    UseEngine {
        turn: TurnId,
        engine: EngineId,
    },
    OpenEngineSettings,
    /// Puts a removed row back.
    PutBack(Box<KnowledgeCommand>),
}

impl NoticeAction {
    /// Button text.
    pub fn label(&self) -> String {
        match self {
            Self::UndoDelete(_) | Self::UndoEdit(_) | Self::PutBack(_) => "Undo".into(),
            Self::Open(_) => "Open".into(),
            Self::Retry(_) => "Retry".into(),
            Self::UseEngine { engine, .. } => format!("Use {engine}"),
            Self::OpenEngineSettings => "Engine settings".into(),
        }
    }
}
