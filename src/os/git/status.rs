//! What `git status` says of a folder, and what kind of repository it belongs to.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::model::git::GitPath;
use crate::os::git::run::{Bounds, Git, GitError, failed};

/// A checkout and its repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    /// Root of the checkout.
    pub root: PathBuf,
    /// The folder asked about, below the root; empty when it is the root.
    pub subfolder: String,
    /// Git's own folder of this checkout.
    pub git_dir: PathBuf,
}

/// One line of the status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: GitPath,
    pub kind: EntryKind,
    /// Git's two letters: index, folder. `..` for untracked and ignored.
    pub letters: [u8; 2],
    /// It is a submodule with changes of its own.
    pub dirty_submodule: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    Changed,
    Conflict,
    Untracked,
    Ignored,
}

/// The status, and whether it goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    pub entries: Vec<Entry>,
    pub cut: bool,
}

/// How much is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// Every untracked file; else whole folders of them stand for what is in them.
    pub every_file: bool,
    pub ignored: bool,
    pub bounds: Bounds,
}

impl PartialEq for Bounds {
    fn eq(&self, other: &Self) -> bool {
        self.limit == other.limit && self.max_bytes == other.max_bytes
    }
}

impl Eq for Bounds {}

impl Git {
    /// The checkout that `folder` is in.
    ///
    /// # Errors
    /// It is in none, in a bare repository or inside git's own folder.
    pub async fn repo(&self, folder: &Path) -> Result<Repo, GitError> {
        let kind = self.look(folder, &["rev-parse", "--is-bare-repository", "--is-inside-work-tree"]).await?;
        let kind = kind.line();
        let mut kind = kind.lines();
        if kind.next() == Some("true") {
            return Err(GitError::Refused(format!(
                "{} is a bare repository: it has no files to work on.",
                folder.display()
            )));
        }
        if kind.next() != Some("true") {
            return Err(GitError::Refused(format!("{} lies inside git's own folder.", folder.display())));
        }
        let root = PathBuf::from(self.path_of(folder, &["rev-parse", "--show-toplevel"]).await?);
        let git_dir = PathBuf::from(self.path_of(folder, &["rev-parse", "--absolute-git-dir"]).await?);
        let subfolder = self.path_of(folder, &["rev-parse", "--show-prefix"]).await?;
        Ok(Repo { root, subfolder: subfolder.trim_end_matches('/').to_owned(), git_dir })
    }

    async fn path_of(&self, folder: &Path, args: &[&str]) -> Result<String, GitError> {
        let out = self.look(folder, args).await?;
        let bytes = out.bytes.strip_suffix(b"\n").unwrap_or(&out.bytes).to_vec();
        String::from_utf8(bytes).map_err(|error| {
            let shown = GitPath(error.into_bytes()).shown();
            GitError::Refused(format!("The path {shown} is no UTF-8; a checkout cannot be managed there."))
        })
    }

    /// The commit checked out, as a full hash; `None` before the first commit.
    ///
    /// # Errors
    /// See [`GitError`].
    pub async fn head_commit(&self, folder: &Path) -> Result<Option<String>, GitError> {
        self.maybe(folder, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).await
    }

    /// What differs from the index and what the index differs in from the commit, and what git does not know.
    ///
    /// # Errors
    /// See [`GitError`].
    pub async fn status(&self, folder: &Path, ask: Ask) -> Result<Status, GitError> {
        let untracked = if ask.every_file { "--untracked-files=all" } else { "--untracked-files=normal" };
        let mut args =
            vec!["status", "--porcelain=v2", "-z", "--ignore-submodules=none", "--no-renames", untracked];
        if ask.ignored {
            args.push("--ignored=traditional");
        }
        let words: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let out = self.ask(folder, &words, ask.bounds).await?;
        if !out.is_ok() {
            return Err(failed("status", &out));
        }
        Ok(Status { entries: parse(&out.bytes, out.cut), cut: out.cut })
    }
}

/// Reads porcelain version 2, parted by zero bytes, without renames. The last entry of a cut output is left out.
fn parse(bytes: &[u8], cut: bool) -> Vec<Entry> {
    let end = if cut { bytes.iter().rposition(|byte| *byte == 0).unwrap_or(0) } else { bytes.len() };
    bytes.get(..end).unwrap_or_default().split(|byte| *byte == 0).filter_map(entry).collect()
}

fn entry(line: &[u8]) -> Option<Entry> {
    // How many fields stand before the path.
    let (kind, fields) = match line.first()? {
        b'1' => (EntryKind::Changed, 8),
        b'u' => (EntryKind::Conflict, 10),
        b'?' => (EntryKind::Untracked, 1),
        b'!' => (EntryKind::Ignored, 1),
        _ => return None,
    };
    let mut parts = line.splitn(fields + 1, |byte| *byte == b' ');
    let letters = if fields > 1 { parts.nth(1)? } else { b".." };
    let submodule = if fields > 1 { parts.next()? } else { b"N..." };
    let path = parts.last()?;
    Some(Entry {
        path: GitPath(path.to_vec()),
        kind,
        letters: [*letters.first()?, *letters.get(1)?],
        dirty_submodule: submodule.first() == Some(&b'S')
            && submodule.get(2..4).is_some_and(|rest| rest != b".."),
    })
}

/// What is under way in a checkout, told by the files git keeps meanwhile.
#[must_use]
pub fn operation(git_dir: &Path) -> Option<&'static str> {
    const SIGNS: &[(&str, &str)] = &[
        ("rebase-merge", "rebase"),
        ("rebase-apply", "rebase"),
        ("MERGE_HEAD", "merge"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("BISECT_LOG", "bisect"),
        ("sequencer", "sequence of picks"),
    ];
    SIGNS.iter().find(|(file, _)| git_dir.join(file).exists()).map(|(_, word)| *word)
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn entries_are_read() {
        let text = b"1 .M N... 100644 100644 100644 aaa bbb src/a b.rs\0? new\xff\0! target/\0\
            u UU N... 100644 100644 100644 100644 a b c both\x001 .M S.MU 160000 160000 160000 a a sub\x001 A. N... 0 1 1 a b cut";
        let read = parse(text, true);
        let shown: Vec<_> =
            read.iter().map(|one| (one.path.shown(), one.kind, one.dirty_submodule)).collect();
        assert_eq!(
            shown,
            [
                ("src/a b.rs".into(), EntryKind::Changed, false),
                ("new\\xff".into(), EntryKind::Untracked, false),
                ("target/".into(), EntryKind::Ignored, false),
                ("both".into(), EntryKind::Conflict, false),
                ("sub".into(), EntryKind::Changed, true),
            ]
        );
        assert_eq!(parse(text, false).len(), 6);
        assert_eq!(read[0].letters, *b".M");
    }
}
