//! What needs a look inside: query plans, a full disk, a damaged page.

use std::path::PathBuf;

use rusqlite::Connection;

use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, MessageId, ProjectId};
use crate::model::message::{Author, Item, ItemBody, Message, MessageState};
use crate::model::project::{Conversation, ConversationKind, Project, SeatChoice};
use crate::model::record::StoreWrite;

use super::{ReadDb, Store, StoreError, StoreWorker};
use super::{
    conversations, find, knowledge, links, messages, pending, plans, projects, reader, sessions, settings,
    turns,
};

struct Home {
    _dir: tempfile::TempDir,
    db: PathBuf,
    backups: PathBuf,
}

fn home() -> Home {
    let dir = tempfile::tempdir().unwrap();
    Home { db: dir.path().join("tunaflow.db"), backups: dir.path().join("backups"), _dir: dir }
}

fn base() -> Vec<StoreWrite> {
    let seat = SeatChoice::new(EngineId::new("demo"));
    vec![
        StoreWrite::PutProject(Project {
            id: ProjectId(1),
            name: "p".into(),
            path: "/p".into(),
            created_ms: 0,
            opened_ms: 0,
            skip_permissions: false,
        }),
        StoreWrite::PutConversation(Conversation {
            id: ConversationId(2),
            project: ProjectId(1),
            kind: ConversationKind::Main,
            branch: None,
            title: "c".into(),
            created_ms: 0,
            updated_ms: 0,
            archived: false,
            seat,
            message_count: 0,
            unread: false,
            last_turn: None,
        }),
    ]
}

fn said(id: i64, text: &str) -> StoreWrite {
    StoreWrite::PutMessage(Message {
        id: MessageId(id),
        conversation: ConversationId(2),
        seq: id,
        author: Author::User,
        created_ms: 0,
        state: MessageState::Complete,
        items: vec![Item { key: "t".into(), body: ItemBody::Text { text: text.into() } }],
        turn: None,
        duration_ms: None,
        usage: None,
        revision: 0,
        unsaved: false,
    })
}

fn plan(conn: &Connection, sql: &str) -> String {
    let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let params = vec![1_i64; statement.parameter_count()];
    let lines = statement.query_map(rusqlite::params_from_iter(params), |row| row.get::<_, String>(3));
    lines.unwrap().map(Result::unwrap).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_list_is_sorted_or_scanned_by_hand() {
    let home = home();
    let store = Store::open(&home.db, &home.backups, 0).unwrap();
    let queries = [
        projects::LIST,
        projects::ONE,
        conversations::LIST,
        conversations::ONE,
        conversations::DELETED,
        messages::INDEX,
        messages::BETWEEN,
        messages::ONE,
        messages::RECENT,
        messages::COUNT,
        messages::SPEAKERS,
        messages::LAST_OF_SPEAKER,
        find::SCAN,
        turns::ONE,
        turns::LATEST,
        turns::OF_CONVERSATION,
        turns::OPEN,
        turns::EVENTS,
        turns::PACK,
        turns::REPORT,
        messages::NEWEST_DELETION,
        sessions::ONE,
        pending::DRAFTS,
        pending::QUEUED,
        settings::LIST,
        plans::OF_PROJECT,
        plans::ACTIVE[0],
        plans::ACTIVE[1],
        plans::ACTIVE[2],
        knowledge::FINDINGS,
        knowledge::AGREEMENTS,
        knowledge::AGREEMENTS_OF,
        knowledge::ARTIFACTS,
        knowledge::PINNED,
        knowledge::TOPICS,
        links::FROM,
        links::OF_PROJECT,
        links::SWITCHES,
        reader::NEXT_ID,
    ];
    for sql in queries {
        let plan = plan(store.connection(), sql);
        assert!(!plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
        let scans_much = plan.lines().any(|line| line == "SCAN message" || line == "SCAN turn_event");
        assert!(!scans_much, "{sql}\n{plan}");
    }
    let index = plan(store.connection(), messages::INDEX);
    assert!(index.contains("COVERING INDEX message_by_seq"), "{index}");
    let open = plan(store.connection(), turns::OPEN);
    assert!(open.contains("INDEX turn_open"), "{open}");
    let speakers = plan(store.connection(), messages::SPEAKERS);
    assert!(speakers.contains("COVERING INDEX message_by_speaker"), "{speakers}");
    let last = plan(store.connection(), messages::LAST_OF_SPEAKER);
    assert!(
        last.contains("INDEX message_by_speaker (conversation=? AND speaker=? AND deleted_ms=? AND seq<?)"),
        "{last}"
    );
}

#[test]
fn a_full_disk_is_told_and_forgotten_when_there_is_room() {
    let home = home();
    let mut store = Store::open(&home.db, &home.backups, 0).unwrap();
    store.apply(&base()).unwrap();
    let pages: i64 = store.connection().query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    store.connection().query_row(&format!("PRAGMA max_page_count = {}", pages + 2), [], |_| Ok(())).unwrap();
    let batch = [said(3, "small"), said(4, &"x".repeat(100_000))];
    assert_eq!(store.apply(&batch), Err(StoreError::Full));
    let reader = ReadDb::open_read_only(&home.db).unwrap();
    assert_eq!(reader.message_count(ConversationId(2)), Ok(0));
    store.connection().query_row("PRAGMA max_page_count = 1000000", [], |_| Ok(())).unwrap();
    assert_eq!(store.apply(&batch), Ok(()));
    assert_eq!(reader.message_count(ConversationId(2)), Ok(2));
    assert_eq!(reader.startup().unwrap().next_id, 5);
}

#[test]
fn a_bad_batch_fails_alone_among_joined_ones() {
    let home = home();
    let mut store = Store::open(&home.db, &home.backups, 0).unwrap();
    store.apply(&base()).unwrap();
    // Held for writing by another connection while the batches come in, so that they are joined.
    let holder = Connection::open(&home.db).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let worker = StoreWorker::start(store).unwrap();
    let (results, told) = std::sync::mpsc::sync_channel(64);
    for number in 0..10_i64 {
        let mut write = said(10 + number, "words");
        if let (5, StoreWrite::PutMessage(message)) = (number, &mut write) {
            message.conversation = ConversationId(999);
        }
        let results = results.clone();
        worker.write(vec![write], Box::new(move |result| results.send((number, result)).unwrap()));
    }
    holder.execute_batch("COMMIT").unwrap();
    drop(holder);
    worker.drain_and_close().unwrap();
    let mut outcome: Vec<(i64, bool)> =
        told.try_iter().map(|(number, result)| (number, result.is_ok())).collect();
    outcome.sort_unstable();
    assert_eq!(outcome, (0..10).map(|number| (number, number != 5)).collect::<Vec<_>>());
    assert!(!super::file::beside(&home.db, "-wal").exists(), "the log is gone after closing");
    let reader = ReadDb::open_read_only(&home.db).unwrap();
    assert_eq!(reader.message_count(ConversationId(2)), Ok(9));
}

#[test]
fn a_damaged_page_is_reported_and_costs_only_its_messages() {
    let home = home();
    super::seed::seed(&home.db, 3, 4_000).unwrap();
    let mut bytes = std::fs::read(&home.db).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0xA5);
    std::fs::write(&home.db, &bytes).unwrap();
    let checked = super::quick_check(&home.db);
    assert!(matches!(checked, Err(StoreError::Damaged { .. })), "{checked:?}");
    let reader = ReadDb::open_read_only(&home.db).unwrap();
    let startup = reader.startup().unwrap();
    assert_eq!(startup.conversations.len(), 3);
    let mut damaged = 0;
    for conversation in &startup.conversations {
        let messages = reader.messages_between(conversation.id, 0, i64::MAX).unwrap();
        assert_eq!(messages.len(), 4_000);
        damaged += messages.iter().filter(|m| matches!(m.state, MessageState::Damaged { .. })).count();
    }
    assert!((1..200).contains(&damaged), "{damaged} messages are lost with one page");
    drop(reader);
    assert!(std::fs::read(&home.db).unwrap() == bytes, "the file was changed");
}

#[test]
fn a_small_damaged_file_is_refused_at_opening_and_left_alone() {
    let home = home();
    super::seed::seed(&home.db, 1, 500).unwrap();
    let mut bytes = std::fs::read(&home.db).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0xA5);
    std::fs::write(&home.db, &bytes).unwrap();
    let opened = Store::open(&home.db, &home.backups, 0);
    assert!(matches!(opened, Err(StoreError::Damaged { .. })), "{opened:?}");
    assert!(std::fs::read(&home.db).unwrap() == bytes, "the file was changed");
    std::fs::write(&home.db, &bytes[..bytes.len() / 2]).unwrap();
    let cut = Store::open(&home.db, &home.backups, 0);
    assert!(matches!(cut, Err(StoreError::Damaged { .. })), "{cut:?}");
}

