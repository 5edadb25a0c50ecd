//! The life of a turn.

use crate::api::command::ChatCommand;
use crate::domain::effect::Effect;
use crate::domain::tests::kit::{World, asked, failed, started, text_body, words};
use crate::model::id::{ConversationId, TurnId};
use crate::model::message::{ItemBody, MessageState, NoticeLevel, PermissionOutcome, ToolCall, ToolState};
use crate::model::turn::{Decision, FailureKind, Fork, StopReason, TurnEvent, TurnState, Usage};

/// A running turn in the wanted state.
fn in_state(wanted: TurnState) -> (World, ConversationId, TurnId) {
    let (mut world, id) = World::with_conversation();
    world.send(id, "go");
    world.settle();
    let turn = world.live(id);
    match wanted {
        TurnState::Starting => {}
        TurnState::Running => drop(world.say(turn, started("s"))),
        TurnState::NeedsYou => {
            world.say(turn, started("s"));
            world.say(turn, asked("q", "rm x"));
        }
        TurnState::Stopping => {
            world.say(turn, started("s"));
            world.chat(ChatCommand::Stop { conversation: id });
        }
        other => panic!("not a state of a running turn: {other:?}"),
    }
    assert_eq!(world.turn_state(id), wanted);
    (world, id, turn)
}

/// One place decides the state: every pair of state and event.
#[test]
fn state_by_state_and_event() {
    use TurnState::{Done, Failed, NeedsYou, Running, Starting, Stopped, Stopping};
    let tool = || ItemBody::Tool(ToolCall { state: ToolState::Running, ..ToolCall::default() });
    let events: Vec<(&str, TurnEvent)> = vec![
        ("started", started("s")),
        ("text", words("m", "x")),
        ("tool", TurnEvent::ItemStarted { key: "t".into(), body: tool() }),
        ("phase", TurnEvent::Phase("Thinking".into())),
        ("usage", TurnEvent::Usage(Usage::default())),
        ("notice", TurnEvent::Notice { level: NoticeLevel::Info, text: "n".into() }),
        ("asked", asked("q2", "ls")),
        ("gone", TurnEvent::PermissionGone { ask: "q".into() }),
        ("completed", TurnEvent::Finished(StopReason::Completed)),
        ("cancelled", TurnEvent::Finished(StopReason::Cancelled)),
        ("crashed", failed(FailureKind::Crashed)),
        ("session lost", failed(FailureKind::SessionLost)),
    ];
    let table: [(TurnState, [TurnState; 12]); 4] = [
        (
            Starting,
            [
                Running, Running, Running, Starting, Starting, Starting, NeedsYou, Starting, Done, Stopped,
                Failed, Starting,
            ],
        ),
        (
            Running,
            [
                Running, Running, Running, Running, Running, Running, NeedsYou, Running, Done, Stopped,
                Failed, Starting,
            ],
        ),
        (
            NeedsYou,
            [
                NeedsYou, NeedsYou, NeedsYou, NeedsYou, NeedsYou, NeedsYou, NeedsYou, Running, Done, Stopped,
                Failed, Starting,
            ],
        ),
        (
            Stopping,
            [
                Stopping, Stopping, Stopping, Stopping, Stopping, Stopping, Stopping, Stopping, Stopped,
                Stopped, Stopped, Stopped,
            ],
        ),
    ];
    for (before, after) in table {
        for ((name, event), expected) in events.iter().zip(after) {
            let (mut world, id, turn) = in_state(before);
            world.say(turn, event.clone());
            assert_eq!(world.turn_state(id), expected, "{before:?} and {name}");
            let row = world.snapshot().conversations.iter().find(|row| row.conversation.id == id).cloned();
            assert_eq!(row.unwrap().state, Some(expected), "the list says the same: {before:?} and {name}");
            let asks = world.snapshot().asks.len();
            assert_eq!(asks > 0, expected == NeedsYou, "questions are open only then: {before:?} and {name}");
        }
    }
}

