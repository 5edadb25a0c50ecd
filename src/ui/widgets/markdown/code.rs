use std::sync::Arc;

use egui::text::LayoutJob;
use egui::text_selection::LabelSelectionState;
use egui::{Frame, Margin, Rect, Role, ScrollArea, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::ui::theme::{self, Palette, Text};

use super::highlight::{Span, SynClass};
use crate::ui::widgets::button::IconButton;
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;

/// Head of a code block.
pub struct CodeHead<'a> {
    /// Language, or empty.
    pub lang: &'a str,
    /// Path or other words behind the language, or empty.
    pub info: &'a str,
}

/// Lines laid out as one galley.
const CHUNK_LINES: usize = 60;
const HEAD: f32 = 28.0;
const PAD_X: f32 = 12.0;
const PAD_Y: f32 = 8.0;

/// Whether code of this language is a diff.
#[must_use]
pub fn is_diff(lang: &str) -> bool {
    matches!(lang, "diff" | "patch" | "udiff")
}

/// Added and removed lines of a diff.
#[must_use]
pub fn diff_counts(text: &str) -> (usize, usize) {
    let kinds = text.lines().map(DiffLine::of);
    kinds.fold((0, 0), |(added, removed), kind| match kind {
        DiffLine::Add => (added + 1, removed),
        DiffLine::Del => (added, removed + 1),
        DiffLine::Hunk | DiffLine::Same => (added, removed),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DiffLine {
    Add,
    Del,
    Hunk,
    Same,
}

impl DiffLine {
    fn of(line: &str) -> Self {
        if line.starts_with("+++")
            || line.starts_with("---")
            || line.starts_with("@@")
            || line.starts_with("diff ")
        {
            Self::Hunk
        } else if line.starts_with('+') {
            Self::Add
        } else if line.starts_with('-') {
            Self::Del
        } else {
            Self::Same
        }
    }
}

/// A code block with head, wrap toggle and copy. `id_salt` must stay the same while the block is shown.
/// `spans` colour it; a diff is coloured by line.
pub fn code_block(ui: &mut Ui, id_salt: u64, head: &CodeHead<'_>, text: &str, spans: Option<&Arc<[Span]>>) {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let id = ui.make_persistent_id(("code", id_salt));
    let mut wraps = ui.data(|data| data.get_temp::<bool>(id)).unwrap_or(false);
    let edge = Stroke::new(sizes.stroke.line, p.stroke_subtle);
    let frame = Frame::NONE.fill(p.bg_inset).stroke(edge).corner_radius(sizes.radius.card);
    frame.show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        ui.set_width(ui.available_width());
        if draw_head(ui, id, head, text, &mut wraps) {
            ui.data_mut(|data| data.insert_temp(id, wraps));
        }
        let body = Body { text, spans, diff: is_diff(head.lang) };
        if wraps {
            body.show(ui, id, Some(ui.available_width() - PAD_X * 2.0));
        } else {
            ScrollArea::horizontal()
                .id_salt(id)
                .auto_shrink([false, true])
                .show(ui, |ui| body.show(ui, id, None));
        }
    });
}

/// Draws the head; true when the wrap toggle changed.
fn draw_head(ui: &mut Ui, id: egui::Id, head: &CodeHead<'_>, text: &str, wraps: &mut bool) -> bool {
    let p = theme::palette(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEAD), Sense::hover());
    let diff = is_diff(head.lang);
    let which = if diff { icon::GIT_DIFF } else { icon::FILE_CODE };
    paint::icon(ui, pos2(rect.left() + PAD_X + 6.5, rect.center().y), which, 13.0, p.text_3);
    let words = if head.info.is_empty() { head.lang } else { head.info };
    let room = (rect.width() - 150.0).max(20.0);
    let label = paint::line_middle(ui, words, &Text::MonoSmall.format(p.text_2), room);
    paint::left(ui, rect, rect.left() + PAD_X + 20.0, label);
    paint::bottom_line(ui, rect.shrink2(vec2(1.0, 0.0)), p.stroke_subtle);
    let button = |from_right: f32| {
        Rect::from_center_size(pos2(rect.right() - from_right, rect.center().y), vec2(24.0, 24.0))
    };
    if IconButton::small(icon::COPY, "Copy code").show_at(ui, button(16.0), (id, "copy")).clicked() {
        ui.ctx().copy_text(text.to_owned());
    }
    let wrap_name = if *wraps { "Do not wrap lines" } else { "Wrap lines" };
    let toggle = IconButton::small(icon::TEXT_ALIGN_LEFT, wrap_name).selected(*wraps).show_at(
        ui,
        button(46.0),
        (id, "wrap"),
    );
    if diff {
        let (added, removed) = diff_counts(text);
        let format =
            |text: String, color| paint::line(ui, &text, Text::MonoSmall.format(color), f32::INFINITY);
        let x = paint::right(ui, rect, rect.right() - 64.0, format(format!("\u{2212}{removed}"), p.diff_del));
        paint::right(ui, rect, x - 8.0, format(format!("+{added}"), p.diff_add));
    }
    if toggle.clicked() {
        *wraps = !*wraps;
    }
    toggle.clicked()
}

