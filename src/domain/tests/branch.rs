//! Branches: made, adopted, taken back, deleted with what hangs on them.

use crate::api::command::{BranchCommand as B, ChatCommand};
use crate::api::snapshot::Snapshot;
use crate::domain::effect::Effect;
use crate::domain::input::{Input, Stored};
use crate::domain::tests::kit::{World, started, words};
use crate::model::branch::{BranchFacts, BranchKind, BranchStatus, Summary, SummarySource};
use crate::model::id::{ConversationId, MessageId};
use crate::model::message::ItemBody;
use crate::model::turn::{StopReason, TurnEvent};

/// A conversation with one question and its answer.
fn talk() -> (World, ConversationId, Vec<MessageId>) {
    let (mut world, id) = World::with_conversation();
    answer(&mut world, id, "JWT or OAuth2?", "Both work. JWT is simpler.");
    let shown = shown(&mut world, id);
    (world, id, shown)
}

fn answer(world: &mut World, id: ConversationId, question: &str, said: &str) {
    world.send(id, question);
    world.settle();
    let turn = world.started.last().unwrap().turn;
    for event in [started("s"), words("m", said), TurnEvent::Finished(StopReason::Completed)] {
        world.say(turn, event);
    }
    world.settle();
}

fn shown(world: &mut World, id: ConversationId) -> Vec<MessageId> {
    world.snapshot().view(id).unwrap().index.iter().map(|entry| entry.id).collect()
}

fn branch(world: &mut World, parent: ConversationId, checkpoint: Option<MessageId>) -> ConversationId {
    world.command(B::Create { parent, checkpoint, label: None, seat: None, kind: BranchKind::General });
    world.settle();
    world.snapshot().branch_focus.unwrap()
}

fn summary(text: &str) -> Summary {
    Summary { source: SummarySource::Own, written_by: "you".into(), text: text.into() }
}

/// Asks for it and answers the read it takes.
fn adopt(world: &mut World, branch: ConversationId, text: &str) {
    let effects = world.command(B::Adopt { branch, summary: summary(text) });
    for effect in effects {
        if let Effect::LoadSpeakers { branch, summary } = effect {
            let result = Ok(vec!["Ada".to_owned()]);
            world.put(Input::Stored(Stored::Speakers { branch, summary, result }));
        }
    }
}

fn troubles(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.notices.iter().map(|notice| notice.body.as_str()).collect()
}

fn status(world: &mut World, id: ConversationId) -> Option<BranchStatus> {
    world.state.conversations[&id].row.branch_status()
}

#[test]
fn branches_opened_beside_their_parent_leave_it_loaded_and_in_focus() {
    let (mut world, parent, messages) = talk();
    let all: Vec<ConversationId> =
        (0..5).map(|_each| branch(&mut world, parent, Some(messages[1]))).collect();
    for id in all {
        world.command(B::Open { branch: id });
        world.settle();
        let snapshot = world.snapshot();
        assert_eq!((snapshot.focus, snapshot.branch_focus), (Some(parent), Some(id)));
        let both = [parent, id].map(|id| snapshot.view(id).is_some_and(|view| !view.loading));
        assert_eq!(both, [true, true]);
    }
    world.command(B::Open { branch: parent });
    assert!(troubles(&world.snapshot()).iter().any(|body| body.contains("not a branch")));
}

#[test]
fn a_branch_changes_nothing_of_its_parent() {
    let (mut world, parent, messages) = talk();
    let before = (world.store.conversations[&parent].clone(), shown(&mut world, parent));
    let sessions = world.store.sessions.clone();
    let id = branch(&mut world, parent, Some(messages[1]));
    answer(&mut world, id, "and refresh tokens?", "Rotate them.");
    assert_eq!((world.store.conversations[&parent].clone(), shown(&mut world, parent)), before);
    let of_parent: Vec<_> = world.store.sessions.iter().filter(|(key, _)| key.0 == parent).collect();
    assert_eq!(of_parent, sessions.iter().collect::<Vec<_>>());
    let row = &world.store.conversations[&id];
    let at = row.branch.as_ref().unwrap();
    assert_eq!((at.parent, at.checkpoint), (parent, Some(messages[1])));
    assert_eq!(row.title, "Both work. JWT is simpler.");
    assert_eq!(status(&mut world, id), Some(BranchStatus::Active));
}

