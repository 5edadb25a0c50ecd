use egui::{
    Align2, Area, Context, Frame, Id, Margin, Order, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};

use crate::ui::theme::{self, Text, Weight};

use super::button::IconButton;
use super::chip::Tone;
use super::icon::{self, Icon};
use super::paint::{self, Ring};

/// One notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    /// Names the toast; a second one with the same key replaces the first.
    pub key: u64,
    /// Its icon.
    pub icon: Icon,
    /// Colour of the icon; errors stay until closed.
    pub tone: Tone,
    /// What happened.
    pub title: String,
    /// What to do or know; may be empty.
    pub detail: String,
    /// Label of the one action; may be empty.
    pub action: String,
    /// Stays 10 s instead of 6, for toasts whose action is undo.
    pub undo: bool,
}

/// What the user did to a toast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToastEvent {
    /// The action of the toast with this key was pressed; the toast is gone.
    Action(u64),
    /// The toast with this key was closed or its time ran out.
    Gone(u64),
}

/// The stack of notices at the lower right: at most three are shown, the oldest wait.
#[derive(Default)]
pub struct ToastStack {
    toasts: Vec<Waiting>,
}

struct Waiting {
    toast: Toast,
    left_s: f32,
}

const SHOWN: usize = 3;
const STAY_S: f32 = 6.0;
const STAY_UNDO_S: f32 = 10.0;
const GAP: f32 = 8.0;
const MARGIN: f32 = 12.0;
const ICON: f32 = 15.0;

impl ToastStack {
    /// Adds a notice or replaces the one with the same key.
    pub fn push(&mut self, toast: Toast) {
        let left_s = if toast.undo { STAY_UNDO_S } else { STAY_S };
        self.toasts.retain(|old| old.toast.key != toast.key);
        self.toasts.push(Waiting { toast, left_s });
    }

    /// How many notices are shown or wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.toasts.len()
    }

    /// Whether there is no notice.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.toasts.is_empty()
    }

    /// Draws the stack `above_bottom` points above the window's lower edge (the status bar's height).
    pub fn show(&mut self, ctx: &Context, above_bottom: f32) -> Vec<ToastEvent> {
        let mut events = Vec::new();
        let screen = ctx.content_rect();
        let width = theme::sizes().panel.toast.min(screen.width() - MARGIN * 2.0);
        let mut bottom = screen.bottom() - above_bottom - MARGIN;
        let passed_s = ctx.input(|input| input.stable_dt).min(0.5);
        let mut next_s = f32::INFINITY;
        for waiting in self.toasts.iter_mut().take(SHOWN) {
            let at = pos2(screen.right() - MARGIN, bottom);
            let area = Area::new(Id::unique(("toast", waiting.toast.key)))
                .order(Order::Foreground)
                .pivot(Align2::RIGHT_BOTTOM)
                .fixed_pos(at);
            let shown = area.show(ctx, |ui| draw(ui, &waiting.toast, width));
            let rect = shown.response.rect;
            bottom = rect.top() - GAP;
            let (event, focused) = shown.inner;
            events.extend(event);
            let hovered = ctx.pointer_hover_pos().is_some_and(|pos| rect.contains(pos));
            if waiting.toast.tone == Tone::Error || hovered || focused {
                continue;
            }
            waiting.left_s -= passed_s;
            next_s = next_s.min(waiting.left_s.max(0.0));
            if waiting.left_s <= 0.0 && event.is_none() {
                events.push(ToastEvent::Gone(waiting.toast.key));
            }
        }
        if next_s.is_finite() {
            ctx.request_repaint_after(std::time::Duration::from_secs_f32(next_s.min(0.25)));
        }
        self.toasts.retain(|waiting| !events.iter().any(|event| event.key() == waiting.toast.key));
        events
    }
}

impl ToastEvent {
    fn key(self) -> u64 {
        match self {
            Self::Action(key) | Self::Gone(key) => key,
        }
    }
}

/// Draws one toast; reports what was pressed and whether a button has the focus.
fn draw(ui: &mut Ui, toast: &Toast, width: f32) -> (Option<ToastEvent>, bool) {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let frame = Frame::NONE
        .fill(p.bg_popup)
        .stroke(Stroke::new(sizes.stroke.line, p.stroke_default))
        .corner_radius(sizes.radius.card)
        .shadow(theme::shadow(ui, true))
        .inner_margin(Margin { top: 10, right: 8, bottom: 10, left: 12 });
    let inner = width - 20.0;
    let out = frame.show(ui, |ui| {
        let title = Text::Ui.format_weighted(Weight::Medium, p.text_1);
        let action =
            paint::line(ui, &toast.action, Text::Ui.format_weighted(Weight::Medium, p.accent), 160.0);
        let close = sizes.control.icon_button_s;
        let action_room = if toast.action.is_empty() { 0.0 } else { action.size().x + sizes.space.s6 };
        let room = inner - ICON - sizes.space.s4 - action_room - close - sizes.space.s4;
        let title = paint::block(ui, &toast.title, title, room);
        let detail = paint::block(ui, &toast.detail, Text::Small.format(p.text_2), room);
        let detail_height = if toast.detail.is_empty() { 0.0 } else { detail.size().y };
        let height = (title.size().y + detail_height).max(close);
        let (rect, response) = ui.allocate_exact_size(vec2(inner, height), Sense::hover());
        let name = format!("{} {}", toast.title, toast.detail);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Alert, true, name.trim_end()));
        let color = if toast.tone == Tone::Neutral { p.text_2 } else { toast.tone.color(p) };
        paint::icon(ui, rect.min + vec2(ICON / 2.0, 10.0), toast.icon, ICON, color);
        let x = rect.left() + ICON + sizes.space.s4;
        let title_height = title.size().y;
        ui.painter().galley(pos2(x, rect.top()), title, p.text_1);
        ui.painter().galley(pos2(x, rect.top() + title_height), detail, p.text_2);
        buttons(ui, toast, rect, action)
    });
    out.inner
}

fn buttons(
    ui: &mut Ui,
    toast: &Toast,
    rect: Rect,
    action: std::sync::Arc<egui::Galley>,
) -> (Option<ToastEvent>, bool) {
    let sizes = theme::sizes();
    let side = sizes.control.icon_button_s;
    let close = Rect::from_min_size(pos2(rect.right() - side, rect.top() - 1.0), vec2(side, side));
    let closer = IconButton::small(icon::X, "Close").show_at(ui, close, (toast.key, "close"));
    let mut event = closer.clicked().then_some(ToastEvent::Gone(toast.key));
    let mut focused = closer.has_focus();
    if !toast.action.is_empty() {
        let size = action.size() + vec2(sizes.space.s3 * 2.0, 4.0);
        let right = close.left() - sizes.space.s2;
        let spot = Rect::from_min_size(pos2(right - size.x, close.center().y - size.y / 2.0), size);
        let id = ui.scope_id().with((toast.key, "action"));
        let response = ui.interact(spot, id, Sense::click());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &toast.action));
        if response.hovered() {
            ui.painter().rect_filled(spot, sizes.radius.control, theme::palette(ui).bg_hover);
        }
        paint::left(ui, spot, spot.left() + sizes.space.s3, action);
        paint::focus_ring(ui, &response, spot, sizes.radius.control, Ring::Inside);
        focused |= response.has_focus();
        if response.clicked() {
            event = Some(ToastEvent::Action(toast.key));
        }
    }
    (event, focused)
}
