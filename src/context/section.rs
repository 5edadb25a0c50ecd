//! One part of a pack.

use crate::context::error::ContextError;
use crate::context::history::{Fitted, History};
use crate::context::spec::PackSpec;
use crate::context::trim::{chars, grouped, keep_head};
use crate::model::message::Message;
use crate::model::pack::{Mode, SectionId};
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

    /// Room it takes to say all of it.
    pub fn len_chars(&self) -> usize {
        let rest = match &self.trimmable {
            Trimmable::Nothing => 0,
            Trimmable::Text { text, .. } => chars(text),
            Trimmable::History(history) => history.len_chars(),
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
                Fitted { text: rest.text, cut: cut_words(rest.cut_chars), source_ids: Vec::new() }
            }
            Trimmable::History(history) => history.fit(rest_chars),
        };
        fitted.text.insert_str(0, &head.text);
        fitted.source_ids.extend(&self.source_ids);
        fitted
    }
}

fn cut_words(cut_chars: usize) -> String {
    match cut_chars {
        0 => String::new(),
        1 => "1 character".to_owned(),
        _ => format!("{} characters", grouped(cut_chars)),
    }
}
