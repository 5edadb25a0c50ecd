//! Checkouts beside the main one: made, taken back, listed, forgotten.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::model::git::MadeCheckout;
use crate::os::files::{Access, create_private_folder, read_capped, write_atomic};
use crate::os::git::name::{fault, meets, slug, unique};
use crate::os::git::run::{Git, GitError};
use crate::os::git::status::Repo;

/// Longest mark that is read.
const MARK_MAX_BYTES: u64 = 64 * 1024;

/// What is to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewCheckout<'a> {
    /// The project's folder.
    pub project: &'a Path,
    /// The folder that the new checkout's folder is made in.
    pub shelf: &'a Path,
    /// Gives folder and git branch their name.
    pub label: &'a str,
    /// A git branch by name, new or there; `None` makes a new one named by the label.
    pub git_branch: Option<&'a str>,
    /// Where it was before its folder vanished; it is made there again.
    pub again: Option<Before<'a>>,
}

/// A checkout whose folder vanished.
#[derive(Debug, Clone, Copy)]
pub struct Before<'a> {
    pub folder: &'a Path,
    /// The commit it began from.
    pub base: Option<&'a str>,
    /// The git branch it was made on; the one that git last saw there goes before it.
    pub git_branch: Option<&'a str>,
}

/// One checkout of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub folder: PathBuf,
    /// Without `refs/heads/`.
    pub git_branch: Option<String>,
    pub locked: Option<String>,
}

/// One folder a project, with its name for people and a number for us.
#[must_use]
pub fn shelf(worktrees: &Path, project_name: &str, project: i64) -> PathBuf {
    worktrees.join(format!("{}-{project}", slug(project_name, "project")))
}

impl Git {
    /// Makes a checkout with a branch of its own. When it fails, nothing of it stays.
    ///
    /// # Errors
    /// [`GitError::Refused`] with the reason, or git's own words.
    pub async fn make_checkout(&self, new: NewCheckout<'_>) -> Result<MadeCheckout, GitError> {
        self.check().await?;
        let repo = self.repo(new.project).await?;
        let Some(head) = self.head_commit(&repo.root).await? else {
            return Err(GitError::Refused(
                "The repository has no commit yet, so there is nothing a checkout could hold. Commit once, then try \
                 again."
                    .to_owned(),
            ));
        };
        let branches = self.branches(&repo.root).await?;
        let mut seen = None;
        if let Some(before) = new.again {
            if new.git_branch.is_none()
                && let Some(moved) = self.moved_along(&repo, new.shelf, before, &head).await?
            {
                return Ok(moved);
            }
            let entry = self.entry_of(new.project, before.folder).await?;
            seen = entry.and_then(|entry| entry.git_branch).filter(|name| branches.contains(name));
            self.forget_checkout(new.project, before.folder).await?;
        }
        let listed = self.checkouts(&repo.root).await?;
        let before = new.again.and_then(|before| before.git_branch);
        let given = new.git_branch.or(seen.as_deref()).or(before);
        let (git_branch, is_new) = pick_branch(given, new.label, &branches, &listed)?;
        let base = self.base(&repo, &head, &git_branch, is_new, new.again.and_then(|one| one.base)).await?;
        let folder = match new.again {
            Some(before) => before.folder.to_path_buf(),
            None => place(new.shelf, &git_branch, &repo.root)?,
        };
        let mut made = MadeCheckout {
            folder: text_of(&folder)?,
            subfolder: repo.subfolder.clone(),
            git_branch,
            base,
            new_branch: is_new,
            notes: Vec::new(),
        };
        if new.again.is_none() {
            mark(new.project, &made)?;
        }
        self.add(&repo, &made, &folder, &head).await?;
        if !made.subfolder.is_empty() && !folder.join(&made.subfolder).is_dir() {
            self.unmake_checkout(new.project, &made).await?;
            return Err(GitError::Refused(format!(
                "The project's folder {} is in no commit, so the checkout would not have it. Commit it first.",
                made.subfolder
            )));
        }
        if folder.join(".gitmodules").exists() {
            made.notes.push(
                "Its submodules are not checked out. Run git submodule update --init there if they are needed."
                    .to_owned(),
            );
        }
        Ok(made)
    }

