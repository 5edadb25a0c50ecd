//! A checkout that went along when the data folder was moved: git is told its new place, nothing in it is touched.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::model::git::MadeCheckout;
use crate::os::git::checkout::{Before, text_of};
use crate::os::git::head::git_folder;
use crate::os::git::run::{Git, GitError};
use crate::os::git::status::Repo;

impl Git {
    /// The vanished checkout, when it lies on the `shelf` of today; it is that of `before` and no other.
    ///
    /// # Errors
    /// See [`GitError`].
    pub(super) async fn moved_along(
        &self,
        repo: &Repo,
        shelf: &Path,
        before: Before<'_>,
        head: &str,
    ) -> Result<Option<MadeCheckout>, GitError> {
        let Some(entry) = self.entry_of_gone(&repo.root, before.folder).await? else { return Ok(None) };
        let (gone, shelf) = (before.folder.to_path_buf(), shelf.to_path_buf());
        let found = tokio::task::spawn_blocking(move || lies_at(&gone, &shelf, &entry)).await.ok().flatten();
        let Some(at) = found else { return Ok(None) };
        let args = [OsStr::new("worktree"), OsStr::new("repair"), OsStr::new("--"), at.as_os_str()];
        self.change(&repo.root, &args).await?;
        let Some(entry) = self.entry_of(&repo.root, &at).await? else { return Ok(None) };
        Ok(Some(MadeCheckout {
            folder: text_of(&at)?,
            subfolder: repo.subfolder.clone(),
            git_branch: entry.git_branch.or(before.git_branch.map(str::to_owned)).unwrap_or_default(),
            base: before.base.unwrap_or(head).to_owned(),
            new_branch: false,
            notes: vec!["It was found where the data folder is now, and is used as it is.".to_owned()],
        }))
    }
}

/// `entry` is git's own folder of the vanished checkout.
fn lies_at(gone: &Path, shelf: &Path, entry: &Path) -> Option<PathBuf> {
    let at = std::fs::canonicalize(shelf).ok()?.join(gone.file_name()?);
    let leads_to = std::fs::canonicalize(git_folder(&at.join(".git"))?).ok()?;
    (!gone.exists() && leads_to == std::fs::canonicalize(entry).ok()?).then_some(at)
}
