use egui::{Rect, Response, Role, Sense, Ui, WidgetInfo, vec2};

use crate::ui::theme;

use super::chip::Tone;

/// A bar of `width` points, 4 high, filled to `share` (0 to 1, clamped; not a number counts as 0).
pub fn meter(ui: &mut Ui, share: f32, width: f32, tone: Tone, name: &str) -> Response {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let (rect, response) = ui.allocate_exact_size(vec2(width, sizes.control.meter), Sense::hover());
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::ProgressIndicator, true, name);
        info.value = Some(f64::from(share));
        info
    });
    let color = if tone == Tone::Neutral { p.accent } else { tone.color(p) };
    ui.painter().rect_filled(rect, sizes.radius.bar, p.stroke_default);
    if share > 0.0 {
        let filled = Rect::from_min_size(rect.min, vec2((rect.width() * share).max(2.0), rect.height()));
        ui.painter().rect_filled(filled, sizes.radius.bar, color);
    }
    response
}

/// A bar of the context inspector, 8 high: `used` in accent, then after one point what was `cut`.
/// Both are shares of the largest section.
pub fn section_bar(ui: &mut Ui, used: f32, cut: f32, width: f32, name: &str) -> Response {
    const HEIGHT: f32 = 8.0;
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(width, HEIGHT), Sense::hover());
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::ProgressIndicator, true, name);
        info.value = Some(f64::from(used));
        info
    });
    ui.painter().rect_filled(rect, sizes.radius.bar, p.bg_hover);
    let part = |from: f32, share: f32| {
        Rect::from_min_size(rect.min + vec2(from, 0.0), vec2(width * share, HEIGHT)).intersect(rect)
    };
    let used = used.clamp(0.0, 1.0);
    if used > 0.0 {
        ui.painter().rect_filled(part(0.0, used), sizes.radius.bar, p.accent);
    }
    if cut > 0.0 {
        let from = (width * used + 1.0).min(width * 0.97);
        ui.painter().rect_filled(part(from, cut.clamp(0.03, 1.0)), sizes.radius.bar, p.warn);
    }
    response
}
