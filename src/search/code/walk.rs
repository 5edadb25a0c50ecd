//! Which files of a project may be read: ignore files are honoured, and everything is bounded.
//!
//! What the user's machine ignores for all projects (git's global excludes) is left out on purpose: the same
//! project gives the same list everywhere. Hidden files and links are never followed.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, UNIX_EPOCH};

use ignore::{DirEntry, WalkBuilder};

use super::language::{self, FileKind, Kind};
use crate::model::code::{CodeNote, CodeSkipped};

/// Bounds of one search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Listing stops here.
    pub max_files: u32,
    /// Larger files are passed over unopened.
    pub max_file_bytes: u64,
    /// Reading stops here; what is remembered from before does not count.
    pub max_read_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_files: 50_000, max_file_bytes: 1_000_000, max_read_bytes: 400_000_000 }
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop<'a> {
    pub deadline: Instant,
    pub cancel: &'a AtomicBool,
}

/// Why it stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    Deadline,
    Cancel,
}

impl Stop<'_> {
    pub fn cause(&self) -> Option<Cause> {
        if self.cancel.load(Ordering::Relaxed) {
            Some(Cause::Cancel)
        } else {
            (Instant::now() >= self.deadline).then_some(Cause::Deadline)
        }
    }
}

/// A file that may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    /// Relative to the project, with `/`.
    pub path: String,
    pub bytes: u64,
    /// When it was last changed; 0 when the system does not say.
    pub changed_ns: u128,
    pub kind: FileKind,
}

#[derive(Debug, Default)]
pub(super) struct Listing {
    /// In order of their paths.
    pub files: Vec<Listed>,
    pub skipped: CodeSkipped,
    pub notes: Vec<CodeNote>,
    /// Why listing ended early.
    pub stopped: Option<Cause>,
}

/// Folders of downloads and caches: never read, whatever the ignore files say.
const NEVER: &[&str] = &[
    "node_modules",
    "bower_components",
    "jspm_packages",
    "__pycache__",
    "venv",
    "site-packages",
    "Pods",
    "DerivedData",
    "__MACOSX",
];
/// Folders of build output: not read where no ignore file tells what is source.
const OUTPUT: &[&str] = &["target", "build", "dist", "out", "bin", "obj", "coverage", "_build", "buildDir"];
/// Output folder and what lies beside it when it is one, ignored or not.
const OUTPUT_BESIDE: &[(&str, &[&str])] = &[
    ("target", &["Cargo.toml", "pom.xml", "build.sbt"]),
    ("dist", &["package.json", "setup.py", "pyproject.toml"]),
    ("build", &["build.gradle", "build.gradle.kts", "setup.py", "pubspec.yaml"]),
    ("obj", &["packages.config"]),
];

/// Lists the files of `root` that may be read, in order of their paths.
pub(super) fn list(root: &Path, limits: &Limits, stop: &Stop<'_>) -> Listing {
    if std::fs::read_dir(root).is_err() {
        return Listing { notes: vec![CodeNote::NoFolder], ..Listing::default() };
    }
    let in_repository = root.ancestors().any(|folder| folder.join(".git").exists());
    let listing = list_with(root, limits, stop, in_repository);
    let nothing = listing.files.is_empty() && listing.stopped.is_none();
    // A repository further up may ignore the whole project; the user chose it none the less.
    if nothing && in_repository && !root.join(".git").exists() {
        return list_with(root, limits, stop, false);
    }
    listing
}

/// Whether `path`, relative and with `/`, would be listed.
pub(super) fn may_read(root: &Path, path: &str, limits: &Limits) -> bool {
    let wanted = Path::new(path);
    if wanted.components().any(|part| !matches!(part, std::path::Component::Normal(_))) {
        return false;
    }
    let full = root.join(wanted);
    let on_the_way = full.clone();
    let in_repository = root.ancestors().any(|folder| folder.join(".git").exists());
    let mut builder = builder(root, in_repository);
    let skips = BuiltIn::of(root);
    builder.filter_entry(move |entry| on_the_way.starts_with(entry.path()) && !skips.holds(entry));
    builder.build().flatten().any(|entry| {
        entry.path() == full
            && entry.file_type().is_some_and(|kind| kind.is_file())
            && entry.metadata().is_ok_and(|meta| meta.len() <= limits.max_file_bytes)
    })
}

