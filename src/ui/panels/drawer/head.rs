//! Head of the drawer: the way down to the branch, what can be done with it, its tabs and its facts.

use std::sync::Arc;

use egui::{Align, Layout, Rect, Response, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::api::snapshot::ConversationRow;
use crate::model::branch::BranchStatus;
use crate::model::id::ConversationId;
use crate::ui::action::UiAction;
use crate::ui::cx::{BranchAsk, Request, UiCx};
use crate::ui::lineage;
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::panels::sidebar::{branch_menu, glyph};
use crate::ui::route::Route;
use crate::ui::theme::{self, CLEAR, Text, Weight};
use crate::ui::widgets::icon::{self, Face};
use crate::ui::widgets::paint::{self, Ring};
use crate::ui::widgets::{Button, IconButton};
use crate::ui::words;

/// What the head left, and the tab that was closed.
pub struct Outcome {
    pub rest: Rect,
    pub closed: Option<ConversationId>,
}

/// Draws head, tabs and facts from the top of `rect`.
pub fn show(cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, tabs: &[ConversationId], pinned: bool) -> Outcome {
    let mut outcome = Outcome { rest: rect, closed: None };
    let Some(row) = cx.branch.and_then(|id| lineage::row(cx.snap, id)) else { return outcome };
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let mut top = rect.top();
    let mut line = |height: f32| {
        let line = Rect::from_min_size(pos2(rect.left(), top), vec2(rect.width(), height));
        top += height;
        line
    };
    let head = line(sizes.row.head);
    paint::bottom_line(ui, head, p.stroke_subtle);
    bar(cx, ui, head, row, pinned);
    if tabs.len() > 1 {
        let strip = line(sizes.row.subhead);
        paint::bottom_line(ui, strip, p.stroke_subtle);
        outcome.closed = tab_strip(cx, ui, strip, tabs);
    }
    let meta = line(sizes.row.meta);
    paint::bottom_line(ui, meta, p.stroke_subtle);
    facts(cx, ui, meta, row);
    outcome.rest = Rect::from_min_max(pos2(rect.left(), top), rect.max);
    outcome
}

fn bar(cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, row: &ConversationRow, pinned: bool) {
    let inside = rect.shrink2(vec2(theme::sizes().space.s6, 0.0));
    let layout = Layout::right_to_left(Align::Center);
    let mut end = ui.new_child(UiBuilder::new().max_rect(inside).layout(layout).id_salt("drawer end"));
    end.spacing_mut().item_spacing.x = theme::sizes().space.s2;
    let id = row.conversation.id;
    let hide = cx.keys(UiAction::ToggleDrawer);
    if IconButton::new(icon::X, "Close branch").key(&hide).show(&mut end).clicked() {
        cx.act(UiAction::ToggleDrawer);
    }
    let more = IconButton::new(icon::DOTS_THREE, "More about this branch").show(&mut end);
    menu::menu(&more, 220.0, |ui| branch_menu(cx, ui, row));
    let (name, face) = if pinned { ("Unpin branch", Face::Fill) } else { ("Pin branch", Face::Regular) };
    let pin = IconButton::new(icon::PUSH_PIN, name).face(face).selected(pinned);
    if pin.key(&cx.keys(UiAction::PinDrawer)).show(&mut end).clicked() {
        cx.act(UiAction::PinDrawer);
    }
    let open = !row.conversation.archived && is_free(row);
    if open && Button::primary("Adopt…").icon(icon::ARROW_BEND_UP_LEFT).show(&mut end).clicked() {
        cx.ask(Request::Branch(BranchAsk::Adopt(id)));
    }
    let right = end.min_rect().left() - theme::sizes().space.s4;
    crumbs(cx, ui, Rect::from_min_max(inside.min, pos2(right, inside.bottom())), id);
}

/// It has not been adopted yet, or was continued since.
fn is_free(row: &ConversationRow) -> bool {
    row.conversation.branch_status() != Some(BranchStatus::Adopted)
}

/// Longest step of the way, points.
const CRUMB_MAX: f32 = 140.0;
/// The sign between two steps, points.
const STEP: f32 = 18.0;
/// The sign for steps without a name, with what stands behind it, points.
const HIDDEN: f32 = 36.0;
/// Narrowest tab, points.
const TAB_MIN: f32 = 92.0;

/// The way from the main conversation to the branch; each step opens. The branch itself keeps its room longest.
fn crumbs(cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, id: ConversationId) {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    paint::icon(ui, pos2(rect.left() + 7.0, rect.center().y), icon::GIT_BRANCH, sizes.icon.row, p.accent);
    let mut x = rect.left() + 22.0;
    let path = lineage::path(cx.snap, id);
    let Some((here, above)) = path.split_last() else { return };
    let title = here.conversation.title.as_str();
    let own = paint::width(ui, title, Text::Ui, Weight::Semibold).min((rect.right() - x) * 0.75);
    let mut room = (rect.right() - x - own).max(0.0);
    // From the nearest ancestor up, as far as there is room; the rest stands behind one sign.
    let mut first = above.len();
    for row in above.iter().rev() {
        let width = paint::width(ui, &row.conversation.title, Text::Ui, Weight::Regular);
        let needs = width.min(CRUMB_MAX) + STEP;
        let sign = if first > 1 { HIDDEN } else { 0.0 };
        if needs + sign > room {
            break;
        }
        room -= needs;
        first -= 1;
    }
    match above.get(..first).unwrap_or_default() {
        [] => {}
        [one] => x = hidden_crumb(cx, ui, (rect, x), one),
        many => x = hidden_crumbs(cx, ui, (rect, x), many),
    }
    for row in above.iter().skip(first) {
        let title = row.conversation.title.as_str();
        x = crumb(cx, ui, (rect, x), title, row.conversation.id);
    }
    let format = Text::Ui.format_weighted(Weight::Semibold, p.text_1);
    let galley = paint::line(ui, title, format, (rect.right() - x).max(20.0));
    let spot = Rect::from_min_size(pos2(x, rect.top()), vec2(galley.size().x, rect.height()));
    paint::left(ui, rect, x, galley);
    let response = ui.interact(spot, ui.scope_id().with("branch title"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, title));
    if response.on_hover_text(title).double_clicked() {
        cx.ask(Request::Rename(id));
    }
}

/// One step that has no room for its name; returns where the next begins.
fn hidden_crumb(cx: &UiCx<'_>, ui: &mut Ui, at: (Rect, f32), row: &ConversationRow) -> f32 {
    let (title, id) = (row.conversation.title.as_str(), row.conversation.id);
    if hidden_sign(ui, at, &format!("Go to {title}")).clicked() {
        go_up(cx, id);
    }
    at.1 + HIDDEN
}

/// The sign that stands for steps without a name, and the caret behind it.
fn hidden_sign(ui: &mut Ui, (rect, x): (Rect, f32), name: &str) -> Response {
    let p = theme::palette(ui);
    let spot = Rect::from_center_size(pos2(x + 8.0, rect.center().y), vec2(24.0, 24.0));
    paint::icon(ui, pos2(x + 27.0, rect.center().y), icon::CARET_RIGHT, 10.0, p.text_3);
    IconButton::small(icon::DOTS_THREE, name).show_at(ui, spot, "hidden crumbs")
}

fn go_up(cx: &UiCx<'_>, id: ConversationId) {
    cx.ask(Request::Go(Route::Chat { conversation: id }));
    if lineage::root(cx.snap, id).is_none() {
        cx.ask(Request::FocusComposer);
    }
}

/// Steps that have no room, behind one sign with a menu; returns where the next begins.
fn hidden_crumbs(cx: &UiCx<'_>, ui: &mut Ui, at: (Rect, f32), hidden: &[&Arc<ConversationRow>]) -> f32 {
    let more = hidden_sign(ui, at, "Way to this branch");
    menu::menu(&more, 220.0, |ui| {
        for row in hidden {
            let which = if row.conversation.branch.is_some() { icon::GIT_BRANCH } else { icon::CHAT_CIRCLE };
            if MenuRow::new(which, &row.conversation.title).show(ui).clicked() {
                cx.ask(Request::Go(Route::Chat { conversation: row.conversation.id }));
            }
        }
    });
    at.1 + HIDDEN
}

/// One step of the way; returns where the next begins.
fn crumb(cx: &UiCx<'_>, ui: &Ui, (rect, x): (Rect, f32), title: &str, id: ConversationId) -> f32 {
    let p = theme::palette(ui);
    let probe = paint::line(ui, title, Text::Ui.format(p.text_2), CRUMB_MAX);
    let spot = Rect::from_min_size(pos2(x, rect.center().y - 12.0), vec2(probe.size().x, 24.0));
    let hit = spot.expand2(vec2(((24.0 - spot.width()) / 2.0).max(2.0), 0.0));
    let response = ui.interact(hit, ui.scope_id().with(("crumb", id.0)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Link, true, format!("Go to {title}")));
    let color = if response.hovered() { p.text_1 } else { p.text_2 };
    paint::left(ui, rect, x, paint::line(ui, title, Text::Ui.format(color), CRUMB_MAX));
    paint::icon(ui, pos2(spot.right() + 11.0, rect.center().y), icon::CARET_RIGHT, 10.0, p.text_3);
    paint::focus_ring(ui, &response, spot, theme::sizes().radius.chip, Ring::Outside);
    if response.on_hover_text(title).clicked() {
        go_up(cx, id);
    }
    spot.right() + STEP
}

/// Tabs of one width, each with its state and a cross; returns the one that was closed.
fn tab_strip(cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, tabs: &[ConversationId]) -> Option<ConversationId> {
    let inside = rect.shrink2(vec2(theme::sizes().space.s6, 6.0));
    let spot = Rect::from_min_size(pos2(inside.right() - 24.0, rect.center().y - 12.0), vec2(24.0, 24.0));
    let key = cx.keys(UiAction::CompareBranches);
    let both = IconButton::small(icon::COLUMNS, "Compare the open branches").key(&key);
    if both.show_at(ui, spot, "compare tabs").clicked() {
        match tabs {
            [one, other] => cx.ask(Request::Compare([*one, *other])),
            _ => cx.act(UiAction::CompareBranches),
        }
    }
    let inside = Rect::from_min_max(inside.min, pos2(spot.left() - 6.0, inside.bottom()));
    let fit = tabs_that_fit(inside.width());
    let (inside, seen) = if fit < tabs.len() {
        let spot = Rect::from_min_size(pos2(inside.right() - 24.0, spot.top()), vec2(24.0, 24.0));
        let inside = Rect::from_min_max(inside.min, pos2(spot.left() - 6.0, inside.bottom()));
        let fit = tabs_that_fit(inside.width());
        let at = tabs.iter().position(|id| cx.branch == Some(*id)).unwrap_or(0);
        let first = (at + 1).saturating_sub(fit);
        let seen = first..(first + fit).min(tabs.len());
        other_tabs(cx, ui, spot, tabs, &seen);
        (inside, seen)
    } else {
        (inside, 0..tabs.len())
    };
    #[expect(clippy::cast_precision_loss, reason = "a few tabs")]
    let width = ((inside.width() + 4.0) / seen.len().max(1) as f32 - 4.0).min(180.0);
    let mut closed = None;
    let mut x = inside.left();
    for id in tabs.get(seen).unwrap_or_default() {
        let Some(row) = lineage::row(cx.snap, *id) else { continue };
        let rect = Rect::from_min_size(pos2(x, inside.top()), vec2(width, inside.height()));
        x += width + 4.0;
        if tab(cx, ui, rect, row) {
            closed = Some(*id);
        }
    }
    closed
}

/// How many tabs stand side by side in `room` points with words that can be read.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few tabs")]
fn tabs_that_fit(room: f32) -> usize {
    ((room + 4.0) / (TAB_MIN + 4.0)).max(1.0) as usize
}

/// Tabs without room, behind one button.
fn other_tabs(
    cx: &UiCx<'_>,
    ui: &mut Ui,
    spot: Rect,
    tabs: &[ConversationId],
    seen: &std::ops::Range<usize>,
) {
    let others = tabs.len() - seen.len();
    let name = words::plural(others as u64, "more open branch", "more open branches");
    let more = IconButton::small(icon::CARET_DOWN, &name).show_at(ui, spot, "other tabs");
    menu::menu(&more, 260.0, |ui| {
        let hidden = tabs.iter().enumerate().filter(|(place, _)| !seen.contains(place));
        for row in hidden.filter_map(|(_, id)| lineage::row(cx.snap, *id)) {
            if MenuRow::new(icon::GIT_BRANCH, &row.conversation.title).show(ui).clicked() {
                cx.ask(Request::Go(Route::Chat { conversation: row.conversation.id }));
            }
        }
    });
}

/// One tab; `true` when it is to close.
fn tab(cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, row: &ConversationRow) -> bool {
    const CROSS_FROM: f32 = 90.0;
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let id = row.conversation.id;
    let here = cx.branch == Some(id);
    let response = ui.interact(rect, ui.scope_id().with(("branch tab", id.0)), Sense::click());
    let title = row.conversation.title.as_str();
    response.widget_info(|| WidgetInfo::selected(Role::Tab, true, here, format!("Branch {title}")));
    let fill = match (response.is_pointer_button_down_on() && !here, here || response.hovered()) {
        (true, _) => p.bg_pressed,
        (false, true) => p.bg_hover,
        (false, false) => CLEAR,
    };
    ui.painter().rect_filled(rect, sizes.radius.control, fill);
    glyph(row).paint(ui, pos2(rect.left() + 14.0, rect.center().y), sizes.icon.state);
    let (color, weight) = if here { (p.text_1, Weight::Medium) } else { (p.text_2, Weight::Regular) };
    let wide = rect.width() > CROSS_FROM;
    let room = rect.width() - 26.0 - if wide { 28.0 } else { 6.0 };
    let galley = paint::line(ui, title, Text::Small.format_weighted(weight, color), room.max(8.0));
    paint::left(ui, rect, rect.left() + 26.0, galley);
    paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
    let cross = Rect::from_center_size(pos2(rect.right() - 14.0, rect.center().y), vec2(24.0, 24.0));
    let name = format!("Close tab {title}");
    let closed =
        wide && IconButton::small(icon::X, &name).show_at(ui, cross, ("close branch tab", id.0)).clicked();
    menu::context_menu(&response, 240.0, |ui| {
        if let Some(front) = cx.branch.filter(|_| !here)
            && MenuRow::new(icon::COLUMNS, "Compare with the tab in front").show(ui).clicked()
        {
            cx.ask(Request::Compare([front, id]));
        }
        branch_menu(cx, ui, row);
    });
    if response.on_hover_text(title).clicked() && !here && !closed {
        cx.ask(Request::Go(Route::Chat { conversation: id }));
    }
    closed
}

/// Where it starts, its git branch, how it stands.
fn facts(cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, row: &ConversationRow) {
    let Some(branch) = &row.conversation.branch else { return };
    let mut ui = ui.new_child(
        UiBuilder::new()
            .max_rect(rect.shrink2(vec2(theme::sizes().space.s8, 0.0)))
            .layout(Layout::left_to_right(Align::Center))
            .id_salt("branch facts"),
    );
    ui.spacing_mut().item_spacing.x = theme::sizes().space.s7;
    let from = match branch.checkpoint {
        Some(checkpoint) => {
            let view = cx.snap.view(branch.parent);
            let place = view.and_then(|view| view.place_of(checkpoint));
            let message = view.zip(place).and_then(|(view, place)| view.message(place));
            let is_gone = view.is_some_and(|view| !view.loading && view.error.is_none()) && place.is_none();
            let said_ms = message.map_or(row.conversation.created_ms, |message| message.created_ms);
            if is_gone {
                "Its starting message is gone".to_owned()
            } else {
                format!("From {}", cx.now.day_time(said_ms))
            }
        }
        None => "Knows nothing of its parent".to_owned(),
    };
    fact(&mut ui, icon::FLAG, &from, Text::Caption);
    if let Some(git) = &branch.facts.git_branch {
        let own = branch.facts.worktree.is_some();
        if git_fact(&mut ui, git, own) {
            cx.ask(Request::Go(Route::Changes { conversation: row.conversation.id }));
        }
    }
    let is_adopted = !is_free(row);
    if row.conversation.is_shared() && !is_adopted {
        fact(&mut ui, icon::MAGNIFYING_GLASS, "Found from elsewhere", Text::Caption);
    } else if !row.conversation.is_shared() && is_adopted {
        fact(&mut ui, icon::EYE_SLASH, "Not found from elsewhere", Text::Caption);
    }
    if is_adopted {
        fact(&mut ui, icon::ARROW_BEND_UP_LEFT, "Adopted", Text::Caption);
    } else if row.conversation.archived {
        fact(&mut ui, icon::ARCHIVE, "Archived", Text::Caption);
    }
}

/// The git branch, in a checkout of its own or not; `true` when it was clicked.
fn git_fact(ui: &mut Ui, git: &str, own: bool) -> bool {
    let p = theme::palette(ui);
    let which = if own { icon::GIT_FORK } else { icon::GIT_BRANCH };
    let room = (ui.available_width() - 18.0).max(0.0);
    let galley = paint::line(ui, git, Text::MonoSmall.format(p.text_2), room.min(200.0));
    let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x + 17.0, 24.0), Sense::click());
    response
        .widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Git branch of the branch: {git}")));
    let ground = rect.expand2(vec2(5.0, 0.0));
    let radius = theme::sizes().radius.control;
    if response.hovered() {
        ui.painter().rect_filled(ground, radius, p.bg_hover);
    }
    paint::icon(ui, pos2(rect.left() + 6.0, rect.center().y), which, theme::sizes().icon.inline, p.text_3);
    paint::left(ui, rect, rect.left() + 17.0, galley);
    paint::focus_ring(ui, &response, ground, radius, Ring::Inside);
    let tip = if own {
        format!("{git}, in a checkout of its own. Click for the changed files.")
    } else {
        format!("{git}. Click for the changed files.")
    };
    response.on_hover_text(tip).clicked()
}

fn fact(ui: &mut Ui, which: icon::Icon, text: &str, step: Text) {
    let p = theme::palette(ui);
    let room = (ui.available_width() - 18.0).max(0.0);
    let galley = paint::line(ui, text, step.format(p.text_2), room.min(200.0));
    let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x + 17.0, 20.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    paint::icon(ui, pos2(rect.left() + 6.0, rect.center().y), which, theme::sizes().icon.inline, p.text_3);
    let cut = galley.elided;
    paint::left(ui, rect, rect.left() + 17.0, galley);
    if cut {
        response.on_hover_text(text);
    }
}
