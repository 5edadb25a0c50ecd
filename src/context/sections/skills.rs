//! Parts of the skills in use that match the request; their texts are read beforehand.

use crate::context::error::ContextError;
use crate::context::history::Fact;
use crate::context::section::{Part, Section, SectionCx, SkillText, Trimmable, Want};
use crate::context::sections::quoted_names;
use crate::context::skills::choose_parts;
use crate::context::spec::PackSpec;
use crate::context::trim::chars;
use crate::model::code::CodePassage;
use crate::model::pack::{Mode, SectionId};
use crate::model::skill::Skill;
use std::path::Path;

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
        let passages = passages(cx)?;
        let text = SkillText { prompt: prompt.clone(), docs: docs.clone(), max_chars, passages };
        let trimmable = Trimmable::Skills(Box::new(text));
        Ok(Some(Part { required: HEADING.to_owned(), trimmable, notes, ..Part::default() }))
    }

    fn line(&self, cx: &SectionCx<'_>) -> Result<Option<String>, ContextError> {
        Ok(quoted_names("skill", cx.spec.found.skills.iter().map(|doc| doc.skill.name.as_str())))
    }
}

/// For each skill the passages of code that it tells itself.
fn passages(cx: &SectionCx<'_>) -> Result<Vec<Vec<Fact>>, ContextError> {
    let code = cx.spec.found.code.as_ref().map(|code| code.passages.as_slice()).unwrap_or_default();
    if code.is_empty() {
        return Ok(Vec::new());
    }
    let Some(project) = cx.db.project(cx.spec.project)? else { return Ok(Vec::new()) };
    let of = |skill: &Skill| {
        let own = code.iter().enumerate().filter(|(_, passage)| is_of(skill, &project.path, passage));
        own.map(|(at, _)| Fact::Passage(at)).collect()
    };
    Ok(cx.spec.found.skills.iter().map(|doc| of(&doc.skill)).collect())
}

/// True for what lies in the skill's folder, and for its `SKILL.md` when a link led to the folder.
fn is_of(skill: &Skill, project: &Path, passage: &CodePassage) -> bool {
    let path = Path::new(&passage.path);
    if skill.dir.strip_prefix(project).is_ok_and(|inside| path.starts_with(inside)) {
        return true;
    }
    let folder = path.parent().and_then(Path::file_name);
    path.file_name().is_some_and(|name| name == "SKILL.md")
        && folder.is_some()
        && folder == skill.dir.file_name()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::code::CodeWhy;
    use crate::model::skill::SkillOrigin;

    #[test]
    fn a_skills_own_files() {
        let skill = |dir: &str| Skill {
            name: "x".into(),
            description: String::new(),
            dir: dir.into(),
            origin: SkillOrigin::Project,
            problem: None,
        };
        let passage = |path: &str| CodePassage {
            path: path.to_owned(),
            start_line: 1,
            end_line: 1,
            language: String::new(),
            name: None,
            text: String::new(),
            cut_lines: 0,
            score: 0.0,
            why: CodeWhy::default(),
        };
        let cases = [
            ("/p/skills/axum", "skills/axum/SKILL.md", true),
            ("/p/skills/axum", "skills/axum/more/routes.md", true),
            ("/p/skills/axum", "skills/axum-extra/SKILL.md", false),
            ("/p/.claude/skills/axum", "skills/axum/SKILL.md", true),
            ("/p/.claude/skills/axum", "skills/axum/routes.md", false),
            ("/home/u/.claude/skills/axum", "src/axum/mod.rs", false),
        ];
        for (dir, path, expected) in cases {
            assert_eq!(is_of(&skill(dir), Path::new("/p"), &passage(path)), expected, "{dir} {path}");
        }
    }
}
