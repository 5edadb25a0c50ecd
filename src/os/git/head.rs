//! The current branch of a folder, read from git's own files: no program is started.

use std::path::{Path, PathBuf};

use crate::os::files::read_capped;

const MAX_FILE_BYTES: u64 = 4096;
/// How many folders upwards a repository is looked for.
const MAX_PARENTS: usize = 64;

/// What is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// A branch, by its name without `refs/heads/`; it may have no commit yet.
    Branch(String),
    /// A commit without a branch: the first seven digits of its hash.
    Detached(String),
}

/// What is checked out in the repository that `folder` belongs to; `None` outside a repository or when its
/// files are not understood. Linked worktrees and submodules (a `.git` file) are followed.
#[must_use]
pub fn current_head(folder: &Path) -> Option<Head> {
    let dot_git = folder.ancestors().take(MAX_PARENTS).map(|f| f.join(".git")).find(|path| path.exists())?;
    parse_head(&read_text(&git_folder(&dot_git)?.join("HEAD"))?)
}

/// Where git keeps what is told by a `.git`.
pub(super) fn git_folder(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_path_buf());
    }
    let text = read_text(dot_git)?;
    let target = text.trim_end().strip_prefix("gitdir:")?.trim_start();
    Some(dot_git.parent()?.join(target))
}

fn parse_head(head: &str) -> Option<Head> {
    let head = head.trim();
    if let Some(name) = head.strip_prefix("ref:") {
        let name = name.trim_start();
        let name = name.strip_prefix("refs/heads/").unwrap_or(name);
        // Repositories with another kind of reference store write this for old readers.
        return (!name.is_empty() && name != ".invalid").then(|| Head::Branch(name.to_owned()));
    }
    // SHA-1 has 40 digits, SHA-256 has 64.
    let is_hash = matches!(head.len(), 40 | 64) && head.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then(|| Head::Detached(head.chars().take(7).collect()))
}

fn read_text(path: &Path) -> Option<String> {
    let (bytes, has_more) = read_capped(path, MAX_FILE_BYTES).ok()?;
    if has_more { None } else { String::from_utf8(bytes).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch(name: &str) -> Head {
        Head::Branch(name.to_owned())
    }

    #[test]
    fn heads_are_told_apart() {
        let hash = "0123456789abcdef0123456789abcdef01234567";
        let cases = [
            ("ref: refs/heads/main\n", Some(branch("main"))),
            ("ref: refs/heads/feature/한글\n", Some(branch("feature/한글"))),
            ("ref: refs/heads/.invalid\n", None),
            (hash, Some(Head::Detached("0123456".into()))),
            ("not a head", None),
            ("", None),
        ];
        for (head, wanted) in cases {
            assert_eq!(parse_head(head), wanted, "{head:?}");
        }
    }

    #[test]
    fn repositories_worktrees_and_plain_folders() {
        let base = tempfile::tempdir().unwrap();
        let at = |path: &str| base.path().join(path);
        std::fs::create_dir_all(at("repo/.git/worktrees/w")).unwrap();
        std::fs::create_dir_all(at("repo/src/deep")).unwrap();
        std::fs::create_dir_all(at("tree")).unwrap();
        std::fs::create_dir_all(at("odd")).unwrap();
        std::fs::write(at("repo/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(at("repo/.git/worktrees/w/HEAD"), "ref: refs/heads/side\n").unwrap();
        std::fs::write(at("tree/.git"), "gitdir: ../repo/.git/worktrees/w\n").unwrap();
        std::fs::write(at("odd/.git"), vec![b'x'; 10_000]).unwrap();
        let cases = [
            ("repo", Some(branch("main"))),
            ("repo/src/deep", Some(branch("main"))),
            ("tree", Some(branch("side"))),
            ("odd", None),
        ];
        for (folder, wanted) in cases {
            assert_eq!(current_head(&at(folder)), wanted, "{folder}");
        }
    }
}
