//! What differs between a folder and a commit: committed, staged, unstaged and untracked, by file.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::git::{
    CHANGED_FILES_MAX, ChangeKind, ChangedFile, Changes, DIFF_MAX_BYTES, FileDiff, GitPath,
};
use crate::os::files::read_capped;
use crate::os::git::head::{Head, current_head};
use crate::os::git::run::{Bounds, Git, GitError, failed};
use crate::os::git::status::{Ask, Entry, EntryKind, operation};

/// Lists of changed files may be long; what is beyond is told by number only.
const LIST_MAX_BYTES: usize = 32 * 1024 * 1024;
/// Counting lines reads every file; the list is shown without counts when it takes longer.
const COUNT_LIMIT: Duration = Duration::from_secs(15);
/// Untracked files whose lines are counted, and the longest of them, in bytes.
const COUNTED_MAX: usize = 400;
const COUNTED_MAX_BYTES: u64 = 1_000_000;
/// A zero byte this near to the beginning makes a file binary, as for git.
const BINARY_WITHIN: usize = 8_000;

const DIFF: [&str; 5] = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "-M"];

impl Git {
    /// Everything that differs between the checkout at `folder` and `base`; without a base, or when it is not there any
    /// more, the commit checked out is taken.
    ///
    /// # Errors
    /// See [`GitError`].
    pub async fn changes(&self, folder: &Path, base: Option<&str>) -> Result<Changes, GitError> {
        self.check().await?;
        let repo = self.repo(folder).await?;
        let root = repo.root.as_path();
        let mut changes = Changes { folder: repo.root.clone(), ..Changes::default() };
        let head = self.head_commit(root).await?;
        changes.base = self.compared_with(root, base, head.as_deref(), &mut changes.notes).await?;
        changes.git_branch = match current_head(root) {
            Some(Head::Branch(name)) => Some(name),
            Some(Head::Detached(_)) | None => None,
        };
        changes.operation = operation(&repo.git_dir).map(str::to_owned);
        changes.head = head.as_ref().map(|hash| hash.chars().take(8).collect());
        if head.is_some() && base.is_some() {
            let range = format!("{}..HEAD", changes.base);
            let count = self.maybe(root, &["rev-list", "--count", &range]).await?;
            changes.commits = count.and_then(|count| count.parse().ok()).unwrap_or(0);
        }
        let bounds = Bounds { max_bytes: LIST_MAX_BYTES, ..Bounds::default() };
        let raw = self.diff_list(root, "--raw", &changes.base, bounds).await?;
        let mut files = parse_raw(&raw.0);
        let status = self.status(root, Ask { every_file: true, ignored: false, bounds }).await?;
        take_status(&mut files, &status.entries);
        let total = files.len();
        changes.files = files.into_values().take(CHANGED_FILES_MAX).collect();
        changes.more_files = total.saturating_sub(CHANGED_FILES_MAX) as u64;
        if raw.1 || status.cut {
            changes.notes.push("There are more changed files than can be listed.".to_owned());
        }
        self.count_lines(root, &mut changes).await;
        Ok(changes)
    }

    async fn compared_with(
        &self,
        root: &Path,
        base: Option<&str>,
        head: Option<&str>,
        notes: &mut Vec<String>,
    ) -> Result<String, GitError> {
        if let Some(base) = base {
            let name = format!("{base}^{{commit}}");
            if let Some(found) = self.maybe(root, &["rev-parse", "--verify", "--quiet", &name]).await? {
                return Ok(found);
            }
            notes.push(format!(
                "The commit {} it began from is not there any more; compared with the newest commit.",
                base.chars().take(8).collect::<String>()
            ));
        }
        match head {
            Some(head) => Ok(head.to_owned()),
            // Before the first commit: the empty tree, by whatever hash the repository uses.
            None => Ok(self.look(root, &["hash-object", "-t", "tree", "--stdin"]).await?.line()),
        }
    }

