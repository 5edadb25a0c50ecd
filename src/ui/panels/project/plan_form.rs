//! Writing and changing a plan by hand.

use egui::Ui;

use crate::api::command::KnowledgeCommand;
use crate::model::id::{ConversationId, PlanId};
use crate::model::plan::{PLAN_DOCUMENT_MAX_CHARS, Plan, PlanPhase};
use crate::ui::cx::{Request, UiCx};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::Button;
use crate::ui::widgets::choice::switch;
use crate::ui::widgets::icon;
use crate::ui::widgets::markdown::{Action, Markdown, StreamDoc};
use crate::ui::widgets::picker::{Choice, Lead, picker_button, picker_menu};
use crate::ui::widgets::tabs::{Tab, tabs};
use crate::ui::widgets::text_field::{EnterKey, TextField};

use super::{form_head, name, steps};

/// A plan as it was when it was opened, and as it is now.
pub struct PlanForm {
    kept: Plan,
    now: Plan,
    /// One a line.
    constraints: String,
    non_goals: String,
    steps: steps::Steps,
    document: Document,
    fresh: bool,
}

/// The Markdown document: written or looked at.
#[derive(Default)]
struct Document {
    preview: bool,
    markdown: Markdown,
    doc: StreamDoc,
}

/// How a form was left.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Done {
    Not,
    /// To the list, keeping what was typed.
    Back,
    /// Saved or cancelled.
    Closed,
}

const TITLE_MAX_CHARS: usize = 300;
const TEXT_MAX_CHARS: usize = 20_000;

impl PlanForm {
    pub fn of(plan: Plan) -> Self {
        Self {
            constraints: plan.body.constraints.join("\n"),
            non_goals: plan.body.non_goals.join("\n"),
            kept: plan.clone(),
            now: plan,
            steps: steps::Steps::default(),
            document: Document::default(),
            fresh: true,
        }
    }

    pub fn id(&self) -> PlanId {
        self.kept.id
    }

    /// Something was typed that is not saved.
    pub fn is_changed(&self) -> bool {
        self.plan() != self.kept
    }

    /// The plan as it would be saved.
    fn plan(&self) -> Plan {
        let mut plan = self.now.clone();
        plan.body.constraints = lines(&self.constraints);
        plan.body.non_goals = lines(&self.non_goals);
        plan
    }

