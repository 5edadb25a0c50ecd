//! Summaries by topic of what the window no longer shows.

use crate::context::error::ContextError;
use crate::context::fence::closed;
use crate::context::items::{Item, Items};
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::sections::quoted_names;
use crate::context::spec::PackSpec;
use crate::context::transcript::one_line;
use crate::model::knowledge::Topic;
use crate::model::pack::{Mode, SectionId};

/// Topics that are looked at.
const ROWS_MAX: usize = 50;

pub(super) struct Memory;

impl Section for Memory {
    fn id(&self) -> SectionId {
        SectionId::CompressedMemory
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Share { weight_tenths: 10, min_chars: 500, max_chars: Some(4_000) }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let items: Vec<Item> = topics(cx)?.iter().map(item).collect();
        if items.is_empty() {
            return Ok(None);
        }
        let list = Items { items, noun: "topic", joint: "\n" };
        Ok(Some(Part::items("## Compressed conversation memory\n", list)))
    }

    fn line(&self, cx: &SectionCx<'_>) -> Result<Option<String>, ContextError> {
        Ok(quoted_names("memory topic", topics(cx)?.iter().map(|topic| topic.body.name.as_str())))
    }
}

/// Pinned ones first, then the newest.
fn topics(cx: &SectionCx<'_>) -> Result<Vec<Topic>, ContextError> {
    let mut topics = cx.db.topics(cx.spec.conversation, ROWS_MAX)?;
    topics.sort_by_key(|topic| !topic.pinned);
    Ok(topics)
}

fn item(topic: &Topic) -> Item {
    let body = &topic.body;
    let lines: Vec<&str> =
        body.lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let mut text = format!("### Topic: {} ({})", one_line(&body.name), one_line(&body.phase));
    if !lines.is_empty() {
        text.push_str(&format!("\n{}", closed(&lines.join("\n"))));
    }
    if body.extractive {
        text.push_str("\n[first sentences, not a summary]");
    }
    Item {
        id: topic.id.0,
        text,
        messages: body.messages.iter().map(|message| message.0).collect(),
        ..Item::default()
    }
}
