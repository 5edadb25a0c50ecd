//! One frame of the window: takes the newest snapshot, lays out the panels, does what they asked for.

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
use crate::ui::cx::{Outgoing, UiCx};
use crate::ui::host::Host;
use crate::ui::keys::{self, KeyMap};
use crate::ui::panel::Panel as _;
use crate::ui::panels::banner::banner;
use crate::ui::panels::composer::{self, Composer};
use crate::ui::panels::conversation::Conversation;
use crate::ui::panels::dialogs::Dialogs;
use crate::ui::panels::find_bar::FindBar;
use crate::ui::panels::header::Header;
use crate::ui::panels::home::Home;
use crate::ui::panels::inspector::Inspector;
use crate::ui::panels::key_sheet::KeySheet;
use crate::ui::panels::notices::Notices;
use crate::ui::panels::palette::Palette;
use crate::ui::panels::permission::PermissionPanel;
use crate::ui::panels::project::ProjectPanel;
use crate::ui::panels::settings::SettingsPanel;
use crate::ui::panels::sidebar::{self, Sidebar};
use crate::ui::panels::status_bar::StatusBar;
use crate::ui::regions::Region;
use crate::ui::route::{History, Route};
use crate::ui::theme;
use crate::ui::view_state::ViewState;

/// The window closes after so long even when the core has not said that it ended, seconds.
const QUIT_WITHIN_S: f64 = 8.0;
/// Width of the find bar, points.
const FIND_WIDTH: f32 = 420.0;
/// First guess at the height of the composer and its gap, points.
const FOOT_GUESS: f32 = 118.0;
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
    conversation: Conversation,
    find: FindBar,
    permission: PermissionPanel,
    composer: Composer,
    inspector: Inspector,
    settings: SettingsPanel,
    project: ProjectPanel,
    status: StatusBar,
    /// Height of composer and question together in the frame before, points.
    foot: f32,
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
    project: Option<ProjectId>,
    opened: Option<ConversationId>,
    /// What takes the keyboard when the conversation just gone to is there.
    arriving: Option<Region>,
    /// When that conversation was first drawn, seconds.
    arrived_s: Option<f64>,
    viewing: Option<(Option<ConversationId>, bool)>,
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
        cx.covered = self.over.palette.is_open() || self.over.keys.is_open() || self.over.dialogs.is_open();
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
        self.over.keys.show(&cx, &ctx);
        self.over.palette.show(&cx, &ctx);
        let mut above = theme::sizes().row.status;
        if matches!(cx.route, Route::Chat { .. }) && cx.width < TOASTS_BESIDE_FROM {
            // Send and Stop are never covered.
            above += self.panels.foot;
        }
        self.over.notices.show(&cx, &ctx, above);
        self.perform_all(&cx, &ctx);
    }

    /// Text typed or pasted while no control has the keyboard goes to the composer.
    fn type_anywhere(&self, cx: &UiCx<'_>, ctx: &Context) {
        let open = matches!(cx.route, Route::Chat { .. }) && cx.view().is_some();
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
            ctx.memory_mut(|memory| memory.request_focus(composer::field_id()));
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
        let inspector = matches!(cx.route, Route::Inspector { .. });
        if cx.width < SIDEBAR_FROM || !self.view.sidebar_open || inspector {
            let rect = Rect::from_min_size(body.min, vec2(sizes.panel.rail, body.height()));
            let mut child = region(ui, rect, "rail");
            if sidebar::rail(cx, &mut child) {
                if cx.width < SIDEBAR_FROM || inspector {
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
        match cx.route {
            Route::Chat { .. } | Route::Inspector { .. } if cx.snap.project.is_none() => {
                self.panels.home.ui(cx, ui);
            }
            Route::Inspector { .. } => self.panels.inspector.ui(cx, ui),
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
            Route::Chat { .. } => {
                self.panels.header.ui(cx, ui);
                let area = ui.available_rect_before_wrap();
                self.panels.chat(cx, ui, area);
            }
        }
    }

    /// The window is gone: remembers itself.
    pub fn closed(&mut self) {
        self.view.route = self.history.here().clone();
        if let Some(path) = &self.view_path {
            self.view.save(path);
        }
    }

    /// Asks the core for an orderly end and keeps the window until it is there.
    fn close_requested(&mut self, cx: &UiCx<'_>, ctx: &Context) {
        if self.snap.app.finished || self.seen.quitting_s.is_some() {
            return;
        }
        self.panels.composer.flush(cx, true);
        cx.send(AppCommand::Quit);
        self.seen.quitting_s = Some(cx.time_s);
        ctx.request_repaint_after(Duration::from_secs_f64(QUIT_WITHIN_S));
        ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
    }

    /// Runs a command as if its shortcut had been pressed.
    pub fn act(&mut self, ctx: &Context, action: UiAction) {
        let (snap, route) = (Arc::clone(&self.snap), self.route().clone());
        let cx = UiCx::new(&snap, &route, self.host.clock.now());
        cx.act(action);
        self.perform_all(&cx, ctx);
    }
}

/// A child over a part of the window with its own clip.
pub(super) fn region(ui: &mut Ui, rect: Rect, name: &str) -> Ui {
    let mut child = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(name));
    child.set_clip_rect(rect.intersect(ui.clip_rect()));
    child
}

impl Panels {
    /// Conversation, question and composer from the top down; the composer keeps its place at the bottom.
    fn chat(&mut self, cx: &UiCx<'_>, ui: &mut Ui, area: Rect) {
        let sizes = theme::sizes();
        let pad = if area.width() < 900.0 { sizes.space.s7 } else { sizes.space.s10 };
        let width = (area.width() - pad * 2.0).min(sizes.panel.reading_max);
        let x = (area.center().x - width / 2.0).round();
        let column = |top: f32, bottom: f32| Rect::from_min_max(pos2(x, top), pos2(x + width, bottom));
        // The foot is as high as it was in the frame before; a first frame is laid out again at once.
        let before = if self.foot > 0.0 { self.foot } else { FOOT_GUESS };
        let foot_top = (area.bottom() - before).max(area.top() + 60.0);
        let list = Rect::from_min_max(area.min, pos2(area.right(), foot_top));
        let mut child = region(ui, list, "conversation");
        self.conversation(cx, &mut child, column(list.top(), list.bottom()));
        let gap = if area.height() < 520.0 { sizes.space.s4 } else { sizes.space.s7 };
        let mut foot =
            ui.new_child(UiBuilder::new().max_rect(column(foot_top, area.bottom() - gap)).id_salt("foot"));
        foot.spacing_mut().item_spacing.y = sizes.space.s4;
        if self.permission.follow(cx) {
            let room = area.height() - 150.0;
            let card = Rect::from_min_size(foot.cursor().min, vec2(width, room));
            let mut card = foot.new_child(UiBuilder::new().max_rect(card).id_salt("question"));
            self.permission.ui(cx, &mut card);
            foot.allocate_rect(card.min_rect(), Sense::hover());
        }
        if cx.view().is_some() {
            self.composer.ui(cx, &mut foot);
        }
        let height = foot.min_rect().height() + gap;
        if (height - before).abs() > 0.5 {
            self.foot = height;
            ui.ctx().request_discard("the foot of the conversation changed its height");
        }
    }

    fn conversation(&mut self, cx: &UiCx<'_>, ui: &mut Ui, column: Rect) {
        let find = if cx.route.conversation().is_some_and(|id| self.find.is_open(id)) {
            let width = FIND_WIDTH.min(column.width());
            let rect =
                Rect::from_min_size(pos2(column.right() - width, column.top() + 8.0), vec2(width, 40.0));
            let mut bar = ui.new_child(UiBuilder::new().max_rect(rect).id_salt("find"));
            self.find.show(cx, &mut bar)
        } else {
            None
        };
        if let Some(place) = find {
            self.conversation.reveal(place);
        }
        let mut list = column;
        if cx.route.conversation().is_some_and(|id| self.find.is_open(id)) {
            list.min.y += 52.0;
        }
        self.conversation.highlight = self.find.current(cx);
        self.conversation.show(cx, ui, list);
    }
}
