//! Does what panels asked for during a frame: sends commands, moves between places, runs user commands.

use std::path::PathBuf;

use egui::{Context, ViewportCommand};

use crate::api::command::{BranchCommand, ChatCommand, EngineCommand, ProjectCommand, SettingsCommand};
use crate::api::snapshot::ConversationView;
use crate::model::branch::BranchKind;
use crate::model::id::ConversationId;
use crate::model::project::SeatChoice;
use crate::model::settings::Settings;
use crate::ui::action::UiAction;
use crate::ui::cx::{BranchAsk, DeskAt, Request, UiCx};
use crate::ui::host::DialogAsk;
use crate::ui::lineage;
use crate::ui::panels::composer;
use crate::ui::panels::conversation::copy;
use crate::ui::panels::settings::zoom_step;
use crate::ui::regions::{self, Region};
use crate::ui::route::{ProjectPage, Route};
use crate::ui::shell::Shell;

/// Sends what a file dialog answered.
pub(super) fn picked(cx: &UiCx<'_>, ask: DialogAsk, path: Option<PathBuf>) {
    let Some(path) = path else { return };
    match ask {
        DialogAsk::Project => cx.send(ProjectCommand::Open { path }),
        DialogAsk::EngineProgram(engine) => cx.send(EngineCommand::SetPath { engine, path: Some(path) }),
    }
}

impl Shell {
    /// Performs requests in order, and those they lead to; then sends what the core's inbox takes.
    pub(super) fn perform_all(&mut self, cx: &UiCx<'_>, ctx: &Context) {
        loop {
            let requests = cx.take();
            if requests.is_empty() {
                break;
            }
            for request in requests {
                self.perform(cx, ctx, request);
            }
            // A panel's answer is to be seen at once.
            ctx.request_repaint();
        }
        if !self.out.flush(&self.handle) {
            ctx.request_repaint_after(std::time::Duration::from_millis(50));
        }
    }

    fn perform(&mut self, cx: &UiCx<'_>, ctx: &Context, request: Request) {
        match request {
            Request::Send(command) => self.out.push(*command),
            Request::Act(action) => self.run(cx, ctx, action),
            Request::Go(route) => self.go(cx, route),
            Request::Copy { text, what } => self.copy(&text, what),
            Request::Pick(ask) => {
                let ctx = ctx.clone();
                self.host.dialogs.open(ask, Box::new(move || ctx.request_repaint()));
            }
            Request::Open(target) => {
                if let Err(why) = self.host.opener.open(&target) {
                    self.copy(&target, "The place");
                    self.over.notices.tell(format!("Not opened: {target}"), format!("{why} It was copied."));
                }
            }
            Request::Edit(message) => self.panels.desk(cx.desk).conversation.edit(cx, message),
            Request::Decide(message) => self.over.dialogs.decide(cx, message),
            Request::Keep(message) => self.over.dialogs.keep(cx, message),
            Request::Rename(conversation) => self.over.dialogs.rename(cx, conversation),
            Request::Branch(ask) => self.ask_branch(cx, ask),
            Request::Beside(desk, inner) => self.perform_beside(cx, ctx, desk, *inner),
            Request::Compare(pair) => self.compare(cx, pair),
            Request::FocusComposer => self.focus_composer(cx, ctx),
            Request::Tell { title, body } => self.over.notices.tell(title, body),
        }
    }

    fn focus_composer(&self, cx: &UiCx<'_>, ctx: &Context) {
        let field = match cx.desk {
            DeskAt::Left | DeskAt::Right => self.panels.compare.field(cx.desk),
            desk => composer::field_id(desk),
        };
        ctx.memory_mut(|memory| memory.request_focus(field));
    }

    /// Does what was asked for at another desk than the main one.
    fn perform_beside(&mut self, cx: &UiCx<'_>, ctx: &Context, desk: DeskAt, request: Request) {
        let Some(conversation) = self.conversation_at(cx.snap, desk) else {
            return self.perform(cx, ctx, request);
        };
        let route = Route::Chat { conversation };
        let side = cx.for_desk(desk, &route);
        self.perform(&side, ctx, request);
        side.hand_over(cx);
    }

