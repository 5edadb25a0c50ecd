use egui::{Frame, Margin, Rect, Stroke, Ui, UiBuilder, pos2, vec2};

use crate::ui::theme;

use super::button::IconButton;
use super::icon::Icon;

/// One action of the bar.
pub struct BarAction<'a, A> {
    /// What is returned when it is pressed.
    pub action: A,
    /// Its icon.
    pub icon: Icon,
    /// Tooltip and accessible name.
    pub name: &'a str,
}

/// Side of one button in the bar, points.
const BUTTON: f32 = 26.0;
const PAD: f32 = 2.0;
/// How far the bar's top lies above the message's top.
const RISE: f32 = 25.0;

/// Where the bar lies for a message at `message`; use it to keep the bar while the pointer is on it.
#[must_use]
pub fn bar_rect(message: Rect, actions: usize) -> Rect {
    let count = u16::try_from(actions).unwrap_or(u16::MAX);
    let size = vec2(f32::from(count) * BUTTON + PAD * 2.0 + 2.0, BUTTON + PAD * 2.0 + 2.0);
    Rect::from_min_size(pos2(message.right() - size.x, message.top() - RISE), size)
}

/// Draws the action bar over a message's upper right corner; returns the pressed action and its button,
/// on which a menu can be opened. Allocates nothing, so nothing moves.
pub fn hover_bar<A: Copy>(
    ui: &mut Ui,
    message: Rect,
    actions: &[BarAction<'_, A>],
) -> Option<(A, egui::Response)> {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let rect = bar_rect(message, actions.len());
    let shadow = theme::shadow(ui, false);
    let mut bar = ui.new_child(UiBuilder::new().max_rect(rect).id_salt("hover bar"));
    let mut pressed = None;
    Frame::NONE
        .fill(p.bg_popup)
        .stroke(Stroke::new(sizes.stroke.line, p.stroke_default))
        .corner_radius(sizes.radius.card)
        .shadow(shadow)
        .inner_margin(Margin::same(2))
        .show(&mut bar, |ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            ui.horizontal(|ui| {
                for action in actions {
                    let button = IconButton::new(action.icon, action.name).size(BUTTON, sizes.icon.row);
                    let response = button.show(ui);
                    if response.clicked() {
                        pressed = Some((action.action, response));
                    }
                }
            });
        });
    pressed
}
