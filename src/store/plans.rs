//! Table `plan`.

use rusqlite::{Connection, Row, params};

use crate::model::id::{ConversationId, PlanId, ProjectId};
use crate::model::plan::{Plan, PlanBody};

use super::codec::{self, Faults};
use super::error::StoreResult;

macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT id, project, conversation, implementation, review, active, updated_ms, json, document ",
            "FROM plan ",
            $tail
        )
    };
}

const PUT: &str = "
    INSERT INTO plan (id, project, conversation, implementation, review, active, updated_ms, json, document)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
    ON CONFLICT (id) DO UPDATE SET project = excluded.project, conversation = excluded.conversation,
      implementation = excluded.implementation, review = excluded.review, active = excluded.active,
      updated_ms = excluded.updated_ms, json = excluded.json, document = excluded.document";
pub(super) const OF_PROJECT: &str = select!("WHERE project = ?1 ORDER BY updated_ms DESC LIMIT ?2");
/// One lookup per link; the newest of the three is taken.
pub(super) const ACTIVE: [&str; 3] = [
    select!("WHERE conversation = ?1 AND active = 1 ORDER BY updated_ms DESC LIMIT 1"),
    select!("WHERE implementation = ?1 AND active = 1 ORDER BY updated_ms DESC LIMIT 1"),
    select!("WHERE review = ?1 AND active = 1 ORDER BY updated_ms DESC LIMIT 1"),
];

pub(super) fn put(conn: &Connection, plan: &Plan) -> StoreResult<()> {
    let p = plan;
    codec::run(
        conn,
        PUT,
        params![
            p.id.0,
            p.project.0,
            p.conversation.map(|id| id.0),
            p.implementation.map(|id| id.0),
            p.review.map(|id| id.0),
            p.active,
            p.updated_ms,
            codec::to_json(&p.body)?,
            p.document
        ],
    )
}

/// Newest first, at most `limit`.
pub(super) fn of_project(conn: &Connection, project: ProjectId, limit: usize) -> StoreResult<Vec<Plan>> {
    codec::rows(conn, OF_PROJECT, params![project.0, codec::limit(limit)], decode)
}

/// The newest active plan a conversation is linked to.
pub(super) fn active(conn: &Connection, conversation: ConversationId) -> StoreResult<Option<Plan>> {
    let mut newest: Option<Plan> = None;
    for sql in ACTIVE {
        let found = codec::first(conn, sql, [conversation.0], decode)?;
        newest = newest.into_iter().chain(found).max_by_key(|plan| (plan.updated_ms, plan.id));
    }
    Ok(newest)
}

/// A row whose payload cannot be read keeps its place and its document, under a plain title.
fn decode(row: &Row<'_>) -> Option<Plan> {
    let mut faults = Faults::default();
    let id = codec::int(row, 0).ok()?;
    let conversation = |found: Result<Option<i64>, codec::Fault>| found.map(|id| id.map(ConversationId));
    let unreadable = PlanBody { title: format!("Plan {id}"), ..PlanBody::default() };
    let plan = Plan {
        id: PlanId(id),
        project: ProjectId(codec::int(row, 1).ok()?),
        conversation: faults.or("conversation", conversation(codec::opt_int(row, 2)), None),
        implementation: faults.or("implementation", conversation(codec::opt_int(row, 3)), None),
        review: faults.or("review", conversation(codec::opt_int(row, 4)), None),
        active: faults.or("active", codec::int(row, 5), 0) != 0,
        updated_ms: faults.or("updated_ms", codec::int(row, 6), 0),
        body: faults.or("json", codec::json(row, 7), unreadable),
        document: faults.or("document", codec::owned_text(row, 8), codec::rescued_text(row, 8)),
    };
    faults.log("plan", id);
    Some(plan)
}
