//! What reviews found: open and settled.

use egui::Ui;

use crate::api::command::KnowledgeCommand;
use crate::model::id::{FindingId, PlanId};
use crate::model::knowledge::{Finding, FindingBody, Severity};
use crate::ui::cx::UiCx;
use crate::ui::theme::{self, Palette, Text};
use crate::ui::widgets::choice::radio;
use crate::ui::widgets::icon::{self, Icon};
use crate::ui::widgets::picker::{Choice, Lead, picker_button, picker_menu};
use crate::ui::widgets::tabs::{Tab, tabs};
use crate::ui::widgets::text_field::{EnterKey, TextField};
use crate::ui::widgets::{Button, Chip, IconButton, Tone};

use super::entry::{Entry, Filter, list};
use super::{first_line, form_head, head, name, nothing};

/// The open form, and which findings are listed.
#[derive(Default)]
pub struct Findings {
    form: Option<Form>,
    filter: Filter,
    shown: Shown,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Shown {
    #[default]
    Open,
    Settled,
}

struct Form {
    now: Finding,
    file: String,
    line: String,
    subtask: String,
    fresh: bool,
}

const ABOUT: &str = "What reviews found. Agents are told of the open ones, and of settled ones that match.";
const TEXT_MAX_CHARS: usize = 20_000;

impl Findings {
    pub fn close(&mut self) -> bool {
        self.form.take().is_some() || self.filter.clear()
    }

    pub fn has_form(&self) -> bool {
        self.form.is_some()
    }

    pub fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        if let Some(form) = &mut self.form {
            if form.ui(cx, ui) {
                self.form = None;
            }
            return;
        }
        if head(ui, "Findings", ABOUT, Some("New finding"))
            && let Some(project) = cx.snap.project
        {
            let active = cx.route.conversation().and_then(|id| cx.snap.knowledge.active_plan(id));
            self.form = Some(Form::of(Finding {
                id: FindingId(0),
                project,
                plan: active.map(|plan| plan.id),
                open: true,
                updated_ms: 0,
                body: FindingBody::default(),
            }));
        }
        let all = &cx.snap.knowledge.findings;
        if all.is_empty() {
            nothing(ui, "Nothing was found yet. Reviews write findings here; you can, too.");
            return;
        }
        let open = all.iter().filter(|row| row.open).count();
        let (open_note, settled_note) = (open.to_string(), (all.len() - open).to_string());
        let kinds = [
            Tab { value: Shown::Open, label: "Open", note: &open_note },
            Tab { value: Shown::Settled, label: "Settled", note: &settled_note },
        ];
        if let Some(shown) = tabs(ui, &kinds, self.shown) {
            self.shown = shown;
        }
        let rows: Vec<_> = all.iter().filter(|row| row.open == (self.shown == Shown::Open)).collect();
        if rows.is_empty() {
            let text = if self.shown == Shown::Open { "No finding is open." } else { "None is settled yet." };
            nothing(ui, text);
            return;
        }
        let rows = self.filter.ui(ui, "Find a finding", rows.into_iter(), |row| &row.body.text);
        if rows.is_empty() {
            return;
        }
        list(ui, |ui| {
            for (at, row) in rows.into_iter().enumerate() {
                ui.push_id(row.id.0, |ui| self.row(cx, ui, row, at == 0));
            }
        });
    }

    fn row(&mut self, cx: &UiCx<'_>, ui: &mut Ui, row: &Finding, first: bool) {
        let title = first_line(&row.body.text);
        let detail = detail(cx, row);
        let entry = Entry {
            icon: look(row.body.severity),
            tint: tint(row),
            title,
            detail: &detail,
            mono: row.body.file.is_some(),
            quiet: !row.open,
        };
        let open = entry.show(ui, first, |ui| {
            if IconButton::small(icon::TRASH, &format!("Remove finding: {title}")).show(ui).clicked() {
                cx.send(KnowledgeCommand::RemoveFinding(row.id));
            }
            let (mark, said) = if row.open {
                (icon::CHECK, format!("Settle: {title}"))
            } else {
                (icon::ARROW_U_UP_LEFT, format!("Open again: {title}"))
            };
            if IconButton::small(mark, &said).show(ui).clicked() {
                let changed = Finding { open: !row.open, ..row.clone() };
                cx.send(KnowledgeCommand::PutFinding(Box::new(changed)));
            }
            let tone = if row.open { tone(row.body.severity) } else { Tone::Neutral };
            Chip::new(row.body.severity.label()).tone(tone).show(ui);
        });
        if open.clicked() {
            self.form = Some(Form::of(row.clone()));
        }
    }
}

fn detail(cx: &UiCx<'_>, row: &Finding) -> String {
    let mut parts = Vec::new();
    if let Some(file) = &row.body.file {
        parts.push(row.body.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}")));
    }
    parts.extend(row.body.subtask.map(|step| format!("step {step}")));
    let plan = row.plan.and_then(|id| cx.snap.knowledge.plans.iter().find(|plan| plan.id == id));
    parts.extend(plan.map(|plan| plan.body.title.clone()));
    if !row.open && !row.body.resolution.is_empty() {
        parts.push(first_line(&row.body.resolution).to_owned());
    }
    if parts.is_empty() {
        parts.push(cx.now.row_time(row.updated_ms));
    }
    parts.join(" · ")
}

