//! The line below a message at which branches start.

use egui::{Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::api::snapshot::{ConversationRow, ConversationView};
use crate::model::id::MessageId;
use crate::ui::cx::{Request, UiCx};
use crate::ui::lineage;
use crate::ui::route::Route;
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::icon;
use crate::ui::widgets::paint::{self, Ring};

/// Height of the line with its labels, points.
const HEIGHT: f32 = 24.0;
/// Room above, points.
pub(super) const ABOVE: f32 = 10.0;
/// Room below, so that the bar of actions over the next message leaves the labels free, points.
const BELOW: f32 = 8.0;
/// The line right of the last label, points.
const TAIL: f32 = 18.0;
/// Most labels on one line; the rest is counted.
const LABELS: usize = 2;

/// Active branches of a conversation that start at a message, the newest first: an order that talk does not change.
fn starting<'a>(cx: &UiCx<'a>, view: &ConversationView, message: MessageId) -> Vec<&'a ConversationRow> {
    let starts = |row: &&ConversationRow| {
        let branch = row.conversation.branch.as_ref();
        !row.conversation.archived && branch.is_some_and(|branch| branch.checkpoint == Some(message))
    };
    let rows = lineage::children(cx.snap, view.row.conversation.id);
    let mut rows: Vec<&ConversationRow> = rows.map(AsRef::as_ref).filter(starts).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.conversation.id));
    rows
}

/// Draws the line where branches start at `message`; two at one message share it.
pub fn draw(cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView, message: MessageId) {
    let rows = starting(cx, view, message);
    if rows.is_empty() {
        return;
    }
    let p = theme::palette(ui);
    ui.add_space(ABOVE);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    let stroke = Stroke::new(1.0, p.accent);
    let y = rect.center().y.round() + 0.5;
    let mut right = rect.right();
    ui.painter().hline(right - TAIL..=right, y, stroke);
    right -= TAIL + 8.0;
    let rest = rows.len().saturating_sub(LABELS);
    if rest > 0 {
        let galley = paint::line(ui, &format!("+{rest}"), Text::Caption.format(p.text_3), 40.0);
        right = paint::right(ui, rect, right, galley) - 8.0;
    }
    let alone = rows.len() == 1;
    for row in rows.iter().take(LABELS).rev() {
        let title = row.conversation.title.as_str();
        #[expect(clippy::cast_precision_loss, reason = "one or two labels")]
        let most = ((rect.width() - 90.0) / rows.len().min(LABELS) as f32 - 30.0).clamp(30.0, 320.0);
        let whole = format!("{title} starts here");
        let fits = alone && paint::width(ui, &whole, Text::Caption, Weight::Regular) < most;
        let label = if fits { whole } else { title.to_owned() };
        let probe = paint::line(ui, &label, Text::Caption.format(p.accent), most);
        let width = probe.size().x + 19.0;
        let spot = Rect::from_min_size(pos2(right - width, rect.center().y - 12.0), vec2(width, 24.0));
        let id = row.conversation.id;
        let response = ui.interact(spot, ui.scope_id().with(("checkpoint", id.0)), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Link, true, format!("Open branch {title}")));
        let color = if response.hovered() { p.accent_hover } else { p.accent };
        paint::icon(ui, pos2(spot.left() + 7.0, rect.center().y), icon::GIT_BRANCH, 13.0, color);
        paint::left(ui, rect, spot.left() + 19.0, paint::line(ui, &label, Text::Caption.format(color), most));
        paint::focus_ring(ui, &response, spot, theme::sizes().radius.chip, Ring::Outside);
        if response.on_hover_text(title).clicked() {
            cx.ask(Request::Go(Route::Chat { conversation: id }));
        }
        right = spot.left() - 10.0;
    }
    ui.painter().hline(rect.left()..=right.max(rect.left()), y, stroke);
    ui.add_space(BELOW);
}
