//! A turn: what is asked of an engine, and the one vocabulary in which every engine answers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::engine::{Billing, EngineId};
use crate::model::id::{ConversationId, MessageId, ProjectId, TurnId};
use crate::model::message::{ItemBody, NoticeLevel};
use crate::model::pack::ContextPack;
use crate::model::project::SeatChoice;

/// States of a turn. One place decides (`crate::domain`); every list shows the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnState {
    Queued,
    Starting,
    Running,
    NeedsYou,
    /// Stop was asked for; the engine has not ended yet.
    Stopping,
    Done,
    Failed,
    Stopped,
    /// The app ended while it ran.
    Interrupted,
}

impl TurnState {
    /// True while an engine may still say something.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Queued | Self::Starting | Self::Running | Self::NeedsYou | Self::Stopping)
    }

    /// The stable word, as stored and as in `--json`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::NeedsYou => "needs_you",
            Self::Stopping => "stopping",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
        }
    }

    /// Reads the stable word; unknown words give `None`.
    pub fn parse(word: &str) -> Option<Self> {
        [
            Self::Queued,
            Self::Starting,
            Self::Running,
            Self::NeedsYou,
            Self::Stopping,
            Self::Done,
            Self::Failed,
            Self::Stopped,
            Self::Interrupted,
        ]
        .into_iter()
        .find(|state| state.word() == word)
    }
}

/// Everything the runtime needs to run one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnSpec {
    pub turn: TurnId,
    pub project: ProjectId,
    pub conversation: ConversationId,
    /// The user's message; the pack holds what came before it.
    pub user_message: MessageId,
    pub user_seq: i64,
    /// The user's prompt, whole.
    pub prompt: String,
    pub seat: SeatChoice,
    pub cwd: PathBuf,
    /// The project's folder, when `cwd` lies in a checkout of the conversation's own.
    pub main_folder: Option<PathBuf>,
    pub budget_chars: u32,
    pub skip_permissions: bool,
    /// A lost session was found while running: do not resume, send the full pack.
    pub force_fresh: bool,
    /// A fork was tried and did not work: tell the branch in words what was said before it.
    pub no_fork: bool,
}

/// What one seat (a long-lived engine process or connection) is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatSpec {
    pub engine: EngineId,
    pub model: Option<String>,
    /// The agent's working directory; exists.
    pub cwd: PathBuf,
    /// The engine's own session to take up; `None` = a new one.
    pub resume: Option<String>,
    /// The new session begins as a copy of another one; only with `caps.fork`, and never beside `resume`.
    pub fork: Option<Fork>,
    /// A fresh UUID the engine may take as the id of a new session.
    pub new_session_id: String,
    /// File with the context sections, for engines with `caps.system_apart`.
    pub system_file: Option<PathBuf>,
    pub skip_permissions: bool,
    /// Nothing but words is wanted: the engine takes from the agent whatever else it could do, as far as its program
    /// can be told, even where the user's own settings of the program allow it unasked. Nor need it keep the session.
    /// Stands above `skip_permissions`; what an agent asks for nevertheless is to be denied.
    pub words_only: bool,
    pub billing: Billing,
    /// Resolved program; `None` for servers and built-in engines.
    pub program: Option<PathBuf>,
    /// As the program told it at discovery, for protocol choices.
    pub version: Option<String>,
}

/// From where a new session branches off. What it is copied from stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// The engine's own session.
    pub session: String,
    /// The place in it, as the engine told it by [`TurnEvent::ForkPoint`], itself included; `None` = its end.
    pub point: Option<String>,
}

/// One request to a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRequest {
    pub turn: TurnId,
    /// What goes into the user's message: prompt, with whatever sections travel with it.
    pub text: String,
}