fn look(severity: Severity) -> Icon {
    match severity {
        Severity::Minor => icon::INFO,
        Severity::Major => icon::WARNING,
        Severity::Critical => icon::WARNING_CIRCLE,
    }
}

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Minor => Tone::Neutral,
        Severity::Major => Tone::Warn,
        Severity::Critical => Tone::Error,
    }
}

fn tint(row: &Finding) -> fn(&Palette) -> egui::Color32 {
    match (row.open, row.body.severity) {
        (false, _) | (true, Severity::Minor) => |p| p.text_3,
        (true, Severity::Major) => |p| p.warn,
        (true, Severity::Critical) => |p| p.error,
    }
}

impl Form {
    fn of(now: Finding) -> Self {
        let number = |n: Option<u32>| n.map_or_else(String::new, |n| n.to_string());
        Self {
            file: now.body.file.clone().unwrap_or_default(),
            line: number(now.body.line),
            subtask: number(now.body.subtask),
            now,
            fresh: true,
        }
    }

    /// `true` when it is to close.
    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) -> bool {
        let back = form_head(ui, if self.now.id.0 == 0 { "New finding" } else { "Finding" });
        name(ui, "What was found");
        let field = TextField::multi("finding", "What was found", 3, 10)
            .enter(EnterKey::Breaks)
            .hint("The new test never runs two connections at once.")
            .max_chars(TEXT_MAX_CHARS);
        if std::mem::take(&mut self.fresh) {
            let id = field.id();
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        field.show(ui, &mut self.now.body.text);
        name(ui, "How bad it is");
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = theme::sizes().space.s6;
            for severity in Severity::ALL {
                if radio(ui, self.now.body.severity == *severity, severity.label(), false).clicked() {
                    self.now.body.severity = *severity;
                }
            }
        });
        let bad = self.where_at(ui);
        self.plan(cx, ui);
        name(ui, "How it was settled; empty while it is open");
        let field =
            TextField::multi("finding resolution", "How it was settled", 1, 6).enter(EnterKey::Breaks);
        field.max_chars(TEXT_MAX_CHARS).show(ui, &mut self.now.body.resolution);
        let mut settled = !self.now.open;
        crate::ui::widgets::choice::switch(ui, &mut settled, "Settled");
        self.now.open = !settled;
        ui.add_space(8.0);
        let empty = self.now.body.text.trim().is_empty().then_some("It needs some words.");
        let why = empty.or(bad);
        let (mut save, mut cancel) = (false, false);
        ui.horizontal(|ui| {
            save = Button::primary("Save").disabled(why).show(ui).clicked();
            cancel = Button::quiet("Cancel").show(ui).clicked();
        });
        if save {
            let mut row = self.now.clone();
            row.body.file = Some(self.file.trim().to_owned()).filter(|file| !file.is_empty());
            row.body.line = self.line.trim().parse().ok();
            row.body.subtask = self.subtask.trim().parse().ok();
            cx.send(KnowledgeCommand::PutFinding(Box::new(row)));
        }
        save || cancel || back
    }

    /// File, line and step; returns what is wrong with them.
    fn where_at(&mut self, ui: &mut Ui) -> Option<&'static str> {
        const BAD: &str = "A whole number, from 1.";
        let bad = |text: &str| {
            let text = text.trim();
            (!text.is_empty() && text.parse::<u32>().ok().is_none_or(|n| n == 0)).then_some(BAD)
        };
        name(ui, "File, relative to the project");
        let field = TextField::single("finding file", "File").hint("src/auth/session.rs").step(Text::Mono);
        field.max_chars(1_000).show(ui, &mut self.file);
        let (line, step) = (bad(&self.line), bad(&self.subtask));
        ui.horizontal_top(|ui| {
            for (said, label, text, bad) in [
                ("Line of the file", "Line", &mut self.line, line),
                ("Step of the plan", "Step", &mut self.subtask, step),
            ] {
                ui.vertical(|ui| {
                    ui.set_width(150.0);
                    name(ui, label);
                    TextField::single(said, said).width(120.0).max_chars(9).invalid(bad).show(ui, text);
                });
            }
        });
        line.or(step)
    }

    fn plan(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let plans = &cx.snap.knowledge.plans;
        if plans.is_empty() {
            return;
        }
        name(ui, "Plan");
        let ids: Vec<Option<PlanId>> =
            std::iter::once(None).chain(plans.iter().map(|plan| Some(plan.id))).collect();
        let choices: Vec<Choice<'_>> = std::iter::once("No plan")
            .chain(plans.iter().map(|plan| plan.body.title.as_str()))
            .map(|label| Choice { label, ..Choice::default() })
            .collect();
        let current = ids.iter().position(|id| *id == self.now.plan);
        let label = current.and_then(|at| choices.get(at)).map_or("No plan", |choice| choice.label);
        let button = picker_button(ui, Lead::Icon(icon::LIST_CHECKS), label, "Plan", false);
        if let Some(chosen) = picker_menu(&button, current, &choices).and_then(|at| ids.get(at)) {
            self.now.plan = *chosen;
        }
    }
}
