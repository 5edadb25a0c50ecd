//! Processor time of a frame: layout and tessellation of the whole window, without painting.
//!
//! Drives the real shell over an egui context without a window, at 1280×800.

mod columns;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use egui::{Context, Event, RawInput, Rect, pos2, vec2};
use tokio::sync::{mpsc, watch};

use crate::api::command::{ChatCommand, Command};
use crate::api::handle::AppHandle;
use crate::api::snapshot::{ConversationView, IndexEntry, Snapshot, TurnRow};
use crate::bench::args::Options;
use crate::bench::report::{Report, Values};
use crate::bench::scratch::{FIRST, Scratch};
use crate::bench::window::wheel;
use crate::bench::{app, time};
use crate::model::engine::EngineId;
use crate::model::id::{MessageId, TurnId};
use crate::model::message::{Author, Item, ItemBody, Message, MessageState};
use crate::model::turn::TurnState;
use crate::os::clock;
use crate::ui::host::{Host, NoNotifier, NoOpener, SystemClipboard, SystemDialogs};
use crate::ui::route::Route;
use crate::ui::view_state::ViewState;
use crate::ui::words::Now;
use crate::ui::{Shell, theme};

const REST_MOST_MS: f64 = 1.0;
const STREAM_MOST_MS: f64 = 3.0;
const FRAME_MOST_MS: f64 = 33.0;
/// A ten times longer answer may cost so many times a character more before it counts as not linear.
const LINEAR_MOST: f64 = 1.5;

const SIZE: [f32; 2] = [1280.0, 800.0];
/// The window is woken about so often by a stream.
const STREAM_FRAMES_PER_SECOND: usize = 30;
const PIECES_PER_SECOND: usize = 200;
const STREAM_CHARS: usize = 50_000;
/// How long the answer streams that measures say `200 pieces a second` of, seconds.
const STREAM_SECONDS: usize = 10;
const LONG_BYTES: [usize; 4] = [62_500, 125_000, 250_000, 500_000];
/// Frames drawn before anything is measured: fonts, pages, heights.
const WARM_FRAMES: usize = 60;
const PAUSE: Duration = Duration::from_millis(5);

/// # Errors
/// The runtime does not start or never shows the conversation.
pub fn measure(options: &Options) -> anyhow::Result<Report> {
    let scratch = Scratch::seeded(1, options.messages)?;
    let running = app::start(&scratch)?;
    if running.handle().send(ChatCommand::Open { conversation: FIRST }).is_err() {
        anyhow::bail!("the runtime took no command");
    }
    let snapshot = app::until(&running, "the conversation is open", |s| app::shown(s, FIRST).is_some())?;
    let mut report = Report::new("frames");
    report.tell("messages", f64::from(options.messages), "");
    let pause = || running.block_on(async { tokio::time::sleep(PAUSE).await });

    let mut stage = Stage::new(running.handle());
    for _ in 0..WARM_FRAMES {
        stage.frame(Vec::new());
        pause();
    }
    let rest = stage.frames(500, |_| Vec::new());
    report.tell("at rest, median", rest.median(), "ms");
    report.hold("at rest, p95", rest.percentile(95.0), "ms", REST_MOST_MS);

    stage.frame(vec![Event::PointerMoved(pos2(SIZE[0] * 0.6, SIZE[1] * 0.4))]);
    let mut scroll = Values::default();
    for _ in 0..300 {
        scroll.push(stage.frame(vec![wheel(200.0)]));
        pause();
    }
    tell(&mut report, "scrolling", &scroll);
    running.finish();

    let stream = stream(&snapshot)?;
    tell(&mut report, "streaming 200 pieces/s", &stream.0);
    tell(&mut report, "scrolling while streaming", &stream.1);

    tell(&mut report, "three columns, 200 pieces/s each", &columns::measure(&snapshot)?);

    let mut per_kb = Vec::new();
    for bytes in LONG_BYTES {
        let (total_ms, worst_ms) = long(&snapshot, bytes)?;
        report.tell(format!("answer of {bytes} bytes, all its frames"), total_ms, "ms");
        report.hold(format!("answer of {bytes} bytes, slowest frame"), worst_ms, "ms", FRAME_MOST_MS);
        per_kb.push(total_ms / bytes as f64);
    }
    let growth = per_kb.last().copied().unwrap_or(0.0) / per_kb.first().copied().unwrap_or(1.0);
    report.hold("a byte of the longest to one of the shortest", growth, "×", LINEAR_MOST);
    Ok(report)
}

