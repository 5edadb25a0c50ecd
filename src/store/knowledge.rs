//! Tables `finding`, `agreement`, `artifact` and `topic`: small facts around one payload.
//!
//! A row whose payload cannot be read is left out, with a line in the log.

use rusqlite::{Connection, Row, params};

use crate::model::id::{AgreementId, ArtifactId, ConversationId, FindingId, PlanId, ProjectId, TopicId};
use crate::model::knowledge::{Agreement, Artifact, ArtifactStart, Finding, Topic};

use super::codec::{self, Fault};
use super::error::StoreResult;

pub(super) const FINDINGS: &str = "
    SELECT id, project, plan, open, updated_ms, json FROM finding
    WHERE project = ?1 AND open = ?2 ORDER BY updated_ms DESC LIMIT ?3";
pub(super) const AGREEMENTS: &str = "
    SELECT id, project, conversation, updated_ms, json FROM agreement
    WHERE project = ?1 ORDER BY updated_ms DESC LIMIT ?2";
pub(super) const AGREEMENTS_OF: &str = "
    SELECT id, project, conversation, updated_ms, json FROM agreement
    WHERE conversation = ?1 ORDER BY updated_ms DESC LIMIT ?2";
pub(super) const ARTIFACTS: &str = "
    SELECT id, project, conversation, pinned, updated_ms, json, text FROM artifact
    WHERE project = ?1 ORDER BY updated_ms DESC LIMIT ?2";
pub(super) const PINNED: &str = "
    SELECT id, project, conversation, pinned, updated_ms, json, substr(text, 1, ?3), length(text) FROM artifact
    WHERE project = ?1 AND pinned = 1 ORDER BY updated_ms DESC LIMIT ?2";
pub(super) const TOPICS: &str = "
    SELECT id, conversation, pinned, updated_ms, json FROM topic
    WHERE conversation = ?1 ORDER BY updated_ms DESC LIMIT ?2";

/// `table` is one of this file's.
pub(super) fn remove(conn: &Connection, table: &str, id: i64) -> StoreResult<()> {
    codec::run(conn, &format!("DELETE FROM {table} WHERE id = ?1"), [id])
}

pub(super) fn put_finding(conn: &Connection, finding: &Finding) -> StoreResult<()> {
    let sql = "
        INSERT INTO finding (id, project, plan, open, updated_ms, json) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (id) DO UPDATE SET project = excluded.project, plan = excluded.plan,
          open = excluded.open, updated_ms = excluded.updated_ms, json = excluded.json";
    let f = finding;
    let plan = f.plan.map(|id| id.0);
    codec::run(conn, sql, params![f.id.0, f.project.0, plan, f.open, f.updated_ms, codec::to_json(&f.body)?])
}

pub(super) fn put_agreement(conn: &Connection, agreement: &Agreement) -> StoreResult<()> {
    let sql = "
        INSERT INTO agreement (id, project, conversation, updated_ms, json) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (id) DO UPDATE SET project = excluded.project, conversation = excluded.conversation,
          updated_ms = excluded.updated_ms, json = excluded.json";
    let a = agreement;
    let conversation = a.conversation.map(|id| id.0);
    codec::run(conn, sql, params![a.id.0, a.project.0, conversation, a.updated_ms, codec::to_json(&a.body)?])
}

pub(super) fn put_artifact(conn: &Connection, artifact: &Artifact) -> StoreResult<()> {
    let sql = "
        INSERT INTO artifact (id, project, conversation, pinned, updated_ms, json, text)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (id) DO UPDATE SET project = excluded.project, conversation = excluded.conversation,
          pinned = excluded.pinned, updated_ms = excluded.updated_ms, json = excluded.json,
          text = excluded.text";
    let a = artifact;
    let (conversation, body) = (a.conversation.map(|id| id.0), codec::to_json(&a.body)?);
    codec::run(conn, sql, params![a.id.0, a.project.0, conversation, a.pinned, a.updated_ms, body, a.text])
}

pub(super) fn put_topic(conn: &Connection, topic: &Topic) -> StoreResult<()> {
    let sql = "
        INSERT INTO topic (id, conversation, pinned, updated_ms, json) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (id) DO UPDATE SET conversation = excluded.conversation, pinned = excluded.pinned,
          updated_ms = excluded.updated_ms, json = excluded.json";
    let t = topic;
    codec::run(conn, sql, params![t.id.0, t.conversation.0, t.pinned, t.updated_ms, codec::to_json(&t.body)?])
}

