//! Tables `draft` and `queued`: what the user has typed but no agent has got.

use rusqlite::{Connection, params};

use crate::model::id::{ConversationId, QueuedId};
use crate::model::project::Draft;
use crate::model::record::QueuedMessage;

use super::codec::{self, Faults};
use super::error::StoreResult;

pub(super) const DRAFTS: &str = "
    SELECT d.conversation, d.text, d.pastes_json FROM draft d
    WHERE EXISTS (SELECT 1 FROM conversation c WHERE c.id = d.conversation AND c.deleted_ms IS NULL)
    ORDER BY d.conversation";
pub(super) const QUEUED: &str = "
    SELECT q.id, q.conversation, q.text, q.created_ms FROM queued q
    WHERE EXISTS (SELECT 1 FROM conversation c WHERE c.id = q.conversation AND c.deleted_ms IS NULL)
    ORDER BY q.id";

pub(super) fn put_draft(conn: &Connection, c: ConversationId, draft: Option<&Draft>) -> StoreResult<()> {
    let Some(draft) = draft else {
        return codec::run(conn, "DELETE FROM draft WHERE conversation = ?1", [c.0]);
    };
    let sql = "
        INSERT INTO draft (conversation, text, pastes_json) VALUES (?1, ?2, ?3)
        ON CONFLICT (conversation) DO UPDATE SET text = excluded.text, pastes_json = excluded.pastes_json";
    codec::run(conn, sql, params![c.0, draft.text, codec::to_json(&draft.pastes)?])
}

pub(super) fn put_queued(conn: &Connection, queued: &QueuedMessage) -> StoreResult<()> {
    let sql = "
        INSERT INTO queued (id, conversation, text, created_ms) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (id) DO UPDATE SET conversation = excluded.conversation, text = excluded.text,
          created_ms = excluded.created_ms";
    codec::run(conn, sql, params![queued.id.0, queued.conversation.0, queued.text, queued.created_ms])
}

pub(super) fn remove_queued(conn: &Connection, id: QueuedId) -> StoreResult<()> {
    codec::run(conn, "DELETE FROM queued WHERE id = ?1", [id.0])
}

pub(super) fn drafts(conn: &Connection) -> StoreResult<Vec<(ConversationId, Draft)>> {
    codec::rows(conn, DRAFTS, [], |row| {
        let mut faults = Faults::default();
        let id = codec::int(row, 0).ok()?;
        let text = faults.or("text", codec::text(row, 1).map(String::from), codec::rescued_text(row, 1));
        let pastes = faults.or("pastes", codec::json(row, 2), Vec::new());
        faults.log("draft", id);
        Some((ConversationId(id), Draft { text, pastes }))
    })
}

/// In the order they were queued.
pub(super) fn queued(conn: &Connection) -> StoreResult<Vec<QueuedMessage>> {
    codec::rows(conn, QUEUED, [], |row| {
        let mut faults = Faults::default();
        let id = codec::int(row, 0).ok()?;
        let text = faults.or("text", codec::owned_text(row, 2), codec::rescued_text(row, 2));
        let created_ms = faults.or("created_ms", codec::int(row, 3), 0);
        faults.log("queued", id);
        // Nothing can be sent of a row without any words.
        let conversation = ConversationId(codec::int(row, 1).ok()?);
        (!text.is_empty()).then_some(QueuedMessage { id: QueuedId(id), conversation, text, created_ms })
    })
}
