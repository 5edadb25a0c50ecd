//! Whole searches over projects in temporary folders.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::compare::PROGRESS_EVERY;
use super::*;
use crate::model::code::{CodePassage, CodeSource};

fn query(terms: &[&str]) -> CodeQuery {
    let mut query = CodeQuery::new(terms.iter().map(|term| (*term).to_owned()).collect());
    query.deadline = Duration::from_secs(20);
    query
}

fn run(search: &mut CodeSearch, root: &Path, query: &CodeQuery) -> CodeFound {
    search.search(root, query, &AtomicBool::new(false), &mut |_| {})
}

fn find(root: &Path, terms: &[&str]) -> CodeFound {
    run(&mut CodeSearch::default(), root, &query(terms))
}

fn paths(found: &CodeFound) -> Vec<&str> {
    let mut paths: Vec<&str> = found.passages.iter().map(|passage| passage.path.as_str()).collect();
    paths.sort_unstable();
    paths
}

struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            project.write(path, text.as_bytes());
        }
        project
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let full = self.0.path().join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, bytes).unwrap();
    }

    /// A file that says to be so large and takes no space.
    fn sparse(&self, path: &str, bytes: u64) {
        self.write(path, b"needle");
        let file = std::fs::OpenOptions::new().write(true).open(self.0.path().join(path)).unwrap();
        file.set_len(bytes).unwrap();
    }

    fn root(&self) -> &Path {
        self.0.path()
    }
}

const NEEDLE: &str = "fn needle() {}\n";

#[test]
fn ignore_files_are_honoured_with_and_without_a_repository() {
    let files = [
        ("src/a.rs", NEEDLE),
        ("out/b.rs", NEEDLE),
        ("sub/keep.rs", NEEDLE),
        ("sub/drop.rs", NEEDLE),
        ("sub/deep/kept.rs", NEEDLE),
        ("other.rs", NEEDLE),
        (".hidden/c.rs", NEEDLE),
        (".gitignore", "out/\nkept.rs\n"),
        ("sub/.gitignore", "drop.rs\n!deep/kept.rs\n"),
        (".ignore", "other.rs\n"),
    ];
    let project = Project::new(&files);
    let wanted = ["src/a.rs", "sub/deep/kept.rs", "sub/keep.rs"];
    assert_eq!(paths(&find(project.root(), &["needle"])), wanted);
    std::fs::create_dir(project.root().join(".git")).unwrap();
    project.write(".git/info/exclude", b"keep.rs\n");
    assert_eq!(paths(&find(project.root(), &["needle"])), ["src/a.rs", "sub/deep/kept.rs"]);
    // A project below the repository's top is under its rules as well.
    assert_eq!(paths(&find(&project.root().join("sub"), &["needle"])), ["deep/kept.rs"]);
}

#[test]
fn a_project_that_is_ignored_itself_is_searched() {
    let project = Project::new(&[(".gitignore", "*\n"), (".git/HEAD", ""), ("mine/a.rs", NEEDLE)]);
    assert_eq!(paths(&find(&project.root().join("mine"), &["needle"])), ["a.rs"]);
}

#[test]
fn build_output_is_left_out_where_nothing_says_so() {
    let mut files = vec![("src/a.rs", NEEDLE), ("src/build.rs", NEEDLE), ("app/vendor/v.rs", NEEDLE)];
    for folder in ["target", "build", "dist", "web/node_modules/x", "py/__pycache__", "py/venv"] {
        files.push((Box::leak(format!("{folder}/x.rs").into_boxed_str()), NEEDLE));
    }
    let project = Project::new(&files);
    assert_eq!(paths(&find(project.root(), &["needle"])), ["app/vendor/v.rs", "src/a.rs", "src/build.rs"]);
    // With an ignore file, only folders that show what they are.
    project.write(".gitignore", b"*.log\n");
    project.write("Cargo.toml", b"[package]\n");
    project.write("caches/CACHEDIR.TAG", b"Signature");
    project.write("caches/x.rs", NEEDLE.as_bytes());
    let found = find(project.root(), &["needle"]);
    assert_eq!(paths(&found), ["app/vendor/v.rs", "build/x.rs", "dist/x.rs", "src/a.rs", "src/build.rs"]);
}

#[test]
fn files_of_many_gigabytes_are_never_opened() {
    let project = Project::new(&[("src/a.rs", NEEDLE), (".gitignore", "target\n")]);
    project.sparse("target/huge.rs", 16 << 30);
    project.sparse("loose/huge.rs", 16 << 30);
    project.sparse("loose/edge.rs", 1_000_001);
    project.write("loose/fits.txt", &[b'a'; 1_000_000]);
    let begun = Instant::now();
    let found = find(project.root(), &["needle"]);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert_eq!(paths(&found), ["src/a.rs"]);
    assert_eq!((found.skipped.too_large, found.read_files), (2, 2));
    assert!(found.read_bytes < 1_100_000, "{}", found.read_bytes);
}

