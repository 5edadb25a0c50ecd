//! Taking a checkout away: first what would be lost, then git's own removal, which looks once more. Never by force.

use std::ffi::OsStr;
use std::path::Path;

use crate::model::git::{GitPath, Losses, NotRemoved};
use crate::os::git::run::{Bounds, Git, GitError, OUTPUT_MAX_BYTES};
use crate::os::git::status::{Ask, EntryKind, operation};

/// Most files of a kind that are named.
const NAMED_MAX: usize = 200;
/// The list of all files with their marks may be long.
const MARKS_MAX_BYTES: usize = 64 * 1024 * 1024;

impl Git {
    /// What would be lost with the checkout at `folder`.
    ///
    /// # Errors
    /// See [`GitError`]; then nothing may be removed.
    pub async fn losses(&self, project: &Path, folder: &Path) -> Result<Losses, GitError> {
        let mut losses = Losses::default();
        let repo = self.repo(folder).await.map_err(|error| no_checkout(error, folder))?;
        if !super::checkout::same_place(&repo.root, folder) {
            return Err(GitError::Refused(format!("{} is no checkout of its own.", folder.display())));
        }
        if let Some(operation) = operation(&repo.git_dir) {
            losses.reasons.push(format!("A {operation} is under way there. Finish or abort it."));
        }
        match self.entry_of(project, folder).await? {
            None => losses.reasons.push("It is no checkout of the project's repository any more.".to_owned()),
            Some(entry) => {
                if let Some(why) = entry.locked {
                    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
                    losses.reasons.push(format!("It is locked{why}. Run git worktree unlock first"));
                }
            }
        }
        losses.reasons.extend(self.loose_commits(folder, "HEAD").await?);
        losses.reasons.extend(self.loose_in_submodules(folder).await?);
        self.dirt(folder, &mut losses).await?;
        self.hidden(folder, &mut losses).await?;
        Ok(losses)
    }

    async fn dirt(&self, folder: &Path, losses: &mut Losses) -> Result<(), GitError> {
        let ask = Ask { every_file: false, ignored: true, bounds: Bounds::default() };
        let status = self.status(folder, ask).await?;
        if status.cut {
            losses.reasons.push("There is more than can be looked at.".to_owned());
        }
        for entry in status.entries {
            if entry.dirty_submodule {
                losses.reasons.push(format!("The submodule {} has changes of its own.", entry.path.shown()));
            }
            let (list, more) = match entry.kind {
                EntryKind::Ignored => (&mut losses.ignored, &mut losses.more_ignored),
                EntryKind::Changed | EntryKind::Conflict | EntryKind::Untracked => {
                    (&mut losses.files, &mut losses.more_files)
                }
            };
            if list.len() < NAMED_MAX { list.push(entry.path) } else { *more += 1 }
        }
        Ok(())
    }

    /// Files whose changes git was told not to look at.
    async fn hidden(&self, folder: &Path, losses: &mut Losses) -> Result<(), GitError> {
        let bounds = Bounds { max_bytes: MARKS_MAX_BYTES.max(OUTPUT_MAX_BYTES), ..Bounds::default() };
        let out = self.ask(folder, &["ls-files", "-v", "-z"].map(OsStr::new), bounds).await?;
        if out.cut || !out.is_ok() {
            losses.reasons.push("There are more files than can be looked at.".to_owned());
        }
        for line in out.bytes.split(|byte| *byte == 0) {
            let (Some(mark), Some(path)) = (line.first(), line.get(2..)) else { continue };
            // Lower case: assumed unchanged. `S`: left out of the checkout, so a file there is somebody's own.
            let is_hidden = mark.is_ascii_lowercase() || (*mark == b'S' && is_there(folder, path));
            if is_hidden {
                let shown = GitPath(path.to_vec()).shown();
                losses.reasons.push(format!("git was told not to look at {shown}; it may have changes."));
                if losses.reasons.len() > NAMED_MAX {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Removes the checkout when nothing is lost with it; the git branch stays. `with_ignored`: the user has been told
    /// which ignored files go.
    ///
    /// # Errors
    /// What would be lost, or why it failed.
    pub async fn remove_checkout(
        &self,
        project: &Path,
        folder: &Path,
        with_ignored: bool,
    ) -> Result<(), NotRemoved> {
        let told = |error: GitError| NotRemoved::Failed(error.to_string());
        self.check().await.map_err(told)?;
        let losses = self.losses(project, folder).await.map_err(told)?;
        let may_go = losses.is_empty() || (with_ignored && losses.only_ignored());
        if !may_go {
            return Err(NotRemoved::Loses(Box::new(losses)));
        }
        let args = [OsStr::new("worktree"), OsStr::new("remove"), OsStr::new("--"), folder.as_os_str()];
        match self.change(project, &args).await {
            Ok(_) => Ok(()),
            Err(GitError::Failed { why, .. }) if why.contains("submodules") => {
                let shown = folder.display();
                Err(NotRemoved::Failed(format!(
                    "git removes a checkout with submodules only by force, which tunaflow never does. Nothing \
                     uncommitted was found in it. To remove it yourself: git worktree remove --force \"{shown}\""
                )))
            }
            Err(error) => Err(told(error)),
        }
    }
}

/// Without a repository it is a plain folder, which only its owner may take away.
#[must_use]
pub fn no_checkout(error: GitError, folder: &Path) -> GitError {
    match error {
        GitError::NoRepository { .. } => GitError::Refused(format!(
            "git knows the folder {} as no checkout any more. Look what is in it, move it away, then make the checkout \
             again or forget it.",
            folder.display()
        )),
        other => other,
    }
}

#[cfg(unix)]
fn is_there(folder: &Path, path: &[u8]) -> bool {
    use std::os::unix::ffi::OsStrExt as _;
    std::fs::symlink_metadata(folder.join(OsStr::from_bytes(path))).is_ok()
}

#[cfg(not(unix))]
fn is_there(folder: &Path, path: &[u8]) -> bool {
    std::fs::symlink_metadata(folder.join(&*String::from_utf8_lossy(path))).is_ok()
}
