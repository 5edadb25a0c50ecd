//! The agent's summary within the sheet: who is asked, how far it is, what came of it.

use egui::{Align, Frame, Layout, Margin, ScrollArea, Stroke, Ui, WidgetInfo, vec2};

use crate::api::command::BranchCommand;
use crate::api::snapshot::ConversationRow;
use crate::api::summary::{SummaryRequest, SummaryState};
use crate::model::engine::EngineId;
use crate::model::project::SeatChoice;
use crate::model::summary::SUMMARY_MAX_CHARS;
use crate::ui::cx::{self, UiCx};
use crate::ui::panels::composer::why_not;
use crate::ui::theme::{self, Text};
use crate::ui::widgets::icon::{self, Icon};
use crate::ui::widgets::picker::{Choice, Lead, picker_button, picker_menu};
use crate::ui::widgets::{Button, IconButton, StateGlyph, Tone};
use crate::ui::words;

/// The agent's part of the sheet.
#[derive(Default)]
pub struct Pane {
    /// Who is asked; `None` = the branch's own seat.
    seat: Option<SeatChoice>,
    draft: Option<Draft>,
    /// What the user had made of the draft before this one.
    earlier: Option<Draft>,
}

/// What an agent wrote, as the user left it.
struct Draft {
    /// As it was taken.
    taken: String,
    text: String,
    by: String,
}

/// What the user wants of the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Nothing,
    /// The end of the last answer instead.
    LastAnswer,
}

impl Pane {
    /// Takes a draft that has come since.
    pub fn take(&mut self, request: Option<&SummaryRequest>) {
        let Some(request) = request.filter(|request| request.state == SummaryState::Done) else { return };
        if self.draft.as_ref().is_none_or(|draft| draft.taken != request.text) {
            let text = request.text.clone();
            let before = self.draft.replace(Draft { taken: text.clone(), text, by: request.agent.clone() });
            if let Some(edited) = before.filter(|before| before.text != before.taken) {
                self.earlier = Some(edited);
            }
        }
    }

    /// The draft as it stands; empty without one.
    #[must_use]
    pub fn text(&self) -> &str {
        self.draft.as_ref().map_or("", |draft| &draft.text)
    }

    /// Who wrote it.
    #[must_use]
    pub fn written_by(&self) -> String {
        self.draft.as_ref().map_or_else(String::new, |draft| super::by(&draft.by, &draft.taken, &draft.text))
    }

    /// The text to be edited; `None` while there is none.
    pub fn editable(&mut self, request: Option<&SummaryRequest>) -> Option<&mut String> {
        if request.is_some_and(|request| request.state == SummaryState::Running) {
            return None;
        }
        self.draft.as_mut().map(|draft| &mut draft.text)
    }

    /// Who is asked, at the right of the draft's head, and once more for another draft.
    pub fn head(
        &mut self,
        cx: &UiCx<'_>,
        ui: &mut Ui,
        row: &ConversationRow,
        request: Option<&SummaryRequest>,
    ) {
        let seat = self.seat.clone().unwrap_or_else(|| row.conversation.seat.clone());
        let runs = request.is_some_and(|request| request.state == SummaryState::Running);
        if self.draft.is_some() && !runs {
            let why = why_not_now(cx, row, &seat);
            let again = IconButton::new(icon::ARROW_CLOCKWISE, "Summarise again").disabled(why.as_deref());
            if again.show(ui).clicked() {
                self.ask(cx, row, seat.clone());
            }
        }
        ui.add_enabled_ui(!runs, |ui| {
            let model = self.model(cx, ui, &seat);
            let engine = self.engine(cx, ui, &seat);
            if let Some(seat) = engine.or(model).filter(|chosen| *chosen != seat) {
                self.seat = Some(seat);
            }
        });
    }

    fn engine(&self, cx: &UiCx<'_>, ui: &mut Ui, seat: &SeatChoice) -> Option<SeatChoice> {
        let rows = &cx.snap.engines;
        let name = cx.engine(&seat.engine).map_or(seat.engine.as_str(), |row| row.info.name.as_str());
        let button = picker_button(ui, Lead::Engine(cx.look(&seat.engine)), name, "Who summarises", false);
        let why: Vec<Option<String>> = rows.iter().map(|row| why_not(row)).collect();
        let choices: Vec<Choice<'_>> = rows
            .iter()
            .zip(&why)
            .map(|(row, why)| Choice {
                lead: Lead::Engine(cx::look(row.info.look)),
                label: &row.info.name,
                detail: why.as_deref().or(row.status.version.as_deref()).unwrap_or(""),
                key: "",
                disabled: why.as_deref(),
            })
            .collect();
        let here = rows.iter().position(|row| row.info.id == seat.engine);
        let chosen = rows.get(picker_menu(&button, here, &choices)?)?.info.id.clone();
        let model = model_of(cx, &chosen);
        (chosen != seat.engine).then(|| SeatChoice { model, engine: chosen, ..seat.clone() })
    }