    async fn diff_list(
        &self,
        root: &Path,
        form: &str,
        base: &str,
        bounds: Bounds,
    ) -> Result<(Vec<u8>, bool), GitError> {
        let mut args = DIFF.map(OsStr::new).to_vec();
        args.extend([form, "-z", base, "--"].map(OsStr::new));
        let out = self.ask(root, &args, bounds).await?;
        if out.is_ok() { Ok((out.bytes, out.cut)) } else { Err(failed("diff", &out)) }
    }

    /// Counts are a help: without them the list still stands.
    async fn count_lines(&self, root: &Path, changes: &mut Changes) {
        let bounds = Bounds { max_bytes: LIST_MAX_BYTES, limit: COUNT_LIMIT };
        match self.diff_list(root, "--numstat", &changes.base, bounds).await {
            Ok((bytes, _)) => {
                let counts = parse_numstat(&bytes);
                for file in &mut changes.files {
                    let Some(count) = counts.get(&file.path) else { continue };
                    match count {
                        Some((added, removed)) => (file.added, file.removed) = (Some(*added), Some(*removed)),
                        None => file.binary = true,
                    }
                }
            }
            Err(error) => changes.notes.push(format!("Lines were not counted: {error}")),
        }
        let untracked: Vec<(usize, PathBuf)> = changes
            .files
            .iter()
            .enumerate()
            .filter(|(_, file)| file.kind == ChangeKind::Untracked)
            .take(COUNTED_MAX)
            .map(|(at, file)| (at, root.join(native(&file.path))))
            .collect();
        let read = tokio::task::spawn_blocking(move || {
            untracked.into_iter().map(|(at, path)| (at, new_lines(&path))).collect::<Vec<_>>()
        });
        for (at, lines) in read.await.unwrap_or_default() {
            let Some(file) = changes.files.get_mut(at) else { continue };
            match lines {
                Some(Some(lines)) => (file.added, file.removed) = (Some(lines), Some(0)),
                Some(None) => file.binary = true,
                None => {}
            }
        }
    }

    /// The unified difference of one file of [`Git::changes`].
    ///
    /// # Errors
    /// See [`GitError`].
    pub async fn file_diff(
        &self,
        folder: &Path,
        base: &str,
        file: &ChangedFile,
    ) -> Result<FileDiff, GitError> {
        let path = file.path.clone();
        if file.kind == ChangeKind::Untracked {
            let at = folder.join(native(&path));
            let name = path.shown();
            let made = tokio::task::spawn_blocking(move || new_file(&at, &name)).await;
            let (text, cut, binary) = made
                .map_err(|error| GitError::Refused(error.to_string()))?
                .map_err(|error| GitError::Refused(format!("{} cannot be read: {error}.", path.shown())))?;
            return Ok(FileDiff { path, text, cut, binary });
        }
        let mut args = DIFF.map(OsString::from).to_vec();
        args.extend(
            ["--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", base, "--"].map(OsString::from),
        );
        args.extend(file.old_path.iter().map(native));
        args.push(native(&path));
        let words: Vec<&OsStr> = args.iter().map(OsString::as_os_str).collect();
        let out = self.ask(folder, &words, Bounds { max_bytes: DIFF_MAX_BYTES, ..Bounds::default() }).await?;
        if !out.is_ok() {
            return Err(failed("diff", &out));
        }
        let text = String::from_utf8_lossy(whole_lines(&out.bytes, out.cut)).into_owned();
        let binary = text.lines().any(|line| line.starts_with("Binary files ") && line.ends_with(" differ"));
        Ok(FileDiff { path, text, cut: out.cut, binary })
    }
}

/// The path for the system's own calls.
#[cfg(unix)]
pub(super) fn native(path: &GitPath) -> OsString {
    use std::os::unix::ffi::OsStringExt as _;
    OsString::from_vec(path.0.clone())
}

#[cfg(not(unix))]
pub(super) fn native(path: &GitPath) -> OsString {
    String::from_utf8_lossy(&path.0).into_owned().into()
}

