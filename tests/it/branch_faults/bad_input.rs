//! Commands at a bad moment, twice, or about something that is gone.

use std::sync::Arc;

use tunaflow::api::command::{AppCommand, BranchCommand, ChatCommand, ProjectCommand};
use tunaflow::api::snapshot::Snapshot;
use tunaflow::model::branch::{BranchStatus, SummarySource};
use tunaflow::model::id::ConversationId;
use tunaflow::model::turn::TurnState;
use tunaflow::runtime::StartError;

use super::bed::{self, ADOPTED, Bed, ECHO, NOTHING, refused};
use crate::support::app::{TestApp, last, messages, seat};
use crate::support::database;

const HANGING: &str = "{\"text\":\"part\"}\n{\"hang\":true}";

/// The answer that hangs has said what it says; an answer without words is there before that.
fn has_part(snapshot: &Snapshot, id: ConversationId) -> bool {
    let live = snapshot.view(id).and_then(|view| view.live.first());
    live.is_some_and(|answer| answer.plain_text() == "part")
}

fn status(snapshot: &Snapshot, id: ConversationId) -> Option<BranchStatus> {
    let row = snapshot.conversations.iter().find(|row| row.conversation.id == id)?;
    row.conversation.branch_status()
}

fn until_kept(app: &TestApp, bed: &Bed, wanted: bed::Facts) {
    app.poll("kept", std::time::Duration::from_secs(20), || (bed.facts(app.home()) == wanted).then_some(()));
}

fn hang(app: &TestApp, conversation: ConversationId) {
    let seat = seat(&app.script(HANGING));
    app.send(ChatCommand::SetSeat { conversation, seat });
    app.begin(conversation, "go on");
    app.until("part", |s| has_part(s, conversation));
}

#[test]
fn nothing_is_adopted_or_taken_back_while_an_answer_streams() {
    let bed = Bed::make();
    let app = bed.app();
    app.open_whole(bed.parent);
    app.open_whole(bed.branch);
    hang(&app, bed.branch);
    refused(&app, bed::adopt(bed.branch), "still answering in the branch");
    app.send(ChatCommand::Stop { conversation: bed.branch });
    app.until_state(bed.branch, TurnState::Stopped);
    hang(&app, bed.parent);
    refused(&app, bed::adopt(bed.branch), "answering in the parent");
    assert_eq!(bed.facts(app.home()).links, 0);
    app.send(ChatCommand::Stop { conversation: bed.parent });
    app.until_state(bed.parent, TurnState::Stopped);
    bed::adopted(&app, bed.branch);
    hang(&app, bed.parent);
    refused(&app, BranchCommand::UndoAdopt { branch: bed.branch }, "answering in the parent");
    app.send(ChatCommand::Stop { conversation: bed.parent });
    app.until_state(bed.parent, TurnState::Stopped);
    refused(&app, BranchCommand::UndoAdopt { branch: bed.branch }, "has gone on");
    bed::assert_agrees(&app);
}

/// A message that waits would go out from the archive, unseen.
#[test]
fn nothing_is_adopted_while_messages_wait_in_the_branch() {
    let bed = Bed::make();
    let app = bed.app();
    app.open_whole(bed.branch);
    hang(&app, bed.branch);
    app.say(bed.branch, "waits");
    app.until("it waits", |s| s.view(bed.branch).is_some_and(|view| view.queue.len() == 1));
    let app = app.restart();
    refused(&app, bed::adopt(bed.branch), "waits in the branch");
    app.send(ChatCommand::SetArchived { conversation: bed.branch, archived: true });
    app.until("archived", |s| status(s, bed.branch) == Some(BranchStatus::Archived));
    app.open_whole(bed.branch);
    let view = app.view(bed.branch);
    assert!(view.live.is_empty() && view.queue.len() == 1, "an archived branch sends nothing");
}

#[test]
fn two_adoptions_at_once_make_one_card() {
    let bed = Bed::make();
    let app = bed.app();
    app.open_whole(bed.parent);
    app.send(bed::adopt(bed.branch));
    refused(&app, bed::adopt_with(bed.branch, "the other"), "adopted already");
    until_kept(&app, &bed, ADOPTED);
    bed::assert_agrees(&app);
    app.send(BranchCommand::UndoAdopt { branch: bed.branch });
    refused(&app, BranchCommand::UndoAdopt { branch: bed.branch }, "has not been adopted");
    until_kept(&app, &bed, NOTHING);
    // A second program is not let in at all.
    assert!(matches!(app.start_second(), Err(StartError::AlreadyRunning { .. })));
    bed::assert_agrees(&app);
}

