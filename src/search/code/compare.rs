//! All files against the question: those likely to matter first, until the time is over.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread::ScopedJoinHandle;

use super::CodeQuery;
use super::index::{FileWords, Memory, NoText, read_text};
use super::language::{Kind, place};
use super::rank::{Candidate, Corpus, Hit, PathHits, Question, score};
use super::walk::{Cause, Listed, Listing, Stop};
use crate::model::code::{CodeFound, CodeNote, CodeProgress, CodeSkipped};

/// The best files are read for their passages; more would not fit any budget.
const MAX_BEST_FILES: usize = 20;
pub(super) const PROGRESS_EVERY: u32 = 200;
/// Files read at a time, by a few threads.
const BATCH_FILES: usize = 64;
const BATCH_BYTES: u64 = 8_000_000;
const MAX_THREADS: usize = 4;

/// A file that has something.
#[derive(Debug)]
pub(super) struct Scored<'a> {
    pub file: &'a Listed,
    pub path_hits: PathHits,
    pub score: f32,
    hits: Vec<Hit>,
    words: u32,
}

/// What comparing all files came to.
#[derive(Debug)]
pub(super) struct Compared<'a> {
    /// The best first.
    pub files: Vec<Scored<'a>>,
    pub corpus: Corpus,
}

/// What comparing needs and carries along.
pub(super) struct Comparing<'r> {
    pub root: &'r Path,
    pub query: &'r CodeQuery,
    pub question: &'r Question,
    pub stop: Stop<'r>,
    pub found: &'r mut CodeFound,
    pub progress: &'r mut dyn FnMut(CodeProgress),
}

/// A file's words as just read, and its size.
type Fresh = (Result<FileWords, NoText>, u64);

/// A file in the order of looking, and whether its words are remembered.
struct Next<'a> {
    file: &'a Listed,
    path_hits: PathHits,
    known: bool,
}

/// Sums over all files looked at, and those that have something.
struct Sums<'a> {
    with_word: Vec<u32>,
    words: u64,
    scored: Vec<Scored<'a>>,
}