    async fn add(&self, repo: &Repo, made: &MadeCheckout, folder: &Path, head: &str) -> Result<(), GitError> {
        if made.new_branch {
            // Apart, and only while there is none of that name: what somebody else made meanwhile is not ours to take
            // back when the rest fails.
            let args = ["branch", "--no-track", &made.git_branch, head].map(OsStr::new);
            if let Err(why) = self.change(&repo.root, &args).await {
                unmark(folder);
                return Err(why);
            }
        }
        let mut args = ["worktree", "add", "--quiet", "--"].map(OsStr::new).to_vec();
        args.extend([folder.as_os_str(), OsStr::new(&made.git_branch)]);
        let Err(why) = self.change(&repo.root, &args).await else { return Ok(()) };
        if let Err(left) = self.unmake_checkout(&repo.root, made).await {
            tracing::warn!(%left, "a checkout that failed left something");
        }
        Err(why)
    }

    /// What the checkout is compared with.
    async fn base(
        &self,
        repo: &Repo,
        head: &str,
        git_branch: &str,
        is_new: bool,
        before: Option<&str>,
    ) -> Result<String, GitError> {
        if is_new {
            return Ok(head.to_owned());
        }
        if let Some(before) = before {
            return Ok(before.to_owned());
        }
        let tip = format!("refs/heads/{git_branch}");
        let met = self.maybe(&repo.root, &["merge-base", head, &tip]).await?;
        let met = met.filter(|hash| !hash.is_empty());
        Ok(match met {
            Some(hash) => hash,
            None => self.look(&repo.root, &["rev-parse", &tip]).await?.line(),
        })
    }

    /// Takes back what was just made and not used: folder, entry, and the new branch while it has no commit of its own.
    ///
    /// # Errors
    /// Something is in it already, so it stays.
    pub async fn unmake_checkout(&self, project: &Path, made: &MadeCheckout) -> Result<(), GitError> {
        let folder = Path::new(&made.folder);
        if self.entry_of(project, folder).await?.is_some() {
            self.change(
                project,
                &[OsStr::new("worktree"), OsStr::new("remove"), OsStr::new("--"), folder.as_os_str()],
            )
            .await?;
        }
        if made.new_branch {
            // Only while it is where it was made.
            let name = format!("refs/heads/{}", made.git_branch);
            let tip = self.maybe(project, &["rev-parse", "--verify", "--quiet", &name]).await?;
            if tip.as_deref() == Some(made.base.as_str()) {
                let args = ["update-ref", "-d", &name, &made.base].map(OsStr::new);
                self.change(project, &args).await?;
            }
        }
        unmark(folder);
        Ok(())
    }

    /// Looks below the shelves for checkouts that were begun and are not `known`: takes away what is empty of any work,
    /// gives those and the others, each with the reason why it stays.
    ///
    /// # Errors
    /// None; what cannot be read stays.
    pub async fn clear_left(&self, shelves: &Path, known: &[PathBuf]) -> (Vec<String>, Vec<String>) {
        let (mut removed, mut stay) = (Vec::new(), Vec::new());
        for (project, made) in marks(shelves) {
            let folder = PathBuf::from(&made.folder);
            if known.iter().any(|one| same_place(one, &folder)) {
                unmark(&folder);
                continue;
            }
            match self.clear(&project, &made).await {
                Ok(()) => removed.push(made.folder),
                Err(why) => stay.push(format!("{} ({why})", made.folder)),
            }
        }
        (removed, stay)
    }

    async fn clear(&self, project: &Path, made: &MadeCheckout) -> Result<(), String> {
        let folder = Path::new(&made.folder);
        if folder.exists() {
            let losses = self.losses(project, folder).await.map_err(|error| error.to_string())?;
            if !losses.is_empty() {
                return Err(losses.lines(3).join(", "));
            }
        }
        self.unmake_checkout(project, made).await.map_err(|error| error.to_string())
    }

