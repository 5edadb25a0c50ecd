//! Commits that nothing would lead to any more once a checkout is gone: its own log of where it was goes with it.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::os::files::read_capped;
use crate::os::git::checkout::same_place;
use crate::os::git::run::{Bounds, Git, GitError};

/// Newest places of a checkout that are looked at; a command line of Windows is short.
const PLACES_MAX: usize = if cfg!(windows) { 300 } else { 1_000 };
/// Commits that are named for one reason.
const NAMED_MAX: usize = 3;
/// Submodules in submodules.
const DEPTH_MAX: usize = 8;
const ENTRY_MAX_BYTES: u64 = 16 * 1024;

/// All references that stay when a checkout goes.
const STAYING: [&str; 5] = [
    "--not",
    "--exclude=refs/bisect/*",
    "--exclude=refs/worktree/*",
    "--exclude=refs/rewritten/*",
    "--glob=refs/*",
];

impl Git {
    /// Commits that were made in a checkout and that no branch, tag, remote, stash or log of a branch leads to; one line
    /// for the user. `head` is its `HEAD`, as seen from `folder`. Steps of a rebase that came to its end do not count.
    ///
    /// # Errors
    /// See [`GitError`].
    pub(super) async fn loose_commits(&self, folder: &Path, head: &str) -> Result<Option<String>, GitError> {
        let mut places = self.places(folder, head).await?;
        places.extend(self.maybe(folder, &["rev-parse", "--verify", "--quiet", head]).await?);
        if places.is_empty() {
            return Ok(None);
        }
        if self.behind(folder, &places, &BTreeSet::new()).await?.is_empty() {
            return Ok(None);
        }
        let kept = self.kept_by_logs(folder).await?;
        let loose = self.behind(folder, &places, &kept).await?;
        Ok(told(&loose))
    }

    /// As [`Git::loose_commits`], of a checkout whose folder is gone.
    ///
    /// # Errors
    /// See [`GitError`].
    pub(super) async fn loose_commits_of_gone(
        &self,
        project: &Path,
        folder: &Path,
    ) -> Result<Option<String>, GitError> {
        let entry = self.entry_of_gone(project, folder).await?;
        match entry.as_deref().and_then(Path::file_name).and_then(OsStr::to_str) {
            Some(name) => self.loose_commits(project, &format!("worktrees/{name}/HEAD")).await,
            None => Ok(None),
        }
    }

    /// Git's own folder of the checkout that was at `folder`.
    ///
    /// # Errors
    /// See [`GitError`].
    pub(super) async fn entry_of_gone(
        &self,
        project: &Path,
        folder: &Path,
    ) -> Result<Option<PathBuf>, GitError> {
        let common = self.look(project, &["rev-parse", "--git-common-dir"]).await?.line();
        let entries = project.join(common).join("worktrees");
        let wanted = folder.to_path_buf();
        Ok(tokio::task::spawn_blocking(move || entry_at(&entries, &wanted)).await.ok().flatten())
    }

    /// Where its `HEAD` was.
    async fn places(&self, folder: &Path, head: &str) -> Result<BTreeSet<String>, GitError> {
        let most = format!("--max-count={PLACES_MAX}");
        let args = ["log", "-g", &most, "--no-show-signature", "--format=%H %gs", head, "--"];
        let words: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        // Without a log, e.g. because it is switched off, it ends with an error.
        let out = self.ask(folder, &words, Bounds::default()).await?;
        let text = String::from_utf8_lossy(&out.bytes);
        let made = text.lines().filter_map(|line| line.split_once(' ')).filter(|(_, why)| !is_step(why));
        Ok(made.map(|(hash, _)| hash.to_owned()).collect())
    }

