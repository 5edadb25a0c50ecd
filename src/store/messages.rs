//! Table `message`.

use rusqlite::{Connection, Row, params};
use serde_json::Value;

use crate::model::id::{ConversationId, MessageId, TurnId};
use crate::model::message::{Author, Item, ItemBody, Message, MessageState, NoticeLevel};
use crate::model::record::IndexRow;

use super::codec::{self, Fault, Faults};
use super::conversations::unknown_engine;
use super::error::{StoreError, StoreResult};

macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT id, conversation, seq, by_user, speaker, revision, created_ms, state, state_json, turn, ",
            "duration_ms, author_json, usage_json, items_json FROM message ",
            $tail
        )
    };
}

macro_rules! insert {
    ($conflict:literal) => {
        concat!(
            "INSERT INTO message (id, conversation, seq, by_user, speaker, chars, revision, created_ms, state, ",
            "state_json, turn, duration_ms, author_json, usage_json, plain_text, items_json) ",
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) ",
            $conflict
        )
    };
}

const PUT: &str = insert!(
    "ON CONFLICT (id) DO UPDATE SET conversation = excluded.conversation, seq = excluded.seq,
      by_user = excluded.by_user, speaker = excluded.speaker, chars = excluded.chars,
      revision = excluded.revision, created_ms = excluded.created_ms, state = excluded.state,
      state_json = excluded.state_json, turn = excluded.turn, duration_ms = excluded.duration_ms,
      author_json = excluded.author_json, usage_json = excluded.usage_json,
      plain_text = excluded.plain_text, items_json = excluded.items_json"
);
/// A placeholder never replaces the row it stands for: what is there may still be rescued.
const PUT_DAMAGED: &str = insert!("ON CONFLICT (id) DO NOTHING");
pub(super) const INDEX: &str = "SELECT id, seq, revision, chars, by_user FROM message WHERE conversation = ?1 AND deleted_ms IS NULL ORDER BY seq";
const INDEX_BY_TABLE: &str = "SELECT id, seq, revision, chars, by_user FROM message NOT INDEXED WHERE conversation = ?1 AND deleted_ms IS NULL";
pub(super) const BETWEEN: &str =
    select!("WHERE conversation = ?1 AND deleted_ms IS NULL AND seq BETWEEN ?2 AND ?3 ORDER BY seq");
pub(super) const ONE: &str = select!("WHERE id = ?1 AND deleted_ms IS NULL");
pub(super) const RECENT: &str =
    select!("WHERE conversation = ?1 AND deleted_ms IS NULL AND seq < ?2 ORDER BY seq DESC LIMIT ?3");
pub(super) const COUNT: &str = "SELECT count(*) FROM message WHERE conversation = ?1 AND deleted_ms IS NULL";
pub(super) const SPEAKERS: &str = "
    WITH RECURSIVE who (speaker) AS (
      SELECT min(speaker) FROM message WHERE conversation = ?1 AND speaker IS NOT NULL AND deleted_ms IS NULL
      UNION ALL
      SELECT (SELECT min(speaker) FROM message
              WHERE conversation = ?1 AND speaker IS NOT NULL AND deleted_ms IS NULL AND speaker > who.speaker)
      FROM who WHERE who.speaker IS NOT NULL)
    SELECT speaker FROM who WHERE speaker IS NOT NULL";
pub(super) const LAST_OF_SPEAKER: &str = select!(
    "WHERE conversation = ?1 AND speaker = ?2 AND deleted_ms IS NULL AND seq < ?3 AND plain_text <> '' ORDER BY seq DESC LIMIT 1"
);

pub(super) const NEWEST_DELETION: &str = "SELECT max(deleted_ms) FROM message WHERE deleted_ms IS NOT NULL";
const ERASE: &str = "
    DELETE FROM message WHERE id IN
      (SELECT id FROM message WHERE deleted_ms IS NOT NULL AND deleted_ms <= ?1 LIMIT ?2)";

/// A late write of a message that was taken out does not bring it back.
pub(super) fn put(conn: &Connection, message: &Message) -> StoreResult<()> {
    let m = message;
    let (state, state_json) = state_columns(&m.state)?;
    let sql = if matches!(m.state, MessageState::Damaged { .. }) { PUT_DAMAGED } else { PUT };
    codec::run(
        conn,
        sql,
        params![
            m.id.0,
            m.conversation.0,
            m.seq,
            matches!(m.author, Author::User),
            speaker(&m.author),
            item_chars(&m.items),
            m.revision,
            m.created_ms,
            state,
            state_json,
            m.turn.map(|turn| turn.0),
            m.duration_ms,
            codec::to_json(&m.author)?,
            codec::opt_to_json(m.usage.as_ref())?,
            m.plain_text(),
            codec::to_json(&m.items)?
        ],
    )
}

/// `None` brings them back. Those not there are passed over.
pub(super) fn set_deleted(conn: &Connection, ids: &[MessageId], deleted_ms: Option<i64>) -> StoreResult<()> {
    let mut statement = conn.prepare_cached("UPDATE message SET deleted_ms = ?2 WHERE id = ?1")?;
    for id in ids {
        statement.execute(params![id.0, deleted_ms])?;
    }
    Ok(())
}

