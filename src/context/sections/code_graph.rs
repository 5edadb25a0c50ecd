//! What the current change touches; found beforehand.

use crate::context::error::ContextError;
use crate::context::fence::closed;
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::spec::PackSpec;
use crate::model::pack::{Mode, SectionId};

pub(super) struct CodeGraph;

impl Section for CodeGraph {
    fn id(&self) -> SectionId {
        SectionId::CodeGraph
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Share { weight_tenths: 6, min_chars: 300, max_chars: Some(2_000) }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let text = cx.spec.found.graph.as_deref().map(str::trim).filter(|text| !text.is_empty());
        Ok(text.map(|text| Part::text("## What the current change touches\n\n", closed(text))))
    }
}
