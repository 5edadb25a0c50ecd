//! The unified difference of one file; only the lines in view are laid out.

use std::sync::Arc;

use egui::{Color32, Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::api::snapshot::ChangesView;
use crate::model::git::{ChangedFile, FileDiff};
use crate::ui::cx::{Request, UiCx};
use crate::ui::theme::{self, Palette, Text, Weight};
use crate::ui::widgets::IconButton;
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;

use super::states;

/// Most characters of a line that are drawn; a longer one ends in "…".
const LINE_MAX_CHARS: usize = 1_000;
/// Where the text begins behind the two numbers, points.
const GUTTER: f32 = 92.0;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Hunk,
    Added,
    Removed,
    Same,
    Note,
}

struct Line {
    kind: Kind,
    old: Option<u32>,
    new: Option<u32>,
    text: String,
}

/// The lines of the difference shown, read once.
#[derive(Default)]
pub struct DiffLines {
    of: Option<Arc<FileDiff>>,
    lines: Vec<Line>,
    /// Width of the widest line that was drawn so far, points.
    width: f32,
}

impl DiffLines {
    pub fn show(&mut self, cx: &UiCx<'_>, ui: &mut Ui, view: &ChangesView, file: &ChangedFile) {
        let p = theme::palette(ui);
        let rect = ui.available_rect_before_wrap();
        ui.painter().rect_filled(rect, 0.0, p.bg_inset);
        let ready = view.diff.as_ref().filter(|_| view.diff_of.as_ref() == Some(&file.path));
        let text = ready.and_then(|diff| diff.as_ref().ok()).map(|diff| diff.text.as_str());
        head(cx, ui, file, text);
        let diff = match ready {
            None => return states::quiet(ui, "The difference is being read."),
            Some(Err(why)) => return states::quiet(ui, why),
            Some(Ok(diff)) => diff,
        };
        if !self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, diff)) {
            self.lines = read(&diff.text);
            self.width = 0.0;
            self.of = Some(Arc::clone(diff));
        }
        if diff.binary {
            return states::quiet(ui, "It is no text, so there are no lines to show.");
        }
        if self.lines.is_empty() {
            let text = match &file.mode {
                Some((old, new)) => format!("Only its mode changed: {old} to {new}."),
                None if file.old_path.is_some() => "It only moved; its text is the same.".to_owned(),
                None => "It is empty.".to_owned(),
            };
            return states::quiet(ui, &text);
        }
        let height = Text::Mono.line();
        let foot = usize::from(diff.cut);
        let area = ScrollArea::both().id_salt(("difference", file.path.0.as_slice())).auto_shrink(false);
        area.show_rows(ui, height, self.lines.len() + foot, |ui, range| {
            let least = ui.available_width();
            for at in range {
                let width = least.max(self.width);
                let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
                match self.lines.get(at) {
                    Some(line) => {
                        let drawn = paint_line(ui, rect, line, p);
                        self.width = self.width.max(drawn);
                        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &line.text));
                    }
                    None => {
                        let text = "The difference goes on; only its first megabyte is shown.";
                        let galley = paint::line(ui, text, Text::Small.format(p.warn), f32::INFINITY);
                        paint::left(ui, rect, rect.left() + 16.0, galley);
                        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
                    }
                }
            }
        });
    }
}

fn head(cx: &UiCx<'_>, ui: &mut Ui, file: &ChangedFile, text: Option<&str>) {
    let p = theme::palette(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 40.0), Sense::hover());
    paint::bottom_line(ui, rect, p.stroke_subtle);
    let mut end = rect.right() - 12.0;
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        let spot = Rect::from_center_size(pos2(end - 14.0, rect.center().y), vec2(28.0, 28.0));
        if IconButton::new(icon::COPY, "Copy the difference").show_at(ui, spot, "copy difference").clicked() {
            cx.ask(Request::Copy { text: text.to_owned(), what: "The difference" });
        }
        end -= 36.0;
    }
    let shown = file.path.shown();
    let format = Text::MonoSmall.format_weighted(Weight::Medium, p.text_1);
    let start = rect.left() + 16.0;
    let galley = paint::line_middle(ui, &shown, &format, (end - start).max(40.0));
    let next = paint::left(ui, rect, start, galley) + 10.0;
    let state = format!(
        "{}{}",
        file.kind.word(),
        file.mode.as_ref().map_or(String::new(), |(old, new)| format!(", {old} to {new}"))
    );
    if end - next > 60.0 {
        paint::left(ui, rect, next, paint::line(ui, &state, Text::Caption.format(p.text_3), end - next));
    } else {
        // The path was shortened, and how it stands has no room.
        response.on_hover_text(format!("{shown}, {state}"));
    }
}

