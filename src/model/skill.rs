//! Skills: folders with a `SKILL.md`, as the agents' own programs use them.

use std::path::PathBuf;

/// A skill as it is listed: what its front matter says. Its text is read when it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// From the front matter, or the folder's name when that says none. Unique in a list, whatever its case.
    pub name: String,
    /// One paragraph; empty when there is none.
    pub description: String,
    /// The folder that holds its `SKILL.md`.
    pub dir: PathBuf,
    pub origin: SkillOrigin,
    /// What is wrong with its front matter, in plain words; it can be used all the same.
    pub problem: Option<String>,
}

/// Whose skill it is. Where both have one of the same name, the project's is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkillOrigin {
    Project,
    User,
}

impl SkillOrigin {
    pub fn label(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// Skills that were found, with what the user should know about the search, one line each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillList {
    /// By name, whatever its case.
    pub skills: Vec<Skill>,
    pub notes: Vec<String>,
}

impl SkillList {
    /// The skill of that name, whatever its case.
    pub fn find(&self, name: &str) -> Option<&Skill> {
        let name = name.trim().to_lowercase();
        self.skills.iter().find(|skill| skill.name.to_lowercase() == name)
    }
}

/// A skill with its text, ready to be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillDoc {
    pub skill: Skill,
    /// Markdown after the front matter.
    pub body: String,
    /// What of its file could not be taken (too long, not Unicode), one line each.
    pub notes: Vec<String>,
}

/// A piece of a skill's text: what stands under one heading, up to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillPart {
    /// Without its marks; empty for what stands before the first heading.
    pub heading: String,
    /// 1–6 as the heading's marks say; 0 before the first heading.
    pub level: u8,
    /// Exact text, the heading's line included. All parts one after the other are the body again.
    pub text: String,
}

/// A skill worth offering. It is shown to the user, never switched on by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillSuggestion {
    pub name: String,
    /// A few words for the user, e.g. `the project uses Rust`.
    pub why: String,
}