    pub fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) -> Done {
        let new = self.kept.id.0 == 0;
        let back = form_head(ui, if new { "New plan" } else { "Plan" });
        self.newer(cx, ui);
        name(ui, "Title");
        let field = TextField::single("plan title", "Title of the plan").max_chars(TITLE_MAX_CHARS);
        // What floats over the window when the form is asked for keeps the keyboard for another frame.
        if self.fresh && !cx.covered {
            let id = field.id();
            self.fresh = new && !ui.memory(|memory| memory.has_focus(id));
            if self.fresh {
                ui.memory_mut(|memory| memory.request_focus(id));
            }
        }
        field.hint("Grace window for token refresh").show(ui, &mut self.now.body.title);
        text(ui, "Description", "What is to be done, and why.", 2, &mut self.now.body.description);
        let outcome = "A retry within ten seconds gets the pair that was issued first.";
        text(ui, "Expected outcome", outcome, 1, &mut self.now.body.expected_outcome);
        self.steps.ui(ui, &mut self.now.body.subtasks);
        text(ui, "Constraints, one a line", "The public API stays as it is.", 1, &mut self.constraints);
        text(ui, "Not wanted, one a line", "No new dependency.", 1, &mut self.non_goals);
        self.document(cx, ui);
        self.where_and_how_far(cx, ui);
        if back { Done::Back } else { Done::Not }
    }

    /// Its buttons, which stay in sight below the form.
    pub fn foot(&mut self, cx: &UiCx<'_>, ui: &mut Ui) -> Done {
        let why = self.why_not();
        let mut done = Done::Not;
        if Button::primary("Save plan").disabled(why.as_deref()).show(ui).clicked() {
            cx.send(KnowledgeCommand::PutPlan(Box::new(self.plan())));
            done = Done::Closed;
        }
        if Button::quiet("Cancel").show(ui).clicked() {
            done = Done::Closed;
        }
        if let Some(why) = &why {
            ui.label(Text::Small.rich(why, theme::palette(ui).text_3));
        }
        done
    }

    /// Says when the plan was changed by someone else since it was opened.
    fn newer(&self, cx: &UiCx<'_>, ui: &mut Ui) {
        let kept = cx.snap.knowledge.plans.iter().find(|plan| plan.id == self.kept.id);
        let Some(kept) = kept.filter(|kept| kept.body.version != self.kept.body.version) else { return };
        let text = format!(
            "This plan was changed meanwhile (version {}). Saving puts yours in its place.",
            kept.body.version
        );
        ui.add(egui::Label::new(Text::Small.rich(text, theme::palette(ui).warn)).wrap());
    }

    fn why_not(&self) -> Option<String> {
        if self.now.body.title.trim().is_empty() {
            return Some("It needs a title.".to_owned());
        }
        let untitled = self.now.body.subtasks.iter().find(|step| step.title.trim().is_empty());
        untitled.map(|step| format!("Step {} needs a title.", step.number))
    }

    fn document(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        name(ui, "Document, as Markdown");
        let kinds =
            [Tab { value: false, label: "Write", note: "" }, Tab { value: true, label: "Preview", note: "" }];
        if let Some(preview) = tabs(ui, &kinds, self.document.preview) {
            self.document.preview = preview;
            self.document.doc = StreamDoc::whole(&self.now.document);
        }
        if !self.document.preview {
            let field = TextField::multi("plan document", "Document of the plan", 5, 18)
                .enter(EnterKey::Breaks)
                .step(Text::Mono)
                .hint("Anything longer than a step: designs, decisions, how to test it.")
                .max_chars(PLAN_DOCUMENT_MAX_CHARS);
            field.show(ui, &mut self.now.document);
            return;
        }
        let p = theme::palette(ui);
        if self.now.document.trim().is_empty() {
            ui.label(Text::Ui.rich("The document is empty.", p.text_3));
            return;
        }
        let frame = egui::Frame::NONE.fill(p.bg_raised).corner_radius(theme::sizes().radius.card);
        frame.inner_margin(12).show(ui, |ui| {
            ui.set_width(ui.available_width());
            let Document { markdown, doc, .. } = &mut self.document;
            if let Some(Action::Open(link)) = markdown.show(ui, doc, Text::Read) {
                cx.ask(Request::Open(link));
            }
        });
    }

    /// Phase, conversation, and whether it is followed.
    fn where_and_how_far(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        name(ui, "Where and how far");
        ui.horizontal_wrapped(|ui| {
            let choices: Vec<Choice<'_>> = PlanPhase::ALL
                .iter()
                .map(|phase| Choice { label: phase.label(), ..Choice::default() })
                .collect();
            let phase = self.now.body.phase;
            let at = PlanPhase::ALL.iter().position(|each| *each == phase);
            let button = picker_button(ui, Lead::Icon(icon::KANBAN), phase.label(), "Phase", false);
            let chosen = picker_menu(&button, at, &choices);
            if let Some(phase) = chosen.and_then(|at| PlanPhase::ALL.get(at)) {
                self.now.body.phase = *phase;
            }
            if let Some(chosen) = conversation_picker(cx, ui, self.now.conversation) {
                self.now.conversation = chosen;
            }
        });
        switch(ui, &mut self.now.active, "Follow this plan: agents of its conversation are told of it");
    }
}

/// Picks a conversation of the project, or none.
fn conversation_picker(
    cx: &UiCx<'_>,
    ui: &mut Ui,
    now: Option<ConversationId>,
) -> Option<Option<ConversationId>> {
    let rows = cx.snap.conversations.iter().map(|row| &row.conversation).filter(|row| !row.archived);
    let mut ids = vec![None];
    let mut choices = vec![Choice { label: "No conversation", ..Choice::default() }];
    for row in rows {
        ids.push(Some(row.id));
        choices.push(Choice { label: &row.title, ..Choice::default() });
    }
    let at = ids.iter().position(|id| *id == now);
    let label = at.and_then(|at| choices.get(at)).map_or("No conversation", |choice| choice.label);
    let button = picker_button(ui, Lead::Icon(icon::CHAT_CIRCLE), label, "Conversation of the plan", false);
    picker_menu(&button, at, &choices).and_then(|at| ids.get(at).copied())
}

fn text(ui: &mut Ui, label: &str, hint: &str, least: usize, value: &mut String) {
    name(ui, label);
    let field = TextField::multi(("plan", label), label, least, 8).enter(EnterKey::Breaks).hint(hint);
    field.max_chars(TEXT_MAX_CHARS).show(ui, value);
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
