//! Past passages of the project that match the request; found beforehand.

use crate::context::error::ContextError;
use crate::context::fence::closed;
use crate::context::items::{Item, Items};
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::sections::quoted_names;
use crate::context::spec::PackSpec;
use crate::context::transcript::one_line;
use crate::model::knowledge::PassageHit;
use crate::model::pack::{Mode, SectionId};

pub(super) struct Retrieval;

impl Section for Retrieval {
    fn id(&self) -> SectionId {
        SectionId::Retrieval
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Share { weight_tenths: 12, min_chars: 500, max_chars: Some(5_000) }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let items: Vec<Item> = cx.spec.found.retrieval.iter().map(item).collect();
        if items.is_empty() {
            return Ok(None);
        }
        let list = Items { items, noun: "passage", joint: "\n\n" };
        Ok(Some(Part::items("## Past passages that may matter\n\n", list)))
    }

    fn line(&self, cx: &SectionCx<'_>) -> Result<Option<String>, ContextError> {
        let hits = &cx.spec.found.retrieval;
        Ok(quoted_names("past passage", hits.iter().map(|hit| hit.title.as_str())))
    }
}

fn item(hit: &PassageHit) -> Item {
    let mut head = format!("### From “{}”", one_line(&hit.title));
    let speakers = one_line(&hit.speakers);
    if !speakers.is_empty() {
        head.push_str(&format!(", {speakers}"));
    }
    Item {
        id: hit.id,
        text: format!("{head}\n\n{}", closed(hit.text.trim())),
        messages: hit.messages.iter().map(|message| message.0).collect(),
        ..Item::default()
    }
}
