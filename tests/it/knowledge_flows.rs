//! What a project keeps, from the command to the context of the next message.

use tunaflow::api::command::{ChatCommand, KnowledgeCommand, PackSource};
use tunaflow::api::snapshot::PackView;
use tunaflow::model::id::{ConversationId, PlanId};
use tunaflow::model::pack::{Mode, ModeReason, SectionId};
use tunaflow::model::plan::{Plan, PlanBody, Subtask};
use tunaflow::model::skill::SkillOrigin;

use crate::support::app::{TestApp, seat};

fn preview(app: &TestApp, conversation: ConversationId, text: &str) -> PackView {
    app.send(ChatCommand::PreviewPack { conversation, text: text.into() });
    let snapshot = app.until("the preview", |s| {
        s.view(conversation).and_then(|view| view.preview.clone()).is_some_and(|shown| shown.prompt == text)
    });
    (**snapshot.view(conversation).unwrap().preview.as_ref().unwrap()).clone()
}

#[test]
fn a_plan_that_is_followed_is_told_with_the_next_message() {
    let app = TestApp::new();
    let id = app.scripted(r#"{"text":"ok"}"#);
    app.until("knowledge read", |s| s.knowledge.project.is_some() && !s.knowledge.loading);
    let before = preview(&app, id, "before");
    assert_eq!((before.pack.report.mode, before.pack.report.mode_reason), (Mode::Lite, ModeReason::Default));
    let plan = Plan {
        id: PlanId(0),
        project: app.snapshot().project.unwrap(),
        conversation: Some(id),
        implementation: None,
        review: None,
        active: true,
        updated_ms: 0,
        body: PlanBody {
            title: "토큰 갱신".into(),
            subtasks: vec![Subtask { number: 1, title: "Swap by generation".into(), ..Subtask::default() }],
            ..PlanBody::default()
        },
        document: String::new(),
    };
    app.send(KnowledgeCommand::PutPlan(Box::new(plan)));
    app.until("the plan is kept", |s| s.knowledge.active_plan(id).is_some());
    // The write is on its way to the store when the snapshot shows it.
    let after = (0..500)
        .map(|n| preview(&app, id, &format!("after {n}")))
        .find(|shown| shown.pack.report.mode_reason == ModeReason::HasPlan)
        .expect("the plan never reached the pack");
    assert_eq!(after.pack.report.mode, Mode::Standard);
    let told = after.pack.sections.iter().find(|section| section.id == SectionId::Plan).unwrap();
    assert!(told.text.contains("토큰 갱신") && told.text.contains("Swap by generation"), "{}", told.text);
}

#[test]
fn another_engine_is_told_the_same_but_for_who_it_is() {
    let app = TestApp::new();
    let id = app.scripted(r#"{"text":"ok"}"#);
    let left = preview(&app, id, "what now");
    let with = PackSource::Seat { seat: Box::new(seat("demo")), text: "what now".into() };
    app.send(ChatCommand::ComparePack { conversation: id, with });
    let snapshot = app.until("the other one", |s| s.view(id).is_some_and(|view| view.compared.is_some()));
    let right = snapshot.view(id).unwrap().compared.clone().unwrap();
    assert_eq!(left.pack.report.parity_hash, right.pack.report.parity_hash);
    assert_ne!(left.pack.report.hash, right.pack.report.hash);
}

#[test]
fn skills_are_found_and_suggested_and_never_on_by_themselves() {
    let app = TestApp::new();
    let folder = app.project_folder().join(".claude/skills/axum");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(app.project_folder().join("Cargo.toml"), "[dependencies]\naxum = \"0.8\"\n").unwrap();
    let text = "---\nname: axum\ndescription: Handlers and extractors of axum services.\n---\n# Axum\n";
    std::fs::write(folder.join("SKILL.md"), text).unwrap();
    let id = app.scripted(r#"{"text":"ok"}"#);
    let snapshot = app.until("skills found", |s| s.knowledge.offers.skills.find("axum").is_some());
    assert_eq!(snapshot.knowledge.offers.skills.find("axum").unwrap().origin, SkillOrigin::Project);
    preview(&app, id, "write an axum handler with extractors");
    let snapshot = app.until("suggested", |s| {
        s.view(id).is_some_and(|view| view.suggestions.iter().any(|one| one.name == "axum"))
    });
    assert!(!snapshot.knowledge.skill_is_on(Some(id), "axum"));
    let project = snapshot.project.unwrap();
    let on = KnowledgeCommand::SwitchSkill {
        project,
        conversation: Some(id),
        skill: "axum".into(),
        on: Some(true),
    };
    app.send(on);
    app.until("it is on", |s| s.knowledge.skill_is_on(Some(id), "axum"));
    assert!(!app.snapshot().knowledge.skill_is_on(None, "axum"), "only in this conversation");
    let told = (0..500)
        .map(|n| preview(&app, id, &format!("an axum handler, {n}")))
        .find(|shown| shown.pack.sections.iter().any(|section| section.id == SectionId::Skills));
    assert!(told.is_some(), "what is on is told");
}
