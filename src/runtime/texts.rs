//! Texts that the user or a project wrote beside the built-in ones: roles and personas. They are read, never written.

use std::path::{Path, PathBuf};

use crate::context::{persona_names, role_names};
use crate::model::project::TextNames;
use crate::os::named_texts::{named_text, text_names};
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
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
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
}
