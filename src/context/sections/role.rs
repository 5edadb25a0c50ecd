//! The duty the agent has, from a built-in text or the project's own.

use crate::context::error::ContextError;
use crate::context::fence::closed;
use crate::context::roles::role_text;
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::spec::PackSpec;
use crate::context::transcript::one_line;
use crate::model::pack::{Mode, SectionId};

pub(super) struct Role;

fn text_of(spec: &PackSpec) -> Option<(String, &str)> {
    let name = spec.seat.role.as_deref().map(one_line).filter(|name| !name.is_empty())?;
    let own = spec.role_text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let text = own.or_else(|| role_text(&name))?;
    Some((name, text))
}

impl Section for Role {
    fn id(&self) -> SectionId {
        SectionId::Role
    }

    fn wants(&self, spec: &PackSpec, _mode: Mode) -> Want {
        match (&spec.seat.role, text_of(spec)) {
            (_, Some(_)) => Want::Fixed { max_chars: 3_000 },
            (Some(name), None) if !name.trim().is_empty() => {
                Want::Skip(format!("there is no text for the role {}", one_line(name)))
            }
            (_, None) => Want::Skip("no role chosen".to_owned()),
        }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        Ok(text_of(cx.spec).map(|(name, text)| Part::text(format!("## Role: {name}\n\n"), closed(text))))
    }
}