#[test]
fn binary_and_machine_made_files_are_counted_not_shown() {
    let squeezed = format!("function needle(){{{}}}", "a=1;".repeat(5_000));
    let project = Project::new(&[
        ("a.rs", NEEDLE),
        ("Cargo.lock", NEEDLE),
        ("x.min.js", NEEDLE),
        ("x.js", &squeezed),
        ("pic.png", NEEDLE),
        ("data.rs", "needle\0needle"),
    ]);
    let found = find(project.root(), &["needle"]);
    assert_eq!(paths(&found), ["a.rs"]);
    assert_eq!((found.skipped.binary, found.skipped.machine_made), (2, 3));
    assert_eq!(found.looked_at_files, 1);
}

#[test]
fn links_are_not_followed() {
    let outside = Project::new(&[("secret.rs", NEEDLE)]);
    let project = Project::new(&[("a/a.rs", NEEDLE)]);
    symlink(project.root(), project.root().join("a/loop")).unwrap();
    symlink(outside.root(), project.root().join("away")).unwrap();
    symlink(outside.root().join("secret.rs"), project.root().join("secret.rs")).unwrap();
    symlink("nowhere", project.root().join("dangling.rs")).unwrap();
    let found = find(project.root(), &["needle"]);
    assert_eq!(paths(&found), ["a/a.rs"]);
    // The chosen folder itself may be a link.
    let link = outside.root().join("link");
    symlink(project.root(), &link).unwrap();
    assert_eq!(paths(&find(&link, &["needle"])), ["a/a.rs"]);
}