/// Time of the newest deletion; `None` when nothing was taken out.
pub(super) fn newest_deletion(conn: &Connection) -> StoreResult<Option<i64>> {
    let newest = codec::first(conn, NEWEST_DELETION, [], |row| codec::opt_int(row, 0).ok())?;
    Ok(newest.flatten())
}

/// Erases up to `limit` messages that were taken out at `until_ms` or before. True while there may be more.
pub(super) fn erase_some(conn: &Connection, until_ms: i64, limit: u32) -> StoreResult<bool> {
    Ok(conn.prepare_cached(ERASE)?.execute(params![until_ms, limit])? > 0)
}

fn speaker(author: &Author) -> Option<&str> {
    match author {
        Author::Agent { name, .. } => Some(name),
        Author::User | Author::System => None,
    }
}

fn state_columns(state: &MessageState) -> StoreResult<(&'static str, Option<String>)> {
    Ok(match state {
        MessageState::Complete => ("complete", None),
        MessageState::Streaming => ("streaming", None),
        MessageState::Stopped => ("stopped", None),
        MessageState::Interrupted => ("interrupted", None),
        MessageState::Failed { failure } => ("failed", Some(codec::to_json(failure)?)),
        MessageState::Damaged { why } => ("damaged", Some(codec::to_json(why)?)),
    })
}

fn state(row: &Row<'_>, word_at: usize, json_at: usize) -> Result<MessageState, Fault> {
    Ok(match codec::text(row, word_at)? {
        "complete" => MessageState::Complete,
        "streaming" => MessageState::Streaming,
        "stopped" => MessageState::Stopped,
        "interrupted" => MessageState::Interrupted,
        "failed" => MessageState::Failed { failure: codec::json(row, json_at)? },
        "damaged" => MessageState::Damaged { why: codec::json(row, json_at)? },
        other => return Err(format!("unknown word {other:?}")),
    })
}

/// Characters of everything an item shows.
pub(super) fn item_chars(items: &[Item]) -> u32 {
    let chars: usize = items.iter().map(|item| body_chars(&item.body)).sum();
    u32::try_from(chars).unwrap_or(u32::MAX)
}

fn body_chars(body: &ItemBody) -> usize {
    let count = |text: &str| text.chars().count();
    let optional = |text: &Option<String>| text.as_deref().map_or(0, count);
    match body {
        ItemBody::Text { text } | ItemBody::Thinking { text } | ItemBody::Notice { text, .. } => count(text),
        ItemBody::Tool(tool) => {
            count(&tool.title) + count(&tool.input) + count(&tool.output) + optional(&tool.diff)
        }
        ItemBody::Plan { entries } => entries.iter().map(|entry| count(&entry.text)).sum(),
        ItemBody::Adopted(card) => count(&card.text),
        ItemBody::Permission { request, .. } => {
            optional(&request.command) + optional(&request.diff) + optional(&request.reason)
        }
    }
}

/// Oldest first. Reads only the covering index, unless that is damaged.
pub(super) fn index(conn: &Connection, conversation: ConversationId) -> StoreResult<Vec<IndexRow>> {
    match codec::rows(conn, INDEX, [conversation.0], decode_index) {
        Err(StoreError::Damaged { .. }) => {}
        read => return read,
    }
    let (mut rows, _) =
        codec::rows_salvaged(conn, (INDEX, INDEX_BY_TABLE), [conversation.0], decode_index, |row| row.id.0)?;
    rows.sort_by_key(|row| (row.seq, row.id));
    Ok(rows)
}

fn decode_index(row: &Row<'_>) -> Option<IndexRow> {
    Some(IndexRow {
        id: MessageId(codec::int(row, 0).ok()?),
        seq: codec::int(row, 1).unwrap_or_default(),
        revision: codec::fit(row, 2).unwrap_or_default(),
        chars: codec::fit(row, 3).unwrap_or_default(),
        by_user: codec::int(row, 4).unwrap_or_default() != 0,
    })
}

/// Oldest first, both ends included. A page of the file that cannot be read costs the messages on it.
pub(super) fn between(
    conn: &Connection,
    conversation: ConversationId,
    first_seq: i64,
    last_seq: i64,
) -> StoreResult<Vec<Message>> {
    match many(conn, BETWEEN, params![conversation.0, first_seq, last_seq]) {
        Err(StoreError::Damaged { .. }) => one_by_one(conn, conversation, first_seq, last_seq),
        read => read,
    }
}

