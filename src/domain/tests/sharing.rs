//! What did not change is the same memory in the next snapshot.

use std::sync::Arc;

use crate::api::command::ChatCommand;
use crate::domain::effect::Effect;
use crate::domain::input::{Input, OpenedConversation, Stored};
use crate::domain::tests::kit::{World, started, words};
use crate::model::id::{ConversationId, MessageId};
use crate::model::record::IndexRow;
use crate::model::turn::{StopReason, TurnEvent};

/// An open conversation of 100,000 messages, with its last page.
fn huge() -> (World, ConversationId) {
    let (mut world, id) = World::with_conversation();
    world.ask(id, "first", "answer");
    world.crash();
    world.settle();
    world.chat(ChatCommand::Open { conversation: id });
    let Effect::LoadIndex { generation, .. } = world.reads.remove(0) else { panic!("the index") };
    let kept = world.store.opened(id).index;
    let old = (0..99_998_i64).map(|number| IndexRow {
        id: MessageId(number - 200_000),
        seq: number - 200_000,
        revision: 0,
        chars: 10,
        by_user: number % 2 == 0,
    });
    let opened = OpenedConversation { index: old.chain(kept).collect(), turn: None, report: None };
    world.put(Input::Stored(Stored::Index { conversation: id, generation, result: Ok(opened) }));
    world.settle();
    (world, id)
}

/// Streaming touches the growing answer and nothing else, however long the conversation is.
#[test]
fn a_delta_rebuilds_only_the_answer() {
    let (mut world, id) = huge();
    let other = world.new_conversation();
    let busy = world.new_conversation();
    for id in [id, busy] {
        world.send(id, "go");
    }
    world.settle();
    let (turn, busy_turn) = (world.live(id), world.live(busy));
    for turn in [turn, busy_turn] {
        world.say(turn, started("s"));
        world.say(turn, words("m", "x"));
    }
    let before = world.snapshot();
    let part = |snapshot: &crate::api::snapshot::Snapshot, id| snapshot.view(id).unwrap().clone();
    for number in 0..200 {
        world.say(turn, words("m", "more "));
        let after = world.snapshot();
        let (old, new) = (part(&before, id), part(&after, id));
        assert!(Arc::ptr_eq(&old.index, &new.index), "the index, at delta {number}");
        assert!(Arc::ptr_eq(&old.row, &new.row) && Arc::ptr_eq(&old.draft, &new.draft));
        assert!(old.pages.iter().all(|(page, shown)| Arc::ptr_eq(shown, &new.pages[page])));
        assert!(Arc::ptr_eq(&part(&before, other), &part(&after, other)), "an idle conversation");
        assert!(Arc::ptr_eq(&part(&before, busy), &part(&after, busy)), "another one that streams");
        assert_eq!(before.conversations.as_ptr(), after.conversations.as_ptr(), "the list");
        assert!(Arc::ptr_eq(&before.notices, &after.notices) && Arc::ptr_eq(&before.asks, &after.asks));
        assert!(
            Arc::ptr_eq(&before.engines, &after.engines) && Arc::ptr_eq(&before.settings, &after.settings)
        );
        assert_eq!(new.live[0].revision, old.live[0].revision + number + 1);
    }
    // A checkpoint is no change either.
    let before = world.snapshot();
    world.put(Input::Tick);
    while world.acknowledge(true) {}
    let after = world.snapshot();
    assert!(Arc::ptr_eq(&part(&before, id).index, &part(&after, id).index));
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    assert_eq!(part(&world.snapshot(), id).index.len(), 100_002);
}

#[test]
fn a_changed_row_leaves_the_others_alone() {
    let mut world = World::new();
    let ids: Vec<ConversationId> = (0..3).map(|_| world.new_conversation()).collect();
    let before = world.snapshot();
    world.chat(ChatCommand::Rename { conversation: ids[1], title: "New name".into() });
    let after = world.snapshot();
    for (id, same) in [(ids[0], true), (ids[1], false), (ids[2], true)] {
        let row = |s: &crate::api::snapshot::Snapshot| {
            s.conversations.iter().find(|row| row.conversation.id == id).cloned().unwrap()
        };
        assert_eq!(Arc::ptr_eq(&row(&before), &row(&after)), same, "row {id}");
        assert_eq!(Arc::ptr_eq(before.view(id).unwrap(), after.view(id).unwrap()), same, "view {id}");
    }
    assert!(!world.state.is_changed());
    assert_eq!(world.snapshot().revision, after.revision + 1);
}
