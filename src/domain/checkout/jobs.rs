//! What git is asked to do, and what it answers.

use std::path::PathBuf;

use crate::model::git::{ChangedFile, Checkout, FileDiff, GitPath, MadeCheckout, NotRemoved};
use crate::model::id::{ConversationId, ProjectId};

/// Work for the program git.
#[derive(Clone, Debug, PartialEq)]
pub enum GitJob {
    Look {
        conversation: ConversationId,
        /// Root of its own checkout, or the project's folder.
        folder: PathBuf,
        /// It is its own checkout.
        own: bool,
        base: Option<String>,
        generation: u32,
    },
    Diff {
        conversation: ConversationId,
        folder: PathBuf,
        base: String,
        file: ChangedFile,
    },
    Make {
        branch: ConversationId,
        project: PathBuf,
        project_id: ProjectId,
        project_name: String,
        label: String,
        git_branch: Option<String>,
        again: Option<Vanished>,
    },
    /// It could not be kept in the store: nothing of it shall stay.
    Unmake {
        project: PathBuf,
        made: MadeCheckout,
    },
    /// It is kept in the store.
    Kept {
        folder: PathBuf,
    },
    Remove {
        branch: ConversationId,
        project: PathBuf,
        folder: PathBuf,
        with_ignored: bool,
    },
    Forget {
        branch: ConversationId,
        project: PathBuf,
        folder: PathBuf,
    },
    /// Looks for checkouts that were made and never kept, because the program ended in between.
    FindLeft {
        /// Those that are kept.
        known: Vec<PathBuf>,
    },
}

/// A checkout to be made again: its root, the commit it began from, and the git branch that is kept of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Vanished {
    pub folder: PathBuf,
    pub base: Option<String>,
    pub git_branch: Option<String>,
}

/// What came of it; `Err` is one line.
#[derive(Clone, Debug, PartialEq)]
pub enum GitDone {
    Looked {
        conversation: ConversationId,
        generation: u32,
        result: Result<Checkout, String>,
    },
    Diffed {
        conversation: ConversationId,
        file: GitPath,
        result: Result<FileDiff, String>,
    },
    Made {
        branch: ConversationId,
        project: PathBuf,
        result: Result<MadeCheckout, String>,
    },
    Removed {
        branch: ConversationId,
        result: Result<(), NotRemoved>,
    },
    Forgotten {
        branch: ConversationId,
        result: Result<(), String>,
    },
    /// Checkouts of a run that broke off: taken away, and staying with the reason.
    Left {
        removed: Vec<String>,
        stay: Vec<String>,
    },
    /// A turn in a checkout has ended; these files of the project's own folder changed meanwhile, most often none.
    MainSeen {
        conversation: ConversationId,
        files: Vec<String>,
    },
    /// Nothing that concerns anybody.
    Nothing,
}