/// The parent and its branches are shown while the parent is deleted; undo brings all of them.
#[test]
fn a_parent_deleted_while_its_branch_is_shown() {
    let bed = Bed::make();
    let app = bed.app();
    app.open_whole(bed.parent);
    app.send(BranchCommand::Open { branch: bed.branch });
    let beside = Some(bed.branch);
    app.send(AppCommand::Viewing {
        conversation: Some(bed.parent),
        beside: vec![bed.branch],
        held: Vec::new(),
        focused: true,
    });
    app.until("beside", |s| s.branch_focus == beside && s.view(bed.branch).is_some_and(|view| !view.loading));
    hang(&app, bed.branch);
    app.send(ChatCommand::Delete { conversation: bed.parent });
    let gone = app.until("gone", |s| s.conversations.is_empty() && s.running_turns == 0);
    assert!(gone.open.is_empty(), "nothing of it is open");
    assert_eq!((gone.focus, gone.branch_focus), (None, None));
    refused(&app, bed::adopt(bed.branch), "There is no conversation");
    refused(&app, BranchCommand::UndoAdopt { branch: bed.branch }, "There is no conversation");
    refused(&app, bed::create(bed.branch, None, "x"), "There is no conversation");
    app.send(ChatCommand::UndoDelete { conversation: bed.parent });
    app.until("back", |s| s.conversations.len() == 3);
    app.open_whole(bed.branch);
    app.open_whole(bed.parent);
    app.until("stopped", |s| status(s, bed.branch).is_some());
    bed::adopted(&app, bed.branch);
    // Deleted for good: nothing of it is left, not even after the next start has erased it.
    app.send(ChatCommand::Delete { conversation: bed.parent });
    app.until("gone", |s| s.conversations.is_empty());
    let app = app.restart();
    assert!(app.snapshot().conversations.is_empty());
    app.poll("erased", std::time::Duration::from_secs(20), || {
        (database::number(app.home(), "SELECT count(*) FROM conversation") == 0).then_some(())
    });
    for table in ["message", "turn", "engine_session", "link", "queued"] {
        let left = database::number(app.home(), &format!("SELECT count(*) FROM {table}"));
        assert_eq!(left, 0, "{table}");
    }
    database::assert_sound(app.home());
}

/// What was deleted before its parent cannot come back without it.
#[test]
fn a_branch_does_not_come_back_without_its_parent() {
    let bed = Bed::make();
    let app = bed.app();
    app.open_whole(bed.parent);
    app.send(ChatCommand::Delete { conversation: bed.inner });
    app.until("gone", |s| s.conversations.len() == 2);
    app.send(ChatCommand::Delete { conversation: bed.parent });
    app.until("all gone", |s| s.conversations.is_empty());
    refused(&app, ChatCommand::UndoDelete { conversation: bed.inner }, "Bring that back first");
    assert!(app.snapshot().conversations.is_empty());
    app.send(ChatCommand::UndoDelete { conversation: bed.parent });
    app.until("two are back", |s| s.conversations.len() == 2);
    app.send(ChatCommand::UndoDelete { conversation: bed.inner });
    app.until("and the third", |s| s.conversations.len() == 3);
    let app = app.restart();
    assert_eq!(app.snapshot().conversations.len(), 3);
}

#[test]
fn a_removed_project_leaves_no_branch_in_focus() {
    let bed = Bed::make();
    let app = bed.app();
    app.open_whole(bed.parent);
    app.send(BranchCommand::Open { branch: bed.branch });
    let project = app.until("beside", |s| s.branch_focus == Some(bed.branch)).project.unwrap();
    app.send(ProjectCommand::Remove { project });
    let left = app.until("removed", |s| s.projects.is_empty());
    assert_eq!((left.focus, left.branch_focus, left.open.len()), (None, None, 0));
}

