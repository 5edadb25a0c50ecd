//! Branches beside the conversation they start from: a desk of its own at the right, one tab per open branch.
//!
//! It covers a part of the centre, as wide as the user drew it, or shares the centre half and half while it is pinned.

mod head;

use std::collections::BTreeMap;

use egui::{Rect, Sense, Stroke, Ui, pos2};

use crate::api::command::BranchCommand;
use crate::api::snapshot::Snapshot;
use crate::model::id::ConversationId;
use crate::ui::cx::{DeskAt, UiCx};
use crate::ui::lineage;
use crate::ui::panels::composer;
use crate::ui::panels::desk::{Desk, region};
use crate::ui::route::Route;
use crate::ui::theme;
use crate::ui::view_state;

/// Narrowest drawer, points.
pub const WIDTH_MIN: f32 = 360.0;
/// Narrowest conversation beside it; with less it lies over the conversation, points.
const MAIN_MIN: f32 = 340.0;
/// Widest drawer as a share of the centre.
const SHARE_MAX: f32 = 0.6;
/// A branch that has not come is asked for again after so long, seconds.
const ASK_AGAIN_S: f64 = 2.0;
/// Most tabs of one conversation.
const TABS_MAX: usize = 8;

/// View state of the drawer.
#[derive(Default)]
pub struct Drawer {
    pub desk: Desk,
    pub pinned: bool,
    /// Width while it is not pinned, points.
    pub width: f32,
    /// The keyboard's commands go to the branch and not to the conversation beside it.
    pub active: bool,
    /// What is open beside each main conversation.
    shelves: BTreeMap<ConversationId, Shelf>,
    asked: Option<(ConversationId, f64)>,
    /// Its composer takes the keyboard when it is drawn.
    fresh: bool,
    /// What had the keyboard in the frame before.
    focused: Option<egui::Id>,
}

/// The branches open beside one main conversation.
#[derive(Default)]
struct Shelf {
    tabs: Vec<ConversationId>,
    at: Option<ConversationId>,
    open: bool,
}

/// How the centre is shared.
pub struct Split {
    /// The conversation.
    pub main: Rect,
    /// What is seen of it.
    pub main_seen: Rect,
    pub drawer: Rect,
}

impl Drawer {
    /// Opens a branch as a tab beside its main conversation, or brings its tab to the front.
    pub fn open(&mut self, root: ConversationId, branch: ConversationId) {
        let shelf = self.shelves.entry(root).or_default();
        if !shelf.tabs.contains(&branch) {
            if shelf.tabs.len() >= TABS_MAX {
                shelf.tabs.remove(0);
            }
            shelf.tabs.push(branch);
        }
        shelf.at = Some(branch);
        shelf.open = true;
        self.active = true;
        self.fresh = true;
    }

    /// Opens what was open when the window was closed; the keyboard stays where it is.
    pub fn restore(&mut self, kept: &view_state::Shelf) {
        let tabs: Vec<ConversationId> = kept.tabs.iter().copied().take(TABS_MAX).collect();
        let at = kept.at.filter(|at| tabs.contains(at)).or(tabs.first().copied());
        let open = kept.open && at.is_some();
        self.shelves.insert(kept.root, Shelf { tabs, at, open });
    }

    /// What is open beside each main conversation, for the next start.
    #[must_use]
    pub fn kept(&self) -> Vec<view_state::Shelf> {
        let all = self.shelves.iter().filter(|(_, shelf)| !shelf.tabs.is_empty());
        all.map(|(root, shelf)| view_state::Shelf {
            root: *root,
            tabs: shelf.tabs.clone(),
            at: shelf.at,
            open: shelf.open,
            compared: None,
        })
        .collect()
    }

    /// Whether a branch has a tab.
    #[must_use]
    pub fn holds(&self, branch: ConversationId) -> bool {
        self.shelves.values().any(|shelf| shelf.tabs.contains(&branch))
    }

    /// Closes a tab; the drawer closes with its last.
    pub fn close_tab(&mut self, branch: ConversationId) {
        for shelf in self.shelves.values_mut() {
            let Some(place) = shelf.tabs.iter().position(|tab| *tab == branch) else { continue };
            shelf.tabs.remove(place);
            if shelf.at == Some(branch) {
                shelf.at = shelf.tabs.get(place).or(shelf.tabs.last()).copied();
            }
            shelf.open &= !shelf.tabs.is_empty();
        }
    }

