//! Where each message of a conversation lies, without laying out those that are not on screen.
//!
//! Heights are kept by message, revision and width; what was never drawn is estimated from its length. The list
//! follows the end only while the user is there, and keeps the text in view in place when anything above changes.

use std::collections::HashMap;
use std::sync::Arc;

use egui::{Rect, ScrollArea, Ui, UiBuilder, pos2, vec2};

use crate::api::snapshot::IndexEntry;
use crate::model::id::MessageId;

/// Space between messages, points.
pub const GAP: f32 = 14.0;
/// Space above the first and below the last message, points. The action bar of the first one lies in it.
pub const EDGE: f32 = 26.0;

/// Heights and scroll position of one conversation.
#[derive(Default)]
pub struct List {
    index: Arc<Vec<IndexEntry>>,
    width: f32,
    rows: Vec<RowHeight>,
    /// Top of each row, and the end of the last.
    tops: Vec<f32>,
    dirty_from: usize,
    follow: bool,
    offset: f32,
    /// The row at the top of the view, and how far it is scrolled past its top.
    anchor: Option<(MessageId, f32)>,
    restore: bool,
    reveal: Option<(usize, u8)>,
    shift: f32,
    pub at_end: bool,
}

#[derive(Clone, Copy)]
struct RowHeight {
    height: f32,
    /// Drawn with the present width and revision.
    exact: bool,
}

impl List {
    /// A list that begins at its end.
    pub fn at_end() -> Self {
        Self { follow: true, at_end: true, ..Self::default() }
    }

    /// Scrolls to the end and follows it.
    pub fn to_end(&mut self) {
        self.follow = true;
        self.reveal = None;
    }

    /// Brings a row into view.
    pub fn reveal(&mut self, place: usize) {
        self.follow = false;
        self.reveal = Some((place, 3));
    }

    /// Takes in the newest index and width.
    pub fn sync(&mut self, index: &Arc<Vec<IndexEntry>>, width: f32) {
        if (self.width - width).abs() > 0.5 {
            self.width = width;
            for row in &mut self.rows {
                row.exact = false;
            }
            self.restore = true;
        }
        if Arc::ptr_eq(&self.index, index) {
            return;
        }
        let old = std::mem::replace(&mut self.index, Arc::clone(index));
        let same = old.iter().zip(index.iter()).take_while(|(a, b)| a.id == b.id).count();
        let rest: HashMap<MessageId, RowHeight> =
            old.iter().zip(&self.rows).skip(same).map(|(entry, row)| (entry.id, *row)).collect();
        self.rows.truncate(same);
        if same < old.len() {
            // Something before the end went or came: keep the text in view where it is.
            self.restore = true;
        }
        let changed = old.iter().zip(index.iter()).take(same).enumerate();
        let mut dirty = same;
        for (place, (before, now)) in changed {
            if before.revision != now.revision
                && let Some(row) = self.rows.get_mut(place)
            {
                row.exact = false;
                dirty = dirty.min(place);
            }
        }
        for entry in index.iter().skip(same) {
            let known = rest.get(&entry.id).copied();
            self.rows.push(known.unwrap_or_else(|| RowHeight { height: estimate(entry, width), exact: false }));
        }
        self.dirty_from = self.dirty_from.min(dirty);
        self.lay();
    }

    fn lay(&mut self) {
        let from = self.dirty_from.min(self.rows.len());
        self.tops.truncate(from + 1);
        if self.tops.is_empty() {
            self.tops.push(EDGE);
        }
        let mut top = self.tops.last().copied().unwrap_or(EDGE);
        for row in self.rows.iter().skip(self.tops.len() - 1) {
            top += row.height + GAP;
            self.tops.push(top);
        }
        self.dirty_from = usize::MAX;
    }

    fn top(&self, place: usize) -> f32 {
        self.tops.get(place).copied().unwrap_or(EDGE)
    }

    fn total(&self) -> f32 {
        self.tops.last().copied().unwrap_or(EDGE) - GAP + EDGE
    }

    fn row_at(&self, y: f32) -> usize {
        self.tops.partition_point(|top| *top <= y).saturating_sub(1).min(self.rows.len().saturating_sub(1))
    }