/// The starting message is deleted or replaced afterwards: the branch goes on with what was there before it.
#[test]
fn a_checkpoint_that_is_gone() {
    for edited in [false, true] {
        let app = TestApp::new();
        let parent = app.scripted(ECHO);
        for number in 1..=3 {
            app.ask(parent, &format!("ask-{number}"));
        }
        let said = messages(&app.view(parent));
        let branch = app.branch(parent, said[3].id, None);
        if edited {
            app.send(ChatCommand::EditAndResend { message: said[2].id, text: "in other words".into() });
            app.until("replaced", |s| {
                s.view(parent).is_some_and(|v| v.index.len() == 4 && v.live.is_empty())
            });
            app.until_idle(parent);
        } else {
            app.send(ChatCommand::DeleteMessage { message: said[3].id });
            app.until("deleted", |s| s.view(parent).is_some_and(|view| view.index.len() == 5));
        }
        for restarted in [false, true] {
            let text = last(&app.ask(branch, "aside")).plain_text();
            if restarted {
                continue;
            }
            assert!(text.starts_with("no fork"), "{text}");
            assert!(text.contains("ask-1") && !text.contains("ask-3"), "{text}");
            assert_eq!(text.contains("[User]\nask-2"), !edited, "{text}");
            assert!(!text.contains("in other words"), "said after the branch began: {text}");
            assert!(text.contains("has been removed there since"), "it says so: {text}");
        }
        // Erased for good.
        let app = app.restart();
        app.open_whole(parent);
        app.open_whole(branch);
        app.send(ChatCommand::SetSeat { conversation: branch, seat: seat(&app.script(ECHO)) });
        let text = last(&app.ask(branch, "once more")).plain_text();
        assert!(text.contains("ask-1") && !text.contains("ask-3"), "{text}");
        assert!(text.contains("has been removed there since"), "{text}");
        bed::adopted(&app, branch);
        bed::assert_agrees(&app);
    }
}

/// The starting message of the branch above is gone: what is below still knows its own part.
#[test]
fn a_checkpoint_further_up_that_is_gone() {
    let app = TestApp::new();
    let parent = app.scripted(ECHO);
    for number in 1..=2 {
        app.ask(parent, &format!("ask-{number}"));
    }
    let said = messages(&app.view(parent));
    let branch = app.branch(parent, said[3].id, None);
    let view = app.ask(branch, "aside-1");
    let inner = app.branch(branch, messages(&view)[1].id, Some(seat(&app.script("{\"echo\":true}"))));
    app.send(ChatCommand::DeleteMessage { message: said[3].id });
    app.until("deleted", |s| s.view(parent).is_some_and(|view| view.index.len() == 3));
    let text = last(&app.ask(inner, "deeper")).plain_text();
    assert!(text.contains("aside-1") && text.contains("ask-2"), "{text}");
}

#[test]
fn labels_are_one_line_of_what_can_be_read() {
    let bed = Bed::make();
    let app = bed.app();
    app.open_whole(bed.parent);
    let (long, cut) = ("긴".repeat(10_000), "긴".repeat(200));
    let cases = [
        ("feature/auth/../x", "feature/auth/../x"),
        ("🔐 ключ 열쇠", "🔐 ключ 열쇠"),
        ("a\r\nb\tc\u{85}d", "a b c d"),
        ("nul\0 bell\u{7} \u{1b}[31mred", "nul bell [31mred"),
        ("\u{202e}desrever\u{202c} \u{2067}x\u{2069}", "desrever x"),
        ("مرحبا\u{200f}!", "مرحبا\u{200f}!"),
        ("👩\u{200d}💻", "👩\u{200d}💻"),
        (long.as_str(), cut.as_str()),
        ("same", "same"),
        ("same", "same"),
    ];
    let mut known: Vec<ConversationId> = Vec::new();
    for (given, expected) in cases {
        app.send(bed::create(bed.parent, None, given));
        let made = app.until("made", |s| s.branch_focus.is_some_and(|id| !known.contains(&id)));
        let id = made.branch_focus.unwrap();
        known.push(id);
        let row = made.conversations.iter().find(|row| row.conversation.id == id).unwrap();
        assert_eq!(row.conversation.title, expected);
        app.send(ChatCommand::Rename { conversation: id, title: "meanwhile".into() });
        app.send(ChatCommand::Rename { conversation: id, title: given.into() });
        app.until("renamed", |s| {
            s.conversations.iter().any(|row| row.conversation.id == id && row.conversation.title == expected)
        });
    }
    // Nothing that can be read: as if none were given.
    for given in ["", " \n ", "\0\u{1b}\u{202e}"] {
        app.send(bed::create(bed.parent, None, given));
        let made = app.until("made", |s| s.branch_focus.is_some_and(|id| !known.contains(&id)));
        let id = made.branch_focus.unwrap();
        known.push(id);
        let row = made.conversations.iter().find(|row| row.conversation.id == id).unwrap();
        assert!(row.conversation.title.starts_with("Branch of "), "{}", row.conversation.title);
        app.send(ChatCommand::Rename { conversation: id, title: given.into() });
    }
    let app = app.restart();
    app.until("there", |s| s.conversations.len() == 3 + known.len());
    bed::assert_agrees(&app);
}

