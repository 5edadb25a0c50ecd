//! Big databases in a short time, for measuring. Not for the program itself.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior, params};

use crate::model::engine::EngineId;
use crate::model::message::{Author, Item, ItemBody};

use super::error::StoreResult;
use super::{StoreError, codec, file, messages, migrate};

const SENTENCES: [&str; 8] = [
    "The parser keeps the last incomplete line until more bytes arrive. ",
    "대한민국의 역사를 한 문단으로 정리해 주세요. ",
    "Each reader gets its own connection, so a slow query holds up nobody. ",
    "테스트가 모두 통과했는지 확인하고 실패하면 원인을 알려 주세요. ",
    "日本語の文も混ざっている。 ",
    "```rust\nfn main() {\n    println!(\"hello\");\n}\n```\n",
    "A list:\n- first\n- second\n- third\n\n",
    "Café, naïve, Ελληνικά, emoji 🙂. ",
];
const VARIANTS: usize = 61;

/// Fills a new database with one project, conversations, and messages of mixed lengths and scripts.
///
/// Ids: project 1, conversations from 2, then messages, `seq` from 1. The newest conversation is the last.
/// User and two agents take turns. Errors: the file exists with something in it, or the disk fails.
pub fn seed(db_path: &Path, conversations: u32, messages_per_conversation: u32) -> Result<(), StoreError> {
    if file::check_header(db_path)? {
        return Err(StoreError::other("the file to be filled exists already"));
    }
    file::create_private(db_path)?;
    let mut conn = file::open_writer(db_path)?;
    // A half-made file is thrown away anyway, so nothing is written twice.
    conn.query_row("PRAGMA journal_mode = OFF", [], |_| Ok(()))?;
    conn.pragma_update(None, "synchronous", "OFF")?;
    let folder = db_path.parent().unwrap_or(db_path);
    let safety = migrate::Safety { db_path, backups_dir: folder, now_ms: 0 };
    migrate::run(&mut conn, migrate::MIGRATIONS, &safety)?;
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    fill(&tx, conversations, messages_per_conversation)?;
    tx.commit()?;
    file::prepare_writer(&conn)
}

struct Variant {
    plain: String,
    items: String,
    chars: u32,
}

fn variants() -> StoreResult<Vec<Variant>> {
    (0..VARIANTS)
        .map(|number| {
            let plain: String =
                (0..=number % 17).map(|at| SENTENCES[(number + at) % SENTENCES.len()]).collect();
            let body = ItemBody::Text { text: plain.clone() };
            let items = [Item { key: "text".into(), body }];
            Ok(Variant { chars: messages::item_chars(&items), items: codec::to_json(&items)?, plain })
        })
        .collect()
}

fn fill(conn: &Connection, conversations: u32, messages_each: u32) -> StoreResult<()> {
    let variants = variants()?;
    let authors = [
        (None, codec::to_json(&Author::User)?),
        (Some("Ada"), codec::to_json(&agent("Ada"))?),
        (None, codec::to_json(&Author::User)?),
        (Some("Grace"), codec::to_json(&agent("Grace"))?),
    ];
    conn.execute(
        "INSERT INTO project (id, name, path, created_ms, opened_ms, skip_permissions)
         VALUES (1, 'Seeded', '/seeded', 0, 0, 0)",
        [],
    )?;
    let mut conversation = conn.prepare(
        "INSERT INTO conversation (id, project, kind, title, created_ms, updated_ms, archived, message_count,
           unread, last_turn, seat_json)
         VALUES (?1, 1, 'main', ?2, ?3, ?4, 0, ?5, 0, NULL, '{\"engine\":\"demo\",\"model\":null}')",
    )?;
    let mut message = conn.prepare(
        "INSERT INTO message (id, conversation, seq, by_user, speaker, chars, revision, created_ms, state,
           author_json, plain_text, items_json)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, 'complete', ?8, ?9, ?10)",
    )?;
    let mut id = i64::from(conversations) + 1;
    for number in 0..i64::from(conversations) {
        let conversation_id = number + 2;
        let start_ms = 1_700_000_000_000 + number * 60_000;
        let title = format!("Conversation {}", number + 1);
        conversation.execute(params![conversation_id, title, start_ms, start_ms + 30_000, messages_each])?;
        let turns = authors.iter().cycle().zip(variants.iter().cycle());
        for (seq, ((speaker, author), variant)) in (1..=i64::from(messages_each)).zip(turns) {
            id += 1;
            message.execute(params![
                id,
                conversation_id,
                seq,
                speaker.is_none(),
                speaker,
                variant.chars,
                start_ms + seq,
                author,
                variant.plain,
                variant.items
            ])?;
        }
    }
    conn.execute("UPDATE counter SET value = ?1 WHERE name = 'highest_id'", [id])?;
    Ok(())
}

fn agent(name: &str) -> Author {
    Author::Agent { engine: EngineId::new("demo"), model: None, name: name.into(), role: None }
}
