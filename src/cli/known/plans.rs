//! `plan`: made, changed, followed, shown.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::api::command::KnowledgeCommand;
use crate::cli::args::known::{PlanChange, PlanWish, StepChange};
use crate::cli::known::plan_text::{about, markdown};
use crate::cli::known::{Desk, find, words};
use crate::cli::out::{Failure, one_line};
use crate::model::id::{ConversationId, PlanId};
use crate::model::plan::{Plan, PlanBody, Subtask};

/// `document` is the plan's new document, when it is to have one.
///
/// # Errors
/// There is no such plan or step, or the core refuses.
pub async fn plan(desk: &mut Desk<'_>, wish: &PlanWish, document: String) -> Result<(), Failure> {
    match wish {
        PlanWish::List => {
            let known = desk.known();
            desk.note_more(known.plans.len(), "plans");
            known.plans.iter().try_for_each(|plan| show(desk, plan))
        }
        PlanWish::Show(id) => {
            let plan = by_id(desk, *id)?;
            if desk.shown.json {
                return desk.shown.out.json(&words::whole_plan(&plan));
            }
            desk.shown.out.text(&about(&plan))?;
            desk.shown.out.text(&markdown(&plan))
        }
        PlanWish::Export(id) => {
            let plan = by_id(desk, *id)?;
            desk.shown.out.text(&markdown(&plan))
        }
        PlanWish::Add { change, conversation, in_use } => {
            let mut plan = empty(desk);
            (plan.conversation, plan.active) = (*conversation, *in_use);
            take(&mut plan, change, document);
            put(desk, plan).await
        }
        PlanWish::Edit(id, change) => {
            let mut plan = (*by_id(desk, *id)?).clone();
            take(&mut plan, change, document);
            put(desk, plan).await
        }
        PlanWish::Step { plan, number, change } => step(desk, *plan, *number, change).await,
        PlanWish::Use { plan, conversation } => follow(desk, *plan, *conversation).await,
        PlanWish::Unuse(id) => {
            let plan = (*by_id(desk, *id)?).clone();
            put(desk, Plan { active: false, ..plan }).await
        }
        PlanWish::Remove(id) => {
            by_id(desk, *id)?;
            let is_gone = |id: PlanId| move |plans: &[Arc<Plan>]| !plans.iter().any(|plan| plan.id == id);
            let is_gone = is_gone(*id);
            desk.tell(KnowledgeCommand::RemovePlan(*id), |known| is_gone(&known.plans).then_some(())).await
        }
    }
}

fn by_id(desk: &Desk<'_>, id: PlanId) -> Result<Arc<Plan>, Failure> {
    find(&desk.known().plans, "plan", id.0, |plan| plan.id.0)
}

fn show(desk: &mut Desk<'_>, plan: &Plan) -> Result<(), Failure> {
    let line = || {
        let (done, all) = plan.body.progress();
        let mark = if plan.active { '*' } else { ' ' };
        let place = plan.conversation.map(|id| format!("  (conversation {id})")).unwrap_or_default();
        format!(
            "{:>6} {mark} {:<14} {done:>3}/{all:<3} v{}  {}{place}",
            plan.id.0,
            plan.body.phase.word(),
            plan.body.version,
            one_line(&plan.body.title, 80)
        )
    };
    desk.shown.row(|| words::plan(plan), line)
}

fn empty(desk: &Desk<'_>) -> Plan {
    Plan {
        id: PlanId(0),
        project: desk.project.id,
        conversation: None,
        implementation: None,
        review: None,
        active: false,
        updated_ms: 0,
        body: PlanBody::default(),
        document: String::new(),
    }
}

/// A title is one line; all else is kept as it was given.
fn title(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn take(plan: &mut Plan, change: &PlanChange, document: String) {
    let body = &mut plan.body;
    if let Some(text) = &change.title {
        body.title = title(text);
    }
    let texts = [(&mut body.description, &change.description), (&mut body.expected_outcome, &change.outcome)];
    for (place, text) in texts {
        if let Some(text) = text {
            place.clone_from(text);
        }
    }
    let lists = [(&mut body.constraints, &change.constraints), (&mut body.non_goals, &change.non_goals)];
    for (place, list) in lists {
        if let Some(list) = list {
            place.clone_from(list);
        }
    }
    body.phase = change.phase.unwrap_or(body.phase);
    for (text, details) in &change.steps {
        let number = body.subtasks.iter().map(|step| step.number).max().unwrap_or(0).saturating_add(1);
        let step = Subtask { number, title: title(text), details: details.clone(), ..Subtask::default() };
        body.subtasks.push(step);
    }
    if change.document.is_some() {
        plan.document = document;
    }
}

async fn step(desk: &mut Desk<'_>, id: PlanId, number: u32, change: &StepChange) -> Result<(), Failure> {
    let mut plan = (*by_id(desk, id)?).clone();
    let steps = plan.body.subtasks.len();
    let Some(step) = plan.body.subtasks.iter_mut().find(|step| step.number == number) else {
        return Err(Failure::usage(format!(
            "Plan {id} has no step {number}; it has {steps} in all. See tunaflow plan show {id}."
        )));
    };
    step.state = change.state.unwrap_or(step.state);
    if let Some(text) = &change.title {
        step.title = title(text);
    }
    if let Some(details) = &change.details {
        step.details.clone_from(details);
    }
    if let Some(after) = &change.after {
        step.depends_on = after.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    }
    put(desk, plan).await
}

/// The plan becomes the one that is followed; in `conversation`, when one is named.
async fn follow(
    desk: &mut Desk<'_>,
    id: PlanId,
    conversation: Option<ConversationId>,
) -> Result<(), Failure> {
    let mut plan = (*by_id(desk, id)?).clone();
    let is_linked = [plan.conversation, plan.implementation, plan.review].iter().any(Option::is_some);
    match conversation {
        Some(here) if !plan.is_linked_to(here) => {
            if let Some(before) = plan.conversation.replace(here) {
                desk.shown.out.note(&format!("Plan {id} was linked to conversation {before} before."));
            }
        }
        None if !is_linked => {
            return Err(Failure::usage(format!(
                "Plan {id} is linked to no conversation. Name one with --conversation."
            )));
        }
        Some(_) | None => {}
    }
    plan.active = true;
    put(desk, plan).await
}

/// Keeps the plan and shows it.
async fn put(desk: &mut Desk<'_>, plan: Plan) -> Result<(), Failure> {
    let before: BTreeSet<PlanId> = desk.known().plans.iter().map(|plan| plan.id).collect();
    let wanted = plan.clone();
    let kept = desk
        .tell(KnowledgeCommand::PutPlan(Box::new(plan)), |known| {
            let is_it = |row: &&Arc<Plan>| match wanted.id.0 {
                0 => !before.contains(&row.id),
                _ => says_the_same(row, &wanted),
            };
            known.plans.iter().find(is_it).cloned()
        })
        .await?;
    show(desk, &kept)
}

/// But for what the core sets.
fn says_the_same(row: &Plan, wanted: &Plan) -> bool {
    let body = PlanBody { version: row.body.version, created_ms: row.body.created_ms, ..wanted.body.clone() };
    *row == Plan { updated_ms: row.updated_ms, body, ..wanted.clone() }
}
