use egui::{
    Key, Popup, PopupCloseBehavior, RectAlign, Response, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2,
};

use crate::ui::theme::{self, CLEAR, Text};

use super::fuzzy;
use super::glyph::StateGlyph;
use super::icon::{self, Icon};
use super::mark::EngineLook;
use super::paint::{self, Ring};
use super::text_field::{self, TextField};

/// What stands before a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lead {
    /// Nothing.
    #[default]
    None,
    /// An icon.
    Icon(Icon),
    /// An engine's mark.
    Engine(EngineLook),
    /// A state.
    State(StateGlyph),
}

/// One choice of a list or menu.
#[derive(Clone, Debug, Default)]
pub struct Choice<'a> {
    /// Before the label.
    pub lead: Lead,
    /// What is searched and named.
    pub label: &'a str,
    /// Secondary words behind the label; may be empty.
    pub detail: &'a str,
    /// Shortcut at the right; may be empty.
    pub key: &'a str,
    /// Why it cannot be chosen now.
    pub disabled: Option<&'a str>,
}

/// The closed picker: mark, label and caret, 26 high.
pub fn picker_button(ui: &mut Ui, lead: Lead, label: &str, name: &str, mono: bool) -> Response {
    const MARK: f32 = 16.0;
    const MOST: f32 = 200.0;
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let pad = sizes.space.s3;
    let step = if mono { Text::MonoSmall } else { Text::Small };
    let lead_width = if lead == Lead::None { 0.0 } else { MARK + sizes.space.s3 };
    let color = if matches!(lead, Lead::Engine(_)) { p.text_1 } else { p.text_2 };
    let galley = paint::line(ui, label, step.format(color), MOST);
    let width = pad * 2.0 + lead_width + galley.size().x + sizes.space.s3 + sizes.icon.inline;
    let (rect, response) = ui.allocate_exact_size(vec2(width, sizes.control.picker), Sense::click());
    let full = format!("{name}: {label}");
    response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, &full));
    let fill = if response.is_pointer_button_down_on() {
        p.bg_pressed
    } else if response.hovered() {
        p.bg_hover
    } else {
        CLEAR
    };
    ui.painter().rect_filled(rect, sizes.radius.control, fill);
    let x = rect.left() + pad;
    paint_lead(ui, lead, pos2(x + MARK / 2.0, rect.center().y), MARK);
    let end = paint::left(ui, rect, x + lead_width, galley);
    let caret = pos2(end + sizes.space.s3 + sizes.icon.inline / 2.0, rect.center().y);
    paint::icon(ui, caret, icon::CARET_DOWN, sizes.icon.inline, p.text_3);
    paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
    response.on_hover_text(full)
}

fn paint_lead(ui: &Ui, lead: Lead, center: egui::Pos2, size: f32) {
    match lead {
        Lead::None => {}
        Lead::Icon(which) => paint::icon(ui, center, which, size - 2.0, theme::palette(ui).text_2),
        Lead::Engine(look) => look.paint(ui, center, size),
        Lead::State(state) => state.paint(ui, center, theme::sizes().icon.state),
    }
}

