//! What a search through a project's code gives: passages, and what was not looked at.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Some whole lines of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodePassage {
    /// Relative to the project, with `/` between the parts on every system.
    pub path: String,
    /// First line, counted from 1.
    pub start_line: u32,
    /// Last line, included.
    pub end_line: u32,
    /// Lower-case name as fences use it (`rust`, `cpp`); empty when not known.
    pub language: String,
    /// The function, type or section it is; `None` for lines around a match.
    pub name: Option<String>,
    /// The lines, joined by `\n`, without a last one. Bytes that are no UTF-8 are replaced. Where lines were left out
    /// stands a line made by [`CodePassage::cut_mark`].
    pub text: String,
    /// How many of the lines were left out.
    pub cut_lines: u32,
    /// Higher is better; only comparable within one result.
    pub score: f32,
    pub why: CodeWhy,
}

impl CodePassage {
    /// What a heading with path and lines is taken to cost, beside the path's own characters.
    pub const HEADING_CHARS: usize = 40;

    /// The line that stands where lines were left out.
    #[must_use]
    pub fn cut_mark(lines: usize) -> String {
        format!("… {lines} lines cut …")
    }

    /// What it costs of a budget, in characters: text, path and a heading.
    #[must_use]
    pub fn cost_chars(&self) -> usize {
        self.text.chars().count() + self.path.chars().count() + Self::HEADING_CHARS
    }
}

/// Why a passage is among the results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeWhy {
    /// Terms in the name of what it defines.
    pub defines: Vec<String>,
    /// Terms in its path.
    pub in_path: Vec<String>,
    /// Terms in its text.
    pub matches: Vec<String>,
}

impl fmt::Display for CodeWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_first = true;
        for (what, terms) in [("defines", &self.defines), ("path", &self.in_path), ("has", &self.matches)] {
            if !terms.is_empty() {
                let gap = if is_first { "" } else { "; " };
                write!(f, "{gap}{what} {}", terms.join(", "))?;
                is_first = false;
            }
        }
        Ok(())
    }
}

/// Who searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeSource {
    /// The app's own search.
    #[default]
    Own,
    /// The outside tool `rawq`.
    Rawq,
}

/// Files that were passed over, by cause. Ignored files and folders are not counted: they are never looked into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeSkipped {
    /// Over the size limit.
    pub too_large: u32,
    /// Pictures, archives, programs: by name, or by a NUL near the start.
    pub binary: u32,
    /// Lock files and code squeezed into long lines.
    pub machine_made: u32,
    /// Files and folders that could not be read.
    pub unreadable: u32,
}

/// What should be known about a result beside its passages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeNote {
    /// The project's folder is not there or can't be opened.
    NoFolder,
    /// Nothing to search for.
    NoTerms,
    /// More files than the limit; the rest was not listed.
    StoppedAfterFiles {
        limit: u32,
    },
    /// The time was over before all files were listed.
    NotAllListed {
        listed_files: u32,
    },
    /// More text than the limit; the rest was not read.
    StoppedAfterBytes {
        limit: u64,
        files_left: u32,
    },
    /// The time was over.
    DeadlineReached {
        deadline_ms: u64,
        files_left: u32,
    },
    Cancelled,
    /// `rawq` gave no answer, so the own search did.
    RawqFailed {
        why: String,
    },
    /// Some results of `rawq` were ignored or changed files.
    RawqDropped {
        results: u32,
    },
}

impl fmt::Display for CodeNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFolder => f.write_str("the project's folder can't be read"),
            Self::NoTerms => f.write_str("nothing to search for"),
            Self::StoppedAfterFiles { limit } => write!(f, "stopped after {limit} files"),
            Self::NotAllListed { listed_files } => write!(f, "only {listed_files} files were listed in time"),
            Self::StoppedAfterBytes { limit, files_left } => {
                write!(f, "stopped after {} MB, {files_left} files not read", limit / 1_000_000)
            }
            Self::DeadlineReached { deadline_ms, files_left } => {
                write!(f, "stopped after {deadline_ms} ms, {files_left} files not read")
            }
            Self::Cancelled => f.write_str("cancelled"),
            Self::RawqFailed { why } => write!(f, "rawq gave no answer: {why}"),
            Self::RawqDropped { results } => {
                write!(f, "{results} results of rawq were ignored, changed or foreign files")
            }
        }
    }
}

/// The outcome of one search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CodeFound {
    /// The best first; never overlapping.
    pub passages: Vec<CodePassage>,
    /// Files whose words were compared, whether read now or remembered.
    pub looked_at_files: u32,
    /// Of these, files read in this search.
    pub read_files: u32,
    pub read_bytes: u64,
    pub skipped: CodeSkipped,
    pub elapsed_ms: u64,
    pub source: CodeSource,
    pub notes: Vec<CodeNote>,
}

/// How far a running search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeProgress {
    pub listed_files: u32,
    pub looked_at_files: u32,
    pub read_bytes: u64,
}

/// Why a prompt is taken to be about code, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeReason {
    // about code
    Fence,
    Path,
    Identifier,
    ErrorText,
    /// A thing of code and something to do with it ("fix the parser").
    ThingAndTask,
    /// Several things of code.
    Things,
    // not about code
    Empty,
    /// The user said so ("not about code", "코드 말고").
    ToldNot,
    /// A poem, a story, a translation, a mail.
    Writing,
    /// Greetings, thanks, yes and no.
    SmallTalk,
    /// Dates, meetings, who does what.
    Planning,
    /// Nothing speaks for it.
    NoSign,
}

impl CodeReason {
    /// A short stable name for lists and logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fence => "code-fence",
            Self::Path => "path",
            Self::Identifier => "identifier",
            Self::ErrorText => "error-text",
            Self::ThingAndTask => "code-thing-and-task",
            Self::Things => "code-things",
            Self::Empty => "empty",
            Self::ToldNot => "told-not",
            Self::Writing => "writing",
            Self::SmallTalk => "small-talk",
            Self::Planning => "planning",
            Self::NoSign => "no-sign",
        }
    }
}
