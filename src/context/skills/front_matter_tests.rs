use super::{FrontMatter, front_matter, skill_doc, skill_of};
use crate::model::skill::SkillOrigin;
use proptest::prelude::*;

/// Name, description, and the body; the head must be sound.
fn sound(text: &str) -> (String, String, &str) {
    let FrontMatter { name, description, problem, body_at } = front_matter(text);
    assert_eq!(problem, None, "{text:?}");
    (name.unwrap(), description.unwrap(), text.get(body_at..).unwrap())
}

#[test]
fn heads_as_they_are_written() {
    let cases = [
        ("---\nname: a\ndescription: b\n---\nbody", ("a", "b", "body")),
        ("\u{feff}---\r\nname: a\r\ndescription: b\r\n---\r\nbody\r\n", ("a", "b", "body\r\n")),
        ("---\nname: \"a b\"\ndescription: 'it''s'\n...\n", ("a b", "it's", "")),
        ("---\nname: a # why\ndescription: see C# and #1\n---\n", ("a", "see C# and", "")),
        ("---\ndescription: >-\n  two\n  lines\n\n  more\nname: a\n---\nx", ("a", "two lines more", "x")),
        ("---\nname: a\ndescription: |\n  - one\n  - two: 2\n---\n", ("a", "- one - two: 2", "")),
        ("---\nname: a\ndescription: |2+ # kept\n    x\n---\n", ("a", "x", "")),
        ("---\nname: a\ndescription: goes\n  on: here\n---\n", ("a", "goes on: here", "")),
        ("---\nname: a\ndescription:\n  below\n---\n", ("a", "below", "")),
        (
            "---\nname: a\ndescription: \"two\n  lines \\\"q\\\" \\u00e9\\n.\"\n---\n",
            ("a", "two lines \"q\" é .", ""),
        ),
        ("---\nname: a\ndescription: Use when: asked\n---\n", ("a", "Use when: asked", "")),
        (
            "---\n# c\nallowed-tools: [Read, Write]\nmetadata:\n  name: no\ntags:\n- x\nname: a\ndescription: b\n---\n",
            ("a", "b", ""),
        ),
        ("---\nname: 라우터\ndescription: 한국어 설명\n---\n본문", ("라우터", "한국어 설명", "본문")),
        ("\n---\nNAME: a\n\"description\": b\n---", ("a", "b", "")),
    ];
    for (text, (name, description, body)) in cases {
        assert_eq!(sound(text), (name.to_owned(), description.to_owned(), body), "{text:?}");
    }
}

#[test]
fn broken_heads_say_what_is_wrong_and_are_used() {
    let long = format!("---\nname: {}\ndescription: b\n---\n", "n".repeat(101));
    type Case<'a> = (&'a str, Option<&'a str>, Option<&'a str>, &'a str, &'a str);
    let cases: [Case<'_>; 16] = [
        ("# Title\nbody", None, None, "# Title\nbody", "does not begin with a front matter"),
        ("", None, None, "", "does not begin"),
        (
            "---\nname: a\ndescription: b\n\n# Title",
            Some("a"),
            Some("b"),
            "# Title",
            "closes the front matter",
        ),
        ("---\nname: a\ndescription: b", Some("a"), Some("b"), "", "closes the front matter"),
        ("---\nname: a\ndescription: b\n# Title\nx", Some("a"), Some("b"), "# Title\nx", "closes the front"),
        (
            "---\nname: a\ndescription: b\nUse it.\nx: y",
            Some("a"),
            Some("b"),
            "Use it.\nx: y",
            "closes the front",
        ),
        ("---\n---\nx", None, None, "x", "no name"),
        ("---\nname: a\n---\nx", Some("a"), None, "x", "no description"),
        ("---\nname: ~\ndescription: b\n---\nx", None, Some("b"), "x", "no name"),
        ("---\nname: a\ndescription: \"b\n---\nx", Some("a"), Some("b"), "x", "not closed"),
        ("---\nname: a\ndescription: 'b' c\n---\nx", Some("a"), Some("b' c"), "x", "behind its closing"),
        ("---\nname: a\nname: z\ndescription: b\n---\n", Some("a"), Some("b"), "", "twice"),
        ("---\nname: [a, b]\ndescription: b\n---\n", Some("[a, b]"), Some("b"), "", "not a plain text"),
        ("---\nname: a\ndescription:\n  - b\n---\n", Some("a"), None, "", "is a list"),
        ("---\nname: a\ngarbage\ndescription: b\n---\n", Some("a"), Some("b"), "", "Line 3 "),
        ("---\nname: a\ndescription: |\nnot indented\n---\n", Some("a"), None, "", "not indented"),
    ];
    for (text, name, description, body, problem) in cases {
        let found = front_matter(text);
        assert_eq!(found.name.as_deref(), name, "{text:?}");
        let description = description.map(str::to_owned);
        if problem != "not indented" {
            assert_eq!(found.description, description, "{text:?}");
        }
        assert_eq!(text.get(found.body_at..).unwrap(), body, "{text:?}");
        let told = found.problem.unwrap();
        assert!(told.contains(problem), "{text:?}: {told}");
    }
    let found = front_matter(&long);
    assert_eq!(found.name.unwrap().chars().count(), 100);
    assert!(found.problem.unwrap().contains("longer than 100 characters"));
}

