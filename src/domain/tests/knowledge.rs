//! Plans, findings, agreements, artifacts, links, skills.

use crate::api::command::KnowledgeCommand as K;
use crate::api::notice::NoticeAction;
use crate::domain::effect::Effect;
use crate::domain::input::{Input, Stored};
use crate::domain::tests::kit::World;
use crate::model::id::{AgreementId, ArtifactId, ConversationId, FindingId, PlanId, ProjectId};
use crate::model::knowledge::{
    Agreement, AgreementBody, Artifact, ArtifactBody, Finding, FindingBody, Knowledge,
};
use crate::model::plan::{Plan, PlanBody, PlanPhase, Subtask};

/// A project whose knowledge is read, with two conversations.
fn world() -> (World, ProjectId, ConversationId, ConversationId) {
    let (mut world, first) = World::with_conversation();
    let second = world.new_conversation();
    let project = world.project();
    loaded(&mut world, project, Ok(Box::default()));
    (world, project, first, second)
}

fn loaded(world: &mut World, project: ProjectId, result: Result<Box<Knowledge>, String>) {
    world.put(Input::Stored(Stored::Knowledge { project, result }));
    world.settle();
}

fn plan(project: ProjectId, conversation: ConversationId, title: &str) -> Plan {
    Plan {
        id: PlanId(0),
        project,
        conversation: Some(conversation),
        implementation: None,
        review: None,
        active: true,
        updated_ms: 0,
        body: PlanBody { title: title.into(), ..PlanBody::default() },
        document: String::new(),
    }
}

fn troubles(world: &mut World) -> Vec<String> {
    world.snapshot().notices.iter().map(|notice| notice.body.clone()).collect()
}

#[test]
fn a_plan_is_made_changed_removed_and_put_back() {
    let (mut world, project, first, _) = world();
    world.command(K::PutPlan(Box::new(plan(project, first, "로그인 다시 만들기"))));
    world.settle();
    let made = (**world.snapshot().knowledge.active_plan(first).unwrap()).clone();
    assert!(made.id.0 > 0 && made.body.version == 1 && made.body.created_ms > 0);
    assert_eq!(world.store.plans[&made.id], made);

    let mut changed = made.clone();
    changed.body.phase = PlanPhase::Implementation;
    world.command(K::PutPlan(Box::new(changed)));
    world.settle();
    let changed = (*world.snapshot().knowledge.plans[0]).clone();
    assert_eq!((changed.body.version, changed.body.created_ms), (2, made.body.created_ms));

    world.command(K::RemovePlan(made.id));
    world.settle();
    assert!(world.store.plans.is_empty() && world.snapshot().knowledge.plans.is_empty());
    let notice = world.snapshot().notices.last().unwrap().clone();
    let Some(NoticeAction::PutBack(back)) = &notice.action else { panic!("{notice:?}") };
    world.command((**back).clone());
    world.settle();
    assert_eq!(world.store.plans[&made.id].body.phase, PlanPhase::Implementation);
    assert_eq!(world.snapshot().knowledge.plans[0].body.version, 2, "it says what it said");
}

#[test]
fn one_plan_is_followed_per_conversation() {
    let (mut world, project, first, second) = world();
    for (conversation, title) in [(first, "one"), (second, "other"), (first, "two")] {
        world.command(K::PutPlan(Box::new(plan(project, conversation, title))));
        world.settle();
    }
    let knowledge = world.snapshot().knowledge;
    let title = |conversation| knowledge.active_plan(conversation).unwrap().body.title.clone();
    assert_eq!((title(first), title(second)), ("two".to_owned(), "other".to_owned()));
    let active: Vec<&str> =
        world.store.plans.values().filter(|row| row.active).map(|row| row.body.title.as_str()).collect();
    assert_eq!(active, ["other", "two"]);
}

