//! One part of a pack.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use crate::context::error::ContextError;
use crate::context::history::{Fact, Fitted, History};
use crate::context::items::Items;
use crate::context::skills::{ChosenSkills, choose_parts};
use crate::context::spec::PackSpec;
use crate::context::trim::{chars, grouped, keep_head};
use crate::model::message::Message;
use crate::model::pack::{Mode, SectionId};
use crate::model::plan::Plan;
use crate::model::skill::SkillDoc;
use crate::store::ReadDb;

/// One section: says what it wants, and loads what it has to say.
pub trait Section: Sync {
    fn id(&self) -> SectionId;

    /// Decided without reading anything.
    fn wants(&self, spec: &PackSpec, mode: Mode) -> Want;

    /// `None` = nothing to say: the section is absent.
    ///
    /// # Errors
    /// Whatever went wrong becomes a line in the report; the pack goes out without this section.
    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError>;

    /// One line that says what there is, for agents that are told no more of it; `None` = there is nothing.
    ///
    /// # Errors
    /// As [`Section::load`].
    fn line(&self, _cx: &SectionCx<'_>) -> Result<Option<String>, ContextError> {
        Ok(None)
    }
}

/// What a section wants of the budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// It does not take part; the reason goes into the report.
    Skip(String),
    /// Served before the shared room is handed out.
    Fixed { max_chars: usize },
    /// A share: see [`crate::context::budget::allocate`]. `max_chars: None` = no maximum.
    Share { weight_tenths: u32, min_chars: usize, max_chars: Option<usize> },
}

/// What a section may read.
pub struct SectionCx<'a> {
    pub spec: &'a PackSpec,
    pub mode: Mode,
    pub db: &'a ReadDb,
    /// The newest messages before the request, newest first: all there are, when fewer than
    /// [`NEWEST_MESSAGES`].
    pub newest: &'a Result<Vec<Message>, ContextError>,
    /// The last message with words of each agent before the request, newest first.
    pub last_words: &'a Result<Vec<Message>, ContextError>,
    /// The active plan of the conversation.
    pub plan: &'a Result<Option<Plan>, ContextError>,
    /// No section can get more than this; reading further is in vain.
    pub room_chars: usize,
}

/// How many messages are read for all sections at once.
pub const NEWEST_MESSAGES: u32 = 16;

/// What a section has to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Comes first and is cut last, e.g. the heading with the facts without which the rest means nothing.
    pub required: String,
    pub trimmable: Trimmable,
    pub source_ids: Vec<i64>,
    /// What the engine's session holds of it, one line each. A part that is nothing else is absent.
    pub held: Vec<String>,
    /// Lines for the report.
    pub notes: Vec<String>,
}

/// The half of a part that may shrink.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trimmable {
    #[default]
    Nothing,
    /// Shrinks from its end. `adjective` names in the mark which items went, e.g. `more`.
    Text {
        text: String,
        adjective: &'static str,
    },
    History(Box<History>),
    Items(Items),
    Skills(Box<SkillText>),
}

/// Skills of which the parts that match are told; with less room, fewer of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillText {
    pub prompt: String,
    pub docs: Vec<SkillDoc>,
    /// Most that is told of all.
    pub max_chars: usize,
    /// For each of `docs` the passages of code that are its own text, or lie in its folder.
    pub passages: Vec<Vec<Fact>>,
}

impl SkillText {
    fn fit(&self, budget_chars: usize) -> Fitted {
        let all = choose_parts(&self.prompt, &self.docs, self.max_chars);
        let text = all.text();
        let all_chars = chars(&text);
        if all_chars <= budget_chars {
            return Fitted { text, told: self.told(&all), ..Fitted::default() };
        }
        let some = choose_parts(&self.prompt, &self.docs, budget_chars);
        let text = some.text();
        let cut = cut_words(all_chars.saturating_sub(chars(&text)).max(1));
        Fitted { text, cut, told: self.told(&some), ..Fitted::default() }
    }

    fn told(&self, chosen: &ChosenSkills) -> Vec<Fact> {
        let shown = chosen.skills.iter().filter_map(|skill| self.passages.get(skill.doc));
        shown.flatten().copied().collect()
    }
}

