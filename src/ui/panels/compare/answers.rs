//! The final answers of both sides beside each other, with what differs marked by sign, ground and underline.

use std::collections::HashSet;

use egui::text::{LayoutJob, TextFormat};
use egui::{Rect, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::api::snapshot::ConversationView;
use crate::model::id::{ConversationId, MessageId};
use crate::model::message::{Author, ItemBody, Message, MessageState};
use crate::ui::cx::UiCx;
use crate::ui::lineage;
use crate::ui::theme::{self, CLEAR, Palette, Text};
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;
use crate::ui::widgets::virtual_list::{RowSource, VirtualList, estimate_text};
use crate::ui::words;

use super::diff::{Comparison, Row, compare};

/// Equal lines shown around a difference.
const CONTEXT: usize = 3;
/// Fewer equal lines than this are not folded.
const FOLD_LEAST: usize = 4;
/// Signs stand in it, points.
const GUTTER: f32 = 22.0;
const PAD: f32 = 14.0;

/// Whether the differences are shown, and what was compared last.
#[derive(Default)]
pub struct Answers {
    pub on: bool,
    made: Option<Made>,
    list: VirtualList,
    /// Grows with every comparison and opened fold.
    version: u64,
}

/// The comparison of two answers.
struct Made {
    of: [(MessageId, u32); 2],
    texts: [String; 2],
    who: [String; 2],
    /// Lines inside a code fence, by side.
    code: [Vec<bool>; 2],
    diff: Comparison,
    rows: Vec<Shown>,
    open: HashSet<usize>,
}

/// A row as shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// A place in [`Comparison::rows`].
    Row(usize),
    /// So many equal rows from a place on.
    Equal(usize, usize),
}

/// The newest whole answer of a conversation that is loaded.
fn final_answer(view: &ConversationView) -> Option<&Message> {
    let places = (0..view.index.len()).rev().take(200);
    let mut loaded = places.filter_map(|place| view.message(place)).map(AsRef::as_ref);
    loaded.find(|message| {
        let whole = message.state != MessageState::Streaming;
        whole && matches!(message.author, Author::Agent { .. })
    })
}

