//! Tables `turn`, `turn_event` and `pack`.

use rusqlite::{Connection, Row, params};

use crate::model::id::{ConversationId, MessageId, TurnId};
use crate::model::pack::{ContextPack, PackReport};
use crate::model::record::TurnRecord;
use crate::model::turn::{StopReason, TurnState};

use super::codec::{self, Faults};
use super::conversations::{unknown_seat, word};
use super::error::{StoreError, StoreResult};

macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT id, conversation, user_message, answer, state, started_ms, ended_ms, stop, session, ",
            "seat_json, failure_json, usage_json, fork_point FROM turn ",
            $tail
        )
    };
}

const PUT: &str = "
    INSERT INTO turn (id, conversation, user_message, answer, state, started_ms, ended_ms, stop, session,
      seat_json, failure_json, usage_json, fork_point)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
    ON CONFLICT (id) DO UPDATE SET conversation = excluded.conversation,
      user_message = excluded.user_message, answer = excluded.answer, state = excluded.state,
      started_ms = excluded.started_ms, ended_ms = excluded.ended_ms, stop = excluded.stop,
      session = excluded.session, seat_json = excluded.seat_json, failure_json = excluded.failure_json,
      usage_json = excluded.usage_json, fork_point = excluded.fork_point";
pub(super) const ONE: &str = select!("WHERE id = ?1");
pub(super) const LATEST: &str = select!(
    "WHERE conversation = ?1 AND NOT EXISTS
      (SELECT 1 FROM message m WHERE m.id = turn.answer AND m.deleted_ms IS NOT NULL)
     ORDER BY id DESC LIMIT 1"
);
pub(super) const OF_CONVERSATION: &str = select!("WHERE conversation = ?1 ORDER BY id");
pub(super) const OPEN: &str = select!(
    "WHERE state NOT IN ('done', 'failed', 'stopped', 'interrupted') AND EXISTS
      (SELECT 1 FROM conversation c WHERE c.id = turn.conversation AND c.deleted_ms IS NULL)
     ORDER BY id"
);
pub(super) const EVENTS: &str = "SELECT at_ms, kind, json FROM turn_event WHERE turn = ?1 ORDER BY id";
pub(super) const PACK: &str = "SELECT report_json, sections_json, sent_text FROM pack WHERE turn = ?1";
pub(super) const REPORT: &str = "SELECT report_json FROM pack WHERE turn = ?1";
/// Exact texts kept, over all conversations: about 100 KB each.
pub(super) const PACK_TEXTS_MAX: u32 = 1_000;
const PRUNE: &str = "
    UPDATE pack SET sections_json = NULL, sent_text = NULL WHERE turn IN
      (SELECT turn FROM pack WHERE sent_text IS NOT NULL ORDER BY turn DESC LIMIT -1 OFFSET ?1)";

/// One kept line of a turn's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnEventRow {
    pub at_ms: i64,
    pub kind: String,
    pub json: String,
}

pub(super) fn put(conn: &Connection, turn: &TurnRecord) -> StoreResult<()> {
    let t = turn;
    codec::run(
        conn,
        PUT,
        params![
            t.id.0,
            t.conversation.0,
            t.user_message.0,
            t.answer.map(|answer| answer.0),
            t.state.word(),
            t.started_ms,
            t.ended_ms,
            t.stop.map(stop_word),
            t.session,
            codec::to_json(&t.seat)?,
            codec::opt_to_json(t.failure.as_ref())?,
            codec::opt_to_json(t.usage.as_ref())?,
            t.fork_point
        ],
    )
}

pub(super) fn append_event(
    conn: &Connection,
    turn: TurnId,
    at_ms: i64,
    kind: &str,
    json: &str,
) -> StoreResult<()> {
    let sql = "INSERT INTO turn_event (turn, at_ms, kind, json) VALUES (?1, ?2, ?3, ?4)";
    codec::run(conn, sql, params![turn.0, at_ms, kind, json])
}

pub(super) fn put_pack(conn: &Connection, turn: TurnId, pack: &ContextPack, sent: &str) -> StoreResult<()> {
    let sql = "
        INSERT INTO pack (turn, report_json, sections_json, sent_text) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (turn) DO UPDATE SET report_json = excluded.report_json,
          sections_json = excluded.sections_json, sent_text = excluded.sent_text";
    let (report, sections) = (codec::to_json(&pack.report)?, codec::to_json(&pack.sections)?);
    codec::run(conn, sql, params![turn.0, report, sections, sent])?;
    codec::run(conn, PRUNE, [PACK_TEXTS_MAX])
}

