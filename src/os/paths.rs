//! Where our own files live.

use std::io;
use std::path::{Path, PathBuf};

use super::files::create_private_folder;

const NAME: &str = "tunaflow";

/// The folders and files of one installation (or of one `--data-dir`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataPaths {
    data_folder: PathBuf,
    config_folder: PathBuf,
    log_folder: PathBuf,
}

const CONTEXT_START: &str = "context-";
const CONTEXT_END: &str = ".md";

/// Exactly the names that [`DataPaths::context_file`] gives: the folder may hold other things.
fn is_context_file(name: &str) -> bool {
    let unique = name.strip_prefix(CONTEXT_START).and_then(|rest| rest.strip_suffix(CONTEXT_END));
    unique.is_some_and(|unique| uuid::Uuid::try_parse(unique).is_ok())
}

/// The user has no home folder, so there is no usual place; give one by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no home folder: say where to keep the data (--data-dir)")]
pub struct NoHome;

impl DataPaths {
    /// The given folder, or the usual one of this system.
    ///
    /// Linux: `$XDG_DATA_HOME/tunaflow` with logs in `$XDG_STATE_HOME/tunaflow` and the user's own texts in
    /// `$XDG_CONFIG_HOME/tunaflow`; macOS: below `~/Library/Application Support`; Windows: below `%LOCALAPPDATA%`,
    /// texts below `%APPDATA%`. A given folder holds its logs and texts too.
    /// A relative folder is taken from where the program was started.
    ///
    /// # Errors
    /// None is given and the user has no home folder.
    pub fn new(given: Option<&Path>) -> Result<Self, NoHome> {
        if let Some(folder) = given {
            let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
            return Ok(Self {
                log_folder: folder.join("logs"),
                config_folder: folder.clone(),
                data_folder: folder,
            });
        }
        let usual = directories::ProjectDirs::from("", "", NAME).ok_or(NoHome)?;
        let data_folder = usual.data_local_dir().to_path_buf();
        let log_folder = usual.state_dir().unwrap_or(&data_folder).join("logs");
        Ok(Self { data_folder, config_folder: usual.config_dir().to_path_buf(), log_folder })
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

    /// For a program that only looks: makes nothing. A folder that is not there yet is fine.
    ///
    /// # Errors
    /// The folder cannot be looked into.
    pub fn check(&self) -> io::Result<()> {
        match std::fs::read_dir(&self.data_folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    #[must_use]
    pub fn data_folder(&self) -> &Path {
        &self.data_folder
    }

    #[must_use]
    pub fn log_folder(&self) -> &Path {
        &self.log_folder
    }

    /// Texts that the user wrote (`roles/`, `personas/`, `skills/`); it may be missing. Nothing of ours is written there.
    #[must_use]
    pub fn config_folder(&self) -> &Path {
        &self.config_folder
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

    /// Checkouts of branches, a folder for each project.
    #[must_use]
    pub fn worktree_folder(&self) -> PathBuf {
        self.data_folder.join("worktrees")
    }

    /// What one turn's agent is told at its start, as long as that turn runs.
    #[must_use]
    pub fn context_file(&self, unique: &str) -> PathBuf {
        self.data_folder.join(format!("{CONTEXT_START}{unique}{CONTEXT_END}"))
    }

    /// Removes the context files that a crash left. Only for the program that holds the data folder.
    pub fn remove_left_context_files(&self) {
        let Ok(entries) = std::fs::read_dir(&self.data_folder) else { return };
        for entry in entries.flatten() {
            let is_left = entry.file_name().to_str().is_some_and(is_context_file);
            if is_left && let Err(error) = std::fs::remove_file(entry.path()) {
                tracing::warn!(%error, "a context file of an earlier run is left");
            }
        }
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
    fn context_files_of_a_crash_go_and_nothing_else() {
        let base = tempfile::tempdir().unwrap();
        let paths = DataPaths::new(Some(base.path())).unwrap();
        let others = ["context-notes.md", "context-.md", "context.md", "notes.md"];
        let left = paths.context_file(&uuid::Uuid::new_v4().to_string());
        for file in others.iter().map(|name| base.path().join(name)).chain([left.clone()]) {
            std::fs::write(file, "x").unwrap();
        }
        paths.remove_left_context_files();
        assert!(!left.exists());
        assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), others.len());
    }

    #[test]
    fn looking_makes_no_folder() {
        let base = tempfile::tempdir().unwrap();
        let file = base.path().join("file");
        std::fs::write(&file, "").unwrap();
        let check = |folder: &Path| DataPaths::new(Some(folder)).unwrap().check();
        assert!(check(&base.path().join("none")).is_ok() && check(base.path()).is_ok());
        assert!(check(&file).is_err() && check(&file.join("below")).is_err());
        assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_relative_folder_becomes_absolute() {
        assert!(DataPaths::new(Some(Path::new("here"))).unwrap().data_folder().is_absolute());
    }
}
