use egui::{Id, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use crate::ui::action::UiAction;
use crate::ui::keys::{Held, KeyMap, Problem, Row, name};
use crate::ui::theme::{self, CLEAR, Text, Weight};
use crate::ui::widgets::icon::{self, Icon};
use crate::ui::widgets::paint::{self, Ring};

use super::Wish;

/// Height of a row, points.
pub(super) const ROW: f32 = 32.0;
/// Padding of a row at its sides, points.
pub(super) const PAD: f32 = 8.0;
const GAP: f32 = 4.0;

/// The control of one key of a command, or of one more.
pub(super) fn key_id(action: UiAction, slot: Option<usize>) -> Id {
    Id::unique(("key of a command", name(action), slot))
}

/// Draws a command with its keys, and what is wrong with them below.
pub(super) fn show(ui: &mut Ui, map: &KeyMap, row: &Row) -> Option<Wish> {
    let info = row.action.info();
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let spoken: Vec<String> = row.chords.iter().map(|held| held.chord.shown(map.platform)).collect();
    let keys = if spoken.is_empty() { "no key".to_owned() } else { spoken.join(" or ") };
    let changed = if row.changed { ", changed" } else { "" };
    response
        .widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{}: {keys}{changed}", info.text)));
    let mut wish = None;
    if ui.rect_contains_pointer(rect) {
        let fill = theme::palette(ui).bg_hover;
        ui.painter().rect_filled(rect, theme::sizes().radius.control, fill);
    }
    let hit = theme::sizes().control.icon_button_s;
    let square = |x: f32| Rect::from_center_size(pos2(x, rect.center().y), vec2(hit, hit));
    let add_at = square(rect.right() - PAD - hit / 2.0);
    let sizes: Vec<f32> =
        row.chords.iter().zip(&spoken).map(|(held, text)| cap_width(ui, held, text)).collect();
    let mut x = add_at.left() - GAP - sizes.iter().map(|width| width + GAP).sum::<f32>();
    let reset_at = square(x - GAP - hit / 2.0);
    let title_end = if row.changed { reset_at.left() } else { x };
    title(ui, Rect::from_min_max(rect.min, pos2(title_end, rect.bottom())), row);
    let add = key_id(row.action, None);
    let (mut arrived, mut by_keyboard) = (false, false);
    if row.changed {
        let label = format!("Reset the keys of {}", info.text);
        let button = square_button(ui, reset_at, add.with("reset"), icon::ARROW_COUNTER_CLOCKWISE, &label);
        arrived |= button.gained_focus();
        if button.clicked() {
            wish = Some(Wish::Reset(row.action));
            by_keyboard = button.has_focus();
        }
    }
    for (slot, (held, width)) in row.chords.iter().zip(&sizes).enumerate() {
        let at = Rect::from_min_size(pos2(x, rect.center().y - 12.0), vec2(*width, 24.0));
        let text = held.chord.shown(map.platform);
        let button = cap(ui, at, key_id(row.action, Some(slot)), held, &text);
        let label = format!("Change {text} of {}", info.text);
        button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
        arrived |= button.gained_focus();
        if button.clicked() {
            let by_keyboard = button.has_focus();
            wish = Some(Wish::Record { action: row.action, slot: Some(slot), by_keyboard });
        }
        x += width + GAP;
    }
    let button = square_button(ui, add_at, add, icon::PLUS, &format!("Add a key to {}", info.text));
    arrived |= button.gained_focus();
    if button.clicked() {
        let by_keyboard = button.has_focus();
        wish = Some(Wish::Record { action: row.action, slot: None, by_keyboard });
    }
    if by_keyboard {
        // Not before the button was drawn: the press that reset would press it, too.
        ui.memory_mut(|memory| memory.request_focus(add));
    }
    if arrived {
        ui.scroll_to_rect(rect.expand(ROW), None);
    }
    notes(ui, map, row);
    wish
}

fn title(ui: &Ui, rect: Rect, row: &Row) {
    if !ui.is_rect_visible(rect) {
        return;
    }
    let p = theme::palette(ui);
    let info = row.action.info();
    let left = rect.left() + PAD;
    paint::icon(ui, pos2(left + 7.0, rect.center().y), info.icon, 14.0, p.text_3);
    let left = left + 24.0;
    let mark = row
        .changed
        .then(|| paint::line(ui, "changed", Text::Caption.format_weighted(Weight::Medium, p.accent), 80.0));
    let room = rect.right() - left - 8.0 - mark.as_ref().map_or(0.0, |mark| mark.size().x + 8.0);
    let galley = paint::line(ui, &info.text, Text::Ui.format(p.text_1), room.max(40.0));
    let end = paint::left(ui, rect, left, galley);
    if let Some(mark) = mark {
        paint::left(ui, rect, end + 8.0, mark);
    }
}

fn cap_width(ui: &Ui, held: &Held, text: &str) -> f32 {
    let warns = if held.problem.is_some() { 16.0 } else { 0.0 };
    (paint::width(ui, text, Text::Small, Weight::Regular) + warns + 16.0).max(28.0)
}

/// A key as a button.
fn cap(ui: &Ui, rect: Rect, id: Id, held: &Held, text: &str) -> Response {
    let response = ui.interact(rect, id, Sense::click());
    if ui.is_rect_visible(rect) {
        let p = theme::palette(ui);
        let radius = theme::sizes().radius.chip;
        let (ink, edge) = match (held.problem, response.hovered()) {
            (Some(_), _) => (p.warn, p.warn),
            (None, true) => (p.text_1, p.stroke_control),
            (None, false) => (p.text_1, p.stroke_default),
        };
        let fill = if response.is_pointer_button_down_on() { p.bg_pressed } else { p.bg_raised };
        ui.painter().rect(rect, radius, fill, Stroke::new(1.0, edge), StrokeKind::Inside);
        let mut x = rect.left() + 8.0;
        if held.problem.is_some() {
            paint::icon(ui, pos2(x + 6.0, rect.center().y), icon::WARNING, 12.0, p.warn);
            x += 16.0;
        }
        let galley = paint::line(ui, text, Text::Small.format(ink), rect.width());
        paint::left(ui, rect, x, galley);
        paint::focus_ring(ui, &response, rect, radius, Ring::Outside);
    }
    response.on_hover_text("Press another key in its place")
}

fn square_button(ui: &Ui, rect: Rect, id: Id, icon: Icon, label: &str) -> Response {
    let response = ui.interact(rect, id, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, label));
    if ui.is_rect_visible(rect) {
        let p = theme::palette(ui);
        let (fill, ink) = match (response.is_pointer_button_down_on(), response.hovered()) {
            (true, _) => (p.bg_pressed, p.text_1),
            (_, true) => (p.bg_pressed, p.text_1),
            _ => (CLEAR, p.text_3),
        };
        let radius = theme::sizes().radius.control;
        ui.painter().rect_filled(rect, radius, fill);
        paint::icon(ui, rect.center(), icon, 14.0, ink);
        paint::focus_ring(ui, &response, rect, radius, Ring::Inside);
    }
    response.on_hover_text(label)
}