#[test]
fn bad_values_are_refused_with_the_reason() {
    let (mut world, project, first, _) = world();
    let step = |number: u32, depends_on: &[u32]| Subtask {
        number,
        title: "s".into(),
        depends_on: depends_on.to_vec(),
        ..Subtask::default()
    };
    let steps = |steps: Vec<Subtask>| {
        let mut row = plan(project, first, "p");
        row.body.subtasks = steps;
        K::PutPlan(Box::new(row))
    };
    let finding = |plan| {
        let body = FindingBody { text: "f".into(), ..FindingBody::default() };
        let (id, updated_ms) = (FindingId(0), 0);
        K::PutFinding(Box::new(Finding { id, project, plan, open: true, updated_ms, body }))
    };
    let artifact = |text: String| {
        K::PutArtifact(Box::new(Artifact {
            id: ArtifactId(0),
            project,
            conversation: None,
            pinned: true,
            updated_ms: 0,
            body: ArtifactBody { title: "a".into(), ..ArtifactBody::default() },
            text,
        }))
    };
    let cases = [
        (K::PutPlan(Box::new(plan(project, first, " \n "))), "The title is empty."),
        (K::PutPlan(Box::new(plan(project, ConversationId(999), "p"))), "There is no conversation 999"),
        (K::PutPlan(Box::new(plan(ProjectId(999), first, "p"))), "The project is not there any more."),
        (steps(vec![step(1, &[]), step(1, &[])]), "used twice"),
        (steps(vec![step(0, &[])]), "is zero"),
        (steps(vec![step(1, &[2])]), "which is not there"),
        (steps(vec![step(1, &[1])]), "depends on itself"),
        (finding(Some(PlanId(77))), "The plan it is about is not there any more."),
        (artifact("가".repeat(1_000_001)), "1000000 is the most"),
        (K::RemovePlan(PlanId(5)), "There is no such entry"),
        (K::Link { conversation: first, linked: first }, "linked to itself"),
        (K::Link { conversation: first, linked: ConversationId(999) }, "There is no conversation 999"),
    ];
    for (command, why) in cases {
        let writes = world.writes.len();
        world.command(command.clone());
        let said = troubles(&mut world).pop().unwrap_or_default();
        assert!(said.contains(why), "{command:?}: {said}");
        assert_eq!(world.writes.len(), writes, "nothing is written: {command:?}");
    }
}

#[test]
fn what_is_asked_for_while_it_is_read_is_done_afterwards() {
    let (mut world, first) = World::with_conversation();
    let project = world.project();
    assert!(world.snapshot().knowledge.loading);
    let agreement = |id, text: &str| Agreement {
        id: AgreementId(id),
        project,
        conversation: Some(first),
        updated_ms: 5,
        body: AgreementBody { text: text.into(), ..AgreementBody::default() },
    };
    world.command(K::PutAgreement(Box::new(agreement(0, "new"))));
    assert!(world.snapshot().knowledge.agreements.is_empty());
    let read = Knowledge { agreements: vec![agreement(900, "old")], ..Knowledge::default() };
    loaded(&mut world, project, Ok(Box::new(read)));
    let knowledge = world.snapshot().knowledge;
    let texts: Vec<&str> = knowledge.agreements.iter().map(|row| row.body.text.as_str()).collect();
    assert_eq!(texts, ["new", "old"]);
    assert!(!knowledge.loading);
}

#[test]
fn a_failed_read_is_shown_and_tried_again() {
    let (mut world, _) = World::with_conversation();
    let project = world.project();
    loaded(&mut world, project, Err("the disk is gone".into()));
    assert_eq!(world.snapshot().knowledge.error.as_deref(), Some("the disk is gone"));
    let effects = world.command(crate::api::command::ProjectCommand::Select { project });
    assert!(effects.contains(&Effect::LoadKnowledge { project }));
    loaded(&mut world, project, Ok(Box::default()));
    assert_eq!(world.snapshot().knowledge.error, None);
}

#[test]
fn skills_are_switched_for_the_project_and_for_one_conversation() {
    let (mut world, project, first, _) = world();
    let switch = |conversation, on| K::SwitchSkill { project, conversation, skill: "axum".into(), on };
    world.command(switch(None, Some(true)));
    world.command(switch(Some(first), Some(false)));
    world.settle();
    assert_eq!(world.store.skills.len(), 2);
    world.command(switch(Some(first), None));
    world.settle();
    let kept: Vec<_> = world.store.skills.iter().collect();
    assert_eq!(kept, [(&(project, None, "axum".to_owned()), &true)]);
    assert_eq!(world.snapshot().knowledge.skill_switches.len(), 1);
}
