//! The plans of a project.

use egui::Ui;

use crate::api::command::KnowledgeCommand;
use crate::model::id::PlanId;
use crate::model::plan::{Plan, PlanBody, PlanPhase};
use crate::ui::cx::UiCx;
use crate::ui::widgets::icon;
use crate::ui::widgets::{Chip, IconButton, Tone};
use crate::ui::words;

use super::entry::{Entry, Filter, list};
use super::plan_form::{Done, PlanForm};
use super::{head, nothing, place};

/// The open form, and forms left open with something typed.
#[derive(Default)]
pub struct Plans {
    form: Option<PlanForm>,
    /// Left with Esc: taken up again when its plan is opened.
    left: Option<PlanForm>,
    filter: Filter,
}

const ABOUT: &str =
    "What shall be reached, in which steps. The plan that is followed is told to every agent.";

impl Plans {
    pub fn close(&mut self) -> bool {
        let Some(form) = self.form.take() else { return self.filter.clear() };
        self.left = form.is_changed().then_some(form);
        true
    }

    /// Opens the form of a new plan; one that is half typed is taken up again.
    pub fn make(&mut self, cx: &UiCx<'_>) {
        let Some(project) = cx.snap.project else { return };
        self.open(Plan {
            id: PlanId(0),
            project,
            conversation: cx.route.conversation(),
            implementation: None,
            review: None,
            active: true,
            updated_ms: 0,
            body: PlanBody::default(),
            document: String::new(),
        });
    }

    fn open(&mut self, plan: Plan) {
        if self.form.as_ref().is_some_and(|form| form.id() == plan.id) {
            return;
        }
        let left = self.left.take().filter(|left| left.id() == plan.id);
        self.form = Some(left.unwrap_or_else(|| PlanForm::of(plan)));
    }

    pub fn has_form(&self) -> bool {
        self.form.is_some()
    }

    /// The buttons of the open form.
    pub fn foot(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        if let Some(form) = &mut self.form {
            let done = form.foot(cx, ui);
            self.leave(done);
        }
    }

    fn leave(&mut self, done: Done) {
        match done {
            Done::Not => {}
            Done::Back => {
                self.close();
            }
            Done::Closed => self.form = None,
        }
    }

    pub fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        if let Some(form) = &mut self.form {
            let done = form.ui(cx, ui);
            self.leave(done);
            return;
        }
        if head(ui, "Plans", ABOUT, Some("New plan")) {
            self.make(cx);
        }
        let rows = &cx.snap.knowledge.plans;
        if rows.is_empty() {
            nothing(ui, "There is no plan yet. Write one, and the agents of this conversation follow it.");
            return;
        }
        let rows = self.filter.ui(ui, "Find a plan", rows.iter(), |row| &row.body.title);
        if rows.is_empty() {
            return;
        }
        list(ui, |ui| {
            for (at, row) in rows.into_iter().enumerate() {
                ui.push_id(row.id.0, |ui| self.row(cx, ui, row, at == 0));
            }
        });
    }

    fn row(&mut self, cx: &UiCx<'_>, ui: &mut Ui, row: &Plan, first: bool) {
        let title = row.body.title.as_str();
        let detail = detail(cx, row);
        let done = row.body.phase == PlanPhase::Done;
        let entry = Entry {
            icon: if done { icon::CHECK_CIRCLE } else { icon::LIST_CHECKS },
            tint: match (done, row.active) {
                (true, _) => |p| p.success,
                (false, true) => |p| p.accent,
                _ => |p| p.text_3,
            },
            title,
            detail: &detail,
            mono: false,
            quiet: done || !row.active,
        };
        let told = cx.route.conversation().and_then(|id| cx.snap.knowledge.active_plan(id));
        let is_told = told.is_some_and(|plan| plan.id == row.id);
        let open = entry.show(ui, first, |ui| {
            if IconButton::small(icon::TRASH, &format!("Remove plan: {title}")).show(ui).clicked() {
                cx.send(KnowledgeCommand::RemovePlan(row.id));
            }
            let said =
                if row.active { format!("Stop following: {title}") } else { format!("Follow: {title}") };
            if IconButton::small(icon::FLAG, &said).selected(row.active).show(ui).clicked() {
                cx.send(KnowledgeCommand::PutPlan(Box::new(follow(cx, row))));
            }
            if is_told {
                Chip::new("Followed here").tone(Tone::Accent).show(ui);
            }
        });
        if open.clicked() {
            self.open(row.clone());
        }
    }
}

/// The plan followed, or not any more; one without a place is followed where the user is.
fn follow(cx: &UiCx<'_>, row: &Plan) -> Plan {
    let conversation = row.conversation.or_else(|| cx.route.conversation());
    Plan { active: !row.active, conversation, ..row.clone() }
}

fn detail(cx: &UiCx<'_>, row: &Plan) -> String {
    let (done, all) = row.body.progress();
    let mut parts = vec![row.body.phase.label().to_owned()];
    if all > 0 {
        parts.push(format!("{done} of {}", words::plural(all as u64, "step", "steps")));
    }
    parts.push(match row.conversation {
        Some(_) => place(cx, row.conversation),
        None => "In no conversation".to_owned(),
    });
    parts.push(format!("version {}", row.body.version));
    parts.push(cx.now.row_time(row.updated_ms));
    parts.join(" · ")
}
