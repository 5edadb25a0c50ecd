//! Inside a measured window: tells when frames were painted, and does what standard input asks.
//!
//! Orders, one a line: `frames`; `scroll N` (so many frames of scrolling); the end of input closes the window.

use std::io::BufRead as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use egui::{
    Context, Event, Modifiers, MouseWheelSource, MouseWheelUnit, RawInput, TouchPhase, ViewportCommand, pos2,
    vec2,
};

use crate::bench::window::{SIZE, word};
use crate::bench::{OpenWindow, Watched, app, say, time};
use crate::ui::{Shell, Watcher};

/// A wheel turned fast, points a frame.
const SCROLL_POINTS: f32 = 400.0;

/// Opens the program's own window with a watcher; returns its exit code.
pub fn watched(data_dir: &Path, open_window: &OpenWindow) -> u8 {
    open_window(data_dir, Watched { watcher: Some(Box::new(Teller::new())) })
}

/// What the thread of orders and the frames share.
#[derive(Default)]
struct Shared {
    ctx: OnceLock<Context>,
    frames: AtomicU64,
    /// Frames of scrolling still to come.
    scroll: AtomicU32,
}

/// Tells what happens.
pub(super) struct Teller {
    shared: Arc<Shared>,
    told_painted: bool,
    told_shown: bool,
}

impl Teller {
    pub fn new() -> Self {
        Self { shared: Arc::default(), told_painted: false, told_shown: false }
    }

    /// To be called before each frame. `shown`: the frame before showed all it should.
    pub fn before_frame(&mut self, ctx: &Context, input: &mut RawInput, shown: bool) {
        let painted = self.shared.frames.fetch_add(1, Ordering::Relaxed);
        if painted == 0 {
            self.listen(ctx);
        }
        if painted >= 1 && !self.told_painted {
            self.told_painted = true;
            tell(word::PAINTED, time::now_ns());
        }
        if painted >= 1 && shown && !self.told_shown {
            self.told_shown = true;
            tell(word::SHOWN, time::now_ns());
        }
        if !self.told_shown {
            // The end of a frame is only seen at the next one.
            ctx.request_repaint();
        }
        self.scroll(ctx, input);
    }

    fn listen(&self, ctx: &Context) {
        if self.shared.ctx.set(ctx.clone()).is_err() {
            return;
        }
        let shared = Arc::clone(&self.shared);
        if let Err(error) = std::thread::Builder::new().name("orders".into()).spawn(move || obey(&shared)) {
            tracing::warn!(%error, "no thread for orders");
        }
    }

    fn scroll(&self, ctx: &Context, input: &mut RawInput) {
        let left = self.shared.scroll.load(Ordering::Relaxed);
        if left == 0 {
            return;
        }
        self.shared.scroll.store(left - 1, Ordering::Relaxed);
        if left == 1 {
            tell(word::SCROLLED, 1);
        }
        input.events.push(Event::PointerMoved(pos2(SIZE[0] * 0.6, SIZE[1] * 0.4)));
        input.events.push(wheel(SCROLL_POINTS));
        ctx.request_repaint();
    }
}

/// The wheel turned so that earlier content comes into view.
pub(in crate::bench) fn wheel(points: f32) -> Event {
    Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        delta: vec2(0.0, points),
        phase: TouchPhase::Move,
        source: MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    }
}

impl Watcher for Teller {
    fn before_frame(&mut self, ctx: &Context, input: &mut RawInput, shell: Option<&Shell>) {
        let shown = shell.is_some_and(|shell| {
            shell.route().conversation().is_none_or(|id| app::shown(shell.snapshot(), id).is_some())
        });
        Self::before_frame(self, ctx, input, shown);
    }
}

fn tell(word: &str, number: u64) {
    if say(&format!("{word} {number}")).is_err() {
        tracing::warn!("nobody listens to the measured window");
    }
}

fn obey(shared: &Shared) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match line.split_once(' ') {
            Some(("scroll", frames)) => shared.scroll.store(frames.parse().unwrap_or(0), Ordering::Relaxed),
            _ => tell(word::FRAMES, shared.frames.load(Ordering::Relaxed)),
        }
        if shared.scroll.load(Ordering::Relaxed) > 0
            && let Some(ctx) = shared.ctx.get()
        {
            ctx.request_repaint();
        }
    }
    if let Some(ctx) = shared.ctx.get() {
        ctx.send_viewport_cmd(ViewportCommand::Close);
        ctx.request_repaint();
    }
}