/// What an engine says while a turn runs. Items have a life: started, changed, completed.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnEvent {
    /// The context that goes out (said by the runtime, before the engine starts). `sent_text` is exact.
    Packed {
        pack: Box<ContextPack>,
        sent_text: String,
    },
    /// The request goes to a fork of another session (said by the runtime, before the engine starts).
    Forks(Fork),
    /// The engine took the request. `session` is its top-level session id.
    Started {
        session: Option<String>,
        model: Option<String>,
    },
    /// What it is doing, one short phrase, e.g. `Retrying 2 of 10`.
    Phase(String),
    /// A new part of the answer.
    ItemStarted {
        key: String,
        body: ItemBody,
    },
    /// More text for a text or thinking item, or more output for a tool item.
    ItemDelta {
        key: String,
        delta: String,
    },
    /// The item as it stands now; replaces what was shown. Also the final, completed form.
    ItemReplaced {
        key: String,
        body: ItemBody,
    },
    /// What was shown under this key is void (the engine starts it again).
    ItemWithdrawn {
        key: String,
    },
    PermissionAsked(PermissionRequest),
    /// The engine no longer waits for this answer.
    PermissionGone {
        ask: String,
    },
    /// Totals for this turn so far; replaces earlier ones.
    Usage(Usage),
    Limit(LimitInfo),
    Notice {
        level: NoticeLevel,
        text: String,
    },
    /// Models the engine offers.
    Models(Vec<String>),
    /// Where its session can be forked so that this turn is the last one in it. Said at the end of a turn.
    ForkPoint(String),
    Finished(StopReason),
    Failed(TurnFailure),
}

impl TurnEvent {
    /// True for the last event of a turn.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Finished(_) | Self::Failed(_))
    }
}

/// Why a turn ended without failing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    Completed,
    /// The model's output limit was reached.
    MaxTokens,
    Refused,
    /// Stopped by the user.
    Cancelled,
}

/// Token counts of one turn, kept apart. `None` = the engine does not tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Input that was not read from a cache.
    pub input_tokens: Option<u64>,
    pub cached_input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub reasoning_tokens: Option<u64>,
    /// As told by the engine, in US dollars; never computed here.
    pub cost_usd: Option<f64>,
    /// Size of the model's window, and how much the last request filled of it.
    pub window_tokens: Option<u64>,
    pub window_used_tokens: Option<u64>,
}

// Costs come from JSON numbers, so a NaN cannot occur.
impl Eq for Usage {}

/// A limit the engine told about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitInfo {
    /// e.g. `5 h`, `week`.
    pub kind: String,
    /// 0–100; `None` = not told.
    pub used_percent: Option<f32>,
    pub resets_at_ms: Option<i64>,
    /// True when requests are refused until the reset.
    pub reached: bool,
}

/// A question of an agent: may I do this?
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionRequest {
    /// The engine's id for it; an answer is bound to it.
    pub ask: String,
    /// The engine's name of the tool.
    pub tool: String,
    pub action: PermissionAction,
    /// The exact command, when one is to be run.
    pub command: Option<String>,
    /// Unified diff or the new content, when a file is to be changed.
    pub diff: Option<String>,
    /// Files concerned, as the engine names them.
    pub paths: Vec<String>,
    /// Folder it happens in.
    pub folder: Option<String>,
    /// The agent's own words, if any.
    pub reason: Option<String>,
    /// The item (tool call) it belongs to, when known.
    pub item_key: Option<String>,
}

/// What kind of thing is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionAction {
    Run,
    Edit,
    Fetch,
    #[default]
    Other,
}

/// The user's answer to a [`PermissionRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    AllowOnce,
    /// The comment reaches the agent where its protocol can carry one.
    Deny {
        comment: String,
    },
}

/// Why a turn failed, told apart so that the window can offer the right way out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnFailure {
    pub kind: FailureKind,
    /// What happened, one line.
    pub message: String,
    /// What to do, one line.
    pub hint: String,
    /// More, e.g. command, exit code and last lines of standard error. May be empty.
    #[serde(default)]
    pub detail: String,
    #[serde(default)]
    pub resets_at_ms: Option<i64>,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    NotInstalled,
    NotLoggedIn,
    /// No credit, or the plan's limit is reached.
    PlanLimit,
    RateLimited,
    Overloaded,
    ModelUnknown,
    PromptTooLong,
    Network,
    Crashed,
    TimedOut,
    /// The program spoke in a way we do not understand (version).
    Protocol,
    /// The engine does not know the session that was to be resumed.
    SessionLost,
    /// The project folder is missing.
    FolderMissing,
    /// Our own store or disk failed.
    Internal,
    Other,
}
