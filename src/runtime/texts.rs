//! Texts that the user or a project wrote beside the built-in ones: roles and personas. What is
//! there is only read; a new one is made on the user's word.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::context::{persona_names, persona_text, role_names, role_text};
use crate::model::project::{TextKind, TextNames};
use crate::os::named_texts::{is_plain_name, named_text, text_names};
use crate::os::paths::DataPaths;

#[derive(Clone, Copy)]
pub(in crate::runtime) enum Kind {
    Role,
    Persona,
}

/// Where they are looked for, the nearest first: `.tunaflow/roles` of the project, `roles` of the user.
fn folders(paths: &DataPaths, project: Option<&Path>, kind: Kind) -> Vec<PathBuf> {
    let name = match kind {
        Kind::Role => "roles",
        Kind::Persona => "personas",
    };
    let of_project = project.map(|project| project.join(".tunaflow").join(name));
    of_project.into_iter().chain([paths.config_folder().join(name)]).collect()
}

/// All that can be picked: the built-in ones first, then those of the project and the user.
pub(in crate::runtime) fn names(paths: &DataPaths, project: Option<&Path>) -> TextNames {
    let found = |kind| text_names(&folders(paths, project, kind));
    TextNames { roles: role_names(&found(Kind::Role)), personas: persona_names(&found(Kind::Persona)) }
}

/// The text that the project or the user wrote under that name; `None` = use the built-in one.
pub(in crate::runtime) fn text(
    paths: &DataPaths,
    project: Option<&Path>,
    kind: Kind,
    name: Option<&str>,
) -> Option<String> {
    named_text(&folders(paths, project, kind), name?)
}

/// Makes the file of a project's own text and gives its path. One that is there is never touched.
///
/// # Errors
/// One line, fit to be shown: the name cannot be a file's, the file is there, or it cannot be written.
pub(in crate::runtime) fn make(
    project: &Path,
    kind: TextKind,
    name: &str,
    text: &str,
) -> Result<PathBuf, String> {
    if !is_plain_name(name) {
        return Err(format!("A {} is named by at most 60 letters, digits, spaces, - and _.", kind.word()));
    }
    let file = match kind {
        TextKind::Role => project.join(".tunaflow").join("roles").join(format!("{name}.md")),
        TextKind::Persona => project.join(".tunaflow").join("personas").join(format!("{name}.md")),
        TextKind::Skill => project.join(".agents").join("skills").join(folder_name(name)).join("SKILL.md"),
    };
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::AlreadyExists => format!("{} is there already. Edit it there.", file.display()),
        _ => format!("{} cannot be written: {error}.", file.display()),
    };
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut new = OpenOptions::new().write(true).create_new(true).open(&file).map_err(failed)?;
    new.write_all(draft(kind, name, text).as_bytes()).map_err(failed)?;
    Ok(file)
}

/// Folders of skills have no spaces, as the agents' own programs want it.
fn folder_name(name: &str) -> String {
    name.trim().to_lowercase().replace(' ', "-")
}

fn draft(kind: TextKind, name: &str, text: &str) -> String {
    let text = text.trim();
    let body = match (text.is_empty(), kind) {
        (false, _) => text.to_owned(),
        (true, TextKind::Role) => {
            role_text(name).or_else(|| role_text("Neutral")).unwrap_or_default().to_owned()
        }
        (true, TextKind::Persona) => persona_text(name)
            .unwrap_or("Say here how this persona speaks and what it cares about.")
            .to_owned(),
        (true, TextKind::Skill) => format!("# {name}\n\nSay here what an agent should know and do."),
    };
    if kind == TextKind::Skill && !body.starts_with("---") {
        let about = if text.is_empty() { "Say here when it is of use" } else { first_line(text) };
        return format!(
            "---\nname: {}\ndescription: \"{}\"\n---\n\n{body}\n",
            folder_name(name),
            about.replace('"', "'")
        );
    }
    format!("{body}\n")
}

/// The first line with words, without heading marks, at most 200 characters.
fn first_line(text: &str) -> &str {
    let line =
        text.lines().map(|line| line.trim_start_matches(['#', ' '])).find(|line| !line.trim().is_empty());
    let line = line.unwrap_or_default();
    line.char_indices().nth(200).map_or(line, |(at, _)| line.split_at(at).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_projects_text_goes_before_the_users() {
        let base = tempfile::tempdir().unwrap();
        let paths = DataPaths::new(Some(&base.path().join("data"))).unwrap();
        let project = base.path().join("project");
        for (path, text) in [
            ("project/.tunaflow/roles/Reviewer.md", "ours"),
            ("data/roles/Reviewer.md", "mine"),
            ("data/roles/Tester.md", "mine"),
            ("data/roles/Juggler.md", "three balls"),
            ("project/.tunaflow/personas/Poet.md", "in verse"),
        ] {
            let path = base.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = |project, kind, name| text(&paths, project, kind, Some(name));
        let here = Some(project.as_path());
        assert_eq!(found(here, Kind::Role, "Reviewer").as_deref(), Some("ours"));
        assert_eq!(found(here, Kind::Role, "tester").as_deref(), Some("mine"));
        assert_eq!(found(None, Kind::Role, "Reviewer").as_deref(), Some("mine"));
        assert_eq!(found(here, Kind::Role, "Writer"), None);
        assert_eq!(found(here, Kind::Persona, "poet").as_deref(), Some("in verse"));
        assert_eq!(found(here, Kind::Persona, "Speak in riddles; never say no."), None);
        assert_eq!(text(&paths, here, Kind::Role, None), None);
        let names = names(&paths, here);
        assert!(names.roles.ends_with(&["Juggler".to_owned()]), "{names:?}");
        assert!(names.personas.ends_with(&["Poet".to_owned()]), "{names:?}");
        assert_eq!(names.roles.iter().filter(|role| *role == "Reviewer").count(), 1);
    }

    #[test]
    fn a_new_text_is_found_at_once_and_never_replaces_another() {
        let base = tempfile::tempdir().unwrap();
        let paths = DataPaths::new(Some(&base.path().join("data"))).unwrap();
        let project = base.path().join("project");
        let here = Some(project.as_path());
        let file = make(&project, TextKind::Role, "Reviewer", "").unwrap();
        assert_eq!(file, project.join(".tunaflow/roles/Reviewer.md"));
        assert_eq!(text(&paths, here, Kind::Role, Some("Reviewer")).as_deref(), role_text("Reviewer"));
        make(&project, TextKind::Persona, "시인", "시로 말한다.").unwrap();
        assert_eq!(text(&paths, here, Kind::Persona, Some("시인")).as_deref(), Some("시로 말한다."));
        let skill = make(&project, TextKind::Skill, "Axum Rules", "# Axum \"0.8\"\n\nUse State.").unwrap();
        assert_eq!(skill, project.join(".agents/skills/axum-rules/SKILL.md"));
        let head = crate::context::skills::front_matter(&fs::read_to_string(&skill).unwrap());
        assert_eq!(head.name.as_deref(), Some("axum-rules"));
        fs::write(&file, "ours").unwrap();
        let again = make(&project, TextKind::Role, "Reviewer", "other").unwrap_err();
        assert!(again.contains("is there already"), "{again}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "ours");
        for name in ["", "../up", "a/b", "x".repeat(61).as_str()] {
            assert!(make(&project, TextKind::Role, name, "").is_err(), "{name}");
        }
    }
}
