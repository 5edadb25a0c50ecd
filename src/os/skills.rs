//! Where skills lie on this machine, and reading them within limits.
//!
//! What a skill's text says is not understood here: see `crate::context::skills`.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::files::read_capped;
use crate::model::skill::SkillOrigin;

/// The file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";
/// So much of a file is read to list it.
pub const HEAD_BYTES_MAX: u64 = 8 * 1024;
/// So much of a file is read to use it.
pub const BODY_BYTES_MAX: u64 = 256 * 1024;
/// Most skills of one search.
pub const SKILLS_MAX: usize = 2_000;
/// Most entries of folders looked at in one search.
const ENTRIES_MAX: usize = 50_000;
/// Skills may be kept in groups: so many folders below the place.
const DEPTH_MAX: usize = 3;

const PROJECT_FOLDERS: &[&str] = &[".claude/skills", ".agents/skills", "skills"];
const HOME_FOLDERS: &[&str] = &[".claude/skills", ".agents/skills"];

/// A folder in which skills are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillPlace {
    pub folder: PathBuf,
    pub origin: SkillOrigin,
}

/// Where skills are looked for, the nearest first: the project, the user's home, the app's own settings folder.
#[must_use]
pub fn skill_places(project: Option<&Path>, home: &Path, config_folder: &Path) -> Vec<SkillPlace> {
    let place = |folder: PathBuf, origin| SkillPlace { folder, origin };
    let of_project =
        project.into_iter().flat_map(|project| PROJECT_FOLDERS.iter().map(|at| project.join(at)));
    let of_user = HOME_FOLDERS.iter().map(|at| home.join(at)).chain([config_folder.join("skills")]);
    let of_project = of_project.map(|folder| place(folder, SkillOrigin::Project));
    of_project.chain(of_user.map(|folder| place(folder, SkillOrigin::User))).collect()
}

/// A folder that is a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFolder {
    /// As it was come to; a link is not followed in it.
    pub dir: PathBuf,
    pub origin: SkillOrigin,
    /// Tells whether its file changed.
    pub stamp: Stamp,
}

/// What changes when a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub modified: Option<SystemTime>,
    pub size_bytes: u64,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundSkills {
    /// In the order of the places, by path within each; no folder twice, whatever links lead to it.
    pub folders: Vec<SkillFolder>,
    /// What the user should know, one line each.
    pub notes: Vec<String>,
}

/// Looks for folders with a `SKILL.md` in `places`, at most three folders deep and [`SKILLS_MAX`] in all.
///
/// Reads no file. Links are followed, and one that leads in a circle ends there. Hidden folders are passed over.
/// A place that is not there is no error; one that cannot be read is a note.
#[must_use]
pub fn find_skills(places: &[SkillPlace]) -> FoundSkills {
    let mut search = Search {
        found: FoundSkills::default(),
        seen: HashSet::new(),
        entries_left: ENTRIES_MAX,
        is_full: false,
    };
    for place in places {
        search.look_in(&place.folder, place.origin, DEPTH_MAX);
    }
    if search.is_full {
        search.found.notes.push(format!("There are more skills than the {SKILLS_MAX} that are listed."));
    } else if search.entries_left == 0 {
        search.found.notes.push(format!(
            "The skill folders hold more than {ENTRIES_MAX} files; some skills may be missing."
        ));
    }
    search.found
}

struct Search {
    found: FoundSkills,
    /// True places of folders that were looked into.
    seen: HashSet<PathBuf>,
    entries_left: usize,
    is_full: bool,
}

impl Search {
    fn look_in(&mut self, folder: &Path, origin: SkillOrigin, depth: usize) {
        let Ok(true_place) = std::fs::canonicalize(folder) else { return };
        if self.is_full || !self.seen.insert(true_place) {
            return;
        }
        let mut inside = Vec::new();
        match std::fs::read_dir(folder) {
            Ok(entries) => {
                for entry in entries.flatten() {
                    if self.entries_left == 0 {
                        break;
                    }
                    self.entries_left -= 1;
                    let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
                    let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
                    if !is_hidden && !is_file && entry.file_name() != "node_modules" {
                        inside.push(entry.path());
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
            Err(error) => self.found.notes.push(format!("{} cannot be read: {error}.", folder.display())),
        }
        inside.sort();
        for dir in inside {
            self.take(dir, origin, depth);
        }
    }

    fn take(&mut self, dir: PathBuf, origin: SkillOrigin, depth: usize) {
        if self.is_full {
            return;
        }
        let file = dir.join(SKILL_FILE);
        match std::fs::metadata(&file) {
            Ok(found) if found.is_file() && is_text_file(&file) => {
                let is_new = std::fs::canonicalize(&dir).is_ok_and(|place| self.seen.insert(place));
                if !is_new {
                    return;
                }
                if self.found.folders.len() == SKILLS_MAX {
                    self.is_full = true;
                    return;
                }
                let stamp = Stamp { modified: found.modified().ok(), size_bytes: found.len() };
                self.found.folders.push(SkillFolder { dir, origin, stamp });
            }
            // A pipe would be waited for without end; a link to something else may be no text to hand on.
            Ok(_) => self.found.notes.push(format!("{} is no plain Markdown file.", file.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound && depth > 1 => {
                self.look_in(&dir, origin, depth - 1);
            }
            Err(error) if is_nothing_there(&error) => {}
            Err(error) => self.found.notes.push(format!("{} cannot be read: {error}.", file.display())),
        }
    }
}

fn is_nothing_there(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || error.raw_os_error().is_some_and(is_loop)
}

/// Too many links in a row: ELOOP of Linux and of macOS.
fn is_loop(code: i32) -> bool {
    cfg!(unix) && matches!(code, 40 | 62)
}

/// A project could bring a `SKILL.md` that is a link to a private file: only a link to Markdown is followed.
fn is_text_file(file: &Path) -> bool {
    let place = std::fs::canonicalize(file);
    place.is_ok_and(|place| {
        place.extension().is_some_and(|ending| {
            ending.eq_ignore_ascii_case("md") || ending.eq_ignore_ascii_case("markdown")
        })
    })
}

/// The beginning of a skill's file, or as much of it as is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillText {
    /// Bytes that are not Unicode text are replaced.
    pub text: String,
    /// The file is longer.
    pub has_more: bool,
    /// Something was replaced.
    pub is_damaged: bool,
}

/// Reads the `SKILL.md` in `dir`: [`HEAD_BYTES_MAX`] to list it, [`BODY_BYTES_MAX`] to use it.
///
/// # Errors
/// The file is gone, is no plain file any more, or cannot be read.
pub fn read_skill(dir: &Path, max_bytes: u64) -> io::Result<SkillText> {
    let file = dir.join(SKILL_FILE);
    if !std::fs::metadata(&file)?.is_file() || !is_text_file(&file) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain Markdown file"));
    }
    let (mut bytes, has_more) = read_capped(&file, max_bytes)?;
    if has_more
        && let Err(error) = std::str::from_utf8(&bytes)
        && error.error_len().is_none()
    {
        // A character that the limit cut through.
        bytes.truncate(error.valid_up_to());
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => SkillText { text, has_more, is_damaged: false },
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            SkillText { text, has_more, is_damaged: true }
        }
    })
}

#[cfg(test)]
#[path = "skills_tests.rs"]
mod tests;
