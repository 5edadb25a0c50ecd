//! Parts of the skills in use that match the request; their texts are read beforehand.

use crate::context::error::ContextError;
use crate::context::section::{Part, Section, SectionCx, SkillText, Trimmable, Want};
use crate::context::sections::quoted_names;
use crate::context::skills::choose_parts;
use crate::context::spec::PackSpec;
use crate::context::trim::chars;
use crate::model::pack::{Mode, SectionId};

const MAX_CHARS: usize = 3_000;

const HEADING: &str = "## Skills\n\n";

pub(super) struct Skills;

impl Section for Skills {
    fn id(&self) -> SectionId {
        SectionId::Skills
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Share { weight_tenths: 10, min_chars: 500, max_chars: Some(MAX_CHARS) }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let (prompt, docs) = (&cx.spec.prompt, &cx.spec.found.skills);
        if docs.is_empty() {
            return Ok(None);
        }
        let max_chars = MAX_CHARS - chars(HEADING);
        let notes = choose_parts(prompt, docs, max_chars).report_lines();
        let text = SkillText { prompt: prompt.clone(), docs: docs.clone(), max_chars };
        let trimmable = Trimmable::Skills(Box::new(text));
        Ok(Some(Part { required: HEADING.to_owned(), trimmable, notes, ..Part::default() }))
    }

    fn line(&self, cx: &SectionCx<'_>) -> Result<Option<String>, ContextError> {
        Ok(quoted_names("skill", cx.spec.found.skills.iter().map(|doc| doc.skill.name.as_str())))
    }
}
