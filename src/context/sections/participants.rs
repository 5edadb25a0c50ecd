//! Which agents have spoken, and how each one's latest message begins.
//!
//! All of them, the asked one too: leaving it out would give each engine another text.

use crate::context::error::ContextError;
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::spec::PackSpec;
use crate::context::transcript::one_line;
use crate::model::message::{Author, Message};
use crate::model::pack::{Mode, SectionId};

pub(super) struct Participants;

impl Section for Participants {
    fn id(&self) -> SectionId {
        SectionId::Participants
    }

    fn wants(&self, spec: &PackSpec, _mode: Mode) -> Want {
        if spec.held.is_some() {
            return Want::Skip("the session knows them; who is new is named beside each message".to_owned());
        }
        Want::Fixed { max_chars: 1_500 }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let all = cx.last_words.as_ref().map_err(Clone::clone)?;
        if all.is_empty() {
            return Ok(None);
        }
        let lines: Vec<String> = all.iter().filter_map(line).collect();
        let mut part = Part::text("## Agents in this conversation\n\n", lines.join("\n"));
        part.source_ids = all.iter().map(|message| message.id.0).collect();
        Ok(Some(part))
    }
}

fn line(message: &Message) -> Option<String> {
    let Author::Agent { engine, name, role, .. } = &message.author else { return None };
    let role = role.as_deref().map(one_line).filter(|role| !role.is_empty());
    let role = role.map(|role| format!(", {role}")).unwrap_or_default();
    let words = message.plain_text();
    let first = words.lines().find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or(&words);
    let first = first.trim_start_matches(['#', '>', ' ']);
    Some(format!("- {} ({engine}{role}), latest message: {}", one_line(name), one_line(first)))
}