/// Draws one line; returns the width it needs.
fn paint_line(ui: &Ui, rect: Rect, line: &Line, p: &Palette) -> f32 {
    let (ground, color) = match line.kind {
        Kind::Added => (Some(p.diff_add_bg), p.text_1),
        Kind::Removed => (Some(p.diff_del_bg), p.text_1),
        Kind::Hunk => (None, p.diff_hunk),
        Kind::Same => (None, p.text_2),
        Kind::Note => (None, p.text_3),
    };
    if let Some(ground) = ground {
        ui.painter().rect_filled(rect, 0.0, ground);
    }
    let number = |number: Option<u32>, right: f32, color: Color32| {
        if let Some(number) = number {
            let galley = paint::line(ui, &number.to_string(), Text::MonoSmall.format(color), 44.0);
            paint::right(ui, rect, rect.left() + right, galley);
        }
    };
    number(line.old, 36.0, p.text_3);
    number(line.new, 70.0, p.text_3);
    let (sign, color_of_sign) = match line.kind {
        Kind::Added => ("+", p.diff_add),
        Kind::Removed => ("\u{2212}", p.diff_del),
        Kind::Hunk | Kind::Same | Kind::Note => ("", p.text_3),
    };
    if !sign.is_empty() {
        paint::left(
            ui,
            rect,
            rect.left() + 78.0,
            paint::line(ui, sign, Text::Mono.format(color_of_sign), 14.0),
        );
    }
    let galley = paint::line(ui, &line.text, Text::Mono.format(color), f32::INFINITY);
    paint::left(ui, rect, rect.left() + GUTTER, galley) - rect.left() + 16.0
}

/// Reads a unified difference; the head with the names is left out.
fn read(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let (mut old, mut new) = (0_u32, 0_u32);
    let mut in_hunk = false;
    for raw in text.lines() {
        if let Some(numbers) = raw.strip_prefix("@@ ") {
            (old, new) = starts(numbers).unwrap_or((0, 0));
            in_hunk = true;
            lines.push(Line { kind: Kind::Hunk, old: None, new: None, text: shown(raw) });
            continue;
        }
        if !in_hunk {
            if raw.starts_with("Subproject commit") || raw.starts_with("* Unmerged path") {
                lines.push(Line { kind: Kind::Note, old: None, new: None, text: shown(raw) });
            }
            continue;
        }
        let (kind, rest) = match raw.as_bytes().first() {
            Some(b'+') => (Kind::Added, raw.get(1..)),
            Some(b'-') => (Kind::Removed, raw.get(1..)),
            Some(b'\\') => (Kind::Note, raw.get(2..)),
            _ => (Kind::Same, raw.get(1..)),
        };
        let (is_old, is_new) =
            (matches!(kind, Kind::Removed | Kind::Same), matches!(kind, Kind::Added | Kind::Same));
        let line = Line {
            kind,
            old: is_old.then_some(old),
            new: is_new.then_some(new),
            text: shown(rest.unwrap_or_default()),
        };
        old += u32::from(is_old);
        new += u32::from(is_new);
        lines.push(line);
    }
    lines
}

/// The first numbers of `-12,3 +14,5 @@ …`.
fn starts(numbers: &str) -> Option<(u32, u32)> {
    let mut words = numbers.split(' ');
    let first = |word: &str| word.get(1..)?.split(',').next()?.parse().ok();
    Some((first(words.next()?)?, first(words.next()?)?))
}

/// Tabs as four spaces, control signs as a dot, and not beyond what is drawn.
fn shown(text: &str) -> String {
    let mut out = String::new();
    for (count, one) in text.chars().enumerate() {
        if count == LINE_MAX_CHARS {
            out.push('…');
            break;
        }
        match one {
            '\t' => out.push_str("    "),
            one if one.is_control() => out.push('·'),
            one => out.push(one),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_numbers() {
        let text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -3,3 +3,4 @@ fn\n a\n-b\n+c\n+\td\n e\n\\ No newline at end of file\n";
        let lines = read(text);
        let shown: Vec<_> = lines.iter().map(|line| (line.old, line.new, line.text.as_str())).collect();
        assert_eq!(
            shown,
            [
                (None, None, "@@ -3,3 +3,4 @@ fn"),
                (Some(3), Some(3), "a"),
                (Some(4), None, "b"),
                (None, Some(4), "c"),
                (None, Some(5), "    d"),
                (Some(5), Some(6), "e"),
                (None, None, "No newline at end of file"),
            ]
        );
        assert!(read("old mode 100644\nnew mode 100755\n").is_empty());
        assert_eq!(read(&format!("@@ -0,0 +1 @@\n+{}", "x".repeat(5_000)))[1].text.chars().count(), 1_001);
    }
}
