use std::sync::Arc;

use egui::text::{LayoutJob, TextFormat};
use egui::text_selection::LabelSelectionState;
use egui::{Align, Galley, Rangef, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use crate::ui::theme::{self, Palette, Text, Weight};

use super::code::{self, CodeHead};
use super::highlight::Highlighter;
use super::parse::{Block, Kind, Leaf, Marker, Run, Table};
use super::stream::StreamDoc;
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;

/// What the user did in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A web link was clicked; the caller opens it.
    Open(String),
}

/// Draws Markdown; keep one per window, it owns the colours of code.
#[derive(Default)]
pub struct Markdown {
    highlighter: Highlighter,
}

/// Gap between paragraphs, points.
const PARAGRAPH_GAP: f32 = 8.0;
/// Gap around code, tables and quotes.
const BLOCK_GAP: f32 = 10.0;
/// Gap between items of a list.
const ITEM_GAP: f32 = 4.0;
const INDENT: f32 = 20.0;
const QUOTE: f32 = 14.0;

impl Markdown {
    /// Draws a text in the step `base` ([`Text::Read`] in the conversation, [`Text::Ui`] in columns). Finished blocks
    /// far out of sight only take their room, unless a selection may reach into them.
    pub fn show(&mut self, ui: &mut Ui, doc: &mut StreamDoc, base: Text) -> Option<Action> {
        let (settled, live, heights) = doc.parts();
        heights.fit(ui.available_width(), ui.pixels_per_point(), base);
        let near = near(ui);
        let mut place = Reached::default();
        let mut action = None;
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
            for (number, block) in settled.iter().enumerate() {
                let top = ui.cursor().top();
                if let Some(height) = heights.get(number)
                    && near.is_some_and(|near| !near.intersects(Rangef::new(top, top + height)))
                {
                    ui.add_space(height);
                    place.pass(block);
                    continue;
                }
                action = self.block(ui, block, &mut place, base).or(action.take());
                heights.set(number, ui.cursor().top() - top);
            }
            for block in live {
                action = self.block(ui, block, &mut place, base).or(action.take());
            }
        });
        action
    }

    fn block<'a>(
        &mut self,
        ui: &mut Ui,
        block: &'a Block,
        place: &mut Reached<'a>,
        base: Text,
    ) -> Option<Action> {
        let mut action = None;
        for leaf in &block.leaves {
            if let Some(before) = place.before {
                ui.add_space(gap(before, leaf));
            }
            action = self.leaf(ui, place.leaves, leaf, base).or(action.take());
            place.before = Some(leaf);
            place.leaves += 1;
        }
        action
    }

    fn leaf(&mut self, ui: &mut Ui, index: usize, leaf: &Leaf, base: Text) -> Option<Action> {
        let quote = f32::from(leaf.quotes) * QUOTE;
        let left = quote + f32::from(leaf.indent) * INDENT;
        let top = ui.cursor().top();
        let mut action = None;
        code::inset(ui, left, |ui| {
            ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
            match &leaf.kind {
                Kind::Text { heading, runs } => {
                    marker(ui, leaf, base);
                    action = text(ui, (index, runs), leaf, step_of(*heading, base));
                }
                Kind::Code { lang, info, text } => {
                    let spans = self.highlighter.spans(ui.ctx(), leaf.code_key, lang, text);
                    let salt = u64::try_from(index).unwrap_or(u64::MAX);
                    code::code_block(ui, salt, &CodeHead { lang, info }, text, spans.as_ref());
                }
                Kind::Table(table) => action = draw_table(ui, index, table, leaf, base),
                Kind::Rule => {
                    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 9.0), Sense::hover());
                    let stroke = Stroke::new(theme::sizes().stroke.line, theme::palette(ui).stroke_default);
                    ui.painter().hline(rect.x_range(), rect.center().y, stroke);
                }
            }
        });
        quote_bars(ui, leaf.quotes, top);
        action
    }
}

/// How far the drawing of a text has come.
#[derive(Default)]
struct Reached<'a> {
    leaves: usize,
    before: Option<&'a Leaf>,
}

