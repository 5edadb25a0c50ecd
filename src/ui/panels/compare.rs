//! Two conversations side by side: a branch and its parent, or two branches.
//!
//! Each column is a desk of its own; both begin with the message they part at (`align`). They scroll alone or
//! together, their final answers can be laid beside each other (`answers`, `diff`), and one composer can write to both
//! (`both`). What is typed in a column moves with its conversation when the comparison is opened and closed.

pub mod align;
mod answers;
mod both;
mod diff;
mod head;

use std::collections::BTreeMap;

use egui::{Id, Rect, Stroke, Ui, pos2};

use crate::api::snapshot::Snapshot;
use crate::model::id::{ConversationId, MessageId};
use crate::ui::cx::{DeskAt, UiCx};
use crate::ui::lineage;
use crate::ui::panels::composer;
use crate::ui::panels::desk::{Desk, Without, region};
use crate::ui::route::Route;
use crate::ui::theme::{self, Text};
use crate::ui::view_state::Shelf;

use align::Start;
use answers::Answers;
use both::Both;

/// Narrowest column, points.
pub const COLUMN_MIN: f32 = 340.0;
/// Width of a column below which the sidebar gives way to a third one, points.
pub const COLUMN_GOOD: f32 = 400.0;

/// The sides, in their order.
const SIDES: [DeskAt; 2] = [DeskAt::Left, DeskAt::Right];

/// View state of the comparisons.
#[derive(Default)]
pub struct Compare {
    pub left: Desk,
    pub right: Desk,
    /// Where the keyboard's commands go while one is shown.
    pub at: DeskAt,
    /// What is compared, by main conversation.
    open: BTreeMap<ConversationId, [ConversationId; 2]>,
    linked: bool,
    /// One side is to be brought to where the other one is.
    relink: bool,
    pub answers: Answers,
    both: Both,
    /// Sides that are still to be brought to their start.
    unaligned: [bool; 2],
    /// The composer that takes the keyboard when it is drawn.
    fresh: bool,
    /// The main conversation has a column of its own.
    pub beside_main: bool,
    /// What had the keyboard in the frame before.
    focused: Option<Id>,
}

/// How the centre is shared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// The main conversation, when there is room and it is wanted.
    pub main: Option<Rect>,
    pub columns: Rect,
}

impl Compare {
    /// Shows two conversations of one main conversation; an ancestor stands left. The keyboard goes to the first.
    pub fn open(&mut self, snap: &Snapshot, root: ConversationId, pair: [ConversationId; 2]) {
        let ordered = align::ordered(snap, pair);
        if self.open.insert(root, ordered) != Some(ordered) {
            self.unaligned = [true, true];
        }
        let [left, _] = ordered;
        self.at = if pair.first() == Some(&left) { DeskAt::Left } else { DeskAt::Right };
        self.fresh = true;
    }

    /// Closes the comparison of a main conversation. `false` when there is none.
    pub fn close(&mut self, root: ConversationId) -> bool {
        self.answers.on = false;
        self.open.remove(&root).is_some()
    }

    /// What is compared at a place of the window; nothing when both sides are gone, or one hangs elsewhere.
    #[must_use]
    pub fn shown(&self, snap: &Snapshot, route: &Route) -> Option<[ConversationId; 2]> {
        let Route::Chat { conversation } = route else { return None };
        let pair = *self.open.get(conversation)?;
        let there = |id: &ConversationId| lineage::row(snap, *id).is_some();
        let fits = |id: &ConversationId| {
            !there(id) || id == conversation || lineage::root(snap, *id) == Some(*conversation)
        };
        (pair.iter().any(there) && pair.iter().all(fits)).then_some(pair)
    }

    /// Shows what was compared when the window was closed; the keyboard stays where it is.
    pub fn restore(&mut self, root: ConversationId, pair: [ConversationId; 2]) {
        self.open.insert(root, pair);
        self.unaligned = [true, true];
        self.at = DeskAt::Left;
    }

    /// Adds what is compared to what is remembered of the drawer.
    pub fn keep(&self, shelves: &mut Vec<Shelf>) {
        for (root, pair) in &self.open {
            match shelves.iter_mut().find(|shelf| shelf.root == *root) {
                Some(shelf) => shelf.compared = Some(*pair),
                None => shelves.push(Shelf {
                    root: *root,
                    tabs: Vec::new(),
                    at: None,
                    open: false,
                    compared: Some(*pair),
                }),
            }
        }
    }

