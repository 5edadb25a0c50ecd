//! The document of the plan that is followed.

use crate::context::error::ContextError;
use crate::context::fence::closed;
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::spec::PackSpec;
use crate::context::transcript::one_line;
use crate::model::pack::{Mode, SectionId};

pub(super) struct PlanDocument;

impl Section for PlanDocument {
    fn id(&self) -> SectionId {
        SectionId::PlanDocument
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Share { weight_tenths: 20, min_chars: 1_000, max_chars: Some(6_000) }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let Some(plan) = cx.plan.as_ref().map_err(Clone::clone)? else { return Ok(None) };
        let document = plan.document.trim();
        if document.is_empty() {
            return Ok(None);
        }
        let heading = format!("## Plan document: {}\n\n", one_line(&plan.body.title));
        Ok(Some(Part { source_ids: vec![plan.id.0], ..Part::text(heading, closed(document)) }))
    }
}