/// Its words, without thinking and tool calls.
fn said(message: &Message) -> String {
    let texts = message.items.iter().filter_map(|item| match &item.body {
        ItemBody::Text { text } if !text.trim().is_empty() => Some(text.trim_end()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

impl Answers {
    /// Another pair is compared.
    pub fn forget(&mut self) {
        self.made = None;
        self.list = VirtualList::default();
    }

    /// Draws them over `rect`; `stacked` puts what differs below each other.
    pub fn show(&mut self, cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, pair: [ConversationId; 2], stacked: bool) {
        let p = theme::palette(ui);
        let mut inside = super::region(ui, rect, "answers");
        let ui = &mut inside;
        ui.painter().rect_filled(rect, 0.0, p.bg_canvas);
        if let Some(missing) = self.take(cx, pair) {
            note_line(ui, rect, &missing);
            return;
        }
        let Some(made) = &self.made else { return };
        let head = Rect::from_min_size(rect.min, vec2(rect.width(), 30.0));
        paint::bottom_line(ui, head, p.stroke_subtle);
        note_line(ui, head, &made.summary(cx, pair));
        let mut top = head.bottom();
        if !stacked {
            let line = Rect::from_min_size(pos2(rect.left(), top), vec2(rect.width(), 24.0));
            for (side, who) in made.who.iter().enumerate() {
                let x = if side == 0 { line.left() } else { line.center().x } + PAD;
                let format = Text::Caption.format(p.text_3);
                let galley = paint::line(ui, who, format, line.width() / 2.0 - PAD * 2.0);
                paint::left(ui, line, x, galley);
            }
            top = line.bottom();
        }
        let area = Rect::from_min_max(pos2(rect.left(), top), rect.max);
        let mut opened = None;
        let mut scroll = ui.new_child(UiBuilder::new().max_rect(area).id_salt("answer rows"));
        let source = Source { made, version: self.version };
        self.list.show(&mut scroll, "answers", &source, |ui, place| {
            ui.spacing_mut().item_spacing.y = 0.0;
            match made.rows.get(place).copied() {
                Some(Shown::Row(row)) => made.row(ui, row, stacked),
                Some(Shown::Equal(from, count)) if fold(ui, count) => opened = Some(from),
                Some(Shown::Equal(..)) | None => {}
            }
        });
        if let (Some(from), Some(made)) = (opened, self.made.as_mut()) {
            made.open.insert(from);
            made.rows = shown(&made.diff.rows, &made.open);
            self.version += 1;
        }
    }

    /// Compares what is there now, unless it was compared before; what stands in the way of it, if anything does.
    fn take(&mut self, cx: &UiCx<'_>, pair: [ConversationId; 2]) -> Option<String> {
        let mut found = Vec::new();
        for id in pair {
            let title = lineage::row(cx.snap, id).map_or("It", |row| row.conversation.title.as_str());
            match cx.snap.view(id).and_then(|view| final_answer(view)) {
                Some(message) => found.push(message),
                None => return Some(format!("{title} has no finished answer yet.")),
            }
        }
        let [left, right] = found.as_slice() else { return None };
        let of = [(left.id, left.revision), (right.id, right.revision)];
        if self.made.as_ref().is_none_or(|made| made.of != of) {
            let texts = [said(left), said(right)];
            let diff = compare(&texts[0], &texts[1]);
            let who = [left, right].map(|message| who(cx, message));
            let code = [fenced(&texts[0], &diff, 0), fenced(&texts[1], &diff, 1)];
            let open = HashSet::new();
            let rows = shown(&diff.rows, &open);
            self.made = Some(Made { of, texts, who, code, diff, rows, open });
            self.list = VirtualList::default();
            self.version += 1;
        }
        None
    }
}

fn who(cx: &UiCx<'_>, message: &Message) -> String {
    let name = match &message.author {
        Author::Agent { name, .. } => name.as_str(),
        Author::User => "You",
        Author::System => "tunaflow",
    };
    format!("{name}, {}", cx.now.day_time(message.created_ms))
}

/// Which lines of a side lie in a fence of code.
fn fenced(text: &str, diff: &Comparison, side: usize) -> Vec<bool> {
    let mut inside = false;
    let lines = diff.lines.get(side).map(Vec::as_slice).unwrap_or_default();
    let is_code = |line: &std::ops::Range<usize>| {
        let is_fence = text.get(line.clone()).unwrap_or_default().trim_start().starts_with("```");
        inside ^= is_fence;
        inside || is_fence
    };
    lines.iter().map(is_code).collect()
}

/// Rows to show: equal stretches far from a difference are folded, unless they were opened.
fn shown(rows: &[Row], open: &HashSet<usize>) -> Vec<Shown> {
    let mut out = Vec::with_capacity(rows.len());
    let mut at = 0;
    while let Some(row) = rows.get(at) {
        if !row.same {
            out.push(Shown::Row(at));
            at += 1;
            continue;
        }
        let run = rows.iter().skip(at).take_while(|row| row.same).count();
        let (from, to) = (at, at + run);
        let head = if from == 0 { 0 } else { CONTEXT };
        let tail = if to == rows.len() { 0 } else { CONTEXT };
        let folded = run.saturating_sub(head + tail);
        // All lines equal: nothing to fold around.
        if folded < FOLD_LEAST || open.contains(&(from + head)) || run == rows.len() {
            out.extend((from..to).map(Shown::Row));
        } else {
            out.extend((from..from + head).map(Shown::Row));
            out.push(Shown::Equal(from + head, folded));
            out.extend((to - tail..to).map(Shown::Row));
        }
        at = to;
    }
    out
}

impl Made {
    /// How much differs, and what this does not say.
    fn summary(&self, cx: &UiCx<'_>, pair: [ConversationId; 2]) -> String {
        let count = self.diff.differing() as u64;
        let mut words = match count {
            0 => "The final answers are the same.".to_owned(),
            1 => "1 line differs.".to_owned(),
            _ => format!("{} lines differ.", words::thousands(count)),
        };
        if self.diff.cut {
            words.push_str(" They are too long to compare to their ends.");
        }
        if self.diff.coarse {
            words.push_str(" So much differs that whole lines are marked in places.");
        }
        for id in pair {
            let view = cx.snap.view(id);
            let live = view.is_some_and(|view| !view.live.is_empty());
            if let Some(row) = lineage::row(cx.snap, id).filter(|_| live) {
                words.push_str(&format!(
                    " {} is still writing; this is its answer before.",
                    row.conversation.title
                ));
            }
        }
        words
    }

    fn text(&self, side: usize, row: &Row) -> Option<(&str, bool)> {
        let place = row.line.get(side).copied().flatten()?;
        let line = self.diff.lines.get(side)?.get(place)?.clone();
        let code = self.code.get(side).and_then(|code| code.get(place)).copied().unwrap_or(false);
        Some((self.texts.get(side)?.get(line)?, code))
    }

    fn row(&self, ui: &mut Ui, place: usize, stacked: bool) {
        let Some(row) = self.diff.rows.get(place) else { return };
        let all = ui.available_rect_before_wrap();
        if stacked {
            let mut top = all.top();
            for side in 0..2 {
                // Equal lines once.
                if (row.same && side == 1) || self.text(side, row).is_none() {
                    continue;
                }
                top += self.cell(
                    ui,
                    Rect::from_min_size(pos2(all.left(), top), vec2(all.width(), 0.0)),
                    row,
                    side,
                );
            }
            ui.allocate_rect(Rect::from_min_max(all.min, pos2(all.right(), top)), Sense::hover());
            return;
        }
        let half = (all.width() / 2.0).round();
        let mut height = Text::Read.line();
        // Both grounds are as high as the higher cell.
        for side in 0..2 {
            let x = if side == 0 { all.left() } else { all.left() + half };
            let width = if side == 0 { half } else { all.width() - half };
            let rect = Rect::from_min_size(pos2(x, all.top()), vec2(width, 0.0));
            height = height.max(self.height(ui, rect, row, side));
        }
        for side in 0..2 {
            let x = if side == 0 { all.left() } else { all.left() + half };
            let width = if side == 0 { half } else { all.width() - half };
            self.cell(ui, Rect::from_min_size(pos2(x, all.top()), vec2(width, height)), row, side);
        }
        ui.allocate_rect(Rect::from_min_size(all.min, vec2(all.width(), height)), Sense::hover());
    }

    fn height(&self, ui: &Ui, rect: Rect, row: &Row, side: usize) -> f32 {
        let Some((text, code)) = self.text(side, row) else { return 0.0 };
        ui.painter().layout_job(self.job(theme::palette(ui), row, side, (text, code), rect.width())).size().y
    }

    fn job(&self, p: &Palette, row: &Row, side: usize, (text, code): (&str, bool), width: f32) -> LayoutJob {
        let step = if code { Text::Mono } else { Text::Read };
        let color = if row.same { p.text_2 } else { p.text_1 };
        let plain = step.format(color);
        let (edge, ground) =
            if side == 0 { (p.diff_del, p.diff_del_word) } else { (p.diff_add, p.diff_add_word) };
        let marked = TextFormat { background: ground, underline: Stroke::new(1.5, edge), ..plain.clone() };
        let marks = row.marks.get(side).map(Vec::as_slice).unwrap_or_default();
        let mut job = LayoutJob::default();
        job.wrap.max_width = (width - GUTTER - PAD).max(40.0);
        // A line that differs as a whole says so by its ground and sign.
        if marks.iter().any(|mark| mark.len() == text.len()) {
            job.append(text, 0.0, plain);
            return job;
        }
        let mut at = 0;
        for mark in marks {
            job.append(text.get(at..mark.start).unwrap_or_default(), 0.0, plain.clone());
            job.append(text.get(mark.clone()).unwrap_or_default(), 0.0, marked.clone());
            at = mark.end;
        }
        job.append(text.get(at..).unwrap_or_default(), 0.0, plain);
        job
    }

    /// One side of a row; returns its height.
    fn cell(&self, ui: &Ui, rect: Rect, row: &Row, side: usize) -> f32 {
        let p = theme::palette(ui);
        let Some(found) = self.text(side, row) else {
            // The other side has a line here.
            ui.painter().rect_filled(rect.shrink2(vec2(1.0, 0.0)), 0.0, p.bg_inset);
            return rect.height();
        };
        let galley = ui.painter().layout_job(self.job(p, row, side, found, rect.width()));
        let height = galley.size().y.max(Text::Read.line()).max(rect.height());
        let (sign, color, ground, name) = match (row.same, side) {
            (true, _) => ("", p.text_3, CLEAR, ""),
            (false, 0) => ("−", p.diff_del, p.diff_del_bg, "Left"),
            (false, _) => ("+", p.diff_add, p.diff_add_bg, "Right"),
        };
        let rect = Rect::from_min_size(rect.min, vec2(rect.width(), height));
        ui.painter().rect_filled(rect.shrink2(vec2(1.0, 0.0)), 0.0, ground);
        let first = Rect::from_min_size(rect.min, vec2(GUTTER, Text::Read.line()));
        paint::left(ui, first, rect.left() + 8.0, paint::line(ui, sign, Text::Mono.format(color), 12.0));
        ui.painter().galley(rect.min + vec2(GUTTER, 0.0), galley, p.text_1);
        if !row.same {
            let id = ui.scope_id().with(("answer cell", side));
            let response = ui.interact(rect, id, Sense::hover());
            let words: String = found.0.chars().take(200).collect();
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{name}: {words}")));
        }
        height
    }
}

/// The line that stands for equal ones; `true` when they are to be shown.
fn fold(ui: &mut Ui, count: usize) -> bool {
    let p = theme::palette(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 28.0), Sense::click());
    let label = format!("{} equal lines", words::thousands(count as u64));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
    if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, p.bg_hover);
    }
    paint::icon(ui, pos2(rect.left() + 12.0, rect.center().y), icon::CARET_UP_DOWN, 12.0, p.text_3);
    let galley = paint::line(ui, &label, Text::Caption.format(p.text_3), rect.width());
    paint::left(ui, rect, rect.left() + GUTTER, galley);
    response.on_hover_text("Show them").clicked()
}

fn note_line(ui: &mut Ui, rect: Rect, text: &str) {
    let p = theme::palette(ui);
    let line = Rect::from_min_size(rect.min, vec2(rect.width(), 30.0));
    let galley = paint::line(ui, text, Text::Small.format(p.text_2), rect.width() - PAD * 2.0);
    let cut = galley.elided;
    paint::left(ui, line, line.left() + PAD, galley);
    let response = ui.interact(line, ui.scope_id().with("answers note"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    if cut {
        response.on_hover_text(text);
    }
}

/// The rows for the list.
struct Source<'a> {
    made: &'a Made,
    version: u64,
}

impl RowSource for Source<'_> {
    fn len(&self) -> usize {
        self.made.rows.len()
    }

    fn row(&self, index: usize) -> (u64, u64) {
        match self.made.rows.get(index) {
            Some(Shown::Row(row)) => (*row as u64 * 2, 0),
            Some(Shown::Equal(from, _)) => (*from as u64 * 2 + 1, 0),
            None => (0, 0),
        }
    }

    fn estimate(&self, index: usize, width: f32) -> f32 {
        let Some(Shown::Row(row)) = self.made.rows.get(index) else { return 28.0 };
        let Some(row) = self.made.diff.rows.get(*row) else { return 28.0 };
        let longest = (0..2).filter_map(|side| self.made.text(side, row)).map(|(text, _)| text.len()).max();
        estimate_text(longest.unwrap_or(0), width / 2.0 - GUTTER, Text::Read.line(), 0.0)
    }

    fn version(&self) -> u64 {
        self.version
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lines_far_from_a_difference_are_folded_until_they_are_opened() {
        let left: String = (0..20).map(|line| format!("{line}\n")).collect();
        let rows = compare(&left, &left.replace("10\n", "ten\n")).rows;
        let made = shown(&rows, &HashSet::new());
        assert_eq!(made.first(), Some(&Shown::Equal(0, 7)));
        assert_eq!(made.last(), Some(&Shown::Equal(14, 6)));
        assert_eq!(made.len(), 9);
        let opened = shown(&rows, &HashSet::from([0]));
        assert_eq!(opened.len(), 9 - 1 + 7);
        assert_eq!(shown(&compare(&left, &left).rows, &HashSet::new()).len(), 20);
    }
}