    fn model(&self, cx: &UiCx<'_>, ui: &mut Ui, seat: &SeatChoice) -> Option<SeatChoice> {
        let label = seat.model.as_deref().unwrap_or("Default model");
        let button = picker_button(ui, Lead::None, label, "Model", true);
        let row = cx.engine(&seat.engine);
        let told =
            row.map(|row| if row.status.models.is_empty() { &row.info.models } else { &row.status.models });
        let mut models: Vec<Option<&str>> = vec![None];
        models.extend(told.into_iter().flatten().map(|model| Some(model.as_str())));
        if !models.contains(&seat.model.as_deref()) {
            models.push(seat.model.as_deref());
        }
        let choices: Vec<Choice<'_>> = models
            .iter()
            .map(|model| Choice { label: model.unwrap_or("Default model"), ..Choice::default() })
            .collect();
        let here = models.iter().position(|model| *model == seat.model.as_deref());
        let chosen = models.get(picker_menu(&button, here, &choices)?)?.map(str::to_owned);
        (chosen != seat.model).then(|| SeatChoice { model: chosen, ..seat.clone() })
    }

    fn ask(&self, cx: &UiCx<'_>, row: &ConversationRow, seat: SeatChoice) {
        cx.send(BranchCommand::Summarise { branch: row.conversation.id, seat: Some(seat) });
    }

    /// In the place of the field while there is no draft: what is to be done, how it goes, or why it did not.
    pub fn place(
        &mut self,
        cx: &UiCx<'_>,
        ui: &mut Ui,
        row: &ConversationRow,
        (request, lines): (Option<&SummaryRequest>, usize),
    ) -> Wanted {
        let p = theme::palette(ui);
        let sizes = theme::sizes();
        let frame = Frame::NONE
            .fill(p.bg_inset)
            .stroke(Stroke::new(sizes.stroke.line, p.stroke_subtle))
            .corner_radius(sizes.radius.control)
            .inner_margin(Margin::symmetric(14, 10));
        #[expect(clippy::cast_precision_loss, reason = "a count of lines on a screen")]
        let height = (lines as f32 - 1.0) * Text::Read.line() + 12.0 - 20.0;
        frame
            .show(ui, |ui| {
                ui.set_width(ui.available_width());
                ui.set_height(height);
                ui.spacing_mut().item_spacing.y = sizes.space.s4;
                match request {
                    Some(request) if request.state == SummaryState::Running => {
                        running(cx, ui, row, request);
                        Wanted::Nothing
                    }
                    request => self.invitation(cx, ui, row, request),
                }
            })
            .inner
    }

    /// What was wrong, if anything, and the button that asks.
    fn invitation(
        &mut self,
        cx: &UiCx<'_>,
        ui: &mut Ui,
        row: &ConversationRow,
        request: Option<&SummaryRequest>,
    ) -> Wanted {
        let p = theme::palette(ui);
        let seat = self.seat.clone().unwrap_or_else(|| row.conversation.seat.clone());
        let name = cx.engine(&seat.engine).map_or(seat.engine.as_str(), |row| row.info.name.as_str());
        let failure = request.and_then(|request| request.failure.as_ref());
        let stopped = request.is_some_and(|request| request.state == SummaryState::Stopped);
        let messages = words::plural(u64::from(row.conversation.message_count), "message", "messages");
        if let Some(failure) = failure {
            note(ui, icon::WARNING_CIRCLE, &failure.message, Tone::Error);
            if !failure.hint.is_empty() {
                ui.add(egui::Label::new(Text::Small.rich(&failure.hint, p.text_2)).wrap());
            }
        } else if stopped {
            note(ui, icon::INFO, "Stopped. Nothing was kept.", Tone::Neutral);
        } else {
            let told = format!(
                "{name} reads the whole branch ({messages}) and writes what it came to: the conclusion, the reasons, what was rejected, and what is open."
            );
            ui.add(egui::Label::new(Text::Read.rich(told, p.text_1)).wrap());
            let cost =
                "This is a request of its own and costs like any other. Neither conversation changes by it.";
            ui.add(egui::Label::new(Text::Small.rich(cost, p.text_2)).wrap());
        }
        ui.add_space(4.0);
        let why = why_not_now(cx, row, &seat);
        let label = if request.is_some() { "Summarise again" } else { "Summarise" };
        let mut wanted = Wanted::Nothing;
        ui.horizontal(|ui| {
            if Button::primary(label).disabled(why.as_deref()).show(ui).clicked() {
                self.ask(cx, row, seat);
            }
            let offers = (failure.is_some() || why.is_some()) && row.conversation.message_count > 0;
            if offers && Button::quiet("Use the last answer").show(ui).clicked() {
                wanted = Wanted::LastAnswer;
            }
        });
        if let Some(why) = why {
            ui.add(egui::Label::new(Text::Caption.rich(why, p.text_3)).wrap());
        }
        let took = request.and_then(|request| request.usage.as_ref()).and_then(words::cost);
        if let Some(took) = took {
            ui.label(Text::Caption.rich(format!("It took {took}."), p.text_3));
        }
        wanted
    }

