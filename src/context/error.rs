//! Why something could not be told.

use crate::model::id::{MessageId, ProjectId};
use crate::store::StoreError;

/// Why a section, or a whole pack, could not be made. `Display` is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("project {0} is not known")]
    UnknownProject(ProjectId),
    #[error("message {0}, at which this branch starts, is not there any more")]
    NoCheckpoint(MessageId),
}
