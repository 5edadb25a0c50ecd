//! Who answers: engine, role, model, persona and context mode; and how full the context is.

use egui::{Response, Ui, vec2};

use crate::api::command::ChatCommand;
use crate::api::snapshot::{ConversationView, EngineRow};
use crate::model::engine::Availability;
use crate::model::pack::{Mode, PackReport};
use crate::model::project::SeatChoice;
use crate::ui::action::UiAction;
use crate::ui::cx::{self, UiCx};
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::Tone;
use crate::ui::widgets::meter;
use crate::ui::widgets::picker::{Choice, Lead, choice_row, picker_button};
use crate::ui::widgets::text_field::TextField;
use crate::ui::words;

/// What is half typed in a picker.
#[derive(Default)]
pub struct Pickers {
    model: String,
    persona: Option<String>,
}

/// Widths of the composer's row below which something gives way, points.
const MODE_FROM: f32 = 300.0;
const MODEL_FROM: f32 = 210.0;

impl Pickers {
    /// Draws the pickers that have room.
    pub fn show(&mut self, cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView) {
        let room = ui.available_width();
        let seat = &view.row.conversation.seat;
        let conversation = view.row.conversation.id;
        let mut changed: Option<SeatChoice> = None;
        let look = cx.look(&seat.engine);
        let button = picker_button(ui, Lead::Engine(look), &cx.seat_name(seat), "Who answers", false);
        let with_model = room >= MODEL_FROM;
        if let Some(seat) = menu::sheet(&button, 300.0, |ui| self.who(cx, ui, seat, !with_model)).flatten() {
            changed = Some(seat);
        }
        if with_model {
            let label = seat.model.as_deref().unwrap_or("Default model");
            let button = picker_button(ui, Lead::None, label, "Model", true);
            if let Some(seat) = menu::sheet(&button, 260.0, |ui| self.models(cx, ui, seat)).flatten() {
                changed = Some(seat);
            }
        }
        if room >= MODE_FROM {
            let label = seat.mode.map_or("Auto", Mode::label);
            let button = picker_button(ui, Lead::None, label, "Context mode", false);
            if let Some(mode) = menu::menu(&button, 260.0, |ui| modes(ui, seat)).flatten() {
                changed = Some(SeatChoice { mode, ..seat.clone() });
            }
        }
        if let Some(seat) = changed.filter(|changed| changed != seat) {
            cx.send(ChatCommand::SetSeat { conversation, seat });
        }
    }

    fn who(&mut self, cx: &UiCx<'_>, ui: &mut Ui, seat: &SeatChoice, with_model: bool) -> Option<SeatChoice> {
        let mut chosen = None;
        menu::head(ui, "Engine");
        for row in cx.snap.engines.iter() {
            let here = row.info.id == seat.engine;
            let why = why_not(row);
            let choice = Choice {
                lead: Lead::Engine(cx::look(row.info.look)),
                label: &row.info.name,
                detail: why.as_deref().or(row.status.version.as_deref()).unwrap_or(""),
                key: "",
                disabled: why.as_deref(),
            };
            if choice_row(ui, &choice, &[], false, here).clicked() && !here && why.is_none() {
                let engine = row.info.id.clone();
                let model = cx.snap.settings.engines.get(&engine).and_then(|settings| settings.model.clone());
                chosen = Some(SeatChoice { engine, model, ..seat.clone() });
                ui.close();
            }
        }
        menu::divider(ui);
        menu::head(ui, "Role");
        if choice_row(ui, &plain("No role"), &[], false, seat.role.is_none()).clicked() {
            chosen = Some(SeatChoice { role: None, ..seat.clone() });
            ui.close();
        }
        for role in cx.snap.roles.iter() {
            let here = seat.role.as_ref() == Some(role);
            if choice_row(ui, &plain(role), &[], false, here).clicked() {
                chosen = Some(SeatChoice { role: Some(role.clone()), ..seat.clone() });
                ui.close();
            }
        }
        menu::divider(ui);
        chosen = self.persona(ui, seat).or(chosen);
        if with_model {
            menu::divider(ui);
            chosen = self.models(cx, ui, seat).or(chosen);
        }
        chosen
    }

    fn persona(&mut self, ui: &mut Ui, seat: &SeatChoice) -> Option<SeatChoice> {
        menu::head(ui, "Persona");
        let text = self.persona.get_or_insert_with(|| seat.persona.clone().unwrap_or_default());
        let field = TextField::single("persona", "Persona").hint("Neutral. Enter takes it.").max_chars(500);
        let submitted = field.show(ui, text).submitted;
        if !submitted {
            return None;
        }
        let persona = Some(text.trim().to_owned()).filter(|persona| !persona.is_empty());
        self.persona = None;
        ui.close();
        Some(SeatChoice { persona, ..seat.clone() })
    }

