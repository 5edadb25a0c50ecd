//! The direction of imports, and what every room says of itself.

use std::fs;
use std::path::{Path, PathBuf};

/// Who may import whom. The same picture stands in the README.
const ALLOWED: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("os", &["model"]),
    ("api", &["model"]),
    ("store", &["model", "os"]),
    ("search", &["model", "os", "store"]),
    ("context", &["model", "store", "search"]),
    ("engine", &["model", "os"]),
    ("domain", &["model", "api"]),
    ("runtime", &["model", "os", "api", "store", "search", "context", "engine", "domain"]),
    ("ui", &["model", "api"]),
    ("cli", &["model", "api"]),
    ("bench", &["model", "os", "api", "store", "search", "context", "engine", "domain", "runtime", "ui"]),
];

/// Engine ids stand in the engines' own files and the registry only.
const ENGINE_IDS: &[&str] = &["\"claude\"", "\"codex\"", "\"gemini\"", "\"opencode\""];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return files };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The code of a line: what stands before a comment.
fn code(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code)
}

#[test]
fn imports_go_one_way() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (room, allowed) in ALLOWED {
        for file in rust_files(&source().join(room)) {
            seen += 1;
            let text = fs::read_to_string(&file).unwrap();
            for (number, line) in text.lines().enumerate() {
                let line = code(line);
                let mut at = |what: &str| wrong.push(format!("{}:{}: {what}", file.display(), number + 1));
                if line.contains("crate::{") {
                    at("one `use` names one room");
                }
                if line.contains("super::super") {
                    at("nobody climbs out sideways");
                }
                for rest in line.split("crate::").skip(1) {
                    let name: String =
                        rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    if name != *room && !allowed.contains(&name.as_str()) && !name.is_empty() {
                        at(&format!("{room} must not import {name}"));
                    }
                }
            }
        }
    }
    assert!(seen > 50, "only {seen} files were looked at");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_folder_of_rooms_is_in_the_picture() {
    for entry in fs::read_dir(source()).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_dir() {
            let name = entry.file_name().into_string().unwrap();
            assert!(ALLOWED.iter().any(|(room, _)| *room == name), "{name} has no line in the picture");
        }
    }
}

#[test]
fn every_room_says_what_it_is_for_and_what_never_comes_in() {
    for (room, _) in ALLOWED {
        let file = source().join(room).join("mod.rs");
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let docs: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(docs.contains("ever here"), "{room}/mod.rs does not say what is never here");
        assert!(docs.contains("Start "), "{room}/mod.rs does not say where to start");
    }
}

#[test]
fn no_engine_is_named_outside_its_own_room() {
    let mut wrong = Vec::new();
    for room in ["domain", "runtime", "context", "search", "store", "api", "model", "ui", "cli"] {
        for file in rust_files(&source().join(room)) {
            let text = fs::read_to_string(&file).unwrap();
            let product = text.split("#[cfg(test)]").next().unwrap_or_default();
            let is_test = file.to_str().is_some_and(|path| path.ends_with("_tests.rs"))
                || file.components().any(|part| {
                    part.as_os_str()
                        .to_str()
                        .is_some_and(|name| name.starts_with("test") || name == "fixtures.rs")
                });
            for (number, line) in product.lines().enumerate().filter(|_| !is_test) {
                if ENGINE_IDS.iter().any(|id| code(line).contains(id)) {
                    wrong.push(format!("{}:{}", file.display(), number + 1));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
