//! The window of the system: opens it while the core starts, and hands frames to the shell.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::sync::{Arc, OnceLock};

use egui::{ViewportBuilder, ViewportCommand};

use crate::api::handle::{AppHandle, Wake, Waker};
use crate::ui::host::Host;
use crate::ui::shell::Shell;
use crate::ui::theme::{self, Text};
use crate::ui::view_state::{MIN_SIZE, ViewState};
use crate::ui::widgets;

/// What the window needs from the program.
pub struct WindowConfig {
    /// Where size, place and route are remembered; `None` = nowhere.
    pub view_state: Option<PathBuf>,
    pub host: Host,
    /// Used in place of the remembered state, e.g. for a picture of a fixture.
    pub initial: Option<ViewState>,
    /// Looks on, for measuring.
    pub watcher: Option<Box<dyn Watcher>>,
}

/// Looks on while the window runs; without one, a frame costs one comparison more.
pub trait Watcher {
    /// Called before each frame, when the one before has been painted. May add input. `shell` is `None` until the
    /// core has started.
    fn before_frame(&mut self, ctx: &egui::Context, input: &mut egui::RawInput, shell: Option<&Shell>);
}

/// Opens the window and runs until it is closed. `start` makes the core on a thread of its own meanwhile; the waker
/// it gets asks the window to draw, from any thread.
///
/// # Errors
/// When no window can be opened (no display, no OpenGL). A failed `start` is shown in the window.
pub fn run(
    config: WindowConfig,
    start: impl FnOnce(Waker) -> anyhow::Result<AppHandle> + Send + 'static,
) -> anyhow::Result<()> {
    let shared: Arc<OnceLock<egui::Context>> = Arc::new(OnceLock::new());
    let waker = waker(Arc::clone(&shared));
    let (sender, started) = sync_channel(1);
    let ready = Arc::clone(&shared);
    std::thread::Builder::new().name("core start".into()).spawn(move || {
        // The window may be gone before the core is there; then nobody wants the handle.
        if sender.send(start(waker)).is_ok()
            && let Some(ctx) = ready.get()
        {
            ctx.request_repaint();
        }
    })?;
    let state = match (&config.initial, &config.view_state) {
        (Some(state), _) => state.clone(),
        (None, Some(path)) => ViewState::load(path),
        (None, None) => ViewState::default(),
    };
    // There are no gradients that dithering would help, and it costs where there is no graphics card.
    let options =
        eframe::NativeOptions { viewport: viewport(&state), dithering: false, ..Default::default() };
    let WindowConfig { view_state, host, watcher, .. } = config;
    let result = eframe::run_native(
        "tunaflow",
        options,
        Box::new(move |creation| {
            prepare(&creation.egui_ctx);
            if shared.set(creation.egui_ctx.clone()).is_err() {
                tracing::warn!("a second window context");
            }
            let start = Start { host, state, view_state, started };
            Ok(Box::new(Window { phase: Phase::Starting(Box::new(start)), watcher }))
        }),
    );
    result.map_err(|error| anyhow::anyhow!("the window could not be opened: {error}"))
}

fn waker(shared: Arc<OnceLock<egui::Context>>) -> Waker {
    Waker::new(move |wake| {
        let Some(ctx) = shared.get() else { return };
        if wake == Wake::ToFront {
            ctx.send_viewport_cmd(ViewportCommand::Minimized(false));
            ctx.send_viewport_cmd(ViewportCommand::Focus);
        }
        ctx.request_repaint();
    })
}

fn viewport(state: &ViewState) -> ViewportBuilder {
    let mut viewport = ViewportBuilder::default()
        .with_title("tunaflow")
        .with_app_id("tunaflow")
        .with_inner_size(state.size)
        .with_min_inner_size(MIN_SIZE)
        .with_maximized(state.maximized);
    if let Some(position) = state.position {
        viewport = viewport.with_position(position);
    }
    viewport
}

/// Fonts, styles and options; once per context.
pub fn prepare(ctx: &egui::Context) {
    widgets::install(ctx, theme::Preference::System);
    ctx.options_mut(|options| options.zoom_with_keyboard = false);
    // Disabled controls have colours of their own.
    ctx.all_styles_mut(|style| style.visuals.disabled_alpha = 1.0);
}

struct Window {
    phase: Phase,
    watcher: Option<Box<dyn Watcher>>,
}

enum Phase {
    Starting(Box<Start>),
    Running(Box<Shell>),
    Failed(String),
}

struct Start {
    host: Host,
    state: ViewState,
    view_state: Option<PathBuf>,
    started: Receiver<anyhow::Result<AppHandle>>,
}

impl Window {
    fn advance(&mut self) {
        let Phase::Starting(start) = &self.phase else { return };
        let next = match start.started.try_recv() {
            Ok(Ok(handle)) => Ok(handle),
            Ok(Err(error)) => Err(format!("{error:#}")),
            Err(TryRecvError::Empty) => return,
            Err(TryRecvError::Disconnected) => Err("The core ended while it started.".into()),
        };
        match (next, std::mem::replace(&mut self.phase, Phase::Failed(String::new()))) {
            (Ok(handle), Phase::Starting(start)) => {
                let Start { host, state, view_state, .. } = *start;
                self.phase = Phase::Running(Box::new(Shell::new(handle, host, state, view_state)));
            }
            (Err(why), _) => self.phase = Phase::Failed(why),
            (Ok(_), phase) => self.phase = phase,
        }
    }
}

impl eframe::App for Window {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        self.advance();
        if let Phase::Running(shell) = &mut self.phase {
            shell.logic(ctx);
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        match &mut self.phase {
            Phase::Running(shell) => shell.ui(ui),
            Phase::Starting(_) => {}
            Phase::Failed(why) => plain(ui, "tunaflow could not start", why),
        }
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        // The shell counts on it: without a graphics card each filled window costs milliseconds.
        theme::palette_of(visuals.dark_mode).bg_window.to_normalized_gamma_f32()
    }

    fn raw_input_hook(&mut self, ctx: &egui::Context, input: &mut egui::RawInput) {
        let Some(watcher) = &mut self.watcher else { return };
        let shell = if let Phase::Running(shell) = &self.phase { Some(&**shell) } else { None };
        watcher.before_frame(ctx, input, shell);
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        if let Phase::Running(shell) = &mut self.phase {
            shell.closed();
        }
    }
}

fn plain(ui: &mut egui::Ui, title: &str, text: &str) {
    let p = theme::palette(ui);
    let rect = ui.max_rect();
    ui.painter().rect_filled(rect, 0.0, p.bg_canvas);
    let mut ui = ui.new_child(egui::UiBuilder::new().max_rect(rect.shrink(48.0)));
    ui.label(Text::Title.rich(title, p.text_1));
    ui.add(egui::Label::new(Text::Ui.rich(text, p.text_2)).selectable(true).wrap());
}