/// The menu of a picker: opens on `button`, above it where there is no room below, with a fuzzy filter when there
/// are more than seven choices. Returns the index of the chosen one.
pub fn picker_menu(button: &Response, current: Option<usize>, choices: &[Choice<'_>]) -> Option<usize> {
    const FILTER_FROM: usize = 8;
    const WIDTH: f32 = 280.0;
    let mut chosen = None;
    let popup = Popup::menu(button)
        .align(RectAlign::BOTTOM_START)
        .width(WIDTH)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let id = popup.get_id();
    let opened = popup.show(|ui| {
        ui.set_width(WIDTH);
        let state = id.with("picker");
        let fresh = ui.data(|data| data.get_temp::<ListState>(state)).is_none();
        let mut list: ListState = ui.data(|data| data.get_temp(state)).unwrap_or_default();
        if fresh {
            list.cursor = current.unwrap_or(0);
        }
        if choices.len() >= FILTER_FROM {
            let field = TextField::single(state, "Filter").hint("Filter").steer(true);
            if fresh {
                let field_id = field.id();
                ui.memory_mut(|memory| memory.request_focus(field_id));
            }
            let out = text_field::search(ui, field, &mut list.query);
            if out.changed {
                list.cursor = 0;
            }
            ui.add_space(theme::sizes().space.s2);
            chosen = choice_list(ui, &mut list, current, choices, &out.steered, out.submitted);
            if out.cancelled {
                ui.close();
            }
        } else {
            let (keys, enter) = plain_keys(ui);
            chosen = choice_list(ui, &mut list, current, choices, &keys, enter);
        }
        ui.data_mut(|data| data.insert_temp(state, list));
        if chosen.is_some() {
            ui.close();
        }
    });
    if opened.is_none() {
        button.ctx.data_mut(|data| data.remove::<ListState>(id.with("picker")));
    }
    chosen
}

fn plain_keys(ui: &Ui) -> (Vec<Key>, bool) {
    ui.input_mut(|input| {
        let none = egui::Modifiers::NONE;
        let keys = [Key::ArrowUp, Key::ArrowDown].into_iter().filter(|key| input.consume_key(none, *key));
        let keys: Vec<Key> = keys.collect();
        (keys, input.consume_key(none, Key::Enter))
    })
}

/// Query and place of a filtered list; keep one per list.
#[derive(Clone, Debug, Default)]
pub struct ListState {
    /// What was typed.
    pub query: String,
    /// The highlighted row among those shown.
    pub cursor: usize,
}

/// A list of choices filtered by `state.query` and steered by `keys`; returns the index of the chosen one.
pub fn choice_list(
    ui: &mut Ui,
    state: &mut ListState,
    current: Option<usize>,
    choices: &[Choice<'_>],
    keys: &[Key],
    enter: bool,
) -> Option<usize> {
    const MOST_HEIGHT: f32 = 320.0;
    let ranked = fuzzy::rank(&state.query, choices.iter().map(|choice| choice.label));
    for key in keys {
        state.cursor = step(state.cursor, ranked.len(), *key);
    }
    state.cursor = state.cursor.min(ranked.len().saturating_sub(1));
    let mut chosen = None;
    ScrollArea::vertical().max_height(MOST_HEIGHT).auto_shrink([false, true]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (place, (index, hit)) in ranked.iter().enumerate() {
            let Some(choice) = choices.get(*index) else { continue };
            let at = place == state.cursor;
            let response = choice_row(ui, choice, &hit.positions, at, current == Some(*index));
            if at && !keys.is_empty() {
                response.scroll_to_me(None);
            }
            let picked = response.clicked() || (at && enter);
            if picked && choice.disabled.is_none() {
                chosen = Some(*index);
            }
        }
        if ranked.is_empty() {
            ui.label(Text::Small.rich("Nothing found", theme::palette(ui).text_3));
        }
    });
    chosen
}

fn step(cursor: usize, count: usize, key: Key) -> usize {
    const PAGE: usize = 8;
    let last = count.saturating_sub(1);
    match key {
        Key::ArrowDown => {
            if cursor >= last {
                0
            } else {
                cursor + 1
            }
        }
        Key::ArrowUp => {
            if cursor == 0 {
                last
            } else {
                cursor - 1
            }
        }
        Key::PageDown => (cursor + PAGE).min(last),
        Key::PageUp => cursor.saturating_sub(PAGE),
        _ => cursor,
    }
}

/// One row of a list or menu: matched letters in accent, a tick on the current one.
#[expect(clippy::fn_params_excessive_bools, reason = "two independent looks of one row")]
pub fn choice_row(ui: &mut Ui, choice: &Choice<'_>, matched: &[usize], at: bool, current: bool) -> Response {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let size = vec2(ui.available_width(), sizes.row.table);
    let sense = if choice.disabled.is_some() { Sense::hover() } else { Sense::click() };
    let (rect, response) = ui.allocate_exact_size(size, sense);
    let enabled = choice.disabled.is_none();
    response.widget_info(|| WidgetInfo::selected(Role::ListBoxOption, enabled, current, choice.label));
    let fill = match (at, response.hovered() && enabled) {
        (true, _) => p.bg_selected,
        (_, true) => p.bg_hover,
        _ => CLEAR,
    };
    ui.painter().rect_filled(rect, sizes.radius.control, fill);
    let mut x = rect.left() + sizes.space.s4;
    if choice.lead != Lead::None {
        paint_lead(ui, choice.lead, pos2(x + 8.0, rect.center().y), 16.0);
        x += 16.0 + sizes.space.s4;
    }
    let mut end = rect.right() - sizes.space.s4;
    if current {
        let tick = pos2(end - sizes.icon.inline / 2.0, rect.center().y);
        paint::icon_face(ui, tick, icon::CHECK, icon::Face::Bold, sizes.icon.inline, p.accent);
        end -= sizes.icon.inline + sizes.space.s3;
    }
    if !choice.key.is_empty() {
        let key = paint::line(ui, choice.key, Text::Caption.format(p.text_3), 120.0);
        end = paint::right(ui, rect, end, key) - sizes.space.s4;
    }
    let color = if enabled { p.text_1 } else { p.text_off };
    let label = highlighted(ui, choice.label, matched, color, end - x);
    x = paint::left(ui, rect, x, label) + sizes.space.s4;
    if !choice.detail.is_empty() {
        let detail = paint::line(ui, choice.detail, Text::Small.format(p.text_3), end - x);
        paint::left(ui, rect, x, detail);
    }
    paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
    match choice.disabled {
        Some(reason) => response.on_hover_text(reason),
        None => response,
    }
}

/// One line whose chars at `matched` are in accent.
#[must_use]
pub fn highlighted(
    ui: &Ui,
    text: &str,
    matched: &[usize],
    color: egui::Color32,
    room: f32,
) -> std::sync::Arc<egui::Galley> {
    let accent = theme::palette(ui).accent;
    let mut job = egui::text::LayoutJob::default();
    let mut places = matched.iter().peekable();
    let mut letter = [0_u8; 4];
    for (index, c) in text.chars().enumerate() {
        let hit = places.next_if(|place| **place == index).is_some();
        let format = Text::Ui.format(if hit { accent } else { color });
        job.append(c.encode_utf8(&mut letter), 0.0, format);
    }
    job.wrap = egui::text::TextWrapping::truncate_at_width(room.max(0.0));
    ui.painter().layout_job(job)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_wraps_with_arrows_and_stops_with_pages() {
        let cases = [
            (0, 3, Key::ArrowUp, 2),
            (2, 3, Key::ArrowDown, 0),
            (1, 3, Key::PageDown, 2),
            (1, 3, Key::PageUp, 0),
            (0, 0, Key::ArrowDown, 0),
        ];
        for (cursor, count, key, expected) in cases {
            assert_eq!(step(cursor, count, key), expected, "{cursor} of {count} with {key:?}");
        }
    }
}
