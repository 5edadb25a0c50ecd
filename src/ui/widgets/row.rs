use egui::{Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::ui::theme::{self, CLEAR, Text, Weight};

use super::button::IconButton;
use super::glyph::StateGlyph;
use super::icon;
use super::paint::{self, Ring};

/// What stands at the right of a sidebar row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowEnd<'a> {
    /// Nothing.
    None,
    /// A time or count.
    Caption(&'a str),
    /// A git branch, at most 84 wide.
    GitBranch(&'a str),
}

/// A row of the sidebar.
#[must_use = "call `show`"]
pub struct SidebarRow<'a> {
    label: &'a str,
    state: StateGlyph,
    end: RowEnd<'a>,
    depth: u8,
    selected: bool,
    more: Option<&'a str>,
}

/// What happened to a sidebar row.
pub struct RowOutcome {
    /// The row.
    pub response: Response,
    /// The "…" button, while it is shown; open a menu on it.
    pub more: Option<Response>,
}

/// A name gets at least this much before anything stands beside it, points.
const NAME_MIN: f32 = 72.0;
const GIT_BRANCH_MAX: f32 = 84.0;
const PAD: f32 = 8.0;

impl<'a> SidebarRow<'a> {
    /// A row at rest.
    pub fn new(state: StateGlyph, label: &'a str) -> Self {
        Self { label, state, end: RowEnd::None, depth: 0, selected: false, more: None }
    }

    /// Text at the right.
    pub fn end(mut self, end: RowEnd<'a>) -> Self {
        self.end = end;
        self
    }

    /// Nesting, 16 points each.
    pub fn depth(mut self, depth: u8) -> Self {
        self.depth = depth;
        self
    }

    /// The row whose content is open.
    pub fn selected(mut self, selected: bool) -> Self {
        self.selected = selected;
        self
    }

    /// Shows a "…" button with this name in place of the right text while hovered or focused.
    pub fn more(mut self, name: &'a str) -> Self {
        self.more = Some(name);
        self
    }

    /// Draws the row over the available width.
    pub fn show(self, ui: &mut Ui) -> RowOutcome {
        let sizes = theme::sizes();
        let size = vec2(ui.available_width(), sizes.row.sidebar);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let name = format!("{}, {}", self.label, self.state.word());
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, self.selected, &name));
        if !ui.is_rect_visible(rect) {
            return RowOutcome { response, more: None };
        }
        let more_rect = Rect::from_center_size(pos2(rect.right() - 16.0, rect.center().y), vec2(24.0, 24.0));
        let pointed = response.hovered() || ui.rect_contains_pointer(rect);
        let show_more = self.more.is_some() && (pointed || response.has_focus());
        self.paint(ui, rect, &response, pointed, show_more);
        let more = self.more.filter(|_| show_more).map(|name| {
            IconButton::small(icon::DOTS_THREE, name).show_at(ui, more_rect, (response.id, "more"))
        });
        RowOutcome { response, more }
    }

    #[expect(clippy::fn_params_excessive_bools, reason = "two independent looks of one row")]
    fn paint(&self, ui: &Ui, rect: Rect, response: &Response, pointed: bool, show_more: bool) {
        let sizes = theme::sizes();
        let p = theme::palette(ui);
        let fill = match (self.selected, response.is_pointer_button_down_on(), pointed) {
            (true, ..) => p.bg_selected,
            (_, true, _) => p.bg_pressed,
            (_, _, true) => p.bg_hover,
            _ => CLEAR,
        };
        ui.painter().rect_filled(rect, sizes.radius.control, fill);
        let strong = self.selected || matches!(self.state, StateGlyph::NeedsYou | StateGlyph::Unread);
        let glyph = sizes.icon.state;
        let left = rect.left() + PAD + f32::from(self.depth) * sizes.space.s8;
        self.state.paint(ui, pos2(left + glyph / 2.0, rect.center().y), glyph);
        let mut end = rect.right() - PAD;
        if show_more {
            end = rect.right() - 32.0;
        } else if !self.selected {
            let galley = match self.end {
                RowEnd::None => None,
                RowEnd::Caption(text) => {
                    Some(paint::line(ui, text, Text::Caption.format(p.text_3), GIT_BRANCH_MAX))
                }
                RowEnd::GitBranch(text) => {
                    Some(paint::line(ui, text, Text::MonoSmall.format(p.text_3), GIT_BRANCH_MAX))
                }
            };
            // Where little is left for the name, the rest gives way.
            let name = paint::width(ui, self.label, Text::Ui, Weight::Regular).min(NAME_MIN);
            let room = end - PAD - (left + glyph + sizes.space.s4) - name;
            if let Some(galley) = galley.filter(|galley| galley.size().x <= room) {
                end = paint::right(ui, rect, end, galley) - PAD;
            }
        }
        let (weight, color) =
            if strong || pointed { (Weight::Medium, p.text_1) } else { (Weight::Regular, p.text_2) };
        let weight = if strong { weight } else { Weight::Regular };
        let start = left + glyph + sizes.space.s4;
        let label = paint::line(ui, self.label, Text::Ui.format_weighted(weight, color), end - start);
        let elided = label.elided;
        paint::left(ui, rect, start, label);
        paint::focus_ring(ui, response, rect, sizes.radius.control, Ring::Inside);
        if elided && response.hovered() {
            response.clone().on_hover_text(self.label);
        }
    }
}

