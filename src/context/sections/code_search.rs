//! Passages of the project's code that match the request; found beforehand.

use crate::context::error::ContextError;
use crate::context::fence::fenced;
use crate::context::items::{Item, Items};
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::spec::PackSpec;
use crate::context::transcript::one_line;
use crate::model::code::CodePassage;
use crate::model::pack::{Mode, SectionId};

pub(super) struct CodePassages;

impl Section for CodePassages {
    fn id(&self) -> SectionId {
        SectionId::CodeSearch
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Share { weight_tenths: 8, min_chars: 500, max_chars: Some(3_000) }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let Some(found) = &cx.spec.found.code else { return Ok(None) };
        let items: Vec<Item> = found.passages.iter().map(item).collect();
        let notes: Vec<String> = found.notes.iter().map(ToString::to_string).collect();
        let list = Items { items, noun: "passage", joint: "\n\n" };
        let part = if found.passages.is_empty() {
            Part::default()
        } else {
            Part::items("## Code that may matter\n\n", list)
        };
        Ok(Some(Part { notes, ..part }))
    }
}

fn item(passage: &CodePassage) -> Item {
    let name = passage.name.as_deref().map(one_line).filter(|name| !name.is_empty());
    let name = name.map(|name| format!(", {name}")).unwrap_or_default();
    let place = format!("{}:{}-{}", one_line(&passage.path), passage.start_line, passage.end_line);
    let block = fenced(&passage.text);
    // The language stands behind the fence, where there is one.
    let block = match block.split_once('\n') {
        Some((fence, rest)) if fence.starts_with('`') => format!("{fence}{}\n{rest}", passage.language),
        _ => block,
    };
    Item { text: format!("### `{place}`{name}\n\n{block}"), ..Item::default() }
}
