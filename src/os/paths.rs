//! Where our own files live.

use std::io;
use std::path::{Path, PathBuf};

use super::files::create_private_folder;

const NAME: &str = "tunaflow";

/// The folders and files of one installation (or of one `--data-dir`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataPaths {
    data_folder: PathBuf,
    log_folder: PathBuf,
}

/// The user has no home folder, so there is no usual place; give one by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no home folder: say where to keep the data (--data-dir)")]
pub struct NoHome;

impl DataPaths {
    /// The given folder, or the usual one of this system.
    ///
    /// Linux: `$XDG_DATA_HOME/tunaflow` with logs in `$XDG_STATE_HOME/tunaflow`; macOS: below
    /// `~/Library/Application Support`; Windows: below `%LOCALAPPDATA%`. A given folder holds its logs too.
    /// A relative folder is taken from where the program was started.
    ///
    /// # Errors
    /// None is given and the user has no home folder.
    pub fn new(given: Option<&Path>) -> Result<Self, NoHome> {
        if let Some(folder) = given {
            let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
            return Ok(Self { log_folder: folder.join("logs"), data_folder: folder });
        }
        let usual = directories::ProjectDirs::from("", "", NAME).ok_or(NoHome)?;
        let data_folder = usual.data_local_dir().to_path_buf();
        let log_folder = usual.state_dir().unwrap_or(&data_folder).join("logs");
        Ok(Self { data_folder, log_folder })
    }

    /// Creates the folders, readable for the user alone.
    ///
    /// # Errors
    /// A folder can't be created.
    pub fn create(&self) -> io::Result<()> {
        [&self.data_folder, &self.log_folder, &self.backup_folder()]
            .into_iter()
            .try_for_each(|folder| create_private_folder(folder))
    }

    #[must_use]
    pub fn data_folder(&self) -> &Path {
        &self.data_folder
    }

    #[must_use]
    pub fn log_folder(&self) -> &Path {
        &self.log_folder
    }

    #[must_use]
    pub fn backup_folder(&self) -> PathBuf {
        self.data_folder.join("backups")
    }

    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.data_folder.join("tunaflow.db")
    }

    #[must_use]
    pub fn lock_file(&self) -> PathBuf {
        self.data_folder.join("lock")
    }

    #[must_use]
    pub fn secrets_file(&self) -> PathBuf {
        self.data_folder.join("secrets.json")
    }

    /// The socket through which a second start reaches the first (Unix).
    #[must_use]
    pub fn focus_socket(&self) -> PathBuf {
        self.data_folder.join("focus.sock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_folder_holds_everything() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("data");
        let paths = DataPaths::new(Some(&folder)).unwrap();
        paths.create().unwrap();
        for path in [
            paths.database(),
            paths.lock_file(),
            paths.secrets_file(),
            paths.backup_folder(),
            paths.log_folder().to_path_buf(),
        ] {
            assert_eq!(path.parent(), Some(folder.as_path()));
        }
        assert!(paths.backup_folder().is_dir() && paths.log_folder().is_dir());
    }

    #[test]
    fn a_relative_folder_becomes_absolute() {
        assert!(DataPaths::new(Some(Path::new("here"))).unwrap().data_folder().is_absolute());
    }
}