impl<'a> Reached<'a> {
    fn pass(&mut self, block: &'a Block) {
        self.leaves += block.leaves.len();
        self.before = block.leaves.last().or(self.before);
    }
}

/// The heights that are drawn: what is in sight and as much above and below. `None` = all, while something is
/// selected: a selection is lost when one of its ends is not drawn.
fn near(ui: &Ui) -> Option<Rangef> {
    let state = ui.ctx().plugin_opt::<LabelSelectionState>();
    let selected = state.is_some_and(|state| state.lock().has_selection());
    let sight = ui.clip_rect();
    (!selected).then(|| sight.y_range().expand(sight.height()))
}

fn gap(before: &Leaf, leaf: &Leaf) -> f32 {
    let is_text = |leaf: &Leaf| matches!(leaf.kind, Kind::Text { .. });
    match (&before.kind, &leaf.kind) {
        (_, Kind::Text { heading: 1..=6, .. }) => BLOCK_GAP + 4.0,
        _ if leaf.marker.is_some() && before.indent > 0 => ITEM_GAP,
        _ if is_text(before) && is_text(leaf) => PARAGRAPH_GAP,
        _ => BLOCK_GAP,
    }
}

fn step_of(heading: u8, base: Text) -> (Text, Weight) {
    match heading {
        0 => (base, Weight::Regular),
        1 => (Text::Heading, Weight::Semibold),
        2 | 3 => (Text::Subhead, Weight::Semibold),
        _ => (base, Weight::Semibold),
    }
}

fn quote_bars(ui: &Ui, quotes: u8, top: f32) {
    let color = theme::palette(ui).stroke_default;
    for depth in 0..quotes {
        let x = ui.max_rect().left() + f32::from(depth) * QUOTE;
        let bar = Rect::from_min_max(pos2(x, top), pos2(x + 3.0, ui.cursor().top()));
        ui.painter().rect_filled(bar, theme::sizes().radius.bar, color);
    }
}

/// Draws the item's marker left of the text.
fn marker(ui: &Ui, leaf: &Leaf, base: Text) {
    let p = theme::palette(ui);
    let min = ui.cursor().min;
    let line = Rect::from_min_size(min - vec2(INDENT, 0.0), vec2(INDENT, base.line()));
    match &leaf.marker {
        None => {}
        Some(Marker::Bullet) => {
            let center = pos2(line.left() + 7.0, line.center().y + 0.5);
            ui.painter().circle_filled(center, 2.0, p.text_3);
        }
        Some(Marker::Number(number)) => {
            let galley = paint::line(ui, &format!("{number}."), base.format(p.text_2), f32::INFINITY);
            let x = (line.right() - 5.0 - galley.size().x).max(line.left() - 12.0);
            paint::left(ui, line, x, galley);
        }
        Some(Marker::Task(done)) => {
            let side = 13.0;
            let center = pos2(line.left() + 7.0, line.center().y);
            let rect = Rect::from_center_size(center, vec2(side, side));
            if *done {
                ui.painter().rect_filled(rect, 3.0, p.accent);
                paint::icon_face(ui, center, icon::CHECK, icon::Face::Bold, 10.0, p.accent_on);
            } else {
                ui.painter().rect_stroke(rect, 3.0, Stroke::new(1.0, p.stroke_control), StrokeKind::Inside);
            }
        }
    }
}

fn format_of(run: &Run, step: Text, weight: Weight, p: &Palette) -> TextFormat {
    let style = run.style;
    let weight = if style.bold { Weight::Semibold } else { weight };
    let mut format = if style.code {
        let mut format = Text::Mono.format(p.text_1);
        format.line_height = Some(step.line());
        format
    } else {
        step.format_weighted(weight, p.text_1)
    };
    format.italics = style.italic && !style.code;
    if style.strike {
        format.strikethrough = Stroke::new(1.0, p.text_2);
        format.color = p.text_2;
    }
    if style.link.is_some() {
        format.color = p.accent;
    }
    format
}