fn builder(root: &Path, parents: bool) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .require_git(false)
        .parents(parents)
        .git_global(false)
        .follow_links(false)
        .hidden(true)
        .sort_by_file_name(std::ffi::OsStr::cmp);
    builder
}

/// The folders that are passed over without an ignore file saying so.
#[derive(Debug, Clone, Copy)]
struct BuiltIn {
    has_ignore_file: bool,
}

impl BuiltIn {
    fn of(root: &Path) -> Self {
        let has = |folder: &Path| folder.join(".gitignore").exists() || folder.join(".ignore").exists();
        let mut has_ignore_file = has(root);
        let repository = root.ancestors().find(|folder| folder.join(".git").exists());
        if let Some(repository) = repository {
            has_ignore_file |= has(repository);
        }
        Self { has_ignore_file }
    }

    fn holds(self, entry: &DirEntry) -> bool {
        if entry.depth() == 0 || !entry.file_type().is_some_and(|kind| kind.is_dir()) {
            return false;
        }
        let Some(name) = entry.file_name().to_str() else { return false };
        if NEVER.contains(&name) || (!self.has_ignore_file && OUTPUT.contains(&name)) {
            return true;
        }
        let folder = entry.path().parent().unwrap_or_else(|| Path::new(""));
        let beside = OUTPUT_BESIDE
            .iter()
            .any(|(output, signs)| *output == name && signs.iter().any(|sign| folder.join(sign).exists()));
        // Tools put this file into folders of theirs that may be thrown away.
        beside || entry.path().join("CACHEDIR.TAG").exists() || entry.path().join("pyvenv.cfg").exists()
    }
}

fn list_with(root: &Path, limits: &Limits, stop: &Stop<'_>, parents: bool) -> Listing {
    let mut listing = Listing::default();
    let mut builder = builder(root, parents);
    let skips = BuiltIn::of(root);
    builder.filter_entry(move |entry| !skips.holds(entry));
    for entry in builder.build() {
        listing.stopped = stop.cause();
        if listing.stopped.is_some() {
            break;
        }
        let Ok(entry) = entry else {
            listing.skipped.unreadable += 1;
            continue;
        };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        if listing.files.len() >= limits.max_files as usize {
            listing.notes.push(CodeNote::StoppedAfterFiles { limit: limits.max_files });
            break;
        }
        take(&mut listing, root, &entry, limits);
    }
    listing
}

fn take(listing: &mut Listing, root: &Path, entry: &DirEntry, limits: &Limits) {
    let skipped = &mut listing.skipped;
    let path = entry.path().strip_prefix(root).ok().and_then(Path::to_str);
    let (Some(path), Ok(meta)) = (path, entry.metadata()) else {
        skipped.unreadable += 1;
        return;
    };
    let path = if std::path::MAIN_SEPARATOR == '/' {
        path.to_owned()
    } else {
        path.replace(std::path::MAIN_SEPARATOR, "/")
    };
    let kind = language::of_name(path.rsplit('/').next().unwrap_or(&path));
    match kind.kind {
        Kind::Binary => skipped.binary += 1,
        Kind::MachineMade => skipped.machine_made += 1,
        Kind::Code | Kind::Prose | Kind::Data if meta.len() > limits.max_file_bytes => skipped.too_large += 1,
        Kind::Code | Kind::Prose | Kind::Data => {
            let changed = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            listing.files.push(Listed {
                path,
                bytes: meta.len(),
                changed_ns: changed.map_or(0, |since| since.as_nanos()),
                kind,
            });
        }
    }
}
