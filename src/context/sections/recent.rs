//! What was said, newest part first; with a session that goes on, what it has not heard yet.

use std::collections::HashSet;

use crate::context::error::ContextError;
use crate::context::history::{Entry, History, MAX_PER_MESSAGE_CHARS, MESSAGE_OVERHEAD_CHARS};
use crate::context::section::{NEWEST_MESSAGES, Part, Section, SectionCx, Trimmable, Want};
use crate::context::spec::PackSpec;
use crate::context::transcript::{Detail, body, label, speaker};
use crate::context::trim::chars;
use crate::model::message::Message;
use crate::model::pack::{Mode, SectionId};

/// The newest messages, which keep tool results and long code blocks.
const UNPRUNED_MESSAGES: usize = 5;

/// Reading goes on in batches that double up to this.
const LARGEST_BATCH: u32 = 1_024;

const HEADING: &str = "## Recent conversation\n\nOldest first; who spoke stands in brackets.\n\n";
const NEW_HEADING: &str = "## New in the conversation since your last turn\n\n";

pub(super) struct Recent;

impl Section for Recent {
    fn id(&self) -> SectionId {
        SectionId::Recent
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Share { weight_tenths: 40, min_chars: 4_000, max_chars: None }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let since = cx.spec.held.as_ref().map(|held| held.delivered_seq);
        let mut window = Window::default();
        let exhausted = window.read(cx, since)?;
        for message in cx.last_words.as_ref().map_err(Clone::clone)? {
            if since.is_none_or(|since| message.seq > since) && !window.seen.contains(&message.id.0) {
                window.push_far(message);
            }
        }
        let mut held = Vec::new();
        let total = match since {
            _ if exhausted => Some(window.entries.len()),
            None => Some(before(cx)?.saturating_sub(window.silent).max(window.entries.len())),
            Some(_) => None,
        };
        if since.is_some() && exhausted {
            match before(cx)?.saturating_sub(window.seen.len()) {
                0 => {}
                1 => held.push("1 message".to_owned()),
                count => held.push(format!("{count} messages")),
            }
        }
        let heading = if since.is_some() { NEW_HEADING } else { HEADING };
        let history = History { heading: heading.to_owned(), entries: window.entries, total };
        Ok(Some(Part { trimmable: Trimmable::History(Box::new(history)), held, ..Part::default() }))
    }
}

/// Messages of the conversation before the request, as far as a count can tell.
fn before(cx: &SectionCx<'_>) -> Result<usize, ContextError> {
    let stored = usize::try_from(cx.db.message_count(cx.spec.conversation)?).unwrap_or(usize::MAX);
    Ok(stored.saturating_sub(usize::from(cx.spec.user_seq != i64::MAX)))
}

/// Messages as read so far, newest first.
#[derive(Default)]
struct Window {
    entries: Vec<Entry>,
    seen: HashSet<i64>,
    speakers: HashSet<String>,
    /// Messages with nothing to tell.
    silent: usize,
    /// Least room the entries take in the pack.
    cost_chars: usize,
}

impl Window {
    /// Reads back until the room is spent, the beginning is reached or the session holds the rest.
    /// True when nothing further back could be told.
    fn read(&mut self, cx: &SectionCx<'_>, since: Option<i64>) -> Result<bool, ContextError> {
        let mut limit = NEWEST_MESSAGES;
        let mut batch = cx.newest.clone()?;
        loop {
            let whole = u32::try_from(batch.len()).is_ok_and(|read| read >= limit);
            for message in &batch {
                if since.is_some_and(|since| message.seq <= since) {
                    return Ok(true);
                }
                self.push(message);
            }
            let Some(oldest) = batch.last().filter(|_| whole) else { return Ok(true) };
            if self.cost_chars >= cx.room_chars {
                return Ok(false);
            }
            limit = (limit * 2).min(LARGEST_BATCH);
            batch = cx.db.recent(cx.spec.conversation, oldest.seq, limit)?;
        }
    }

    fn push(&mut self, message: &Message) {
        self.seen.insert(message.id.0);
        let rank = self.entries.len();
        let last_word = self.is_last_word(message);
        let recent = rank < UNPRUNED_MESSAGES;
        let detail = match (recent, last_word) {
            (true, _) => Detail::Results,
            (false, true) => Detail::Words,
            (false, false) => Detail::Pruned,
        };
        let text = body(message, detail);
        if text.is_empty() {
            self.silent += 1;
            return;
        }
        // Pruning may have taken a long code block out of an agent's words.
        let has_all_words = detail != Detail::Pruned || text == body(message, Detail::Words);
        let slim = (recent && last_word).then(|| body(message, Detail::Words)).filter(|slim| *slim != text);
        let label = label(&message.author);
        self.cost_chars += chars(&label) + chars(&text).min(MAX_PER_MESSAGE_CHARS) + MESSAGE_OVERHEAD_CHARS;
        self.entries.push(Entry {
            id: message.id.0,
            rank: Some(rank),
            label,
            text,
            slim,
            last_word,
            has_all_words,
        });
    }

    /// The last word of an agent from before what was read.
    fn push_far(&mut self, message: &Message) {
        if !self.is_last_word(message) {
            return;
        }
        let (label, text) = (label(&message.author), body(message, Detail::Words));
        self.entries.push(Entry {
            id: message.id.0,
            rank: None,
            label,
            text,
            slim: None,
            last_word: true,
            has_all_words: true,
        });
    }

    /// True once for each agent: for its newest message with words.
    fn is_last_word(&mut self, message: &Message) -> bool {
        match speaker(&message.author) {
            Some(name) if !self.speakers.contains(name) && !message.plain_text().trim().is_empty() => {
                self.speakers.insert(name.to_owned())
            }
            _ => false,
        }
    }
}
