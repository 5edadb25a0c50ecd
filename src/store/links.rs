//! Tables `link` and `skill_switch`.

use rusqlite::{Connection, params};

use crate::model::id::{ConversationId, ProjectId};
use crate::model::knowledge::{Link, MadeBy, SkillSwitch};

use super::codec;
use super::conversations::word;
use super::error::StoreResult;

pub(super) const FROM: &str = "
    SELECT conversation, linked, made_by, created_ms FROM link WHERE conversation = ?1
    ORDER BY linked DESC LIMIT ?2";
pub(super) const OF_PROJECT: &str = "
    SELECT l.conversation, l.linked, l.made_by, l.created_ms
    FROM conversation c JOIN link l ON l.conversation = c.id
    WHERE c.project = ?1 LIMIT ?2";
pub(super) const SWITCHES: &str = "
    SELECT project, conversation, skill, is_on FROM skill_switch WHERE project = ?1 LIMIT ?2";

pub(super) fn put(conn: &Connection, link: &Link) -> StoreResult<()> {
    let sql = "
        INSERT INTO link (conversation, linked, made_by, created_ms) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (conversation, linked) DO UPDATE SET made_by = excluded.made_by,
          created_ms = excluded.created_ms";
    codec::run(conn, sql, params![link.conversation.0, link.linked.0, link.made_by.word(), link.created_ms])
}

pub(super) fn remove(conn: &Connection, from: ConversationId, to: ConversationId) -> StoreResult<()> {
    codec::run(conn, "DELETE FROM link WHERE conversation = ?1 AND linked = ?2", params![from.0, to.0])
}

/// What one conversation is linked to, the newest conversation first.
pub(super) fn from(conn: &Connection, c: ConversationId, limit: usize) -> StoreResult<Vec<Link>> {
    codec::rows(conn, FROM, params![c.0, codec::limit(limit)], decode)
}

/// All links whose first end lies in the project.
pub(super) fn of_project(conn: &Connection, project: ProjectId, limit: usize) -> StoreResult<Vec<Link>> {
    codec::rows(conn, OF_PROJECT, params![project.0, codec::limit(limit)], decode)
}

fn decode(row: &rusqlite::Row<'_>) -> Option<Link> {
    Some(Link {
        conversation: ConversationId(codec::int(row, 0).ok()?),
        linked: ConversationId(codec::int(row, 1).ok()?),
        made_by: word(codec::text(row, 2), MadeBy::parse).unwrap_or_default(),
        created_ms: codec::int(row, 3).unwrap_or_default(),
    })
}

/// Conversation ids start at 1; 0 stands for the whole project.
fn scope(conversation: Option<ConversationId>) -> i64 {
    conversation.map_or(0, |id| id.0)
}

pub(super) fn put_switch(conn: &Connection, switch: &SkillSwitch) -> StoreResult<()> {
    let sql = "
        INSERT INTO skill_switch (project, conversation, skill, is_on) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (project, conversation, skill) DO UPDATE SET is_on = excluded.is_on";
    codec::run(conn, sql, params![switch.project.0, scope(switch.conversation), switch.skill, switch.on])
}

pub(super) fn remove_switch(
    conn: &Connection,
    project: ProjectId,
    conversation: Option<ConversationId>,
    skill: &str,
) -> StoreResult<()> {
    let sql = "DELETE FROM skill_switch WHERE project = ?1 AND conversation = ?2 AND skill = ?3";
    codec::run(conn, sql, params![project.0, scope(conversation), skill])
}

/// Of the project and all its conversations.
pub(super) fn switches(conn: &Connection, project: ProjectId, limit: usize) -> StoreResult<Vec<SkillSwitch>> {
    codec::rows(conn, SWITCHES, params![project.0, codec::limit(limit)], |row| {
        let conversation = codec::int(row, 1).ok()?;
        Some(SkillSwitch {
            project: ProjectId(codec::int(row, 0).ok()?),
            conversation: (conversation != 0).then_some(ConversationId(conversation)),
            skill: codec::owned_text(row, 2).ok()?,
            on: codec::int(row, 3).ok()? != 0,
        })
    })
}
