//! Conversations, projects, drafts and what waits.

use crate::api::command::{ChatCommand, ProjectCommand};
use crate::domain::effect::Effect;
use crate::domain::input::Input;
use crate::domain::tests::kit::{World, failed, seat, words};
use crate::model::id::ConversationId;
use crate::model::message::MessageState;
use crate::model::project::{Draft, TextNames};
use crate::model::turn::{FailureKind, StopReason, TurnEvent, TurnState};

fn titles(world: &mut World) -> Vec<String> {
    world.snapshot().conversations.iter().map(|row| row.conversation.title.clone()).collect()
}

#[test]
fn commands_about_a_conversation_change_its_row_and_are_kept() {
    let (mut world, id) = World::with_conversation();
    let rename = |title: &str| ChatCommand::Rename { conversation: id, title: title.into() };
    type Holds = Box<dyn Fn(&crate::model::project::Conversation) -> bool>;
    let cases: Vec<(ChatCommand, Holds)> = vec![
        (rename("  A  new\nname "), Box::new(|row| row.title == "A new name")),
        (rename("   "), Box::new(|row| row.title == "A new name")),
        (rename(&"긴".repeat(500)), Box::new(|row| row.title.chars().count() == 200)),
        (ChatCommand::SetArchived { conversation: id, archived: true }, Box::new(|row| row.archived)),
        (
            ChatCommand::SetSeat { conversation: id, seat: seat("bob") },
            Box::new(|row| row.seat == seat("bob")),
        ),
    ];
    for (command, holds) in cases {
        world.chat(command.clone());
        world.settle();
        let row = world.snapshot().conversations[0].conversation.clone();
        assert!(holds(&row), "{command:?} gave {row:?}");
        assert_eq!(world.store.conversations[&id], row, "{command:?}");
    }
}

/// Every command about something that is not there says so or does nothing, and asks for no work.
#[test]
fn commands_about_nothing_are_harmless() {
    use crate::model::id::{FindId, MessageId, ProjectId, QueuedId, TurnId};
    let none = ConversationId(999);
    let commands = vec![
        ChatCommand::New { project: ProjectId(999), seat: None },
        ChatCommand::Open { conversation: none },
        ChatCommand::LoadPage { conversation: none, page: u32::MAX },
        ChatCommand::Rename { conversation: none, title: "x".into() },
        ChatCommand::SetArchived { conversation: none, archived: true },
        ChatCommand::Delete { conversation: none },
        ChatCommand::UndoDelete { conversation: none },
        ChatCommand::SetSeat { conversation: none, seat: seat("ada") },
        ChatCommand::SetBudget { conversation: none, budget_chars: Some(1) },
        ChatCommand::SaveDraft { conversation: none, draft: Draft::text("x") },
        ChatCommand::Send { conversation: none, draft: Draft::text("x") },
        ChatCommand::Stop { conversation: none },
        ChatCommand::EditQueued { queued: QueuedId(999), text: "x".into() },
        ChatCommand::RemoveQueued { queued: QueuedId(999) },
        ChatCommand::SendQueuedNow { queued: QueuedId(999) },
        ChatCommand::EditAndResend { message: MessageId(999), text: "x".into() },
        ChatCommand::Regenerate { message: MessageId(999), engine: None },
        ChatCommand::Continue { turn: TurnId(999) },
        ChatCommand::DeleteMessage { message: MessageId(999) },
        ChatCommand::UndoEdit { conversation: none },
        ChatCommand::Find { conversation: none, find: FindId(1), query: "x".into() },
        ChatCommand::PreviewPack { conversation: none, text: "x".into() },
    ];
    for command in commands {
        let (mut world, id) = World::with_conversation();
        let before = world.store.conversations.clone();
        let effects = world.chat(command.clone());
        assert!(effects.is_empty() && world.reads.is_empty(), "{command:?} {effects:?}");
        world.settle();
        assert_eq!(world.store.conversations, before, "{command:?}");
        assert!(world.view(id).index.is_empty() && world.started.is_empty(), "{command:?}");
    }
}

#[test]
fn a_far_page_is_no_page() {
    let (mut world, id) = World::with_conversation();
    world.ask(id, "q", "a");
    world.chat(ChatCommand::LoadPage { conversation: id, page: u32::MAX });
    assert!(world.reads.is_empty());
}

