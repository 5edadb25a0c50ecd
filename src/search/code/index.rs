//! What is remembered of a project's files between searches: which words each has, and how often.
//!
//! A file is read again when its size or its time of change is another. The memory is bounded: what does not fit is
//! read afresh each time.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::language::Kind;
use super::walk::Listed;
use super::words::for_each_word;

/// Where a NUL shows that a file is no text.
const NUL_WITHIN_BYTES: usize = 8 * 1024;
/// The bit of a count that says: defined here.
const DEFINED: u8 = 0x80;

/// Why a listed file gives no words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoText {
    Binary,
    MachineMade,
    TooLarge,
    Unreadable,
}

/// The words of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FileWords {
    /// Sorted.
    hashes: Box<[u32]>,
    /// How often each, up to 127, and [`DEFINED`].
    counts: Box<[u8]>,
    /// All words, repeated ones too.
    pub total: u32,
}

impl FileWords {
    pub fn of(text: &str) -> Self {
        let mut all: Vec<(u32, bool)> = Vec::new();
        for_each_word(text, &mut |word| all.push((word.hash, word.defined)));
        all.sort_unstable();
        let total = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let mut hashes: Vec<u32> = Vec::new();
        let mut counts: Vec<u8> = Vec::new();
        for (hash, defined) in all {
            let mark = if defined { DEFINED } else { 0 };
            match (hashes.last(), counts.last_mut()) {
                (Some(last), Some(count)) if *last == hash => {
                    let times = (*count & !DEFINED).saturating_add(1).min(!DEFINED);
                    *count = times | (*count & DEFINED) | mark;
                }
                _ => {
                    hashes.push(hash);
                    counts.push(1 | mark);
                }
            }
        }
        Self { hashes: hashes.into(), counts: counts.into(), total }
    }

    /// How often a word is there, up to 127, and whether it is defined here.
    pub fn count(&self, hash: u32) -> Option<(u8, bool)> {
        let at = self.hashes.binary_search(&hash).ok()?;
        let count = self.counts.get(at)?;
        Some((count & !DEFINED, count & DEFINED != 0))
    }

    fn bytes(&self) -> usize {
        self.hashes.len() * 5
    }
}

#[derive(Debug)]
struct Entry {
    bytes: u64,
    changed_ns: u128,
    words: Result<FileWords, NoText>,
}

impl Entry {
    /// What it takes in memory, roughly: the words, the path, the map's own.
    fn memory_bytes(&self, path: &str) -> usize {
        self.words.as_ref().map_or(0, FileWords::bytes) + path.len() + 160
    }
}

#[derive(Debug, Default)]
struct ProjectWords {
    files: HashMap<Box<str>, Entry>,
    used_bytes: usize,
    /// Grows with each search; tells which project was not asked for longest.
    last_search: u64,
}

/// The words of all projects that were searched.
#[derive(Debug)]
pub(super) struct Memory {
    projects: HashMap<PathBuf, ProjectWords>,
    max_bytes: usize,
    searches: u64,
}

impl Memory {
    pub fn new(max_bytes: usize) -> Self {
        Self { projects: HashMap::new(), max_bytes, searches: 0 }
    }

    pub fn used_bytes(&self) -> usize {
        self.projects.values().map(|project| project.used_bytes).sum()
    }

    pub fn forget(&mut self, root: &Path) {
        self.projects.remove(root);
    }

    /// Begins a search in a project: files that are gone are forgotten when the list is `complete`, and other projects
    /// when the memory is nearly full.
    pub fn begin(&mut self, root: &Path, files: &[Listed], complete: bool) {
        self.searches += 1;
        let project = self.projects.entry(root.to_path_buf()).or_default();
        project.last_search = self.searches;
        if complete {
            let present: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
            project.files.retain(|path, entry| {
                let stays = present.contains(&**path);
                if !stays {
                    project.used_bytes = project.used_bytes.saturating_sub(entry.memory_bytes(path));
                }
                stays
            });
        }
        while self.used_bytes() > self.max_bytes / 2 && self.projects.len() > 1 {
            let oldest = self.projects.iter().min_by_key(|(_, project)| project.last_search);
            let Some(oldest) = oldest.map(|(root, _)| root.clone()) else { break };
            self.projects.remove(&oldest);
        }
    }

    /// What is remembered of a file as it is now.
    pub fn known(&self, root: &Path, file: &Listed) -> Option<Result<&FileWords, NoText>> {
        let entry = self.projects.get(root)?.files.get(file.path.as_str())?;
        let is_same =
            entry.bytes == file.bytes && entry.changed_ns == file.changed_ns && file.changed_ns != 0;
        is_same.then(|| entry.words.as_ref().map_err(|no| *no))
    }

