//! Whole functions in every language with a grammar, at the right lines.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{CodeQuery, CodeSearch};
use crate::model::code::CodeFound;

fn search(root: &Path, terms: &[&str]) -> CodeFound {
    let mut query = CodeQuery::new(terms.iter().map(|term| (*term).to_owned()).collect());
    query.deadline = Duration::from_secs(30);
    CodeSearch::default().search(root, &query, &AtomicBool::new(false), &mut |_| {})
}

/// One file, the word looked for, and the lines and name of the best passage.
fn shows(file: &str, text: &str, term: &str, wanted: (u32, u32, Option<&str>)) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), text).unwrap();
    let found = search(folder.path(), &[term]);
    let Some(best) = found.passages.first() else { panic!("{file}: nothing for {term}") };
    assert_eq!(
        (best.start_line, best.end_line, best.name.as_deref()),
        wanted,
        "{file}: {term}\n{}",
        best.text
    );
    let lines: Vec<&str> = text.lines().collect();
    let whole = lines[best.start_line as usize - 1..best.end_line as usize].join("\n");
    assert_eq!(best.text, whole, "{file}");
    assert_eq!(best.cut_lines, 0);
    assert_eq!(best.path, file);
}

/// Enough lines that a container is not shown whole.
fn filler(comment: &str) -> String {
    (0..50).map(|n| format!("{comment} filler {n}\n")).collect()
}

#[test]
fn rust() {
    let text = format!(
        "use std::fmt;\n\nstruct Other;\n\n/// Opens it.\n#[must_use]\npub fn open_door(key: u8) -> bool {{\n    key == 7\n}}\n\n\
         impl Other {{\n    fn first(&self) {{}}\n\n{}    /// Doc.\n    async fn ring_bell(&self) {{\n        let chime = 1;\n    }}\n}}\n",
        filler("    //")
    );
    shows("a.rs", &text, "open_door", (5, 9, Some("open_door")));
    shows("a.rs", &text, "key", (5, 9, Some("open_door")));
    shows("a.rs", &text, "chime", (14, 67, Some("ring_bell")));
    shows("b.rs", "macro_rules! gate {\n    () => {\n    };\n}\n", "gate", (1, 4, Some("gate")));
    shows("c.rs", "impl<T> Wrap<T> {\n    fn small(&self) {}\n}\n", "small", (1, 3, Some("Wrap")));
    shows("d.rs", "enum Shade {\n    Pale,\n    Dark,\n}\n", "pale", (1, 4, Some("Shade")));
}

#[test]
fn python() {
    let text = "import os\n\n@cached\n@other(1)\ndef load_page(url):\n    \"\"\"Doc.\"\"\"\n    def inner():\n        return 1\n    return fetch(url)\n\n\nclass Small:\n    def go(self):\n        pass\n";
    shows("a.py", text, "load_page", (3, 9, Some("load_page")));
    shows("a.py", text, "inner", (3, 9, Some("load_page")));
    shows("a.py", text, "go", (12, 14, Some("Small")));
}

#[test]
fn javascript() {
    let text = "import x from 'y';\n\n// Says.\nexport function sayWord(word) {\n  return word;\n}\n\nexport const drawLine = (a, b) => {\n  return a + b;\n};\n\nclass Box {\n  fill() { return ink; }\n}\n";
    shows("a.js", text, "sayWord", (3, 6, Some("sayWord")));
    shows("a.js", text, "draw_line", (8, 10, Some("drawLine")));
    shows("a.jsx", text, "ink", (12, 14, Some("Box")));
}