    /// Switches scrolling together on or off.
    pub fn toggle_linked(&mut self) {
        self.linked = !self.linked;
        self.relink = self.linked;
    }

    /// Shows or hides the one field for both sides, which takes the keyboard.
    pub fn toggle_both(&mut self) {
        self.both.on = !self.both.on;
        self.fresh = true;
    }

    /// Moves the keyboard's commands and the keyboard to a side.
    pub fn go_to(&mut self, side: DeskAt) {
        self.at = side;
        self.fresh = side != DeskAt::Main;
    }

    pub fn desk(&mut self, side: DeskAt) -> &mut Desk {
        if side == DeskAt::Right { &mut self.right } else { &mut self.left }
    }

    /// The field that takes what is typed on a side.
    #[must_use]
    pub fn field(&self, side: DeskAt) -> Id {
        if self.both.on && side != DeskAt::Main { both::field_id() } else { composer::field_id(side) }
    }

    /// What stands at the bottom of the columns, points high.
    #[must_use]
    pub fn foot(&self) -> f32 {
        let shared = if self.both.on { self.both.height } else { 0.0 };
        self.left.foot.max(self.right.foot) + shared
    }

    /// Sides are other than in the frame before: what is typed goes along. `main` and `drawer` have it otherwise.
    pub fn hand_over_drafts(
        &mut self,
        snap: &Snapshot,
        main: &mut Desk,
        drawer: &mut Desk,
        pair: Option<[ConversationId; 2]>,
    ) {
        for desk in [&mut self.left, &mut self.right] {
            for id in desk.composer.conversations() {
                let branch = lineage::row(snap, id).is_some_and(|row| row.conversation.branch.is_some());
                let to = if branch { &mut *drawer } else { &mut *main };
                to.composer.take_from(&mut desk.composer, id);
            }
        }
        for (side, id) in SIDES.into_iter().zip(pair.into_iter().flatten()) {
            let desk = self.desk(side);
            desk.composer.take_from(&mut main.composer, id);
            desk.composer.take_from(&mut drawer.composer, id);
        }
        self.answers.forget();
    }

    /// Esc: closes the differences. `false` when they are not shown.
    pub fn escape(&mut self) -> bool {
        std::mem::take(&mut self.answers.on)
    }

    /// How the centre is shared; `beside` asks for the main conversation as a third column.
    #[must_use]
    pub fn split(centre: Rect, beside: bool) -> Split {
        let third = (centre.width() / 3.0).round();
        if !beside || third < COLUMN_MIN {
            return Split { main: None, columns: centre };
        }
        let at = centre.left() + third;
        Split {
            main: Some(Rect::from_min_max(centre.min, pos2(at, centre.bottom()))),
            columns: Rect::from_min_max(pos2(at, centre.top()), centre.max),
        }
    }

    /// Draws bar, columns and what stands between them.
    pub fn show(&mut self, cx: &UiCx<'_>, ui: &mut Ui, rect: Rect) {
        let Some(pair) = cx.compared else { return };
        let p = theme::palette(ui);
        let starts = align::starts(cx.snap, pair);
        ui.painter().rect_filled(rect, 0.0, p.bg_canvas);
        let mut inside = region(ui, rect, "compare");
        let ui = &mut inside;
        ui.spacing_mut().item_spacing.y = 0.0;
        let bar = Rect::from_min_size(rect.min, egui::vec2(rect.width(), theme::sizes().row.head));
        head::bar(cx, ui, bar, self.switches());
        let mut rest = Rect::from_min_max(pos2(rect.left(), bar.bottom()), rect.max);
        let single = rest.width() < COLUMN_MIN * 2.0;
        if single {
            rest.min.y += self.tabs(cx, ui, rest, pair);
        }
        if self.both.on {
            let height = self.both.show(cx, ui, rest, pair);
            rest.max.y = (rest.max.y - height).max(rest.min.y + 80.0);
        }
        let foot_top = self.columns(cx, ui, rest, (pair, &starts), single);
        if self.answers.on {
            let top = rest.top() + if single { head::FACTS } else { head::HEIGHT };
            let area = Rect::from_min_max(pos2(rest.left(), top), pos2(rest.right(), foot_top));
            self.answers.show(cx, ui, area, pair, single);
        }
        if !single {
            let stroke = Stroke::new(1.0, p.stroke_subtle);
            let middle = rest.left() + (rest.width() / 2.0).round();
            ui.painter().vline(middle + 0.5, rest.y_range(), stroke);
        }
        self.follow(ui, rect, rest, single);
        // Beside the sidebar stands the sidebar's own edge.
        if self.beside_main {
            ui.painter().vline(rect.left() + 0.5, rect.y_range(), Stroke::new(1.0, p.stroke_subtle));
        }
    }