fn tell(report: &mut Report, name: &str, values: &Values) {
    report.tell(format!("{name}, median"), values.median(), "ms");
    report.hold(format!("{name}, p95"), values.percentile(95.0), "ms", STREAM_MOST_MS);
    report.hold(format!("{name}, slowest"), values.max(), "ms", FRAME_MOST_MS);
}

/// The shell over a context without a window.
struct Stage {
    ctx: Context,
    shell: Shell,
    begun: Instant,
}

impl Stage {
    fn new(handle: AppHandle) -> Self {
        Self::with(handle, |_| ())
    }

    /// With another view to begin with.
    fn with(handle: AppHandle, change: impl FnOnce(&mut ViewState)) -> Self {
        let ctx = Context::default();
        theme::install(&ctx, theme::Preference::Dark);
        let host = Host {
            dialogs: Box::new(SystemDialogs::default()),
            clipboard: Box::new(SystemClipboard::default()),
            notifier: Box::new(NoNotifier),
            opener: Box::new(NoOpener),
            clock: Box::new(|| Now { ms: clock::now_ms(), utc_offset_ms: 0 }),
            home: None,
        };
        let mut view = ViewState { route: Route::Chat { conversation: FIRST }, ..ViewState::default() };
        change(&mut view);
        Self { shell: Shell::new(handle, host, view, None), ctx, begun: Instant::now() }
    }

    /// Draws one frame; its processor time on this thread, milliseconds.
    fn frame(&mut self, events: Vec<Event>) -> f64 {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), vec2(SIZE[0], SIZE[1]))),
            time: Some(self.begun.elapsed().as_secs_f64()),
            events,
            focused: true,
            ..RawInput::default()
        };
        let wall = Instant::now();
        let before = time::thread_cpu(wall);
        let mut output = self.ctx.run_ui(input, |ui| {
            let ctx = ui.ctx().clone();
            self.shell.logic(&ctx);
            self.shell.ui(ui);
        });
        output.textures_delta.clear();
        let drawn = self.ctx.tessellate(output.shapes, output.pixels_per_point);
        let took = time::ms(time::thread_cpu(wall).saturating_sub(before));
        drop(drawn);
        took
    }

    fn frames(&mut self, count: usize, mut events: impl FnMut(usize) -> Vec<Event>) -> Values {
        let mut values = Values::default();
        for number in 0..count {
            values.push(self.frame(events(number)));
        }
        values
    }
}

/// A core that says what it is told to: snapshots with a growing answer.
struct Player {
    snapshots: watch::Sender<Arc<Snapshot>>,
    commands: mpsc::Receiver<Command>,
    base: Arc<Snapshot>,
    view: Arc<ConversationView>,
    /// Views in which the same is said.
    beside: Vec<Arc<ConversationView>>,
    revision: u32,
}

impl Player {
    fn new(base: &Arc<Snapshot>) -> anyhow::Result<(Self, AppHandle)> {
        let view = base.view(FIRST).context("the conversation is not open")?.clone();
        let (to_core, commands) = mpsc::channel(64);
        let (snapshots, newest) = watch::channel(base.clone());
        let handle = AppHandle::new(to_core, newest);
        Ok((Self { snapshots, commands, base: base.clone(), view, beside: Vec::new(), revision: 0 }, handle))
    }

    /// Publishes the answer as it stands.
    fn say(&mut self, text: &str) {
        while self.commands.try_recv().is_ok() {}
        self.revision += 1;
        let mut snapshot = (*self.base).clone();
        snapshot.revision += u64::from(self.revision);
        let all = std::iter::once(&self.view).chain(&self.beside).zip(0..);
        snapshot.open =
            all.map(|(view, place)| self.saying(view, MessageId(i64::MAX - place), text)).collect();
        snapshot.running_turns = u32::try_from(snapshot.open.len()).unwrap_or(u32::MAX);
        self.snapshots.send_replace(Arc::new(snapshot));
    }

    /// A view with the answer at its end.
    fn saying(&self, view: &ConversationView, id: MessageId, text: &str) -> Arc<ConversationView> {
        let chars = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let entry = IndexEntry { id, revision: self.revision, chars, by_user: false };
        let mut said = view.clone();
        said.index = Arc::new(view.index.iter().copied().chain([entry]).collect());
        said.live = vec![Arc::new(self.message(id, text))];
        said.turn = Some(Arc::new(self.turn(id)));
        Arc::new(said)
    }

