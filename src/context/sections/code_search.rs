//! Passages of the project's code that match the request; found beforehand.

use crate::context::error::ContextError;
use crate::context::fence::fenced;
use crate::context::history::Fact;
use crate::context::items::{Item, Items};
use crate::context::rounds::squeezed;
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::spec::PackSpec;
use crate::context::transcript::one_line;
use crate::context::trim::chars;
use crate::model::code::CodePassage;
use crate::model::pack::{Mode, SectionId};

/// Shorter ones may stand anywhere by chance; what is new of them is where they are.
const QUOTE_CHARS_MIN: usize = 60;

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
        let mut items: Vec<Item> =
            found.passages.iter().enumerate().map(|(at, passage)| item(at, passage)).collect();
        let mut notes: Vec<String> = found.notes.iter().map(ToString::to_string).collect();
        if items.iter().any(|item| !item.quote.is_empty()) {
            let prompt = squeezed(&cx.spec.prompt);
            items.retain(|item| item.quote.is_empty() || !prompt.contains(&item.quote));
        }
        let in_prompt = found.passages.len() - items.len();
        if in_prompt > 0 {
            notes.push(format!("{in_prompt} left out: in the request itself"));
        }
        let list = Items { items, noun: "passage", joint: "\n\n" };
        let part = if list.items.is_empty() {
            Part::default()
        } else {
            Part::items("## Code that may matter\n\n", list)
        };
        Ok(Some(Part { notes, ..part }))
    }
}

fn item(at: usize, passage: &CodePassage) -> Item {
    let name = passage.name.as_deref().map(one_line).filter(|name| !name.is_empty());
    let name = name.map(|name| format!(", {name}")).unwrap_or_default();
    let place = format!("{}:{}-{}", one_line(&passage.path), passage.start_line, passage.end_line);
    let block = fenced(&passage.text);
    // The language stands behind the fence, where there is one.
    let block = match block.split_once('\n') {
        Some((fence, rest)) if fence.starts_with('`') => format!("{fence}{}\n{rest}", passage.language),
        _ => block,
    };
    let mut quote = squeezed(&passage.text);
    if chars(&quote) < QUOTE_CHARS_MIN {
        quote.clear();
    }
    let text = format!("### `{place}`{name}\n\n{block}");
    Item { text, fact: Some(Fact::Passage(at)), quote, ..Item::default() }
}