    fn switches(&self) -> head::Switches {
        head::Switches { linked: self.linked, answers: self.answers.on, both: self.both.on }
    }

    /// Both columns, or the one that is in front; returns the top of what stands below the messages.
    fn columns(
        &mut self,
        cx: &UiCx<'_>,
        ui: &mut Ui,
        rest: Rect,
        (pair, starts): ([ConversationId; 2], &[Start; 2]),
        single: bool,
    ) -> f32 {
        let half = (rest.width() / 2.0).round();
        let middle = rest.left() + half;
        let mut foot_top = rest.bottom();
        let mut anchors = [None, None];
        for (place, side) in SIDES.into_iter().enumerate() {
            let (Some(id), Some(start)) = (pair.get(place), starts.get(place)) else { continue };
            if single && side != self.front() {
                continue;
            }
            let rect = match (single, side) {
                (true, _) => rest,
                (false, DeskAt::Left) => Rect::from_min_max(rest.min, pos2(middle, rest.bottom())),
                (false, _) => Rect::from_min_max(pos2(middle, rest.top()), rest.max),
            };
            let anchor = self.column(cx, ui, rect, (side, *id, *start), single);
            if let Some(slot) = anchors.get_mut(place) {
                *slot = anchor;
            }
            foot_top = foot_top.min(rest.bottom() - self.desk(side).foot);
        }
        if !single {
            self.link(ui, pair, anchors);
        }
        foot_top
    }

    /// The side in front where there is room for one.
    fn front(&self) -> DeskAt {
        if self.at == DeskAt::Right { DeskAt::Right } else { DeskAt::Left }
    }

    /// One column; returns the message by which it is aligned.
    fn column(
        &mut self,
        cx: &UiCx<'_>,
        ui: &mut Ui,
        rect: Rect,
        (side, id, start): (DeskAt, ConversationId, Start),
        single: bool,
    ) -> Option<MessageId> {
        let route = Route::Chat { conversation: id };
        let side_cx = cx.for_desk(side, &route);
        let name = if side == DeskAt::Left { "left column" } else { "right column" };
        let mut inside = region(ui, rect, name);
        let mut area = rect;
        let row = lineage::row(cx.snap, id);
        if !single {
            let manner = head::Manner { active: self.at == side, stop: self.both.on };
            area.min.y += head::column(&side_cx, &mut inside, rect, (id, start), manner);
        } else if let Some(row) = row {
            let line = Rect::from_min_size(rect.min, egui::vec2(rect.width(), head::FACTS));
            head::facts(&side_cx, &mut inside, line.translate(egui::vec2(0.0, 3.0)), row, start);
            area.min.y = line.bottom();
        }
        if row.is_none() {
            gone(&mut inside, area);
            return None;
        }
        let without = Without { messages: self.answers.on, composer: self.both.on };
        let place = usize::from(side == DeskAt::Right);
        let aligned = std::mem::take(self.unaligned.get_mut(place)?);
        let take_keyboard = self.fresh && self.at == side && !cx.covered;
        let desk = self.desk(side);
        desk.without = without;
        desk.conversation.inherited = start.inherited;
        let view = side_cx.view().filter(|view| !view.loading);
        let first = || view.and_then(|view| Some(view.index.first()?.id));
        let anchor = start.message.or_else(first);
        let waits = aligned && (view.is_none() || side_cx.view().is_none());
        if let Some(message) = anchor.filter(|_| aligned && !waits) {
            desk.conversation.align(id, message, 0.0);
        }
        desk.show(&side_cx, &mut inside, area);
        let failed = view.is_some_and(|view| view.error.is_some());
        if failed {
            head::try_again(cx, &mut inside, area, id);
        }
        side_cx.hand_over(cx);
        if let Some(slot) = self.unaligned.get_mut(place) {
            *slot = waits;
        }
        if take_keyboard && (view.is_some() || side_cx.read_only) {
            self.fresh = false;
            if self.both.on || !side_cx.read_only {
                let field = self.field(side);
                inside.memory_mut(|memory| memory.request_focus(field));
            }
        }
        anchor
    }

