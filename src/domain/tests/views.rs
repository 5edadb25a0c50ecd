//! Open conversations: their index, their pages, and reads that come late.

use crate::api::command::{AppCommand, ChatCommand};
use crate::api::snapshot::PAGE_LEN;
use crate::domain::effect::Effect;
use crate::domain::input::{Input, OpenedConversation, Stored};
use crate::domain::tests::kit::{World, messages, started, words};
use crate::model::id::{ConversationId, FindId};
use crate::model::message::MessageState;
use crate::model::pack::{ContextPack, Mode, ModeReason, PackReport};
use crate::model::turn::{StopReason, TurnEvent};

/// A conversation of `turns` questions and answers, closed again.
fn long(turns: usize) -> (World, ConversationId) {
    let (mut world, id) = World::with_conversation();
    for number in 0..turns {
        world.ask(id, &format!("q{number}"), &format!("a{number}"));
    }
    world.crash();
    world.settle();
    (world, id)
}

#[test]
fn opening_reads_the_index_and_the_last_two_pages() {
    let (mut world, id) = long(100);
    world.chat(ChatCommand::Open { conversation: id });
    assert!(world.view(id).loading);
    world.settle();
    let view = world.view(id);
    assert_eq!(view.index.len(), 200);
    assert_eq!(view.pages.keys().copied().collect::<Vec<_>>(), [2, 3]);
    assert!(view.message(0).is_none() && view.message(199).is_some());
    world.chat(ChatCommand::LoadPage { conversation: id, page: 0 });
    world.chat(ChatCommand::LoadPage { conversation: id, page: 0 });
    assert_eq!(world.reads.len(), 1, "asked once");
    world.settle();
    assert_eq!(world.view(id).message(0).unwrap().plain_text(), "q0");
    world.chat(ChatCommand::LoadPage { conversation: id, page: 0 });
    assert!(world.reads.is_empty(), "cheap when it is there");
}

/// The context of a turn can be looked at the moment it went out, before a reader of the store sees it.
#[test]
fn a_pack_is_shown_while_it_is_written() {
    let (mut world, id) = World::with_conversation();
    world.send(id, "question");
    world.settle();
    let turn = world.live(id);
    let report = PackReport {
        mode: Mode::Standard,
        mode_reason: ModeReason::Default,
        budget_chars: 1,
        total_chars: 1,
        sections: Vec::new(),
        left_out: Vec::new(),
        held_by_session: Vec::new(),
        notes: Vec::new(),
        fixed_hash: String::new(),
        told: std::collections::BTreeMap::new(),
        parity_hash: String::new(),
        hash: "of this pack".into(),
        assembly_micros: 1,
    };
    let pack = Box::new(ContextPack { sections: Vec::new(), report });
    world.say(turn, TurnEvent::Packed { pack: pack.clone(), sent_text: "question".into() });
    assert!(world.chat(ChatCommand::LoadPack { conversation: id, turn }).is_empty());
    let shown = world.view(id).sent_pack.clone().unwrap();
    assert_eq!((shown.turn, &shown.pack), (Some(turn), &*pack));
    // Written, it is read like any other.
    while world.acknowledge(true) {}
    let asked = world.chat(ChatCommand::LoadPack { conversation: id, turn });
    assert_eq!(asked, [Effect::LoadPack { conversation: id, turn }]);
}

#[test]
fn pages_far_away_leave() {
    let (mut world, id) = long(30 * PAGE_LEN as usize / 2);
    world.whole_pages(id);
    let view = world.view(id);
    assert_eq!(view.pages.len(), 16);
    assert!(view.pages.contains_key(&0) && !view.pages.contains_key(&29));
}

impl World {
    /// Loads all pages from the last to the first.
    fn whole_pages(&mut self, id: ConversationId) {
        self.chat(ChatCommand::Open { conversation: id });
        self.settle();
        let count = u32::try_from(self.view(id).index.len()).unwrap().div_ceil(PAGE_LEN);
        for page in (0..count).rev() {
            self.chat(ChatCommand::LoadPage { conversation: id, page });
            self.settle();
        }
    }
}

