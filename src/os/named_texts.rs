//! Small texts that are found by their name: `<folder>/<Name>.md` in the first folder that has it.

use std::path::{Path, PathBuf};

use super::files::read_capped;

/// Longer names and longer files are none of ours.
const NAME_CHARS_MAX: usize = 60;
const FILE_BYTES_MAX: u64 = 64 * 1024;
/// Most names of one folder.
const NAMES_MAX: usize = 200;
const ENTRIES_MAX: usize = 2_000;

/// True for letters, digits, spaces, `-` and `_`: no path leads out of a folder.
#[must_use]
pub fn is_plain_name(name: &str) -> bool {
    let fits = |ch: char| ch.is_alphanumeric() || matches!(ch, '-' | '_' | ' ');
    !name.trim().is_empty() && name.chars().count() <= NAME_CHARS_MAX && name.chars().all(fits)
}

/// The text of that name, whatever its case, in the first of `folders` that has it; an empty file counts as none.
///
/// At most 64 KB are read; bytes that are not Unicode text are replaced.
#[must_use]
pub fn named_text(folders: &[PathBuf], name: &str) -> Option<String> {
    let name = name.trim();
    if !is_plain_name(name) {
        return None;
    }
    folders.iter().find_map(|folder| {
        let exact = folder.join(format!("{name}.md"));
        text_of(&exact).or_else(|| {
            let lower = name.to_lowercase();
            let other = names_in(folder).into_iter().find(|found| found.to_lowercase() == lower)?;
            text_of(&folder.join(format!("{other}.md")))
        })
    })
}

/// The names that `folders` offer, in alphabetical order, each once whatever its case.
#[must_use]
pub fn text_names(folders: &[PathBuf]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in folders.iter().flat_map(|folder| names_in(folder)) {
        if !names.iter().any(|known| known.to_lowercase() == name.to_lowercase()) {
            names.push(name);
        }
    }
    names.sort_by_key(|name| name.to_lowercase());
    names
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(ENTRIES_MAX);
    let named = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let name = name.strip_suffix(".md").filter(|name| is_plain_name(name))?;
        entry.path().is_file().then(|| name.to_owned())
    });
    let mut names: Vec<String> = named.collect();
    names.sort();
    names.truncate(NAMES_MAX);
    names
}

fn text_of(file: &Path) -> Option<String> {
    // A pipe would be waited for without end.
    if !file.is_file() {
        return None;
    }
    let (bytes, _) = read_capped(file, FILE_BYTES_MAX).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_folder_that_has_a_text_gives_it() {
        let base = tempfile::tempdir().unwrap();
        let folders = [base.path().join("near"), base.path().join("none"), base.path().join("far")];
        for (path, text) in [
            ("near/Reviewer.md", "\u{feff}near\r\n"),
            ("near/Empty.md", " \n"),
            ("near/notes.txt", "no"),
            ("near/..md", "no"),
            ("far/reviewer.md", "far"),
            ("far/Empty.md", "full"),
            ("far/보안 검토.md", "security"),
            ("secret.md", "no"),
        ] {
            let path = base.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        std::fs::create_dir(base.path().join("far/Folder.md")).unwrap();
        let cases = [
            ("Reviewer", Some("near")),
            (" reviewer ", Some("near")),
            ("Empty", Some("full")),
            ("보안 검토", Some("security")),
            ("notes", None),
            ("Folder", None),
            ("../secret", None),
            ("", None),
        ];
        for (name, text) in cases {
            assert_eq!(named_text(&folders, name).as_deref(), text, "{name}");
        }
        assert_eq!(text_names(&folders), ["Empty", "Reviewer", "보안 검토"]);
        assert!(!is_plain_name(&"x".repeat(61)) && !is_plain_name("a/b") && !is_plain_name(" "));
    }
}