    fn models(&mut self, cx: &UiCx<'_>, ui: &mut Ui, seat: &SeatChoice) -> Option<SeatChoice> {
        let mut chosen = None;
        menu::head(ui, "Model");
        if choice_row(ui, &plain("Default model"), &[], false, seat.model.is_none()).clicked() {
            chosen = Some(None);
        }
        let row = cx.engine(&seat.engine);
        let told =
            row.map(|row| if row.status.models.is_empty() { &row.info.models } else { &row.status.models });
        egui::ScrollArea::vertical().id_salt("models").max_height(220.0).auto_shrink([false, true]).show(
            ui,
            |ui| {
                for model in told.into_iter().flatten() {
                    let here = seat.model.as_ref() == Some(model);
                    if choice_row(ui, &plain(model), &[], false, here).clicked() {
                        chosen = Some(Some(model.clone()));
                    }
                }
            },
        );
        ui.add_space(4.0);
        let field = TextField::single("free model", "Other model")
            .hint("Other model, Enter takes it")
            .step(Text::Mono);
        let out = field.max_chars(200).show(ui, &mut self.model);
        if out.submitted && !self.model.trim().is_empty() {
            chosen = Some(Some(self.model.trim().to_owned()));
            self.model.clear();
        }
        let model = chosen?;
        ui.close();
        Some(SeatChoice { model, ..seat.clone() })
    }
}

fn plain(label: &str) -> Choice<'_> {
    Choice { label, ..Choice::default() }
}

fn modes(ui: &mut Ui, seat: &SeatChoice) -> Option<Option<Mode>> {
    let mut chosen = None;
    let rows: [(Option<Mode>, &str); 4] = [
        (None, "By rule"),
        (Some(Mode::Lite), "Little"),
        (Some(Mode::Standard), "The usual"),
        (Some(Mode::Full), "All there is"),
    ];
    for (mode, detail) in rows {
        let label = mode.map_or("Auto", Mode::label);
        if MenuRow::plain(label).end(detail).selected(seat.mode == mode).show(ui).clicked() {
            chosen = Some(mode);
        }
    }
    chosen
}

/// Why an engine cannot be asked now; `None` when it can.
#[must_use]
pub fn why_not(row: &EngineRow) -> Option<String> {
    match &row.status.availability {
        Availability::Ready => None,
        Availability::Checking => Some("Checking".into()),
        Availability::NotLoggedIn => Some("Not logged in".into()),
        Availability::NotInstalled { .. } => Some("Not installed".into()),
        Availability::Broken { why } => Some(why.clone()),
    }
}

/// How full the context of the next message is: `18.4k of 60k characters`. Draws nothing while it is not known.
pub fn meter(cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView) {
    let preview = view.preview.as_ref().map(|pack| &pack.pack.report);
    let Some(report) = preview.or_else(|| view.turn.as_ref()?.report.as_deref()) else { return };
    let p = theme::palette(ui);
    let text = share_words(report);
    let room = ui.available_width();
    let response: Response = if room > 430.0 {
        let label = egui::Label::new(Text::Caption.rich(&text, p.text_3)).sense(egui::Sense::click());
        let label = ui.add(label);
        bar(ui, report, &text);
        label
    } else if room > 270.0 {
        bar(ui, report, &text)
    } else {
        return;
    };
    let keys = cx.keys(UiAction::Context);
    let details = if keys.is_empty() { String::new() } else { format!(" Details: {keys}") };
    if response.on_hover_text(format!("Context of the next message.{details}")).clicked() {
        cx.act(UiAction::Context);
    }
}

fn bar(ui: &mut Ui, report: &PackReport, name: &str) -> Response {
    #[expect(clippy::cast_precision_loss, reason = "a share of a budget")]
    let share = report.total_chars as f32 / report.budget_chars.max(1) as f32;
    let tone = if report.sections.iter().any(|section| !section.cut.is_empty()) && share > 0.9 {
        Tone::Warn
    } else {
        Tone::Accent
    };
    ui.allocate_ui_with_layout(vec2(56.0, 28.0), egui::Layout::left_to_right(egui::Align::Center), |ui| {
        meter::meter(ui, share, 56.0, tone, name)
    })
    .inner
}

/// `18.4k of 60k characters`.
#[must_use]
pub fn share_words(report: &PackReport) -> String {
    format!(
        "{} of {} characters",
        words::short_count(report.total_chars.into()),
        words::short_count(report.budget_chars.into())
    )
}
