use egui::{Frame, Margin, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::ui::theme::{self, CLEAR, Text, Weight};

use super::chip::Tone;
use super::glyph::StateGlyph;
use super::icon::{self, Icon};
use super::paint::{self, Ring};

/// Where a long argument is shortened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Elide {
    /// At the end: commands.
    #[default]
    End,
    /// In the middle: paths.
    Middle,
}

/// One call in a tool fold.
pub struct ToolRow<'a> {
    /// What kind of call.
    pub icon: Icon,
    /// "Run", "Read", "Thinking".
    pub name: &'a str,
    /// Command or path; may be empty.
    pub argument: &'a str,
    /// How the argument is shortened.
    pub elide: Elide,
    /// "exit 101", "7 matches"; may be empty.
    pub note: &'a str,
    /// Colour of the note.
    pub tone: Tone,
    /// "14.2 s"; may be empty.
    pub duration: &'a str,
    /// State at the right end.
    pub state: StateGlyph,
    /// Whether the output below is shown.
    pub open: bool,
    /// A line above the row, for every row but the first.
    pub divider: bool,
}

/// The frame around the calls of one stretch of work: 6 above, 10 below.
pub fn tool_group<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    let sizes = theme::sizes();
    ui.add_space(sizes.space.s3);
    let edge = Stroke::new(sizes.stroke.line, theme::palette(ui).stroke_subtle);
    let out = Frame::NONE.stroke(edge).corner_radius(sizes.radius.card).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.set_width(ui.available_width());
        content(ui)
    });
    ui.add_space(sizes.space.s5);
    out.inner
}

impl ToolRow<'_> {
    /// Draws the row; a click means "toggle".
    pub fn show(&self, ui: &mut Ui) -> Response {
        let sizes = theme::sizes();
        let size = vec2(ui.available_width(), sizes.row.tool);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let name = self.accessible_name();
        response.widget_info(|| WidgetInfo::selected(Role::DisclosureTriangle, true, self.open, &name));
        if ui.is_rect_visible(rect) {
            self.paint(ui, rect, &response);
        }
        response
    }

    fn accessible_name(&self) -> String {
        let parts = [self.name, self.argument, self.note, self.state.word()];
        parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(", ")
    }

    fn paint(&self, ui: &Ui, rect: Rect, response: &Response) {
        const DURATION_MIN: f32 = 40.0;
        let sizes = theme::sizes();
        let p = theme::palette(ui);
        let gap = sizes.space.s4;
        let fill = if response.is_pointer_button_down_on() {
            p.bg_pressed
        } else if response.hovered() {
            p.bg_hover
        } else {
            CLEAR
        };
        let inner = rect.shrink2(vec2(1.0, 0.0));
        ui.painter().rect_filled(inner, sizes.radius.control, fill);
        if self.divider {
            let y = rect.top() + 0.5;
            ui.painter().hline(inner.x_range(), y, Stroke::new(sizes.stroke.line, p.stroke_subtle));
        }
        let mut x = rect.left() + sizes.space.s4;
        let caret = if self.open { icon::CARET_DOWN } else { icon::CARET_RIGHT };
        let center = |x: f32, size: f32| pos2(x + size / 2.0, rect.center().y);
        paint::icon(ui, center(x, sizes.icon.inline), caret, sizes.icon.inline, p.text_3);
        x += sizes.icon.inline + gap;
        paint::icon(ui, center(x, sizes.icon.row), self.icon, sizes.icon.row, p.text_2);
        x += sizes.icon.row + gap;
        let label = paint::line(
            ui,
            self.name,
            Text::Small.format_weighted(Weight::Medium, p.text_1),
            rect.width() / 3.0,
        );
        x = paint::left(ui, rect, x, label) + gap;

        let mut end = rect.right() - sizes.space.s5;
        self.state.paint(ui, center(end - sizes.icon.state, sizes.icon.state), sizes.icon.state);
        end -= sizes.icon.state + gap;
        let duration = paint::line(ui, self.duration, Text::Caption.format(p.text_3), f32::INFINITY);
        let reserved = duration.size().x.max(DURATION_MIN);
        paint::right(ui, rect, end, duration);
        end -= reserved + gap;
        if !self.note.is_empty() {
            let color = if self.tone == Tone::Neutral { p.text_3 } else { self.tone.color(p) };
            let note = paint::line(ui, self.note, Text::Caption.format(color), rect.width() / 3.0);
            end = paint::right(ui, rect, end, note) - gap;
        }
        let format = Text::MonoSmall.format(p.text_2);
        let room = (end - x).max(0.0);
        let argument = match self.elide {
            Elide::End => paint::line(ui, self.argument, format, room),
            Elide::Middle => paint::line_middle(ui, self.argument, &format, room),
        };
        paint::left(ui, rect, x, argument);
        paint::focus_ring(ui, response, rect, sizes.radius.control, Ring::Inside);
    }
}

/// Output below an open row, at most 12 lines; returns true when "Show all … lines" was pressed.
///
/// `shown` is what to draw now, `total_lines` what there is. `last` rounds the lower corners.
pub fn tool_output(ui: &mut Ui, shown: &str, shown_lines: usize, total_lines: usize, last: bool) -> bool {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let mut radius = egui::CornerRadius::ZERO;
    if last {
        radius.sw = egui::CornerRadius::from(sizes.radius.card).sw;
        radius.se = radius.sw;
    }
    let margin = Margin { left: 32, right: 12, top: 8, bottom: 8 };
    let frame = Frame::NONE
        .fill(p.bg_inset)
        .corner_radius(radius)
        .inner_margin(margin)
        .outer_margin(Margin { left: 1, right: 1, top: 0, bottom: i8::from(last) });
    let mut all = false;
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.add(egui::Label::new(Text::MonoSmall.rich(shown, p.text_2)).selectable(true).wrap());
        if total_lines > shown_lines {
            ui.add_space(sizes.space.s2);
            all = super::button::text_button(ui, &format!("Show all {} lines", thousands(total_lines)))
                .clicked();
        }
    });
    all
}

/// One row that stands for several calls: "12 more calls".
pub fn more_calls(ui: &mut Ui, count: usize) -> Response {
    let sizes = theme::sizes();
    let size = vec2(ui.available_width(), sizes.row.tool);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let text = format!("{count} more calls");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &text));
    let p = theme::palette(ui);
    if response.hovered() {
        ui.painter().rect_filled(rect.shrink2(vec2(1.0, 0.0)), sizes.radius.control, p.bg_hover);
    }
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, Stroke::new(sizes.stroke.line, p.stroke_subtle));
    let center = pos2(rect.left() + sizes.space.s4 + 6.0, rect.center().y);
    paint::icon(ui, center, icon::DOTS_THREE, sizes.icon.row, p.text_3);
    let galley = paint::line(ui, &text, Text::Small.format(p.text_2), f32::INFINITY);
    paint::left(ui, rect, rect.left() + 28.0, galley);
    paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
    response
}

/// `12345` as `12,345`.
#[must_use]
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn thousands_are_parted_by_commas() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), text);
        }
    }
}