    fn ask_branch(&mut self, cx: &UiCx<'_>, ask: BranchAsk) {
        if let BranchAsk::Compare(id) = ask {
            return self.ask_compare(cx, id);
        }
        if let BranchAsk::Adopt(conversation) = ask {
            // Its last answer is needed, so it has to be loaded.
            let here = self.history.here();
            let drawer = self.panels.drawer.shown(cx.snap, here) == Some(conversation);
            let compared = self.panels.compare.shown(cx.snap, here);
            let shown = match compared {
                Some(pair) => pair.contains(&conversation),
                None => drawer,
            };
            if !shown {
                self.go(cx, Route::Chat { conversation });
            }
        }
        self.over.dialogs.branch(cx, ask);
    }

    pub(super) fn go(&mut self, cx: &UiCx<'_>, route: Route) {
        if let Route::Chat { conversation } = route
            && self.go_in_compare(cx.snap, conversation)
        {
            return;
        }
        if let Route::Chat { conversation } = route
            && let Some(root) = lineage::root(cx.snap, conversation)
        {
            self.panels.drawer.desk.composer.flush(cx, true);
            if *self.history.here() != (Route::Chat { conversation: root }) {
                self.go(cx, Route::Chat { conversation: root });
            }
            self.panels.drawer.open(root, conversation);
            self.over.sidebar = false;
            return;
        }
        if self.history.here().conversation() != route.conversation() {
            self.panels.flush(cx);
        }
        self.over.sidebar = false;
        if let Route::Chat { conversation } = route {
            self.panels.drawer.active = false;
            self.seen.opened = Some(conversation);
            self.out.push(ChatCommand::Open { conversation }.into());
        }
        self.history.go(route);
    }

    fn copy(&mut self, text: &str, what: &str) {
        if let Err(why) = self.host.clipboard.copy(text) {
            self.over.notices.tell(format!("{what} was not copied"), why);
        }
    }

    fn run(&mut self, cx: &UiCx<'_>, ctx: &Context, action: UiAction) {
        match action {
            UiAction::Palette => self.over.palette.open(),
            UiAction::Keys => self.over.keys.toggle(),
            UiAction::NewConversation => match cx.snap.project {
                Some(project) => cx.send(ChatCommand::New { project, seat: None }),
                None => cx.act(UiAction::OpenFolder),
            },
            UiAction::OpenFolder => cx.ask(Request::Pick(DialogAsk::Project)),
            UiAction::ToggleSidebar => {
                if cx.width < crate::ui::shell::SIDEBAR_FROM || self.needs_rail(cx) {
                    self.over.sidebar = !self.over.sidebar;
                } else {
                    self.view.sidebar_open = !self.view.sidebar_open;
                }
            }
            UiAction::FocusComposer if cx.is_beside() || self.active_desk(cx) == DeskAt::Main => {
                cx.ask(Request::FocusComposer);
            }
            UiAction::GoToQuestion => self.go_to_question(cx, ctx),
            UiAction::Conversation(place) => {
                if let Some(conversation) = nth(cx, usize::from(place).saturating_sub(1)) {
                    cx.ask(Request::Go(Route::Chat { conversation }));
                }
            }
            UiAction::NextConversation => step(cx, 1),
            UiAction::PreviousConversation => step(cx, -1),
            UiAction::Settings(page) => cx.ask(Request::Go(Route::Settings { page })),
            UiAction::Project(page) => self.go_to_project(cx, page),
            UiAction::NewPlan => {
                self.panels.project.new_plan(cx);
                self.go_to_project(cx, ProjectPage::Plans);
            }
            UiAction::FindEngines => cx.send(EngineCommand::Rediscover),
            UiAction::Theme(theme) => set(cx, |settings| settings.theme = theme),
            UiAction::ZoomIn => {
                set(cx, |settings| settings.zoom_percent = zoom_step(settings.zoom_percent, true));
            }
            UiAction::ZoomOut => {
                set(cx, |settings| settings.zoom_percent = zoom_step(settings.zoom_percent, false));
            }
            UiAction::ZoomReset => set(cx, |settings| settings.zoom_percent = 100),
            UiAction::Back => self.back(cx),
            UiAction::Forward => {
                self.history.forward();
            }
            UiAction::NextRegion => regions::step(ctx, true),
            UiAction::PreviousRegion => regions::step(ctx, false),
            UiAction::ToggleDrawer => self.toggle_drawer(cx),
            UiAction::PinDrawer => {
                self.panels.drawer.pinned = !self.panels.drawer.pinned;
                self.view.drawer_pinned = self.panels.drawer.pinned;
            }
            UiAction::Adopt => {
                let at = if cx.is_beside() { cx.desk } else { self.active_desk(cx) };
                let at = if cx.compared.is_some() { at } else { DeskAt::Drawer };
                let there = self.conversation_at(cx.snap, at);
                if let Some(branch) = there.filter(|id| lineage::root(cx.snap, *id).is_some()) {
                    cx.ask(Request::Branch(BranchAsk::Adopt(branch)));
                }
            }
            UiAction::CompareBranches
            | UiAction::ScrollTogether
            | UiAction::Differences
            | UiAction::SendToBoth => self.run_compare(cx, action),
            UiAction::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
            // The side the user is at.
            _ if !cx.is_beside() && self.active_desk(cx) != DeskAt::Main => {
                cx.ask(Request::Beside(self.active_desk(cx), Box::new(Request::Act(action))));
            }
            _ => {
                if let Some(view) = cx.view() {
                    self.run_in(cx, view, action);
                }
            }
        }
    }

