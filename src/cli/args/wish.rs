//! What can be asked for.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::cli::args::known::{Known, Profiles};
use crate::model::id::{ConversationId, ProjectId};
use crate::model::pack::Mode;

/// What is asked for, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    pub data_dir: Option<PathBuf>,
    pub project: Option<PathBuf>,
    pub json: bool,
    pub wish: Wish,
}

/// One command with its own options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// No command: the window.
    Window,
    Help,
    Version,
    Doctor,
    ProjectAdd(PathBuf),
    ProjectList,
    ProjectRemove(ProjectWord),
    Conversations,
    Messages(Transcript),
    Export(Export),
    Send(Box<Ask>),
    Context(Box<Look>),
    /// About what a project keeps beside its conversations.
    Known(Box<Known>),
    Profiles(Box<Profiles>),
    Names(Names),
    SettingsGet(Option<String>),
    SettingsSet {
        name: String,
        value: String,
    },
    /// What follows `bench`, untouched.
    Bench(Vec<OsString>),
}

/// How a project is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectWord {
    Id(ProjectId),
    Path(PathBuf),
}

/// Which conversation, and which of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    pub conversation: ConversationId,
    pub parts: Parts,
}

/// Parts of a message beside its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    pub tools: bool,
    pub thinking: bool,
}

/// What is written out, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    pub transcript: Transcript,
    pub format: Format,
}

/// Forms of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Json,
}

/// A message to be sent, or whose context is to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    pub conversation: Option<ConversationId>,
    pub engine: Option<String>,
    pub model: Option<String>,
    pub role: Option<String>,
    /// Name of a profile, or else of a role.
    pub profile: Option<String>,
    pub mode: Option<Mode>,
    pub budget_chars: Option<u32>,
    pub permissions: Permissions,
    pub text: TextFrom,
}

/// Whose context is to be shown, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    pub ask: Ask,
    /// Nothing but the exact text.
    pub bare: bool,
    /// Another engine, whose context is held against this one.
    pub compare: Option<String>,
}

/// Names that can be picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    Roles,
    Personas,
}

/// Where the text comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TextFrom {
    Given(String),
    /// `-`: standard input to its end.
    Stdin,
    /// Nothing was said: standard input, unless a person sits there.
    #[default]
    Unsaid,
}

/// Where a longer text comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FileFrom {
    /// An empty path stands for an empty text.
    Path(PathBuf),
    /// `-`: standard input to its end.
    Stdin,
    /// Nothing was said: standard input, unless a person sits there.
    #[default]
    Unsaid,
}

/// What happens to an agent's questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Permissions {
    /// Each is shown and waits for y or n; needs a terminal.
    Ask,
    #[default]
    Deny,
    /// Each is allowed, once.
    Allow,
}