    /// Brings the side that was not scrolled to where the other one is.
    fn link(&mut self, ui: &Ui, pair: [ConversationId; 2], anchors: [Option<MessageId>; 2]) {
        if !self.linked {
            return;
        }
        let ([left, right], [Some(x), Some(y)]) = (pair, anchors) else { return };
        let relink = std::mem::take(&mut self.relink);
        let (here, there) = (&mut self.left.conversation, &mut self.right.conversation);
        if here.scrolled || (relink && self.at != DeskAt::Right) {
            if let Some(below) = here.below(left, x) {
                there.align(right, y, below);
            }
        } else if (there.scrolled || relink)
            && let Some(below) = there.below(right, y)
        {
            here.align(left, x, below);
        } else {
            return;
        }
        ui.ctx().request_repaint();
    }

    /// Two tabs where there is room for one column; returns their height.
    fn tabs(&mut self, cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, pair: [ConversationId; 2]) -> f32 {
        let height = theme::sizes().row.subhead;
        let line = Rect::from_min_size(rect.min, egui::vec2(rect.width(), height));
        if let Some(side) = head::tabs(cx, ui, line, pair, self.front()) {
            self.go_to(side);
        }
        height
    }

    /// Where the user clicked last, or writes, is where commands go.
    fn follow(&mut self, ui: &Ui, all: Rect, rest: Rect, single: bool) {
        // Only a keyboard that has just come tells something: it may stay behind in a field the user has left.
        let focused = ui.memory(egui::Memory::focused);
        let came = focused.filter(|_| self.focused != focused);
        self.focused = focused;
        let pressed =
            ui.input(|input| input.pointer.any_pressed().then(|| input.pointer.interact_pos()).flatten());
        if let Some(at) = pressed {
            if rest.contains(at) && !single {
                self.at = if at.x < rest.center().x { DeskAt::Left } else { DeskAt::Right };
            } else if at.x < all.left() && self.beside_main {
                self.at = DeskAt::Main;
            }
            return;
        }
        let sides = [DeskAt::Main, DeskAt::Left, DeskAt::Right];
        let drawn = |side: &DeskAt| *side != DeskAt::Main || self.beside_main;
        let has = |side: &DeskAt| drawn(side) && came == Some(composer::field_id(*side));
        if let Some(side) = sides.into_iter().find(has) {
            self.at = side;
        }
    }
}

/// In place of a conversation that was deleted while it was compared.
fn gone(ui: &mut Ui, area: Rect) {
    let p = theme::palette(ui);
    let inside = area.shrink2(egui::vec2(theme::sizes().space.s9, theme::sizes().space.s10));
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(inside).id_salt("gone"));
    let text = "This conversation was deleted. It comes back here when the deletion is undone.";
    child.add(egui::Label::new(Text::Ui.rich(text, p.text_3)).wrap());
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::vec2;

    #[test]
    fn the_centre_is_shared_by_the_room_there_is() {
        // Centre, main wanted; main and columns.
        let cases = [
            (1232.0, true, Some(411.0), 821.0),
            (1232.0, false, None, 1232.0),
            (852.0, true, None, 852.0),
            (592.0, true, None, 592.0),
        ];
        for (centre, wanted, main, columns) in cases {
            let split = Compare::split(Rect::from_min_size(pos2(48.0, 0.0), vec2(centre, 700.0)), wanted);
            assert_eq!((split.main.map(|rect| rect.width()), split.columns.width()), (main, columns));
        }
    }

    #[test]
    fn a_comparison_belongs_to_its_main_conversation() {
        let snap = crate::ui::testing::snapshot("branch-drawer");
        use crate::ui::testing::branches::{PKCE, REDIS};
        use crate::ui::testing::{SHOWN, branches};
        let mut compare = Compare::default();
        compare.open(&snap, SHOWN, [PKCE, SHOWN]);
        let here = Route::Chat { conversation: SHOWN };
        assert_eq!(compare.shown(&snap, &here), Some([SHOWN, PKCE]), "the parent stands left");
        assert_eq!(compare.at, DeskAt::Right, "and the branch keeps the keyboard");
        assert_eq!(compare.shown(&snap, &Route::Chat { conversation: ConversationId(12) }), None);
        compare.open(&snap, SHOWN, [PKCE, REDIS]);
        let mut less = snap.clone();
        branches::remove(&mut less, &[PKCE]);
        assert!(compare.shown(&less, &here).is_some(), "one side is left");
        branches::remove(&mut less, &[REDIS]);
        assert_eq!(compare.shown(&less, &here), None);
        assert!(compare.close(SHOWN) && !compare.close(SHOWN));
    }
}