    /// Shows or hides the branch beside the conversation; what is compared in its place is closed first.
    fn toggle_drawer(&mut self, cx: &UiCx<'_>) {
        if self.close_compare(cx) {
            return;
        }
        if let Route::Chat { conversation } = *self.history.here() {
            self.panels.drawer.desk.composer.flush(cx, true);
            self.panels.drawer.toggle(cx.snap, conversation);
        }
    }

    /// Commands about the conversation shown.
    fn run_in(&mut self, cx: &UiCx<'_>, view: &ConversationView, action: UiAction) {
        let conversation = view.row.conversation.id;
        match action {
            UiAction::FindHere => self.panels.desk(cx.desk).find.open(conversation),
            UiAction::Branch => branch_at_end(cx, view),
            UiAction::Rename => cx.ask(Request::Rename(conversation)),
            UiAction::Archive => {
                let archived = !view.row.conversation.archived;
                cx.send(ChatCommand::SetArchived { conversation, archived });
            }
            UiAction::Delete if view.row.conversation.branch.is_some() => {
                cx.ask(Request::Branch(BranchAsk::Delete(conversation)));
            }
            UiAction::Delete => cx.send(ChatCommand::Delete { conversation }),
            UiAction::StopTurn => cx.send(ChatCommand::Stop { conversation }),
            UiAction::ContinueTurn | UiAction::EditLast if cx.read_only => {}
            UiAction::ContinueTurn => {
                if let Some(turn) = view.turn.as_ref().filter(|turn| !turn.state.is_live()) {
                    cx.send(ChatCommand::Continue { turn: turn.turn });
                }
            }
            UiAction::EditLast => {
                if let Some(entry) = view.index.iter().rev().find(|entry| entry.by_user) {
                    cx.ask(Request::Edit(entry.id));
                }
            }
            UiAction::Latest => self.panels.desk(cx.desk).conversation.to_end(),
            UiAction::CopyAnswer => {
                if let Some(text) = copy::newest_answer(view) {
                    cx.ask(Request::Copy { text, what: "The answer" });
                }
            }
            UiAction::CopyConversation => {
                cx.ask(Request::Copy { text: copy::conversation(view), what: "The conversation" });
            }
            UiAction::Context => {
                self.panels.flush(cx);
                cx.ask(Request::Go(Route::Inspector { conversation, turn: None }));
            }
            UiAction::Compare => {
                self.panels.flush(cx);
                self.panels.inspector.compare();
                cx.ask(Request::Go(Route::Inspector { conversation, turn: None }));
            }
            UiAction::Changes => {
                self.panels.flush(cx);
                cx.ask(Request::Go(Route::Changes { conversation }));
            }
            UiAction::Decide | UiAction::Keep => {
                if let Some(message) = copy::newest_answer_id(view) {
                    let is_keep = action == UiAction::Keep;
                    cx.ask(if is_keep { Request::Keep(message) } else { Request::Decide(message) });
                }
            }
            UiAction::SetMode(mode) => {
                let seat = SeatChoice { mode, ..view.row.conversation.seat.clone() };
                cx.send(ChatCommand::SetSeat { conversation, seat });
            }
            _ => {}
        }
    }