#[test]
fn only_few_conversations_stay_open() {
    let mut world = World::new();
    let ids: Vec<ConversationId> = (0..6).map(|_| world.new_conversation()).collect();
    let open: Vec<ConversationId> =
        world.snapshot().open.iter().map(|view| view.row.conversation.id).collect();
    assert_eq!(open, ids[2..]);
    assert_eq!(world.snapshot().conversations.len(), 6);
}

/// A page asked for before messages left does not come back in their place.
#[test]
fn a_late_page_of_an_older_order_is_dropped() {
    let (mut world, id) = long(40);
    world.chat(ChatCommand::Open { conversation: id });
    world.read(0);
    world.deliver(0);
    // Both pages are read but not delivered when a message leaves.
    world.read(0);
    world.read(0);
    world.deliver(0);
    let own = world.view(id).index.last().unwrap().id;
    world.chat(ChatCommand::DeleteMessage { message: own });
    world.deliver(0);
    world.settle();
    let view = world.whole(id);
    assert_eq!(view.len(), 79);
    assert!(view.iter().all(|message| !matches!(message.state, MessageState::Damaged { .. })));
}

/// A page read while the answer was being written, delivered after it has ended: the end stays.
#[test]
fn a_late_page_never_undoes_the_end_of_a_turn() {
    for written in [true, false] {
        let (mut world, id) = World::with_conversation();
        world.send(id, "go");
        world.settle();
        let turn = world.live(id);
        world.say(turn, started("s"));
        world.say(turn, words("m", "half"));
        world.put(Input::Tick);
        world.settle();
        world.state.views.clear();
        world.chat(ChatCommand::Open { conversation: id });
        world.read(0);
        world.deliver(0);
        world.read(0);
        world.say(turn, words("m", " and whole"));
        world.say(turn, TurnEvent::Finished(StopReason::Completed));
        while written && world.acknowledge(true) {}
        world.deliver(0);
        world.settle();
        let last = world.view(id).message(1).unwrap().clone();
        assert_eq!((last.plain_text().as_str(), &last.state), ("half and whole", &MessageState::Complete));
        assert_eq!(world.store.shown(id)[1].plain_text(), "half and whole");
    }
}

/// What is said while the index is being read is in it.
#[test]
fn a_turn_that_begins_and_ends_while_the_index_is_read() {
    for when in 0..3 {
        let (mut world, id) = long(1);
        world.chat(ChatCommand::Open { conversation: id });
        world.read(0);
        world.send(id, "quick");
        while world.acknowledge(true) {}
        if when > 0 {
            let turn = world.live(id);
            world.say(turn, words("m", "done"));
            world.say(turn, TurnEvent::Finished(StopReason::Completed));
        }
        while when == 2 && world.acknowledge(true) {}
        world.deliver(0);
        world.settle();
        let expected = if when == 0 { "" } else { "done" };
        assert_eq!(world.texts(id), ["q0", "a0", "quick", expected]);
    }
}

#[test]
fn a_row_that_vanished_is_a_placeholder_and_the_rest_is_there() {
    let (mut world, id) = long(2);
    world.chat(ChatCommand::Open { conversation: id });
    world.read(0);
    world.deliver(0);
    let gone = world.view(id).index[1].id;
    world.store.messages.remove(&gone);
    world.settle();
    let shown = messages(&world.view(id));
    assert!(matches!(shown[1].state, MessageState::Damaged { .. }));
    assert_eq!(shown[2].plain_text(), "q1");
}

/// A read that fails names its cause, and opening again tries again.
#[test]
fn a_read_that_fails_is_told_and_tried_again() {
    let (mut world, id) = long(1);
    let effects = world.chat(ChatCommand::Open { conversation: id });
    assert!(effects.is_empty());
    let Effect::LoadIndex { generation, .. } = world.reads.remove(0) else { panic!("the index") };
    let failed = Stored::Index { conversation: id, generation, result: Err("page 7 is damaged".into()) };
    world.put(Input::Stored(failed));
    assert_eq!(world.view(id).error.as_deref(), Some("page 7 is damaged"));
    // The answer to a view that is gone does nothing.
    let late = Stored::Index { conversation: id, generation, result: Ok(OpenedConversation::default()) };
    world.chat(ChatCommand::Open { conversation: id });
    world.put(Input::Stored(late));
    world.settle();
    assert_eq!(world.texts(id), ["q0", "a0"]);
}