    /// Takes the entry of a checkout whose folder is gone out of git's list, and no other entry. The git branch stays.
    ///
    /// # Errors
    /// The folder is there, or git refuses, e.g. for a locked one.
    pub async fn forget_checkout(&self, project: &Path, folder: &Path) -> Result<(), GitError> {
        if std::fs::symlink_metadata(folder).is_ok() {
            return Err(GitError::Refused(format!(
                "{} is still there. Only what is gone is forgotten: remove the checkout, or move away what is there.",
                folder.display()
            )));
        }
        let entry = match self.entry_of(project, folder).await {
            // Where there is no repository any more, there is no list either.
            Err(GitError::NoRepository { .. } | GitError::FolderGone { .. }) => None,
            other => other?,
        };
        let Some(entry) = entry else { return Ok(()) };
        if let Some(why) = entry.locked {
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            return Err(GitError::Refused(format!(
                "git keeps the entry of {} locked{why}. Run git worktree unlock for it first.",
                folder.display()
            )));
        }
        // What git remembers of the folder goes with the entry.
        if let Some(loose) = self.loose_commits_of_gone(project, folder).await? {
            return Err(GitError::Refused(format!("Of the checkout {}, {loose}", folder.display())));
        }
        let args = [OsStr::new("worktree"), OsStr::new("remove"), OsStr::new("--"), folder.as_os_str()];
        self.change(project, &args).await.map(|_said| ())
    }

    pub(super) async fn entry_of(&self, project: &Path, folder: &Path) -> Result<Option<Listed>, GitError> {
        let listed = self.checkouts(project).await?;
        Ok(listed.into_iter().find(|entry| same_place(&entry.folder, folder)))
    }

    /// All checkouts of the repository, the main one first.
    ///
    /// # Errors
    /// See [`GitError`].
    pub async fn checkouts(&self, project: &Path) -> Result<Vec<Listed>, GitError> {
        let out = self.look(project, &["worktree", "list", "--porcelain"]).await?;
        Ok(parse_list(&String::from_utf8_lossy(&out.bytes)))
    }

    async fn branches(&self, root: &Path) -> Result<Vec<String>, GitError> {
        let out = self.look(root, &["for-each-ref", "--format=%(refname)", "refs/heads/"]).await?;
        let text = String::from_utf8_lossy(&out.bytes);
        Ok(text.lines().filter_map(|name| name.strip_prefix("refs/heads/")).map(str::to_owned).collect())
    }
}

fn pick_branch(
    given: Option<&str>,
    label: &str,
    branches: &[String],
    listed: &[Listed],
) -> Result<(String, bool), GitError> {
    let Some(given) = given else {
        let name = unique(&slug(label, "branch"), |name| branches.iter().any(|there| meets(name, there)));
        return Ok((name, true));
    };
    let given = given.strip_prefix("refs/heads/").unwrap_or(given);
    if let Some(fault) = fault(given) {
        return Err(GitError::Refused(format!("{given:?} cannot be the name of a git branch: it {fault}.")));
    }
    if branches.iter().any(|there| there == given) {
        let elsewhere = listed.iter().find(|entry| entry.git_branch.as_deref() == Some(given));
        return match elsewhere {
            Some(entry) => Err(GitError::Refused(format!(
                "The git branch {given} is checked out in {} already. Name another one.",
                entry.folder.display()
            ))),
            None => Ok((given.to_owned(), false)),
        };
    }
    if let Some(there) = branches.iter().find(|there| meets(given, there)) {
        return Err(GitError::Refused(format!(
            "A git branch {given} cannot be made beside {there}. Name another one."
        )));
    }
    Ok((given.to_owned(), true))
}

