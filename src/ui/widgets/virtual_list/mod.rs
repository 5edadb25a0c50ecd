//! A list of rows of any height of which only the visible ones are laid out.
//!
//! Never here: what a row shows. Rows are known by a key that stays and a revision that changes with their content.
//! Start at [`VirtualList::show`].

mod heights;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;

use egui::scroll_area::State;
use egui::{Id, Key, Rect, ScrollArea, Ui, UiBuilder, pos2, vec2};

pub use heights::Heights;

/// The rows of a list, by index.
pub trait RowSource {
    /// Number of rows.
    fn len(&self) -> usize;
    /// Key and revision of a row; the key is unique in the list.
    fn row(&self, index: usize) -> (u64, u64);
    /// Height in points of a row that was never laid out, for a width in points. A guess from its length will do.
    fn estimate(&self, index: usize, width: f32) -> f32;
    /// Grows when rows are added, removed or reordered; revisions of single rows need not change it.
    fn version(&self) -> u64;
    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Height of a row for many chars: `chars` of about 7 points each in lines of `line` points, plus `fixed`.
#[must_use]
pub fn estimate_text(chars: usize, width: f32, line: f32, fixed: f32) -> f32 {
    const CHAR: f32 = 7.0;
    #[expect(clippy::cast_precision_loss, reason = "a guess")]
    let lines = ((chars as f32 * CHAR) / width.max(CHAR)).ceil().max(1.0);
    lines * line + fixed
}

/// What a frame of the list reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListOutput {
    /// The newest row's end is in view; show the pill that leads there when it is not.
    pub at_bottom: bool,
    /// Rows that were laid out.
    pub visible: Range<usize>,
    /// Where the list is drawn.
    pub rect: Option<Rect>,
    /// The user scrolled in this frame.
    pub scrolled: bool,
}

/// A place that stays still while other rows change: a row's key and how far its top lies above the view's top.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Anchor {
    key: u64,
    index: usize,
    above: f32,
}

/// State of one list; keep it with the conversation.
#[derive(Default)]
pub struct VirtualList {
    heights: Heights,
    measured: HashMap<u64, (u64, f32)>,
    keys: Vec<u64>,
    version: Option<u64>,
    width: f32,
    anchor: Option<Anchor>,
    follow: bool,
    opened: bool,
    offset: f32,
    jump: Option<Jump>,
    /// The row up to which the view can be scrolled though nothing fills it.
    reach: Option<Anchor>,
    /// Keys scrolled it in this frame.
    paged: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Jump {
    Bottom,
    Row(u64),
    /// The view's top so many points below the top of a row.
    At(u64, f32),
}

/// Rows laid out beyond the view on both sides, points.
const OVERSCAN: f32 = 120.0;
/// Closer to the end than this counts as the end, points.
const NEAR_END: f32 = 2.0;
/// How often a frame lays out again when measured heights move the view.
const PASSES: u8 = 3;

impl VirtualList {
    /// A list that opens at its end and follows new rows.
    #[must_use]
    pub fn at_bottom() -> Self {
        Self { follow: true, ..Self::default() }
    }

    /// Goes to the end and follows from there.
    pub fn scroll_to_bottom(&mut self) {
        self.jump = Some(Jump::Bottom);
    }

    /// Brings a row to the upper part of the view; unknown keys do nothing.
    pub fn scroll_to(&mut self, key: u64) {
        self.jump = Some(Jump::Row(key));
    }

    /// Brings the view's top `below` points below the top of a row, as far as the ends allow; unknown keys do nothing.
    pub fn scroll_below(&mut self, key: u64, below: f32) {
        self.jump = Some(Jump::At(key, below));
    }

    /// Leaves room below the last row, so that the view's top can lie `below` points below the top of this row.
    pub fn reach(&mut self, row: Option<(u64, f32)>) {
        let held = self.reach.map(|reach| (reach.key, reach.above));
        if held != row {
            self.reach = row.map(|(key, above)| Anchor { key, index: 0, above });
        }
    }

    /// How far the view's top lies below the top of a row, points; `None` = there is no such row.
    #[must_use]
    pub fn below(&self, key: u64) -> Option<f32> {
        let index = self.keys.iter().position(|known| *known == key)?;
        Some(self.offset - self.heights.top(index))
    }

    /// Whether the list keeps its end in view.
    #[must_use]
    pub fn follows(&self) -> bool {
        self.follow
    }

    /// Forgets all measured heights, after a change of fonts or zoom.
    pub fn forget_heights(&mut self) {
        self.measured.clear();
        self.version = None;
    }