/// A run that is drawn with something beyond its letters: chars from and to, and the run.
struct Place<'a> {
    from: usize,
    to: usize,
    run: &'a Run,
}

fn job_of<'a>(runs: &'a [Run], step: (Text, Weight), p: &Palette) -> (LayoutJob, Vec<Place<'a>>) {
    const CODE_PAD: f32 = 4.0;
    let mut job = LayoutJob::default();
    let mut places = Vec::new();
    let mut at = 0;
    let mut after_code = false;
    for run in runs {
        let space = if run.style.code || after_code { CODE_PAD } else { 0.0 };
        after_code = run.style.code;
        job.append(&run.text, space, format_of(run, step.0, step.1, p));
        let to = at + run.text.chars().count();
        if run.style.code || run.style.link.is_some() {
            places.push(Place { from: at, to, run });
        }
        at = to;
    }
    (job, places)
}

fn text(ui: &mut Ui, (index, runs): (usize, &[Run]), leaf: &Leaf, step: (Text, Weight)) -> Option<Action> {
    let p = theme::palette(ui);
    let (mut job, places) = job_of(runs, step, p);
    job.wrap.max_width = ui.available_width();
    let galley = ui.painter().layout_job(job);
    let sense = Sense::click_and_drag() - Sense::FOCUSABLE;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), galley.size().y), sense);
    let role = if step.1 == Weight::Semibold { Role::Heading } else { Role::Label };
    response.widget_info(|| WidgetInfo::labeled(role, true, galley.text()));
    if response.hovered() {
        ui.set_cursor_icon(egui::CursorIcon::Text);
    }
    paint_runs(ui, rect, galley, &places, &response, (index, leaf))
}