/// A folder that is not there yet.
fn place(shelf: &Path, git_branch: &str, root: &Path) -> Result<PathBuf, GitError> {
    let refused = |why: std::io::Error| {
        GitError::Refused(format!("The folder {} cannot be made: {why}.", shelf.display()))
    };
    create_private_folder(shelf).map_err(refused)?;
    let shelf = std::fs::canonicalize(shelf).map_err(refused)?;
    if std::fs::canonicalize(root).is_ok_and(|root| shelf.starts_with(root)) {
        return Err(GitError::Refused(format!(
            "The data folder {} lies inside the repository, and a checkout must not. Start with another --data-dir.",
            shelf.display()
        )));
    }
    let name =
        unique(&slug(git_branch, "branch"), |name| std::fs::symlink_metadata(shelf.join(name)).is_ok());
    Ok(plain(&shelf).join(name))
}

/// Without the `\\?\` that Windows puts before a resolved path, and that git does not take.
#[must_use]
pub fn plain(path: &Path) -> PathBuf {
    let text = path.to_str().filter(|_| cfg!(windows)).and_then(|text| text.strip_prefix(r"\\?\"));
    match text {
        // `UNC\server\share` stays as it is.
        Some(rest) if rest.as_bytes().get(1) == Some(&b':') => PathBuf::from(rest),
        _ => path.to_path_buf(),
    }
}

/// Beside a checkout while it is not kept anywhere.
fn mark_of(folder: &Path) -> PathBuf {
    folder.with_added_extension("making")
}

fn mark(project: &Path, made: &MadeCheckout) -> Result<(), GitError> {
    let at = mark_of(Path::new(&made.folder));
    let refused = |why: String| GitError::Refused(format!("{} cannot be written: {why}.", at.display()));
    let text = serde_json::to_vec(&(project, made)).map_err(|error| refused(error.to_string()))?;
    write_atomic(&at, &text, Access::Private).map_err(|error| refused(error.to_string()))
}

/// It is kept from now on.
pub fn unmark(folder: &Path) {
    let mark = mark_of(folder);
    if mark.exists()
        && let Err(error) = std::fs::remove_file(mark)
    {
        tracing::warn!(%error, "the mark of a checkout stays");
    }
}

/// All marks below the shelves.
fn marks(shelves: &Path) -> Vec<(PathBuf, MadeCheckout)> {
    let inside = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let shelves = inside(shelves).into_iter().filter(|path| path.is_dir());
    let files = shelves.flat_map(|shelf| inside(&shelf));
    let marks = files.filter(|path| path.extension().is_some_and(|ext| ext == "making") && path.is_file());
    marks
        .filter_map(|path| serde_json::from_slice(&read_capped(&path, MARK_MAX_BYTES).ok()?.0).ok())
        .collect()
}

pub(super) fn text_of(folder: &Path) -> Result<String, GitError> {
    let refused = || GitError::Refused(format!("The path {} is no UTF-8.", folder.display()));
    folder.to_str().map(str::to_owned).ok_or_else(refused)
}

/// The same folder, also when it is gone or a link leads to it.
pub(super) fn same_place(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| {
        let parent = path.parent().and_then(|parent| std::fs::canonicalize(parent).ok());
        match (std::fs::canonicalize(path), parent, path.file_name()) {
            (Ok(path), _, _) => path,
            (Err(_), Some(parent), Some(name)) => parent.join(name),
            _ => path.to_path_buf(),
        }
    };
    one == other || whole(one) == whole(other)
}

fn parse_list(text: &str) -> Vec<Listed> {
    let mut all: Vec<Listed> = Vec::new();
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "worktree" {
            all.push(Listed { folder: PathBuf::from(rest), git_branch: None, locked: None });
            continue;
        }
        let Some(last) = all.last_mut() else { continue };
        match word {
            "branch" => last.git_branch = Some(rest.strip_prefix("refs/heads/").unwrap_or(rest).to_owned()),
            "locked" => last.locked = Some(rest.to_owned()),
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let text = "worktree /a b\nHEAD 1\nbranch refs/heads/x/y\n\nworktree /c\nHEAD 2\ndetached\nlocked on a stick\n";
        let read = parse_list(text);
        assert_eq!(read[0].folder, Path::new("/a b"));
        assert_eq!(read[0].git_branch.as_deref(), Some("x/y"));
        assert_eq!((read[1].git_branch.as_deref(), read[1].locked.as_deref()), (None, Some("on a stick")));
    }
}