#[test]
fn branches_of_little_and_of_what_is_not_whole() {
    let app = TestApp::new();
    let empty = app.scripted(ECHO);
    app.send(bed::create(empty, None, "of nothing"));
    let branch = app.until("made", |s| s.branch_focus.is_some()).branch_focus.unwrap();
    let text = last(&app.ask(branch, "hello")).plain_text();
    assert!(text.starts_with("no fork") && !text.contains("Before this branch"), "{text}");
    // Nothing was said in it: words of one's own are adopted all the same.
    app.send(bed::create(branch, None, "silent"));
    let silent = app.until("made", |s| s.branch_focus.is_some_and(|id| id != branch)).branch_focus.unwrap();
    bed::adopted(&app, silent);
    let card = bed::last_card(&app, branch).unwrap();
    assert_eq!((card.messages, card.agents.len(), card.source), (0, 0, SummarySource::Own));
    assert!(card.markdown().contains("(0 messages)"), "{}", card.markdown());

    let running = app.scripted(HANGING);
    app.begin(running, "question");
    app.until("part", |s| has_part(s, running));
    let view = app.view(running);
    let (question, answer) = (view.index[0].id, view.index[1].id);
    refused(&app, bed::create(running, Some(answer), "x"), "still being written");
    let aside = app.branch(running, question, Some(seat(&app.script(ECHO))));
    let text = last(&app.ask(aside, "aside")).plain_text();
    assert!(text.contains("question") && !text.contains("part"), "{text}");
    app.send(ChatCommand::Stop { conversation: running });
    app.until_state(running, TurnState::Stopped);
    let cut = app.branch(running, answer, Some(seat(&app.script(ECHO))));
    let text = last(&app.ask(cut, "aside")).plain_text();
    assert!(text.starts_with("no fork") && text.contains("part"), "{text}");
    bed::assert_agrees(&app);
}

/// Continued after it was adopted, a branch may come to something new: a second card, and each is taken back alone.
#[test]
fn a_branch_that_goes_on_is_adopted_again() {
    let bed = Bed::make();
    let app = bed.app();
    app.open_whole(bed.parent);
    app.open_whole(bed.branch);
    bed::adopted(&app, bed.branch);
    until_kept(&app, &bed, ADOPTED);
    app.send(ChatCommand::SetArchived { conversation: bed.branch, archived: false });
    app.until("active", |s| status(s, bed.branch) == Some(BranchStatus::Active));
    app.ask(bed.branch, "aside-2");
    app.send(bed::adopt_with(bed.branch, "On second thought: OAuth2."));
    app.until("again", |s| status(s, bed.branch) == Some(BranchStatus::Adopted));
    let twice = bed::Facts { cards: 2, agreements: 2, counted: 6, ..ADOPTED };
    until_kept(&app, &bed, twice);
    bed::assert_agrees(&app);
    refused(&app, bed::adopt(bed.branch), "adopted already");
    // The newest is taken back first; what was adopted before stands again.
    app.send(BranchCommand::UndoAdopt { branch: bed.branch });
    until_kept(&app, &bed, bed::Facts { archived: false, ..ADOPTED });
    app.until("continued", |s| status(s, bed.branch) == Some(BranchStatus::Active));
    bed::assert_agrees(&app);
    app.send(BranchCommand::UndoAdopt { branch: bed.branch });
    until_kept(&app, &bed, NOTHING);
    bed::assert_agrees(&app);
    database::assert_sound(app.home());
}