/// Overwrites the page that holds `words`.
fn damage_page_with(db: &std::path::Path, words: &str) -> Vec<u8> {
    let mut bytes = std::fs::read(db).unwrap();
    let at = bytes.windows(words.len()).position(|window| window == words.as_bytes()).unwrap();
    let start = at / 4096 * 4096;
    bytes[start..start + 4096].fill(0xA5);
    std::fs::write(db, &bytes).unwrap();
    bytes
}

#[test]
fn a_damaged_list_is_refused_for_writing_and_shown_as_far_as_possible() {
    let home = home();
    super::seed::seed(&home.db, 1_000, 20).unwrap();
    let bytes = damage_page_with(&home.db, "Conversation 500");
    assert!(bytes.len() > 5_000_000, "too big to be checked whole at opening");
    let opened = Store::open(&home.db, &home.backups, 0);
    assert!(matches!(opened, Err(StoreError::Damaged { .. })), "{opened:?}");
    let reader = ReadDb::open_read_only(&home.db).unwrap();
    let startup = reader.startup().unwrap();
    assert!((900..1_000).contains(&startup.conversations.len()), "{}", startup.conversations.len());
    assert!(startup.conversations.is_sorted_by_key(|one| std::cmp::Reverse(one.updated_ms)));
    assert_eq!(reader.index(startup.conversations[0].id).unwrap().len(), 20);
    drop(reader);
    assert!(std::fs::read(&home.db).unwrap() == bytes, "the file was changed");
}

#[test]
fn a_damaged_index_costs_no_message() {
    let home = home();
    super::seed::seed(&home.db, 2, 3_000).unwrap();
    let conn = Connection::open(&home.db).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'message_by_seq'";
    let root: u32 = conn.query_row(sql, [], |row| row.get(0)).unwrap();
    let root = root as usize;
    drop(conn);
    let mut bytes = std::fs::read(&home.db).unwrap();
    bytes[(root - 1) * 4096..root * 4096].fill(0xA5);
    std::fs::write(&home.db, &bytes).unwrap();
    let reader = ReadDb::open_read_only(&home.db).unwrap();
    let messages = reader.messages_between(ConversationId(2), 2_901, 3_000).unwrap();
    assert_eq!(messages.len(), 100);
    assert!(messages.is_sorted_by_key(|message| message.seq));
    assert!(messages.iter().all(|message| message.state == MessageState::Complete));
}