fn one_by_one(
    conn: &Connection,
    c: ConversationId,
    first_seq: i64,
    last_seq: i64,
) -> StoreResult<Vec<Message>> {
    let wanted = index(conn, c)?.into_iter().filter(|row| (first_seq..=last_seq).contains(&row.seq));
    Ok(wanted
        .map(|row| {
            one(conn, row.id).ok().flatten().unwrap_or_else(|| Message {
                id: row.id,
                conversation: c,
                seq: row.seq,
                author: if row.by_user { Author::User } else { Author::System },
                created_ms: 0,
                state: MessageState::Damaged { why: "this part of the database file is damaged".into() },
                items: Vec::new(),
                turn: None,
                duration_ms: None,
                usage: None,
                revision: row.revision,
                unsaved: false,
            })
        })
        .collect())
}

pub(super) fn one(conn: &Connection, id: MessageId) -> StoreResult<Option<Message>> {
    Ok(many(conn, ONE, [id.0])?.pop())
}

/// Newest first.
pub(super) fn recent(
    conn: &Connection,
    c: ConversationId,
    before: i64,
    limit: u32,
) -> StoreResult<Vec<Message>> {
    many(conn, RECENT, params![c.0, before, limit])
}

pub(super) fn count(conn: &Connection, conversation: ConversationId) -> StoreResult<u32> {
    let count = codec::first(conn, COUNT, [conversation.0], |row| codec::fit(row, 0).ok())?;
    Ok(count.unwrap_or_default())
}

/// Names of the agents that spoke, in the order of their bytes.
pub(super) fn speakers(conn: &Connection, conversation: ConversationId) -> StoreResult<Vec<String>> {
    codec::rows(conn, SPEAKERS, [conversation.0], |row| codec::owned_text(row, 0).ok())
}

/// The last message with words of each agent, newest first.
pub(super) fn last_by_speaker(
    conn: &Connection,
    c: ConversationId,
    before: i64,
) -> StoreResult<Vec<Message>> {
    let mut last = Vec::new();
    for name in speakers(conn, c)? {
        last.extend(many(conn, LAST_OF_SPEAKER, params![c.0, name, before])?);
    }
    last.sort_by_key(|message| std::cmp::Reverse(message.seq));
    Ok(last)
}

fn many(conn: &Connection, sql: &str, params: impl rusqlite::Params) -> StoreResult<Vec<Message>> {
    let mut messages = codec::rows(conn, sql, params, |row| Some(decode(row)))?;
    for message in &mut messages {
        if message.items.is_empty() && matches!(message.state, MessageState::Damaged { .. }) {
            message.items = rescue(conn, message.id);
        }
    }
    Ok(messages)
}

/// What was said, from the plain text beside the unreadable items.
fn rescue(conn: &Connection, id: MessageId) -> Vec<Item> {
    let sql = "SELECT plain_text FROM message WHERE id = ?1";
    let text = codec::first(conn, sql, [id.0], |row| Some(codec::rescued_text(row, 0)));
    let text = text.ok().flatten().filter(|text| !text.is_empty());
    text.map(|text| Item { key: "rescued".into(), body: ItemBody::Text { text } }).into_iter().collect()
}

fn decode(row: &Row<'_>) -> Message {
    let mut faults = Faults::default();
    let by_user = codec::int(row, 3).unwrap_or_default() != 0;
    let author = codec::json(row, 11);
    let author = faults.or("author", author, guess_author(by_user, codec::opt_text(row, 4).ok().flatten()));
    let items = items(row, 13, &mut faults);
    let state = faults.or("state", state(row, 7, 8), MessageState::Complete);
    let mut message = Message {
        id: MessageId(codec::int(row, 0).unwrap_or_default()),
        conversation: ConversationId(codec::int(row, 1).unwrap_or_default()),
        seq: codec::int(row, 2).unwrap_or_default(),
        author,
        revision: faults.or("revision", codec::fit(row, 5), 0),
        created_ms: faults.or("created_ms", codec::int(row, 6), 0),
        turn: faults.or("turn", codec::opt_int(row, 9), None).map(TurnId),
        duration_ms: faults.or("duration_ms", codec::opt_int(row, 10), None),
        usage: faults.or("usage", codec::opt_json(row, 12), None),
        state,
        items,
        unsaved: false,
    };
    if let Some(why) = faults.line() {
        message.state = MessageState::Damaged { why };
    }
    message
}

fn guess_author(by_user: bool, speaker: Option<String>) -> Author {
    match speaker {
        _ if by_user => Author::User,
        Some(name) => Author::Agent { engine: unknown_engine(), model: None, name, role: None },
        None => Author::System,
    }
}

/// All items, or those that can be read with a note in the place of each other one.
fn items(row: &Row<'_>, at: usize, faults: &mut Faults) -> Vec<Item> {
    if let Ok(items) = codec::json(row, at) {
        return items;
    }
    let values = faults.or("items", codec::json::<Vec<Value>>(row, at), Vec::new());
    let mut out = Vec::with_capacity(values.len());
    for (index, value) in values.into_iter().enumerate() {
        out.push(serde_json::from_value(value).unwrap_or_else(|error| {
            faults.note("items", &error.to_string());
            let text = "This part could not be read.".into();
            Item {
                key: format!("unreadable-{index}"),
                body: ItemBody::Notice { level: NoticeLevel::Error, text },
            }
        }));
    }
    out
}
