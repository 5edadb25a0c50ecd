//! What breaks, through the real runtime: files, rows, locks, and many things at once.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rusqlite::Connection;
use tempfile::TempDir;
use tunaflow::api::command::{AppCommand, ChatCommand, ProjectCommand};
use tunaflow::api::handle::{AppHandle, Waker};
use tunaflow::api::snapshot::DatabaseStatus;
use tunaflow::model::id::ConversationId;
use tunaflow::model::message::MessageState;
use tunaflow::runtime::{StartError, start};
use tunaflow::store::backup_if_due;
use tunaflow::store::seed::seed;

use crate::support::app::{TestApp, config, last, messages};

fn database(home: &TempDir) -> PathBuf {
    home.path().join("data").join("tunaflow.db")
}

/// Overwrites the pages of the file that hold these words.
fn damage(file: &Path, words: &str) -> Vec<u8> {
    let mut bytes = std::fs::read(file).unwrap();
    let places: Vec<usize> = (0..bytes.len() - words.len())
        .filter(|at| &bytes[*at..*at + words.len()] == words.as_bytes())
        .collect();
    assert!(!places.is_empty(), "the words are in the file");
    for at in places {
        let page = at / 4096 * 4096;
        bytes[page..page + 4096].fill(0xA5);
    }
    std::fs::write(file, &bytes).unwrap();
    bytes
}

