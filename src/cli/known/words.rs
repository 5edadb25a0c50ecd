//! The stable JSON words of what a project keeps, as told in `docs/headless.md`.

use serde_json::{Value, json};

use crate::api::snapshot::ConversationRow;
use crate::cli::clock::utc;
use crate::cli::words::with;
use crate::model::knowledge::{Agreement, Artifact, Finding, Link};
use crate::model::plan::{Plan, Subtask};

/// A plan without its document.
pub fn plan(plan: &Plan) -> Value {
    let body = &plan.body;
    let (done, all) = body.progress();
    let steps: Vec<Value> = body.subtasks.iter().map(step).collect();
    json!({
        "id": plan.id,
        "project": plan.project,
        "conversation": plan.conversation,
        "implementation": plan.implementation,
        "review": plan.review,
        "active": plan.active,
        "title": body.title,
        "description": body.description,
        "outcome": body.expected_outcome,
        "phase": body.phase.word(),
        "version": body.version,
        "steps": steps,
        "steps_done": done,
        "steps_in_all": all,
        "constraints": body.constraints,
        "non_goals": body.non_goals,
        "document_chars": plan.document.chars().count(),
        "created": utc(body.created_ms),
        "updated": utc(plan.updated_ms),
    })
}

fn step(step: &Subtask) -> Value {
    json!({
        "number": step.number,
        "title": step.title,
        "details": step.details,
        "after": step.depends_on,
        "state": step.state.word(),
    })
}

pub fn whole_plan(of: &Plan) -> Value {
    with(plan(of), json!({ "document": of.document }))
}

pub fn finding(finding: &Finding) -> Value {
    let body = &finding.body;
    json!({
        "id": finding.id,
        "project": finding.project,
        "state": state_word(finding),
        "severity": body.severity.word(),
        "text": body.text,
        "file": body.file,
        "line": body.line,
        "plan": finding.plan,
        "step": body.subtask,
        "resolution": body.resolution,
        "created": utc(body.created_ms),
        "updated": utc(finding.updated_ms),
    })
}

pub fn state_word(finding: &Finding) -> &'static str {
    if finding.open { "open" } else { "settled" }
}

pub fn agreement(agreement: &Agreement) -> Value {
    let body = &agreement.body;
    json!({
        "id": agreement.id,
        "project": agreement.project,
        "conversation": agreement.conversation,
        "text": body.text,
        "made_by": body.made_by.word(),
        "message": body.message,
        "created": utc(body.created_ms),
        "updated": utc(agreement.updated_ms),
    })
}

/// An artifact without its text.
pub fn artifact(artifact: &Artifact) -> Value {
    let body = &artifact.body;
    json!({
        "id": artifact.id,
        "project": artifact.project,
        "conversation": artifact.conversation,
        "pinned": artifact.pinned,
        "title": body.title,
        "language": body.language,
        "message": body.message,
        "text_chars": artifact.text.chars().count(),
        "created": utc(body.created_ms),
        "updated": utc(artifact.updated_ms),
    })
}

pub fn whole_artifact(of: &Artifact) -> Value {
    with(artifact(of), json!({ "text": of.text }))
}

pub fn branch(row: &ConversationRow) -> Value {
    let conversation = &row.conversation;
    let branch = conversation.branch.as_ref();
    let facts = branch.map(|branch| &branch.facts);
    json!({
        "id": conversation.id,
        "label": conversation.title,
        "parent": branch.map(|branch| branch.parent),
        "checkpoint": branch.and_then(|branch| branch.checkpoint),
        "kind": facts.map(|facts| facts.kind.word()),
        "status": conversation.branch_status().map(crate::model::branch::BranchStatus::word),
        "adopted": facts.and_then(|facts| facts.adopted),
        "git_branch": facts.and_then(|facts| facts.git_branch.clone()),
        "gist": facts.and_then(|facts| facts.gist.clone()),
        "hint": facts.map(|facts| match (facts.hint, facts.hint_told) {
            (false, _) => "off",
            (true, false) => "on",
            (true, true) => "told",
        }),
        "shared": conversation.is_shared(),
        "worktree": facts.and_then(|facts| facts.worktree.clone()),
        "base": facts.and_then(|facts| facts.base.clone()),
        "messages": conversation.message_count,
        "created": utc(conversation.created_ms),
    })
}

pub fn link(link: &Link) -> Value {
    json!({
        "conversation": link.conversation,
        "linked": link.linked,
        "made_by": link.made_by.word(),
        "created": utc(link.created_ms),
    })
}