/// After a yes it is the tool that is waited for, not the model.
#[test]
fn an_allowed_tool_is_what_runs() {
    let (mut world, id, turn) = in_state(TurnState::Running);
    let tool = |state| ItemBody::Tool(ToolCall { name: "Bash".into(), state, ..ToolCall::default() });
    world.say(turn, TurnEvent::ItemStarted { key: "t".into(), body: tool(ToolState::Running) });
    world.say(turn, asked("q", "make"));
    let phase =
        |world: &mut World| world.view(id).turn.as_ref().map(|turn| turn.phase.clone()).unwrap_or_default();
    assert_eq!(phase(&mut world), "Needs you");
    world.chat(ChatCommand::Answer { turn, ask: "q".into(), decision: Decision::AllowOnce });
    assert_eq!(phase(&mut world), "Running Bash");
    world.say(turn, TurnEvent::ItemReplaced { key: "t".into(), body: tool(ToolState::Done) });
    assert_eq!(phase(&mut world), "Waiting for the model");
}

#[test]
fn an_ended_turn_stays_ended() {
    for end in [TurnEvent::Finished(StopReason::Completed), failed(FailureKind::Network)] {
        let (mut world, id, turn) = in_state(TurnState::Running);
        world.say(turn, words("m", "said"));
        world.say(turn, end);
        let state = world.turn_state(id);
        for late in
            [words("m", " late"), started("s2"), asked("q", "ls"), TurnEvent::Finished(StopReason::Cancelled)]
        {
            world.say(turn, late);
        }
        assert_eq!(world.turn_state(id), state);
        assert_eq!(world.texts(id), ["go", "said"]);
        assert!(world.snapshot().asks.is_empty());
    }
}

/// The user's words are on disk before an engine hears them.
#[test]
fn nothing_is_sent_before_it_is_kept() {
    let (mut world, id) = World::with_conversation();
    world.send(id, "go");
    assert_eq!(world.texts(id)[0], "go", "shown at once");
    assert!(world.started.is_empty());
    world.settle();
    assert_eq!(world.started.len(), 1);
    assert_eq!(world.started[0].prompt, "go");
}

#[test]
fn stopped_before_it_began_sends_nothing() {
    let (mut world, id) = World::with_conversation();
    world.send(id, "go");
    world.chat(ChatCommand::Stop { conversation: id });
    world.settle();
    assert!(world.started.is_empty());
    assert_eq!(world.turn_state(id), TurnState::Stopped);
}

/// "Stopping" at once, what comes later is dropped, the part stays and is marked.
#[test]
fn stop_keeps_the_part() {
    let (mut world, id, turn) = in_state(TurnState::Running);
    world.say(turn, words("m", "part"));
    world.say(turn, asked("q", "ls"));
    let effects = world.chat(ChatCommand::Stop { conversation: id });
    assert_eq!(effects, [Effect::CancelTurn { turn }]);
    assert!(world.snapshot().asks.is_empty(), "nobody waits for an answer any more");
    world.say(turn, words("m", " late"));
    // One asked after the stop is denied without bothering anybody.
    let effects = world.say(turn, asked("q3", "ls"));
    assert!(matches!(effects.as_slice(), [Effect::Answer { decision: Decision::Deny { .. }, .. }]));
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    world.settle();
    let answer = world.view(id).message(1).unwrap().clone();
    assert_eq!((answer.plain_text().as_str(), &answer.state), ("part", &MessageState::Stopped));
    assert!(world.chat(ChatCommand::Stop { conversation: id }).is_empty(), "nothing runs");
}

/// A lost session: one retry with everything, and a notice; the second time it fails.
#[test]
fn a_lost_session_is_retried_once() {
    let (mut world, id, turn) = in_state(TurnState::NeedsYou);
    world.say(turn, words("m", "early"));
    world.say(turn, failed(FailureKind::SessionLost));
    world.settle();
    assert_eq!(world.started.len(), 2);
    assert!(world.started[1].force_fresh && !world.started[0].force_fresh);
    assert!(world.snapshot().asks.is_empty(), "the first try's question has gone");
    world.say(turn, words("m", "again"));
    let answer = world.view(id).message(1).unwrap().clone();
    assert!(answer.plain_text().contains("early") && answer.plain_text().contains("again"));
    assert!(answer.items.iter().any(|item| matches!(&item.body, ItemBody::Notice { .. })));
    world.say(turn, failed(FailureKind::SessionLost));
    world.settle();
    assert_eq!((world.started.len(), world.turn_state(id)), (2, TurnState::Failed));
}

