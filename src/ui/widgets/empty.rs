use egui::{Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::ui::theme::{self, CLEAR, Text, Weight};

use super::icon::Icon;
use super::paint::{self, Ring};

/// One way on from an empty view.
pub struct Suggestion<'a, A> {
    /// Returned when chosen.
    pub action: A,
    /// Its icon.
    pub icon: Icon,
    /// "Open a folder…".
    pub verb: &'a str,
    /// One line of explanation.
    pub detail: &'a str,
    /// Slash word or shortcut; may be empty.
    pub key: &'a str,
}

/// Widest the block gets, points.
const WIDTH: f32 = 520.0;
/// Height below which only two suggestions are shown.
const LOW: f32 = 360.0;

/// The block of an empty view: a question, a line of facts and up to four ways on. Centred in what is left of `ui`.
pub fn empty_state<A: Copy>(
    ui: &mut Ui,
    question: &str,
    facts: &str,
    ways: &[Suggestion<'_, A>],
) -> Option<A> {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let outer = ui.available_rect_before_wrap();
    let shown = if outer.height() < LOW { 2 } else { 4 };
    let width = WIDTH.min(outer.width() - sizes.space.s10 * 2.0).max(120.0);
    let count = u8::try_from(ways.len().min(shown)).unwrap_or(4);
    let text_height = Text::Heading.line() + Text::Ui.line() + sizes.space.s7;
    let height = text_height + f32::from(count) * sizes.row.list_tall;
    let top = outer.top() + ((outer.height() - height) / 2.0).max(sizes.space.s10);
    let rect = Rect::from_min_size(pos2(outer.center().x - width / 2.0, top), vec2(width, height));
    let mut chosen = None;
    let mut block = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(question));
    block.spacing_mut().item_spacing.y = 0.0;
    block.add(egui::Label::new(Text::Heading.rich(question, p.text_1)).wrap());
    if !facts.is_empty() {
        block.add_space(sizes.space.s2);
        block.add(egui::Label::new(Text::Ui.rich(facts, p.text_2)).wrap());
    }
    block.add_space(sizes.space.s5);
    for way in ways.iter().take(shown) {
        if row(&mut block, way) {
            chosen = Some(way.action);
        }
    }
    ui.allocate_rect(outer, Sense::hover());
    chosen
}

fn row<A>(ui: &mut Ui, way: &Suggestion<'_, A>) -> bool {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let size = vec2(ui.available_width(), sizes.row.list_tall);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, way.verb));
    let fill = if response.is_pointer_button_down_on() {
        p.bg_pressed
    } else if response.hovered() {
        p.bg_hover
    } else {
        CLEAR
    };
    ui.painter().rect_filled(rect, sizes.radius.control, fill);
    let pad = sizes.space.s6;
    paint::icon(ui, pos2(rect.left() + pad + 9.0, rect.center().y), way.icon, sizes.icon.large, p.accent);
    let x = rect.left() + pad + sizes.icon.large + sizes.space.s6;
    let mut end = rect.right() - pad;
    if !way.key.is_empty() {
        let key = paint::line(ui, way.key, Text::MonoSmall.format(p.text_3), 120.0);
        end = paint::right(ui, rect, end, key) - pad;
    }
    let (upper, lower) = rect.shrink2(vec2(0.0, 7.0)).split_top_bottom_at_fraction(0.53);
    let verb = paint::line(ui, way.verb, Text::Ui.format_weighted(Weight::Medium, p.text_1), end - x);
    paint::left(ui, upper, x, verb);
    let detail = paint::line(ui, way.detail, Text::Small.format(p.text_2), end - x);
    let cut = detail.elided;
    paint::left(ui, lower, x, detail);
    paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
    let response = if cut { response.on_hover_text(way.detail) } else { response };
    response.clicked()
}
