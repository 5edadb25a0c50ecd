//! Summaries of a branch: asked for once at a time, told of while they come, never written.

use std::sync::Arc;

use crate::api::command::{AppCommand, BranchCommand as B, ChatCommand};
use crate::api::summary::{SummaryRequest, SummaryState};
use crate::domain::effect::Effect;
use crate::domain::input::{Input, Stored};
use crate::domain::tests::kit::{World, seat};
use crate::model::branch::{BranchKind, Summary, SummarySource};
use crate::model::id::ConversationId;
use crate::model::message::{ItemBody, Message};
use crate::model::positions::Spoken;
use crate::model::summary::{SUMMARY_MAX_CHARS, SummaryEvent as E, SummarySources, SummarySpec};
use crate::model::turn::{FailureKind, TurnFailure, Usage};

/// A conversation and its branch, in which something was said and answered.
fn branched() -> (World, ConversationId, ConversationId) {
    let (mut world, parent) = World::with_conversation();
    world.ask(parent, "JWT or OAuth2?", "Both work.");
    let branch = new_branch(&mut world, parent);
    world.ask(branch, "And refresh tokens?", "Rotate them.");
    (world, parent, branch)
}

fn new_branch(world: &mut World, parent: ConversationId) -> ConversationId {
    world.command(B::Create { parent, checkpoint: None, label: None, seat: None, kind: BranchKind::General });
    world.settle();
    world.snapshot().branch_focus.unwrap()
}

fn begin(world: &mut World, branch: ConversationId) -> SummarySpec {
    let effects = world.command(B::Summarise { branch, seat: None });
    let [Effect::Summarise(spec)] = effects.as_slice() else { panic!("{effects:?}") };
    (**spec).clone()
}

fn tell(world: &mut World, spec: &SummarySpec, event: E) {
    world.put(Input::Summary { branch: spec.branch, run: spec.run, event });
}

fn request(world: &mut World, branch: ConversationId) -> Arc<SummaryRequest> {
    world.snapshot().summary(branch).unwrap().request.clone().unwrap()
}

fn trouble(world: &mut World) -> String {
    world.snapshot().notices.last().map_or_else(String::new, |notice| notice.body.clone())
}

fn failure(kind: FailureKind) -> TurnFailure {
    let (message, hint) = ("It broke.".into(), "Mend it.".into());
    TurnFailure { kind, message, hint, detail: String::new(), resets_at_ms: None }
}

#[test]
fn it_comes_word_by_word_and_nothing_is_written() {
    let (mut world, parent, branch) = branched();
    let before =
        (world.store.conversations.clone(), world.store.messages.len(), world.store.sessions.clone());
    let spec = begin(&mut world, branch);
    assert_eq!((spec.branch, spec.parent, spec.seat.engine.as_str()), (branch, parent, "ada"));
    for (event, part, text) in [
        (E::Part { part: 1, parts: 2 }, 1, ""),
        (E::Text("Rot".into()), 1, "Rot"),
        (E::Text("Rotate".into()), 1, "Rotate"),
        (E::Part { part: 2, parts: 2 }, 2, ""),
        (E::Part { part: 3, parts: 2 }, 3, ""),
    ] {
        tell(&mut world, &spec, event);
        let shown = request(&mut world, branch);
        assert_eq!((shown.state, shown.part, shown.text.as_str()), (SummaryState::Running, part, text));
    }
    let usage = Usage { input_tokens: Some(7), cost_usd: Some(0.5), ..Usage::default() };
    tell(&mut world, &spec, E::Usage(usage.clone()));
    tell(&mut world, &spec, E::Done("Rotate them. Always.".into()));
    let shown = request(&mut world, branch);
    assert_eq!(
        (shown.state, shown.text.as_str(), shown.whole.as_ref()),
        (SummaryState::Done, "Rotate them. Always.", None)
    );
    assert_eq!((shown.agent.as_str(), &shown.usage, shown.outdated), ("ADA", &Some(usage.clone()), false));
    assert!(world.writes.is_empty());
    assert_eq!(
        before,
        (world.store.conversations.clone(), world.store.messages.len(), world.store.sessions.clone())
    );

    // The card keeps what it took, and only where the agent's summary is what is adopted.
    let summary =
        Summary { source: SummarySource::Agent, written_by: "ADA".into(), text: shown.text.clone() };
    world.command(B::Adopt { branch, summary: summary.clone() });
    world.put(Input::Stored(Stored::Speakers { branch, summary, result: Ok(vec!["ADA".into()]) }));
    world.settle();
    let view = world.snapshot().view(parent).unwrap().clone();
    let card = view.message(view.index.len() - 1).unwrap().clone();
    let ItemBody::Adopted(card) = &card.items[0].body else { panic!("{card:?}") };
    assert_eq!((card.source, card.usage.as_deref()), (SummarySource::Agent, Some(&usage)));
    assert!(world.snapshot().summary(branch).is_none(), "the draft has served");
}