/// Words from elsewhere go out, wait, or are refused: what was typed here stays.
#[test]
fn words_from_elsewhere_leave_the_draft() {
    let (mut world, id) = World::with_conversation();
    let typed = Draft { text: "half a thought".into(), pastes: vec!["paste".into()] };
    world.chat(ChatCommand::SaveDraft { conversation: id, draft: typed.clone() });
    let words = |text: &str| ChatCommand::SendWords { conversation: id, text: text.into() };
    world.chat(words("to both"));
    world.settle();
    assert_eq!(world.texts(id)[0], "to both");
    world.chat(words("and more"));
    world.settle();
    assert_eq!(world.view(id).queue.len(), 1);
    assert_eq!(*world.view(id).draft, typed);
    world.chat(ChatCommand::Delete { conversation: id });
    for _ in 0..2 {
        world.chat(words("too late"));
    }
    world.chat(ChatCommand::UndoDelete { conversation: id });
    world.settle();
    let draft = world.view(id).draft.clone();
    assert_eq!((draft.text.as_str(), &draft.pastes), ("half a thought\n\ntoo late", &typed.pastes));
}

/// A new conversation shows nothing of a deleted one, and the deleted one can come back whole.
#[test]
fn deleting_and_taking_it_back() {
    let (mut world, id) = World::with_conversation();
    world.ask(id, "old", "answer");
    world.chat(ChatCommand::SaveDraft { conversation: id, draft: Draft::text("old draft") });
    world.chat(ChatCommand::Delete { conversation: id });
    world.settle();
    assert!(titles(&mut world).is_empty() && world.snapshot().focus.is_none());
    let other = world.new_conversation();
    assert!(world.view(other).index.is_empty() && world.view(other).draft.is_blank());
    world.chat(ChatCommand::UndoDelete { conversation: id });
    world.settle();
    assert_eq!(world.texts(id), ["old", "answer"]);
    assert_eq!(world.view(id).draft.text, "old draft");
    assert!(world.snapshot().notices.is_empty());
}

/// The way back stays when the deleted conversation's turn ends.
#[test]
fn deleting_while_a_turn_runs() {
    let (mut world, id) = World::with_conversation();
    world.look(None, false);
    world.send(id, "go");
    world.settle();
    let turn = world.live(id);
    let effects = world.chat(ChatCommand::Delete { conversation: id });
    assert!(
        effects.contains(&Effect::CancelTurn { turn })
            && effects.contains(&Effect::CloseSeats { conversation: id })
    );
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    world.settle();
    let notices = world.snapshot().notices.clone();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].title.starts_with("Deleted"));
}

/// Forgetting a project ends what runs in it; its last words have no place any more and block nothing.
#[test]
fn removing_a_project_while_a_turn_runs() {
    let (mut world, id) = World::with_conversation();
    let project = world.project();
    world.send(id, "go");
    world.settle();
    let turn = world.live(id);
    let effects = world.command(ProjectCommand::Remove { project });
    assert!(effects.contains(&Effect::CancelTurn { turn }));
    world.say(turn, words("m", "late"));
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    world.settle();
    assert!(world.store.messages.is_empty() && world.store.turns.is_empty());
    let snapshot = world.snapshot();
    assert!(snapshot.projects.is_empty() && snapshot.open.is_empty() && snapshot.running_turns == 0);
}