#[test]
fn lookups_answer_the_newest_question() {
    let (mut world, id) = long(2);
    world.whole(id);
    let find =
        |query: &str, find| ChatCommand::Find { conversation: id, find: FindId(find), query: query.into() };
    assert_eq!(world.chat(find("q", 1)).len(), 1);
    assert_eq!(world.chat(find("q1", 2)).len(), 1);
    let ids: Vec<_> = world.view(id).index.iter().map(|entry| entry.id).collect();
    let found = |number, ids: Vec<_>| {
        let result = Ok((ids, false));
        Input::Stored(Stored::Found { conversation: id, find: FindId(number), query: String::new(), result })
    };
    world.put(found(2, vec![ids[2]]));
    world.put(found(1, vec![ids[0]]));
    assert_eq!(world.view(id).find.as_ref().unwrap().places, [2]);
    world.chat(find(" ", 3));
    world.put(found(2, vec![ids[2]]));
    assert!(world.view(id).find.is_none(), "cleared");
}

/// A turn belongs to the program, not to the view.
#[test]
fn leaving_the_conversation_leaves_its_turn_alone() {
    let (mut world, a) = World::with_conversation();
    world.send(a, "go");
    world.settle();
    let turn = world.live(a);
    for _ in 0..5 {
        world.new_conversation();
    }
    assert!(world.snapshot().view(a).is_none());
    world.say(turn, words("m", "whole answer"));
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    world.chat(ChatCommand::Open { conversation: a });
    world.settle();
    assert_eq!(world.texts(a), ["go", "whole answer"]);
}

/// What is on screen stays loaded, however many others are opened, and is read when it is not.
#[test]
fn what_is_on_screen_is_loaded_and_stays() {
    let (mut world, ids) = many(7);
    let beside = vec![ids[0], ids[1]];
    let look = |beside: &[ConversationId], held: &[ConversationId]| AppCommand::Viewing {
        conversation: Some(ids[6]),
        beside: beside.to_vec(),
        held: held.to_vec(),
        focused: true,
    };
    world.command(look(&beside, &[ids[2]]));
    world.settle();
    for id in &ids[3..7] {
        world.chat(ChatCommand::Open { conversation: *id });
        world.settle();
    }
    let open: Vec<ConversationId> =
        world.state.snapshot().open.iter().map(|view| view.row.conversation.id).collect();
    assert!(ids[..3].iter().all(|id| open.contains(id)), "{open:?}");
    assert!(open.contains(&ids[6]), "and the one just opened");
    for id in &ids[..3] {
        assert!(!world.view(*id).loading && world.view(*id).index.len() == 2);
    }
    assert!(world.reads.is_empty());
    world.command(look(&beside, &[]));
    assert!(world.reads.is_empty(), "what is loaded is not read again");
    world.command(look(&[ConversationId(1)], &[]));
    assert!(world.reads.is_empty(), "what is not there is not read");
}

/// One that is only held for what it shows elsewhere keeps its mark.
#[test]
fn only_what_is_on_screen_counts_as_read() {
    let (mut world, ids) = many(3);
    world.look(None, true);
    for id in &ids {
        world.ask(*id, "more", "said");
    }
    let unread = |world: &mut World| -> Vec<ConversationId> {
        let snapshot = world.state.snapshot();
        let rows = snapshot.conversations.iter().map(|row| &row.conversation);
        let mut unread: Vec<ConversationId> = rows.filter(|row| row.unread).map(|row| row.id).collect();
        unread.sort_unstable();
        unread
    };
    assert_eq!(unread(&mut world), ids);
    let (beside, held) = (vec![ids[0]], vec![ids[1]]);
    world.command(AppCommand::Viewing { conversation: None, beside, held, focused: true });
    assert_eq!(unread(&mut world), &ids[1..]);
}

/// Conversations with a question and an answer each, oldest first, none of them open.
fn many(count: usize) -> (World, Vec<ConversationId>) {
    let (mut world, first) = World::with_conversation();
    let project = world.state.snapshot().project.unwrap();
    let mut ids = vec![first];
    world.ask(first, "q", "a");
    for _ in 1..count {
        world.chat(ChatCommand::New { project, seat: None });
        world.settle();
        let id = world.state.snapshot().focus.unwrap();
        world.ask(id, "q", "a");
        ids.push(id);
    }
    world.crash();
    world.settle();
    (world, ids)
}