struct Body<'a> {
    text: &'a str,
    spans: Option<&'a Arc<[Span]>>,
    diff: bool,
}

impl Body<'_> {
    /// Draws the chunks of lines that are in view; without wrapping the height of the others is known.
    fn show(&self, ui: &mut Ui, id: egui::Id, wrap: Option<f32>) {
        let line = Text::Code.line();
        ui.add_space(PAD_Y);
        let lines: Vec<&str> = self.text.split('\n').collect();
        let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let char_width = ui.fonts_mut(|fonts| fonts.glyph_width(&Text::Code.font(), '0'));
        #[expect(clippy::cast_precision_loss, reason = "a width on a screen")]
        let natural = longest as f32 * char_width + PAD_X * 2.0;
        let width = if wrap.is_some() { ui.available_width() } else { natural.max(ui.available_width()) };
        let mut byte = 0;
        let mut cursor = Cursor::new(self.spans.map(|spans| &**spans));
        for (index, chunk) in lines.chunks(CHUNK_LINES).enumerate() {
            let bytes: usize = chunk.iter().map(|line| line.len() + 1).sum();
            let own = self.text.get(byte..(byte + bytes - 1).min(self.text.len())).unwrap_or_default();
            byte += bytes;
            #[expect(clippy::cast_precision_loss, reason = "at most a chunk of lines")]
            let flat = chunk.len() as f32 * line;
            let known = if wrap.is_none() { Some(flat) } else { height_of(ui, id, index, own, wrap) };
            let seen = known.is_none_or(|height| {
                let spot = Rect::from_min_size(ui.cursor().min, vec2(width, height));
                ui.is_rect_visible(spot)
            });
            let runs = cursor.take(bytes);
            if seen {
                let height = self.chunk(ui, own, &runs, width, wrap);
                if wrap.is_some() {
                    keep_height(ui, id, index, own, (wrap, height));
                }
            } else {
                ui.allocate_space(vec2(width, known.unwrap_or(flat)));
            }
        }
        ui.add_space(PAD_Y);
    }

    fn chunk(&self, ui: &mut Ui, text: &str, runs: &[Span], width: f32, wrap: Option<f32>) -> f32 {
        let p = theme::palette(ui);
        let mut job = if self.diff { diff_job(text, p) } else { colored_job(text, runs, p) };
        job.wrap.max_width = wrap.unwrap_or(f32::INFINITY);
        job.wrap.break_anywhere = wrap.is_some();
        let galley = ui.painter().layout_job(job);
        let height = galley.size().y;
        let sense = Sense::click_and_drag() - Sense::FOCUSABLE;
        let (rect, response) = ui.allocate_exact_size(vec2(width, height), sense);
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
        if self.diff {
            paint_diff_lines(ui, rect, text, &galley);
        }
        if response.hovered() {
            ui.set_cursor_icon(egui::CursorIcon::Text);
        }
        let pos = pos2(rect.left() + PAD_X, rect.top());
        LabelSelectionState::label_text_selection(ui, &response, pos, galley, p.text_1, Stroke::NONE);
        height
    }
}

