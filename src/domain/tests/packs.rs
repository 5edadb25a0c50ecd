//! Previews, comparisons and suggestions: asked for, come back, dropped when they are late.

use crate::api::command::{ChatCommand, KnowledgeCommand, PackSource};
use crate::api::snapshot::Offers;
use crate::domain::effect::Effect;
use crate::domain::input::{Input, Stored};
use crate::domain::tests::kit::{World, seat};
use crate::model::id::{ConversationId, TurnId};
use crate::model::pack::{ContextPack, Mode, ModeReason, PackReport};
use crate::model::project::SeatChoice;
use crate::model::skill::{Skill, SkillList, SkillOrigin, SkillSuggestion};

fn pack(hash: &str) -> ContextPack {
    let report = PackReport {
        mode: Mode::Lite,
        mode_reason: ModeReason::Default,
        budget_chars: 60_000,
        total_chars: 0,
        sections: Vec::new(),
        left_out: Vec::new(),
        held_by_session: Vec::new(),
        notes: Vec::new(),
        fixed_hash: String::new(),
        told: Default::default(),
        parity_hash: String::new(),
        hash: hash.into(),
        assembly_micros: 1,
    };
    ContextPack { sections: Vec::new(), report }
}

fn previews(effects: &[Effect]) -> Vec<(String, bool)> {
    let of = |effect: &Effect| match effect {
        Effect::Preview { prompt, compare, .. } => Some((prompt.clone(), *compare)),
        _ => None,
    };
    effects.iter().filter_map(of).collect()
}

fn made(
    world: &mut World,
    conversation: ConversationId,
    seat: SeatChoice,
    prompt: &str,
    compare: bool,
) -> Vec<Effect> {
    let result = Ok(pack(prompt));
    world.put(Input::Stored(Stored::Preview { conversation, seat, prompt: prompt.into(), compare, result }))
}

fn ask(world: &mut World, conversation: ConversationId, text: &str) -> Vec<Effect> {
    world.chat(ChatCommand::PreviewPack { conversation, text: text.into() })
}

#[test]
fn while_one_preview_is_made_only_the_newest_wish_waits() {
    let (mut world, id) = World::with_conversation();
    let here = world.view(id).row.conversation.seat.clone();
    assert_eq!(previews(&ask(&mut world, id, "a")), [("a".to_owned(), false)]);
    for text in ["ab", "abc", "abcd"] {
        assert_eq!(previews(&ask(&mut world, id, text)), []);
    }
    let next = made(&mut world, id, here.clone(), "a", false);
    assert_eq!(previews(&next), [("abcd".to_owned(), false)]);
    assert_eq!(previews(&made(&mut world, id, here, "abcd", false)), []);
    assert_eq!(world.view(id).preview.as_ref().unwrap().prompt, "abcd");
    assert_eq!(previews(&ask(&mut world, id, "z")), [("z".to_owned(), false)]);
}

#[test]
fn a_failed_preview_does_not_hold_up_the_next() {
    let (mut world, id) = World::with_conversation();
    let seat = world.view(id).row.conversation.seat.clone();
    ask(&mut world, id, "a");
    let result = Err("the database is locked".to_owned());
    world.put(Input::Stored(Stored::Preview {
        conversation: id,
        seat,
        prompt: "a".into(),
        compare: false,
        result,
    }));
    assert!(world.snapshot().notices.iter().any(|notice| notice.body.contains("locked")));
    assert_eq!(previews(&ask(&mut world, id, "b")), [("b".to_owned(), false)]);
}

#[test]
fn a_comparison_is_kept_apart_and_a_late_one_is_dropped() {
    let (mut world, id) = World::with_conversation();
    let compare = |world: &mut World, engine: &str| {
        let with = PackSource::Seat { seat: Box::new(seat(engine)), text: "t".into() };
        world.chat(ChatCommand::ComparePack { conversation: id, with })
    };
    assert_eq!(previews(&compare(&mut world, "ada")), [("t".to_owned(), true)]);
    compare(&mut world, "bob");
    made(&mut world, id, seat("ada"), "t", true);
    assert!(world.view(id).compared.is_none(), "another one was asked for since");
    made(&mut world, id, seat("bob"), "t", true);
    let view = world.view(id);
    assert_eq!(view.compared.as_ref().unwrap().seat, Some(seat("bob")));
    assert!(view.preview.is_none());
}

#[test]
fn a_sent_pack_and_one_to_compare_do_not_take_each_others_place() {
    let (mut world, id) = World::with_conversation();
    let read = |turn: i64| Stored::Pack { conversation: id, turn: TurnId(turn), result: Ok(Some(pack("p"))) };
    world.chat(ChatCommand::LoadPack { conversation: id, turn: TurnId(7) });
    world.chat(ChatCommand::ComparePack { conversation: id, with: PackSource::Turn(TurnId(8)) });
    world.put(Input::Stored(read(8)));
    world.put(Input::Stored(read(7)));
    let view = world.view(id);
    assert_eq!(view.sent_pack.as_ref().unwrap().turn, Some(TurnId(7)));
    assert_eq!(view.compared.as_ref().unwrap().turn, Some(TurnId(8)));
}

#[test]
fn suggestions_are_those_for_the_newest_text() {
    let (mut world, id) = World::with_conversation();
    let fits = |name: &str| vec![SkillSuggestion { name: name.into(), why: "it fits".into() }];
    ask(&mut world, id, "old");
    ask(&mut world, id, "new");
    world.put(Input::Suggested { conversation: id, prompt: "old".into(), suggestions: fits("sqlx") });
    assert!(world.view(id).suggestions.is_empty());
    world.put(Input::Suggested { conversation: id, prompt: "new".into(), suggestions: fits("axum") });
    assert_eq!(*world.view(id).suggestions, *fits("axum"));
    assert!(world.snapshot().knowledge.skill_switches.is_empty(), "nothing is switched on by itself");
}

#[test]
fn skills_are_looked_for_when_a_project_opens_and_when_asked() {
    let mut world = World::new();
    let project = world.project();
    let looks =
        |effect: &Effect| matches!(effect, Effect::LookForSkills { project: of, .. } if *of == project);
    assert_eq!(world.effects.iter().filter(|effect| looks(effect)).count(), 1);
    let skill = Skill {
        name: "axum".into(),
        description: String::new(),
        dir: "/code/heron/skills/axum".into(),
        origin: SkillOrigin::Project,
        problem: None,
    };
    let skills = SkillList { skills: vec![skill], notes: Vec::new() };
    world.put(Input::Offers { project, offers: Offers { looking: false, skills: skills.clone() } });
    assert_eq!(world.snapshot().knowledge.offers.skills, skills);
    let again = world.command(KnowledgeCommand::LookForSkills { project });
    assert_eq!(again.iter().filter(|effect| looks(effect)).count(), 1);
    let offers = world.snapshot().knowledge.offers.clone();
    assert!(offers.looking && offers.skills == skills, "what was found stays shown");
}