    /// Draws the rows in view. `draw` gets the row's index in a `ui` as wide as the list, with a stable id.
    ///
    /// `salt` makes the list unique. Rows have no gap between them; they bring their own.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        salt: impl std::hash::Hash + std::fmt::Debug,
        rows: &dyn RowSource,
        mut draw: impl FnMut(&mut Ui, usize),
    ) -> ListOutput {
        let id = ui.make_persistent_id(&salt);
        let width = ui.available_width();
        self.sync(rows, width);
        self.reach = self.reach.map(|reach| self.find(reach).unwrap_or(reach));
        let view_height = ui.available_height();
        self.place(rows, view_height);
        self.read_keys(ui, view_height);

        // A height that was guessed too large would look like pulling past the end: the spring would throw the list
        // upwards, and that would be taken for the reader's own scrolling.
        ui.spacing_mut().scroll.kinetic.rubber_band = false;
        let area = ScrollArea::vertical()
            .id_salt(&salt)
            .auto_shrink(false)
            .animated(false)
            .vertical_scroll_offset(self.offset);
        let (asked, paged) = (self.offset, std::mem::take(&mut self.paged));
        let mut visible = 0..0;
        let shown = area.show_viewport(ui, |ui, viewport| {
            visible = self.draw_rows(ui, id, rows, viewport, &mut draw);
        });
        let moved = self.after(ui, &shown.state, asked, shown.inner_rect);
        ListOutput {
            scrolled: moved || paged,
            at_bottom: self.is_at_bottom(shown.inner_rect.height()),
            visible,
            rect: Some(shown.inner_rect),
        }
    }

    /// Takes over new, changed and removed rows; keeps measured heights by key and revision.
    fn sync(&mut self, rows: &dyn RowSource, width: f32) {
        let resized = (self.width - width).abs() > 0.5;
        if resized {
            self.measured.clear();
            self.width = width;
        }
        let count = rows.len();
        if !resized && self.version == Some(rows.version()) && self.keys.len() == count {
            return;
        }
        let appended = !resized && self.version.is_some() && count >= self.keys.len() && self.is_prefix(rows);
        self.version = Some(rows.version());
        let from = if appended { self.keys.len() } else { 0 };
        if !appended {
            self.keys.clear();
            self.heights.clear();
        }
        for index in from..count {
            let (key, revision) = rows.row(index);
            self.keys.push(key);
            let height = match self.measured.get(&key) {
                Some((known, height)) if *known == revision => *height,
                // A changed row is nearer to its old height than to a guess.
                Some((_, height)) => *height,
                None => rows.estimate(index, width),
            };
            self.heights.push(height);
        }
        if !appended {
            self.heights.rebuild();
            self.anchor = self.anchor.and_then(|anchor| self.find(anchor));
        }
    }

    /// Whether the known keys are still the first ones; ends, middle and the anchor are compared.
    fn is_prefix(&self, rows: &dyn RowSource) -> bool {
        let last = self.keys.len().saturating_sub(1);
        let probes = [0, last / 2, last, self.anchor.map_or(0, |anchor| anchor.index)];
        probes.iter().all(|index| self.keys.get(*index).is_none_or(|key| rows.row(*index).0 == *key))
    }

    fn find(&self, anchor: Anchor) -> Option<Anchor> {
        if self.keys.get(anchor.index) == Some(&anchor.key) {
            return Some(anchor);
        }
        let index = self.keys.iter().position(|key| *key == anchor.key)?;
        Some(Anchor { index, ..anchor })
    }

    /// Decides the offset before drawing: a jump, the end, or the anchor's place.
    fn place(&mut self, rows: &dyn RowSource, view_height: f32) {
        match self.jump.take() {
            Some(Jump::Bottom) => self.follow = true,
            Some(Jump::Row(key)) => {
                if let Some(index) = (0..rows.len()).find(|index| rows.row(*index).0 == key) {
                    self.follow = false;
                    self.anchor = Some(Anchor { key, index, above: -view_height / 8.0 });
                }
            }
            Some(Jump::At(key, below)) => {
                if let Some(index) = (0..rows.len()).find(|index| rows.row(*index).0 == key) {
                    self.follow = false;
                    if below.abs() < OVERSCAN {
                        self.anchor = Some(Anchor { key, index, above: below });
                    } else {
                        // Rows between may still change their height; the place in view must not.
                        let end = self.end_offset(view_height);
                        self.anchor_at((self.heights.top(index) + below).clamp(0.0, end));
                    }
                }
            }
            None => {}
        }
        let end = self.end_offset(view_height);
        if self.follow {
            self.offset = end;
        } else if let Some(anchor) = self.anchor {
            self.offset = (self.heights.top(anchor.index) + anchor.above).clamp(0.0, end);
        }
        self.opened = true;
    }

    fn end_offset(&self, view_height: f32) -> f32 {
        let end = (self.heights.total() - view_height).max(0.0);
        match self.reach {
            Some(Anchor { key, index, above }) if self.keys.get(index) == Some(&key) => {
                end.max(self.heights.top(index) + above)
            }
            _ => end,
        }
    }