    /// What the user wrote is not gone because an agent has written anew.
    fn offer_earlier(&mut self, ui: &mut Ui) {
        let (Some(draft), Some(earlier)) = (&mut self.draft, &mut self.earlier) else { return };
        let swap = Button::quiet("Swap with your earlier draft");
        if swap.show(ui).clicked() {
            std::mem::swap(&mut draft.text, &mut earlier.text);
            std::mem::swap(&mut draft.by, &mut earlier.by);
        }
    }

    /// Below the field: what it took, what was cut, and whether it is old.
    pub fn notes(&mut self, ui: &mut Ui, request: Option<&SummaryRequest>) {
        let Some(request) = request.filter(|request| request.state != SummaryState::Running) else { return };
        if let Some(failure) = &request.failure {
            note(ui, icon::WARNING_CIRCLE, &failure.message, Tone::Error);
        }
        if request.state != SummaryState::Done {
            return;
        }
        if request.outdated {
            note(ui, icon::WARNING, "The branch has gone on since this was written.", Tone::Warn);
        }
        self.offer_earlier(ui);
        let Some(whole) = &request.whole else { return };
        let Some(draft) = self.draft.as_mut().filter(|draft| draft.text.trim() != whole.trim()) else {
            return;
        };
        let over = format!(
            "It wrote {} characters; the draft ends with a sentence within {}.",
            words::thousands(whole.chars().count() as u64),
            words::thousands(SUMMARY_MAX_CHARS as u64)
        );
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if Button::quiet("Use the whole text").show(ui).clicked() {
                    whole.clone_into(&mut draft.text);
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    note(ui, icon::INFO, &over, Tone::Neutral);
                });
            });
        });
    }
}

/// Streaming text under one line that says how far it is, with Stop at its right.
fn running(cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow, request: &SummaryRequest) {
    let p = theme::palette(ui);
    let (left, top) = (ui.max_rect().height(), ui.cursor().top());
    ui.horizontal(|ui| {
        StateGlyph::Running.show(ui, theme::sizes().icon.state);
        let told = phase(request);
        let label = ui.label(Text::Small.rich(&told, p.text_2));
        label.widget_info(|| WidgetInfo::labeled(egui::Role::Status, true, &told));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let stop = Button::secondary("Stop").icon_face(icon::STOP, icon::Face::Fill).icon_ends();
            if stop.show(ui).clicked() {
                cx.send(BranchCommand::StopSummary { branch: row.conversation.id });
            }
            if let Some(cost) = request.usage.as_ref().and_then(words::cost) {
                ui.label(Text::Caption.rich(cost, p.text_3));
            }
        });
    });
    let height = (left - (ui.cursor().top() - top)).max(40.0);
    ScrollArea::vertical()
        .id_salt("summary comes")
        .max_height(height)
        .stick_to_bottom(true)
        .auto_shrink(false)
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.add(egui::Label::new(Text::Read.rich(&request.text, p.text_1)).wrap());
        });
}

/// `Part 2 of 5`, in words of the person who waits.
fn phase(request: &SummaryRequest) -> String {
    match (request.part, request.parts) {
        (0, _) | (_, 0) => format!("{} is being started", request.agent),
        (1, 1) if request.text.is_empty() => format!("{} reads the branch", request.agent),
        (1, 1) => format!("{} writes", request.agent),
        (part, parts) if part > parts => format!("Putting {parts} parts together"),
        (part, parts) => format!("Part {part} of {parts}"),
    }
}

fn model_of(cx: &UiCx<'_>, engine: &EngineId) -> Option<String> {
    cx.snap.settings.engines.get(engine).and_then(|settings| settings.model.clone())
}

/// Why nobody can be asked now.
fn why_not_now(cx: &UiCx<'_>, row: &ConversationRow, seat: &SeatChoice) -> Option<String> {
    if row.state.is_some_and(crate::model::turn::TurnState::is_live) {
        return Some("An agent is still answering in the branch.".to_owned());
    }
    if row.conversation.message_count == 0 {
        return Some("Nothing was said in this branch yet.".to_owned());
    }
    let engine = cx.engine(&seat.engine)?;
    why_not(engine).filter(|why| why != "Checking").map(|why| format!("{}: {why}", engine.info.name))
}

fn note(ui: &mut Ui, which: Icon, words: &str, tone: Tone) {
    let p = theme::palette(ui);
    let color = if tone == Tone::Neutral { p.text_3 } else { tone.color(p) };
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        let side = theme::sizes().icon.inline;
        let (rect, _) = ui.allocate_exact_size(vec2(side, Text::Small.line()), egui::Sense::hover());
        crate::ui::widgets::paint::icon(ui, rect.center(), which, side, color);
        let words_color = if tone == Tone::Error { p.text_1 } else { p.text_2 };
        ui.add(egui::Label::new(Text::Small.rich(words, words_color)).wrap());
    });
}
