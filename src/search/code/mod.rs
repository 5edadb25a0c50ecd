//! CODE SEARCH: the passages of a project that bear on a question, found without an index on disk.
//!
//! Never here: what an agent is told about them, waiting longer than the deadline, reading what is ignored.
//! Start reading at [`CodeSearch::search`]; the way of a search is `walk` (which files), `index` (which words),
//! `rank` (which are best), `grammar` and `passage` (which lines), `pick` (what fits). Whether a prompt asks about
//! code at all is in [`question`]; the outside tool is in [`rawq`].

mod grammar;
mod index;
mod language;
mod passage;
mod pick;
pub mod question;
mod rank;
pub mod rawq;
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

use index::{FileWords, Memory, NoText, read_text};
use language::place;
use rank::{Candidate, Corpus, Hit, PathHits, Question, score};
use walk::{Cause, Listed, Listing, Stop, list};

use crate::model::code::{CodeFound, CodeNote, CodeProgress, CodeSkipped};

pub use question::{CodeQuestion, is_code_question};
pub use rawq::{Rawq, RawqError};
pub use walk::Limits;

/// What the words of all projects may take in memory.
const MEMORY_BYTES: usize = 64 * 1024 * 1024;
/// The best files are read for their passages; more would not fit any budget.
const MAX_FILES_READ_FOR_PASSAGES: usize = 30;
/// The part of the time, in percent, in which files are listed and compared; the rest is for passages.
const COMPARE_PERCENT: u32 = 75;
const PROGRESS_EVERY: u32 = 200;
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

/// A file that has something.
#[derive(Debug)]
struct Scored<'a> {
    file: &'a Listed,
    path_hits: PathHits,
    hits: Vec<Hit>,
    words: u32,
    score: f32,
}

/// What comparing all files came to.
#[derive(Debug)]
struct Compared<'a> {
    /// The best first.
    files: Vec<Scored<'a>>,
    corpus: Corpus,
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
        let compare = Stop { deadline: begun + query.deadline * COMPARE_PERCENT / 100, cancel };
        let listing = list(root, &query.limits, &compare);
        found.skipped = listing.skipped;
        found.notes.clone_from(&listing.notes);
        let compared =
            self.compare(root, query, &question, &listing, &mut Run { compare, found: &mut found, progress });
        let stop = Stop { deadline: begun + query.deadline, cancel };
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

    /// Compares all files with the question, those likely to matter first, until the time is over.
    fn compare<'a>(
        &mut self,
        root: &Path,
        query: &CodeQuery,
        question: &Question,
        listing: &'a Listing,
        run: &mut Run<'_, '_>,
    ) -> Compared<'a> {
        let complete = listing.stopped.is_none() && listing.notes.is_empty();
        self.memory.begin(root, &listing.files, complete);
        let mut files: Vec<(PathHits, &Listed)> =
            listing.files.iter().map(|file| (PathHits::of(question, &file.path), file)).collect();
        files.sort_by_cached_key(|(hits, file)| {
            (hits.is_empty(), !self.is_known(root, file), importance(file))
        });
        let mut with_word = vec![0_u32; question.hashes().count()];
        let mut all_words = 0_u64;
        let mut scored = Vec::new();
        let count = files.len();
        let listed_files = u32::try_from(count).unwrap_or(u32::MAX);
        for (at, (path_hits, file)) in files.into_iter().enumerate() {
            let files_left = u32::try_from(count - at).unwrap_or(u32::MAX);
            if !run.may_go_on(query, files_left) {
                break;
            }
            let Some((hits, words)) = self.hits(root, file, question, query, run.found) else { continue };
            run.found.looked_at_files += 1;
            for hit in &hits {
                if let Some(with) = with_word.get_mut(hit.atom) {
                    *with += 1;
                }
            }
            all_words += u64::from(words);
            if !hits.is_empty() || !path_hits.is_empty() {
                scored.push(Scored { file, path_hits, hits, words, score: 0.0 });
            }
            if run.found.looked_at_files.is_multiple_of(PROGRESS_EVERY) || at + 1 == count {
                let (looked_at_files, read_bytes) = (run.found.looked_at_files, run.found.read_bytes);
                (run.progress)(CodeProgress { listed_files, looked_at_files, read_bytes });
            }
        }
        if listing.stopped == Some(Cause::Deadline) && run.found.looked_at_files == listed_files {
            run.deadline_note(query, 0);
        }
        let corpus = Corpus::new(&with_word, run.found.looked_at_files, all_words);
        for one in &mut scored {
            one.score = score(question, &corpus, &one.candidate());
        }
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.file.path.cmp(&b.file.path)));
        scored.truncate(MAX_FILES_READ_FOR_PASSAGES);
        Compared { files: scored, corpus }
    }

    fn is_known(&self, root: &Path, file: &Listed) -> bool {
        self.memory.known(root, file).is_some()
    }

    /// The hits of a file, from memory or by reading it; `None` when it is no text.
    fn hits(
        &mut self,
        root: &Path,
        file: &Listed,
        question: &Question,
        query: &CodeQuery,
        found: &mut CodeFound,
    ) -> Option<(Vec<Hit>, u32)> {
        if let Some(known) = self.memory.known(root, file) {
            return match known {
                Ok(words) => Some((hits_of(words, question), words.total)),
                Err(no) => skip(&mut found.skipped, no),
            };
        }
        let words = read_text(root, file, query.limits.max_file_bytes).map(|text| {
            found.read_files += 1;
            found.read_bytes += text.len() as u64;
            FileWords::of(&text)
        });
        let hits = match &words {
            Ok(words) => Some((hits_of(words, question), words.total)),
            Err(no) => skip(&mut found.skipped, *no),
        };
        if words != Err(NoText::Unreadable) {
            self.memory.keep(root, file, words);
        }
        hits
    }
}