/// Up to the last line end of what was cut.
fn whole_lines(bytes: &[u8], cut: bool) -> &[u8] {
    if !cut {
        return bytes;
    }
    // A single line beyond all bounds is shown as far as it goes.
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
    bytes.get(..end).unwrap_or(bytes)
}

/// `:old new hash hash LETTER⟨score⟩`, then one path, or two of a rename or copy.
fn parse_raw(bytes: &[u8]) -> BTreeMap<GitPath, ChangedFile> {
    let mut files = BTreeMap::new();
    let mut parts = bytes.split(|byte| *byte == 0);
    while let Some(head) = parts.next() {
        let Some(head) = head.strip_prefix(b":") else { continue };
        let head = String::from_utf8_lossy(head);
        let mut words = head.split(' ');
        let (Some(old_mode), Some(new_mode)) = (words.next(), words.next()) else { continue };
        let Some(letter) = words.nth(2).and_then(|word| word.chars().next()) else { continue };
        let Some(first) = parts.next() else { break };
        let (old_path, path) = match letter {
            'R' | 'C' => match parts.next() {
                Some(second) => (Some(GitPath(first.to_vec())), second),
                None => break,
            },
            _ => (None, first),
        };
        let kind = match letter {
            'A' => ChangeKind::Added,
            'D' => ChangeKind::Deleted,
            'R' => ChangeKind::Renamed,
            'C' => ChangeKind::Copied,
            'T' => ChangeKind::TypeChanged,
            'U' => ChangeKind::Conflict,
            _ => ChangeKind::Modified,
        };
        let submodule = old_mode == "160000" || new_mode == "160000";
        let is_new_mode = old_mode != new_mode && old_mode != "000000" && new_mode != "000000";
        let path = GitPath(path.to_vec());
        let file = ChangedFile {
            path: path.clone(),
            old_path,
            kind,
            added: None,
            removed: None,
            binary: false,
            mode: is_new_mode.then(|| (old_mode.to_owned(), new_mode.to_owned())),
            submodule,
            staged: false,
            unstaged: false,
        };
        // A conflict stands there twice; it is one.
        let before: Option<ChangedFile> = files.insert(path.clone(), file);
        if let Some(conflict) = before.filter(|before| before.kind == ChangeKind::Conflict) {
            files.insert(path, conflict);
        }
    }
    files
}

/// Lines added and removed; `None` for what is no text.
fn parse_numstat(bytes: &[u8]) -> BTreeMap<GitPath, Option<(u64, u64)>> {
    let mut counts = BTreeMap::new();
    let mut parts = bytes.split(|byte| *byte == 0);
    while let Some(line) = parts.next() {
        let mut fields = line.splitn(3, |byte| *byte == b'\t');
        let (Some(added), Some(removed), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let path = if path.is_empty() {
            // A rename: old and new follow.
            let _old = parts.next();
            parts.next().unwrap_or_default()
        } else {
            path
        };
        let number = |field: &[u8]| std::str::from_utf8(field).ok().and_then(|text| text.parse::<u64>().ok());
        counts.insert(GitPath(path.to_vec()), number(added).zip(number(removed)));
    }
    counts
}

fn take_status(files: &mut BTreeMap<GitPath, ChangedFile>, entries: &[Entry]) {
    for entry in entries {
        let (staged, unstaged) = match entry.kind {
            EntryKind::Changed => (entry.letters[0] != b'.', entry.letters[1] != b'.'),
            EntryKind::Conflict | EntryKind::Untracked => (false, true),
            EntryKind::Ignored => continue,
        };
        if !files.contains_key(&entry.path) {
            // What is in the index only, and undone in the folder, differs from the base all the same.
            let kind = match entry.kind {
                EntryKind::Untracked => ChangeKind::Untracked,
                EntryKind::Conflict => ChangeKind::Conflict,
                EntryKind::Changed | EntryKind::Ignored => ChangeKind::Modified,
            };
            let file = ChangedFile {
                path: entry.path.clone(),
                old_path: None,
                kind,
                added: None,
                removed: None,
                binary: false,
                mode: None,
                submodule: false,
                staged,
                unstaged,
            };
            files.insert(entry.path.clone(), file);
        } else if let Some(file) = files.get_mut(&entry.path) {
            file.staged |= staged;
            file.unstaged |= unstaged;
            if entry.kind == EntryKind::Conflict {
                file.kind = ChangeKind::Conflict;
            }
        }
    }
}

/// Lines of a file that is no link and no device. Outer `None` = not counted, inner `None` = no text.
fn new_lines(path: &Path) -> Option<Option<u64>> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    if meta.is_symlink() {
        return Some(Some(1));
    }
    if !meta.is_file() || meta.len() > COUNTED_MAX_BYTES {
        return None;
    }
    let (bytes, _) = read_capped(path, COUNTED_MAX_BYTES).ok()?;
    if is_binary(&bytes) {
        return Some(None);
    }
    Some(Some(bytes.split_inclusive(|byte| *byte == b'\n').count() as u64))
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(BINARY_WITHIN).any(|byte| *byte == 0)
}

