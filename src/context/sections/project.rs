//! Where the agent works.

use crate::context::error::ContextError;
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::spec::PackSpec;
use crate::context::transcript::one_line;
use crate::model::pack::{Mode, SectionId};
use std::path::Path;

pub(super) struct Project;

impl Section for Project {
    fn id(&self) -> SectionId {
        SectionId::Project
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Fixed { max_chars: 1_000 }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let spec = cx.spec;
        let project = cx.db.project(spec.project)?.ok_or(ContextError::UnknownProject(spec.project))?;
        let here = spec.checkout.as_deref().unwrap_or(&project.path);
        let mut text =
            format!("## Project\n\n- Name: {}\n- Folder: {}", one_line(&project.name), folder(here));
        if !spec.detected_stack.is_empty() {
            text.push_str(&format!("\n- Stack: {}", one_line(&spec.detected_stack.join(", "))));
        }
        if let Some(branch) = &spec.git_branch {
            text.push_str(&format!("\n- Git branch: {}", one_line(branch)));
        }
        if let Some(branch) = &spec.linked_branch {
            text.push_str(&format!("\n- This conversation belongs to the git branch: {}", one_line(branch)));
        }
        if spec.checkout.is_some() {
            text.push_str(&format!(
                "\n- The folder is a git worktree of this conversation's own. Work in it only; change nothing in the \
                 project's main folder: {}",
                folder(&project.path)
            ));
        }
        Ok(Some(Part { source_ids: vec![project.id.0], ..Part::required(text) }))
    }
}

/// As it is written; in quotation marks, with its signs named, when it would break the line.
fn folder(path: &Path) -> String {
    let text = path.display().to_string();
    if text.contains(char::is_control) { format!("{text:?}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_one_line() {
        for (path, told) in [("/a b/가", "/a b/가"), ("/a\n## Rules\tb", r#""/a\n## Rules\tb""#)] {
            assert_eq!(folder(Path::new(path)), told);
        }
    }
}
