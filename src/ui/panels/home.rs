//! The centre when no conversation is chosen: first run, or what to do next in an empty project.

use egui::{Frame, Margin, ScrollArea, Stroke, Ui, vec2};

use crate::api::command::ProjectCommand;
use crate::model::engine::Availability;
use crate::ui::action::UiAction;
use crate::ui::cx::UiCx;
use crate::ui::panel::Panel;
use crate::ui::panels::engine_rows::engine_row;
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::Button;
use crate::ui::widgets::empty::{Suggestion, empty_state};
use crate::ui::widgets::icon;
use crate::ui::widgets::text_field::TextField;

/// What is half typed on the first page.
#[derive(Default)]
pub struct Home {
    path: String,
}

/// Widest the page gets, points.
const WIDTH: f32 = 760.0;

impl Panel for Home {
    fn title(&self) -> &'static str {
        "Home"
    }

    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        if cx.snap.project.is_some() {
            empty_project(cx, ui);
            return;
        }
        ScrollArea::vertical().id_salt("first run").auto_shrink(false).show(ui, |ui| {
            let width = WIDTH.min(ui.available_width() - 40.0);
            let side = ((ui.available_width() - width) / 2.0).max(0.0);
            ui.add_space(48.0_f32.min(ui.available_height() * 0.06));
            ui.horizontal(|ui| {
                ui.add_space(side);
                ui.vertical(|ui| {
                    ui.set_width(width);
                    self.page(cx, ui);
                });
            });
            ui.add_space(24.0);
        });
    }
}

fn empty_project(cx: &UiCx<'_>, ui: &mut Ui) {
    let name = cx.project().map_or("this project", |project| project.name.as_str());
    let question = format!("What should happen in {name}?");
    let facts = match &cx.snap.git_branch {
        Some(branch) => format!("Branch {branch}. Nothing is changed until you send a message."),
        None => "Nothing is changed until you send a message.".to_owned(),
    };
    let (new, find, open) =
        (cx.keys(UiAction::NewConversation), cx.keys(UiAction::Palette), cx.keys(UiAction::OpenFolder));
    let ways = [
        Suggestion {
            action: UiAction::NewConversation,
            icon: icon::CHAT_CIRCLE,
            verb: "Start a conversation",
            detail: "One agent answers; you can change it at any time",
            key: &new,
        },
        Suggestion {
            action: UiAction::Palette,
            icon: icon::MAGNIFYING_GLASS,
            verb: "Find or run",
            detail: "Conversations, commands and settings by a few letters",
            key: &find,
        },
        Suggestion {
            action: UiAction::OpenFolder,
            icon: icon::FOLDER_OPEN,
            verb: "Open another folder…",
            detail: "Each folder has its own conversations",
            key: &open,
        },
    ];
    if let Some(action) = empty_state(ui, &question, &facts, &ways) {
        cx.act(action);
    }
}

impl Home {
    fn page(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let p = theme::palette(ui);
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.label(Text::Title.rich("Engines on this computer", p.text_1));
        ui.add_space(4.0);
        ui.add(egui::Label::new(Text::Ui.rich(facts(cx), p.text_2)).wrap());
        ui.add_space(20.0);
        card(ui, Margin::ZERO, |ui| {
            for (place, row) in cx.snap.engines.iter().enumerate() {
                engine_row(cx, ui, row, place > 0);
            }
            if cx.snap.engines.is_empty() {
                ui.add_space(12.0);
                ui.label(Text::Ui.rich("  Looking…", p.text_3));
                ui.add_space(12.0);
            }
        });
        ui.add_space(20.0);
        card(ui, Margin::same(16), |ui| self.open_card(cx, ui));
        ui.add_space(12.0);
        ui.horizontal_wrapped(|ui| {
            let note = "tunaflow itself sends nothing anywhere; the engines talk to their makers as they do in a terminal.";
            ui.label(Text::Small.rich(note, p.text_3));
        });
    }

    fn open_card(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let p = theme::palette(ui);
        ui.spacing_mut().item_spacing.y = 4.0;
        ui.label(Text::Ui.rich_weighted(Weight::Semibold, "Open a project", p.text_1));
        let text = "A folder the agents work in. Nothing is changed until you send a message.";
        ui.add(egui::Label::new(Text::Ui.rich(text, p.text_2)).wrap());
        ui.add_space(8.0);
        let row = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(vec2(ui.available_width(), 34.0), row, |ui| {
            let keys = cx.keys(UiAction::OpenFolder);
            let open = Button::primary("Open folder…").icon(icon::FOLDER_OPEN).key(&keys).show(ui);
            if open.clicked() {
                cx.act(UiAction::OpenFolder);
            }
            let width = (ui.available_width() - 70.0).clamp(120.0, 420.0);
            let field =
                TextField::single("project path", "Path of a folder").hint("or its path").width(width);
            let out =
                ui.allocate_ui(vec2(width, 32.0), |ui| field.step(Text::Mono).show(ui, &mut self.path)).inner;
            let blank = self.path.trim().is_empty();
            let why = blank.then_some("Write the path of a folder first.");
            let go = Button::secondary("Open").disabled(why).show(ui).clicked() || out.submitted;
            if go && !blank {
                cx.send(ProjectCommand::Open { path: expand(cx, self.path.trim()) });
            }
        });
        for project in cx.snap.projects.iter().take(5) {
            if Button::quiet(&project.name).icon(icon::FOLDER).show(ui).clicked() {
                cx.send(ProjectCommand::Select { project: project.id });
            }
        }
    }
}

/// `~/x` below the home folder.
fn expand(cx: &UiCx<'_>, path: &str) -> std::path::PathBuf {
    match (path.strip_prefix("~/"), cx.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => path.into(),
    }
}

fn facts(cx: &UiCx<'_>) -> String {
    if cx.snap.app.discovering {
        return "tunaflow runs the programs you have, with the logins you have. Looking for them now.".into();
    }
    let all = cx.snap.engines.iter().filter(|row| !row.info.programs.is_empty()).count();
    let ready = cx
        .snap
        .engines
        .iter()
        .filter(|row| !row.info.programs.is_empty())
        .filter(|row| matches!(row.status.availability, Availability::Ready | Availability::NotLoggedIn))
        .count();
    format!("tunaflow runs the programs you have, with the logins you have. It found {ready} of {all}.")
}

fn card<R>(ui: &mut Ui, margin: Margin, content: impl FnOnce(&mut Ui) -> R) -> R {
    let edge = Stroke::new(1.0, theme::palette(ui).stroke_default);
    let frame = Frame::NONE.stroke(edge).corner_radius(theme::sizes().radius.card).inner_margin(margin);
    frame
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.set_width(ui.available_width());
            content(ui)
        })
        .inner
}
