//! Every command with its shortcut, made from the one list of commands.

use egui::{Context, Id, Sense, Ui, vec2};

use crate::ui::action::{Group, UiAction};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::Button;
use crate::ui::widgets::dialog::{Width, dialog};
use crate::ui::widgets::paint;
use crate::ui::widgets::row::caption_head;

/// Whether the sheet is open.
#[derive(Default)]
pub struct KeySheet {
    open: bool,
}

/// Keys that belong to a place rather than to a command.
const PLACES: [(&str, &str); 7] = [
    ("Send", "Enter"),
    ("Break the line", "Shift Enter"),
    ("Edit the last message, in an empty field", "↑"),
    ("Commands, at the start of a message", "/"),
    ("Close, cancel, deny or stop", "Esc"),
    ("Next control", "Tab"),
    ("Press a control", "Space"),
];

impl KeySheet {
    pub fn toggle(&mut self) {
        self.open = !self.open;
    }

    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Esc: closes it. `false` when it was not open.
    pub fn escape(&mut self) -> bool {
        std::mem::take(&mut self.open)
    }

    pub fn show(&mut self, ctx: &Context) {
        if !self.open {
            return;
        }
        let mut close = false;
        let foot = |ui: &mut Ui| close = Button::secondary("Close").key("Esc").show(ui).clicked();
        let out = dialog(ctx, Id::unique("key sheet"), "Keys", Width::Medium, body, foot);
        self.open = !(out.close || close);
    }
}

fn body(ui: &mut Ui) {
    ui.spacing_mut().item_spacing.y = 0.0;
    caption_head(ui, "Writing");
    for (text, keys) in PLACES {
        row(ui, text, keys);
    }
    for group in Group::ALL {
        let rows: Vec<UiAction> = UiAction::all()
            .into_iter()
            .filter(|action| action.info().group == group && !action.keys().is_empty())
            .filter(|action| !matches!(action, UiAction::Conversation(2..=8)))
            .collect();
        if rows.is_empty() {
            continue;
        }
        ui.add_space(12.0);
        caption_head(ui, group.label());
        for action in rows {
            row(ui, &action.info().text, &action.keys());
        }
    }
}

fn row(ui: &mut Ui, text: &str, keys: &str) {
    let p = theme::palette(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 28.0), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{text}: {keys}")));
    let galley = paint::line(ui, keys, Text::Small.format(p.text_2), rect.width() / 2.0);
    let end = paint::right(ui, rect, rect.right(), galley);
    let galley = paint::line(ui, text, Text::Ui.format(p.text_1), end - rect.left() - 12.0);
    paint::left(ui, rect, rect.left(), galley);
}
