//! One frame of the window: takes the newest snapshot, lays out the panels, does what they asked for.

mod compare;
mod escape;
mod follow;
mod perform;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use egui::{Context, Rect, Sense, Ui, UiBuilder, pos2, vec2};

use crate::api::command::AppCommand;
use crate::api::handle::AppHandle;
use crate::api::snapshot::{DatabaseStatus, Snapshot};
use crate::model::id::{ConversationId, ProjectId};
use crate::ui::action::UiAction;
use crate::ui::cx::{DeskAt, Outgoing, UiCx};
use crate::ui::host::Host;
use crate::ui::keys::{self, KeyMap};
use crate::ui::panel::Panel as _;
use crate::ui::panels::banner::banner;
use crate::ui::panels::changes::ChangesPanel;
use crate::ui::panels::compare::Compare;
use crate::ui::panels::composer;
use crate::ui::panels::desk::{Desk, region};
use crate::ui::panels::dialogs::Dialogs;
use crate::ui::panels::drawer::Drawer;
use crate::ui::panels::header::Header;
use crate::ui::panels::home::Home;
use crate::ui::panels::inspector::Inspector;
use crate::ui::panels::key_sheet::KeySheet;
use crate::ui::panels::notices::Notices;
use crate::ui::panels::palette::Palette;
use crate::ui::panels::project::ProjectPanel;
use crate::ui::panels::settings::SettingsPanel;
use crate::ui::panels::sidebar::{self, Sidebar};
use crate::ui::panels::status_bar::StatusBar;
use crate::ui::regions::Region;
use crate::ui::route::{History, Route};
use crate::ui::theme;
use crate::ui::view_state::{Shelf, ViewState};

/// The window closes after so long even when the core has not said that it ended, seconds.
const QUIT_WITHIN_S: f64 = 8.0;
/// Width from which toasts lie beside the reading column and not over the composer, points.
const TOASTS_BESIDE_FROM: f32 = 1_860.0;

/// Width below which the sidebar is a rail, points.
pub const SIDEBAR_FROM: f32 = 1_000.0;

/// The window's state: the newest snapshot, where the user is, and each panel's own state.
pub struct Shell {
    handle: AppHandle,
    snap: Arc<Snapshot>,
    history: History,
    view: ViewState,
    view_path: Option<PathBuf>,
    host: Host,
    out: Outgoing,
    /// What the keys of the window run, made again when the settings change.
    keys: Arc<KeyMap>,
    panels: Panels,
    over: Overlays,
    seen: Seen,
}

/// One of each panel.
#[derive(Default)]
pub(super) struct Panels {
    sidebar: Sidebar,
    header: Header,
    home: Home,
    /// The conversation in the centre.
    desk: Desk,
    /// The branch beside it.
    drawer: Drawer,
    /// Two conversations in the place of the drawer.
    compare: Compare,
    inspector: Inspector,
    changes: ChangesPanel,
    settings: SettingsPanel,
    project: ProjectPanel,
    status: StatusBar,
}

/// What floats over the panels.
#[derive(Default)]
pub(super) struct Overlays {
    palette: Palette,
    keys: KeySheet,
    dialogs: Dialogs,
    notices: Notices,
    /// The full sidebar over the content, where there is a rail only.
    sidebar: bool,
}

/// What was taken in from earlier snapshots and told to the core.
#[derive(Default)]
pub(super) struct Seen {
    focus: Option<ConversationId>,
    branch_focus: Option<ConversationId>,
    project: Option<ProjectId>,
    opened: Option<ConversationId>,
    /// What takes the keyboard when the conversation just gone to is there.
    arriving: Option<Region>,
    /// When that conversation was first drawn, seconds.
    arrived_s: Option<f64>,
    viewing: Option<AppCommand>,
    /// When that was told, seconds.
    viewing_s: f64,
    compared: Option<[ConversationId; 2]>,
    /// Where the keyboard was before something covered the window, and where it is since.
    under: Option<follow::Under>,
    settings: Option<Arc<crate::model::settings::Settings>>,
    started: bool,
    /// When an orderly end was asked for, seconds.
    quitting_s: Option<f64>,
}

impl Shell {
    pub fn new(handle: AppHandle, host: Host, view: ViewState, view_path: Option<PathBuf>) -> Self {
        let snap = handle.snapshot();
        let mut panels = Panels::default();
        panels.sidebar.archive_open = view.archive_open;
        panels.drawer.width = view.drawer_width;
        panels.drawer.pinned = view.drawer_pinned;
        for shelf in &view.shelves {
            panels.drawer.restore(shelf);
            if let Some(pair) = shelf.compared {
                panels.compare.restore(shelf.root, pair);
            }
        }
        Self {
            handle,
            snap,
            history: History::new(view.route.clone()),
            view,
            view_path,
            host,
            out: Outgoing::default(),
            keys: KeyMap::standard(),
            panels,
            over: Overlays::default(),
            seen: Seen::default(),
        }
    }

