//! A message: who spoke, and the ordered items it is made of.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::model::branch::AdoptCard;
use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, MessageId, TurnId};
use crate::model::turn::{PermissionRequest, TurnFailure, Usage};

/// Who a message is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Author {
    User,
    Agent {
        engine: EngineId,
        /// As the engine told it, else as asked for; `None` = the engine's default, not told yet.
        model: Option<String>,
        /// Shown name, e.g. `Claude Code` or `Architect Claude`.
        name: String,
        role: Option<String>,
    },
    /// The app itself, e.g. a note that a session was started afresh.
    System,
}

/// How a message stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum MessageState {
    Complete,
    /// The answer of a running turn.
    Streaming,
    /// The user stopped it; what came stays.
    Stopped,
    Failed {
        failure: TurnFailure,
    },
    /// The app ended while it ran.
    Interrupted,
    /// The row could not be read; `why` names the cause. The rest of the conversation is not affected.
    Damaged {
        why: String,
    },
}

/// One utterance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub id: MessageId,
    pub conversation: ConversationId,
    /// Position in the conversation, strictly growing; gaps are normal after deletions.
    pub seq: i64,
    pub author: Author,
    pub created_ms: i64,
    pub state: MessageState,
    pub items: Vec<Item>,
    /// The turn that this message asked for (user) or answers (agent).
    pub turn: Option<TurnId>,
    pub duration_ms: Option<i64>,
    pub usage: Option<Usage>,
    /// Grows with every change; caches of the window are keyed by it.
    pub revision: u32,
    /// Its last write failed; shown until a later write succeeds.
    pub unsaved: bool,
}

impl Message {
    /// The said text alone: all text items and adopted summaries, joined by a blank line. No thinking, no tool
    /// output.
    pub fn plain_text(&self) -> String {
        let texts: Vec<Cow<'_, str>> = self
            .items
            .iter()
            .filter_map(|item| match &item.body {
                ItemBody::Text { text } if !text.is_empty() => Some(Cow::Borrowed(text.as_str())),
                ItemBody::Adopted(card) => Some(Cow::Owned(card.markdown())),
                _ => None,
            })
            .collect();
        texts.join("\n\n")
    }
}

/// One part of a message. `key` is the engine's own name for it, unique within the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    pub key: String,
    #[serde(flatten)]
    pub body: ItemBody,
}

/// What an item is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "item", rename_all = "snake_case")]
pub enum ItemBody {
    Text {
        text: String,
    },
    Thinking {
        text: String,
    },
    Tool(ToolCall),
    Plan {
        entries: Vec<PlanEntry>,
    },
    Notice {
        level: NoticeLevel,
        text: String,
    },
    /// A branch came back: its summary, and the way to it.
    Adopted(AdoptCard),
    /// A question to the user and what was answered; kept in the transcript.
    Permission {
        request: PermissionRequest,
        outcome: Option<PermissionOutcome>,
    },
}

/// How a permission question ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum PermissionOutcome {
    AllowedOnce,
    Denied {
        comment: String,
    },
    /// The agent went away, or the turn ended, before it was answered.
    Gone,
}

/// One call of a tool by an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The engine's name of the tool, e.g. `Bash`.
    pub name: String,
    pub kind: ToolKind,
    /// One line for the fold: a path, a command, a pattern.
    pub title: String,
    /// The exact input, pretty JSON or plain text.
    pub input: String,
    pub state: ToolState,
    /// Control characters and escapes removed; capped at [`MAX_TOOL_OUTPUT_CHARS`], with a cut mark.
    pub output: String,
    pub exit_code: Option<i32>,
    pub duration_ms: Option<i64>,
    pub changed_files: Vec<String>,
    /// Unified diff, when the engine tells one.
    #[serde(default)]
    pub diff: Option<String>,
}

/// Longest tool output kept with a message.
pub const MAX_TOOL_OUTPUT_CHARS: usize = 200_000;

/// What a tool does, for its icon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    Read,
    Search,
    Run,
    Edit,
    Fetch,
    Agent,
    #[default]
    Other,
}

/// The life of a tool call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolState {
    #[default]
    Pending,
    Running,
    Done,
    Failed,
    Denied,
    Stopped,
}

/// One line of an agent's own plan or to-do list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanEntry {
    pub text: String,
    pub state: PlanEntryState,
}

/// How a plan line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanEntryState {
    Pending,
    InProgress,
    Done,
}

/// How loud a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    Info,
    Warn,
    Error,
}
