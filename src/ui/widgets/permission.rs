use egui::{Frame, Margin, Rect, Stroke, StrokeKind, Ui, UiBuilder, pos2, vec2};

use crate::model::visible::visible;
use crate::ui::theme::{self, Text, Weight};

use super::glyph::StateGlyph;
use super::paint;

/// Seconds for which the buttons of a request that just appeared stay disabled.
pub const SETTLE_S: f64 = 0.5;

/// The card of a request that waits for the user: amber edge, head with diamond and title, then the body.
///
/// `head_end` draws right-aligned into the head ("1 of 3", arrows); `body` has a padding of 14.
pub fn permission_card<R>(
    ui: &mut Ui,
    title: &str,
    head_end: impl FnOnce(&mut Ui),
    body: impl FnOnce(&mut Ui) -> R,
) -> R {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let radius = egui::CornerRadius::from(sizes.radius.composer);
    let frame = Frame::NONE.fill(p.bg_raised).corner_radius(radius);
    let shown = frame.show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.set_width(ui.available_width());
        let (head, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.head), egui::Sense::hover());
        let top = egui::CornerRadius { sw: 0, se: 0, ..radius };
        ui.painter().rect_filled(head, top, p.needs_tint);
        let x = head.left() + sizes.space.s7;
        StateGlyph::NeedsYou.paint(ui, pos2(x + 7.0, head.center().y), sizes.icon.row);
        let end = Rect::from_min_max(pos2(head.center().x, head.top()), head.max - vec2(sizes.space.s5, 0.0));
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        let mut end = ui.new_child(UiBuilder::new().max_rect(end).layout(layout));
        head_end(&mut end);
        let room = end.min_rect().left() - x - 22.0 - sizes.space.s4;
        let galley = paint::line(ui, title, Text::Ui.format_weighted(Weight::Semibold, p.text_1), room);
        paint::left(ui, head, x + 22.0, galley);
        let inner = Frame::NONE.inner_margin(Margin::same(14)).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = sizes.space.s4;
            ui.set_width(ui.available_width());
            body(ui)
        });
        inner.inner
    });
    let edge = Stroke::new(sizes.stroke.line, p.needs);
    ui.painter().rect_stroke(shown.response.rect, radius, edge, StrokeKind::Inside);
    shown.inner
}

/// The exact command or text of a request: on inset ground, wrapped, never shortened, selectable. What would be unseen
/// in it, or change how the rest is read, is written out.
pub fn exact_text(ui: &mut Ui, text: &str) {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    Frame::NONE
        .fill(p.bg_inset)
        .stroke(Stroke::new(sizes.stroke.line, p.stroke_default))
        .corner_radius(sizes.radius.control)
        .inner_margin(Margin::symmetric(12, 10))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.add(egui::Label::new(Text::Code.rich(visible(text), p.text_1)).selectable(true).wrap());
        });
}
