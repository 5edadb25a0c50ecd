//! Table `engine_session`.

use rusqlite::{Connection, params};

use crate::model::engine::EngineId;
use crate::model::id::ConversationId;
use crate::model::record::EngineSession;

use super::codec::{self, Fault};
use super::error::StoreResult;

const PUT: &str = "
    INSERT INTO engine_session (conversation, engine, session, delivered_seq, fixed_hash, turns,
      window_used_tokens, window_tokens, updated_ms, sections_json)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
    ON CONFLICT (conversation, engine) DO UPDATE SET session = excluded.session,
      delivered_seq = excluded.delivered_seq, fixed_hash = excluded.fixed_hash, turns = excluded.turns,
      window_used_tokens = excluded.window_used_tokens, window_tokens = excluded.window_tokens,
      updated_ms = excluded.updated_ms, sections_json = excluded.sections_json";
pub(super) const ONE: &str = "
    SELECT session, delivered_seq, fixed_hash, turns, window_used_tokens, window_tokens, updated_ms, sections_json
    FROM engine_session WHERE conversation = ?1 AND engine = ?2";

pub(super) fn put(conn: &Connection, session: &EngineSession) -> StoreResult<()> {
    let s = session;
    codec::run(
        conn,
        PUT,
        params![
            s.conversation.0,
            s.engine.as_str(),
            s.session,
            s.delivered_seq,
            s.fixed_hash,
            s.turns,
            codec::clamp_u64(s.window_used_tokens),
            codec::clamp_u64(s.window_tokens),
            s.updated_ms,
            codec::to_json(&s.sections)?
        ],
    )
}

pub(super) fn drop_one(
    conn: &Connection,
    conversation: ConversationId,
    engine: &EngineId,
) -> StoreResult<()> {
    let sql = "DELETE FROM engine_session WHERE conversation = ?1 AND engine = ?2";
    codec::run(conn, sql, params![conversation.0, engine.as_str()])
}

pub(super) fn drop_all(conn: &Connection, conversation: ConversationId) -> StoreResult<()> {
    codec::run(conn, "DELETE FROM engine_session WHERE conversation = ?1", [conversation.0])
}

/// An unreadable row is none: the next turn then starts a fresh session with the full context.
pub(super) fn one(
    conn: &Connection,
    conversation: ConversationId,
    engine: &EngineId,
) -> StoreResult<Option<EngineSession>> {
    codec::first(conn, ONE, params![conversation.0, engine.as_str()], |row| {
        decode(row, conversation, engine)
            .inspect_err(|why| tracing::warn!(%conversation, %engine, why, "a kept session is unreadable"))
            .ok()
    })
}

fn decode(row: &rusqlite::Row<'_>, c: ConversationId, engine: &EngineId) -> Result<EngineSession, Fault> {
    let tokens = |at| Ok::<_, Fault>(codec::opt_int(row, at)?.and_then(|number| u64::try_from(number).ok()));
    Ok(EngineSession {
        conversation: c,
        engine: engine.clone(),
        session: codec::owned_text(row, 0)?,
        delivered_seq: codec::int(row, 1)?,
        fixed_hash: codec::owned_text(row, 2)?,
        turns: codec::fit(row, 3)?,
        window_used_tokens: tokens(4)?,
        window_tokens: tokens(5)?,
        updated_ms: codec::int(row, 6)?,
        sections: codec::opt_json(row, 7)?.unwrap_or_default(),
    })
}