impl Part {
    /// A part that is told whole or cut as a last resort.
    pub fn required(text: impl Into<String>) -> Self {
        Self { required: text.into(), ..Self::default() }
    }

    /// A heading with a text that may shrink.
    pub fn text(required: impl Into<String>, text: impl Into<String>) -> Self {
        let trimmable = Trimmable::Text { text: text.into(), adjective: "more" };
        Self { required: required.into(), trimmable, ..Self::default() }
    }

    /// A heading with items of which as many are told as fit.
    pub fn items(required: impl Into<String>, items: Items) -> Self {
        Self { required: required.into(), trimmable: Trimmable::Items(items), ..Self::default() }
    }

    /// Takes out what is told already elsewhere; returns how much went.
    pub fn drop_told(&mut self, told: &BTreeSet<Fact>) -> usize {
        match &mut self.trimmable {
            Trimmable::Items(items) => items.drop_told(told),
            Trimmable::Nothing | Trimmable::Text { .. } | Trimmable::History(_) | Trimmable::Skills(_) => 0,
        }
    }

    /// The heading alone would say nothing.
    pub fn is_emptied(&self) -> bool {
        matches!(&self.trimmable, Trimmable::Items(items) if items.items.is_empty()) && self.is_heading_only()
    }

    fn is_heading_only(&self) -> bool {
        self.required.trim().lines().count() <= 1
    }

    /// SHA-256 of all it has to say, in hex: equal for parts that would tell the same.
    pub fn hash(&self) -> String {
        let mut sha = Sha256::new();
        let mut take = |text: &str| {
            sha.update((text.len() as u64).to_le_bytes());
            sha.update(text.as_bytes());
        };
        take(&self.required);
        match &self.trimmable {
            Trimmable::Nothing => {}
            Trimmable::Text { text, .. } => take(text),
            Trimmable::History(history) => {
                take(&history.heading);
                history.entries.iter().for_each(|entry| take(&entry.text));
            }
            Trimmable::Items(items) => items.items.iter().for_each(|item| {
                take(&item.group);
                take(&item.text);
            }),
            Trimmable::Skills(skills) => take(&skills.fit(skills.max_chars).text),
        }
        hex(sha)
    }

    /// Room it takes to say all of it.
    pub fn len_chars(&self) -> usize {
        let rest = match &self.trimmable {
            Trimmable::Nothing => 0,
            Trimmable::Text { text, .. } => chars(text),
            Trimmable::History(history) => history.len_chars(),
            Trimmable::Items(items) => items.len_chars(),
            Trimmable::Skills(skills) => chars(&skills.fit(skills.max_chars).text),
        };
        chars(&self.required) + rest
    }

    /// As much of it as fits, never more than `budget_chars`.
    pub fn fit(&self, budget_chars: usize) -> Fitted {
        let head = keep_head(&self.required, budget_chars, "more");
        let rest_chars = budget_chars.saturating_sub(chars(&head.text));
        let mut fitted = match &self.trimmable {
            _ if head.cut_chars > 0 => Fitted { cut: cut_words(head.cut_chars), ..Fitted::default() },
            Trimmable::Nothing => Fitted::default(),
            Trimmable::Text { text, adjective } => {
                let rest = keep_head(text, rest_chars, adjective);
                Fitted { text: rest.text, cut: cut_words(rest.cut_chars), ..Fitted::default() }
            }
            Trimmable::History(history) => history.fit(rest_chars),
            Trimmable::Items(items) => items.fit(rest_chars),
            Trimmable::Skills(skills) => skills.fit(rest_chars),
        };
        let is_list = matches!(self.trimmable, Trimmable::Items(_) | Trimmable::Skills(_));
        if is_list && fitted.text.is_empty() && self.is_heading_only() {
            return Fitted { cut: fitted.cut, ..Fitted::default() };
        }
        fitted.text.insert_str(0, &head.text);
        fitted.source_ids.extend(&self.source_ids);
        fitted
    }
}

/// As lower-case hexadecimal digits.
pub(in crate::context) fn hex(sha: Sha256) -> String {
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn cut_words(cut_chars: usize) -> String {
    match cut_chars {
        0 => String::new(),
        1 => "1 character".to_owned(),
        _ => format!("{} characters", grouped(cut_chars)),
    }
}
