//! Texts the user pinned: their titles and how they begin.

use crate::context::error::ContextError;
use crate::context::fence::fenced;
use crate::context::items::{Item, Items};
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::spec::PackSpec;
use crate::context::transcript::one_line;
use crate::context::trim::{chars, grouped, prefix};
use crate::model::knowledge::ArtifactStart;
use crate::model::pack::{Mode, SectionId};

/// Artifacts that are looked at.
const ROWS_MAX: usize = 20;
/// How much of each is shown.
const PREVIEW_CHARS: usize = 400;
/// How much of each is read: blank lines at its start are passed over, and a cut never splits a character's signs.
const READ_CHARS: usize = 2 * PREVIEW_CHARS;

pub(super) struct Artifacts;

impl Section for Artifacts {
    fn id(&self) -> SectionId {
        SectionId::Artifacts
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Share { weight_tenths: 6, min_chars: 300, max_chars: Some(2_000) }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let pinned = cx.db.pinned_artifacts(cx.spec.project, ROWS_MAX, READ_CHARS)?;
        let items: Vec<Item> = pinned.iter().map(item).collect();
        if items.is_empty() {
            return Ok(None);
        }
        let list = Items { items, noun: "artifact", joint: "\n\n" };
        Ok(Some(Part::items("## Pinned artifacts\n\n", list)))
    }
}

fn item(artifact: &ArtifactStart) -> Item {
    let ArtifactStart { start: artifact, rest_chars } = artifact;
    let title = one_line(&artifact.body.title);
    let title = if title.is_empty() { "Without a title" } else { title.as_str() };
    let text = artifact.text.trim_start();
    // Blank at the very end is nothing that is left out.
    let text = if *rest_chars == 0 { text.trim_end() } else { text };
    let start = prefix(text, PREVIEW_CHARS).trim_end();
    let rest = chars(text) - chars(start) + rest_chars;
    let mut text = format!("### {title}");
    if !start.is_empty() {
        text.push_str(&format!("\n\n{}", fenced(start)));
    }
    if rest > 0 {
        text.push_str(&format!("\n\n… {} more characters of it", grouped(rest)));
    }
    Item {
        id: artifact.id.0,
        text,
        messages: artifact.body.message.iter().map(|message| message.0).collect(),
        ..Item::default()
    }
}
