//! Skill documents: reading their front matter, picking the parts that match a message, offering skills. Pure.
//!
//! Never here: files and folders; texts are handed in.
//! Start reading at [`choose_parts`].

mod choose;
mod front_matter;
mod parts;
mod suggest;

pub use choose::{ChosenPart, ChosenSkill, ChosenSkills, choose_parts};
pub use front_matter::{FrontMatter, front_matter, skill_doc, skill_of};
pub use parts::parts;
pub use suggest::{SUGGESTIONS_MAX, SkillIndex, suggest};
