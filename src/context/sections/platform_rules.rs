//! What every agent should know about being asked from here.

use crate::context::error::ContextError;
use crate::context::roles::PLATFORM;
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::spec::PackSpec;
use crate::model::pack::{Mode, SectionId};

pub(super) struct PlatformRules;

impl Section for PlatformRules {
    fn id(&self) -> SectionId {
        SectionId::PlatformRules
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Fixed { max_chars: 1_500 }
    }

    fn load(&self, _cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        Ok(Some(Part::required(format!("## Rules\n\n{}", PLATFORM.trim()))))
    }
}