/// What happened to a section head.
pub struct SectionOutcome {
    /// The head; a click toggles the section, and `open` was flipped already.
    pub response: Response,
    /// The "+" was pressed.
    pub add: bool,
}

/// Head of a sidebar section, 28 high after 8: caret, label, count and a "+" named `add_name`.
pub fn section_head(
    ui: &mut Ui,
    label: &str,
    count: usize,
    open: &mut bool,
    add_name: Option<&str>,
) -> SectionOutcome {
    let sizes = theme::sizes();
    ui.add_space(sizes.space.s4);
    let size = vec2(ui.available_width(), sizes.row.section);
    let (rect, mut response) = ui.allocate_exact_size(size, Sense::click());
    if response.clicked() {
        *open = !*open;
        response.mark_changed();
    }
    let is_open = *open;
    response.widget_info(|| WidgetInfo::selected(Role::DisclosureTriangle, true, is_open, label));
    let p = theme::palette(ui);
    let caret = if is_open { icon::CARET_DOWN } else { icon::CARET_RIGHT };
    let x = rect.left() + PAD;
    paint::icon(ui, pos2(x + sizes.icon.inline / 2.0, rect.center().y), caret, sizes.icon.inline, p.text_3);
    let color = if response.hovered() { p.text_1 } else { p.text_3 };
    let text = paint::line(ui, label, Text::Caption.format_weighted(Weight::Semibold, color), f32::INFINITY);
    let x = paint::left(ui, rect, x + sizes.icon.inline + sizes.space.s4, text);
    if count > 0 {
        let text = paint::line(ui, &count.to_string(), Text::Caption.format(p.text_3), f32::INFINITY);
        paint::left(ui, rect, x + sizes.space.s3, text);
    }
    paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
    let add = add_name.is_some_and(|name| {
        let plus = Rect::from_center_size(pos2(rect.right() - 16.0, rect.center().y), vec2(24.0, 24.0));
        IconButton::small(icon::PLUS, name).show_at(ui, plus, (response.id, "add")).clicked()
    });
    SectionOutcome { response, add }
}

/// A small heading inside a view or dialog: caption, semibold.
pub fn caption_head(ui: &mut Ui, label: &str) -> Response {
    let color = theme::palette(ui).text_3;
    ui.label(Text::Caption.rich_weighted(Weight::Semibold, label, color))
}
