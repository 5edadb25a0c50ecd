//! The context pack: what an agent is told, and the report about it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How much goes into a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Lite,
    Standard,
    Full,
}

impl Mode {
    pub const ALL: [Self; 3] = [Self::Lite, Self::Standard, Self::Full];

    pub fn label(self) -> &'static str {
        match self {
            Self::Lite => "Lite",
            Self::Standard => "Standard",
            Self::Full => "Full",
        }
    }

    /// Reads `lite`, `Standard`, … ; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.label().eq_ignore_ascii_case(text.trim()))
    }
}

/// How what an agent may need now and then (skills, memory, other conversations) reaches it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Supply {
    /// All that fits is told beforehand.
    Push,
    /// A little is told, the rest can be asked for.
    #[default]
    Hybrid,
    /// One line each says what there is and how to ask for it.
    Pull,
}

impl Supply {
    pub const ALL: [Self; 3] = [Self::Push, Self::Hybrid, Self::Pull];

    pub fn label(self) -> &'static str {
        match self {
            Self::Push => "Push",
            Self::Hybrid => "Hybrid",
            Self::Pull => "Pull",
        }
    }

    /// Reads `push`, `Hybrid`, … ; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|supply| supply.label().eq_ignore_ascii_case(text.trim()))
    }
}

/// Why a mode was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModeReason {
    UserOverride,
    LongConversation,
    HasPlan,
    Default,
}

impl ModeReason {
    pub fn label(self) -> &'static str {
        match self {
            Self::UserOverride => "user-override",
            Self::LongConversation => "long-conversation",
            Self::HasPlan => "has-plan",
            Self::Default => "default",
        }
    }
}

/// The sections of a pack, in pack order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SectionId {
    Project,
    PlatformRules,
    Role,
    Identity,
    Participants,
    ThreadInheritance,
    Recent,
    Plan,
    PlanDocument,
    Findings,
    Agreements,
    Artifacts,
    Retrieval,
    CompressedMemory,
    Skills,
    CodeSearch,
    CodeGraph,
    CrossSession,
}

impl SectionId {
    /// Human name, as in the inspector and in `tunaflow context`.
    pub fn label(self) -> &'static str {
        match self {
            Self::Project => "Project",
            Self::PlatformRules => "Platform rules",
            Self::Role => "Role",
            Self::Identity => "Identity",
            Self::Participants => "Participants",
            Self::ThreadInheritance => "Thread inheritance",
            Self::Recent => "Recent conversation",
            Self::Plan => "Plan",
            Self::PlanDocument => "Plan document",
            Self::Findings => "Findings",
            Self::Agreements => "Agreements",
            Self::Artifacts => "Artifacts",
            Self::Retrieval => "Retrieval",
            Self::CompressedMemory => "Compressed memory",
            Self::Skills => "Skills",
            Self::CodeSearch => "Code search",
            Self::CodeGraph => "Code graph",
            Self::CrossSession => "Linked conversations",
        }
    }
}

/// One section as it goes out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackSection {
    pub id: SectionId,
    /// Exact text, heading included.
    pub text: String,
}

/// The assembled context for one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextPack {
    /// In pack order; sections with nothing to say are absent.
    pub sections: Vec<PackSection>,
    pub report: PackReport,
}

impl ContextPack {
    /// All sections in one text, separated by a blank line.
    pub fn text(&self) -> String {
        let parts: Vec<&str> = self.sections.iter().map(|section| section.text.as_str()).collect();
        parts.join("\n\n")
    }
}

/// What went into a pack, what was cut, and why. Lengths are Unicode characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackReport {
    pub mode: Mode,
    pub mode_reason: ModeReason,
    pub budget_chars: u32,
    /// Sum over all sections, separators included.
    pub total_chars: u32,
    pub sections: Vec<SectionReport>,
    /// Sections left out, each with its reason.
    pub left_out: Vec<LeftOut>,
    /// What the engine's own session already holds, one line each; empty for a fresh session.
    pub held_by_session: Vec<String>,
    /// What the user should know of single sections beside that, one line each.
    #[serde(default)]
    pub notes: Vec<SectionNote>,
    /// SHA-256 over project, rules, role and identity as they are now, sent or held, hex.
    /// Kept with the engine's session: while it stays equal they need not be sent again.
    #[serde(default)]
    pub fixed_hash: String,
    /// SHA-256 of each other section that the engine's session holds after this delivery, sent now or before.
    #[serde(default)]
    pub told: BTreeMap<SectionId, String>,
    /// SHA-256 over all sections but identity, hex: equal for every engine given the same spec.
    pub parity_hash: String,
    /// SHA-256 over everything, hex.
    pub hash: String,
    pub assembly_micros: u64,
}

/// One section's line in the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionReport {
    pub id: SectionId,
    pub chars: u32,
    /// An estimate: see `crate::context::estimate_tokens`.
    pub estimated_tokens: u32,
    /// What it was allowed; equals `chars` for fixed sections.
    pub budget_chars: u32,
    /// What it would take to say all it has to say, nothing cut. 0 in reports of older versions.
    #[serde(default)]
    pub want_chars: u32,
    /// What was cut, in words; empty when nothing was.
    pub cut: String,
    /// Ids of the rows it was made from, for tracing.
    pub source_ids: Vec<i64>,
}

/// A line about one section, e.g. that a search ended at its deadline.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SectionNote {
    pub id: SectionId,
    pub text: String,
}

/// A section that did not take part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub id: SectionId,
    pub why: String,
}