    /// The place shown now.
    #[must_use]
    pub fn route(&self) -> &Route {
        self.history.here()
    }

    /// What is shown now.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.snap
    }

    /// Takes in the newest snapshot and what the system said. Runs in hidden windows too; draws nothing.
    pub fn logic(&mut self, ctx: &Context) {
        self.snap = self.handle.snapshot();
        self.apply_settings(ctx);
        self.follow(ctx);
        let (snap, route, cx_time) =
            (Arc::clone(&self.snap), self.route().clone(), ctx.input(|input| input.time));
        let mut cx = UiCx::new(&snap, &route, self.host.clock.now());
        cx.time_s = cx_time;
        cx.keys = Arc::clone(&self.keys);
        self.seen_beside(&mut cx);
        let focused = ctx.input(|input| input.viewport().focused.unwrap_or(true));
        self.over.notices.take_in(&cx, ctx, focused, self.host.notifier.as_mut());
        if let Some((ask, path)) = self.host.dialogs.poll() {
            if path.is_none() && self.host.dialogs.is_missing() {
                let keys = cx.keys(UiAction::Palette);
                let palette = if keys.is_empty() { "Find or run" } else { &keys };
                let text = format!("No desktop portal and no zenity here. {palette} takes a path, too.");
                self.over.notices.tell("No file dialog".to_owned(), text);
            }
            perform::picked(&cx, ask, path);
        }
        if let Some(since) = self.seen.quitting_s {
            let left_s = QUIT_WITHIN_S - (cx.time_s - since);
            if left_s > 0.0 {
                // Asked for in each frame: a frame in between drops what was asked for before.
                ctx.request_repaint_after(Duration::from_secs_f64(left_s));
            } else {
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
        }
        if ctx.input(|input| input.viewport().close_requested()) {
            self.close_requested(&cx, ctx);
        }
        self.perform_all(&cx, ctx);
    }

    /// Lays out the window.
    pub fn ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        let (snap, route) = (Arc::clone(&self.snap), self.route().clone());
        let home = self.host.home.clone();
        let mut cx = UiCx::new(&snap, &route, self.host.clock.now());
        cx.time_s = ctx.input(|input| input.time);
        cx.home = home.as_deref();
        cx.keys = Arc::clone(&self.keys);
        cx.width = ui.max_rect().width();
        self.seen_beside(&mut cx);
        if let Some(action) = self.view.first.take() {
            cx.act(action);
        }
        cx.covered = self.over.palette.is_open() || self.over.keys.is_open() || self.over.dialogs.is_open();
        self.give_back(&cx, &ctx);
        if !self.panels.settings.listen(&cx, &ctx) {
            self.escape(&cx, &ctx);
            if let Some(action) = keys::pressed(&ctx, &self.keys) {
                cx.act(action);
            }
            self.type_anywhere(&cx, &ctx);
        }
        self.layout(&cx, ui);
        self.arrive(&cx, &ctx);
        self.over.dialogs.show(&cx, &ctx);
        for branch in self.over.dialogs.adopted() {
            // Its card is what there is to see now.
            self.panels.drawer.close_tab(branch);
            self.panels.drawer.active = false;
            self.seen.under = self.seen.under.map(|under| under.back_to(composer::field_id(DeskAt::Main)));
            self.panels.desk.conversation.to_end();
        }
        self.over.keys.show(&cx, &ctx);
        self.over.palette.show(&cx, &ctx);
        let mut above = theme::sizes().row.status;
        if matches!(cx.route, Route::Chat { .. }) && cx.width < TOASTS_BESIDE_FROM {
            // Send and Stop are never covered.
            let beside = match cx.compared {
                Some(_) => self.panels.compare.foot(),
                None if cx.branch.is_some() => self.panels.drawer.desk.foot,
                None => 0.0,
            };
            above += self.panels.desk.foot.max(beside);
        }
        self.over.notices.show(&cx, &ctx, above);
        self.perform_all(&cx, &ctx);
    }

    /// Text typed or pasted while no control has the keyboard goes to the composer.
    fn type_anywhere(&self, cx: &UiCx<'_>, ctx: &Context) {
        let open = matches!(cx.route, Route::Chat { .. }) && (cx.view().is_some() || cx.compared.is_some());
        let busy = cx.covered || self.over.sidebar || egui::Popup::is_any_open(ctx);
        if !open || busy || ctx.memory(egui::Memory::focused).is_some() {
            return;
        }
        let typed = ctx.input(|input| {
            input.events.iter().any(|event| match event {
                egui::Event::Text(text) => !text.trim().is_empty(),
                egui::Event::Paste(_) | egui::Event::Ime(egui::ImeEvent::Preedit { .. }) => true,
                _ => false,
            })
        });
        if typed {
            let field = match self.active_desk(cx) {
                desk @ (DeskAt::Left | DeskAt::Right) => self.panels.compare.field(desk),
                desk => composer::field_id(desk),
            };
            ctx.memory_mut(|memory| memory.request_focus(field));
        }
    }

    fn layout(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let p = theme::palette(ui);
        let sizes = theme::sizes();
        // The window is clear in `bg_window` already.
        let mut all = ui.max_rect();
        if cx.snap.app.database != DatabaseStatus::Ok {
            let mut strip = ui.new_child(UiBuilder::new().max_rect(all).id_salt("banner"));
            banner(cx, &mut strip);
            all.min.y = strip.min_rect().bottom();
        }
        let status = Rect::from_min_max(pos2(all.left(), all.bottom() - sizes.row.status), all.max);
        let body = Rect::from_min_max(all.min, pos2(all.right(), status.top()));
        let first_run = cx.snap.project.is_none();
        let was_over = self.over.sidebar;
        let left = if first_run { 0.0 } else { self.left(cx, ui, body) };
        let centre = Rect::from_min_max(pos2(body.left() + left, body.top()), body.max);
        ui.painter().rect_filled(centre, 0.0, p.bg_canvas);
        let mut child = region(ui, centre, "centre");
        self.centre(cx, &mut child);
        let mut child = region(ui, status, "status");
        self.panels.status.ui(cx, &mut child);
        if self.over.sidebar {
            self.sidebar_over(cx, ui, body, was_over);
        }
    }

    /// Sidebar or rail; returns its width.
    fn left(&mut self, cx: &UiCx<'_>, ui: &mut Ui, body: Rect) -> f32 {
        let sizes = theme::sizes();
        let inspector = matches!(cx.route, Route::Inspector { .. } | Route::Changes { .. });
        let narrow = cx.width < SIDEBAR_FROM || self.needs_rail(cx);
        if narrow || !self.view.sidebar_open || inspector {
            let rect = Rect::from_min_size(body.min, vec2(sizes.panel.rail, body.height()));
            let mut child = region(ui, rect, "rail");
            if sidebar::rail(cx, &mut child) {
                if narrow || inspector {
                    self.over.sidebar = !self.over.sidebar;
                } else {
                    self.view.sidebar_open = true;
                }
            }
            sidebar::edge(ui, rect);
            return rect.width();
        }
        self.over.sidebar = false;
        let rect = Rect::from_min_size(body.min, vec2(self.view.sidebar_width.round(), body.height()));
        let mut child = region(ui, rect.shrink2(vec2(sizes.space.s4, 0.0)), "sidebar");
        self.panels.sidebar.ui(cx, &mut child);
        self.view.archive_open = self.panels.sidebar.archive_open;
        sidebar::edge(ui, rect);
        let grip =
            Rect::from_min_max(pos2(rect.right() - 3.0, rect.top()), pos2(rect.right() + 3.0, rect.bottom()));
        let grip = ui.interact(grip, ui.scope_id().with("sidebar grip"), Sense::drag());
        if grip.hovered() || grip.dragged() {
            ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeHorizontal);
        }
        self.view.sidebar_width = (self.view.sidebar_width + grip.drag_delta().x).clamp(200.0, 360.0);
        rect.width()
    }

    /// `settled`: it was open in the frame before, so a click outside is not the one that opened it.
    fn sidebar_over(&mut self, cx: &UiCx<'_>, ui: &Ui, body: Rect, settled: bool) {
        let p = theme::palette(ui);
        let sizes = theme::sizes();
        let at = pos2(body.left() + sizes.panel.rail, body.top());
        let size = vec2(sizes.panel.sidebar, body.height());
        let area =
            egui::Area::new(egui::Id::unique("sidebar over")).order(egui::Order::Foreground).fixed_pos(at);
        let shown = area.show(ui.ctx(), |ui| {
            let (rect, _) = ui.allocate_exact_size(size, Sense::click());
            ui.painter().add(theme::shadow(ui, true).as_shape(rect, 0.0));
            ui.painter().rect_filled(rect, 0.0, p.bg_window);
            sidebar::edge(ui, rect);
            let mut child = region(ui, rect.shrink2(vec2(sizes.space.s4, 0.0)), "sidebar");
            self.panels.sidebar.ui(cx, &mut child);
        });
        let outside = shown.response.clicked_elsewhere() && !egui::Popup::is_any_open(ui.ctx());
        if outside && settled {
            self.over.sidebar = false;
        }
    }

    fn centre(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        ui.spacing_mut().item_spacing.y = 0.0;
        if !matches!(cx.route, Route::Changes { .. }) {
            self.panels.changes.left();
        }
        match cx.route {
            Route::Chat { .. } | Route::Inspector { .. } | Route::Changes { .. }
                if cx.snap.project.is_none() =>
            {
                self.panels.home.ui(cx, ui);
            }
            Route::Inspector { .. } => self.panels.inspector.ui(cx, ui),
            Route::Changes { .. } => self.panels.changes.ui(cx, ui),
            Route::Settings { .. } => {
                self.panels.header.ui(cx, ui);
                self.panels.settings.ui(cx, ui);
            }
            Route::Project { .. } if cx.snap.project.is_none() => self.panels.home.ui(cx, ui),
            Route::Project { .. } => {
                self.panels.header.ui(cx, ui);
                self.panels.project.ui(cx, ui);
            }
            Route::Home => {
                if cx.snap.project.is_some() {
                    self.panels.header.ui(cx, ui);
                }
                self.panels.home.ui(cx, ui);
            }
            Route::Chat { .. } if cx.compared.is_some() => self.columns(cx, ui),
            Route::Chat { .. } if cx.branch.is_some() => self.split(cx, ui),
            Route::Chat { .. } => {
                self.panels.header.ui(cx, ui);
                let area = ui.available_rect_before_wrap();
                self.panels.desk.show(cx, ui, area);
            }
        }
    }

    /// The conversation, and a branch beside it.
    fn split(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let centre = ui.max_rect();
        let split = self.panels.drawer.split(centre);
        let mut main = ui.new_child(UiBuilder::new().max_rect(split.main));
        main.set_clip_rect(split.main_seen.intersect(ui.clip_rect()));
        self.panels.header.ui(cx, &mut main);
        let area = main.available_rect_before_wrap();
        self.panels.desk.show(cx, &mut main, area);
        self.panels.drawer.show(cx, ui, centre, split.drawer);
        self.view.drawer_width = self.panels.drawer.width;
    }

    /// The window is gone: remembers itself.
    pub fn closed(&mut self) {
        self.view.route = self.history.here().clone();
        self.view.shelves = self.shelves();
        if let Some(path) = &self.view_path {
            self.view.save(path);
        }
    }

    /// What is open beside main conversations, for the next start.
    #[must_use]
    pub fn shelves(&self) -> Vec<Shelf> {
        let mut shelves = self.panels.drawer.kept();
        self.panels.compare.keep(&mut shelves);
        shelves
    }

    /// Asks the core for an orderly end and keeps the window until it is there.
    fn close_requested(&mut self, cx: &UiCx<'_>, ctx: &Context) {
        if self.snap.app.finished || self.seen.quitting_s.is_some() {
            return;
        }
        self.panels.flush(cx);
        cx.send(AppCommand::Quit);
        self.seen.quitting_s = Some(cx.time_s);
        ctx.request_repaint_after(Duration::from_secs_f64(QUIT_WITHIN_S));
        ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
    }

    /// Runs a command as if its shortcut had been pressed.
    pub fn act(&mut self, ctx: &Context, action: UiAction) {
        let (snap, route) = (Arc::clone(&self.snap), self.route().clone());
        let mut cx = UiCx::new(&snap, &route, self.host.clock.now());
        self.seen_beside(&mut cx);
        cx.act(action);
        self.perform_all(&cx, ctx);
    }
}

impl Panels {
    /// The desk at a place of the window.
    fn desk(&mut self, at: DeskAt) -> &mut Desk {
        match at {
            DeskAt::Main => &mut self.desk,
            DeskAt::Drawer => &mut self.drawer.desk,
            DeskAt::Left | DeskAt::Right => self.compare.desk(at),
        }
    }

    /// Stores all that is typed.
    fn flush(&mut self, cx: &UiCx<'_>) {
        self.desk.composer.flush(cx, true);
        self.drawer.desk.composer.flush(cx, true);
        self.compare.left.composer.flush(cx, true);
        self.compare.right.composer.flush(cx, true);
    }
}