    /// The page, about the conversation the user is in or was in last.
    fn go_to_project(&mut self, cx: &UiCx<'_>, page: ProjectPage) {
        if cx.snap.project.is_none() {
            return;
        }
        let last = self.history.here().conversation().or_else(|| self.history.last_chat());
        let there = |id: &ConversationId| cx.snap.conversations.iter().any(|row| row.conversation.id == *id);
        cx.ask(Request::Go(Route::Project { page, conversation: last.filter(there) }));
    }

    /// Back to the place before; from the settings always to a conversation.
    fn back(&mut self, cx: &UiCx<'_>) {
        if let Route::Settings { .. } | Route::Project { .. } = self.history.here() {
            let route = match self.history.last_chat() {
                Some(conversation) => Route::Chat { conversation },
                None => nth(cx, 0).map_or(Route::Home, |conversation| Route::Chat { conversation }),
            };
            self.go(cx, route);
        } else {
            self.history.back();
        }
    }

    fn go_to_question(&mut self, cx: &UiCx<'_>, ctx: &Context) {
        let Some(first) = cx.snap.asks.first() else { return };
        let here = cx.route.conversation();
        let all = [DeskAt::Drawer, DeskAt::Left, DeskAt::Right];
        let shown = |desk: &DeskAt| {
            let beside = *desk == DeskAt::Drawer;
            beside == cx.compared.is_none()
                && self.conversation_at(cx.snap, *desk) == Some(first.conversation)
        };
        if let Some(desk) = all.into_iter().find(shown) {
            if let Some(id) = regions::control(ctx, Region::question(desk)) {
                ctx.memory_mut(|memory| memory.request_focus(id));
            }
            return;
        }
        let asked_here = matches!(cx.route, Route::Chat { .. })
            && cx.snap.asks.iter().any(|ask| Some(ask.conversation) == here);
        if asked_here {
            if let Some(id) = regions::control(ctx, Region::Question) {
                ctx.memory_mut(|memory| memory.request_focus(id));
            }
        } else {
            self.seen.arriving = Some(Region::Question);
            cx.ask(Request::Go(Route::Chat { conversation: first.conversation }));
        }
    }
}

fn set(cx: &UiCx<'_>, change: impl FnOnce(&mut Settings)) {
    let mut settings = (*cx.snap.settings).clone();
    change(&mut settings);
    cx.send(SettingsCommand::Set(Box::new(settings)));
}

/// The conversation at a place of the list, archived ones left out.
fn nth(cx: &UiCx<'_>, place: usize) -> Option<ConversationId> {
    main_rows(cx).nth(place)
}

/// Main conversations in the order of the list, archived ones left out.
fn main_rows<'a>(cx: &UiCx<'a>) -> impl Iterator<Item = ConversationId> + use<'a> {
    let rows = cx.snap.conversations.iter().map(|row| &row.conversation);
    rows.filter(|row| !row.archived && row.branch.is_none()).map(|row| row.id)
}

/// Starts a branch at the newest whole message; of an empty conversation, one that knows nothing.
fn branch_at_end(cx: &UiCx<'_>, view: &ConversationView) {
    let (parent, checkpoint) = (view.row.conversation.id, copy::newest_whole_id(view));
    let kind = BranchKind::General;
    cx.send(BranchCommand::Create { parent, checkpoint, label: None, seat: None, kind });
}

fn step(cx: &UiCx<'_>, by: isize) {
    let rows: Vec<ConversationId> = main_rows(cx).collect();
    let here = rows.iter().position(|id| Some(*id) == cx.route.conversation());
    let next = match here {
        Some(at) => at.checked_add_signed(by).filter(|at| *at < rows.len()),
        None => Some(0),
    };
    if let Some(conversation) = next.and_then(|at| rows.get(at)) {
        cx.ask(Request::Go(Route::Chat { conversation: *conversation }));
    }
}