impl Scored<'_> {
    fn candidate(&self) -> Candidate<'_> {
        Candidate {
            hits: &self.hits,
            words: self.words,
            usual_words: None,
            name_hits: &[],
            path_hits: &self.path_hits,
            kind: self.file.kind.kind,
            place: place(&self.file.path),
        }
    }
}

/// What a running search carries along.
struct Run<'r, 's> {
    compare: Stop<'s>,
    found: &'r mut CodeFound,
    progress: &'r mut dyn FnMut(CodeProgress),
}

impl Run<'_, '_> {
    /// Whether another file may be read; notes why not.
    fn may_go_on(&mut self, query: &CodeQuery, files_left: u32) -> bool {
        if self.found.read_bytes >= query.limits.max_read_bytes {
            let limit = query.limits.max_read_bytes;
            self.found.notes.push(CodeNote::StoppedAfterBytes { limit, files_left });
            return false;
        }
        match self.compare.cause() {
            None => true,
            Some(Cause::Cancel) => false,
            Some(Cause::Deadline) => {
                self.deadline_note(query, files_left);
                false
            }
        }
    }

    fn deadline_note(&mut self, query: &CodeQuery, files_left: u32) {
        let deadline_ms = u64::try_from(query.deadline.as_millis()).unwrap_or(u64::MAX);
        self.found.notes.push(CodeNote::DeadlineReached { deadline_ms, files_left });
    }
}

/// Waits until the search is cancelled.
async fn cancelled(cancel: &AtomicBool) {
    while !cancel.load(std::sync::atomic::Ordering::Relaxed) {
        tokio::time::sleep(CANCEL_SEEN_WITHIN).await;
    }
}

/// Code before prose and data, the top of the project before its depths, tests and copies last.
fn importance(file: &Listed) -> (bool, bool, usize) {
    let place = place(&file.path);
    (
        place.vendored || place.generated || place.test,
        file.kind.kind != language::Kind::Code,
        file.path.bytes().filter(|byte| *byte == b'/').count(),
    )
}

fn hits_of(words: &FileWords, question: &Question) -> Vec<Hit> {
    question
        .hashes()
        .enumerate()
        .filter_map(|(atom, hash)| {
            let (count, defined) = words.count(hash)?;
            Some(Hit { atom, count: u32::from(count), defined })
        })
        .collect()
}

fn skip<T>(skipped: &mut CodeSkipped, why: NoText) -> Option<T> {
    match why {
        NoText::Binary => skipped.binary += 1,
        NoText::MachineMade => skipped.machine_made += 1,
        NoText::TooLarge => skipped.too_large += 1,
        NoText::Unreadable => skipped.unreadable += 1,
    }
    None
}
