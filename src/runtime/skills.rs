//! The skills there are for a project: found, read and remembered as long as their files stay as they are.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Mutex;

use crate::context::skills::{skill_doc, skill_of};
use crate::model::skill::{Skill, SkillDoc, SkillList};
use crate::os::skills::{
    BODY_BYTES_MAX, FoundSkills, HEAD_BYTES_MAX, SKILL_FILE, SkillFolder, SkillPlace, SkillText, Stamp,
    find_skills, read_skill,
};

/// Heads remembered, at most; more than one project's list.
const HEADS_MAX: usize = 4_096;

/// By folder; good as long as the file's stamp stays the same.
type Heads = HashMap<PathBuf, (Stamp, Skill)>;

/// Remembers what the heads of skills say; clones share it. To be used on blocking threads only.
#[derive(Clone, Default)]
pub struct SkillShelf {
    heads: Arc<Mutex<Heads>>,
}

impl SkillShelf {
    /// All skills in `places` (see `os::skills::skill_places`). Of two with one name the nearer place's is taken and a
    /// note says so. Only heads are read, and only those of files that changed. Panics when called from async code.
    pub fn list(&self, places: &[SkillPlace]) -> SkillList {
        let FoundSkills { folders, mut notes } = find_skills(places);
        let mut by_name: HashMap<String, usize> = HashMap::new();
        let mut skills: Vec<Skill> = Vec::new();
        let mut heads = self.heads.blocking_lock();
        for folder in folders {
            let skill = match head(&mut heads, folder) {
                Ok(skill) => skill,
                Err(note) => {
                    notes.push(note);
                    continue;
                }
            };
            let taken = by_name.get(&skill.name.to_lowercase()).and_then(|at| skills.get(*at));
            if let Some(taken) = taken {
                notes.push(format!(
                    "There are two skills named {}: {} is taken, {} is not.",
                    skill.name,
                    taken.dir.display(),
                    skill.dir.display()
                ));
                continue;
            }
            by_name.insert(skill.name.to_lowercase(), skills.len());
            skills.push(skill);
        }
        skills.sort_by_cached_key(|skill| skill.name.to_lowercase());
        SkillList { skills, notes }
    }
}

fn head(heads: &mut Heads, folder: SkillFolder) -> Result<Skill, String> {
    let SkillFolder { dir, origin, stamp } = folder;
    if let Some((known, skill)) = heads.get(&dir)
        && *known == stamp
        && skill.origin == origin
    {
        return Ok(skill.clone());
    }
    let SkillText { text, has_more, is_damaged } =
        read_skill(&dir, HEAD_BYTES_MAX).map_err(|error| unreadable(&dir, &error))?;
    let mut skill = skill_of(dir.clone(), origin, &text, has_more);
    if is_damaged {
        let problem = skill.problem.take().map(|problem| format!("{problem} ")).unwrap_or_default();
        skill.problem = Some(problem + NOT_UNICODE);
    }
    if heads.len() >= HEADS_MAX {
        heads.clear();
    }
    heads.insert(dir, (stamp, skill.clone()));
    Ok(skill)
}
const NOT_UNICODE: &str = "Its file holds bytes that are no Unicode text; they are replaced.";

/// Reads a skill to be used, at most 256 KB of it.
///
/// # Errors
/// One line: what cannot be read, and why.
pub fn read_doc(skill: &Skill) -> Result<SkillDoc, String> {
    let SkillText { text, has_more, is_damaged } =
        read_skill(&skill.dir, BODY_BYTES_MAX).map_err(|error| unreadable(&skill.dir, &error))?;
    let mut notes = Vec::new();
    if has_more {
        notes.push(format!("Its file is longer than {} KB; the rest is left out.", BODY_BYTES_MAX / 1024));
    }
    if is_damaged && skill.problem.as_deref().is_none_or(|problem| !problem.contains(NOT_UNICODE)) {
        notes.push(NOT_UNICODE.to_owned());
    }
    Ok(skill_doc(skill.clone(), &text, notes))
}

fn unreadable(dir: &Path, error: &std::io::Error) -> String {
    format!("{} cannot be read: {error}.", dir.join(SKILL_FILE).display())
}

#[cfg(test)]
#[path = "skills_tests.rs"]
mod tests;
