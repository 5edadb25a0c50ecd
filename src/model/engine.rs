//! Engines as data: who they are, what they can do, what was found on this machine.
//!
//! Logic asks [`EngineCaps`]; no engine is named outside its own file in `crate::engine`.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A stable word for an engine: `claude`, `codex`, `gemini`, `opencode`, `demo`,
/// `openai:<endpoint>`, `acp:<agent>`, `script:<file>`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EngineId(Arc<str>);

impl EngineId {
    pub fn new(id: impl AsRef<str>) -> Self {
        Self(Arc::from(id.as_ref()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True when it could be an engine's id: a plain word, or one of the three kinds that take a name after a colon.
    /// It need not be known.
    pub fn is_well_formed(&self) -> bool {
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|ch| ch.is_ascii_lowercase() || ch.is_ascii_digit() || matches!(ch, '-' | '_'))
        };
        match self.0.split_once(':') {
            None => is_word(&self.0),
            Some((kind, name)) => {
                matches!(kind, "openai" | "acp" | "script")
                    && !name.trim().is_empty()
                    && !name.chars().any(char::is_control)
            }
        }
    }
}

impl fmt::Display for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EngineId({})", self.0)
    }
}

/// How an engine treats actions that change things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionCap {
    /// It asks its host, so the window asks the user.
    Asks,
    /// It has no tools that change anything.
    NoTools,
    /// It cannot ask; it runs in its most careful mode and the window says so.
    Careful,
}

/// Where an engine can fork a session of its own, so that a new one goes on from there and the old one stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForkCap {
    #[default]
    None,
    /// After the last thing it holds, and nowhere else.
    AtEnd,
    /// After any finished turn of which it told a [`crate::model::turn::TurnEvent::ForkPoint`].
    AtTurn,
}

/// What an engine can do. Everything outside its own file decides by these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a table of independent yes/no facts")]
pub struct EngineCaps {
    /// Text arrives in pieces.
    pub stream: bool,
    /// Tool calls are reported.
    pub tools: bool,
    pub permissions: PermissionCap,
    /// A session can be taken up again by its id, in a new process too.
    pub resume: bool,
    /// Where a new session may branch off an earlier one.
    pub fork: ForkCap,
    /// Takes the context sections apart from the user prompt.
    pub system_apart: bool,
    pub images: bool,
    pub usage: bool,
    pub cost: bool,
    /// Takes MCP servers per run.
    pub mcp: bool,
    /// One process serves many turns and may be kept warm.
    pub warm: bool,
}

/// Which plain shape and hue the engine's mark takes in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineLook {
    Claude,
    Codex,
    Gemini,
    OpenCode,
    Local,
    Demo,
}

/// The fixed facts about one engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineInfo {
    pub id: EngineId,
    /// Shown name, e.g. `Claude Code`.
    pub name: String,
    pub look: EngineLook,
    pub caps: EngineCaps,
    /// Program names to look for; empty when nothing is to be found on disk.
    pub programs: Vec<String>,
    /// Folders below HOME where vendors install it, beside PATH.
    pub home_dirs: Vec<String>,
    /// Short built-in list, shown until the engine tells its own. Free text is always possible.
    pub models: Vec<String>,
    /// Environment variables that hold an API key for it; they reach a child only with [`Billing::ApiKey`].
    pub key_variables: Vec<String>,
    /// One line: how to install it.
    pub install_hint: String,
    /// One line: how to log in.
    pub login_hint: String,
    /// Terminal command that takes up a session there; `{id}` stands for the session id. Empty = none.
    pub resume_command: String,
}

/// Who pays for a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Billing {
    /// The user's own login; API keys in the environment are withheld from the child.
    #[default]
    Subscription,
    /// The user chose metered billing: the engine's key variables are passed on.
    ApiKey,
}

/// What was found on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Availability {
    /// Not looked yet, or looking now.
    #[default]
    Checking,
    /// Can be started.
    Ready,
    /// Found, but its login is missing.
    NotLoggedIn,
    /// Not found; `searched` names where it was looked for.
    NotInstalled { searched: Vec<String> },
    /// A server that does not answer, or a program that does not start; `why` is one line.
    Broken { why: String },
}

/// One engine's state on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineStatus {
    pub id: EngineId,
    pub availability: Availability,
    /// As the program tells it, without decoration; `None` until known.
    pub version: Option<String>,
    /// Resolved path of the program, or `None` for servers and built-in engines.
    pub path: Option<PathBuf>,
    /// How it was found, e.g. `PATH`, `well-known folder`, `set by hand`.
    pub found_by: Option<String>,
    /// What is known of the login, one or two words, e.g. `logged in`; `None` = cannot tell without a turn.
    pub login: Option<String>,
    pub billing: Billing,
    /// Models the engine told; empty = use [`EngineInfo::models`].
    pub models: Vec<String>,
}
