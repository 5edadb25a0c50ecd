//! Deep, many, and wrong: sixty levels, five hundred branches, rows that a hand has bent.

use std::time::{Duration, Instant};

use tunaflow::api::command::{BranchCommand, ChatCommand};
use tunaflow::model::id::ConversationId;

use super::bed::{self, Bed, ECHO, refused};
use crate::support::app::{TestApp, last, messages, seat};
use crate::support::database;

#[test]
fn sixty_branches_deep() {
    let app = TestApp::new();
    let parent = app.scripted(ECHO);
    let view = app.ask(parent, "ask-1");
    let mut at = (parent, messages(&view)[1].id);
    let mut chain = vec![parent];
    for depth in 1..=60 {
        let branch = app.branch(at.0, at.1, None);
        let view = app.ask(branch, &format!("level {depth}"));
        let text = last(&view).plain_text();
        assert!(text.starts_with("fork of "), "{depth}: {text}");
        at = (branch, messages(&view)[1].id);
        chain.push(branch);
    }
    let inherits = app.branch(at.0, at.1, Some(seat(&app.script(ECHO))));
    let text = last(&app.ask(inherits, "and further")).plain_text();
    assert!(text.contains("level 60") && text.contains("level 58") && text.contains("and further"), "{text}");
    let bottom = chain[60];
    app.open_whole(chain[59]);
    bed::adopted(&app, bottom);
    assert!(bed::last_card(&app, chain[59]).is_some());
    bed::assert_agrees(&app);
    app.send(ChatCommand::Delete { conversation: parent });
    app.until("all gone", |s| s.conversations.is_empty());
    app.send(ChatCommand::UndoDelete { conversation: parent });
    app.until("all back", |s| s.conversations.len() == 62);
    let app = app.restart();
    assert_eq!(app.snapshot().conversations.len(), 62);
    app.open_whole(bottom);
}

#[test]
fn five_hundred_branches_of_one_conversation() {
    let app = TestApp::new();
    let parent = app.scripted(ECHO);
    let view = app.ask(parent, "ask-1");
    let at = messages(&view)[1].id;
    let started = Instant::now();
    for number in 0..500 {
        app.send(bed::create(parent, Some(at), &format!("way {}", number % 50)));
        app.until("made", |s| s.conversations.len() == number + 2);
    }
    let snapshot = app.snapshot();
    let newest = snapshot.branch_focus.unwrap();
    assert!(snapshot.view(parent).is_some(), "the parent stays open beside them");
    app.ask(newest, "aside");
    bed::adopted(&app, newest);
    app.send(ChatCommand::Delete { conversation: parent });
    app.until("gone", |s| s.conversations.is_empty());
    app.send(ChatCommand::UndoDelete { conversation: parent });
    app.until("back", |s| s.conversations.len() == 501);
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    let app = app.restart();
    assert_eq!(app.snapshot().conversations.len(), 501);
}

/// Runs `sql` with the branch as ?1, the one in it as ?2, and opens what comes of it.
fn bent(bed: &Bed, sql: &str) -> TestApp {
    let (branch, inner) = (bed.branch.to_string(), bed.inner.to_string());
    let sql = sql.replace("?1", &branch).replace("?2", &inner).replace("?3", &bed.parent.to_string());
    bed.app_after(|home| database::open(home).execute_batch(&sql).unwrap())
}

fn works(app: &TestApp, id: ConversationId) {
    app.open_whole(id);
    let before = app.view(id).index.len();
    app.send(BranchCommand::Open { branch: id });
    app.until("beside", |s| s.branch_focus == Some(id));
    app.send(ChatCommand::PreviewPack { conversation: id, text: "p".into() });
    app.until("a preview", |s| s.view(id).is_some_and(|view| view.preview.is_some()));
    let view = app.ask(id, "still there?");
    assert_eq!(view.index.len(), before + 2);
    assert!(last(&view).plain_text().contains("still there?"));
}

#[test]
fn branches_that_are_their_own_ancestors() {
    let bed = Bed::make();
    for sql in [
        "UPDATE conversation SET parent = id WHERE id = ?1",
        "UPDATE conversation SET parent = ?2 WHERE id = ?1",
        "UPDATE conversation SET parent = ?2 WHERE id = ?1; DELETE FROM engine_session",
        "UPDATE conversation SET parent = ?2, kind = 'branch', branch_json = '{}' WHERE id = ?3",
    ] {
        let app = bent(&bed, sql);
        for id in [bed.branch, bed.inner] {
            works(&app, id);
        }
        // Deleting takes all that hangs on it, each once, and comes back.
        let count = app.snapshot().conversations.len();
        app.send(ChatCommand::Delete { conversation: bed.branch });
        app.until("deleted", |s| s.conversations.len() < count);
        app.send(ChatCommand::UndoDelete { conversation: bed.branch });
        app.until("back", |s| s.conversations.len() == count);
        let app = app.restart();
        assert_eq!(app.snapshot().conversations.len(), count);
        app.send(bed::adopt(bed.inner));
        app.until("adopted", |s| bed::shows_adopted(s, bed.inner));
    }
}

#[test]
fn branches_whose_parent_is_missing() {
    let bed = Bed::make();
    for sql in [
        "UPDATE conversation SET parent = 987654 WHERE id = ?1",
        "PRAGMA foreign_keys = ON; DELETE FROM conversation WHERE id = ?3",
        "UPDATE conversation SET checkpoint = 987654 WHERE id = ?1",
        "UPDATE conversation SET branch_json = '{\"adopted\":', parent = 987654 WHERE id = ?1",
        "UPDATE conversation SET branch_json = NULL WHERE id = ?1",
    ] {
        let app = bent(&bed, sql);
        works(&app, bed.branch);
        works(&app, bed.inner);
        if sql.contains("parent = 987654") || sql.contains("DELETE") {
            refused(&app, bed::adopt(bed.branch), "it came from is gone");
        }
        app.open_whole(bed.branch);
        bed::adopted(&app, bed.inner);
        let app = app.restart();
        assert!(app.snapshot().conversations.len() >= 2);
    }
}

/// Adopted, then the parent row vanishes: taking back says what is the matter.
#[test]
fn taking_back_without_a_parent() {
    let bed = Bed::make();
    let app = bed.app();
    app.open_whole(bed.parent);
    bed::adopted(&app, bed.branch);
    let app = app.restart_after(|home| {
        let sql = format!("UPDATE conversation SET parent = 987654 WHERE id = {}", bed.branch);
        database::open(home).execute_batch(&sql).unwrap();
    });
    refused(&app, BranchCommand::UndoAdopt { branch: bed.branch }, "it came from is gone");
}
