use egui::{Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use crate::ui::theme::{self, Text};

use super::paint::{self, Ring};

/// A radio button with its label; `mono` draws the label as exact text.
#[expect(clippy::fn_params_excessive_bools, reason = "two independent looks of one row")]
pub fn radio(ui: &mut Ui, selected: bool, label: &str, mono: bool) -> Response {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let side = sizes.control.radio;
    let color = if ui.is_enabled() { p.text_1 } else { p.text_off };
    let step = if mono { Text::Mono } else { Text::Ui };
    let room = (ui.available_width() - side - sizes.space.s4).max(40.0);
    let galley = paint::line(ui, label, step.format(color), room);
    let size = vec2(side + sizes.space.s4 + galley.size().x, sizes.control.min_hit);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let enabled = ui.is_enabled();
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, enabled, selected, label));
    let center = pos2(rect.left() + side / 2.0, rect.center().y);
    let edge = if selected { p.accent } else { p.stroke_control };
    let radius = side / 2.0 - 0.5;
    ui.painter().circle(center, radius, p.bg_inset, Stroke::new(sizes.stroke.line, edge));
    if selected {
        ui.painter().circle_filled(center, side / 2.0 - 3.5, p.accent);
    }
    paint::left(ui, rect, rect.left() + side + sizes.space.s4, galley);
    paint::focus_ring(ui, &response, rect, sizes.radius.chip, Ring::Outside);
    response
}

/// A switch with its label; flips `on` and reports the change.
pub fn switch(ui: &mut Ui, on: &mut bool, label: &str) -> Response {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let [width, height] = sizes.control.switch;
    let color = if ui.is_enabled() { p.text_1 } else { p.text_off };
    let room = (ui.available_width() - width - sizes.space.s4).max(40.0);
    let galley = paint::block(ui, label, Text::Ui.format(color), room);
    let tall = galley.size().y.max(sizes.control.min_hit);
    let size = vec2(width + sizes.space.s4 + galley.size().x, tall);
    let (rect, mut response) = ui.allocate_exact_size(size, Sense::click());
    if response.clicked() {
        *on = !*on;
        response.mark_changed();
    }
    let (enabled, is_on) = (ui.is_enabled(), *on);
    response.widget_info(|| WidgetInfo::selected(Role::Switch, enabled, is_on, label));
    let top = rect.center().y - height / 2.0;
    let body = egui::Rect::from_min_size(pos2(rect.left(), top), vec2(width, height));
    let (fill, edge, knob) = match (enabled, is_on) {
        (false, _) => (theme::CLEAR, p.stroke_default, p.text_off),
        (true, true) => (p.accent, p.accent, p.accent_on),
        (true, false) => (p.bg_inset, p.stroke_control, p.stroke_control),
    };
    ui.painter().rect(body, height / 2.0, fill, Stroke::new(sizes.stroke.line, edge), StrokeKind::Inside);
    let x = if is_on { body.right() - height / 2.0 } else { body.left() + height / 2.0 };
    ui.painter().circle_filled(pos2(x, body.center().y), height / 2.0 - 3.0, knob);
    paint::left(ui, rect, body.right() + sizes.space.s4, galley);
    paint::focus_ring(ui, &response, body, height / 2.0, Ring::Outside);
    response
}

/// A check box with its label; flips `on` and reports the change.
pub fn check(ui: &mut Ui, on: &mut bool, label: &str) -> Response {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let side = sizes.control.radio;
    let color = if ui.is_enabled() { p.text_1 } else { p.text_off };
    let room = (ui.available_width() - side - sizes.space.s4).max(40.0);
    let galley = paint::block(ui, label, Text::Ui.format(color), room);
    let tall = galley.size().y.max(sizes.control.min_hit);
    let size = vec2(side + sizes.space.s4 + galley.size().x, tall);
    let (rect, mut response) = ui.allocate_exact_size(size, Sense::click());
    if response.clicked() {
        *on = !*on;
        response.mark_changed();
    }
    let (enabled, is_on) = (ui.is_enabled(), *on);
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, enabled, is_on, label));
    let body =
        egui::Rect::from_center_size(pos2(rect.left() + side / 2.0, rect.center().y), vec2(side, side));
    let (fill, edge) = if is_on { (p.accent, p.accent) } else { (p.bg_inset, p.stroke_control) };
    let radius = sizes.radius.chip;
    ui.painter().rect(body, radius, fill, Stroke::new(sizes.stroke.line, edge), StrokeKind::Inside);
    if is_on {
        let tick = super::icon::CHECK;
        paint::icon_face(ui, body.center(), tick, super::icon::Face::Bold, side - 3.0, p.accent_on);
    }
    paint::left(ui, rect, rect.left() + side + sizes.space.s4, galley);
    paint::focus_ring(ui, &response, body, radius, Ring::Outside);
    response
}
