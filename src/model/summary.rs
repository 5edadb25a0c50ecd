//! An agent's summary of a branch: what is asked for, how far it has come, and its draft.

use crate::model::id::{ConversationId, MessageId, TurnId};
use crate::model::message::Message;
use crate::model::positions::Spoken;
use crate::model::project::SeatChoice;
use crate::model::sentences::ends;
use crate::model::turn::{TurnFailure, Usage};

/// Longest summary an agent is asked for, in Unicode characters. More is kept, and offered.
pub const SUMMARY_MAX_CHARS: usize = 1_200;

/// Everything the runtime needs to have a branch summarised.
#[derive(Clone, Debug, PartialEq)]
pub struct SummarySpec {
    /// Names this request; nothing is kept under it.
    pub run: TurnId,
    pub branch: ConversationId,
    /// The conversation it starts from.
    pub parent: ConversationId,
    pub seat: SeatChoice,
    pub unwritten: Unwritten,
}

/// What a reader of the store may not see yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unwritten {
    pub newer: Vec<Message>,
    pub gone: Vec<MessageId>,
}

impl Unwritten {
    /// What the store holds under this id is old.
    #[must_use]
    pub fn replaces(&self, id: MessageId) -> bool {
        self.gone.contains(&id) || self.newer.iter().any(|message| message.id == id)
    }

    /// Its messages that were not taken out.
    pub fn standing(&self) -> impl Iterator<Item = &Message> {
        self.newer.iter().filter(|message| !self.gone.contains(&message.id))
    }
}

/// How far a request has come.
#[derive(Clone, Debug, PartialEq)]
pub enum SummaryEvent {
    /// Which part is read now, and of how many; `part` above `parts` = they are put together.
    Part {
        part: u32,
        parts: u32,
    },
    /// All that has come of the newest answer; replaces what came before.
    Text(String),
    /// Totals over all parts so far.
    Usage(Usage),
    /// The whole answer.
    Done(String),
    Failed(TurnFailure),
}

/// What can be adopted without asking anybody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummarySources {
    /// The last words of each agent that spoke, the newest first.
    pub spoken: Vec<Spoken>,
    /// Each one's position, as a Markdown list; empty when no agent spoke.
    pub positions: String,
}

/// A draft that fits, cut behind a sentence, and the whole text where it was cut.
pub fn fit(text: &str, max_chars: usize) -> (String, Option<String>) {
    let text = text.trim();
    if text.chars().count() <= max_chars {
        return (text.to_owned(), None);
    }
    let limit = text.char_indices().nth(max_chars).map_or(text.len(), |(byte, _)| byte);
    let end = text_ends(text).into_iter().take_while(|end| *end <= limit).last();
    let cut = match end {
        Some(end) => text.get(..end).unwrap_or_default().trim_end().to_owned(),
        None => {
            let room =
                text.char_indices().nth(max_chars.saturating_sub(1)).map_or(text.len(), |(byte, _)| byte);
            let head = text.get(..room).unwrap_or_default();
            let whole_word = text.get(room..).is_some_and(|rest| rest.starts_with(char::is_whitespace));
            let word = head.rfind(char::is_whitespace).filter(|_| !whole_word).and_then(|at| head.get(..at));
            format!("{}…", word.unwrap_or(head).trim_end())
        }
    };
    (cut, Some(text.to_owned()))
}

/// Where sentences, list items and paragraphs of Markdown end; nothing ends within a code block.
fn text_ends(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut found = Vec::new();
    let (mut at, mut fenced) = (0, false);
    for (number, line) in lines.iter().enumerate() {
        let words = line.trim_end();
        if words.trim_start().starts_with("```") || words.trim_start().starts_with("~~~") {
            fenced = !fenced;
            if !fenced {
                found.push(at + words.len());
            }
        } else if !fenced && !words.trim().is_empty() {
            found.extend(ends(words).into_iter().map(|end| at + end));
            let next = lines.get(number + 1).map_or("", |next| next.trim());
            let begins = next.is_empty()
                || next.starts_with(['-', '*', '+', '#', '>'])
                || next.starts_with(|ch: char| ch.is_ascii_digit());
            let leads = words.trim_start().starts_with('#') || words.ends_with(':');
            if begins && !leads && found.last() != Some(&(at + words.len())) {
                found.push(at + words.len());
            }
        }
        at += line.len();
    }
    found
}

/// Adds what one part took to the total. What no part told stays untold; the window is that of the newest.
pub fn add_usage(total: &Usage, part: &Usage) -> Usage {
    let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
    };
    let cost_usd = match (total.cost_usd, part.cost_usd) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0.0) + b.unwrap_or(0.0)),
    };
    Usage {
        input_tokens: sum(total.input_tokens, part.input_tokens),
        cached_input_tokens: sum(total.cached_input_tokens, part.cached_input_tokens),
        output_tokens: sum(total.output_tokens, part.output_tokens),
        reasoning_tokens: sum(total.reasoning_tokens, part.reasoning_tokens),
        cost_usd,
        window_tokens: part.window_tokens.or(total.window_tokens),
        window_used_tokens: part.window_used_tokens.or(total.window_used_tokens),
    }
}

#[cfg(test)]
mod tests {
    use super::{Usage, add_usage, fit};

    #[test]
    fn a_draft_ends_with_a_sentence() {
        let cases = [
            ("Short.", 20, "Short.", false),
            ("One two. Three four. Five.", 20, "One two. Three four.", true),
            ("One two. Three four. Five.", 19, "One two.", true),
            ("a b c d e f g", 8, "a b c d…", true),
            ("abcdefghij", 5, "abcd…", true),
            ("- one\n- two\n- three", 12, "- one\n- two", true),
            ("## Head\n\nWords here. Then more words.", 22, "## Head\n\nWords here.", true),
            ("Text.\n```\ncode. Code.\n```\nEnd.", 20, "Text.", true),
            ("Text.\n\nReasons:\n- a very long one", 18, "Text.", true),
            ("첫째. 둘째. 셋째.", 8, "첫째. 둘째.", true),
            ("一つ。二つ。三つ。", 7, "一つ。二つ。", true),
        ];
        for (text, max, draft, over) in cases {
            let (cut, whole) = fit(text, max);
            assert_eq!((cut.as_str(), whole.is_some()), (draft, over), "{text}");
            assert!(cut.chars().count() <= max, "{text}");
            assert!(whole.is_none_or(|whole| whole == text));
        }
    }

    #[test]
    fn usage_adds_up_and_untold_stays_untold() {
        let one =
            Usage { input_tokens: Some(2), cost_usd: Some(0.5), window_tokens: Some(9), ..Usage::default() };
        let two = Usage { input_tokens: Some(3), output_tokens: Some(1), ..Usage::default() };
        let sum = add_usage(&one, &two);
        assert_eq!((sum.input_tokens, sum.output_tokens, sum.reasoning_tokens), (Some(5), Some(1), None));
        assert_eq!((sum.cost_usd, sum.window_tokens), (Some(0.5), Some(9)));
    }
}
