//! Comparisons in the window: opened, shown in place of the drawer, closed to where one was.

use egui::{Rect, Ui, UiBuilder};

use crate::api::snapshot::Snapshot;
use crate::model::id::ConversationId;
use crate::ui::action::UiAction;
use crate::ui::cx::{BranchAsk, DeskAt, Request, UiCx};
use crate::ui::lineage;
use crate::ui::panel::Panel as _;
use crate::ui::panels::compare::{COLUMN_GOOD, COLUMN_MIN, Compare, align};
use crate::ui::route::Route;
use crate::ui::shell::Shell;
use crate::ui::theme;

impl Shell {
    /// What stands beside the main conversation, or in its place.
    pub(super) fn seen_beside(&self, cx: &mut UiCx<'_>) {
        cx.compared = self.panels.compare.shown(cx.snap, cx.route);
        cx.branch = match cx.compared {
            Some(_) => None,
            None => self.panels.drawer.shown(cx.snap, cx.route),
        };
    }

    /// Opens the comparison of two conversations.
    pub(super) fn compare(&mut self, cx: &UiCx<'_>, pair: [ConversationId; 2]) {
        let [one, other] = pair;
        let root_of = |id| lineage::root(cx.snap, id).unwrap_or(id);
        if one == other || root_of(one) != root_of(other) {
            return;
        }
        let root = root_of(one);
        if *self.history.here() != (Route::Chat { conversation: root }) {
            self.go(cx, Route::Chat { conversation: root });
        }
        self.over.sidebar = false;
        self.panels.flush(cx);
        self.panels.compare.open(cx.snap, root, pair);
    }

    /// Closes the comparison on screen. `false` when there is none.
    pub(super) fn close_compare(&mut self, cx: &UiCx<'_>) -> bool {
        let Route::Chat { conversation } = *self.history.here() else { return false };
        if self.panels.compare.shown(cx.snap, self.history.here()).is_none() {
            return false;
        }
        self.panels.flush(cx);
        self.panels.compare.close(conversation)
    }

    /// The key: closes what is compared, else asks what the conversation at hand is compared with.
    fn toggle_compare(&mut self, cx: &UiCx<'_>) {
        if self.close_compare(cx) {
            return;
        }
        let main = self.history.here().conversation();
        let beside = self.panels.drawer.shown(cx.snap, self.history.here());
        if let Some(subject) = beside.or(main) {
            cx.ask(Request::Branch(BranchAsk::Compare(subject)));
        }
    }

    /// Commands about the comparison on screen; without one it is opened first.
    pub(super) fn run_compare(&mut self, cx: &UiCx<'_>, action: UiAction) {
        if self.panels.compare.shown(cx.snap, self.history.here()).is_none() {
            return self.toggle_compare(cx);
        }
        match action {
            UiAction::ScrollTogether => self.panels.compare.toggle_linked(),
            UiAction::Differences => self.panels.compare.answers.on ^= true,
            UiAction::SendToBoth => self.panels.compare.toggle_both(),
            _ => self.toggle_compare(cx),
        }
    }

    /// Asks with what; where there is one choice only it is taken.
    pub(super) fn ask_compare(&mut self, cx: &UiCx<'_>, id: ConversationId) {
        match align::others(cx.snap, id).as_slice() {
            [] => {
                let text =
                    "It has no branches. A branch starts at any message, and is compared with its parent.";
                self.over.notices.tell("Nothing to compare".to_owned(), text.to_owned());
            }
            [(_, only)] => self.compare(cx, [id, *only]),
            _ => self.over.dialogs.branch(cx, BranchAsk::Compare(id)),
        }
    }

    /// Someone wants to see a conversation while two are compared. `true` when it is on screen already.
    pub(super) fn go_in_compare(&mut self, snap: &Snapshot, to: ConversationId) -> bool {
        let here = self.history.here().clone();
        let Some([left, right]) = self.panels.compare.shown(snap, &here) else { return false };
        let side = match to {
            _ if to == left => DeskAt::Left,
            _ if to == right => DeskAt::Right,
            _ => {
                if let Route::Chat { conversation } = here
                    && (to == conversation || lineage::root(snap, to) == Some(conversation))
                {
                    self.panels.compare.close(conversation);
                }
                return false;
            }
        };
        self.panels.compare.go_to(side);
        self.over.sidebar = false;
        true
    }

    /// The desk the user is at.
    pub(super) fn active_desk(&self, cx: &UiCx<'_>) -> DeskAt {
        if cx.compared.is_some() {
            let at = self.panels.compare.at;
            // Without a column of its own the main conversation takes no commands.
            return if at == DeskAt::Main && !self.panels.compare.beside_main { DeskAt::Left } else { at };
        }
        if cx.branch.is_some() && self.panels.drawer.active { DeskAt::Drawer } else { DeskAt::Main }
    }

    /// The conversation of a desk.
    pub(super) fn conversation_at(&self, snap: &Snapshot, desk: DeskAt) -> Option<ConversationId> {
        let here = self.history.here();
        match desk {
            DeskAt::Main => here.conversation(),
            DeskAt::Drawer => self.panels.drawer.shown(snap, here),
            DeskAt::Left => self.panels.compare.shown(snap, here).map(|[left, _]| left),
            DeskAt::Right => self.panels.compare.shown(snap, here).map(|[_, right]| right),
        }
    }

    /// The main conversation is wanted as a third column: the drawer is pinned, and it is not one of the two.
    fn wants_main(&self, cx: &UiCx<'_>) -> bool {
        let Some(pair) = cx.compared else { return false };
        self.panels.drawer.pinned && cx.route.conversation().is_some_and(|main| !pair.contains(&main))
    }

    /// With three columns the sidebar gives way to the rail where they would be narrow beside it.
    pub(super) fn needs_rail(&self, cx: &UiCx<'_>) -> bool {
        let (rail, sidebar) = (theme::sizes().panel.rail, self.view.sidebar_width);
        self.wants_main(cx)
            && (cx.width - sidebar) / 3.0 < COLUMN_GOOD
            && (cx.width - rail) / 3.0 >= COLUMN_MIN
    }

    /// Draws the columns in the centre.
    pub(super) fn columns(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let centre: Rect = ui.max_rect();
        let split = Compare::split(centre, self.wants_main(cx));
        self.panels.compare.beside_main = split.main.is_some();
        if let Some(rect) = split.main {
            let mut main = ui.new_child(UiBuilder::new().max_rect(rect));
            main.set_clip_rect(rect.intersect(ui.clip_rect()));
            self.panels.header.ui(cx, &mut main);
            let area = main.available_rect_before_wrap();
            self.panels.desk.show(cx, &mut main, area);
        }
        self.panels.compare.show(cx, ui, split.columns);
    }
}
