//! Table `conversation`.

use rusqlite::{Connection, Row, params};

use crate::model::branch::Branch;
use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, MessageId, ProjectId};
use crate::model::project::{Conversation, ConversationKind, SeatChoice};
use crate::model::turn::TurnState;

use super::codec::{self, Faults};
use super::error::StoreResult;

macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT id, project, kind, title, created_ms, updated_ms, archived, message_count, unread, ",
            "last_turn, seat_json, parent, checkpoint, branch_json FROM conversation ",
            $tail
        )
    };
}

// `deleted_ms` is left alone: a late count must not bring a deleted conversation back.
const PUT: &str = "
    INSERT INTO conversation (id, project, kind, title, created_ms, updated_ms, archived, message_count,
      unread, last_turn, seat_json, parent, checkpoint, branch_json)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
    ON CONFLICT (id) DO UPDATE SET project = excluded.project, kind = excluded.kind, title = excluded.title,
      created_ms = excluded.created_ms, updated_ms = excluded.updated_ms, archived = excluded.archived,
      message_count = excluded.message_count, unread = excluded.unread, last_turn = excluded.last_turn,
      seat_json = excluded.seat_json, parent = excluded.parent, checkpoint = excluded.checkpoint,
      branch_json = excluded.branch_json";
pub(super) const LIST: &str = select!("WHERE deleted_ms IS NULL ORDER BY updated_ms DESC, id DESC");
const BY_TABLE: &str = select!("NOT INDEXED WHERE deleted_ms IS NULL");
pub(super) const ONE: &str = select!("WHERE id = ?1 AND deleted_ms IS NULL");
const BRANCHES: &str =
    select!("WHERE parent = ?1 AND archived = 0 AND deleted_ms IS NULL ORDER BY updated_ms DESC, id DESC");
pub(super) const DELETED: &str =
    "SELECT id FROM conversation WHERE deleted_ms IS NOT NULL ORDER BY deleted_ms";

/// Stands for an engine whose stored name could not be read.
pub(super) fn unknown_engine() -> EngineId {
    EngineId::new("unknown")
}

/// Stands for a seat that could not be read: the user chooses anew.
pub(super) fn unknown_seat() -> SeatChoice {
    SeatChoice::new(unknown_engine())
}

fn kind_word(kind: ConversationKind) -> &'static str {
    match kind {
        ConversationKind::Main => "main",
        ConversationKind::Branch => "branch",
        ConversationKind::Roundtable => "roundtable",
    }
}

fn parse_kind(word: &str) -> Option<ConversationKind> {
    [ConversationKind::Main, ConversationKind::Branch, ConversationKind::Roundtable]
        .into_iter()
        .find(|kind| kind_word(*kind) == word)
}

pub(super) fn put(conn: &Connection, conversation: &Conversation) -> StoreResult<()> {
    let c = conversation;
    let seat = codec::to_json(&c.seat)?;
    let last_turn = c.last_turn.map(TurnState::word);
    let branch = c.branch.as_ref();
    codec::run(
        conn,
        PUT,
        params![
            c.id.0,
            c.project.0,
            kind_word(c.kind),
            c.title,
            c.created_ms,
            c.updated_ms,
            c.archived,
            c.message_count,
            c.unread,
            last_turn,
            seat,
            branch.map(|branch| branch.parent.0),
            branch.and_then(|branch| branch.checkpoint).map(|message| message.0),
            codec::opt_to_json(branch.map(|branch| &branch.facts))?
        ],
    )
}

pub(super) fn set_deleted(conn: &Connection, id: ConversationId, deleted_ms: Option<i64>) -> StoreResult<()> {
    codec::run(conn, "UPDATE conversation SET deleted_ms = ?2 WHERE id = ?1", params![id.0, deleted_ms])
}

