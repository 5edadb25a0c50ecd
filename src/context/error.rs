//! Why something could not be told.

use crate::model::id::ProjectId;
use crate::store::StoreError;

/// Why a section, or a whole pack, could not be made. `Display` is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("project {0} is not known")]
    UnknownProject(ProjectId),
}
