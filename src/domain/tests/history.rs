//! Changing what was said, and taking that back.

use crate::api::command::ChatCommand;
use crate::api::notice::NoticeAction;
use crate::domain::tests::kit::{World, words};
use crate::model::turn::{StopReason, TurnEvent};

/// Nothing that was replaced is lost: it comes back, and so does what replaced it.
#[test]
fn an_edit_can_be_taken_back_and_again() {
    let (mut world, id) = World::with_conversation();
    world.ask(id, "one", "1");
    let second = world.ask(id, "two", "2");
    let first = world.view(id).index[0].id;
    world.chat(ChatCommand::EditAndResend { message: first, text: "ONE".into() });
    world.settle();
    assert!(world.started[2].force_fresh && world.store.sessions.is_empty());
    let notice = world.snapshot().notices[0].clone();
    assert_eq!(
        (notice.title.as_str(), notice.action.clone()),
        ("Replaced 4 messages", Some(NoticeAction::UndoEdit(id)))
    );
    // Refused while it runs.
    world.chat(ChatCommand::UndoEdit { conversation: id });
    let turn = world.live(id);
    world.say(turn, words("m", "uno"));
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    world.ask(id, "more", "m");
    assert_eq!(world.texts(id), ["ONE", "uno", "more", "m"]);
    world.chat(ChatCommand::UndoEdit { conversation: id });
    world.settle();
    assert_eq!(world.texts(id), ["one", "1", "two", "2"]);
    assert_eq!(world.turn(id).turn, second);
    assert!(world.store.sessions.is_empty(), "no session holds these words only");
    assert_eq!(world.snapshot().conversations[0].conversation.message_count, 4);
    world.ask(id, "three", "3");
    world.chat(ChatCommand::UndoEdit { conversation: id });
    world.settle();
    assert_eq!(world.texts(id), ["ONE", "uno", "more", "m"]);
    world.chat(ChatCommand::UndoEdit { conversation: id });
    world.settle();
    assert_eq!(world.texts(id), ["one", "1", "two", "2", "three", "3"]);
}

#[test]
fn a_deleted_message_comes_back_to_its_place() {
    let (mut world, id) = World::with_conversation();
    world.ask(id, "one", "1");
    world.ask(id, "two", "2");
    let answer = world.view(id).index[1].id;
    world.chat(ChatCommand::DeleteMessage { message: answer });
    world.settle();
    assert_eq!(world.whole(id).len(), 3);
    assert!(world.store.sessions.is_empty(), "no session may go on with words that were deleted");
    world.ask(id, "three", "3");
    world.chat(ChatCommand::UndoEdit { conversation: id });
    world.settle();
    assert_eq!(world.texts(id), ["one", "1", "two", "2", "three", "3"]);
    assert!(world.snapshot().notices.is_empty());
    world.chat(ChatCommand::UndoEdit { conversation: id });
    assert!(world.snapshot().notices[0].title.contains("Nothing to undo"));
}

#[test]
fn only_own_loaded_messages_of_an_idle_conversation_are_edited() {
    let (mut world, id) = World::with_conversation();
    world.ask(id, "one", "1");
    let (own, answer) = (world.view(id).index[0].id, world.view(id).index[1].id);
    let edit = |message, text: &str| ChatCommand::EditAndResend { message, text: text.into() };
    world.chat(edit(answer, "x"));
    world.chat(edit(own, "  "));
    world.send(id, "two");
    world.settle();
    world.chat(edit(own, "x"));
    world.chat(ChatCommand::DeleteMessage { message: own });
    world.settle();
    assert_eq!(world.store.shown(id).len(), 4, "nothing left");
    assert!(world.snapshot().notices.iter().any(|notice| notice.title == "Nothing was changed"));
}

/// A way back is offered beside the news about the same conversation.
#[test]
fn news_do_not_take_the_way_back_away() {
    let (mut world, id) = World::with_conversation();
    world.look(None, false);
    world.ask(id, "one", "1");
    let own = world.view(id).index[0].id;
    world.chat(ChatCommand::EditAndResend { message: own, text: "ONE".into() });
    world.settle();
    let turn = world.live(id);
    world.say(turn, words("m", "x"));
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    let actions: Vec<_> =
        world.snapshot().notices.iter().map(|notice| notice.action.clone().unwrap()).collect();
    assert_eq!(actions, [NoticeAction::UndoEdit(id), NoticeAction::Open(id)]);
    world.look(Some(id), true);
    assert_eq!(world.snapshot().notices.len(), 1);
}
