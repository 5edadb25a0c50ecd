use egui::{Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::ui::theme::{self, CLEAR, Text, Weight};

use super::paint::{self, Ring};

/// One tab: its value, its words and a count or progress behind them (may be empty).
pub struct Tab<'a, T> {
    /// Returned when chosen.
    pub value: T,
    /// Label and accessible name.
    pub label: &'a str,
    /// "3/6"; may be empty.
    pub note: &'a str,
}

/// Segments side by side, 28 high; returns the newly chosen value.
pub fn tabs<T: Copy + PartialEq>(ui: &mut Ui, tabs: &[Tab<'_, T>], current: T) -> Option<T> {
    tabs_with_id(ui, tabs, current).0
}

/// As [`tabs`], with the id of the current tab.
pub fn tabs_with_id<T: Copy + PartialEq>(
    ui: &mut Ui,
    tabs: &[Tab<'_, T>],
    current: T,
) -> (Option<T>, Option<egui::Id>) {
    ui.horizontal(|ui| segments(ui, tabs, current)).inner
}

/// As [`tabs`], on as many lines as they need.
pub fn tabs_wrapped<T: Copy + PartialEq>(ui: &mut Ui, tabs: &[Tab<'_, T>], current: T) -> Option<T> {
    ui.horizontal_wrapped(|ui| segments(ui, tabs, current)).inner.0
}

fn segments<T: Copy + PartialEq>(
    ui: &mut Ui,
    tabs: &[Tab<'_, T>],
    current: T,
) -> (Option<T>, Option<egui::Id>) {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let (mut chosen, mut at) = (None, None);
    {
        ui.spacing_mut().item_spacing.x = sizes.space.s2;
        for tab in tabs {
            let selected = tab.value == current;
            let color = if selected { p.text_1 } else { p.text_2 };
            let weight = if selected { Weight::Medium } else { Weight::Regular };
            let label = paint::line(ui, tab.label, Text::Ui.format_weighted(weight, color), f32::INFINITY);
            let bold = paint::width(ui, tab.label, Text::Ui, Weight::Medium);
            let note = paint::line(ui, tab.note, Text::Caption.format(p.text_3), f32::INFINITY);
            let note_room = if tab.note.is_empty() { 0.0 } else { note.size().x + sizes.space.s3 };
            let size = vec2(bold + note_room + sizes.space.s5 * 2.0, sizes.control.button);
            let (rect, response) = ui.allocate_exact_size(size, Sense::click());
            response.widget_info(|| WidgetInfo::selected(Role::Tab, true, selected, tab.label));
            if selected {
                at = Some(response.id);
            }
            let fill = if selected || response.hovered() { p.bg_hover } else { CLEAR };
            ui.painter().rect_filled(rect, sizes.radius.control, fill);
            let x = rect.left() + sizes.space.s5;
            paint::left(ui, rect, x, label);
            paint::left(ui, rect, x + bold + sizes.space.s3, note);
            paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
            if response.clicked() && !selected {
                chosen = Some(tab.value);
            }
        }
    }
    (chosen, at)
}

/// The pill that leads to the newest message: floats centred at `center`.
pub fn latest_pill(ui: &mut Ui, center: egui::Pos2, label: &str) -> egui::Response {
    const HEIGHT: f32 = 28.0;
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let format = Text::Small.format_weighted(Weight::Medium, p.text_1);
    let galley = paint::line(ui, label, format, f32::INFINITY);
    let width = sizes.space.s6 * 2.0 + sizes.icon.row + sizes.space.s3 + galley.size().x;
    let rect = egui::Rect::from_center_size(center, vec2(width, HEIGHT));
    let response = ui.interact(rect, ui.scope_id().with("latest pill"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, label));
    let radius = HEIGHT / 2.0;
    ui.painter().add(theme::shadow(ui, false).as_shape(rect, radius));
    let fill = if response.hovered() { p.bg_hover } else { p.bg_popup };
    let edge = egui::Stroke::new(sizes.stroke.line, p.stroke_default);
    ui.painter().rect(rect, radius, fill, edge, egui::StrokeKind::Inside);
    let x = rect.left() + sizes.space.s6;
    let arrow = super::icon::ARROW_DOWN;
    paint::icon(ui, pos2(x + sizes.icon.row / 2.0, rect.center().y), arrow, sizes.icon.row, p.text_1);
    paint::left(ui, rect, x + sizes.icon.row + sizes.space.s3, galley);
    paint::focus_ring(ui, &response, rect, radius, Ring::Outside);
    response
}
