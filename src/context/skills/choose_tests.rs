use super::choose_parts;
use crate::context::trim::chars;
use crate::model::skill::{Skill, SkillDoc, SkillOrigin};
use proptest::prelude::*;

fn doc(name: &str, body: &str) -> SkillDoc {
    SkillDoc {
        skill: Skill {
            name: name.into(),
            description: format!("About {name}."),
            dir: format!("/s/{name}").into(),
            origin: SkillOrigin::Project,
            problem: None,
        },
        body: body.into(),
        notes: Vec::new(),
    }
}

const AXUM: &str = "# Axum\n\nA guide to HTTP services.\n\nMore of it.\n\n\
    ## Routing\n\nUse `Router::new()`.\n\n### Nested\n\n```rust\n# not a heading\nnest()\n```\n\n\
    ## Extractors\n\nOrder matters: the body comes last.\n\n\
    ## 인증\n\n토큰을 미들웨어에서 검증한다.\n\n## Testing\n\nCall the service with `oneshot`.\n";

#[test]
fn matching_parts_are_told_and_the_rest_is_named() {
    let cases: [(&str, &[&str], &[&str]); 8] = [
        ("How do I set up routing?", &["Routing", "Routing › Nested"], &["Extractors", "인증", "Testing"]),
        ("nested routers", &["Routing", "Routing › Nested"], &["Extractors", "인증", "Testing"]),
        ("body extractor order", &["Extractors"], &["Routing", "Nested", "인증", "Testing"]),
        ("인증 토큰을 검증해줘", &["인증"], &["Routing", "Nested", "Extractors", "Testing"]),
        ("미들웨어", &["인증"], &["Routing", "Nested", "Extractors", "Testing"]),
        ("write a test", &["Testing"], &["Routing", "Nested", "Extractors", "인증"]),
        ("결제 버튼의 색", &[], &["Routing", "Nested", "Extractors", "인증", "Testing"]),
        ("", &[], &["Routing", "Nested", "Extractors", "인증", "Testing"]),
    ];
    for (prompt, paths, left_out) in cases {
        let chosen = choose_parts(prompt, &[doc("axum", AXUM)], 3_000);
        let skill = chosen.skills.first().unwrap();
        let found: Vec<&str> = skill.parts.iter().map(|part| part.path.as_str()).collect();
        assert_eq!(found, paths, "{prompt}: {chosen:?}");
        assert_eq!(skill.left_out, left_out, "{prompt}");
    }
}

#[test]
fn what_an_agent_reads() {
    let text = choose_parts("nested routers", &[doc("axum", AXUM)], 3_000).text();
    let expected = "### Skill: axum\n\nA guide to HTTP services.\n\n#### Routing\n\nUse `Router::new()`.\n\n\
        #### Routing › Nested\n\n```rust\n# not a heading\nnest()\n```\n\n\
        Left out: Extractors, 인증, Testing. The whole skill is in `/s/axum/SKILL.md`.";
    assert_eq!(text, expected);
}

#[test]
fn a_skill_without_headings_is_told_whole_or_by_its_first_words() {
    let body = format!("Pay with tokens.\n\n{}", "Refund webhooks are signed. ".repeat(20));
    let whole = choose_parts("a signed webhook", &[doc("pay", &body)], 3_000).text();
    assert!(
        whole.contains("Pay with tokens.") && whole.contains("Refund") && !whole.contains("whole skill"),
        "{whole}"
    );
    let short = choose_parts("the colour of a button", &[doc("pay", &body)], 3_000).text();
    assert_eq!(short, "### Skill: pay\n\nPay with tokens.\n\nThe whole skill is in `/s/pay/SKILL.md`.");
    let bare = choose_parts("", &[doc("pay", "")], 3_000).text();
    assert_eq!(bare, "### Skill: pay\n\nAbout pay.");
}

#[test]
fn a_part_that_is_too_long_is_cut_and_says_so() {
    let body = format!("Intro.\n\n## Webhooks\n\n{}", "A paragraph about webhooks.\n\n".repeat(200));
    let chosen = choose_parts("webhooks", &[doc("pay", &body)], 1_500);
    let part = chosen.skills.first().unwrap().parts.first().unwrap();
    assert!(part.is_cut && part.text.contains("more items"), "{}", part.text);
    let text = chosen.text();
    assert!(chars(&text) <= 1_500 && text.contains("The whole skill is in"), "{text}");
}

#[test]
fn many_skills_leave_room_for_the_one_that_matches() {
    let mut docs: Vec<SkillDoc> =
        (0..200).map(|n| doc(&format!("other{n}"), "# T\n\nSome words.\n\n## Colours\n\nblue\n")).collect();
    docs.push(doc("axum", AXUM));
    let chosen = choose_parts("routing with axum", &docs, 3_000);
    assert_eq!(chosen.skills.first().unwrap().name, "axum");
    assert!(!chosen.skills.first().unwrap().parts.is_empty());
    let text = chosen.text();
    assert!(text.contains("without room here: other") && text.contains(" more."), "{text}");
    assert_eq!(chosen.skills.len() + chosen.unshown.len(), docs.len());
}

#[test]
fn what_is_wrong_with_a_skill_is_reported() {
    let mut broken = doc("axum", AXUM);
    broken.skill.problem = Some("It has no name.".into());
    broken.notes.push("Its file is longer than 256 KB.".into());
    let lines = choose_parts("routing", &[broken], 3_000).report_lines();
    assert_eq!(
        lines,
        [
            "skill axum: It has no name.",
            "skill axum: Its file is longer than 256 KB.",
            "skill axum: left out Extractors, 인증, Testing"
        ]
    );
}

proptest! {
    #[test]
    fn the_cap_holds_and_every_skill_is_accounted_for(
        bodies in prop::collection::vec("(#{0,4} ?[a-z가 ]{0,12}\n|```\n|\n){0,20}", 0..8),
        prompt in "[a-z가 ]{0,30}",
        max_chars in 0usize..3_000,
    ) {
        let docs: Vec<SkillDoc> =
            bodies.iter().enumerate().map(|(n, body)| doc(&format!("s{n}"), body)).collect();
        let chosen = choose_parts(&prompt, &docs, max_chars);
        let text = chosen.text();
        prop_assert!(chosen.skills.is_empty() || chars(&text) <= max_chars, "{} > {max_chars}", chars(&text));
        prop_assert_eq!(chosen.skills.len() + chosen.unshown.len(), docs.len());
        prop_assert_eq!(&chosen, &choose_parts(&prompt, &docs, max_chars));
        for part in chosen.skills.iter().flat_map(|skill| &skill.parts) {
            prop_assert!(crate::context::trim::keep_head(&part.text, usize::MAX, "more").cut_chars == 0);
        }
    }
}

#[test]
fn a_line_of_names_keeps_to_the_limit_too() {
    let docs: Vec<SkillDoc> = (0..40).map(|at| doc(&format!("a-skill-of-some-length-{at}"), AXUM)).collect();
    let mut lengths = std::collections::BTreeSet::new();
    for max_chars in 0..700 {
        let length = chars(&choose_parts("routing", &docs, max_chars).text());
        assert!(length <= max_chars, "{length} of {max_chars}");
        lengths.insert(length > 0);
    }
    assert_eq!(lengths.len(), 2, "nothing with next to no room, something with some");
}