pub(super) fn one(conn: &Connection, turn: TurnId) -> StoreResult<Option<TurnRecord>> {
    codec::first(conn, ONE, [turn.0], |row| Some(decode(row)))
}

pub(super) fn latest(conn: &Connection, conversation: ConversationId) -> StoreResult<Option<TurnRecord>> {
    codec::first(conn, LATEST, [conversation.0], |row| Some(decode(row)))
}

/// Oldest first.
pub(super) fn of_conversation(
    conn: &Connection,
    conversation: ConversationId,
) -> StoreResult<Vec<TurnRecord>> {
    codec::rows(conn, OF_CONVERSATION, [conversation.0], |row| Some(decode(row)))
}

/// Those not ended, oldest first; a state that this program does not know counts as not ended.
pub(super) fn open(conn: &Connection) -> StoreResult<Vec<TurnRecord>> {
    codec::rows(conn, OPEN, [], |row| Some(decode(row)))
}

/// Oldest first.
pub(super) fn events(conn: &Connection, turn: TurnId) -> StoreResult<Vec<TurnEventRow>> {
    codec::rows(conn, EVENTS, [turn.0], |row| {
        Some(TurnEventRow {
            at_ms: codec::int(row, 0).unwrap_or_default(),
            kind: codec::rescued_text(row, 1),
            json: codec::rescued_text(row, 2),
        })
    })
}

pub(super) fn pack(conn: &Connection, turn: TurnId) -> StoreResult<Option<(ContextPack, String)>> {
    let read = codec::first(conn, PACK, [turn.0], |row| Some(decode_pack(row)))?;
    read.transpose()
        .map_err(|why| StoreError::other(format!("the context kept for turn {turn} is unreadable ({why})")))
}

fn decode_pack(row: &Row<'_>) -> Result<(ContextPack, String), codec::Fault> {
    let report = codec::json(row, 0)?;
    let sections = codec::opt_json(row, 1)?.unwrap_or_default();
    Ok((ContextPack { sections, report }, codec::opt_text(row, 2)?.unwrap_or_default()))
}

/// `None` also when it cannot be read: it is only shown.
pub(super) fn report(conn: &Connection, turn: TurnId) -> StoreResult<Option<PackReport>> {
    codec::first(conn, REPORT, [turn.0], |row| codec::json(row, 0).ok())
}

fn stop_word(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Completed => "completed",
        StopReason::MaxTokens => "max_tokens",
        StopReason::Refused => "refused",
        StopReason::Cancelled => "cancelled",
    }
}

fn opt_stop(row: &Row<'_>, at: usize) -> Result<Option<StopReason>, codec::Fault> {
    let Some(found) = codec::opt_text(row, at)? else { return Ok(None) };
    let parse = |text: &str| {
        [StopReason::Completed, StopReason::MaxTokens, StopReason::Refused, StopReason::Cancelled]
            .into_iter()
            .find(|stop| stop_word(*stop) == text)
    };
    word(Ok(&found), parse).map(Some)
}

fn decode(row: &Row<'_>) -> TurnRecord {
    let mut faults = Faults::default();
    let id = codec::int(row, 0).unwrap_or_default();
    let turn = TurnRecord {
        id: TurnId(id),
        conversation: ConversationId(faults.or("conversation", codec::int(row, 1), 0)),
        user_message: MessageId(faults.or("user_message", codec::int(row, 2), 0)),
        answer: faults.or("answer", codec::opt_int(row, 3), None).map(MessageId),
        // Nothing runs that this program did not start.
        state: faults.or("state", word(codec::text(row, 4), TurnState::parse), TurnState::Interrupted),
        started_ms: faults.or("started_ms", codec::int(row, 5), 0),
        ended_ms: faults.or("ended_ms", codec::opt_int(row, 6), None),
        stop: faults.or("stop", opt_stop(row, 7), None),
        session: faults.or("session", codec::opt_text(row, 8), None),
        seat: faults.or("seat", codec::json(row, 9), unknown_seat()),
        failure: faults.or("failure", codec::opt_json(row, 10), None),
        usage: faults.or("usage", codec::opt_json(row, 11), None),
        fork_point: faults.or("fork_point", codec::opt_text(row, 12), None),
    };
    faults.log("turn", id);
    turn
}