/// More agreements than are read, all newer than the adopted one.
#[test]
fn adopting_among_ten_thousand_agreements() {
    let bed = Bed::make();
    let fill = |home: &std::path::Path| {
        let conn = database::open(home);
        let project: i64 = conn.query_row("SELECT id FROM project", [], |row| row.get(0)).unwrap();
        conn.execute_batch("BEGIN").unwrap();
        for id in 0..10_000_i64 {
            let sql = "INSERT INTO agreement (id, project, conversation, updated_ms, json) VALUES (?1, ?2, NULL, ?3, ?4)";
            let json = format!("{{\"text\":\"agreement {id}\"}}");
            conn.execute(sql, rusqlite::params![1_000_000 + id, project, 9_000_000_000_000_i64 + id, json])
                .unwrap();
        }
        conn.execute_batch("UPDATE counter SET value = 2000000; COMMIT").unwrap();
    };
    let app = bed.app_after(fill);
    app.until("knowledge", |s| !s.knowledge.loading && s.knowledge.agreements.len() >= 1_000);
    app.open_whole(bed.parent);
    bed::adopted(&app, bed.branch);
    until_kept(&app, &bed, bed::Facts { agreements: 10_001, ..ADOPTED });
    // The next start does not read it among the newest.
    let app = app.restart();
    app.until("knowledge", |s| !s.knowledge.loading && s.knowledge.agreements.len() >= 1_000);
    app.open_whole(bed.parent);
    let agreement = bed::last_card(&app, bed.parent).unwrap().agreement;
    assert!(app.snapshot().knowledge.agreements.iter().all(|row| row.id != agreement));
    app.send(BranchCommand::UndoAdopt { branch: bed.branch });
    until_kept(&app, &bed, bed::Facts { agreements: 10_000, ..NOTHING });
    let left = format!("SELECT count(*) FROM agreement WHERE id = {agreement}");
    assert_eq!(database::number(app.home(), &left), 0, "the agreement goes with its card");
}

/// Adopted while what the project keeps is still being read: both are shown when it is there.
#[test]
fn adopting_before_everything_is_read() {
    let bed = Bed::make();
    for _round in 0..10 {
        let app = bed.app();
        // Sent at once, before anything has been waited for.
        app.send(bed::adopt(bed.branch));
        app.until("adopted", |s| bed::shows_adopted(s, bed.branch));
        app.until("knowledge", |s| s.knowledge.project.is_some() && !s.knowledge.loading);
        until_kept(&app, &bed, ADOPTED);
        app.until("shown", |s| s.knowledge.agreements.len() == 1 && s.knowledge.links.len() == 1);
        app.send(ChatCommand::Open { conversation: bed.parent });
        app.until("open", |s| s.view(bed.parent).is_some_and(|view| !view.loading));
        app.open_whole(bed.parent);
        app.send(BranchCommand::UndoAdopt { branch: bed.branch });
        until_kept(&app, &bed, NOTHING);
    }
}

/// What an adoption was made from may be gone when it is asked for.
#[test]
fn adopting_with_every_kind_of_text() {
    let bed = Bed::make();
    let app = bed.app();
    app.open_whole(bed.parent);
    for (text, words) in [("", "empty"), (" \u{200b}\n".trim(), "empty"), ("\n\t ", "empty")] {
        if text.trim().is_empty() {
            refused(&app, bed::adopt_with(bed.branch, text), words);
        }
    }
    refused(&app, bed::adopt_with(bed.branch, &"가".repeat(20_001)), "20000 is the most");
    let text = format!("{}\n\n```\n*\"'\\\n```\n\0 \u{202e}end", "가😀".repeat(5_000));
    app.send(bed::adopt_with(bed.branch, &text));
    app.until("adopted", |s| bed::shows_adopted(s, bed.branch));
    until_kept(&app, &bed, ADOPTED);
    assert_eq!(bed::last_card(&app, bed.parent).unwrap().text, text);
    let app = Arc::new(app.restart());
    app.open_whole(bed.parent);
    assert_eq!(bed::last_card(&app, bed.parent).unwrap().text, text);
    bed::assert_agrees(&app);
}