/// What is wrong with the keys of a row, and who else wants them.
fn notes(ui: &mut Ui, map: &KeyMap, row: &Row) {
    let p = theme::palette(ui);
    for held in &row.chords {
        let keys = held.chord.shown(map.platform);
        match held.problem {
            Some(Problem::Taken(other)) => {
                note(ui, &format!("{keys} runs {} and not this.", plain(other)), p.warn);
            }
            Some(Problem::Refused(why)) => note(ui, &format!("{keys} {why}"), p.warn),
            None => {
                let losers = map.conflicts().filter(|(_, other)| {
                    other.chord == held.chord && other.problem == Some(Problem::Taken(row.action))
                });
                for (loser, _) in losers {
                    note(ui, &format!("{keys} is also set for {}.", plain(loser)), p.text_3);
                }
            }
        }
    }
}

/// A command's text within a sentence.
pub(super) fn plain(action: UiAction) -> String {
    action.info().text.trim_end_matches('…').to_owned()
}

/// One line below a row, wrapped where it must be.
pub(super) fn note(ui: &mut Ui, text: &str, color: egui::Color32) {
    let margin = egui::Margin { left: 32, right: 8, top: 0, bottom: 6 };
    egui::Frame::NONE.inner_margin(margin).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.add(egui::Label::new(Text::Small.rich(text, color)).wrap());
    });
}
