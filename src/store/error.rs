//! What can go wrong, told apart by what a caller or the user can do.

use rusqlite::ErrorCode;
use rusqlite::ffi;

/// Why the store could not do something. `Display` is one line: what happened, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// No room, or a quota. Nothing of the batch was kept; the same batch may be tried again later.
    #[error("Not saved: the disk is full or refuses to be written. Make room; saving is tried again.")]
    Full,
    /// Another process held the file for longer than the wait allows.
    #[error("Not saved: the database is in use by another program. Close it; saving is tried again.")]
    Busy,
    /// The file is not a sound database. It is left exactly as it is.
    #[error("The database is damaged ({why}). It was left untouched; restore a backup to go on.")]
    Damaged { why: String },
    /// Written by a newer program.
    #[error(
        "The database was written by a newer tunaflow (format {found}, this one knows {known}). \
         Install the newer version; nothing was changed."
    )]
    TooNew { found: i64, known: i64 },
    /// The file or its folder may not be written.
    #[error("The database cannot be written: the file or its folder is read-only. Check its permissions.")]
    ReadOnly,
    /// Everything else; `what` is one line.
    #[error("The database reported a problem: {what}")]
    Other { what: String },
}

impl StoreError {
    /// For causes that have no variant of their own.
    pub fn other(what: impl std::fmt::Display) -> Self {
        Self::Other { what: one_line(&what.to_string()) }
    }

    pub(super) fn damaged(why: impl std::fmt::Display) -> Self {
        Self::Damaged { why: one_line(&why.to_string()) }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let rusqlite::Error::SqliteFailure(failure, _) = &error else {
            return Self::other(error);
        };
        match failure.code {
            ErrorCode::DiskFull => Self::Full,
            // A quota, or no room for the shared-memory file, is told as an I/O error.
            ErrorCode::SystemIoFailure
                if [ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_SHMSIZE].contains(&failure.extended_code) =>
            {
                Self::Full
            }
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::damaged(error),
            ErrorCode::ReadOnly => Self::ReadOnly,
            _ => Self::other(error),
        }
    }
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind as K;
        match error.kind() {
            K::StorageFull | K::QuotaExceeded => Self::Full,
            K::ReadOnlyFilesystem | K::PermissionDenied => Self::ReadOnly,
            _ => Self::other(error),
        }
    }
}

/// The result of everything in this room.
pub(super) type StoreResult<T> = Result<T, StoreError>;

#[cfg(test)]
mod tests {
    use super::StoreError;

    #[test]
    fn every_error_is_one_line_with_a_way_out() {
        let errors = [
            StoreError::Full,
            StoreError::Busy,
            StoreError::damaged("page 7\nis bad"),
            StoreError::TooNew { found: 9, known: 1 },
            StoreError::ReadOnly,
            StoreError::other("two\nlines"),
        ];
        for error in errors {
            let line = error.to_string();
            assert!(!line.contains('\n') && line.len() > 30, "{line}");
        }
    }

    #[test]
    fn the_newer_database_is_named_with_both_numbers() {
        let line = StoreError::TooNew { found: 9, known: 1 }.to_string();
        assert!(line.contains("format 9") && line.contains("knows 1"), "{line}");
    }
}