/// The difference between nothing and a file, in git's form; with whether it was cut, and whether it is no text.
fn new_file(path: &Path, name: &str) -> std::io::Result<(String, bool, bool)> {
    let meta = std::fs::symlink_metadata(path)?;
    let (bytes, cut) = if meta.is_symlink() {
        (std::fs::read_link(path)?.into_os_string().into_encoded_bytes(), false)
    } else if meta.is_file() {
        read_capped(path, DIFF_MAX_BYTES as u64)?
    } else {
        return Err(std::io::Error::other("it is no file"));
    };
    let head = format!("--- /dev/null\n+++ b/{name}\n");
    if is_binary(&bytes) {
        return Ok((format!("{head}Binary files /dev/null and b/{name} differ\n"), cut, true));
    }
    let text = String::from_utf8_lossy(whole_lines(&bytes, cut)).into_owned();
    let count = text.lines().count();
    if count == 0 {
        return Ok((String::new(), cut, false));
    }
    let mut out = format!("{head}@@ -0,0 +1,{count} @@\n");
    for line in text.split_inclusive('\n') {
        out.push('+');
        out.push_str(line);
    }
    if !text.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
    Ok((out, cut, false))
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn raw_lists_and_counts_are_read() {
        let raw = b":100644 100755 aa bb M\0run.sh\0:100644 100644 aa bb R090\0old\0new \xff\0:000000 100644 0 b A\0a\0\
            :100644 000000 a 0 D\0gone\0:160000 160000 a b M\0sub\0";
        let files = parse_raw(raw);
        let get = |name: &[u8]| &files[&GitPath(name.to_vec())];
        assert_eq!(get(b"run.sh").mode, Some(("100644".into(), "100755".into())));
        assert_eq!(get(b"new \xff").old_path, Some("old".into()));
        assert_eq!(get(b"new \xff").kind, ChangeKind::Renamed);
        assert_eq!((get(b"a").kind, get(b"gone").kind), (ChangeKind::Added, ChangeKind::Deleted));
        assert!(get(b"sub").submodule && get(b"a").mode.is_none());
        let counts = parse_numstat(b"1\t2\ta b\0-\t-\tpic\x00003\t0\t\0old\0new\0");
        assert_eq!(counts[&"a b".into()], Some((1, 2)));
        assert_eq!(counts[&"pic".into()], None);
        assert_eq!(counts[&"new".into()], Some((3, 0)));
    }

    #[test]
    fn cut_output_ends_with_a_line() {
        assert_eq!(whole_lines(b"a\nb\nc", true), b"a\nb\n");
        assert_eq!(whole_lines(b"abc", true), b"abc");
        assert_eq!(whole_lines(b"a\nb", false), b"a\nb");
    }
}
