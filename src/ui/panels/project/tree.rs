//! The tree of branches: where each starts and how it stands. A click opens it.

use std::sync::Arc;

use egui::epaint::CubicBezierShape;
use egui::{Rect, Role, Sense, Shape, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::api::snapshot::ConversationRow;
use crate::model::branch::BranchStatus;
use crate::model::id::ConversationId;
use crate::ui::cx::{Request, UiCx};
use crate::ui::lineage;
use crate::ui::panels::menu;
use crate::ui::panels::sidebar::{branch_menu, glyph};
use crate::ui::route::Route;
use crate::ui::theme::{self, CLEAR, Text, Weight};
use crate::ui::widgets::icon;
use crate::ui::widgets::paint::{self, Ring};
use crate::ui::words;

use super::{head, nothing};

const ABOUT: &str =
    "Each branch below the conversation it starts from, in the order of the messages they start at.";
/// Height of one row, points.
const ROW: f32 = 46.0;
/// Distance of two depths, points.
const LANE: f32 = 24.0;
/// Radius of a dot, points.
const DOT: f32 = 4.5;

/// Draws the page.
pub fn ui(cx: &UiCx<'_>, ui: &mut Ui) {
    head(ui, "Branches", ABOUT, None);
    let rows = listed(cx);
    if rows.is_empty() {
        nothing(
            ui,
            "No conversation has a branch yet. A branch starts at a message: point at one and take “Branch from here”.",
        );
        return;
    }
    let tree = lineage::tree(&rows);
    ui.spacing_mut().item_spacing.y = 0.0;
    #[expect(clippy::cast_precision_loss, reason = "a count of rows")]
    let total = tree.len() as f32 * ROW;
    let (all, _) = ui.allocate_exact_size(vec2(ui.available_width(), total), Sense::hover());
    let spot = |at: usize| {
        #[expect(clippy::cast_precision_loss, reason = "a count of rows")]
        let top = all.top() + at as f32 * ROW;
        Rect::from_min_size(pos2(all.left(), top), vec2(all.width(), ROW))
    };
    for (at, lineage::Hung { row, depth, above }) in tree.iter().copied().enumerate() {
        let rect = spot(at);
        let way = rect.union(above.map_or(rect, spot));
        if !ui.is_rect_visible(way) {
            continue;
        }
        if let Some((above, up)) = above.and_then(|above| Some((above, tree.get(above)?))) {
            edge(ui, (spot(above), up.depth), (rect, depth), row);
        }
        if ui.is_rect_visible(rect) {
            entry(cx, ui, rect, depth, row);
        }
    }
}

/// Branches, and the conversations they start from. Those of the conversation one comes from stand first, branches
/// in the order of their checkpoints.
fn listed<'a>(cx: &UiCx<'a>) -> Vec<&'a Arc<ConversationRow>> {
    let all = &cx.snap.conversations;
    let parents: std::collections::BTreeSet<ConversationId> =
        all.iter().filter_map(|row| lineage::parent(row)).collect();
    let here = cx.route.conversation().map(|id| lineage::root(cx.snap, id).unwrap_or(id));
    let mut rows: Vec<_> = all
        .iter()
        .filter(|row| lineage::parent(row).is_some() || parents.contains(&row.conversation.id))
        .collect();
    rows.sort_by_key(|row| {
        let branch = row.conversation.branch.as_ref();
        let checkpoint = branch.map(|branch| branch.checkpoint);
        let made_ms = branch.map_or(0, |_| row.conversation.created_ms);
        (checkpoint, Some(row.conversation.id) != here, made_ms)
    });
    rows
}

fn lane(rect: Rect, depth: u8) -> f32 {
    rect.left() + 14.0 + f32::from(depth) * LANE
}

/// The line from a parent's dot down and over to its branch; a broken one to what is in the archive.
fn edge(ui: &Ui, (from, up): (Rect, u8), (to, depth): (Rect, u8), row: &ConversationRow) {
    let p = theme::palette(ui);
    let stroke = Stroke::new(1.5, p.stroke_control);
    let (x, y) = (lane(from, up), to.center().y);
    let (start, turn) = (pos2(x, from.center().y + DOT + 2.0), pos2(x, y - 12.0));
    let end = pos2(lane(to, depth) - DOT - 2.0, y);
    let painter = ui.painter();
    if row.conversation.archived {
        painter.extend(Shape::dashed_line(&[start, turn], stroke, 3.0, 3.0));
    } else {
        painter.line_segment([start, turn], stroke);
    }
    if end.x > x {
        let bend = [turn, pos2(x, y), pos2(x, y), end];
        painter.add(CubicBezierShape::from_points_stroke(bend, false, CLEAR, stroke));
    }
}