    fn message(&self, id: MessageId, text: &str) -> Message {
        Message {
            id,
            conversation: FIRST,
            seq: i64::MAX,
            author: Author::Agent {
                engine: EngineId::new("demo"),
                model: None,
                name: "Demo".into(),
                role: None,
            },
            created_ms: clock::now_ms(),
            state: MessageState::Streaming,
            items: vec![Item { key: "text".into(), body: ItemBody::Text { text: text.into() } }],
            turn: Some(TurnId(1)),
            duration_ms: None,
            usage: None,
            revision: self.revision,
            unsaved: false,
        }
    }

    fn turn(&self, answer: MessageId) -> TurnRow {
        let now_ms = clock::now_ms();
        TurnRow {
            turn: TurnId(1),
            state: TurnState::Running,
            user_message: MessageId(1),
            answer: Some(answer),
            seat: self.view.row.conversation.seat.clone(),
            phase: "Writing".into(),
            started_ms: now_ms,
            ended_ms: None,
            usage: None,
            failure: None,
            report: None,
            last_sign_ms: now_ms,
            resume_command: None,
        }
    }
}

/// Frames while an answer grows to its length and stays followed; then while it grows on and is scrolled through.
fn stream(base: &Arc<Snapshot>) -> anyhow::Result<(Values, Values)> {
    let (mut player, handle) = Player::new(base)?;
    let mut stage = Stage::new(handle);
    stage.frames(WARM_FRAMES, |_| Vec::new());
    let frames = STREAM_SECONDS * STREAM_FRAMES_PER_SECOND;
    let piece_chars = STREAM_CHARS / (STREAM_SECONDS * PIECES_PER_SECOND);
    let text = answer(STREAM_CHARS * 2);
    let part = |player: &mut Player, frame: usize| {
        let chars = frame * PIECES_PER_SECOND / STREAM_FRAMES_PER_SECOND * piece_chars;
        let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
        player.say(text.get(..end).unwrap_or_default());
    };
    let mut following = Values::default();
    for frame in 1..=frames {
        part(&mut player, frame);
        following.push(stage.frame(Vec::new()));
    }
    stage.frame(vec![Event::PointerMoved(pos2(SIZE[0] * 0.6, SIZE[1] * 0.4))]);
    let mut scrolling = Values::default();
    for frame in frames + 1..=frames * 2 {
        part(&mut player, frame);
        let up = (frame / 60) % 2 == 0;
        scrolling.push(stage.frame(vec![wheel(if up { 150.0 } else { -150.0 })]));
    }
    Ok((following, scrolling))
}

/// All frames of an answer that grows by about a thousand bytes a frame: their time in sum and the slowest.
fn long(base: &Arc<Snapshot>, bytes: usize) -> anyhow::Result<(f64, f64)> {
    let (mut player, handle) = Player::new(base)?;
    let mut stage = Stage::new(handle);
    stage.frames(WARM_FRAMES, |_| Vec::new());
    let text = answer(bytes);
    let (mut total, mut worst) = (0.0, 0.0_f64);
    let mut end = 0;
    while end < text.len() {
        end = text.ceil_char_boundary((end + 1_000).min(text.len()));
        player.say(text.get(..end).unwrap_or_default());
        let took = stage.frame(Vec::new());
        total += took;
        worst = worst.max(took);
    }
    Ok((total, worst))
}

/// Markdown of at least so many bytes: a fence, a list and prose in two scripts every 2,500 bytes.
fn answer(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 3_000);
    let mut number = 0;
    while text.len() < bytes {
        number += 1;
        text.push_str(&format!(
            "## Part {number}\n\nThe parser keeps `line {number}` until **more** arrives.\n\n"
        ));
        text.push_str("- first point with some words\n- second point\n  - and one below it\n\n```rust\n");
        for line in 0..32 {
            text.push_str(&format!("    let value_{line} = call({number}, \"text\"); // a note\n"));
        }
        text.push_str("```\n\n");
        for _ in 0..8 {
            text.push_str(
                "대한민국의 역사를 한 문단으로 정리합니다. A sentence with a few more words in it. ",
            );
        }
        text.push_str("\n\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_has_a_fence_about_every_2500_bytes() {
        let text = answer(500_000);
        let fences = text.matches("```rust").count();
        assert!(
            text.len() >= 500_000 && (180..=260).contains(&fences),
            "{} bytes, {fences} fences",
            text.len()
        );
    }
}
