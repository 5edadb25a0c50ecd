//! What a pack is made for, and where it may read.

use std::collections::BTreeMap;

use crate::model::code::CodeFound;
use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, ProjectId};
use crate::model::knowledge::PassageHit;
use crate::model::pack::{Mode, SectionId, Supply};
use crate::model::skill::SkillDoc;
use crate::store::ReadDb;

/// Everything a pack depends on beside the store.
#[derive(Clone, Debug, PartialEq)]
pub struct PackSpec {
    pub conversation: ConversationId,
    pub project: ProjectId,
    /// Position of the user's message: the pack tells what came before it.
    /// `i64::MAX` while it is not stored yet (preview).
    pub user_seq: i64,
    /// The user's words. They are sent beside the pack and cost nothing of its budget.
    pub prompt: String,
    pub seat: PackSeat,
    /// Cap for all sections with their separators, in Unicode characters.
    pub budget_chars: u32,
    /// What the engine's own session already holds; `None` for a fresh session.
    pub held: Option<Held>,
    /// e.g. `Rust`, `TypeScript`; looked up beforehand.
    pub detected_stack: Vec<String>,
    /// `None` outside a repository, or when not known.
    pub git_branch: Option<String>,
    /// The git branch that the conversation belongs to, when another one is checked out.
    pub linked_branch: Option<String>,
    /// The folder in a checkout of the branch's own; `None` = the project's folder.
    pub checkout: Option<std::path::PathBuf>,
    /// The user's or the project's own text for the seat's role; `None` = the built-in one.
    pub role_text: Option<String>,
    /// The user's or the project's own text for the seat's persona; `None` = the built-in one of that name, or
    /// else `PackSeat::persona` as it is.
    pub persona_text: Option<String>,
    /// What slow sources know.
    pub found: Found,
}

/// What was asked of slow sources beforehand, with a deadline. Empty = not asked, or nothing there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// A search of the project's code for the prompt.
    pub code: Option<CodeFound>,
    /// Texts of the skills that are switched on.
    pub skills: Vec<SkillDoc>,
    /// Past passages of the project that match, the best first.
    pub retrieval: Vec<PassageHit>,
    /// What the current change touches, as Markdown.
    pub graph: Option<String>,
    /// Lines for the report, e.g. that a search ended at its deadline.
    pub notes: Vec<(SectionId, String)>,
}

/// Who is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackSeat {
    pub engine: EngineId,
    /// Shown name, e.g. `Claude Code`.
    pub engine_name: String,
    /// `None` = the engine's own default.
    pub model: Option<String>,
    pub role: Option<String>,
    /// Name of a persona, or a persona's text itself.
    pub persona: Option<String>,
    /// Explicit mode; `None` = by rule.
    pub mode: Option<Mode>,
    pub supply: Supply,
}

/// In place of a section's hash in [`Held::sections`]: the session did not read it but was forked where the text of it
/// was said.
pub const FORKED: &str = "forked";

/// What the engine's own resumed or warm session holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Messages up to this position were delivered, or said by it.
    pub delivered_seq: i64,
    /// `PackReport::fixed_hash` of what was delivered last.
    pub fixed_hash: String,
    /// `PackReport::told` of what was delivered last: hash of each other section the session holds.
    pub sections: BTreeMap<SectionId, String>,
}

/// Where a pack may read.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    pub db: &'a ReadDb,
}