#[test]
fn adopting_puts_a_card_into_the_parent_in_one_write() {
    let (mut world, parent, messages) = talk();
    let id = branch(&mut world, parent, Some(messages[0]));
    answer(&mut world, id, "q", "a");
    adopt(&mut world, id, " JWT it is, because of the CLI. ");
    assert_eq!(world.writes.len(), 1, "one batch is one transaction");
    world.settle();
    let view = world.snapshot().view(parent).unwrap().clone();
    let card = view.message(view.index.len() - 1).unwrap().clone();
    let ItemBody::Adopted(told) = &card.items[0].body else { panic!("{card:?}") };
    assert_eq!((told.branch, told.messages, told.agents.join(",")), (id, 2, "Ada".to_owned()));
    assert!(
        card.plain_text()
            .starts_with("JWT it is, because of the CLI.\n\n*Adopted from the branch \"JWT or OAuth2?\"")
    );
    assert_eq!(status(&mut world, id), Some(BranchStatus::Adopted));
    assert!(world.store.conversations[&id].archived);
    assert_eq!(world.store.links.len(), 1);
    let agreement = world.store.agreements.values().next().unwrap();
    assert_eq!((agreement.conversation, agreement.body.message), (Some(parent), Some(card.id)));

    adopt(&mut world, id, "again");
    assert_eq!(troubles(&world.snapshot()).last(), Some(&"It has been adopted already."));
}

#[test]
fn a_failing_write_adopts_nothing_and_is_tried_again_whole() {
    let (mut world, parent, messages) = talk();
    let id = branch(&mut world, parent, Some(messages[0]));
    adopt(&mut world, id, "done");
    let before = world.store.clone();
    world.acknowledge(false);
    assert_eq!(world.store.conversations, before.conversations);
    assert!(world.store.links.is_empty() && world.store.agreements.is_empty());
    world.put(Input::Tick);
    let retried: Vec<usize> = world.writes.iter().map(|(_, batch)| batch.len()).collect();
    assert_eq!(retried, [5], "one batch again");
    world.settle();
    assert!(world.store.conversations[&id].archived && world.store.links.len() == 1);
}

#[test]
fn an_adoption_is_taken_back_until_the_parent_goes_on() {
    let (mut world, parent, messages) = talk();
    let id = branch(&mut world, parent, Some(messages[0]));
    adopt(&mut world, id, "done");
    world.settle();
    world.command(B::UndoAdopt { branch: id });
    world.settle();
    assert_eq!(shown(&mut world, parent), messages);
    assert_eq!(status(&mut world, id), Some(BranchStatus::Active));
    assert!(world.store.links.is_empty() && world.store.agreements.is_empty());

    adopt(&mut world, id, "done");
    world.settle();
    answer(&mut world, parent, "next", "ok");
    world.command(B::UndoAdopt { branch: id });
    assert!(troubles(&world.snapshot()).last().unwrap().contains("has gone on"));
    assert_eq!(status(&mut world, id), Some(BranchStatus::Adopted));
}

#[test]
fn what_cannot_be_done_is_refused_with_the_reason() {
    let (mut world, parent, messages) = talk();
    let other = world.new_conversation();
    let id = branch(&mut world, parent, Some(messages[0]));
    let create = |parent, checkpoint| B::Create {
        parent,
        checkpoint,
        label: None,
        seat: None,
        kind: BranchKind::General,
    };
    world.chat(ChatCommand::Open { conversation: parent });
    world.settle();
    let adopt = |branch, text: &str| B::Adopt { branch, summary: summary(text) };
    let cases = [
        (create(ConversationId(999), None), "There is no conversation 999."),
        (create(parent, Some(MessageId(999))), "There is no message 999"),
        (create(other, Some(messages[0])), "There is no message"),
        (adopt(parent, "x"), "not a branch"),
        (adopt(id, "  \n"), "The summary is empty."),
        (adopt(id, &"가".repeat(20_001)), "20000 is the most"),
        (B::UndoAdopt { branch: id }, "It has not been adopted."),
        (B::SetGitBranch { branch: id, git_branch: Some("-x".into()) }, "cannot be the name"),
        (B::SetShared { branch: parent, shared: Some(true) }, "not a branch"),
    ];
    for (command, why) in cases {
        let writes = world.writes.len();
        let effects = world.command(command.clone());
        let snapshot = world.snapshot();
        let said = troubles(&snapshot).pop().unwrap_or_default();
        assert!(said.contains(why), "{command:?}: {said}");
        assert!(effects.is_empty() && world.writes.len() == writes, "{command:?}");
    }
}

#[test]
fn nothing_is_adopted_while_somebody_answers() {
    let (mut world, parent, messages) = talk();
    let id = branch(&mut world, parent, Some(messages[0]));
    world.send(id, "go on");
    world.settle();
    adopt(&mut world, id, "done");
    assert!(troubles(&world.snapshot()).last().unwrap().contains("still answering in the branch"));
    let turn = world.started.last().unwrap().turn;
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    world.settle();
    // The parent begins to answer while the speakers are read.
    let effects = world.command(B::Adopt { branch: id, summary: summary("done") });
    let Some(Effect::LoadSpeakers { branch, summary }) = effects.into_iter().next() else { panic!() };
    world.send(parent, "meanwhile");
    world.put(Input::Stored(Stored::Speakers { branch, summary, result: Ok(Vec::new()) }));
    assert!(troubles(&world.snapshot()).last().unwrap().contains("answering in the parent"));
    assert_eq!(status(&mut world, id), Some(BranchStatus::Active));
}