    /// Scrolling by keys while nothing else has the focus.
    fn read_keys(&mut self, ui: &Ui, view_height: f32) {
        if ui.memory(|memory| memory.focused().is_some()) || !ui.rect_contains_pointer(ui.max_rect()) {
            return;
        }
        let pressed = |key| ui.input(|input| input.key_pressed(key) && input.modifiers.is_none());
        let page = view_height * 0.9;
        let moves =
            [(Key::PageUp, -page), (Key::PageDown, page), (Key::Home, f32::MIN), (Key::End, f32::MAX)];
        for (key, by) in moves {
            if pressed(key) {
                self.offset = (self.offset + by).clamp(0.0, self.end_offset(view_height));
                self.follow = key == Key::End;
                self.anchor_at(self.offset);
                self.paged = true;
            }
        }
    }

    /// Draws the rows of the view; measured heights move later rows only, never what stands above the anchor.
    fn draw_rows(
        &mut self,
        ui: &mut Ui,
        id: Id,
        rows: &dyn RowSource,
        viewport: Rect,
        draw: &mut impl FnMut(&mut Ui, usize),
    ) -> Range<usize> {
        let origin = ui.max_rect().min;
        let width = ui.max_rect().width();
        // Rows whose height is only guessed are measured out of sight first, so that what is then drawn stands still.
        for _ in 0..PASSES {
            let range =
                self.heights.range(self.offset - OVERSCAN, self.offset + viewport.height() + OVERSCAN);
            if !self.measure_unknown(ui, id, rows, range, draw) {
                break;
            }
            self.place(rows, viewport.height());
        }
        let range = self.heights.range(self.offset - OVERSCAN, self.offset + viewport.height() + OVERSCAN);
        // The scroll area draws at the offset it was given; rows are shifted to where they should be instead.
        let shift = viewport.min.y - self.offset;
        let mut top = self.heights.top(range.start);
        for index in range.clone() {
            let (key, revision) = rows.row(index);
            let rect = Rect::from_min_size(origin + vec2(0.0, top + shift), vec2(width, f32::INFINITY));
            let height = draw_row(ui, id, key, index, rect, draw);
            self.measured.insert(key, (revision, height));
            self.heights.set(index, height);
            top += height;
        }
        let bottom = self.heights.total().max(self.end_offset(viewport.height()) + viewport.height());
        let bottom = pos2(origin.x + width, origin.y + bottom);
        ui.expand_to_include_rect(Rect::from_min_max(origin, bottom));
        range
    }

    /// Lays out rows of the range that were never measured, invisibly; true if a height changed.
    fn measure_unknown(
        &mut self,
        ui: &mut Ui,
        id: Id,
        rows: &dyn RowSource,
        range: Range<usize>,
        draw: &mut impl FnMut(&mut Ui, usize),
    ) -> bool {
        let mut changed = false;
        let width = ui.max_rect().width();
        for index in range {
            let (key, revision) = rows.row(index);
            if self.measured.contains_key(&key) {
                continue;
            }
            let rect = Rect::from_min_size(pos2(0.0, -1.0e5), vec2(width, f32::INFINITY));
            let mut hidden = ui.new_child(
                UiBuilder::new().max_rect(rect).id_salt((id, "measure", key)).sizing_pass().invisible(),
            );
            hidden.set_width(width);
            draw(&mut hidden, index);
            let height = hidden.min_rect().height();
            changed |= (height - self.heights.get(index)).abs() > 0.5;
            self.measured.insert(key, (revision, height));
            self.heights.set(index, height);
        }
        changed
    }

    /// Reads what the user scrolled and moves the anchor there.
    fn after(&mut self, ui: &Ui, state: &State, asked: f32, view: Rect) -> bool {
        let end = self.end_offset(view.height());
        // Rows that turned out shorter pull the offset back by themselves; only what goes beyond that is scrolling.
        let moved = state.unclamped_offset().y - asked.min(end);
        if moved.abs() > 0.5 {
            self.offset = (self.offset.min(end) + moved).clamp(0.0, end);
            self.follow = moved > 0.0 && end - self.offset < NEAR_END;
            self.anchor_at(self.offset);
            ui.ctx().request_repaint();
            true
        } else {
            if self.follow && (end - self.offset).abs() > 0.5 {
                ui.ctx().request_repaint();
            }
            if self.anchor.is_none() || self.follow {
                self.anchor_at(self.offset);
            }
            false
        }
    }

    fn anchor_at(&mut self, offset: f32) {
        let index = self.heights.at(offset);
        let above = offset - self.heights.top(index);
        self.anchor = self.keys.get(index).map(|key| Anchor { key: *key, index, above });
    }

    fn is_at_bottom(&self, view_height: f32) -> bool {
        self.end_offset(view_height) - self.offset < NEAR_END
    }
}

fn draw_row(
    ui: &mut Ui,
    id: Id,
    key: u64,
    index: usize,
    rect: Rect,
    draw: &mut impl FnMut(&mut Ui, usize),
) -> f32 {
    let mut row = ui.new_child(UiBuilder::new().max_rect(rect).id_salt((id, key)));
    row.set_width(rect.width());
    draw(&mut row, index);
    row.min_rect().height()
}
