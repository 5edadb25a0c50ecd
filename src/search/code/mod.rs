//! CODE SEARCH: the passages of a project that bear on a question, found without an index on disk.
//!
//! Never here: what an agent is told about them, waiting longer than the deadline, reading what is ignored.
//! Start reading at [`CodeSearch::search`]; the way of a search is `walk` (which files), `index` and `compare` (which
//! words), `rank` (which are best), `grammar` and `passage` (which lines), `pick` (what fits). Whether a prompt asks about
//! code at all is in [`question`]; the outside tool is in [`rawq`].

mod compare;
mod grammar;
mod index;
mod language;
mod passage;
mod pick;
pub mod question;
mod rank;
pub mod rawq;
mod signs;
mod terms;
mod walk;
mod words;

#[cfg(test)]
#[cfg(unix)]
mod tests;
#[cfg(test)]
mod tests_language;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use compare::Comparing;
use index::Memory;
use rank::Question;
use walk::{Cause, Stop, list};

use crate::model::code::{CodeFound, CodeNote, CodeProgress};

pub use question::{CodeQuestion, is_code_question};
pub use rawq::{Rawq, RawqError};
pub use walk::Limits;

/// What the words of all projects may take in memory.
const MEMORY_BYTES: usize = 64 * 1024 * 1024;
/// The part of the time, in percent, after which listing ends, and comparing; the rest is for passages.
const LIST_PERCENT: u32 = 40;
const COMPARE_PERCENT: u32 = 75;
const CANCEL_SEEN_WITHIN: Duration = Duration::from_millis(30);

/// What to search for, and how much may come of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeQuery {
    /// See [`CodeQuestion::terms`].
    pub terms: Vec<String>,
    /// The sum of [`crate::model::code::CodePassage::cost_chars`] over all passages.
    pub budget_chars: usize,
    pub max_passages: usize,
    /// When there must be an answer. Kept but for a file's read or two.
    pub deadline: Duration,
    pub limits: Limits,
}

impl CodeQuery {
    /// A query with usual bounds: 3,000 characters, 6 passages, 2 seconds.
    #[must_use]
    pub fn new(terms: Vec<String>) -> Self {
        Self {
            terms,
            budget_chars: 3_000,
            max_passages: 6,
            deadline: Duration::from_secs(2),
            limits: Limits::default(),
        }
    }
}

/// The app's own search, with what it remembers of the projects. Blocking: for a thread of its own.
#[derive(Debug)]
pub struct CodeSearch {
    memory: Memory,
}

impl Default for CodeSearch {
    fn default() -> Self {
        Self { memory: Memory::new(MEMORY_BYTES) }
    }
}

impl CodeSearch {
    /// A search that remembers at most so much.
    #[must_use]
    pub fn with_memory(max_bytes: usize) -> Self {
        Self { memory: Memory::new(max_bytes) }
    }

    /// Forgets what is remembered of a project, so that the next search reads it all again.
    pub fn rebuild(&mut self, root: &Path) {
        self.memory.forget(root);
    }

    /// What the remembered words take, roughly, in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.memory.used_bytes()
    }

    /// Searches the project in `root`. The same files and query give the same passages in the same order, as long as
    /// no limit is met.
    ///
    /// Never fails: what could not be looked at is in the notes. After `cancel` is set it returns soon, empty.
    pub fn search(
        &mut self,
        root: &Path,
        query: &CodeQuery,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(CodeProgress),
    ) -> CodeFound {
        let begun = Instant::now();
        let mut found = CodeFound::default();
        let question = Question::new(&query.terms);
        if question.is_empty() {
            found.notes.push(CodeNote::NoTerms);
            return found;
        }
        let until = |percent: u32| Stop { deadline: begun + query.deadline * percent / 100, cancel };
        let listing = list(root, &query.limits, &until(LIST_PERCENT));
        found.skipped = listing.skipped;
        found.notes.clone_from(&listing.notes);
        let comparing = Comparing {
            root,
            query,
            question: &question,
            stop: until(COMPARE_PERCENT),
            found: &mut found,
            progress,
        };
        let compared = comparing.all(&mut self.memory, &listing);
        let stop = until(100);
        let pieces = pick::pieces_of(root, query, &question, &compared, &stop);
        found.passages = pick::pick(pieces, query.budget_chars, query.max_passages);
        if stop.cause() == Some(Cause::Cancel) {
            found.passages.clear();
            found.notes = vec![CodeNote::Cancelled];
        }
        found.elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        found
    }

    /// Asks `rawq` first, when it is there, with the prompt as it was written; the own search answers when it gives
    /// nothing, in the time that is left, and a note says why. Must not be called on a thread that drives the runtime.
    pub fn search_with(
        &mut self,
        rawq: Option<(&mut Rawq, &str, &tokio::runtime::Handle)>,
        root: &Path,
        query: &CodeQuery,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(CodeProgress),
    ) -> CodeFound {
        let begun = Instant::now();
        let Some((rawq, prompt, handle)) = rawq else { return self.search(root, query, cancel, progress) };
        let asked = handle.block_on(async {
            tokio::select! {
                answer = rawq.search(root, prompt, query) => Some(answer),
                () = cancelled(cancel) => None,
            }
        });
        let Some(answer) = asked else {
            return CodeFound { notes: vec![CodeNote::Cancelled], ..CodeFound::default() };
        };
        let note = match answer {
            Ok(found) if !found.passages.is_empty() => return found,
            Ok(_nothing) => None,
            Err(error) => Some(CodeNote::RawqFailed { why: error.to_string() }),
        };
        let deadline = query.deadline.saturating_sub(begun.elapsed());
        let mut found = self.search(root, &CodeQuery { deadline, ..query.clone() }, cancel, progress);
        found.notes.extend(note);
        found
    }
}

/// Waits until the search is cancelled.
async fn cancelled(cancel: &AtomicBool) {
    while !cancel.load(std::sync::atomic::Ordering::Relaxed) {
        tokio::time::sleep(CANCEL_SEEN_WITHIN).await;
    }
}