    /// Shows or hides the drawer of a main conversation; without tabs its newest active branch is opened.
    pub fn toggle(&mut self, snap: &Snapshot, root: ConversationId) {
        let shelf = self.shelves.entry(root).or_default();
        if !shelf.tabs.is_empty() {
            shelf.open = !shelf.open;
            self.active = shelf.open;
            self.fresh = shelf.open;
            return;
        }
        let newest = lineage::under(snap, root).find(|row| !row.conversation.archived);
        if let Some(row) = newest {
            self.open(root, row.conversation.id);
        }
    }

    /// The branch on screen at a place of the window.
    #[must_use]
    pub fn shown(&self, snap: &Snapshot, route: &Route) -> Option<ConversationId> {
        let Route::Chat { conversation } = route else { return None };
        let shelf = self.shelves.get(conversation).filter(|shelf| shelf.open)?;
        // A branch that hangs elsewhere by now, e.g. in another project, is not shown.
        shelf.at.filter(|id| lineage::root(snap, *id) == Some(*conversation))
    }

    /// Forgets tabs whose branch is gone.
    pub fn tidy(&mut self, snap: &Snapshot) {
        let tabs = self.shelves.values().flat_map(|shelf| &shelf.tabs).copied();
        let gone: Vec<ConversationId> = tabs.filter(|id| lineage::row(snap, *id).is_none()).collect();
        // Nothing has been read yet, or another project is open: its branches come back with it.
        if !snap.conversations.is_empty() {
            for branch in gone {
                let other = self
                    .shelves
                    .iter()
                    .any(|(root, shelf)| shelf.tabs.contains(&branch) && lineage::row(snap, *root).is_none());
                if !other {
                    self.close_tab(branch);
                }
            }
        }
    }

    /// How the centre is shared while a branch is shown.
    #[must_use]
    pub fn split(&self, centre: Rect) -> Split {
        let half = (centre.width() / 2.0).round();
        let fits_half = self.pinned && half >= MAIN_MIN;
        let wanted = if fits_half { half } else { self.width };
        let most = (centre.width() * SHARE_MAX).max(WIDTH_MIN);
        let width = wanted.clamp(WIDTH_MIN.min(half), most).min(centre.width()).round();
        let at = centre.right() - width;
        let seen = Rect::from_min_max(centre.min, pos2(at, centre.bottom()));
        let main = if seen.width() >= MAIN_MIN { seen } else { centre };
        Split { main, main_seen: seen, drawer: Rect::from_min_max(pos2(at, centre.top()), centre.max) }
    }

    /// Draws the branch; `rect` lies at the right end of `centre`.
    pub fn show(&mut self, cx: &UiCx<'_>, ui: &mut Ui, centre: Rect, rect: Rect) {
        let Some(branch) = cx.branch else { return };
        self.load(cx, branch);
        let p = theme::palette(ui);
        if !self.pinned {
            let mut clip = ui.new_child(egui::UiBuilder::new().max_rect(centre).id_salt("drawer shadow"));
            clip.set_clip_rect(centre);
            clip.painter().add(theme::shadow(ui, true).as_shape(rect, 0.0));
        }
        ui.painter().rect_filled(rect, 0.0, p.bg_canvas);
        // What lies below takes no click.
        ui.interact(rect, ui.scope_id().with("drawer ground"), Sense::click());
        self.follow_pointer(ui, centre, rect);
        let route = Route::Chat { conversation: branch };
        let side = cx.for_desk(DeskAt::Drawer, &route);
        let mut inside = region(ui, rect, "drawer");
        inside.spacing_mut().item_spacing.y = 0.0;
        let tabs = self.tabs(cx);
        let area = head::show(cx, &mut inside, rect, &tabs, self.pinned);
        if let Some(closed) = area.closed {
            self.close_tab(closed);
        }
        self.desk.show(&side, &mut inside, area.rest);
        side.hand_over(cx);
        // A field that is not drawn yet cannot take the keyboard.
        if self.fresh && side.view().is_some() {
            self.fresh = false;
            if !side.read_only && !cx.covered {
                ui.memory_mut(|memory| memory.request_focus(composer::field_id(DeskAt::Drawer)));
            }
        }
        let edge = Stroke::new(1.0, p.stroke_subtle);
        ui.painter().vline(rect.left() + 0.5, rect.y_range(), edge);
        if !self.pinned {
            self.grip(ui, centre, rect);
        }
    }

