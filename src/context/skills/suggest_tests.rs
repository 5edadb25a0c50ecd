use super::{SUGGESTIONS_MAX, SkillIndex, suggest};
use crate::model::skill::{Skill, SkillOrigin};

fn skill(name: &str, description: &str) -> Skill {
    Skill {
        name: name.into(),
        description: description.into(),
        dir: format!("/s/{name}").into(),
        origin: SkillOrigin::User,
        problem: None,
    }
}

fn shelf() -> Vec<Skill> {
    vec![
        skill(
            "axum",
            "Routes, extractors and middleware for HTTP services with axum. Use when writing handlers.",
        ),
        skill("rust-errors", "How to design error types with thiserror and anyhow."),
        skill("idiomatic", "Idiomatic Rust: ownership, iterators, naming."),
        skill("pdf-forms", "Fill in PDF forms, merge and split documents."),
        skill("code-review", "Reviews Python, Ruby, Java and PHP code for bugs."),
        skill("go-modules", "Versions and workspaces of modules."),
        skill("release-notes", "Write release notes from the git history. Go through commits first."),
        skill("결제-연동", "토스페이먼츠 결제 승인과 환불, 웹훅 검증을 구현한다."),
        skill("한국어-문서", "README와 사용자 안내서를 한국어로 작성한다."),
        skill("sql-migrations", "Schema migrations without downtime; indexes, locks, rollbacks."),
    ]
}

#[test]
fn stack_and_prompt_lead_to_skills() {
    let cases: [(&[&str], &str, &[&str]); 20] = [
        (&[], "", &[]),
        (&["Rust"], "", &["rust-errors", "idiomatic"]),
        (&["Go"], "", &["go-modules"]),
        // Names four stacks: it is about none of them.
        (&["Python"], "", &[]),
        (&["Haskell"], "hello", &[]),
        (&[], "Add a route with axum for the login", &["axum"]),
        (&[], "write an extractor and a handler", &["axum"]),
        // One word of a description alone is chance.
        (&[], "what is ownership?", &[]),
        (&[], "go on, please", &[]),
        (&[], "fix the code", &[]),
        (&[], "thanks, looks good", &[]),
        (&[], "merge the PDFs into one", &["pdf-forms"]),
        (&[], "the database migration needs a rollback", &["sql-migrations"]),
        (&["Rust"], "error types for the parser", &["rust-errors", "idiomatic"]),
        (&[], "결제 환불을 구현해줘", &["결제-연동"]),
        (&[], "axum으로 로그인 라우터를 만들어줘", &["axum"]),
        (&[], "웹훅 검증 로직이 이상해", &["결제-연동"]),
        (&[], "문서 정리해줘", &["한국어-문서"]),
        (&[], "안녕하세요, 이 코드 좀 고쳐줘", &[]),
        (&[], "로그인 버튼 색을 바꿔줘", &[]),
    ];
    for (stack, prompt, expected) in cases {
        let stack: Vec<String> = stack.iter().map(|&word| word.to_owned()).collect();
        let found = suggest(&stack, prompt, &shelf());
        let names: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, expected, "{stack:?} {prompt}: {found:?}");
    }
}

#[test]
fn the_reason_is_told() {
    let why = |stack: &[&str], prompt: &str| {
        let stack: Vec<String> = stack.iter().map(|&word| word.to_owned()).collect();
        suggest(&stack, prompt, &shelf()).into_iter().next().unwrap().why
    };
    assert_eq!(why(&["Rust"], ""), "the project uses Rust");
    assert_eq!(why(&["Rust"], "an axum route"), "the message speaks of “axum”, “route”");
    assert_eq!(why(&[], "결제를 환불해줘"), "the message speaks of “결제”, “환불”");
}

#[test]
fn words_of_every_skill_tell_nothing_and_offers_are_few() {
    let many: Vec<Skill> = (0..300)
        .map(|n| skill(&format!("rust-topic{n}"), "Everything about crates and lifetimes."))
        .collect();
    let index = SkillIndex::new(&many);
    assert!(index.suggest(&[], "crates and lifetimes, what about them?").is_empty());
    let found = index.suggest(&["Rust".into()], "topic77 please");
    assert_eq!(found.len(), SUGGESTIONS_MAX);
    assert_eq!(found.first().unwrap().name, "rust-topic77");
    assert_eq!(index.suggest(&["Rust".into()], "topic77 please"), found);
}