/// A damaged page: said so, the file untouched, the rest readable, a backup brings everything back.
#[test]
fn a_damaged_database_is_shown_and_restored() {
    let app = TestApp::new();
    let a = app.scripted(r#"{"text":"answer one"}"#);
    let filler = "x ".repeat(6_000);
    app.ask(a, &format!("heron {filler}"));
    let b = app.scripted(r#"{"text":"answer two"}"#);
    app.ask(b, &format!("stork {filler} the needle"));
    let home = app.stop();
    let backups = home.path().join("data").join("backups");
    let made = backup_if_due(&database(&home), &backups, 1_700_000_000_000).unwrap();
    assert!(made.is_some());
    let bytes = damage(&database(&home), "the needle");
    let app = TestApp::in_home(home.clone(), Vec::new());
    let snapshot = app.until("the banner", |s| matches!(s.app.database, DatabaseStatus::Damaged { .. }));
    let DatabaseStatus::Damaged { backups: offered, .. } = snapshot.app.database.clone() else {
        panic!("damaged")
    };
    assert_eq!(offered.len(), 1, "backups are offered");
    let kept = app.open_whole(a);
    assert!(kept[0].plain_text().starts_with("heron"), "what can be read is there");
    // Nothing is sent that cannot be kept, and nothing is written.
    app.say(a, "meanwhile");
    app.until("unsaved", |s| s.view(a).is_some_and(|view| messages(view).iter().any(|m| m.unsaved)));
    assert_eq!(std::fs::read(database(&home)).unwrap(), bytes, "the file is as it was");
    app.send(AppCommand::RestoreBackup { path: offered[0].clone() });
    app.until("restored", |s| s.app.database == DatabaseStatus::Ok);
    app.until("saved", |s| {
        s.view(a).is_some_and(|view| {
            !view.loading && view.index.len() == 4 && messages(view).iter().all(|m| !m.unsaved)
        })
    });
    assert!(app.open_whole(b)[0].plain_text().starts_with("stork"));
    let app = app.restart();
    assert_eq!(app.open_whole(a)[2].plain_text(), "meanwhile");
}

#[test]
fn a_second_start_and_a_newer_database_are_refused() {
    let app = TestApp::new();
    let id = app.scripted(r#"{"text":"x"}"#);
    app.ask(id, "hello");
    assert!(matches!(app.start_second(), Err(StartError::AlreadyRunning { .. })));
    let home = app.stop();
    let conn = Connection::open(database(&home)).unwrap();
    conn.pragma_update(None, "user_version", 999).unwrap();
    drop(conn);
    let before = std::fs::read(database(&home)).unwrap();
    let refused = start(config(home.path(), &[]), Waker::noop()).map(|_| ()).unwrap_err();
    assert!(matches!(refused, StartError::TooNew(_)) && refused.to_string().contains("newer"), "{refused}");
    assert_eq!(std::fs::read(database(&home)).unwrap(), before);
}

/// A window draws only when it is woken: one that is not woken for the last snapshot stays open for good.
#[test]
fn the_window_is_woken_for_the_last_snapshot() {
    let home = TempDir::new().unwrap();
    let seen: Arc<OnceLock<AppHandle>> = Arc::default();
    let finished = Arc::new(AtomicBool::new(false));
    let (window, told) = (Arc::clone(&seen), Arc::clone(&finished));
    let waker = Waker::new(move |_| {
        if let Some(handle) = window.get() {
            told.fetch_or(handle.snapshot().app.finished, Ordering::SeqCst);
        }
    });
    let running = start(config(home.path(), &[]), waker).unwrap();
    assert!(seen.set(running.handle()).is_ok());
    running.finish();
    assert!(finished.load(Ordering::SeqCst));
}

/// One bad row costs one row: a placeholder, and the conversation goes on.
#[test]
fn a_bad_row_is_a_placeholder() {
    let app = TestApp::new();
    let id = app.scripted("{\"text\":\"one\"}\n{\"turn\":true}\n{\"text\":\"two\"}");
    app.ask(id, "q1");
    app.ask(id, "q2");
    let bad = app.view(id).index[1].id;
    let home = app.stop();
    let conn = Connection::open(database(&home)).unwrap();
    let sql = "UPDATE message SET items_json = '{not json', author_json = NULL WHERE id = ?1";
    assert_eq!(conn.execute(sql, [bad.0]).unwrap(), 1);
    drop(conn);
    let app = TestApp::in_home(home, Vec::new());
    let kept = app.open_whole(id);
    assert!(matches!(kept[1].state, MessageState::Damaged { .. }), "{:?}", kept[1]);
    assert_eq!((kept.len(), kept[3].plain_text().as_str()), (4, "two"));
    app.ask(id, "q3");
    assert_eq!(app.view(id).index.len(), 6);
}

/// All of a thousand conversations are listed and can be opened.
#[test]
fn a_thousand_conversations() {
    let home = Arc::new(TempDir::new().unwrap());
    std::fs::create_dir_all(home.path().join("data")).unwrap();
    seed(&database(&home), 1_000, 3).unwrap();
    let app = TestApp::in_home(home, Vec::new());
    let snapshot = app.snapshot();
    assert_eq!(snapshot.conversations.len(), 1_000, "in the first snapshot already");
    let title = |at: usize| snapshot.conversations[at].conversation.title.clone();
    assert_eq!((title(0), title(999)), ("Conversation 1000".to_owned(), "Conversation 1".to_owned()));
    let oldest = snapshot.conversations[999].conversation.id;
    assert_eq!(app.open_whole(oldest).len(), 3);
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

/// Many turns at once beside readers: no lock error, and no connection is left open.
#[test]
fn many_turns_at_once_leak_nothing() {
    let app = TestApp::new();
    let ids: Vec<ConversationId> = (0..4)
        .map(|_| {
            let id = app.scripted(r#"{"echo":true}"#);
            app.ask(id, "begin");
            id
        })
        .collect();
    let mut files = Vec::new();
    for round in 0..12 {
        for id in &ids {
            app.say(*id, &format!("round {round}"));
            app.send(ChatCommand::PreviewPack { conversation: *id, text: "p".into() });
        }
        let count = (round + 2) * 2;
        let snapshot = app.until("a round", |s| {
            ids.iter().all(|id| {
                s.view(*id).is_some_and(|v| v.live.is_empty() && v.queue.is_empty() && v.index.len() == count)
            })
        });
        assert!(snapshot.notices.is_empty(), "{:?}", snapshot.notices);
        files.push(open_files());
    }
    for id in ids {
        assert!(messages(&app.view(id)).iter().all(|message| message.state == MessageState::Complete));
    }
    // Tests beside this one open files as well, so only a leak a turn would show.
    let grown = files[11].saturating_sub(files[2]);
    assert!(grown < 30, "{files:?}");
}

/// Edited and deleted messages come back, also from disk, and are erased at the next start.
#[test]
fn an_edit_is_taken_back_through_the_store() {
    let app = TestApp::new();
    let id = app.scripted(r#"{"echo":true}"#);
    app.ask(id, "first heron");
    app.ask(id, "second stork");
    let own = messages(&app.view(id))[0].id;
    app.send(ChatCommand::EditAndResend { message: own, text: "edited crane".into() });
    app.until("replaced", |s| s.view(id).is_some_and(|v| v.index.len() == 2 && v.live.is_empty()));
    app.until_idle(id);
    app.send(ChatCommand::UndoEdit { conversation: id });
    app.until("back", |s| s.view(id).is_some_and(|v| v.index.len() == 4 && v.message(3).is_some()));
    let view = app.view(id);
    assert_eq!(messages(&view)[2].plain_text(), "second stork");
    // The next turn hears the old words and not the edited ones.
    let heard = last(&app.ask(id, "third")).plain_text();
    assert!(heard.contains("stork") && !heard.contains("crane"), "{heard}");
    let app = app.restart();
    assert_eq!(app.open_whole(id).len(), 6);
    app.send(ChatCommand::UndoEdit { conversation: id });
    app.until("told", |s| s.notices.iter().any(|notice| notice.title == "Nothing to undo"));
    let home = app.stop();
    let conn = Connection::open(database(&home)).unwrap();
    let left: i64 = conn.query_row("SELECT count(*) FROM message", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 6, "what left for good is erased");
}

/// Removing the project of a running turn holds up nothing.
#[test]
fn a_project_removed_while_a_turn_runs() {
    let app = TestApp::new();
    let id = app.scripted("{\"text\":\"part\"}\n{\"hang\":true}");
    app.say(id, "go");
    app.until("part", |s| {
        s.view(id).is_some_and(|v| v.live.first().is_some_and(|m| m.plain_text() == "part"))
    });
    let project = app.snapshot().project.unwrap();
    app.send(ProjectCommand::Remove { project });
    app.until("gone", |s| s.projects.is_empty() && s.running_turns == 0);
    let next = app.scripted(r#"{"text":"fine"}"#);
    assert_eq!(last(&app.ask(next, "hello")).plain_text(), "fine");
    assert_eq!(app.snapshot().app.database, DatabaseStatus::Ok);
}
