//! How an answer ended when it did not simply end: failed, stopped, interrupted; and the ways on.

use egui::{Frame, Margin, Stroke, Ui};

use crate::api::command::ChatCommand;
use crate::api::snapshot::{ConversationView, TurnRow};
use crate::model::engine::{Billing, EngineId};
use crate::model::id::TurnId;
use crate::model::message::{Author, Message, MessageState};
use crate::model::turn::{FailureKind, TurnFailure};
use crate::ui::cx::{self, Request, UiCx};
use crate::ui::host::DialogAsk;
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::route::{Route, SettingsPage};
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::icon;
use crate::ui::widgets::{Button, Tone};

use super::message::note;

/// Draws the end of an answer below its items.
pub fn draw(cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView, message: &Message, turn: Option<&TurnRow>) {
    let newest = view.index.last().is_some_and(|entry| entry.id == message.id) && !cx.read_only;
    match &message.state {
        MessageState::Complete | MessageState::Streaming | MessageState::Damaged { .. } => {}
        MessageState::Failed { failure } => {
            let Author::Agent { engine, .. } = &message.author else { return };
            let live = turn.is_some_and(|turn| turn.state.is_live());
            failed(cx, ui, failure, engine, message.turn.filter(|_| !live && !cx.read_only));
        }
        MessageState::Stopped => {
            ended(cx, ui, "Stopped. What came so far stays.", message.turn.filter(|_| newest));
        }
        MessageState::Interrupted => {
            ended(
                cx,
                ui,
                "Interrupted: the app ended while this was written.",
                message.turn.filter(|_| newest),
            );
        }
    }
}

fn ended(cx: &UiCx<'_>, ui: &mut Ui, text: &str, turn: Option<TurnId>) {
    ui.add_space(4.0);
    note(ui, icon::PROHIBIT, text, Tone::Neutral);
    if let Some(turn) = turn {
        ui.add_space(4.0);
        if Button::secondary("Continue").icon(icon::PLAY).show(ui).clicked() {
            cx.send(ChatCommand::Continue { turn });
        }
    }
}

/// The card of a failure: what happened, what to do, and buttons that do it.
fn failed(cx: &UiCx<'_>, ui: &mut Ui, failure: &TurnFailure, engine: &EngineId, turn: Option<TurnId>) {
    let p = theme::palette(ui);
    ui.add_space(6.0);
    let frame = Frame::NONE
        .fill(p.error_tint)
        .stroke(Stroke::new(1.0, p.error))
        .corner_radius(theme::sizes().radius.card)
        .inner_margin(Margin::symmetric(12, 10));
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 4.0;
        ui.add(
            egui::Label::new(Text::Ui.rich_weighted(Weight::Semibold, &failure.message, p.text_1))
                .selectable(true)
                .wrap(),
        );
        let resets = failure.resets_at_ms.map(|ms| format!(" Resets {}.", cx.now.future(ms)));
        let hint = format!("{}{}", failure.hint, resets.unwrap_or_default());
        if !hint.trim().is_empty() {
            ui.add(egui::Label::new(Text::Small.rich(hint.trim(), p.text_2)).selectable(true).wrap());
        }
        detail(cx, ui, &failure.detail);
        ui.add_space(2.0);
        ui.horizontal_wrapped(|ui| buttons(cx, ui, failure, engine, turn));
    });
    ui.add_space(4.0);
}

fn detail(cx: &UiCx<'_>, ui: &mut Ui, detail: &str) {
    if detail.is_empty() {
        return;
    }
    let p = theme::palette(ui);
    let id = ui.scope_id().with("failure detail");
    let open = ui.data(|data| data.get_temp::<bool>(id)).unwrap_or(false);
    let (caret, label) =
        if open { (icon::CARET_DOWN, "Hide details") } else { (icon::CARET_RIGHT, "Show details") };
    if Button::quiet(label).icon(caret).show(ui).clicked() {
        ui.data_mut(|data| data.insert_temp(id, !open));
    }
    if open {
        let frame = Frame::NONE.fill(p.bg_inset).corner_radius(theme::sizes().radius.control);
        frame.inner_margin(Margin::symmetric(10, 8)).show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.add(egui::Label::new(Text::MonoSmall.rich(detail, p.text_2)).selectable(true).wrap());
        });
        if Button::quiet("Copy details").icon(icon::COPY).show(ui).clicked() {
            cx.ask(Request::Copy { text: detail.to_owned(), what: "The details" });
        }
    }
}

/// A login would not help then.
fn pays_by_key(cx: &UiCx<'_>, engine: &EngineId) -> bool {
    cx.snap.settings.engines.get(engine).is_some_and(|set| set.billing == Billing::ApiKey)
}

fn buttons(cx: &UiCx<'_>, ui: &mut Ui, failure: &TurnFailure, engine: &EngineId, turn: Option<TurnId>) {
    match failure.kind {
        FailureKind::NotInstalled => {
            if Button::secondary("Set path…").show(ui).clicked() {
                cx.ask(Request::Pick(DialogAsk::EngineProgram(engine.clone())));
            }
        }
        FailureKind::NotLoggedIn if !pays_by_key(cx, engine) => {
            let hint = cx.engine(engine).map(|row| row.info.login_hint.clone()).unwrap_or_default();
            if Button::secondary("Copy how to log in").tooltip(&hint).show(ui).clicked() {
                cx.ask(Request::Copy { text: hint.clone(), what: "The login hint" });
            }
        }
        FailureKind::NotLoggedIn | FailureKind::ModelUnknown | FailureKind::Protocol => {
            if Button::secondary("Engine settings").show(ui).clicked() {
                cx.ask(Request::Go(Route::Settings { page: SettingsPage::Engines }));
            }
        }
        FailureKind::FolderMissing => {
            if Button::secondary("Project settings").show(ui).clicked() {
                cx.ask(Request::Go(Route::Settings { page: SettingsPage::Project }));
            }
        }
        FailureKind::PlanLimit
        | FailureKind::RateLimited
        | FailureKind::Overloaded
        | FailureKind::PromptTooLong
        | FailureKind::Network
        | FailureKind::Crashed
        | FailureKind::TimedOut
        | FailureKind::SessionLost
        | FailureKind::Internal
        | FailureKind::Other => {}
    }
    let Some(turn) = turn else { return };
    if Button::secondary("Retry").icon(icon::ARROW_CLOCKWISE).show(ui).clicked() {
        cx.send(ChatCommand::Retry { turn, engine: None });
    }
    let others: Vec<_> = cx.ready_engines().filter(|row| &row.info.id != engine).collect();
    if let [only] = others.as_slice() {
        if Button::secondary(&format!("Use {}", only.info.name)).show(ui).clicked() {
            cx.send(ChatCommand::Retry { turn, engine: Some(only.info.id.clone()) });
        }
    } else if !others.is_empty() {
        let button = Button::secondary("Use another engine…").icon(icon::SWAP).show(ui);
        menu::menu(&button, 220.0, |ui| {
            for row in &others {
                let icon = cx::look(row.info.look).icon();
                if MenuRow::new(icon, &row.info.name).show(ui).clicked() {
                    cx.send(ChatCommand::Retry { turn, engine: Some(row.info.id.clone()) });
                }
            }
        });
    }
}