/// What a session is taken to hold afterwards.
#[test]
fn sessions_are_kept_by_what_they_heard() {
    let ends = [
        (TurnEvent::Finished(StopReason::Completed), Some(true)),
        (TurnEvent::Finished(StopReason::Cancelled), Some(false)),
        (failed(FailureKind::Crashed), None),
    ];
    for (end, expected) in ends {
        let (mut world, id, turn) = in_state(TurnState::Running);
        world.say(turn, words("m", "said"));
        world.say(turn, end.clone());
        world.settle();
        let kept = world.store.sessions.values().next().cloned();
        let whole = kept.as_ref().map(|kept| {
            assert_eq!(kept.session, "s");
            let answer = world.store.shown(id)[1].seq;
            kept.delivered_seq == answer
        });
        assert_eq!(whole, expected, "{end:?}");
    }
}

/// A session asked again about something earlier has not heard what was said in between.
#[test]
fn after_asking_again_the_next_turn_starts_afresh() {
    let (mut world, id) = World::with_conversation();
    world.ask(id, "q", "one");
    assert_eq!(world.store.sessions.len(), 1);
    let answer = world.view(id).index[1].id;
    world.chat(ChatCommand::Regenerate { message: answer, engine: None });
    world.settle();
    assert!(world.started[1].force_fresh);
    let turn = world.live(id);
    world.say(turn, started("s2"));
    world.say(turn, words("m", "two"));
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    world.settle();
    assert!(world.store.sessions.is_empty(), "the new session never heard the first answer");
    assert_eq!(world.texts(id), ["q", "one", "two"]);
}

/// An answer goes to the question that was read, and to no other.
#[test]
fn answers_are_bound_to_their_question() {
    let (mut world, id, turn) = in_state(TurnState::Running);
    world.say(turn, asked("a", "make"));
    world.say(turn, asked("b", "rm"));
    world.say(turn, asked("b", "rm"));
    assert_eq!(world.snapshot().asks.len(), 2, "a repeated question is one");
    let allow = |ask: &str| ChatCommand::Answer { turn, ask: ask.into(), decision: Decision::AllowOnce };
    assert!(world.chat(allow("c")).is_empty());
    assert!(
        world
            .chat(ChatCommand::Answer { turn: TurnId(99), ask: "a".into(), decision: Decision::AllowOnce })
            .is_empty()
    );
    let effects = world.chat(allow("a"));
    assert!(matches!(&effects[..], [Effect::Answer { ask, .. }] if ask == "a"));
    assert_eq!(world.turn_state(id), TurnState::NeedsYou, "one is left");
    assert!(world.chat(allow("a")).is_empty(), "answered once");
    world.chat(ChatCommand::Answer {
        turn,
        ask: "b".into(),
        decision: Decision::Deny { comment: "no".into() },
    });
    assert_eq!(world.turn_state(id), TurnState::Running);
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    let answer = world.view(id).message(1).unwrap().clone();
    let outcomes: Vec<_> = answer
        .items
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::Permission { outcome, .. } => outcome.clone(),
            _ => None,
        })
        .collect();
    let denied = PermissionOutcome::Denied { comment: "no".into() };
    assert_eq!(outcomes, [PermissionOutcome::AllowedOnce, denied]);
}

/// A streaming answer is on disk at most one tick later.
#[test]
fn each_tick_keeps_what_was_said() {
    let (mut world, id, turn) = in_state(TurnState::Running);
    world.say(turn, words("m", "half"));
    assert!(world.state.wants_tick());
    world.put(crate::domain::input::Input::Tick);
    world.settle();
    assert_eq!(world.store.shown(id)[1].plain_text(), "half");
    let before = world.writes.len();
    world.put(crate::domain::input::Input::Tick);
    assert_eq!(world.writes.len(), before, "nothing new, nothing written");
}