#[test]
fn deleting_takes_what_hangs_on_it_and_brings_it_back() {
    let (mut world, parent, messages) = talk();
    let below = branch(&mut world, parent, Some(messages[0]));
    let deeper = branch(&mut world, below, None);
    let gone = branch(&mut world, parent, None);
    world.chat(ChatCommand::Delete { conversation: gone });
    world.settle();
    world.chat(ChatCommand::Delete { conversation: parent });
    assert_eq!(world.writes.len(), 1, "one transaction");
    world.settle();
    assert_eq!(world.store.deleted, [parent, below, deeper, gone].into());
    let notice = world.snapshot().notices.last().unwrap().clone();
    assert!(notice.title.ends_with("and 2 branches"), "{}", notice.title);
    world.chat(ChatCommand::UndoDelete { conversation: parent });
    world.settle();
    assert_eq!(world.store.deleted, [gone].into(), "what was deleted before stays so");
}

#[test]
fn a_label_taken_from_an_answer_has_no_marks() {
    let (mut world, parent) = World::with_conversation();
    answer(&mut world, parent, "which?", "## **JWT** is `simpler`.\nMore of it.");
    let at = shown(&mut world, parent)[1];
    let id = branch(&mut world, parent, Some(at));
    assert!(world.store.conversations[&id].title.starts_with("JWT is simpler."));
}

#[test]
fn labels_of_every_kind_are_one_short_line() {
    let (mut world, parent, _) = talk();
    let long = "긴".repeat(10_000);
    for (given, expected) in [
        ("feature/auth 🔐\nsecond", "feature/auth 🔐 second".to_owned()),
        (" \n ", "Branch of Talk".to_owned()),
        (long.as_str(), "긴".repeat(200)),
        ("feature/auth 🔐\nsecond", "feature/auth 🔐 second".to_owned()),
    ] {
        let label = Some(given.to_owned());
        world.command(B::Create { parent, checkpoint: None, label, seat: None, kind: BranchKind::General });
        world.settle();
        let id = world.snapshot().branch_focus.unwrap();
        let title = &world.store.conversations[&id].title;
        assert!(title.starts_with(&expected), "{title}");
    }
}

fn facts(world: &mut World, id: ConversationId) -> BranchFacts {
    let snapshot = world.snapshot();
    let row = snapshot.conversations.iter().find(|row| row.conversation.id == id).unwrap();
    row.conversation.branch.clone().unwrap().facts
}

#[test]
fn a_hint_follows_the_last_whole_answer() {
    let (mut world, parent, messages) = talk();
    let id = branch(&mut world, parent, Some(messages[1]));
    world.command(B::SetHint { branch: id, on: true, told: false });
    assert!(facts(&mut world, id).hint && facts(&mut world, id).gist.is_none(), "nothing was said yet");
    answer(&mut world, id, "and?", "Take `OAuth2`. It is common.");
    assert_eq!(facts(&mut world, id).gist.as_deref(), Some("Take OAuth2."));
    answer(&mut world, id, "sure?", "결론은 JWT입니다. 더 작습니다.");
    assert_eq!(facts(&mut world, id).gist.as_deref(), Some("결론은 JWT입니다."));
    // An answer that was stopped leads to nothing.
    world.send(id, "go on");
    world.settle();
    let turn = world.started.last().unwrap().turn;
    world.say(turn, words("m", "Or rather"));
    world.chat(ChatCommand::Stop { conversation: id });
    world.say(turn, TurnEvent::Finished(StopReason::Cancelled));
    world.settle();
    assert_eq!(facts(&mut world, id).gist.as_deref(), Some("결론은 JWT입니다."));
    let last = shown(&mut world, id)[3];
    world.chat(ChatCommand::DeleteMessage { message: last });
    world.settle();
    assert_eq!(
        facts(&mut world, id).gist.as_deref(),
        Some("Take OAuth2."),
        "what was deleted leads to nothing"
    );
    world.command(B::SetHint { branch: id, on: false, told: true });
    let known = facts(&mut world, id);
    assert!(!known.hint && !known.hint_told, "what is not shown is not told");
}

#[test]
fn only_what_was_adopted_is_found_from_elsewhere_until_the_user_says_otherwise() {
    let (mut world, parent, messages) = talk();
    let id = branch(&mut world, parent, Some(messages[1]));
    let shared = |world: &mut World, id| {
        let snapshot = world.snapshot();
        snapshot.conversations.iter().find(|row| row.conversation.id == id).unwrap().conversation.is_shared()
    };
    assert!(shared(&mut world, parent) && !shared(&mut world, id));
    world.command(B::SetShared { branch: id, shared: Some(true) });
    assert!(shared(&mut world, id));
    world.command(B::SetShared { branch: id, shared: None });
    assert!(!shared(&mut world, id));
    adopt(&mut world, id, "done");
    world.settle();
    assert!(shared(&mut world, id));
    world.command(B::SetShared { branch: id, shared: Some(false) });
    assert!(!shared(&mut world, id));
}