fn height_id(id: egui::Id, index: usize, text: &str) -> egui::Id {
    id.with((index, text.len()))
}

type KnownHeight = (Option<f32>, f32);

fn height_of(ui: &Ui, id: egui::Id, index: usize, text: &str, wrap: Option<f32>) -> Option<f32> {
    let known: Option<KnownHeight> = ui.data(|data| data.get_temp(height_id(id, index, text)));
    known.filter(|(width, _)| *width == wrap).map(|(_, height)| height)
}

fn keep_height(ui: &Ui, id: egui::Id, index: usize, text: &str, height: KnownHeight) {
    ui.data_mut(|data| data.insert_temp(height_id(id, index, text), height));
}

/// Hands out spans by bytes.
struct Cursor<'a> {
    spans: std::slice::Iter<'a, Span>,
    open: Option<Span>,
}

impl<'a> Cursor<'a> {
    fn new(spans: Option<&'a [Span]>) -> Self {
        let spans: std::slice::Iter<'a, Span> = spans.unwrap_or_default().iter();
        Self { spans, open: None }
    }

    fn take(&mut self, mut bytes: usize) -> Vec<Span> {
        let mut out = Vec::new();
        while bytes > 0 {
            let Some(span) = self.open.take().or_else(|| self.spans.next().copied()) else { break };
            let part = span.bytes.min(bytes);
            out.push(Span { bytes: part, class: span.class });
            bytes -= part;
            if part < span.bytes {
                self.open = Some(Span { bytes: span.bytes - part, class: span.class });
            }
        }
        out
    }
}

fn colored_job(text: &str, runs: &[Span], p: &Palette) -> LayoutJob {
    let mut job = LayoutJob::default();
    let mut from = 0;
    for run in runs {
        let to = (from + run.bytes).min(text.len());
        let Some(part) = text.get(from..to) else { break };
        job.append(part, 0.0, Text::Code.format(run.class.color(p)));
        from = to;
    }
    let rest = text.get(from..).unwrap_or_default();
    job.append(rest, 0.0, Text::Code.format(SynClass::Plain.color(p)));
    job
}

fn diff_job(text: &str, p: &Palette) -> LayoutJob {
    let mut job = LayoutJob::default();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let words = changed_words(&lines);
    for (line, changed) in lines.iter().zip(&words) {
        let (color, ground) = match DiffLine::of(line) {
            DiffLine::Add => (p.diff_add, p.diff_add_word),
            DiffLine::Del => (p.diff_del, p.diff_del_word),
            DiffLine::Hunk => (p.diff_hunk, theme::CLEAR),
            DiffLine::Same => (p.text_1, theme::CLEAR),
        };
        let plain = Text::Code.format(color);
        let mut marked = plain.clone();
        marked.background = ground;
        let (from, to) = (changed.start, changed.end);
        for (part, format) in
            [(line.get(..from), plain.clone()), (line.get(from..to), marked), (line.get(to..), plain)]
        {
            if let Some(part) = part.filter(|part| !part.is_empty()) {
                job.append(part, 0.0, format);
            }
        }
    }
    job
}

/// Bytes of each line that differ from its partner: removed lines are paired in order with the added lines
/// that follow them directly, where both are as many.
fn changed_words(lines: &[&str]) -> Vec<std::ops::Range<usize>> {
    let kinds: Vec<DiffLine> = lines.iter().map(|line| DiffLine::of(line)).collect();
    let mut ranges = vec![0..0; lines.len()];
    let run = |from: usize, kind: DiffLine| kinds.iter().skip(from).take_while(|own| **own == kind).count();
    let mut at = 0;
    while at < lines.len() {
        let removed = run(at, DiffLine::Del);
        let added = run(at + removed, DiffLine::Add);
        if removed > 0 && removed == added {
            for index in at..at + removed {
                let (Some(old), Some(new)) = (lines.get(index), lines.get(index + removed)) else { continue };
                let (old_range, new_range) = differing(old, new);
                for (place, range) in [(index, old_range), (index + removed, new_range)] {
                    if let Some(slot) = ranges.get_mut(place) {
                        *slot = range;
                    }
                }
            }
        }
        at += (removed + added).max(1);
    }
    ranges
}

