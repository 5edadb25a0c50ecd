//! What a project is built with, told by the marker files in its top folders.

use std::collections::BTreeSet;
use std::path::Path;

use super::files::read_capped;

/// Folders looked into below the top one, and entries looked at in each.
const MAX_FOLDERS: usize = 64;
const MAX_ENTRIES: usize = 2000;
const MAX_MANIFEST_BYTES: u64 = 256 * 1024;
/// Folders full of other people's projects.
const SKIPPED: &[&str] =
    &["node_modules", "target", "vendor", "dist", "build", "venv", "third_party", "testdata"];

/// Marker files by whole name, in the order in which stacks are listed.
const BY_NAME: &[(&str, &str)] = &[
    ("Cargo.toml", "Rust"),
    ("tsconfig.json", "TypeScript"),
    ("package.json", "JavaScript"),
    ("deno.json", "TypeScript"),
    ("pyproject.toml", "Python"),
    ("requirements.txt", "Python"),
    ("setup.py", "Python"),
    ("Pipfile", "Python"),
    ("go.mod", "Go"),
    ("pom.xml", "Java"),
    ("build.gradle", "Java"),
    ("build.gradle.kts", "Kotlin"),
    ("build.sbt", "Scala"),
    ("Package.swift", "Swift"),
    ("Gemfile", "Ruby"),
    ("composer.json", "PHP"),
    ("mix.exs", "Elixir"),
    ("pubspec.yaml", "Dart"),
    ("build.zig", "Zig"),
    ("stack.yaml", "Haskell"),
    ("dune-project", "OCaml"),
    ("deps.edn", "Clojure"),
    ("project.clj", "Clojure"),
    ("rebar.config", "Erlang"),
    ("Project.toml", "Julia"),
    ("DESCRIPTION", "R"),
    ("CMakeLists.txt", "C/C++"),
    ("meson.build", "C/C++"),
    ("Makefile", "Make"),
    ("Dockerfile", "Docker"),
    ("flake.nix", "Nix"),
];
/// Marker files by ending.
const BY_ENDING: &[(&str, &str)] = &[
    ("csproj", "C#"),
    ("sln", "C#"),
    ("slnx", "C#"),
    ("fsproj", "F#"),
    ("vcxproj", "C/C++"),
    ("xcodeproj", "Swift"),
    ("cabal", "Haskell"),
    ("tf", "Terraform"),
];

/// The stacks of the project in `folder`, each once, in a fixed order; empty when none is known.
///
/// Looks at the folder and the folders in it, not deeper, and at a bounded number of entries.
#[must_use]
pub fn detect_stack(folder: &Path) -> Vec<&'static str> {
    let mut found = BTreeSet::new();
    let mut inside = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_ENTRIES) {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if is_folder && !name.starts_with('.') && !SKIPPED.contains(&name.as_ref()) {
            inside.push(entry.path());
        }
        mark(&entry.path(), &name, &mut found);
    }
    inside.sort();
    for folder in inside.into_iter().take(MAX_FOLDERS) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_ENTRIES) {
            mark(&entry.path(), &entry.file_name().to_string_lossy(), &mut found);
        }
    }
    if found.contains("TypeScript") {
        found.remove("JavaScript");
    }
    let mut listed = Vec::new();
    for (_, stack) in BY_NAME.iter().chain(BY_ENDING) {
        if found.remove(stack) {
            listed.push(*stack);
        }
    }
    listed
}

fn mark(path: &Path, name: &str, found: &mut BTreeSet<&'static str>) {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
    let by_name = BY_NAME.iter().find(|(marker, _)| *marker == name);
    let by_ending = || BY_ENDING.iter().find(|(marker, _)| Some(*marker) == ending);
    let Some((_, stack)) = by_name.or_else(by_ending) else { return };
    found.insert(stack);
    if name == "package.json"
        && read_capped(path, MAX_MANIFEST_BYTES)
            .is_ok_and(|(text, _)| String::from_utf8_lossy(&text).contains("\"typescript\""))
    {
        found.insert("TypeScript");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_name_the_stack() {
        type Files<'a> = &'a [(&'a str, &'a str)];
        let cases: [(Files<'_>, &[&str]); 8] = [
            (&[("Cargo.toml", "")], &["Rust"]),
            (&[("package.json", "{}")], &["JavaScript"]),
            (&[("package.json", r#"{"devDependencies":{"typescript":"5"}}"#)], &["TypeScript"]),
            (&[("web/package.json", "{}"), ("web/tsconfig.json", ""), ("go.mod", "")], &["TypeScript", "Go"]),
            (&[("app/App.csproj", ""), ("requirements.txt", "")], &["Python", "C#"]),
            (&[("a/b/Cargo.toml", "")], &[]),
            (&[("node_modules/package.json", "{}"), (".hidden/Gemfile", "")], &[]),
            (&[], &[]),
        ];
        for (files, wanted) in cases {
            let folder = tempfile::tempdir().unwrap();
            for (path, text) in files {
                let path = folder.path().join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            assert_eq!(detect_stack(folder.path()), wanted, "{files:?}");
        }
        assert!(detect_stack(Path::new("/does/not/exist")).is_empty());
    }
}