impl Comparing<'_> {
    /// Compares the listed files; what was left out is noted.
    pub fn all<'a>(mut self, memory: &mut Memory, listing: &'a Listing) -> Compared<'a> {
        let complete = listing.stopped.is_none() && listing.notes.is_empty();
        memory.begin(self.root, &listing.files, complete);
        if listing.stopped == Some(Cause::Deadline) {
            let listed_files = number(listing.files.len());
            self.found.notes.push(CodeNote::NotAllListed { listed_files });
        }
        let mut files = self.in_order(memory, listing);
        let count = files.len();
        let mut sums =
            Sums { with_word: vec![0; self.question.hashes().count()], words: 0, scored: Vec::new() };
        let mut files = files.drain(..).peekable();
        let mut looked = 0;
        while files.peek().is_some() && self.may_go_on(count - looked) {
            let batch = self.batch(&mut files);
            let unread: Vec<&Listed> =
                batch.iter().filter(|next| !next.known).map(|next| next.file).collect();
            let mut fresh = self.read(&unread).into_iter();
            for next in batch {
                if self.stop.cancel.load(Ordering::Relaxed) {
                    break;
                }
                let now = if next.known { None } else { fresh.next().flatten() };
                if !next.known && now.is_none() {
                    break;
                }
                looked += 1;
                self.take(memory, next, now, &mut sums);
                self.tell(looked, count);
            }
        }
        self.scored(sums)
    }

    /// Paths that match, then what is remembered, then by what is likely to matter.
    fn in_order<'a>(&self, memory: &Memory, listing: &'a Listing) -> Vec<Next<'a>> {
        let mut files: Vec<Next<'a>> = listing
            .files
            .iter()
            .map(|file| Next {
                file,
                path_hits: PathHits::of(self.question, &file.path),
                known: memory.known(self.root, file).is_some(),
            })
            .collect();
        files.sort_by_cached_key(|next| (next.path_hits.is_empty(), !next.known, importance(next.file)));
        files
    }

    /// Whether more files may be looked at; notes why not.
    fn may_go_on(&mut self, files_left: usize) -> bool {
        let files_left = number(files_left);
        let limit = self.query.limits.max_read_bytes;
        let over = match self.stop.cause() {
            Some(Cause::Cancel) => return false,
            Some(Cause::Deadline) => {
                let deadline_ms = u64::try_from(self.query.deadline.as_millis()).unwrap_or(u64::MAX);
                CodeNote::DeadlineReached { deadline_ms, files_left }
            }
            None if self.found.read_bytes >= limit => CodeNote::StoppedAfterBytes { limit, files_left },
            None => return true,
        };
        self.found.notes.push(over);
        false
    }

    fn batch<'a>(&self, files: &mut impl Iterator<Item = Next<'a>>) -> Vec<Next<'a>> {
        let most = BATCH_BYTES.min(self.query.limits.max_read_bytes.saturating_sub(self.found.read_bytes));
        let (mut unread, mut bytes) = (0, 0);
        let mut batch = Vec::new();
        for next in files {
            unread += usize::from(!next.known);
            bytes += if next.known { 0 } else { next.file.bytes };
            batch.push(next);
            if unread >= BATCH_FILES || bytes >= most || batch.len() >= 20 * BATCH_FILES {
                break;
            }
        }
        batch
    }

    /// Reads files on a few threads. What there was no time for is `None`.
    fn read(&self, files: &[&Listed]) -> Vec<Option<Fresh>> {
        let (stop, root, max_bytes) = (self.stop, self.root, self.query.limits.max_file_bytes);
        let one = |file: &Listed| {
            if stop.cause().is_some() {
                return None;
            }
            let text = read_text(root, file, max_bytes);
            let bytes = text.as_ref().map_or(0, String::len) as u64;
            Some((text.map(|text| FileWords::of(&text)), bytes))
        };
        let one = &one;
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        if threads == 1 || files.len() < 2 * threads {
            return files.iter().map(|file| one(file)).collect();
        }
        let share = files.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let start = |part: &'_ [&Listed]| part.iter().map(|file| one(file)).collect::<Vec<_>>();
            let parts: Vec<_> = files
                .chunks(share)
                .map(|part| {
                    let named = std::thread::Builder::new().name("code-search".to_owned());
                    (part, named.spawn_scoped(scope, move || start(part)))
                })
                .collect();
            let done =
                parts.into_iter().flat_map(|(part, thread)| match thread.map(ScopedJoinHandle::join) {
                    Ok(Ok(read)) => read,
                    // No thread to be had, or it failed: these files are left for another time.
                    Ok(Err(_)) | Err(_) => part.iter().map(|_| None).collect(),
                });
            done.collect()
        })
    }

    fn take<'a>(&mut self, memory: &mut Memory, next: Next<'a>, fresh: Option<Fresh>, sums: &mut Sums<'a>) {
        let file = next.file;
        let read = fresh.is_some();
        let (hits, words) = {
            let words = match &fresh {
                Some((words, _)) => words.as_ref().map_err(|no| *no),
                None => memory.known(self.root, file).unwrap_or(Err(NoText::Unreadable)),
            };
            match words {
                Ok(words) => (hits_of(words, self.question), words.total),
                Err(no) => {
                    skip(&mut self.found.skipped, no);
                    if let Some((words, _)) = fresh.filter(|_| no != NoText::Unreadable) {
                        memory.keep(self.root, file, words);
                    }
                    return;
                }
            }
        };
        if let Some((words, bytes)) = fresh {
            self.found.read_bytes += bytes;
            memory.keep(self.root, file, words);
        }
        self.found.read_files += u32::from(read);
        self.found.looked_at_files += 1;
        sums.words += u64::from(words);
        for hit in &hits {
            if let Some(with) = sums.with_word.get_mut(hit.atom) {
                *with += 1;
            }
        }
        if !hits.is_empty() || !next.path_hits.is_empty() {
            sums.scored.push(Scored { file, path_hits: next.path_hits, hits, words, score: 0.0 });
        }
    }

    fn tell(&mut self, looked: usize, count: usize) {
        if looked.is_multiple_of(PROGRESS_EVERY as usize) || looked == count {
            let (looked_at_files, read_bytes) = (self.found.looked_at_files, self.found.read_bytes);
            (self.progress)(CodeProgress { listed_files: number(count), looked_at_files, read_bytes });
        }
    }

    fn scored<'a>(&self, sums: Sums<'a>) -> Compared<'a> {
        let corpus = Corpus::new(&sums.with_word, self.found.looked_at_files, sums.words);
        let mut files = sums.scored;
        for one in &mut files {
            one.score = score(self.question, &corpus, &one.candidate());
        }
        files.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.file.path.cmp(&b.file.path)));
        files.truncate(MAX_BEST_FILES);
        Compared { files, corpus }
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

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Code before prose and data, the top of the project before its depths, tests and copies last.
fn importance(file: &Listed) -> (bool, bool, usize) {
    let place = place(&file.path);
    (
        place.vendored || place.generated || place.test,
        file.kind.kind != Kind::Code,
        file.path.bytes().filter(|byte| *byte == b'/').count(),
    )
}

fn hits_of(words: &FileWords, question: &Question) -> Vec<Hit> {
    let count = |(atom, hash)| {
        let (count, defined) = words.count(hash)?;
        Some(Hit { atom, count: u32::from(count), defined })
    };
    question.hashes().enumerate().filter_map(count).collect()
}

fn skip(skipped: &mut CodeSkipped, why: NoText) {
    match why {
        NoText::Binary => skipped.binary += 1,
        NoText::MachineMade => skipped.machine_made += 1,
        NoText::TooLarge => skipped.too_large += 1,
        NoText::Unreadable => skipped.unreadable += 1,
    }
}