    /// Remembers a file's words if there is room.
    pub fn keep(&mut self, root: &Path, file: &Listed, words: Result<FileWords, NoText>) {
        let used = self.used_bytes();
        let Some(project) = self.projects.get_mut(root) else { return };
        let entry = Entry { bytes: file.bytes, changed_ns: file.changed_ns, words };
        let old = project.files.remove(file.path.as_str());
        let freed = old.map_or(0, |old| old.memory_bytes(&file.path));
        project.used_bytes = project.used_bytes.saturating_sub(freed);
        let wanted = entry.memory_bytes(&file.path);
        if used.saturating_sub(freed) + wanted <= self.max_bytes {
            project.used_bytes += wanted;
            project.files.insert(file.path.as_str().into(), entry);
        }
    }
}

/// Reads a text file whole. Bytes that are no UTF-8 are replaced.
pub(super) fn read_text(root: &Path, file: &Listed, max_bytes: u64) -> Result<String, NoText> {
    let mut bytes = Vec::with_capacity(usize::try_from(file.bytes.min(max_bytes)).unwrap_or(0) + 1);
    let opened = File::open(root.join(&file.path)).map_err(|_gone| NoText::Unreadable)?;
    // It may grow while it is read.
    opened.take(max_bytes + 1).read_to_end(&mut bytes).map_err(|_gone| NoText::Unreadable)?;
    if bytes.len() as u64 > max_bytes {
        return Err(NoText::TooLarge);
    }
    if bytes.iter().take(NUL_WITHIN_BYTES).any(|byte| *byte == 0) {
        return Err(NoText::Binary);
    }
    if file.kind.kind != Kind::Prose && is_squeezed(&bytes) {
        return Err(NoText::MachineMade);
    }
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Long lines throughout: no one wrote this by hand.
fn is_squeezed(bytes: &[u8]) -> bool {
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    bytes.len() > 5_000 && bytes.len() / lines > 400
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::code::language::of_name;
    use crate::search::code::words::term_hashes;

    fn listed(path: &str, changed_ns: u128) -> Listed {
        Listed { path: path.into(), bytes: 1, changed_ns, kind: of_name(path) }
    }

    #[test]
    fn words_are_counted_and_marked() {
        let words = FileWords::of("fn load_page() { load(); Load }");
        let count = |word: &str| words.count(term_hashes(word)[0].0);
        assert_eq!(count("load"), Some((3, true)));
        assert_eq!(count("loadPage"), Some((1, true)));
        assert_eq!(count("page"), Some((1, true)));
        assert_eq!(count("store"), None);
        assert_eq!(FileWords::of(&"again ".repeat(500)).count(term_hashes("again")[0].0), Some((127, false)));
    }

    #[test]
    fn memory_knows_changes_and_stays_within_bounds() {
        let root = Path::new("/p");
        let mut memory = Memory::new(2_000);
        let files: Vec<Listed> = (0..40).map(|n| listed(&format!("f{n}.rs"), 5)).collect();
        memory.begin(root, &files, true);
        for file in &files {
            memory.keep(root, file, Ok(FileWords::of("some words here")));
        }
        assert!(memory.used_bytes() <= 2_000 && memory.used_bytes() > 1_000, "{}", memory.used_bytes());
        assert!(memory.known(root, &files[0]).is_some());
        assert!(memory.known(root, &listed("f0.rs", 6)).is_none(), "changed");
        assert!(memory.known(root, &files[39]).is_none(), "no room");
        memory.begin(root, &files[..1], true);
        assert!(memory.known(root, &files[1]).is_none(), "gone files are forgotten");
        let before = memory.used_bytes();
        memory.keep(root, &files[0], Err(NoText::Binary));
        assert!(memory.used_bytes() < before);
        assert_eq!(memory.known(root, &files[0]), Some(Err(NoText::Binary)));
        memory.forget(root);
        assert_eq!(memory.used_bytes(), 0);
    }

    #[test]
    fn the_project_not_asked_for_longest_goes_first() {
        let mut memory = Memory::new(1_000);
        let file = listed("a.rs", 5);
        for root in ["/a", "/b", "/c"] {
            memory.begin(Path::new(root), std::slice::from_ref(&file), true);
            memory.keep(Path::new(root), &file, Ok(FileWords::of("word")));
        }
        for _ in 0..3 {
            let more = listed(&"x".repeat(100), 5);
            memory.keep(Path::new("/c"), &more, Ok(FileWords::of("word")));
        }
        memory.begin(Path::new("/c"), &[], false);
        assert!(memory.known(Path::new("/a"), &file).is_none());
        assert!(memory.known(Path::new("/c"), &file).is_some());
    }
}