fn paint_runs(
    ui: &Ui,
    rect: Rect,
    galley: Arc<Galley>,
    places: &[Place<'_>],
    response: &egui::Response,
    (index, leaf): (usize, &Leaf),
) -> Option<Action> {
    let p = theme::palette(ui);
    let origin = rect.min;
    let mut action = None;
    let mut links = Vec::new();
    for (order, place) in places.iter().enumerate() {
        let spots = run_rects(&galley, place.from, place.to);
        for spot in spots {
            let spot = spot.translate(origin.to_vec2());
            if place.run.style.code {
                let ground = Rect::from_center_size(spot.center(), vec2(spot.width() + 8.0, 18.0));
                ui.painter().rect_filled(ground, theme::sizes().radius.chip, p.bg_hover);
            }
            if let Some(target) = place.run.style.link.and_then(|link| leaf.links.get(usize::from(link))) {
                links.push((order, spot, target, &place.run.text));
            }
        }
    }
    LabelSelectionState::label_text_selection(ui, response, origin, galley, p.text_1, Stroke::NONE);
    for (part, (order, spot, target, words)) in links.into_iter().enumerate() {
        let id = response.id.with((index, order, part));
        let link = ui.interact(spot, id, Sense::click());
        link.widget_info(|| WidgetInfo::labeled(Role::Link, true, words));
        paint::focus_ring(ui, &link, spot, theme::sizes().radius.bar, paint::Ring::Outside);
        if link.hovered() {
            ui.set_cursor_icon(egui::CursorIcon::PointingHand);
            ui.painter().hline(spot.x_range(), spot.bottom() - 3.0, Stroke::new(1.0, p.accent));
        }
        if link.on_hover_text(target).clicked() {
            action = Some(Action::Open(target.clone()));
        }
    }
    action
}

/// Where the chars `from..to` lie, one rectangle per row.
fn run_rects(galley: &Galley, from: usize, to: usize) -> Vec<Rect> {
    let mut rects = Vec::new();
    let mut start = 0;
    for row in &galley.rows {
        let count = row.glyphs.len();
        let (first, last) = (from.max(start), to.min(start + count));
        if first < last {
            let left = row.glyphs.get(first - start).map_or(0.0, |glyph| glyph.pos.x);
            let right =
                row.glyphs.get(last - start - 1).map_or(left, |glyph| glyph.pos.x + glyph.advance_width);
            let min = row.pos + vec2(left, 0.0);
            rects.push(Rect::from_min_max(min, pos2(row.pos.x + right, row.pos.y + row.size.y)));
        }
        start += count + usize::from(row.ends_with_newline);
    }
    rects
}

/// A table whose columns share the width by their content; cells wrap.
fn draw_table(ui: &mut Ui, index: usize, table: &Table, leaf: &Leaf, base: Text) -> Option<Action> {
    const PAD: f32 = 8.0;
    let p = theme::palette(ui);
    let columns = table.align.len().max(1);
    let widths = column_widths(ui, table, columns, base, ui.available_width() - PAD * 2.0 * to_f32(columns));
    let mut action = None;
    let total: f32 = widths.iter().sum::<f32>() + PAD * 2.0 * to_f32(columns);
    for (row_index, row) in table.rows.iter().enumerate() {
        let weight = if row_index == 0 { Weight::Semibold } else { Weight::Regular };
        let cells: Vec<_> = row
            .iter()
            .zip(&widths)
            .zip(&table.align)
            .map(|((cell, width), side)| {
                let (mut job, places) = job_of(cell, (base, weight), p);
                job.wrap.max_width = width + 1.0;
                job.halign = match side {
                    0 => Align::Center,
                    1 => Align::RIGHT,
                    _ => Align::LEFT,
                };
                (ui.painter().layout_job(job), places, *side)
            })
            .collect();
        let height = cells.iter().map(|(galley, ..)| galley.size().y).fold(base.line(), f32::max) + 6.0;
        let (rect, _) = ui.allocate_exact_size(vec2(total, height), Sense::hover());
        let mut x = rect.left();
        for ((galley, places, side), width) in cells.into_iter().zip(&widths) {
            let shift = match side {
                0 => width / 2.0,
                1 => *width,
                _ => 0.0,
            };
            let spot = Rect::from_min_size(pos2(x + PAD, rect.top() + 3.0), vec2(*width, height - 6.0));
            let id = ui.scope_id().with(("cell", index, row_index, x.to_bits()));
            let response = ui.interact(spot, id, Sense::click_and_drag() - Sense::FOCUSABLE);
            response.widget_info(|| WidgetInfo::labeled(Role::Cell, true, galley.text()));
            let origin = spot.translate(vec2(shift, 0.0));
            action = paint_runs(ui, origin, galley, &places, &response, (index, leaf)).or(action);
            x += width + PAD * 2.0;
        }
        paint::bottom_line(ui, rect, if row_index == 0 { p.stroke_default } else { p.stroke_subtle });
    }
    action
}

fn to_f32(count: usize) -> f32 {
    f32::from(u16::try_from(count).unwrap_or(u16::MAX))
}

/// Natural widths where they fit; else every column keeps at least an equal share of what it needs.
fn column_widths(ui: &Ui, table: &Table, columns: usize, base: Text, room: f32) -> Vec<f32> {
    const LEAST: f32 = 40.0;
    let p = theme::palette(ui);
    let mut natural = vec![LEAST; columns];
    for (row_index, row) in table.rows.iter().enumerate() {
        let weight = if row_index == 0 { Weight::Semibold } else { Weight::Regular };
        for (cell, width) in row.iter().zip(natural.iter_mut()) {
            let (mut job, _) = job_of(cell, (base, weight), p);
            job.wrap.max_width = f32::INFINITY;
            *width = width.max(ui.painter().layout_job(job).size().x.ceil());
        }
    }
    let sum: f32 = natural.iter().sum();
    if sum <= room {
        return natural;
    }
    let share = room / to_f32(columns);
    let wide: f32 = natural.iter().filter(|width| **width > share).sum();
    let narrow: f32 = natural.iter().filter(|width| **width <= share).sum();
    let scale = ((room - narrow) / wide.max(1.0)).min(1.0);
    natural.into_iter().map(|width| if width > share { (width * scale).max(LEAST) } else { width }).collect()
}
