//! Every command with its shortcut, made from the one list of commands.

use egui::{Context, Id, Sense, Ui, vec2};

use crate::ui::action::{Group, UiAction};
use crate::ui::cx::UiCx;
use crate::ui::route::SettingsPage;
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

/// Keys that belong to a place rather than to a command, and so cannot be changed, except for Enter.
#[must_use]
pub fn places(cx: &UiCx<'_>) -> [(&'static str, String); 8] {
    let (send, line) =
        if cx.snap.settings.enter_sends { ("Enter", "Shift Enter") } else { ("Shift Enter", "Enter") };
    [
        ("Send", send.to_owned()),
        ("Send, in either case", format!("{} Enter", cx.keys.platform.command())),
        ("Break the line", line.to_owned()),
        ("Edit the last message, in an empty field", "↑".to_owned()),
        ("Commands, at the start of a message", "/".to_owned()),
        ("Close, cancel, deny or stop", "Esc".to_owned()),
        ("Next control", "Tab".to_owned()),
        ("Press a control", "Space".to_owned()),
    ]
}

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

    pub fn show(&mut self, cx: &UiCx<'_>, ctx: &Context) {
        if !self.open {
            return;
        }
        let (mut close, mut change) = (false, false);
        let foot = |ui: &mut Ui| {
            close = Button::secondary("Close").key("Esc").show(ui).clicked();
            change = Button::quiet("Change keys…").show(ui).clicked();
        };
        let body = |ui: &mut Ui| body(cx, ui);
        let out = dialog(ctx, Id::unique("key sheet"), "Keys", Width::Medium, body, foot);
        if change {
            cx.act(UiAction::Settings(SettingsPage::Keys));
        }
        self.open = !(out.close || close || change);
    }
}

fn body(cx: &UiCx<'_>, ui: &mut Ui) {
    ui.spacing_mut().item_spacing.y = 0.0;
    caption_head(ui, "Writing");
    for (text, keys) in &places(cx) {
        row(ui, text, keys);
    }
    for group in Group::ALL {
        let rows: Vec<(String, String)> = UiAction::all()
            .into_iter()
            .filter(|action| action.info().group == group)
            .filter(|action| !in_between(cx, *action))
            .map(|action| (action.info().text, shown(cx, action)))
            .filter(|(_, keys)| !keys.is_empty())
            .collect();
        if rows.is_empty() {
            continue;
        }
        ui.add_space(12.0);
        caption_head(ui, group.label());
        for (text, keys) in &rows {
            row(ui, text, keys);
        }
    }
}

/// All keys that run a command.
fn shown(cx: &UiCx<'_>, action: UiAction) -> String {
    let Some(row) = cx.keys.row(action) else { return String::new() };
    let good = row.chords.iter().filter(|held| held.problem.is_none());
    good.map(|held| held.chord.shown(cx.keys.platform)).collect::<Vec<_>>().join(" or ")
}

/// The conversations between the first and the last, while they have the keys they come with.
fn in_between(cx: &UiCx<'_>, action: UiAction) -> bool {
    matches!(action, UiAction::Conversation(2..=8)) && cx.keys.row(action).is_none_or(|row| !row.changed)
}

/// One line: what happens, and by which keys.
pub fn row(ui: &mut Ui, text: &str, keys: &str) {
    let p = theme::palette(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 28.0), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{text}: {keys}")));
    let galley = paint::line(ui, keys, Text::Small.format(p.text_2), rect.width() / 2.0);
    let end = paint::right(ui, rect, rect.right(), galley);
    let galley = paint::line(ui, text, Text::Ui.format(p.text_1), end - rect.left() - 12.0);
    paint::left(ui, rect, rect.left(), galley);
}
