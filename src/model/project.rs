//! A project and its conversations, as rows without their messages.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::branch::{Branch, BranchStatus};
use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, ProjectId};
use crate::model::pack::{Mode, Supply};

/// A folder with all its conversations. Agents are started in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    pub id: ProjectId,
    /// Shown name; the folder's last component unless the user chose another.
    pub name: String,
    /// Absolute path. It may be missing on disk: starting a turn then fails with a clear message.
    pub path: PathBuf,
    pub created_ms: i64,
    /// When it was last opened; the picker sorts by it, newest first.
    pub opened_ms: i64,
    /// The user chose that agents in this project act without asking. Shown in the header while it holds.
    pub skip_permissions: bool,
}

/// Who answers in a conversation: what the composer's pickers say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatChoice {
    pub engine: EngineId,
    /// `None` = the engine's own default.
    pub model: Option<String>,
    /// Name of a role document, e.g. `Architect`; `None` = no role.
    #[serde(default)]
    pub role: Option<String>,
    /// Name of a persona, e.g. `Concise`, or a persona's text itself when there is none of that name;
    /// `None` = neutral.
    #[serde(default)]
    pub persona: Option<String>,
    /// Explicit context mode; `None` = decided by rule.
    #[serde(default)]
    pub mode: Option<Mode>,
    #[serde(default)]
    pub supply: Supply,
    /// Name of the profile it was taken from, to be shown; what counts are the fields above.
    #[serde(default)]
    pub profile: Option<String>,
}

impl SeatChoice {
    /// That engine with everything else left to the defaults.
    pub fn new(engine: EngineId) -> Self {
        Self {
            engine,
            model: None,
            role: None,
            persona: None,
            mode: None,
            supply: Supply::default(),
            profile: None,
        }
    }
}

/// Names of the texts that can be picked: built-in ones, the user's and the project's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextNames {
    pub roles: Vec<String>,
    pub personas: Vec<String>,
}

/// Texts of one's own that a project can hold as files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    Role,
    Persona,
    Skill,
}

impl TextKind {
    pub const ALL: [Self; 3] = [Self::Role, Self::Persona, Self::Skill];

    /// In the middle of a sentence.
    pub fn word(self) -> &'static str {
        match self {
            Self::Role => "role",
            Self::Persona => "persona",
            Self::Skill => "skill",
        }
    }

    /// At the beginning of a line.
    pub fn label(self) -> &'static str {
        match self {
            Self::Role => "Role",
            Self::Persona => "Persona",
            Self::Skill => "Skill",
        }
    }
}

/// What a conversation is. A column, never a prefix of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConversationKind {
    Main,
    Branch,
    Roundtable,
}

/// One conversation without its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    pub id: ConversationId,
    pub project: ProjectId,
    pub kind: ConversationKind,
    /// `None` for a main conversation.
    pub branch: Option<Branch>,
    pub title: String,
    pub created_ms: i64,
    /// When something was last said in it; lists sort by it, newest first.
    pub updated_ms: i64,
    pub archived: bool,
    pub seat: SeatChoice,
    pub message_count: u32,
    /// Something arrived while it was not on screen.
    pub unread: bool,
    /// How its newest turn ended; `None` when there was none.
    pub last_turn: Option<crate::model::turn::TurnState>,
}

/// A name for a list: one line, without characters that nobody can see or that turn the text around them.
///
/// Marks that belong to a script or an emoji stay. Empty when nothing can be read.
pub fn title_line(text: &str) -> String {
    let is_hidden = |c: &char| match c {
        // Embeddings, overrides and isolates reach beyond the name; marks do not.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => c.is_control() && !c.is_whitespace(),
    };
    let words: String = text.chars().filter(|c| !is_hidden(c)).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Conversation {
    /// How the branch stands; `None` for a main conversation.
    pub fn branch_status(&self) -> Option<BranchStatus> {
        let branch = self.branch.as_ref()?;
        Some(match (branch.facts.adopted, self.archived) {
            (Some(_), true) => BranchStatus::Adopted,
            (None, true) => BranchStatus::Archived,
            // One that was adopted and is continued is as alive as any.
            (_, false) => BranchStatus::Active,
        })
    }

    /// Whether retrieval from other conversations may find it: a branch only once it is adopted, unless the user
    /// said otherwise.
    pub fn is_shared(&self) -> bool {
        let Some(branch) = &self.branch else { return true };
        branch.facts.shared.unwrap_or(branch.facts.adopted.is_some())
    }
}

/// What the user has typed but not sent, per conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    pub text: String,
    /// Big pastes shown as chips; sent after the text, each whole.
    #[serde(default)]
    pub pastes: Vec<String>,
}

impl Draft {
    /// A draft of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), pastes: Vec::new() }
    }

    /// True when there is nothing to send: no paste and only white space.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty() && self.pastes.is_empty()
    }

    /// The whole message as it is stored and sent: text, then each paste after a blank line, byte for byte.
    pub fn full_text(&self) -> String {
        let mut full = self.text.clone();
        for paste in &self.pastes {
            if !full.is_empty() {
                full.push_str("\n\n");
            }
            full.push_str(paste);
        }
        full
    }
}

#[cfg(test)]
mod tests {
    use super::title_line;

    #[test]
    fn a_title_is_one_line_of_what_can_be_read() {
        let cases = [
            ("plain", "plain"),
            (" a\r\nb\t\u{85}c ", "a b c"),
            ("\0\u{1b}[31mred\u{7}", "[31mred"),
            ("\u{202e}turned\u{202c} \u{2067}x\u{2069}", "turned x"),
            ("مرحبا\u{200f}! 👩\u{200d}💻", "مرحبا\u{200f}! 👩\u{200d}💻"),
            ("\u{202e}\0", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(title_line(text), expected, "{text:?}");
        }
    }
}