#[test]
fn a_long_one_is_cut_and_kept_whole() {
    let (mut world, _, branch) = branched();
    let spec = begin(&mut world, branch);
    let long = "This is a sentence. ".repeat(100);
    tell(&mut world, &spec, E::Done(long.clone()));
    let shown = request(&mut world, branch);
    assert!(shown.text.ends_with("sentence.") && shown.text.chars().count() <= SUMMARY_MAX_CHARS);
    assert_eq!(shown.whole.as_deref(), Some(long.trim()));
}

#[test]
fn one_at_a_time_and_late_words_are_dropped() {
    let (mut world, _, branch) = branched();
    let first = begin(&mut world, branch);
    assert_eq!(world.command(B::Summarise { branch, seat: None }), []);
    assert!(trouble(&mut world).contains("being summarised already"));
    let stop = world.command(B::StopSummary { branch });
    assert_eq!(stop, [Effect::StopSummary { run: first.run }]);
    assert_eq!(world.command(B::StopSummary { branch }), [], "nothing runs any more");
    tell(&mut world, &first, E::Text("late".into()));
    tell(&mut world, &first, E::Done("late".into()));
    let shown = request(&mut world, branch);
    assert_eq!((shown.state, shown.text.as_str()), (SummaryState::Stopped, ""));

    let other = world.command(B::Summarise { branch, seat: Some(seat("bob")) });
    let [Effect::Summarise(second)] = other.as_slice() else { panic!("{other:?}") };
    assert_eq!(second.seat.engine.as_str(), "bob");
    tell(&mut world, &first, E::Done("late".into()));
    assert_eq!(request(&mut world, branch).state, SummaryState::Running);
    tell(&mut world, second, E::Failed(failure(FailureKind::NotLoggedIn)));
    let shown = request(&mut world, branch);
    assert_eq!(
        (shown.state, shown.failure.as_ref().unwrap().message.as_str()),
        (SummaryState::Failed, "It broke.")
    );
    begin(&mut world, branch);
}

#[test]
fn what_cannot_be_summarised_says_why() {
    let (mut world, parent, branch) = branched();
    let empty = new_branch(&mut world, parent);
    assert_eq!(world.command(B::Summarise { branch: empty, seat: None }), [], "nobody is asked");
    let shown = request(&mut world, empty);
    assert_eq!(shown.state, SummaryState::Failed);
    assert!(shown.failure.as_ref().unwrap().message.contains("nothing to summarise"));
    world.command(B::Summarise { branch: parent, seat: None });
    assert!(trouble(&mut world).contains("not a branch"));
    world.command(B::Summarise { branch: ConversationId(999), seat: None });
    assert!(trouble(&mut world).contains("no conversation 999"));
    world.send(branch, "go on");
    world.settle();
    world.command(B::Summarise { branch, seat: None });
    assert!(trouble(&mut world).contains("still answering"));
}

