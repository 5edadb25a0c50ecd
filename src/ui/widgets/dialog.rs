use egui::{Align, Context, Frame, Id, Layout, Margin, Modal, ScrollArea, Stroke, Ui, UiBuilder, vec2};

use crate::ui::theme::{self, Text};

use super::button::IconButton;
use super::icon;
use super::paint;

/// Width of a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 480 points: a question.
    Small,
    /// 640 points: a form.
    Medium,
    /// 800 points: something to compare.
    Large,
}

/// What a dialog's frame reports.
pub struct DialogOutcome<R> {
    /// What the body returned.
    pub inner: R,
    /// Esc, the cross or a click on the scrim asked to close.
    pub close: bool,
}

/// Room left free on each side of a dialog.
const KEEP_FREE: f32 = 48.0;
const HEAD: f32 = 52.0;
const FOOT: f32 = 56.0;

/// A dialog over a scrim. The body scrolls; the foot's buttons are drawn by `foot` from the right,
/// primary first. Only the topmost dialog takes Esc.
pub fn dialog<R>(
    ctx: &Context,
    id: Id,
    title: &str,
    width: Width,
    body: impl FnOnce(&mut Ui) -> R,
    foot: impl FnOnce(&mut Ui),
) -> DialogOutcome<R> {
    let sizes = theme::sizes();
    let p = theme::palette_of(ctx.global_style().visuals.dark_mode);
    let [small, medium, large] = sizes.panel.dialog;
    let wanted = match width {
        Width::Small => small,
        Width::Medium => medium,
        Width::Large => large,
    };
    let screen = ctx.content_rect().size() - vec2(KEEP_FREE, KEEP_FREE) * 2.0;
    let width = wanted.min(screen.x);
    let frame = Frame::NONE
        .fill(p.bg_popup)
        .stroke(Stroke::new(sizes.stroke.line, p.stroke_default))
        .corner_radius(sizes.radius.dialog)
        .shadow(sizes.shadow.popup.shadow_of(p.shadow));
    let mut close = false;
    let shown = Modal::new(id).frame(frame).backdrop_color(p.scrim).show(ctx, |ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing.y = 0.0;
        close |= head(ui, title);
        let inner = ScrollArea::vertical()
            .max_height((screen.y - HEAD - FOOT).max(80.0))
            .auto_shrink([false, true])
            .show(ui, |ui| {
                Frame::NONE.inner_margin(Margin::symmetric(20, 16)).show(ui, |ui| {
                    ui.set_width(ui.available_width());
                    ui.spacing_mut().item_spacing.y = sizes.space.s4;
                    body(ui)
                })
            });
        let (rect, _) = ui.allocate_exact_size(vec2(width, FOOT), egui::Sense::hover());
        let inside = rect.shrink2(vec2(sizes.space.s9, 0.0));
        let layout = Layout::right_to_left(Align::Center);
        foot(&mut ui.new_child(UiBuilder::new().max_rect(inside).layout(layout)));
        inner.inner.inner
    });
    close |= shown.should_close();
    DialogOutcome { inner: shown.inner, close }
}

fn head(ui: &mut Ui, title: &str) -> bool {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEAD), egui::Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Heading, true, title));
    let galley = paint::line(ui, title, Text::Heading.format(p.text_1), rect.width() - 80.0);
    let cut = galley.elided;
    paint::left(ui, rect, rect.left() + sizes.space.s9, galley);
    if cut {
        response.on_hover_text(title);
    }
    let at = egui::pos2(rect.right() - sizes.space.s6 - 14.0, rect.center().y);
    let cross = egui::Rect::from_center_size(at, vec2(28.0, 28.0));
    IconButton::new(icon::X, "Close").show_at(ui, cross, "close dialog").clicked()
}