/// Most recently spoken in first; deleted ones are absent.
pub(super) fn list(conn: &Connection) -> StoreResult<Vec<Conversation>> {
    let (mut list, salvaged) =
        codec::rows_salvaged(conn, (LIST, BY_TABLE), (), |row| Some(decode(row)), |one| one.id.0)?;
    if salvaged {
        list.sort_by_key(|one| std::cmp::Reverse((one.updated_ms, one.id)));
    }
    Ok(list)
}

pub(super) fn one(conn: &Connection, id: ConversationId) -> StoreResult<Option<Conversation>> {
    codec::first(conn, ONE, [id.0], |row| Some(decode(row)))
}

/// Active branches that start in a conversation, most recently spoken in first.
pub(super) fn branches(conn: &Connection, parent: ConversationId) -> StoreResult<Vec<Conversation>> {
    codec::rows(conn, BRANCHES, [parent.0], |row| Some(decode(row)))
}

/// Those taken off the lists, to be erased.
pub(super) fn deleted(conn: &Connection) -> StoreResult<Vec<ConversationId>> {
    codec::rows(conn, DELETED, [], |row| codec::int(row, 0).ok().map(ConversationId))
}

/// Erases up to `limit` messages of a deleted conversation, or the conversation itself when none is left.
/// True while there is more to do.
pub(super) fn erase_some(conn: &Connection, id: ConversationId, limit: u32) -> StoreResult<bool> {
    let sql = "DELETE FROM message WHERE id IN (SELECT id FROM message WHERE conversation = ?1 LIMIT ?2)";
    if conn.prepare_cached(sql)?.execute(params![id.0, limit])? > 0 {
        return Ok(true);
    }
    codec::run(conn, "DELETE FROM conversation WHERE id = ?1 AND deleted_ms IS NOT NULL", [id.0])?;
    Ok(false)
}

fn decode(row: &Row<'_>) -> Conversation {
    let mut faults = Faults::default();
    let id = codec::int(row, 0).unwrap_or_default();
    let conversation = Conversation {
        id: ConversationId(id),
        project: ProjectId(faults.or("project", codec::int(row, 1), 0)),
        kind: faults.or("kind", word(codec::text(row, 2), parse_kind), ConversationKind::Main),
        branch: branch(row, &mut faults),
        title: faults.or("title", codec::owned_text(row, 3), format!("Conversation {id}")),
        created_ms: faults.or("created_ms", codec::int(row, 4), 0),
        updated_ms: faults.or("updated_ms", codec::int(row, 5), 0),
        archived: faults.or("archived", codec::int(row, 6), 0) != 0,
        message_count: faults.or("message_count", codec::fit(row, 7), 0),
        unread: faults.or("unread", codec::int(row, 8), 0) != 0,
        last_turn: faults.or("last_turn", opt_state(row, 9), None),
        seat: faults.or("seat", codec::json(row, 10), unknown_seat()),
    };
    faults.log("conversation", id);
    conversation
}

/// Facts that cannot be read are taken as those of a plain branch: where it hangs counts more.
fn branch(row: &Row<'_>, faults: &mut Faults) -> Option<Branch> {
    let parent = faults.or("parent", codec::opt_int(row, 11), None)?;
    Some(Branch {
        parent: ConversationId(parent),
        checkpoint: faults.or("checkpoint", codec::opt_int(row, 12), None).map(MessageId),
        facts: faults.or("branch", codec::opt_json(row, 13), None).unwrap_or_default(),
    })
}

fn opt_state(row: &Row<'_>, at: usize) -> Result<Option<TurnState>, codec::Fault> {
    let Some(found) = codec::opt_text(row, at)? else { return Ok(None) };
    word(Ok(&found), TurnState::parse).map(Some)
}

/// Reads a stable word by its own parser.
pub(super) fn word<T>(
    text: Result<&str, codec::Fault>,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, codec::Fault> {
    let text = text?;
    parse(text).ok_or_else(|| format!("unknown word {text:?}"))
}
