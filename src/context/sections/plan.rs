//! The plan that is followed: what it is to reach, and how far each step is.

use crate::context::error::ContextError;
use crate::context::fence::closed;
use crate::context::items::{Item, Items};
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::spec::PackSpec;
use crate::context::transcript::one_line;
use crate::model::pack::{Mode, SectionId};
use crate::model::plan::{PlanBody, Subtask, SubtaskState};

pub(super) struct PlanSteps;

impl Section for PlanSteps {
    fn id(&self) -> SectionId {
        SectionId::Plan
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Share { weight_tenths: 10, min_chars: 500, max_chars: Some(4_000) }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let Some(plan) = cx.plan.as_ref().map_err(Clone::clone)? else { return Ok(None) };
        let body = &plan.body;
        let (done, all) = body.progress();
        let mut head = format!(
            "## Plan: {}\n\n- Phase: {}\n- Done: {done} of {all} steps",
            one_line(&body.title),
            body.phase.label()
        );
        let outcome = one_line(&body.expected_outcome);
        if !outcome.is_empty() {
            head.push_str(&format!("\n- Expected outcome: {outcome}"));
        }
        let items = items(body);
        if !items.is_empty() {
            head.push_str("\n\n");
        }
        let part = Part::items(head, Items { items, noun: "line", joint: "\n" });
        Ok(Some(Part { source_ids: vec![plan.id.0], ..part }))
    }
}

/// What is to be done comes first: what is done can be cut.
fn items(body: &PlanBody) -> Vec<Item> {
    let is_open = |step: &&Subtask| matches!(step.state, SubtaskState::Todo | SubtaskState::InProgress);
    let open = body.subtasks.iter().filter(is_open).map(|step| item("### Open steps", open_step(step)));
    let limits = [("### Constraints", &body.constraints), ("### Not wanted", &body.non_goals)];
    let limits = limits.into_iter().flat_map(|(group, lines)| {
        let lines = lines.iter().map(|line| one_line(line)).filter(|line| !line.is_empty());
        lines.map(move |line| item(group, format!("- {line}")))
    });
    let settled = body.subtasks.iter().filter(|step| !is_open(step));
    let settled = settled.map(|step| item("### Settled steps", step_line(step)));
    let about = closed(body.description.trim()).into_owned();
    let about = (!about.is_empty()).then(|| item("### About it", about));
    open.chain(limits).chain(settled).chain(about).collect()
}

fn item(group: &str, text: String) -> Item {
    Item { group: group.to_owned(), text, ..Item::default() }
}

fn step_line(step: &Subtask) -> String {
    format!("- {}. {} ({})", step.number, one_line(&step.title), step.state.label().to_lowercase())
}

fn open_step(step: &Subtask) -> String {
    let numbers: Vec<String> = step.depends_on.iter().map(u32::to_string).collect();
    let after = if numbers.is_empty() { String::new() } else { format!(", after {}", numbers.join(", ")) };
    let state = step.state.label().to_lowercase();
    let mut line = format!("- {}. {} ({state}{after})", step.number, one_line(&step.title));
    let details = one_line(&step.details);
    if !details.is_empty() {
        line.push_str(&format!(": {details}"));
    }
    line
}
