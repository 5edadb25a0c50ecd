//! What was decided, by hand or by agents together.

use egui::Ui;

use crate::api::command::KnowledgeCommand;
use crate::model::id::{AgreementId, ConversationId};
use crate::model::knowledge::{Agreement, AgreementBody, MadeBy};
use crate::ui::cx::UiCx;
use crate::ui::theme;
use crate::ui::widgets::choice::radio;
use crate::ui::widgets::icon;
use crate::ui::widgets::text_field::{EnterKey, TextField};
use crate::ui::widgets::{Button, IconButton};

use super::entry::{Entry, Filter, list};
use super::{first_line, form_head, head, name, nothing, place};

/// The open form.
#[derive(Default)]
pub struct Agreements {
    form: Option<Form>,
    filter: Filter,
}

struct Form {
    kept: Agreement,
    text: String,
    here: bool,
    fresh: bool,
}

const ABOUT: &str = "What was decided. Agents are told of it in later requests.";
const TEXT_MAX_CHARS: usize = 20_000;

impl Agreements {
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
        if head(ui, "Agreements", ABOUT, Some("New agreement"))
            && let Some(project) = cx.snap.project
        {
            let kept = Agreement {
                id: AgreementId(0),
                project,
                conversation: cx.route.conversation(),
                updated_ms: 0,
                body: AgreementBody { made_by: MadeBy::Hand, ..AgreementBody::default() },
            };
            self.form = Some(Form::of(kept));
        }
        let rows = &cx.snap.knowledge.agreements;
        if rows.is_empty() {
            nothing(ui, "Nothing is agreed on yet. A message can be marked as decided, too: point at it.");
            return;
        }
        let rows = self.filter.ui(ui, "Find an agreement", rows.iter(), |row| &row.body.text);
        if rows.is_empty() {
            return;
        }
        list(ui, |ui| {
            for (at, row) in rows.into_iter().enumerate() {
                ui.push_id(row.id.0, |ui| self.row(cx, ui, row, at == 0));
            }
        });
    }

    fn row(&mut self, cx: &UiCx<'_>, ui: &mut Ui, row: &Agreement, first: bool) {
        let title = first_line(&row.body.text);
        let made = row.body.made_by.label();
        let detail =
            format!("{} · {made} · {}", place(cx, row.conversation), cx.now.row_time(row.updated_ms));
        let entry = Entry {
            icon: icon::SCALES,
            tint: |p| p.text_3,
            title,
            detail: &detail,
            mono: false,
            quiet: false,
        };
        let open = entry.show(ui, first, |ui| {
            if IconButton::small(icon::TRASH, &format!("Remove agreement: {title}")).show(ui).clicked() {
                cx.send(KnowledgeCommand::RemoveAgreement(row.id));
            }
        });
        if open.clicked() {
            self.form = Some(Form::of(row.clone()));
        }
    }
}

impl Form {
    fn of(kept: Agreement) -> Self {
        Self { text: kept.body.text.clone(), here: kept.conversation.is_some(), kept, fresh: true }
    }

    /// `true` when it is to close.
    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) -> bool {
        let new = self.kept.id.0 == 0;
        let back = form_head(ui, if new { "New agreement" } else { "Agreement" });
        name(ui, "What was decided");
        let field = TextField::multi("agreement", "What was decided", 4, 14)
            .enter(EnterKey::Breaks)
            .hint("Retries within ten seconds get the pair that was issued first.")
            .max_chars(TEXT_MAX_CHARS);
        if std::mem::take(&mut self.fresh) {
            let id = field.id();
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        let out = field.show(ui, &mut self.text);
        let of = self.kept.conversation.or_else(|| cx.route.conversation());
        if let Some(conversation) = of {
            scope(cx, ui, conversation, &mut self.here);
        }
        ui.add_space(8.0);
        let empty = self.text.trim().is_empty().then_some("It needs some words.");
        let (mut save, mut cancel) = (out.submitted && empty.is_none(), false);
        ui.horizontal(|ui| {
            save |= Button::primary("Save").key("⇧↵").disabled(empty).show(ui).clicked();
            cancel = Button::quiet("Cancel").show(ui).clicked();
        });
        if save {
            let mut row = self.kept.clone();
            row.body.text = self.text.trim().to_owned();
            row.conversation = if self.here { of } else { None };
            cx.send(KnowledgeCommand::PutAgreement(Box::new(row)));
        }
        save || cancel || back
    }
}

/// Where something holds: in one conversation, or in the whole project.
pub fn scope(cx: &UiCx<'_>, ui: &mut Ui, conversation: ConversationId, here: &mut bool) {
    name(ui, "Where it holds");
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = theme::sizes().space.s6;
        let mine = place(cx, Some(conversation));
        if radio(ui, *here, &mine, false).clicked() {
            *here = true;
        }
        if radio(ui, !*here, "In the whole project", false).clicked() {
            *here = false;
        }
    });
}
