//! A unified diff: file, counts, coloured lines, copy.

use egui::{Frame, Margin, Rect, ScrollArea, Sense, Stroke, Ui, pos2, vec2};

use crate::ui::cx::{Request, UiCx};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::IconButton;
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;

/// Tallest the lines get before they scroll, points.
const HEIGHT_MAX: f32 = 420.0;

/// Added and removed lines, as in `+18 -4`; empty without a diff.
#[must_use]
pub fn counts(diff: Option<&str>) -> String {
    diff.map_or_else(String::new, |diff| {
        let (added, removed) = count(diff);
        format!("+{added} \u{2212}{removed}")
    })
}

fn count(diff: &str) -> (usize, usize) {
    diff.lines().fold((0, 0), |(added, removed), line| match kind(line) {
        Kind::Add => (added + 1, removed),
        Kind::Remove => (added, removed + 1),
        Kind::Hunk | Kind::File | Kind::Same => (added, removed),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Add,
    Remove,
    Hunk,
    File,
    Same,
}

fn kind(line: &str) -> Kind {
    if line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff ") || line.starts_with("index ") {
        Kind::File
    } else if line.starts_with("@@") {
        Kind::Hunk
    } else if line.starts_with('+') {
        Kind::Add
    } else if line.starts_with('-') {
        Kind::Remove
    } else {
        Kind::Same
    }
}

/// Draws a diff below its head; text without diff marks is shown as it is.
pub fn view(cx: &UiCx<'_>, ui: &mut Ui, salt: impl std::hash::Hash + std::fmt::Debug, title: &str, diff: &str) {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let edge = Stroke::new(sizes.stroke.line, p.stroke_subtle);
    Frame::NONE.fill(p.bg_inset).stroke(edge).corner_radius(sizes.radius.card).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.set_width(ui.available_width());
        head(cx, ui, title, diff);
        let lines: Vec<&str> = diff.lines().filter(|line| kind(line) != Kind::File).collect();
        let height = Text::Code.line();
        let area = ScrollArea::both().id_salt(("diff", salt));
        let area = area.max_height(HEIGHT_MAX).auto_shrink([false, true]);
        Frame::NONE.inner_margin(Margin::symmetric(1, 6)).show(ui, |ui| {
            area.show_rows(ui, height, lines.len(), |ui, rows| {
                ui.spacing_mut().item_spacing.y = 0.0;
                for line in lines.iter().take(rows.end).skip(rows.start) {
                    line_ui(ui, line, height);
                }
            });
        });
    });
}

fn head(cx: &UiCx<'_>, ui: &mut Ui, title: &str, diff: &str) {
    let p = theme::palette(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 28.0), Sense::hover());
    paint::bottom_line(ui, rect, p.stroke_subtle);
    paint::icon(ui, pos2(rect.left() + 18.0, rect.center().y), icon::GIT_DIFF, 13.0, p.text_3);
    let copy = Rect::from_center_size(pos2(rect.right() - 16.0, rect.center().y), vec2(24.0, 24.0));
    if IconButton::small(icon::COPY, "Copy diff").show_at(ui, copy, "copy diff").clicked() {
        cx.ask(Request::Copy { text: diff.to_owned(), what: "The diff" });
    }
    let (added, removed) = count(diff);
    let mut end = copy.left() - 8.0;
    for (text, color) in [(format!("\u{2212}{removed}"), p.error), (format!("+{added}"), p.success)] {
        let galley = paint::line(ui, &text, Text::MonoSmall.format(color), 80.0);
        end = paint::right(ui, rect, end, galley) - 6.0;
    }
    let format = Text::MonoSmall.format(p.text_2);
    let galley = paint::line_middle(ui, title, &format, end - rect.left() - 38.0);
    paint::left(ui, rect, rect.left() + 32.0, galley);
}

fn line_ui(ui: &mut Ui, line: &str, height: f32) {
    let p = theme::palette(ui);
    let (color, ground) = match kind(line) {
        Kind::Add => (p.diff_add, Some(p.diff_add_bg)),
        Kind::Remove => (p.diff_del, Some(p.diff_del_bg)),
        Kind::Hunk => (p.diff_hunk, None),
        Kind::File | Kind::Same => (p.text_2, None),
    };
    let galley = paint::line(ui, line, Text::Code.format(color), f32::INFINITY);
    let width = (galley.size().x + 24.0).max(ui.available_width());
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, line));
    if let Some(ground) = ground {
        ui.painter().rect_filled(rect, 0.0, ground);
    }
    paint::left(ui, rect, rect.left() + 12.0, galley);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_without_the_file_heads() {
        assert_eq!(counts(Some("--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n d")), "+2 \u{2212}1");
        assert_eq!(counts(None), "");
    }
}