#[test]
fn projects_are_opened_once_and_picked() {
    let mut world = World::new();
    assert!(world.snapshot().app.first_run);
    let effects = world.command(ProjectCommand::Open { path: "/code/heron".into() });
    assert_eq!(effects, [Effect::CheckFolder { path: "/code/heron".into() }]);
    let checked =
        |world: &mut World, path: &str| world.put(Input::FolderChecked { path: path.into(), result: Ok(()) });
    checked(&mut world, "/code/heron");
    checked(&mut world, "/code/stork");
    checked(&mut world, "/code/heron");
    let snapshot = world.snapshot();
    let names: Vec<&str> = snapshot.projects.iter().map(|project| project.name.as_str()).collect();
    assert_eq!(names, ["heron", "stork"]);
    assert_eq!(snapshot.project, Some(snapshot.projects[0].id));
    assert!(!snapshot.app.first_run);
    world.put(Input::FolderChecked { path: "/no".into(), result: Err("/no is not there".into()) });
    let told = world.snapshot().notices.last().cloned().unwrap();
    assert!(told.body.contains("/no is not there"));
    world.put(Input::GitBranch {
        project: snapshot.projects[1].id,
        branch: Some("late".into()),
        detached: false,
    });
    assert_eq!(world.snapshot().git_branch, None, "not of the project that is shown");
    world.put(Input::GitBranch {
        project: snapshot.projects[0].id,
        branch: Some("main".into()),
        detached: false,
    });
    assert_eq!(world.snapshot().git_branch.as_deref(), Some("main"));
    world.command(ProjectCommand::SetSkipPermissions { project: snapshot.projects[0].id, on: true });
    assert!(world.snapshot().projects[0].skip_permissions);
    world.command(ProjectCommand::Remove { project: snapshot.projects[0].id });
    assert_eq!(world.snapshot().project, Some(snapshot.projects[1].id));
}

#[test]
fn a_choice_to_skip_permissions_reaches_the_next_turn() {
    let (mut world, id) = World::with_conversation();
    let project = world.project();
    let effects = world.command(ProjectCommand::SetSkipPermissions { project, on: true });
    assert_eq!(effects, [Effect::CloseSeats { conversation: id }]);
    world.send(id, "go");
    world.settle();
    assert!(world.started[0].skip_permissions);
}

/// A draft belongs to its conversation, is kept within a tick, and leaves when it is sent.
#[test]
fn drafts() {
    let (mut world, a) = World::with_conversation();
    let b = world.new_conversation();
    let draft = Draft { text: "초안".into(), pastes: vec!["15,000 lines".into()] };
    world.chat(ChatCommand::SaveDraft { conversation: a, draft: draft.clone() });
    assert!(world.state.wants_tick());
    world.put(Input::Tick);
    world.settle();
    assert!(!world.state.wants_tick());
    world.crash();
    world.chat(ChatCommand::Open { conversation: a });
    world.chat(ChatCommand::Open { conversation: b });
    world.settle();
    assert_eq!(*world.view(a).draft, draft);
    assert!(world.view(b).draft.is_blank());
    world.chat(ChatCommand::Send { conversation: a, draft });
    world.settle();
    assert!(world.view(a).draft.is_blank() && world.store.drafts.is_empty());
    assert_eq!(world.started[0].prompt, "초안\n\n15,000 lines");
    world.chat(ChatCommand::Send { conversation: b, draft: Draft::text(" \n") });
    assert!(world.view(b).index.is_empty(), "nothing to send");
}

/// Words that cannot be sent stay where they were typed.
#[test]
fn what_is_not_sent_stays_a_draft() {
    let (mut world, id) = World::with_conversation();
    world.state.looks_only = true;
    world.state.owner_runs = true;
    world.send(id, "not here");
    world.settle();
    assert!(world.started.is_empty() && world.view(id).index.is_empty());
    assert_eq!(world.view(id).draft.text, "not here");
    assert!(world.snapshot().notices.iter().any(|notice| notice.title == "Not sent"));
}

/// A front that only looks never delivers what waits for the program that runs, nor ends its turns.
#[test]
fn looking_changes_nothing() {
    let (mut world, id) = World::with_conversation();
    world.send(id, "one");
    world.send(id, "two");
    world.settle();
    let kept = world.store.clone();
    let startup = kept.startup();
    world.state =
        crate::domain::AppState::new("0".into(), "/data".into(), TextNames::default()).only_looking(true);
    world.started.clear();
    world.put(Input::Started(Box::new(startup)));
    world.chat(ChatCommand::Open { conversation: id });
    for _ in 0..2 {
        while !world.reads.is_empty() {
            world.read(0);
            world.deliver(0);
        }
    }
    assert!(world.started.is_empty());
    assert_eq!(world.view(id).queue.len(), 1);
    let answer = world.view(id).message(1).cloned().expect("the answer that is being written");
    assert_eq!(answer.state, MessageState::Streaming, "it goes on elsewhere");
    assert!(world.writes.is_empty(), "{:?}", world.writes);
}