#[test]
fn typescript() {
    let text = "interface Shape {\n  area: number;\n}\n\nexport abstract class Host {\n  private run = async () => {\n    return spark;\n  };\n}\n\ntype Kind = 'pear' | 'plum';\n\nexport enum Mood {\n  Glad,\n}\n";
    shows("a.ts", text, "area", (1, 3, Some("Shape")));
    shows("a.ts", text, "spark", (5, 9, Some("Host")));
    shows("a.ts", text, "plum", (11, 11, Some("Kind")));
    shows("a.ts", text, "glad", (13, 15, Some("Mood")));
    shows(
        "a.tsx",
        "export const Page = () => {\n  return <div className=\"tall\" />;\n};\n",
        "tall",
        (1, 3, Some("Page")),
    );
}

#[test]
fn go() {
    let text = "package main\n\n// Start begins.\nfunc (s *Server) Start(port int) error {\n\treturn listen(port)\n}\n\ntype Server struct {\n\tName string\n}\n";
    shows("a.go", text, "start", (3, 6, Some("Start")));
    shows("a.go", text, "name", (8, 10, Some("Server")));
}

#[test]
fn java() {
    let text = format!(
        "package a;\n\npublic class Shop {{\n{}    @Override\n    public int countItems() {{\n        return basket.size();\n    }}\n}}\n",
        filler("    //").replace("//", "int a;//")
    );
    shows("Shop.java", &text, "basket", (54, 57, Some("countItems")));
}

#[test]
fn c_and_cpp() {
    let text = "#include <stdio.h>\n\n/* Adds. */\nstatic char **\nadd_all(int *list, int n)\n{\n    return sum;\n}\n\ntypedef struct {\n    int width;\n} Size;\n\nstruct node {\n    int weight;\n};\n";
    shows("a.c", text, "sum", (3, 8, Some("add_all")));
    shows("a.c", text, "width", (10, 12, Some("Size")));
    shows("a.c", text, "weight", (14, 16, Some("node")));
    let text = "namespace geo {\n\ntemplate <typename T>\nT Area<T>::measure(T t) {\n  return t;\n}\n\nclass Disc : public Round {\n public:\n  double radius() const { return half; }\n};\n}\n";
    shows("a.cpp", text, "measure", (1, 12, Some("geo")));
    let text = format!(
        "namespace geo {{\n{}\ntemplate <typename T>\nT Area<T>::measure(T t) {{\n  return t;\n}}\n}}\n",
        filler("int a;//")
    );
    shows("b.hpp", &text, "measure", (53, 56, Some("Area")));
}

#[test]
fn unknown_languages_and_broken_code_give_lines_around() {
    let text: String =
        (0..40).map(|n| if n == 20 { "needle\n".into() } else { format!("line {n}\n") }).collect();
    shows("a.kt", &text, "needle", (17, 25, None));
    shows("notes", &text, "needle", (17, 25, None));
    let broken = format!("fn fine() {{\n    needle();\n}}\n\n}}}}}} fn (((( {}", "{ \n".repeat(3_000));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.rs"), broken).unwrap();
    let found = search(folder.path(), &["needle"]);
    assert!(
        found.passages.first().is_some_and(|passage| passage.start_line <= 2 && passage.end_line >= 2),
        "{found:?}"
    );
}

#[test]
fn korean_and_line_ends() {
    shows("a.py", "# 머리말\n\ndef 로그인(사용자):\n    return 사용자\n", "로그인", (3, 4, Some("로그인")));
    shows("b.rs", "fn a() {}\n\n/// 인증처리를 한다.\nfn check() {\n}\n", "인증", (3, 5, Some("check")));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.rs"), "fn one() {\r\n    let two = 2;\r\n}\r\n").unwrap();
    std::fs::write(folder.path().join("b.rs"), b"// caf\xe9\nfn espresso() {\n}\n").unwrap();
    let found = search(folder.path(), &["two"]);
    assert_eq!(found.passages.first().unwrap().text, "fn one() {\n    let two = 2;\n}");
    let found = search(folder.path(), &["espresso"]);
    assert_eq!(found.passages.first().unwrap().text, "// caf\u{fffd}\nfn espresso() {\n}");
}