/// Newest first, at most `limit`.
pub(super) fn findings(
    conn: &Connection,
    project: ProjectId,
    open: bool,
    limit: usize,
) -> StoreResult<Vec<Finding>> {
    codec::rows(conn, FINDINGS, params![project.0, open, codec::limit(limit)], |row| {
        readable("finding", row, |row| {
            Ok(Finding {
                id: FindingId(codec::int(row, 0)?),
                project: ProjectId(codec::int(row, 1)?),
                plan: codec::opt_int(row, 2)?.map(PlanId),
                open: codec::int(row, 3)? != 0,
                updated_ms: codec::int(row, 4)?,
                body: codec::json(row, 5)?,
            })
        })
    })
}

/// Of the whole project, newest first, at most `limit`.
pub(super) fn agreements(conn: &Connection, project: ProjectId, limit: usize) -> StoreResult<Vec<Agreement>> {
    codec::rows(conn, AGREEMENTS, params![project.0, codec::limit(limit)], agreement)
}

/// Of one conversation, newest first, at most `limit`.
pub(super) fn agreements_of(
    conn: &Connection,
    conversation: ConversationId,
    limit: usize,
) -> StoreResult<Vec<Agreement>> {
    codec::rows(conn, AGREEMENTS_OF, params![conversation.0, codec::limit(limit)], agreement)
}

fn agreement(row: &Row<'_>) -> Option<Agreement> {
    readable("agreement", row, |row| {
        Ok(Agreement {
            id: AgreementId(codec::int(row, 0)?),
            project: ProjectId(codec::int(row, 1)?),
            conversation: codec::opt_int(row, 2)?.map(ConversationId),
            updated_ms: codec::int(row, 3)?,
            body: codec::json(row, 4)?,
        })
    })
}

/// Newest first, at most `limit`.
pub(super) fn artifacts(conn: &Connection, project: ProjectId, limit: usize) -> StoreResult<Vec<Artifact>> {
    codec::rows(conn, ARTIFACTS, params![project.0, codec::limit(limit)], |row| {
        readable("artifact", row, artifact)
    })
}

/// How the pinned ones begin, `start_chars` of each; newest first, at most `limit`.
pub(super) fn pinned(
    conn: &Connection,
    project: ProjectId,
    limit: usize,
    start_chars: usize,
) -> StoreResult<Vec<ArtifactStart>> {
    let (limit, start_chars) = (codec::limit(limit), codec::limit(start_chars));
    codec::rows(conn, PINNED, params![project.0, limit, start_chars], |row| {
        readable("artifact", row, |row| {
            let start = artifact(row)?;
            let whole_chars = usize::try_from(codec::int(row, 7)?).unwrap_or_default();
            let rest_chars = whole_chars.saturating_sub(start.text.chars().count());
            Ok(ArtifactStart { start, rest_chars })
        })
    })
}

fn artifact(row: &Row<'_>) -> Result<Artifact, Fault> {
    Ok(Artifact {
        id: ArtifactId(codec::int(row, 0)?),
        project: ProjectId(codec::int(row, 1)?),
        conversation: codec::opt_int(row, 2)?.map(ConversationId),
        pinned: codec::int(row, 3)? != 0,
        updated_ms: codec::int(row, 4)?,
        body: codec::json(row, 5)?,
        text: codec::owned_text(row, 6)?,
    })
}

/// Newest first, at most `limit`.
pub(super) fn topics(
    conn: &Connection,
    conversation: ConversationId,
    limit: usize,
) -> StoreResult<Vec<Topic>> {
    codec::rows(conn, TOPICS, params![conversation.0, codec::limit(limit)], |row| {
        readable("topic", row, |row| {
            Ok(Topic {
                id: TopicId(codec::int(row, 0)?),
                conversation: ConversationId(codec::int(row, 1)?),
                pinned: codec::int(row, 2)? != 0,
                updated_ms: codec::int(row, 3)?,
                body: codec::json(row, 4)?,
            })
        })
    })
}

fn readable<T>(
    table: &'static str,
    row: &Row<'_>,
    read: impl FnOnce(&Row<'_>) -> Result<T, Fault>,
) -> Option<T> {
    let id = codec::int(row, 0).unwrap_or_default();
    read(row)
        .inspect_err(|why| tracing::warn!(table, id, why, "a stored row is unreadable and left out"))
        .ok()
}
