//! What a project keeps beside its conversations: findings, agreements, artifacts, topics, links.

use serde::{Deserialize, Serialize};

use crate::model::id::{
    AgreementId, ArtifactId, ConversationId, FindingId, MessageId, PlanId, ProjectId, TopicId,
};
use crate::model::plan::{Plan, words};

/// Longest text of an artifact that is kept, in Unicode characters.
pub const ARTIFACT_MAX_CHARS: usize = 1_000_000;

/// Something a review found, and later the lesson of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub id: FindingId,
    pub project: ProjectId,
    pub plan: Option<PlanId>,
    pub open: bool,
    pub updated_ms: i64,
    pub body: FindingBody,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FindingBody {
    pub text: String,
    pub severity: Severity,
    /// Relative to the project.
    pub file: Option<String>,
    /// From 1.
    pub line: Option<u32>,
    /// Number of the plan's step it is about.
    pub subtask: Option<u32>,
    /// How it was settled; empty while open.
    pub resolution: String,
    pub created_ms: i64,
}

words! {
    /// How bad a finding is.
    Severity {
        Minor = "minor", "Minor";
        Major = "major", "Major";
        Critical = "critical", "Critical";
    }
}

/// A decision that later requests should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    pub id: AgreementId,
    pub project: ProjectId,
    /// Where it holds first of all; others of the project hear of it with less weight.
    pub conversation: Option<ConversationId>,
    pub updated_ms: i64,
    pub body: AgreementBody,
}

/// What was decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgreementBody {
    pub text: String,
    pub made_by: MadeBy,
    /// The message that says it, when there is one.
    pub message: Option<MessageId>,
    pub created_ms: i64,
}

words! {
    /// Where a row came from.
    MadeBy {
        Hand = "hand", "By hand";
        Roundtable = "roundtable", "Roundtable";
        Adopt = "adopt", "Adopted branch";
        Suggested = "suggested", "Suggested";
    }
}

/// A text worth keeping: a design, a table, a snippet. Pinned ones are told to agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    pub id: ArtifactId,
    pub project: ProjectId,
    pub conversation: Option<ConversationId>,
    pub pinned: bool,
    pub updated_ms: i64,
    pub body: ArtifactBody,
    /// At most [`ARTIFACT_MAX_CHARS`].
    pub text: String,
}

/// An artifact of which only the beginning was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactStart {
    /// With no more of its text than was asked for.
    pub start: Artifact,
    /// How much more text there is.
    pub rest_chars: usize,
}

/// Facts about an artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ArtifactBody {
    pub title: String,
    /// Language of the text for colours, e.g. `rust`; empty = Markdown.
    pub language: String,
    /// The message it was taken from.
    pub message: Option<MessageId>,
    pub created_ms: i64,
}

/// `conversation` may know of `linked`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub conversation: ConversationId,
    pub linked: ConversationId,
    pub made_by: MadeBy,
    pub created_ms: i64,
}

/// One topic of a conversation's compressed memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    pub id: TopicId,
    pub conversation: ConversationId,
    pub pinned: bool,
    pub updated_ms: i64,
    pub body: TopicBody,
}

/// What a topic says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TopicBody {
    pub name: String,
    /// `exploration`, `planning`, `implementation`, `review`, `debugging`, `discussion`.
    pub phase: String,
    /// One line a speaker: `Alice (claude): gist with the reason`.
    pub lines: Vec<String>,
    /// The messages it stands for.
    pub messages: Vec<MessageId>,
    /// Made without a model: first sentences by speaker.
    pub extractive: bool,
}

/// A past passage that bears on a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassageHit {
    /// Row id of the passage.
    pub id: i64,
    pub conversation: ConversationId,
    /// Title of its conversation.
    pub title: String,
    /// Who speaks in it, e.g. `User, Alice (claude)`; empty when not known.
    pub speakers: String,
    /// The messages it was cut from.
    pub messages: Vec<MessageId>,
    /// Original text.
    pub text: String,
    /// Why it is there: ranks and age, in a few words; empty when not known.
    pub why: String,
}

/// A skill that was switched for a project or for one conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillSwitch {
    pub project: ProjectId,
    /// `None` = for the whole project. A conversation's own switch wins.
    pub conversation: Option<ConversationId>,
    pub skill: String,
    pub on: bool,
}

/// All that a project keeps beside its conversations, newest first in each list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Knowledge {
    pub plans: Vec<Plan>,
    pub findings: Vec<Finding>,
    pub agreements: Vec<Agreement>,
    pub artifacts: Vec<Artifact>,
    pub links: Vec<Link>,
    pub skills: Vec<SkillSwitch>,
}

/// Most rows of a list of [`Knowledge`] that are read at once.
pub const KNOWLEDGE_MAX_ROWS: usize = 1_000;