#[test]
fn what_can_not_be_read_is_counted() {
    let project = Project::new(&[("a.rs", NEEDLE), ("shut/b.rs", NEEDLE), ("c.rs", NEEDLE)]);
    let set = |path: &str, mode| {
        std::fs::set_permissions(project.root().join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set("shut", 0o000);
    set("c.rs", 0o000);
    // The superuser reads everything.
    let all_powerful = std::fs::read_dir(project.root().join("shut")).is_ok();
    let found = find(project.root(), &["needle"]);
    set("shut", 0o755);
    if all_powerful {
        assert_eq!(found.skipped.unreadable, 0);
    } else {
        assert_eq!((paths(&found), found.skipped.unreadable), (vec!["a.rs"], 2));
    }
    let gone = find(&project.root().join("gone"), &["needle"]);
    assert_eq!(gone.notes, [CodeNote::NoFolder]);
    assert_eq!(find(&project.root().join("a.rs"), &["needle"]).notes, [CodeNote::NoFolder]);
    assert_eq!(find(project.root(), &[]).notes, [CodeNote::NoTerms]);
    assert_eq!(find(project.root(), &["?!"]).notes, [CodeNote::NoTerms]);
}

#[test]
fn limits_stop_and_say_so() {
    let files: Vec<(String, String)> = (0..50).map(|n| (format!("f{n:02}.rs"), NEEDLE.repeat(10))).collect();
    let refs: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let project = Project::new(&refs);
    let mut asked = query(&["needle"]);
    asked.limits.max_files = 10;
    let found = run(&mut CodeSearch::default(), project.root(), &asked);
    assert_eq!(
        (found.looked_at_files, found.notes.as_slice()),
        (10, &[CodeNote::StoppedAfterFiles { limit: 10 }][..])
    );

    let mut asked = query(&["needle"]);
    asked.limits.max_read_bytes = 1_000;
    let mut search = CodeSearch::default();
    let found = run(&mut search, project.root(), &asked);
    let [CodeNote::StoppedAfterBytes { limit: 1_000, files_left }] = found.notes[..] else {
        panic!("{found:?}")
    };
    assert_eq!(found.looked_at_files + files_left, 50);
    // The next search goes on where this one stopped.
    let again = run(&mut search, project.root(), &asked);
    assert!(again.looked_at_files > found.looked_at_files, "{again:?}");

    let mut asked = query(&["needle"]);
    asked.deadline = Duration::ZERO;
    let found = run(&mut CodeSearch::default(), project.root(), &asked);
    let none = CodeNote::NotAllListed { listed_files: 0 };
    assert_eq!((found.notes, found.looked_at_files), (vec![none], 0));
}

#[test]
fn cancel_ends_it_empty() {
    let files: Vec<(String, String)> = (0..600).map(|n| (format!("f{n}.rs"), NEEDLE.into())).collect();
    let refs: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let project = Project::new(&refs);
    let cancel = AtomicBool::new(false);
    let mut seen = Vec::new();
    let found = CodeSearch::default().search(project.root(), &query(&["needle"]), &cancel, &mut |at| {
        seen.push(at);
        cancel.store(true, Ordering::Relaxed);
    });
    assert_eq!((found.notes.as_slice(), found.passages.len()), (&[CodeNote::Cancelled][..], 0));
    assert_eq!((seen.len(), found.looked_at_files), (1, PROGRESS_EVERY));
    assert_eq!(seen.first().map(|at| (at.listed_files, at.looked_at_files)), Some((600, PROGRESS_EVERY)));
}

#[test]
fn changes_are_seen_and_a_second_search_reads_nothing() {
    let project = Project::new(&[("a.rs", NEEDLE), ("b.rs", "fn other() {}\n")]);
    let mut search = CodeSearch::default();
    let first = run(&mut search, project.root(), &query(&["needle"]));
    assert_eq!((first.read_files, first.looked_at_files, first.source), (2, 2, CodeSource::Own));
    let second = run(&mut search, project.root(), &query(&["needle"]));
    assert_eq!((second.read_files, second.looked_at_files), (0, 2));
    assert_eq!(first.passages, second.passages);
    project.write("b.rs", b"fn changed_needle() {}\n");
    std::fs::remove_file(project.root().join("a.rs")).unwrap();
    let third = run(&mut search, project.root(), &query(&["needle"]));
    assert_eq!((third.read_files, paths(&third)), (1, vec!["b.rs"]));
    assert!(search.memory_bytes() > 0);
    search.rebuild(project.root());
    assert_eq!(search.memory_bytes(), 0);
    assert_eq!(run(&mut search, project.root(), &query(&["needle"])).read_files, 1);
    let mut forgetful = CodeSearch::with_memory(0);
    for _ in 0..2 {
        assert_eq!(run(&mut forgetful, project.root(), &query(&["needle"])).read_files, 1);
    }
}

#[test]
fn the_best_passage_comes_first_and_says_why() {
    let project = Project::new(&[
        ("src/auth.rs", "/// Checks it.\nfn check_token(token: &str) -> bool {\n    token.len() > 3\n}\n"),
        ("src/use.rs", "fn main() {\n    if check_token(\"x\") {}\n}\n"),
        ("tests/auth.rs", "#[test]\nfn check_token_works() {\n    check_token(\"x\");\n}\n"),
        ("docs/auth.md", "# Auth\n\ncheck_token checks the token.\n"),
        ("src/near.rs", "fn a() {\n    token();\n}\n\nfn b() {\n    token();\n}\n"),
    ]);
    let found = find(project.root(), &["check_token", "auth"]);
    let best = found.passages.first().unwrap();
    assert_eq!((best.path.as_str(), best.start_line, best.end_line), ("src/auth.rs", 1, 4));
    assert_eq!(best.why.to_string(), "defines check_token; path auth; has check_token");
    assert_eq!(
        found,
        CodeFound { elapsed_ms: found.elapsed_ms, ..find(project.root(), &["check_token", "auth"]) }
    );
    let near = find(project.root(), &["near.rs", "token"]);
    let merged = near.passages.iter().find(|passage| passage.path == "src/near.rs").unwrap();
    assert_eq!((merged.start_line, merged.end_line, merged.name.as_deref()), (1, 7, Some("a, b")));
    let named = find(project.root(), &["src/use.rs"]);
    assert_eq!(named.passages.first().map(|passage| passage.path.as_str()), Some("src/use.rs"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn passages_fit_lie_on_lines_and_never_overlap(
        files in proptest::collection::vec(proptest::collection::vec(0_u8..9, 0..60), 1..5),
        budget_chars in 0_usize..1_500,
        max_passages in 0_usize..8,
    ) {
        let texts: Vec<String> = files.iter().map(|lines| lines.iter().map(|line| match line {
            0 => "    needle();\n",
            1 => "fn made() {\n",
            2 | 3 => "}\n",
            4 => "// 주석 needle 인증\n",
            5 => "\n",
            6 => "impl Big {\n",
            _ => "    let plain = 1;\n",
        }).collect()).collect();
        let project = Project::new(&[]);
        for (n, text) in texts.iter().enumerate() {
            project.write(&format!("f{n}.rs"), text.as_bytes());
        }
        let asked = CodeQuery { budget_chars, max_passages, ..query(&["needle", "인증"]) };
        let found = run(&mut CodeSearch::default(), project.root(), &asked);
        prop_assert!(found.passages.iter().map(CodePassage::cost_chars).sum::<usize>() <= budget_chars);
        prop_assert!(found.passages.len() <= max_passages);
        for (at, passage) in found.passages.iter().enumerate() {
            let n: usize = passage.path.get(1..2).unwrap().parse().unwrap();
            let lines: Vec<&str> = texts[n].lines().collect();
            let (first, last) = (passage.start_line as usize, passage.end_line as usize);
            prop_assert!(first >= 1 && first <= last && last <= lines.len());
            if passage.cut_lines == 0 {
                prop_assert_eq!(&passage.text, &lines[first - 1..last].join("\n"));
            } else {
                let is_line = |line: &str| line.starts_with('…') || lines.contains(&line);
                prop_assert!(passage.text.split('\n').all(is_line));
            }
            for other in &found.passages[at + 1..] {
                let apart = other.end_line < passage.start_line || passage.end_line < other.start_line;
                prop_assert!(other.path != passage.path || apart, "{:?}", found.passages);
            }
        }
    }
}
