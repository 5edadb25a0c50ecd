//! The gist of linked conversations: what was decided, their topics, the last words.

use crate::context::error::ContextError;
use crate::context::history::Fact;
use crate::context::items::{Item, Items};
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::sections::{bullet, quoted_names};
use crate::context::spec::PackSpec;
use crate::context::transcript::{label, one_line};
use crate::model::pack::{Mode, SectionId};
use crate::model::project::Conversation;

/// Links that are followed.
const LINKS_MAX: usize = 8;
/// Lines of each kind for each conversation.
const LINES_MAX: usize = 3;

pub(super) struct CrossSession;

impl Section for CrossSession {
    fn id(&self) -> SectionId {
        SectionId::CrossSession
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Share { weight_tenths: 6, min_chars: 300, max_chars: Some(3_000) }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let mut items: Vec<Item> = Vec::new();
        for conversation in linked(cx)? {
            items.extend(gist(cx, &conversation)?);
        }
        let hints = hinted(cx)?;
        items.extend(hints.iter().filter_map(hint));
        if items.is_empty() {
            return Ok(None);
        }
        let list = Items { items, noun: "line", joint: "\n" };
        Ok(Some(Part::items("## Linked conversations\n\n", list)))
    }

    fn line(&self, cx: &SectionCx<'_>) -> Result<Option<String>, ContextError> {
        let mut known = linked(cx)?;
        known.extend(hinted(cx)?);
        Ok(quoted_names("linked conversation", known.iter().map(|one| one.title.as_str())))
    }
}

/// Linked conversations of this project that are still there, the newest first.
fn linked(cx: &SectionCx<'_>) -> Result<Vec<Conversation>, ContextError> {
    let mut out = Vec::new();
    for link in cx.db.links_from(cx.spec.conversation, LINKS_MAX)? {
        let there = cx.db.conversation(link.linked)?;
        out.extend(there.filter(|one| {
            one.project == cx.spec.project && one.id != cx.spec.conversation && !is_kept_apart(one)
        }));
    }
    Ok(out)
}

/// The user said that nobody else is to find it; a link does not stand above that. What was adopted of it is an
/// agreement of its parent.
fn is_kept_apart(conversation: &Conversation) -> bool {
    conversation.branch.as_ref().is_some_and(|branch| branch.facts.shared == Some(false))
}

/// Active branches of this conversation whose hint the user lets its agents know.
fn hinted(cx: &SectionCx<'_>) -> Result<Vec<Conversation>, ContextError> {
    let mut hinted = cx.db.branches_of(cx.spec.conversation)?;
    hinted.retain(|one| hint(one).is_some());
    hinted.truncate(LINKS_MAX);
    Ok(hinted)
}

/// What an open branch leans to, when it may be told.
fn hint(branch: &Conversation) -> Option<Item> {
    let facts = &branch.branch.as_ref()?.facts;
    let gist = facts.gist.as_ref().filter(|_| facts.hint && facts.hint_told)?;
    let group = format!("### {}", one_line(&branch.title));
    let text = bullet(&format!("Open branch of this conversation, nothing decided yet; leans to: {gist}"));
    Some(Item { id: branch.id.0, group, text, ..Item::default() })
}

fn gist(cx: &SectionCx<'_>, conversation: &Conversation) -> Result<Vec<Item>, ContextError> {
    let group = format!("### {}", one_line(&conversation.title));
    let mut items = Vec::new();
    for agreement in cx.db.agreements_of(conversation.id, LINES_MAX)? {
        items.push(Item {
            id: agreement.id.0,
            group: group.clone(),
            text: bullet(&format!("Decided: {}", agreement.body.text.trim())),
            fact: Some(Fact::Agreement(agreement.id.0)),
            messages: agreement.body.message.iter().map(|message| message.0).collect(),
            ..Item::default()
        });
    }
    for topic in cx.db.topics(conversation.id, LINES_MAX)? {
        let gist = topic.body.lines.iter().map(|line| one_line(line)).find(|line| !line.is_empty());
        let gist = gist.map(|gist| format!(": {gist}")).unwrap_or_default();
        let text = format!("- Topic {}{gist}", one_line(&topic.body.name));
        items.push(Item { id: topic.id.0, group: group.clone(), text, ..Item::default() });
    }
    for message in cx.db.last_by_speaker(conversation.id, i64::MAX)?.iter().take(LINES_MAX) {
        let text = format!("- Last word of {}: {}", label(&message.author), one_line(&message.plain_text()));
        items.push(Item {
            id: message.id.0,
            group: group.clone(),
            text,
            messages: vec![message.id.0],
            ..Item::default()
        });
    }
    Ok(items)
}
