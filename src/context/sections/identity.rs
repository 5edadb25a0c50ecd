//! Who the agent is. The only section that knows the engine.

use crate::context::error::ContextError;
use crate::context::fence::closed;
use crate::context::roles::persona_text;
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::spec::PackSpec;
use crate::context::transcript::one_line;
use crate::model::pack::{Mode, SectionId};

/// Most of it, for every engine: the room of the other sections is reckoned with this, so that a longer
/// engine name takes nothing from them.
pub(in crate::context) const MAX_CHARS: usize = 1_500;

pub(super) struct Identity;

impl Section for Identity {
    fn id(&self) -> SectionId {
        SectionId::Identity
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Fixed { max_chars: MAX_CHARS }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let seat = &cx.spec.seat;
        let mut text = format!("## You\n\nYou are {} (engine `{}`", one_line(&seat.engine_name), seat.engine);
        let told = |value: &Option<String>| value.as_deref().map(one_line).filter(|value| !value.is_empty());
        if let Some(model) = told(&seat.model) {
            text.push_str(&format!(", model `{model}`"));
        }
        text.push(')');
        if let Some(role) = told(&seat.role) {
            text.push_str(&format!(", here as {role}"));
        }
        text.push('.');
        Ok(Some(match persona(cx.spec) {
            None => Part::required(text),
            Some(persona) => Part::text(format!("{text}\n\n"), closed(persona)),
        }))
    }
}

/// The text that was found for the persona, or the built-in one of that name, or else its words themselves.
fn persona(spec: &PackSpec) -> Option<&str> {
    let words = spec.seat.persona.as_deref().map(str::trim).filter(|persona| !persona.is_empty())?;
    let found = spec.persona_text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    Some(found.or_else(|| persona_text(words)).unwrap_or(words))
}