#[test]
fn a_skill_without_a_name_has_its_folders() {
    let skill = |head: &str, more| skill_of("/s/axum".into(), SkillOrigin::User, head, more);
    assert_eq!(skill("text", false).name, "axum");
    assert_eq!(skill("---\nname: Routes\ndescription: d\n---\n", false).name, "Routes");
    let open = "---\nname: Routes\ndescription: d\n";
    assert!(skill(open, true).problem.unwrap().contains("too long"));
    assert!(skill(open, false).problem.unwrap().contains("missing"));
    assert_eq!(skill(open, true).description, "d");
}

#[test]
fn a_body_has_plain_line_ends() {
    let skill = skill_of("/s/a".into(), SkillOrigin::Project, "", false);
    let doc =
        skill_doc(skill, "---\r\nname: a\r\n---\r\n\r\n  # not cut\r\ntext\r\n\r\n", vec!["cut".into()]);
    assert_eq!(doc.body, "  # not cut\ntext");
    assert_eq!(doc.notes, ["cut"]);
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        let found = front_matter(&text);
        prop_assert!(text.is_char_boundary(found.body_at));
    }

    #[test]
    fn anything_between_the_lines_is_read(
        lines in prop::collection::vec("(name|description|x)?(:| |\t)*[|>\"'\\[#&-]{0,2}[a-z가é\\\\ ]{0,8}[\"']?\r?", 0..12),
        has_mark: bool,
    ) {
        let head = if has_mark { "\u{feff}---\n" } else { "---\n" };
        let text = format!("{head}{}\n---\nthe body", lines.join("\n"));
        let found = front_matter(&text);
        prop_assert_eq!(text.get(found.body_at..).unwrap(), "the body");
        let description = found.description.unwrap_or_default();
        prop_assert!(!description.contains(['\n', '\r']) && description.trim() == description);
    }

    #[test]
    fn plain_texts_come_back(name in "[a-zA-Z가-힣][a-z0-9가-힣-]{0,30}", words in prop::collection::vec("[a-zA-Z가-힣(),.]{1,9}", 1..20)) {
        let description = words.join(" ");
        prop_assume!(!matches!(description.as_str(), "null") && name != "null");
        for text in [
            format!("---\nname: {name}\ndescription: {description}\n---\n"),
            format!("---\r\nname: \"{name}\"\r\ndescription: '{description}'\r\n---\r\n"),
            format!("---\nname: {name}\ndescription: >\n  {}\n---\n", words.join("\n  ")),
        ] {
            let found = front_matter(&text);
            prop_assert_eq!(found.name.as_deref(), Some(name.as_str()));
            prop_assert_eq!(found.description.as_deref(), Some(description.as_str()));
            prop_assert_eq!(found.problem, None);
        }
    }
}