    /// Draws the visible rows in `column`; `draw` lays a row out from the given rectangle's top and returns its
    /// height.
    pub fn show(&mut self, ui: &mut Ui, column: Rect, salt: i64, mut draw: impl FnMut(&mut Ui, Rect, usize) -> f32) {
        let height = ui.max_rect().height();
        if self.dirty_from != usize::MAX {
            self.lay();
        }
        let end = (self.total() - height).max(0.0);
        let wheel = ui.input(|input| input.smooth_scroll_delta().y);
        let pointed = ui.rect_contains_pointer(ui.max_rect());
        if wheel > 0.0 && pointed {
            self.follow = false;
        }
        let set = self.wanted(end);
        let mut area = ScrollArea::vertical().id_salt(("messages", salt)).auto_shrink(false).animated(false);
        if let Some(offset) = set {
            area = area.vertical_scroll_offset(offset);
        }
        let mut changed = usize::MAX;
        let mut shift = 0.0;
        let anchor_row = self.anchor.and_then(|(id, _)| self.place_of(id));
        let out = area.show_viewport(ui, |ui, viewport| {
            ui.set_height(self.total());
            let origin = ui.max_rect().top();
            if self.rows.is_empty() {
                return;
            }
            let first = self.row_at(viewport.top());
            let mut y = self.top(first);
            for place in first..self.rows.len() {
                if y > viewport.bottom() {
                    break;
                }
                let rect = Rect::from_min_size(pos2(column.left(), origin + y), vec2(column.width(), 4.0));
                let mut child = ui.new_child(
                    UiBuilder::new().max_rect(Rect::from_min_size(rect.min, vec2(column.width(), f32::INFINITY))).id_salt(
                        self.index.get(place).map_or(0, |entry| entry.id.0),
                    ),
                );
                let drawn = draw(&mut child, rect, place);
                if let Some(row) = self.rows.get_mut(place) {
                    let grown = drawn - row.height;
                    if grown.abs() > 0.5 {
                        changed = changed.min(place);
                        if anchor_row.is_some_and(|anchor| place < anchor) {
                            shift += grown;
                        }
                        row.height = drawn;
                    }
                    row.exact = true;
                }
                y += drawn + GAP;
            }
        });
        let offset = out.state.clamped_offset().y;
        self.after(ui, offset, set, changed, shift, height);
        if wheel < 0.0 && pointed && self.at_end {
            self.follow = true;
        }
    }

    /// The offset to set before drawing; `None` leaves it to the user.
    fn wanted(&mut self, end: f32) -> Option<f32> {
        if let Some((place, tries)) = self.reveal {
            self.reveal = (tries > 0).then(|| (place, tries - 1));
            return Some((self.top(place) - 80.0).clamp(0.0, end.max(0.0)));
        }
        if self.follow {
            self.restore = false;
            self.shift = 0.0;
            return Some(end);
        }
        let mut set = None;
        if std::mem::take(&mut self.restore)
            && let Some((id, past)) = self.anchor
            && let Some(place) = self.place_of(id)
        {
            set = Some((self.top(place) + past).clamp(0.0, end));
        }
        if self.shift.abs() > 0.5 {
            set = Some((set.unwrap_or(self.offset) + self.shift).clamp(0.0, end));
        }
        self.shift = 0.0;
        set
    }

    fn after(&mut self, ui: &Ui, offset: f32, set: Option<f32>, changed: usize, shift: f32, height: f32) {
        // Moved by the scroll bar although the end was set: the user let go of it.
        if self.follow && set.is_some_and(|set| offset < set - 1.0) {
            self.follow = false;
        }
        self.offset = offset;
        if changed != usize::MAX {
            self.dirty_from = self.dirty_from.min(changed);
            self.lay();
            if self.follow || shift.abs() > 0.5 || self.reveal.is_some() {
                self.shift = shift;
                ui.ctx().request_discard("messages changed their height");
                ui.ctx().request_repaint();
            }
        } else if self.reveal.is_some() {
            ui.ctx().request_repaint();
        }
        let end = (self.total() - height).max(0.0);
        self.at_end = offset >= end - 2.0 || self.follow;
        let first = self.row_at(offset);
        self.anchor = self.index.get(first).map(|entry| (entry.id, offset - self.top(first)));
    }

    fn place_of(&self, id: MessageId) -> Option<usize> {
        // The anchor is near where it was: ids grow with places, but deletions and edits may break that.
        self.index
            .binary_search_by_key(&id, |entry| entry.id)
            .ok()
            .or_else(|| self.index.iter().position(|entry| entry.id == id))
    }
}

/// A first guess at a message's height, points.
fn estimate(entry: &IndexEntry, width: f32) -> f32 {
    const LETTER: f32 = 7.0;
    const LINE: f32 = 22.0;
    #[expect(clippy::cast_precision_loss, reason = "a guess")]
    let lines = (entry.chars as f32 * LETTER / (width - 40.0).max(80.0)).ceil().max(1.0);
    let head = if entry.by_user { 16.0 } else { 28.0 };
    head + lines * LINE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(ids: &[i64]) -> Arc<Vec<IndexEntry>> {
        let entry = |id: &i64| IndexEntry { id: MessageId(*id), revision: 1, chars: 100, by_user: false };
        Arc::new(ids.iter().map(entry).collect())
    }

    #[test]
    fn heights_survive_additions_and_deletions() {
        let mut list = List::default();
        list.sync(&index(&[1, 2, 3]), 800.0);
        list.rows[2].height = 500.0;
        list.dirty_from = 2;
        list.lay();
        list.sync(&index(&[1, 3, 4]), 800.0);
        assert!((list.rows[1].height - 500.0).abs() < 0.1);
        assert_eq!(list.tops.len(), 4);
        assert!((list.top(2) - (list.top(1) + 500.0 + GAP)).abs() < 0.1);
    }

    #[test]
    fn a_row_is_found_by_its_height() {
        let mut list = List::default();
        list.sync(&index(&[1, 2, 3, 4]), 800.0);
        for place in 0..4 {
            assert_eq!(list.row_at(list.top(place) + 1.0), place);
        }
        assert_eq!(list.row_at(-50.0), 0);
        assert_eq!(list.row_at(1.0e9), 3);
    }
}