/// After a crash: interrupted, with everything that was kept, and it can go on.
#[test]
fn what_ran_is_interrupted_after_a_crash() {
    let (mut world, id, turn) = in_state(TurnState::Running);
    world.say(turn, words("m", "half"));
    world.put(crate::domain::input::Input::Tick);
    world.settle();
    world.say(turn, words("m", " lost"));
    world.crash();
    world.settle();
    let kept = world.whole(id);
    assert_eq!((kept[1].plain_text().as_str(), &kept[1].state), ("half", &MessageState::Interrupted));
    assert_eq!(world.turn_state(id), TurnState::Interrupted);
    assert_eq!(world.store.shown(id)[1].state, MessageState::Interrupted, "and it is kept so");
    world.chat(ChatCommand::Continue { turn });
    world.settle();
    assert_eq!(world.started.len(), 1);
    assert!(world.started[0].prompt.contains("Continue"));
}

#[test]
fn an_end_that_says_nothing_is_explained() {
    let (mut world, id, turn) = in_state(TurnState::Running);
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    let answer = world.view(id).message(1).unwrap().clone();
    assert!(matches!(&answer.items[0].body, ItemBody::Notice { level: NoticeLevel::Warn, .. }));
    let (mut world, id, turn) = in_state(TurnState::Running);
    let running = ItemBody::Tool(ToolCall { state: ToolState::Running, ..ToolCall::default() });
    world.say(turn, TurnEvent::ItemStarted { key: "t".into(), body: running });
    world.say(turn, TurnEvent::ItemReplaced { key: "m".into(), body: text_body("cut") });
    world.say(turn, TurnEvent::Finished(StopReason::MaxTokens));
    let answer = world.view(id).message(1).unwrap().clone();
    assert!(matches!(&answer.items[0].body, ItemBody::Tool(tool) if tool.state == ToolState::Done));
    assert!(matches!(&answer.items[2].body, ItemBody::Notice { text, .. } if text.contains("limit")));
}

/// A fork that is not made: one try in words instead, whatever its program said about it.
#[test]
fn a_fork_that_fails_before_it_begins_is_told_in_words() {
    let fork = || TurnEvent::Forks(Fork { session: "s".into(), point: Some("p".into()) });
    for kind in [FailureKind::SessionLost, FailureKind::Crashed, FailureKind::Protocol, FailureKind::Other] {
        let (mut world, id, turn) = in_state(TurnState::Starting);
        world.say(turn, fork());
        world.say(turn, failed(kind));
        world.settle();
        assert_eq!(world.started.len(), 2, "{kind:?}");
        assert!(world.started[1].no_fork && !world.started[0].no_fork);
        let answer = world.view(id).message(1).unwrap().clone();
        assert!(answer.items.iter().any(|item| matches!(&item.body,
            ItemBody::Notice { text, .. } if text.contains("could not branch off"))));
        world.say(turn, failed(kind));
        world.settle();
        assert_eq!((world.started.len(), world.turn_state(id)), (2, TurnState::Failed), "{kind:?}");
    }
    let (mut world, id, turn) = in_state(TurnState::Starting);
    world.say(turn, fork());
    world.say(turn, failed(FailureKind::NotLoggedIn));
    world.settle();
    assert_eq!((world.started.len(), world.turn_state(id)), (1, TurnState::Failed), "no fault of the fork");
    let (mut world, id, turn) = in_state(TurnState::Starting);
    world.say(turn, fork());
    world.say(turn, started("s2"));
    world.say(turn, failed(FailureKind::Crashed));
    world.settle();
    assert_eq!((world.started.len(), world.turn_state(id)), (1, TurnState::Failed), "the fork was made");
}

/// Where a session can be forked is kept of whole answers only.
#[test]
fn fork_points_are_kept_of_whole_answers() {
    let ends = [
        (TurnEvent::Finished(StopReason::Completed), Some("p")),
        (TurnEvent::Finished(StopReason::Cancelled), None),
        (failed(FailureKind::Network), None),
    ];
    for (end, expected) in ends {
        let (mut world, _, turn) = in_state(TurnState::Running);
        world.say(turn, words("m", "said"));
        world.say(turn, TurnEvent::ForkPoint("p".into()));
        world.settle();
        world.say(turn, end.clone());
        world.settle();
        let kept = world.store.turns[&turn].fork_point.clone();
        assert_eq!(kept.as_deref(), expected, "{end:?}");
    }
}
