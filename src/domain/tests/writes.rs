//! Keeping when keeping fails.

use crate::api::command::ChatCommand;
use crate::api::snapshot::DatabaseStatus;
use crate::domain::effect::Effect;
use crate::domain::input::Input;
use crate::domain::tests::kit::{World, messages, started, words};
use crate::model::message::MessageState;
use crate::model::turn::{StopReason, TurnEvent, TurnState};

fn unsaved(world: &mut World, id: crate::model::id::ConversationId) -> Vec<bool> {
    messages(&world.view(id)).iter().map(|message| message.unsaved).collect()
}

/// On a full disk a message is shown as unsaved and goes to nobody; with room again it is saved and sent.
#[test]
fn a_full_disk() {
    let (mut world, id) = World::with_conversation();
    world.ask(id, "before", "fine");
    world.send(id, "precious");
    world.acknowledge(false);
    assert_eq!(world.started.len(), 1, "what is not kept is not sent");
    assert_eq!(unsaved(&mut world, id), [false, false, true, true]);
    assert_eq!(world.turn_state(id), TurnState::Failed);
    assert!(matches!(world.snapshot().app.database, DatabaseStatus::WritesFail { .. }));
    let notices = world.snapshot().notices.len();
    // It goes on failing: still told once, still shown.
    for _ in 0..3 {
        world.put(Input::Tick);
        world.acknowledge(false);
    }
    assert_eq!(world.snapshot().notices.len(), notices);
    // Even after other conversations pushed it out of view.
    for _ in 0..5 {
        let project = world.project();
        world.chat(ChatCommand::New { project, seat: None });
        let made = world.state.focus.unwrap();
        world.chat(ChatCommand::Rename { conversation: made, title: format!("Other {made}") });
    }
    world.chat(ChatCommand::Open { conversation: id });
    world.read(0);
    world.deliver(0);
    world.read(0);
    world.deliver(0);
    assert_eq!(world.texts(id), ["before", "fine", "precious", ""]);
    // Room again.
    world.settle();
    assert_eq!(world.snapshot().app.database, DatabaseStatus::Ok);
    assert_eq!(unsaved(&mut world, id), [false; 4]);
    let kept = world.store.shown(id);
    assert!(matches!(kept[3].state, MessageState::Failed { .. }), "the newest state is what is kept");
    assert_eq!(world.store.turns.values().last().unwrap().state, TurnState::Failed);
    let turn = world.turn(id).turn;
    world.chat(ChatCommand::Retry { turn, engine: None });
    world.settle();
    assert_eq!(world.started[1].prompt, "precious");
}

/// A write that failed is never put over a newer one that went through.
#[test]
fn an_old_state_never_overtakes_a_newer_one() {
    let (mut world, id) = World::with_conversation();
    world.send(id, "go");
    world.settle();
    let turn = world.live(id);
    world.say(turn, started("s"));
    world.settle();
    world.say(turn, words("m", "old"));
    world.put(Input::Tick);
    world.say(turn, words("m", " and new"));
    world.put(Input::Tick);
    world.acknowledge(false);
    world.acknowledge(true);
    world.settle();
    assert_eq!(world.store.shown(id)[1].plain_text(), "old and new");
}

#[test]
fn a_turn_that_ends_while_nothing_can_be_written_is_kept_later() {
    let (mut world, id) = World::with_conversation();
    world.send(id, "go");
    world.settle();
    let turn = world.live(id);
    world.say(turn, started("s"));
    world.say(turn, words("m", "answer"));
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    while world.acknowledge(false) {}
    assert!(world.state.wants_tick());
    assert_eq!(world.turn_state(id), TurnState::Done);
    world.settle();
    assert_eq!(world.store.shown(id)[1].state, MessageState::Complete);
    assert!(!world.state.wants_tick());
}

/// The last try at quit takes along what failed before.
#[test]
fn quitting_tries_once_more() {
    let (mut world, id) = World::with_conversation();
    world.send(id, "precious");
    world.acknowledge(false);
    let effects = world.command(crate::api::command::AppCommand::Quit);
    assert_eq!(effects, [Effect::Shutdown]);
    while world.acknowledge(true) {}
    assert_eq!(world.store.shown(id)[0].plain_text(), "precious");
    world.send(id, "too late");
    assert!(world.writes.is_empty());
}

/// A damaged file is not written into; what was made meanwhile joins the backup that takes its place.
#[test]
fn damage_holds_everything_until_a_backup_is_there() {
    let (mut world, id) = World::with_conversation();
    world.ask(id, "kept", "yes");
    let backup = world.store.clone();
    let damage = DatabaseStatus::Damaged { why: "page 7".into(), backups: vec!["/b".into()] };
    let effects = world.put(Input::Database(damage));
    assert!(effects.contains(&Effect::HoldStore { why: "page 7".into() }));
    world.send(id, "meanwhile");
    world.acknowledge(false);
    world.put(Input::Tick);
    assert!(world.writes.is_empty(), "no point in trying");
    let effects = world.command(crate::api::command::AppCommand::RestoreBackup { path: "/b".into() });
    assert_eq!(effects, [Effect::RestoreBackup { path: "/b".into() }]);
    world.store = backup;
    world.put(Input::Database(DatabaseStatus::Ok));
    let startup = world.store.startup();
    world.put(Input::Started(Box::new(startup)));
    world.settle();
    assert_eq!(world.texts(id), ["kept", "yes", "meanwhile", ""]);
    assert_eq!(world.store.shown(id).len(), 4);
}
