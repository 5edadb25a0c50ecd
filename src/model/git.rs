//! What git knows of a folder: changed files, their differences, and what stands against taking a checkout away.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Most changed files that are listed; the number of the others is told.
pub const CHANGED_FILES_MAX: usize = 5_000;
/// Longest difference of one file that is kept, in bytes; the rest is cut, and told.
pub const DIFF_MAX_BYTES: usize = 1_000_000;

/// A file's path inside its checkout, with `/` between its parts: bytes, since git and Unix know no encoding.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct GitPath(pub Vec<u8>);

impl GitPath {
    /// As it is shown: one line; bytes that are no UTF-8 and control characters appear as `\x1b`.
    #[must_use]
    pub fn shown(&self) -> String {
        let mut out = String::new();
        for chunk in self.0.utf8_chunks() {
            for one in chunk.valid().chars() {
                if one.is_control() || is_direction(one) {
                    out.extend(one.escape_default());
                } else {
                    out.push(one);
                }
            }
            for byte in chunk.invalid() {
                out.push_str(&format!("\\x{byte:02x}"));
            }
        }
        out
    }
}

/// Signs that turn the reading direction could make one name look like another.
fn is_direction(one: char) -> bool {
    matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

impl std::fmt::Debug for GitPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.shown())
    }
}

impl From<&str> for GitPath {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

/// How a file differs from the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    Renamed,
    Copied,
    /// A file became a link or the like.
    TypeChanged,
    /// Git does not know the file yet.
    Untracked,
    /// A merge left it with both sides.
    Conflict,
}

impl ChangeKind {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
            Self::TypeChanged => "type changed",
            Self::Untracked => "untracked",
            Self::Conflict => "conflict",
        }
    }
}

/// One file that differs from the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: GitPath,
    /// Where it was before, when it was renamed or copied.
    pub old_path: Option<GitPath>,
    pub kind: ChangeKind,
    /// Lines; `None` = not counted: not text, too large, or not in time.
    pub added: Option<u64>,
    pub removed: Option<u64>,
    /// It is no text.
    pub binary: bool,
    /// Modes before and after where they differ, e.g. `100644` and `100755`.
    pub mode: Option<(String, String)>,
    pub submodule: bool,
    /// Part of it waits in the index.
    pub staged: bool,
    /// Part of it is only in the folder.
    pub unstaged: bool,
}

/// What differs between a folder and its base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The checkout looked at.
    pub folder: PathBuf,
    /// What is compared with: the full hash of a commit; empty before the first commit.
    pub base: String,
    /// The branch checked out; `None` on a detached head.
    pub git_branch: Option<String>,
    /// The commit checked out, short; `None` before the first commit.
    pub head: Option<String>,
    /// Commits since the base.
    pub commits: u64,
    /// By path.
    pub files: Vec<ChangedFile>,
    /// How many changed files are not in `files`.
    pub more_files: u64,
    /// What is under way there, e.g. `rebase`.
    pub operation: Option<String>,
    /// What is to be known beside: one line each.
    pub notes: Vec<String>,
}

impl Changes {
    /// Sum of the counted lines.
    #[must_use]
    pub fn lines(&self) -> (u64, u64) {
        self.files.iter().fold((0, 0), |(added, removed), file| {
            (added + file.added.unwrap_or(0), removed + file.removed.unwrap_or(0))
        })
    }
}

/// The difference of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    pub path: GitPath,
    /// Unified; bytes that are no UTF-8 became U+FFFD. Empty when only the mode differs.
    pub text: String,
    /// It goes on beyond [`DIFF_MAX_BYTES`].
    pub cut: bool,
    pub binary: bool,
}

/// Where a conversation's files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checkout {
    /// There, and this is what differs.
    There(Box<Changes>),
    /// It had a checkout of its own, whose folder is gone.
    Gone { folder: PathBuf },
}

/// What would be lost with a checkout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// What forbids it, e.g. `rebase in progress`; one line each.
    pub reasons: Vec<String>,
    /// Changed, staged or untracked files.
    pub files: Vec<GitPath>,
    /// Files that git was told to ignore; they go only when the user says so.
    pub ignored: Vec<GitPath>,
    /// How many more there are than the lists hold.
    pub more_files: u64,
    pub more_ignored: u64,
}

impl Losses {
    /// Only ignored files stand against it.
    #[must_use]
    pub fn only_ignored(&self) -> bool {
        self.reasons.is_empty() && self.files.is_empty() && !self.ignored.is_empty()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.reasons.is_empty() && self.files.is_empty() && self.ignored.is_empty()
    }

    /// All of it, one line each, at most `max_lines` of each kind.
    #[must_use]
    pub fn lines(&self, max_lines: usize) -> Vec<String> {
        let mut lines = self.reasons.clone();
        for (what, files, more) in [
            ("not committed", &self.files, self.more_files),
            ("ignored by git", &self.ignored, self.more_ignored),
        ] {
            lines.extend(files.iter().take(max_lines).map(|file| format!("{what}: {}", file.shown())));
            let hidden = files.len().saturating_sub(max_lines) as u64 + more;
            if hidden > 0 {
                lines.push(format!("{what}: {hidden} more"));
            }
        }
        lines
    }
}

/// Why a checkout was not taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRemoved {
    /// It would lose this.
    Loses(Box<Losses>),
    /// One line: what, why, what to do.
    Failed(String),
}

/// A checkout that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeCheckout {
    /// Root of the checkout, absolute.
    pub folder: String,
    /// The project's folder below that root; empty when it is the root itself.
    pub subfolder: String,
    pub git_branch: String,
    /// Full hash of the commit it began from.
    pub base: String,
    /// The git branch is new, and goes again when the checkout cannot be kept.
    pub new_branch: bool,
    /// What is to be known, one line each.
    pub notes: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_whatever_its_bytes() {
        for (bytes, shown) in [
            ("src/가 b.rs".as_bytes(), "src/가 b.rs"),
            (b"caf\xe9.txt", "caf\\xe9.txt"),
            (b"a\nb\x1b[31m", "a\\nb\\u{1b}[31m"),
            ("a\u{202e}txt.exe".as_bytes(), "a\\u{202e}txt.exe"),
        ] {
            assert_eq!(GitPath(bytes.to_vec()).shown(), shown);
        }
    }

    #[test]
    fn losses_are_listed_and_cut() {
        let files = ["a", "b", "c"].map(GitPath::from).to_vec();
        let losses = Losses {
            reasons: vec!["a rebase is under way".into()],
            files,
            more_files: 4,
            ..Losses::default()
        };
        assert_eq!(
            losses.lines(2),
            ["a rebase is under way", "not committed: a", "not committed: b", "not committed: 5 more"]
        );
        assert!(!losses.only_ignored());
    }
}