/// Three wait; a stop, a restart: each goes out once, in order.
#[test]
fn what_waits_goes_out_once_and_in_order() {
    let (mut world, id) = World::with_conversation();
    for text in ["one", "two", "three", "four"] {
        world.send(id, text);
    }
    world.settle();
    assert_eq!(world.view(id).queue.len(), 3);
    assert_eq!(world.snapshot().conversations[0].queued, 3);
    let queue = world.view(id).queue.clone();
    world.chat(ChatCommand::EditQueued { queued: queue[2].id, text: "FOUR".into() });
    world.chat(ChatCommand::SendQueuedNow { queued: queue[1].id });
    let turn = world.live(id);
    world.say(turn, TurnEvent::Finished(StopReason::Cancelled));
    world.settle();
    assert_eq!(world.started[1].prompt, "three");
    world.crash();
    world.settle();
    world.chat(ChatCommand::Open { conversation: id });
    world.settle();
    let turn = world.live(id);
    world.say(turn, words("m", "x"));
    world.say(turn, TurnEvent::Finished(StopReason::Completed));
    world.settle();
    let prompts: Vec<&str> = world.started.iter().map(|spec| spec.prompt.as_str()).collect();
    assert_eq!(prompts, ["two", "FOUR"]);
    assert!(world.store.queued.is_empty());
    let said: Vec<String> =
        world.store.shown(id).iter().step_by(2).map(crate::model::message::Message::plain_text).collect();
    assert_eq!(said, ["one", "three", "two", "FOUR"]);
}

/// A failure holds what waits: the user decides.
#[test]
fn a_failure_holds_the_queue() {
    let (mut world, id) = World::with_conversation();
    world.send(id, "one");
    world.send(id, "two");
    world.send(id, "three");
    world.settle();
    let turn = world.live(id);
    world.say(turn, failed(FailureKind::RateLimited));
    world.settle();
    assert_eq!((world.view(id).queue.len(), world.started.len()), (2, 1));
    let queue = world.view(id).queue.clone();
    world.chat(ChatCommand::RemoveQueued { queued: queue[0].id });
    world.chat(ChatCommand::EditQueued { queued: queue[1].id, text: " ".into() });
    world.settle();
    assert!(world.view(id).queue.is_empty() && world.store.queued.is_empty());
    world.chat(ChatCommand::Retry { turn, engine: Some(crate::model::engine::EngineId::new("bob")) });
    world.settle();
    assert_eq!(world.started[1].prompt, "one");
    assert_eq!(world.started[1].seat.engine.as_str(), "bob");
    assert_eq!(world.view(id).index.len(), 2, "the empty failed answer made room");
    assert_eq!(world.turn_state(id), TurnState::Starting);
}

#[test]
fn a_used_conversation_gets_a_title_and_an_untouched_one_is_used_again() {
    let mut world = World::new();
    let project = world.project();
    for _ in 0..3 {
        world.chat(ChatCommand::New { project, seat: None });
        world.settle();
    }
    assert_eq!(world.snapshot().conversations.len(), 1);
    let id = world.snapshot().focus.unwrap();
    let long = format!("# 제목 {}\nrest", "단어 ".repeat(40));
    world.send(id, &long);
    let title = titles(&mut world)[0].clone();
    assert!(title.starts_with("제목 단어") && title.ends_with('…') && title.chars().count() <= 61, "{title}");
    world.chat(ChatCommand::New { project, seat: Some(seat("bob")) });
    assert_eq!(world.snapshot().conversations.len(), 2);
}

#[test]
fn a_budget_of_its_own_is_kept_within_limits() {
    use crate::model::settings::{BUDGET_CHARS_DEFAULT, BUDGET_CHARS_MAX, BUDGET_CHARS_MIN};
    for (asked, given) in
        [(None, BUDGET_CHARS_DEFAULT), (Some(1), BUDGET_CHARS_MIN), (Some(u32::MAX), BUDGET_CHARS_MAX)]
    {
        let (mut world, id) = World::with_conversation();
        world.chat(ChatCommand::SetBudget { conversation: id, budget_chars: asked });
        world.send(id, "go");
        world.settle();
        assert_eq!(world.started[0].budget_chars, given);
    }
}
