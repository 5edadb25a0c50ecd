//! Who is told what, and when nobody is.

use crate::api::command::AppCommand;
use crate::api::notice::NoticeAction;
use crate::domain::input::Input;
use crate::domain::tests::kit::{World, asked, failed, started};
use crate::model::settings::Settings;
use crate::model::turn::{FailureKind, StopReason, TurnEvent};

fn running() -> (World, crate::model::id::ConversationId, crate::model::id::TurnId) {
    let (mut world, id) = World::with_conversation();
    world.look(None, true);
    world.send(id, "go");
    world.settle();
    let turn = world.live(id);
    world.say(turn, started("s"));
    (world, id, turn)
}

#[test]
fn told_where_nobody_looks_with_the_flags_of_the_settings() {
    let events = [
        (TurnEvent::Finished(StopReason::Completed), 0),
        (failed(FailureKind::Crashed), 1),
        (asked("q", "ls"), 2),
    ];
    for (event, which) in events {
        for on in [true, false] {
            let (mut world, id, turn) = running();
            let mut settings = Settings::default();
            *[&mut settings.notify_done, &mut settings.notify_failed, &mut settings.notify_needs_you]
                [which] = on;
            world.command(crate::api::command::SettingsCommand::Set(Box::new(settings)));
            world.say(turn, event.clone());
            let notices = world.snapshot().notices.clone();
            assert_eq!(notices.len(), 1, "{event:?}");
            assert_eq!((notices[0].conversation, notices[0].desktop), (Some(id), on), "{event:?}");
        }
    }
}

#[test]
fn nobody_is_told_what_is_on_screen_or_was_asked_for() {
    // Watched, stopped, or no window at all.
    let (mut world, id, turn) = running();
    world.look(Some(id), true);
    world.say(turn, asked("q", "ls"));
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    assert!(world.snapshot().notices.is_empty() && !world.snapshot().conversations[0].conversation.unread);
    let (mut world, _, turn) = running();
    world.say(turn, TurnEvent::Finished(StopReason::Cancelled));
    assert!(world.snapshot().notices.is_empty());
    let (mut world, id) = World::with_conversation();
    world.ask(id, "q", "a");
    assert!(world.snapshot().notices.is_empty());
}

#[test]
fn one_notice_a_conversation_which_leaves_when_it_is_looked_at() {
    let (mut world, id, turn) = running();
    world.say(turn, asked("q", "ls"));
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    assert_eq!(world.snapshot().notices.len(), 1);
    assert!(world.snapshot().conversations[0].conversation.unread);
    let other = world.new_conversation();
    world.look(None, false);
    world.ask(other, "q", "a");
    assert_eq!(world.snapshot().notices.len(), 2);
    world.look(Some(id), false);
    assert_eq!(world.snapshot().notices.len(), 2, "not seen without the focus");
    world.look(Some(id), true);
    assert_eq!(world.snapshot().notices.len(), 1);
    assert!(
        world
            .snapshot()
            .conversations
            .iter()
            .all(|row| row.conversation.id != id || !row.conversation.unread)
    );
    let left = world.snapshot().notices[0].id;
    world.command(AppCommand::DismissNotice { notice: left });
    assert!(world.snapshot().notices.is_empty());
}

/// Two conversations of the same name that end alike are two pieces of news.
#[test]
fn equal_words_about_two_conversations_are_two() {
    let (mut world, a, turn) = running();
    let b = world.new_conversation();
    for id in [a, b] {
        world.chat(crate::api::command::ChatCommand::Rename { conversation: id, title: "Same".into() });
    }
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    world.ask(b, "q", "a");
    assert_eq!(world.snapshot().notices.len(), 2);
}

#[test]
fn each_failure_offers_its_way_out() {
    let cases = [
        (FailureKind::NotInstalled, NoticeAction::OpenEngineSettings),
        (FailureKind::NotLoggedIn, NoticeAction::OpenEngineSettings),
        (FailureKind::RateLimited, NoticeAction::OpenEngineSettings),
        (FailureKind::Crashed, NoticeAction::OpenEngineSettings),
    ];
    for (kind, expected) in cases {
        let (mut world, _, turn) = running();
        world.say(turn, failed(kind));
        let action = world.snapshot().notices[0].action.clone().unwrap();
        match kind {
            FailureKind::RateLimited => {
                let engine = crate::model::engine::EngineId::new("bob");
                assert_eq!(action, NoticeAction::UseEngine { turn, engine }, "another agent, not the tour");
            }
            FailureKind::Crashed => assert_eq!(action, NoticeAction::Retry(turn)),
            _ => assert_eq!(action, expected),
        }
    }
}

#[test]
fn trouble_is_told_once_and_notices_are_bounded() {
    let mut world = World::new();
    for _ in 0..3 {
        world.put(Input::Trouble { title: "Same".into(), body: "again".into() });
    }
    assert_eq!(world.snapshot().notices.len(), 1);
    for number in 0..100 {
        world.put(Input::Trouble { title: format!("No. {number}"), body: String::new() });
    }
    let notices = world.snapshot().notices.clone();
    assert_eq!((notices.len(), notices[49].title.as_str()), (50, "No. 99"));
}
