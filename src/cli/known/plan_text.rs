//! A plan as Markdown. Pure.

use crate::cli::clock::utc;
use crate::cli::out::one_line;
use crate::model::plan::{Plan, Subtask, SubtaskState};

/// Longest title that is written, in characters; longer ones are not kept.
const TITLE_CHARS: usize = 300;

/// What is known about a plan beside what it says; two lines and a blank one.
pub fn about(plan: &Plan) -> String {
    let (done, all) = plan.body.progress();
    let links = [
        ("conversation", plan.conversation),
        ("implementation", plan.implementation),
        ("review", plan.review),
    ];
    let links: Vec<String> =
        links.into_iter().filter_map(|(what, id)| id.map(|id| format!("{what} {id}"))).collect();
    let links = if links.is_empty() { "linked to no conversation".to_owned() } else { links.join(", ") };
    format!(
        "plan {}, {}, version {}, {done} of {all} steps done, changed {}\n{}; {links}\n\n",
        plan.id,
        plan.body.phase.word(),
        plan.body.version,
        utc(plan.updated_ms),
        if plan.active { "followed" } else { "not followed" },
    )
}

/// All that a plan says, as one document.
pub fn markdown(plan: &Plan) -> String {
    let body = &plan.body;
    let mut text = format!("# {}\n\nPhase: {}\n", one_line(&body.title, TITLE_CHARS), body.phase.label());
    section(&mut text, "Description", &body.description);
    section(&mut text, "Expected outcome", &body.expected_outcome);
    let steps: Vec<String> = body.subtasks.iter().map(step).collect();
    section(&mut text, "Steps", &steps.join("\n"));
    for (head, list) in [("Constraints", &body.constraints), ("Not wanted", &body.non_goals)] {
        let items: Vec<String> = list.iter().map(|item| format!("- {}", indented(item, "  "))).collect();
        section(&mut text, head, &items.join("\n"));
    }
    section(&mut text, "Document", &plan.document);
    text
}

fn section(text: &mut String, head: &str, content: &str) {
    let content = content.trim_matches(['\n', '\r']);
    if !content.trim().is_empty() {
        text.push_str(&format!("\n## {head}\n\n{content}\n"));
    }
}

fn step(step: &Subtask) -> String {
    let mark = if step.state == SubtaskState::Done { 'x' } else { ' ' };
    let mut line = format!("- [{mark}] {}. {}", step.number, one_line(&step.title, TITLE_CHARS));
    if matches!(step.state, SubtaskState::InProgress | SubtaskState::Dropped) {
        line.push_str(&format!(" — {}", step.state.label().to_lowercase()));
    }
    if !step.depends_on.is_empty() {
        let numbers: Vec<String> = step.depends_on.iter().map(u32::to_string).collect();
        line.push_str(&format!(" (after {})", numbers.join(", ")));
    }
    let details = step.details.trim();
    if !details.is_empty() {
        line.push_str(&format!("\n  {}", indented(details, "  ")));
    }
    line
}

/// So that what follows the first line stays in its list item.
fn indented(text: &str, by: &str) -> String {
    text.trim().lines().collect::<Vec<_>>().join(&format!("\n{by}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::id::{PlanId, ProjectId};
    use crate::model::plan::{PlanBody, PlanPhase};

    #[test]
    fn a_plan_is_one_document() {
        let step = |number, state, details: &str, depends_on| Subtask {
            number,
            title: format!("Step\n{number}"),
            details: details.into(),
            depends_on,
            state,
        };
        let plan = Plan {
            id: PlanId(7),
            project: ProjectId(1),
            conversation: None,
            implementation: None,
            review: None,
            active: false,
            updated_ms: 0,
            body: PlanBody {
                title: "한글\n제목".into(),
                expected_outcome: "It works.".into(),
                subtasks: vec![
                    step(1, SubtaskState::Done, "", vec![]),
                    step(2, SubtaskState::Dropped, "a\nb", vec![1]),
                ],
                constraints: vec!["no\nnetwork".into()],
                phase: PlanPhase::Approval,
                ..PlanBody::default()
            },
            document: "\n## Own head\n".into(),
        };
        let expected = "# 한글 제목\n\nPhase: Approval\n\n## Expected outcome\n\nIt works.\n\n## Steps\n\n\
            - [x] 1. Step 1\n- [ ] 2. Step 2 — dropped (after 1)\n  a\n  b\n\n\
            ## Constraints\n\n- no\n  network\n\n## Document\n\n## Own head\n";
        assert_eq!(markdown(&plan), expected);
        assert!(about(&plan).contains("plan 7, approval, version 0, 1 of 1 steps done"), "{}", about(&plan));
    }
}
