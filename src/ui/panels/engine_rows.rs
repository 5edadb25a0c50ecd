//! What can be said about one engine, and what helps when it is missing. Used by first run and by the settings.

use egui::{Sense, Ui, vec2};

use crate::api::command::{EngineCommand, ProjectCommand};
use crate::api::snapshot::EngineRow;
use crate::model::engine::{Availability, Billing, EngineLook};
use crate::ui::cx::{self, Request, UiCx};
use crate::ui::host::DialogAsk;
use crate::ui::theme::{self, Palette, Text, Weight};
use crate::ui::widgets::glyph::StateGlyph;
use crate::ui::widgets::icon::{self, Icon};
use crate::ui::widgets::paint;
use crate::ui::widgets::{Button, Tone};
use crate::ui::words;

/// Icon, words and colour of an engine's state.
pub struct EngineState {
    pub icon: Icon,
    pub words: String,
    pub tone: Tone,
    /// More, for the tooltip.
    pub more: String,
}

/// What is known of an engine, in a few words.
#[must_use]
pub fn state(row: &EngineRow) -> EngineState {
    let say = |icon, words: &str, tone, more: String| EngineState { icon, words: words.into(), tone, more };
    match &row.status.availability {
        Availability::Checking => say(icon::HOURGLASS, "Checking", Tone::Neutral, String::new()),
        Availability::Ready => {
            let words = match (row.status.login.as_deref(), row.status.billing) {
                (Some(login), Billing::Subscription) => format!("{}, subscription", capital(login)),
                (Some(login), Billing::ApiKey) => format!("{}, API key", capital(login)),
                (None, Billing::ApiKey) => "Ready, API key".to_owned(),
                (None, Billing::Subscription) => "Ready".to_owned(),
            };
            say(icon::CHECK_CIRCLE, &words, Tone::Success, String::new())
        }
        Availability::NotLoggedIn => {
            say(icon::WARNING, "Not logged in", Tone::Warn, row.info.login_hint.clone())
        }
        Availability::NotInstalled { searched } => {
            let more = format!("Looked in {}.\n{}", searched.join(", "), row.info.install_hint);
            say(icon::PROHIBIT, "Not installed", Tone::Neutral, more)
        }
        Availability::Broken { why } => say(icon::WARNING_CIRCLE, "Does not start", Tone::Error, why.clone()),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The second line: path, server, or where it was looked for.
#[must_use]
pub fn place(cx: &UiCx<'_>, row: &EngineRow) -> String {
    if let Some(path) = &row.status.path {
        return words::path(path, cx.home);
    }
    if let Some(endpoint) = cx
        .snap
        .settings
        .endpoints
        .iter()
        .find(|endpoint| row.info.id.as_str() == format!("openai:{}", endpoint.name))
    {
        return endpoint.base_url.clone();
    }
    match &row.status.availability {
        Availability::NotInstalled { .. } => "Not on PATH or in the usual folders".into(),
        Availability::Broken { why } => why.clone(),
        Availability::Checking | Availability::Ready | Availability::NotLoggedIn => "Built in".into(),
    }
}

/// A row of 52: mark, name and version over the place, state, then what helps.
pub fn engine_row(cx: &UiCx<'_>, ui: &mut Ui, row: &EngineRow, divider: bool) {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.list_tall), Sense::hover());
    if divider {
        ui.painter().hline(rect.x_range(), rect.top() + 0.5, egui::Stroke::new(1.0, p.stroke_subtle));
    }
    let x = rect.left() + sizes.space.s7;
    cx::look(row.info.look).paint(ui, egui::pos2(x + 13.0, rect.center().y), 26.0);
    let state = state(row);
    let (state_x, text_end) = columns(rect);
    let text_x = x + 38.0;
    let (upper, lower) = rect.shrink2(vec2(0.0, 7.0)).split_top_bottom_at_fraction(0.5);
    let name = paint::line(
        ui,
        &row.info.name,
        Text::Ui.format_weighted(Weight::Semibold, p.text_1),
        text_end - text_x,
    );
    let name_end = paint::left(ui, upper, text_x, name) + sizes.space.s4;
    if let Some(version) = &row.status.version {
        let version =
            paint::line(ui, version, Text::MonoSmall.format(p.text_3), (text_end - name_end).max(0.0));
        paint::left(ui, upper, name_end, version);
    }
    let where_ = place(cx, row);
    let shown = paint::line_middle(ui, &where_, &Text::MonoSmall.format(p.text_3), text_end - text_x);
    paint::left(ui, lower, text_x, shown);
    let mut end = ui.new_child(
        egui::UiBuilder::new()
            .max_rect(rect.shrink2(vec2(sizes.space.s7, 0.0)))
            .layout(egui::Layout::right_to_left(egui::Align::Center))
            .id_salt(("engine", row.info.id.as_str())),
    );
    helps(cx, &mut end, row, rect.width() >= 640.0);
    state_words(ui, rect, state_x, end.min_rect().left() - 8.0, &state, p);
    let label = format!("{}: {}", row.info.name, state.words);
    let id = ui.scope_id().with(("engine state", row.info.id.as_str()));
    let area = egui::Rect::from_min_max(rect.min, egui::pos2(end.min_rect().left() - 4.0, rect.bottom()));
    let response = ui.interact(area, id, Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &label));
    let more = [where_.as_str(), state.more.as_str()].join("\n");
    response.on_hover_text(more.trim());
}

fn columns(rect: egui::Rect) -> (f32, f32) {
    let state_x = rect.left() + (rect.width() * 0.396).max(220.0);
    (state_x, state_x - 12.0)
}

fn state_words(ui: &Ui, rect: egui::Rect, x: f32, end: f32, state: &EngineState, p: &Palette) {
    let color = if state.tone == Tone::Neutral { p.text_3 } else { state.tone.color(p) };
    if end - x < 20.0 {
        return;
    }
    let center = egui::pos2(x + 7.0, rect.center().y);
    if state.tone == Tone::Success {
        StateGlyph::Done.paint(ui, center, 14.0);
    } else if state.icon == icon::PROHIBIT {
        StateGlyph::Stopped.paint(ui, center, 14.0);
    } else {
        paint::icon(ui, center, state.icon, 15.0, color);
    }
    let text_color = if state.tone == Tone::Neutral { p.text_2 } else { p.text_1 };
    let galley = paint::line(ui, &state.words, Text::Ui.format(text_color), end - x - 21.0);
    paint::left(ui, rect, x + 21.0, galley);
}

/// Buttons at the right, the most useful first from the right.
fn helps(cx: &UiCx<'_>, ui: &mut Ui, row: &EngineRow, roomy: bool) {
    let engine = row.info.id.clone();
    let programs = !row.info.programs.is_empty();
    let set_path = |ui: &mut Ui| {
        if Button::quiet("Set path…").show(ui).clicked() {
            cx.ask(Request::Pick(DialogAsk::EngineProgram(row.info.id.clone())));
        }
    };
    match &row.status.availability {
        Availability::Ready => {
            if row.info.look == EngineLook::Demo {
                let hint = "Opens a small project of tunaflow's own and says hello there.";
                if Button::secondary("Try it").tooltip(hint).show(ui).clicked() {
                    cx.send(ProjectCommand::Tour { engine: engine.clone() });
                }
            } else if Button::quiet("Test")
                .tooltip("Asks it for version, login and models.")
                .show(ui)
                .clicked()
            {
                cx.send(EngineCommand::Test { engine });
            }
        }
        Availability::Checking => {}
        Availability::NotLoggedIn => {
            if Button::secondary("Check again").show(ui).clicked() {
                cx.send(EngineCommand::Test { engine });
            }
            if roomy && Button::quiet("Copy how to log in").tooltip(&row.info.login_hint).show(ui).clicked() {
                cx.ask(Request::Copy { text: row.info.login_hint.clone(), what: "The login hint" });
            }
        }
        Availability::NotInstalled { .. } => {
            set_path(ui);
            if roomy
                && Button::quiet("Copy how to install").tooltip(&row.info.install_hint).show(ui).clicked()
            {
                cx.ask(Request::Copy { text: row.info.install_hint.clone(), what: "The install command" });
            }
        }
        Availability::Broken { .. } => {
            if programs {
                set_path(ui);
            }
            if Button::quiet("Check again").icon(icon::ARROW_CLOCKWISE).show(ui).clicked() {
                cx.send(EngineCommand::Test { engine });
            }
        }
    }
}