#[test]
fn it_ends_with_its_branch() {
    type End = fn(&mut World, ConversationId, ConversationId) -> Vec<Effect>;
    let ends: [End; 4] = [
        |world, _, branch| world.chat(ChatCommand::Delete { conversation: branch }),
        |world, parent, _| world.chat(ChatCommand::Delete { conversation: parent }),
        |world, _, branch| world.chat(ChatCommand::SetArchived { conversation: branch, archived: true }),
        |world, _, branch| {
            let summary =
                Summary { source: SummarySource::Own, written_by: "you".into(), text: "Done.".into() };
            world.command(B::Adopt { branch, summary: summary.clone() });
            world.put(Input::Stored(Stored::Speakers { branch, summary, result: Ok(Vec::new()) }))
        },
    ];
    for (number, end) in ends.into_iter().enumerate() {
        let (mut world, parent, branch) = branched();
        let spec = begin(&mut world, branch);
        let effects = end(&mut world, parent, branch);
        assert!(effects.contains(&Effect::StopSummary { run: spec.run }), "{number}: {effects:?}");
    }
    let (mut world, _, branch) = branched();
    let spec = begin(&mut world, branch);
    assert_eq!(world.command(B::DropSummary { branch }), [Effect::StopSummary { run: spec.run }]);
    assert!(world.snapshot().summary(branch).is_none());
    begin(&mut world, branch);
    assert!(world.command(AppCommand::Quit).contains(&Effect::Shutdown));
}

#[test]
fn a_branch_that_went_on_makes_its_draft_old_and_is_read_again() {
    let (mut world, _, branch) = branched();
    let asked = world.command(B::ReadSources { branch });
    assert!(matches!(asked.as_slice(), [Effect::LoadSources { .. }]), "{asked:?}");
    assert!(world.snapshot().summary(branch).unwrap().sources.is_none());
    let spoken = vec![Spoken { name: "ADA".into(), text: "Rotate them.".into() }];
    let sources = SummarySources { positions: "- **ADA**: Rotate them.".into(), spoken };
    world.put(Input::Stored(Stored::Sources { branch, result: Ok(sources.clone()) }));
    assert_eq!(world.snapshot().summary(branch).unwrap().sources.as_deref(), Some(&sources));

    let spec = begin(&mut world, branch);
    tell(&mut world, &spec, E::Done("Rotate.".into()));
    assert!(!request(&mut world, branch).outdated);
    world.effects.clear();
    world.ask(branch, "how often?", "Each time.");
    assert!(request(&mut world, branch).outdated);
    let reads = world.effects.iter().filter(|effect| matches!(effect, Effect::LoadSources { .. })).count();
    assert!(reads >= 1, "{:?}", world.effects);
    world.put(Input::Stored(Stored::Sources { branch, result: Err("The disk is gone.".into()) }));
    assert_eq!(world.snapshot().summary(branch).unwrap().error.as_deref(), Some("The disk is gone."));
    let spec = begin(&mut world, branch);
    tell(&mut world, &spec, E::Done("Rotate each time.".into()));
    assert!(!request(&mut world, branch).outdated);
}

#[test]
fn words_not_written_yet_are_read_as_well() {
    let (mut world, _, branch) = branched();
    world.send(branch, "more");
    world.settle();
    let turn = world.live(branch);
    world.say(turn, crate::domain::tests::kit::words("m", "Said a moment ago."));
    world.say(turn, crate::model::turn::TurnEvent::Finished(crate::model::turn::StopReason::Completed));
    assert!(!world.writes.is_empty());
    let spec = begin(&mut world, branch);
    let texts: Vec<String> = spec.unwritten.standing().map(Message::plain_text).collect();
    assert!(texts.contains(&"Said a moment ago.".to_owned()), "{texts:?}");
}