    fn tabs(&self, cx: &UiCx<'_>) -> Vec<ConversationId> {
        let shelf = cx.route.conversation().and_then(|root| self.shelves.get(&root));
        let tabs = shelf.map(|shelf| shelf.tabs.as_slice()).unwrap_or_default();
        tabs.iter().copied().filter(|id| lineage::row(cx.snap, *id).is_some()).collect()
    }

    fn load(&mut self, cx: &UiCx<'_>, branch: ConversationId) {
        let since = self.asked.filter(|(id, _)| *id == branch).map(|(_, at)| at);
        let again = cx.snap.view(branch).is_none() && since.is_some_and(|at| cx.time_s - at > ASK_AGAIN_S);
        if since.is_none() || again {
            self.asked = Some((branch, cx.time_s));
            cx.send(BranchCommand::Open { branch });
        }
    }

    /// Where the user clicked last, or writes, is where commands go.
    fn follow_pointer(&mut self, ui: &Ui, centre: Rect, rect: Rect) {
        // Only a keyboard that has just come tells something: it may stay behind in a field the user has left.
        let focused = ui.memory(egui::Memory::focused);
        let came = focused.filter(|_| self.focused != focused);
        self.focused = focused;
        let pressed =
            ui.input(|input| input.pointer.any_pressed().then(|| input.pointer.interact_pos()).flatten());
        if let Some(at) = pressed.filter(|at| centre.contains(*at)) {
            self.active = rect.contains(at);
        } else if came == Some(composer::field_id(DeskAt::Drawer)) {
            self.active = true;
        } else if came == Some(composer::field_id(DeskAt::Main)) {
            self.active = false;
        }
    }

    fn grip(&mut self, ui: &Ui, centre: Rect, rect: Rect) {
        let grip =
            Rect::from_min_max(pos2(rect.left() - 3.0, rect.top()), pos2(rect.left() + 4.0, rect.bottom()));
        let grip = ui.interact(grip, ui.scope_id().with("drawer grip"), Sense::drag());
        grip.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Splitter, true, "Width of the branch"));
        if grip.hovered() || grip.dragged() {
            ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeHorizontal);
        }
        if let Some(at) = grip.interact_pointer_pos().filter(|_| grip.dragged()) {
            let most = (centre.width() * SHARE_MAX).max(WIDTH_MIN);
            self.width = (centre.right() - at.x).clamp(WIDTH_MIN, most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::vec2;

    #[test]
    fn the_centre_is_shared_by_the_room_there_is() {
        // pinned, width, centre; expected drawer, conversation.
        let cases = [
            (false, 440.0, 1032.0, 440.0, 592.0),
            (true, 440.0, 1032.0, 516.0, 516.0),
            (false, 900.0, 1032.0, 619.0, 413.0),
            (false, 440.0, 856.0, 440.0, 416.0),
            (true, 440.0, 856.0, 428.0, 428.0),
            // Too narrow for both: it lies over the conversation, which keeps its width.
            (false, 440.0, 596.0, 360.0, 596.0),
            (true, 440.0, 596.0, 360.0, 596.0),
        ];
        for (pinned, width, centre, drawer, main) in cases {
            let held = Drawer { pinned, width, ..Drawer::default() };
            let split = held.split(Rect::from_min_size(pos2(248.0, 0.0), vec2(centre, 700.0)));
            let got = (split.drawer.width(), split.main.width());
            assert_eq!(got, (drawer, main), "{pinned} {width} of {centre}");
        }
    }

    #[test]
    fn tabs_close_to_their_neighbour_and_the_last_closes_the_drawer() {
        let [root, a, b] = [1, 2, 3].map(ConversationId);
        let mut drawer = Drawer::default();
        drawer.open(root, a);
        drawer.open(root, b);
        drawer.open(root, a);
        let at = |drawer: &Drawer| drawer.shelves.get(&root).and_then(|shelf| shelf.at);
        assert_eq!(at(&drawer), Some(a));
        drawer.close_tab(a);
        assert_eq!(at(&drawer), Some(b));
        drawer.close_tab(b);
        assert_eq!(at(&drawer), None);
        assert!(!drawer.shelves[&root].open && !drawer.holds(a));
    }
}