fn entry(cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, depth: u8, row: &ConversationRow) {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let id = row.conversation.id;
    let title = row.conversation.title.as_str();
    let dot = pos2(lane(rect, depth), rect.center().y);
    let hit =
        Rect::from_min_max(pos2(dot.x + 10.0, rect.top() + 1.0), pos2(rect.right(), rect.bottom() - 1.0));
    let ui = ui.new_child(UiBuilder::new().max_rect(hit).id_salt(("tree row", id.0)));
    let response = ui.interact(hit, ui.scope_id().with("tree row"), Sense::click());
    let facts = facts(cx, row);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("{title}, {facts}")));
    let down = response.is_pointer_button_down_on();
    // Too weak on the ground of a pressed row.
    let faint = if down { p.text_2 } else { p.text_3 };
    let fill = match (down, response.hovered()) {
        (true, _) => p.bg_pressed,
        (false, true) => p.bg_hover,
        (false, false) => CLEAR,
    };
    ui.painter().rect_filled(hit, sizes.radius.control, fill);
    let is_branch = row.conversation.branch.is_some();
    if is_branch {
        glyph(row).paint(&ui, dot, sizes.icon.state);
    } else {
        ui.painter().circle_filled(dot, DOT, p.accent);
    }
    let quiet = row.conversation.archived;
    let (x, mut end) = (hit.left() + 8.0, hit.right() - 10.0);
    let upper = Rect::from_min_size(hit.min, vec2(hit.width(), 24.0));
    let lower = Rect::from_min_max(pos2(hit.left(), hit.top() + 20.0), pos2(hit.right(), hit.bottom() - 3.0));
    let git = row.conversation.branch.as_ref().and_then(|branch| branch.facts.git_branch.as_deref());
    if let Some(git) = git {
        let galley = paint::line(&ui, git, Text::MonoSmall.format(faint), (end - x) * 0.3);
        end = paint::right(&ui, upper, end, galley) - 8.0;
        paint::icon(&ui, pos2(end, upper.center().y), icon::GIT_BRANCH, sizes.icon.inline, faint);
        end -= 14.0;
    }
    let weight = if is_branch { Weight::Medium } else { Weight::Semibold };
    let color = if quiet { p.text_2 } else { p.text_1 };
    let galley = paint::line(&ui, title, Text::Ui.format_weighted(weight, color), (end - x).max(20.0));
    paint::left(&ui, upper, x, galley);
    let end = hit.right() - 10.0;
    let galley = paint::line(&ui, &facts, Text::Caption.format(faint), (end - x) * 0.6);
    let gist_x = paint::left(&ui, lower, x, galley) + 10.0;
    let gist = row.conversation.branch.as_ref().and_then(|branch| branch.facts.gist.as_deref());
    if let Some(gist) = gist.filter(|_| end - gist_x > 60.0) {
        paint::left(&ui, lower, gist_x, paint::line(&ui, gist, Text::Caption.format(p.text_2), end - gist_x));
    }
    paint::focus_ring(&ui, &response, hit, sizes.radius.control, Ring::Inside);
    if is_branch {
        menu::context_menu(&response, 220.0, |ui| branch_menu(cx, ui, row));
    }
    let whole = [Some(title), git, gist].into_iter().flatten().collect::<Vec<_>>().join("\n");
    if response.on_hover_text(whole).clicked() {
        cx.ask(Request::Go(Route::Chat { conversation: id }));
    }
}

/// `From message 5 · 14 messages · adopted`.
fn facts(cx: &UiCx<'_>, row: &ConversationRow) -> String {
    let mut parts = Vec::new();
    if let Some(branch) = &row.conversation.branch {
        let view = cx.snap.view(branch.parent);
        let place = branch.checkpoint.and_then(|checkpoint| view?.place_of(checkpoint));
        parts.extend(place.map(|place| format!("From message {}", place + 1)));
    }
    parts.push(words::plural(u64::from(row.conversation.message_count), "message", "messages"));
    match row.conversation.branch_status() {
        Some(BranchStatus::Adopted) => parts.push("adopted".to_owned()),
        Some(BranchStatus::Archived) => parts.push("archived".to_owned()),
        Some(BranchStatus::Active) | None => parts.push(cx.now.row_time(row.conversation.updated_ms)),
    }
    parts.join(" · ")
}