    /// The logs of the branches stay.
    async fn kept_by_logs(&self, folder: &Path) -> Result<BTreeSet<String>, GitError> {
        let most = format!("--max-count={PLACES_MAX}");
        let args = ["log", "-g", &most, "--no-show-signature", "--format=%H", "--branches", "--"];
        let words: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let out = self.ask(folder, &words, Bounds::default()).await?;
        let text = String::from_utf8_lossy(&out.bytes);
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Commits behind `places` that nothing staying leads to, each with its parents.
    async fn behind(
        &self,
        folder: &Path,
        places: &BTreeSet<String>,
        kept: &BTreeSet<String>,
    ) -> Result<Vec<Vec<String>>, GitError> {
        let mut args = vec!["rev-list", "--ignore-missing", "--parents"];
        args.extend(places.iter().map(String::as_str));
        args.extend(STAYING);
        args.extend(kept.iter().map(String::as_str));
        args.push("--");
        let out = self.look(folder, &args).await?;
        let text = String::from_utf8_lossy(&out.bytes);
        Ok(text.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect())
    }

    /// Commits of submodules that only their own folder has: it goes with the checkout. One line each.
    ///
    /// # Errors
    /// See [`GitError`].
    pub(super) async fn loose_in_submodules(&self, folder: &Path) -> Result<Vec<String>, GitError> {
        let mut lines = Vec::new();
        let mut waiting = vec![(folder.to_path_buf(), 0)];
        while let Some((at, depth)) = waiting.pop() {
            if depth >= DEPTH_MAX || !at.join(".gitmodules").exists() {
                continue;
            }
            let out = self.look(&at, &["ls-files", "--stage", "-z"]).await?;
            for line in out.bytes.split(|byte| *byte == 0).filter(|line| line.starts_with(b"160000 ")) {
                let Some(tab) = line.iter().position(|byte| *byte == b'\t') else { continue };
                let path = native(line.get(tab + 1..).unwrap_or_default());
                let inside = at.join(&path);
                if !inside.join(".git").exists() {
                    continue;
                }
                let args = ["rev-list", "--count", "HEAD", "--exclude=refs/tags/*", "--glob=refs/*"];
                let args = [&args[..], &["--not", "--remotes", "--"]].concat();
                let count = self.maybe(&inside, &args).await?.unwrap_or_default();
                if count != "0" {
                    let shown = inside.strip_prefix(folder).unwrap_or(&inside).display();
                    lines.push(format!(
                        "The submodule {shown} has commits that are on no remote branch. Push them first"
                    ));
                }
                waiting.push((inside, depth + 1));
            }
        }
        Ok(lines)
    }
}

/// A step of a rebase, such as `rebase (pick): …`; what it came to is on a branch.
fn is_step(why: &str) -> bool {
    let action = why.split(':').next().unwrap_or_default();
    action.ends_with(')') && !action.starts_with("commit")
}

fn told(loose: &[Vec<String>]) -> Option<String> {
    let parents: BTreeSet<&String> = loose.iter().flat_map(|commit| commit.iter().skip(1)).collect();
    let tips = loose.iter().filter_map(|commit| commit.first()).filter(|hash| !parents.contains(hash));
    let tips: Vec<String> = tips.take(NAMED_MAX).map(|hash| hash.chars().take(10).collect()).collect();
    let what = match loose.len() {
        0 => return None,
        1 => "1 commit is".to_owned(),
        count => format!("{count} commits are"),
    };
    let keep: Vec<String> = tips.iter().map(|hash| format!("git branch NAME {hash}")).collect();
    Some(format!("{what} on no branch. Make a git branch first: {}", keep.join(", ")))
}

/// Git's own folder of the checkout at `folder`, which may be gone.
fn entry_at(entries: &Path, folder: &Path) -> Option<PathBuf> {
    let wanted = folder.join(".git");
    let mut all = std::fs::read_dir(entries).ok()?.flatten();
    let found = all.find(|entry| {
        let read = read_capped(&entry.path().join("gitdir"), ENTRY_MAX_BYTES).ok();
        let text = read.and_then(|(bytes, _)| String::from_utf8(bytes).ok()).unwrap_or_default();
        let at = PathBuf::from(text.trim_end_matches('\n'));
        let at = if at.is_relative() { entry.path().join(at) } else { at };
        at.parent().zip(wanted.parent()).is_some_and(|(one, other)| same_place(one, other))
    })?;
    Some(found.path())
}

#[cfg(unix)]
fn native(path: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStrExt as _;
    OsStr::from_bytes(path).to_owned()
}

#[cfg(not(unix))]
fn native(path: &[u8]) -> OsString {
    String::from_utf8_lossy(path).into_owned().into()
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn steps_of_a_rebase_are_told_from_work() {
        for (why, step) in [
            ("rebase (pick): a: b", true),
            ("pull --rebase origin main (squash): x", true),
            ("commit: x (y)", false),
            ("commit (amend): x", false),
            ("checkout: moving from side to main", false),
            ("reset: moving to HEAD~1", false),
        ] {
            assert_eq!(is_step(why), step, "{why}");
        }
    }

    #[test]
    fn only_tips_are_named() {
        let commit = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        assert_eq!(told(&[]), None);
        let line = told(&[commit(&["c", "b"]), commit(&["b", "a"]), commit(&["z"])]).unwrap();
        assert_eq!(
            line,
            "3 commits are on no branch. Make a git branch first: git branch NAME c, git branch NAME z"
        );
    }
}