/// The middle parts of two lines of a diff, without the sign, that are not the same; empty where nearly all differs.
fn differing(old: &str, new: &str) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let (a, b) = (old.get(1..).unwrap_or_default().trim_end(), new.get(1..).unwrap_or_default().trim_end());
    let same_start: usize =
        a.chars().zip(b.chars()).take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum();
    let (rest_a, rest_b) = (a.get(same_start..).unwrap_or_default(), b.get(same_start..).unwrap_or_default());
    let pairs = rest_a.chars().rev().zip(rest_b.chars().rev());
    let same_end: usize = pairs.take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum();
    if (same_start + same_end) * 3 < a.len().max(b.len()) {
        return (0..0, 0..0);
    }
    let from = same_start + 1;
    (from..a.len() + 1 - same_end, from..b.len() + 1 - same_end)
}

/// Grounds of added and removed lines, edge to edge.
fn paint_diff_lines(ui: &Ui, rect: Rect, text: &str, galley: &egui::Galley) {
    let p = theme::palette(ui);
    let mut lines = text.split('\n');
    let mut line = lines.next().unwrap_or_default();
    for row in &galley.rows {
        let color = match DiffLine::of(line) {
            DiffLine::Add => Some(p.diff_add_bg),
            DiffLine::Del => Some(p.diff_del_bg),
            DiffLine::Hunk | DiffLine::Same => None,
        };
        if let Some(color) = color {
            let top = rect.top() + row.pos.y;
            let spot =
                Rect::from_min_max(pos2(rect.left() + 1.0, top), pos2(rect.right() - 1.0, top + row.size.y));
            ui.painter().rect_filled(spot, 0.0, color);
        }
        if row.ends_with_newline {
            line = lines.next().unwrap_or_default();
        }
    }
}

/// Padding of the quote bar and other frames that hold code.
pub(super) fn inset(ui: &mut Ui, left: f32, content: impl FnOnce(&mut Ui)) {
    let rect = ui.available_rect_before_wrap();
    let inner = Rect::from_min_max(pos2(rect.left() + left, rect.top()), rect.max);
    let mut child = ui.new_child(UiBuilder::new().max_rect(inner));
    Frame::NONE.inner_margin(Margin::ZERO).show(&mut child, content);
    let used = child.min_rect();
    ui.allocate_rect(Rect::from_min_max(rect.min, pos2(rect.right(), used.bottom())), Sense::hover());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_changed_middle_of_paired_lines_is_found() {
        let cases = [
            ("-let a = get(id);\n", "+let a = swap(id, seen);\n", "get(id", "swap(id, seen"),
            ("-한글 앞 끝\n", "+한글 뒤 끝\n", "앞", "뒤"),
            ("-same\n", "+same\n", "", ""),
            ("-abc\n", "+xyz\n", "", ""),
        ];
        for (old, new, old_part, new_part) in cases {
            let (a, b) = differing(old, new);
            assert_eq!((old.get(a).unwrap(), new.get(b).unwrap()), (old_part, new_part), "{old}");
        }
        let ranges = changed_words(&["@@ x\n", "-a b\n", "-c d\n", "+a e\n", " f\n"]);
        assert!(ranges.iter().all(std::ops::Range::is_empty));
    }

    #[test]
    fn added_and_removed_lines_are_counted_without_heads() {
        assert_eq!(diff_counts("--- a\n+++ b\n@@ 1\n-x\n+y\n+z\n w"), (2, 1));
    }
}
