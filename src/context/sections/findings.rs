//! What reviews found: what is open, and lessons of the past that bear on the request.

use crate::context::error::ContextError;
use crate::context::items::{Item, Items};
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::spec::PackSpec;
use crate::context::transcript::one_line;
use crate::context::words::{Word, keys, words};
use crate::model::knowledge::Finding;
use crate::model::pack::{Mode, SectionId};
use crate::model::plan::Plan;
use std::cmp::Reverse;
use std::collections::HashSet;

/// Findings that are looked at, of each kind.
const ROWS_MAX: usize = 60;
/// Open findings that are told whatever they are about.
const LATEST: usize = 5;
/// A lesson of the past bears on a request when so many words agree.
const LESSON_HITS: usize = 2;

pub(super) struct Findings;

impl Section for Findings {
    fn id(&self) -> SectionId {
        SectionId::Findings
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Share { weight_tenths: 10, min_chars: 500, max_chars: Some(3_000) }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let plan = cx.plan.as_ref().map_err(Clone::clone)?.as_ref();
        let open = cx.db.findings(cx.spec.project, true, ROWS_MAX)?;
        let settled = cx.db.findings(cx.spec.project, false, ROWS_MAX)?;
        let about = About::new(&cx.spec.prompt, plan);
        let mut items: Vec<Item> = Vec::new();
        let mut chosen: Vec<(&Finding, usize)> = open
            .iter()
            .enumerate()
            .map(|(age, one)| (one, about.matches(one), age))
            .filter(|(one, hits, age)| about.is_of_plan(one) || *hits > 0 || *age < LATEST)
            .map(|(one, hits, _)| (one, hits))
            .collect();
        // Stable: of equals the newest stays first.
        chosen.sort_by_key(|(one, hits)| Reverse((about.is_of_plan(one), one.body.severity, *hits)));
        items.extend(chosen.into_iter().map(|(one, _)| item(one, "### Open")));
        let mut lessons: Vec<(&Finding, usize)> = settled
            .iter()
            .map(|one| (one, about.matches(one)))
            .filter(|(_, hits)| *hits >= LESSON_HITS)
            .collect();
        lessons.sort_by_key(|(_, hits)| Reverse(*hits));
        items.extend(lessons.into_iter().map(|(one, _)| item(one, "### Settled before")));
        if items.is_empty() {
            return Ok(None);
        }
        let list = Items { items, noun: "finding", joint: "\n" };
        Ok(Some(Part::items("## Findings of reviews\n\n", list)))
    }
}

/// What the request is about.
struct About {
    prompt: Vec<Word>,
    plan: Option<i64>,
    title: Vec<Word>,
}

impl About {
    fn new(prompt: &str, plan: Option<&Plan>) -> Self {
        let title = plan.map(|plan| words(&plan.body.title)).unwrap_or_default();
        Self { prompt: words(prompt), plan: plan.map(|plan| plan.id.0), title }
    }

    fn is_of_plan(&self, finding: &Finding) -> bool {
        self.plan.is_some() && finding.plan.map(|plan| plan.0) == self.plan
    }

    /// Words of the request, and of the plan's title, that the finding has.
    fn matches(&self, finding: &Finding) -> usize {
        let body = &finding.body;
        let file = body.file.as_deref().unwrap_or_default();
        let has: HashSet<String> = keys(&format!("{}\n{file}\n{}", body.text, body.resolution));
        self.prompt.iter().chain(&self.title).filter(|word| word.is_in(&has)).count()
    }
}

fn item(finding: &Finding, group: &str) -> Item {
    let body = &finding.body;
    let mut text = format!("- {}", body.severity.label());
    if let Some(file) = body.file.as_deref().map(one_line).filter(|file| !file.is_empty()) {
        let line = body.line.map(|line| format!(":{line}")).unwrap_or_default();
        text.push_str(&format!(", `{file}{line}`"));
    }
    if let Some(step) = body.subtask {
        text.push_str(&format!(", step {step}"));
    }
    text.push_str(&format!(": {}", one_line(&body.text)));
    let resolution = one_line(&body.resolution);
    if !finding.open && !resolution.is_empty() {
        text.push_str(&format!(" — settled by: {resolution}"));
    }
    Item { id: finding.id.0, group: group.to_owned(), text, ..Item::default() }
}
