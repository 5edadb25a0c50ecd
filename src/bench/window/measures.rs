//! The program's window beside the empty one: start, memory, rest.

use std::time::Duration;

use crate::bench::args::Options;
use crate::bench::note;
use crate::bench::process::{self, Memory};
use crate::bench::report::{Report, Values};
use crate::bench::scratch::Scratch;
use crate::bench::window::child::{Kind, WindowProcess, home};
use crate::bench::window::word;

const START_MOST_RATIO: f64 = 1.5;
const MEMORY_MOST_MORE_MB: f64 = 50.0;
const IDLE_MOST_CPU_PERCENT: f64 = 1.0;
/// Frames of scrolling before memory is looked at.
const SCROLL_FRAMES: u32 = 300;
/// What a window may still do after its last visible change, e.g. look for engines.
const SETTLE: Duration = Duration::from_secs(5);

/// Runs one at a time on this thread.
fn block_on<T>(future: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(future)
}

/// Cold starts in turn.
///
/// # Errors
/// A window does not open.
pub fn start(options: &Options) -> anyhow::Result<Report> {
    let scratch = home(options.messages)?;
    let runs = options.runs.unwrap_or(10);
    block_on(async {
        let (mut empty, mut own, mut whole) = (Values::default(), Values::default(), Values::default());
        for run in 0..=runs {
            let empty_ms = first_frame(&scratch, Kind::Empty).await?.0;
            let (own_ms, whole_ms) = first_frame(&scratch, Kind::Own).await?;
            note(&format!(
                "run {run}: empty {empty_ms:.0} ms, own {own_ms:.0} ms, with messages {whole_ms:.0} ms"
            ));
            // The first run finds the program's file not yet in memory.
            if run > 0 {
                empty.push(empty_ms);
                own.push(own_ms);
                whole.push(whole_ms);
            }
        }
        let mut report = Report::new("start");
        report.tell("messages", f64::from(options.messages), "");
        report.tell("runs of each", f64::from(runs), "");
        report.tell("empty window, first frame, median", empty.median(), "ms");
        report.tell("own window, first frame, median", own.median(), "ms");
        report.tell("own window, frame with messages, median", whole.median(), "ms");
        report.hold("ratio of first frames", own.median() / empty.median(), "×", START_MOST_RATIO);
        report.tell("ratio with messages", whole.median() / empty.median(), "×");
        Ok(report)
    })
}

/// Until the first frame, and until one that shows everything.
async fn first_frame(scratch: &Scratch, kind: Kind) -> anyhow::Result<(f64, f64)> {
    let mut window = WindowProcess::open(scratch, kind)?;
    let painted = window.since_start_ms(word::PAINTED).await?;
    let shown = window.since_start_ms(word::SHOWN).await?;
    window.close().await;
    Ok((painted, shown))
}

/// Memory of both windows after a while; the own one with its conversation open and scrolled.
///
/// # Errors
/// A window does not open, or the system does not tell memory.
pub fn memory(options: &Options) -> anyhow::Result<Report> {
    let scratch = home(options.messages)?;
    block_on(async {
        let empty = settled(&scratch, Kind::Empty, 0).await?;
        let open = settled(&scratch, Kind::Own, 0).await?;
        let scrolled = settled(&scratch, Kind::Own, SCROLL_FRAMES).await?;
        let mut report = Report::new("memory");
        report.tell("messages", f64::from(options.messages), "");
        for (name, memory) in [("empty", empty), ("own, open", open), ("own, scrolled", scrolled)] {
            report.tell(format!("{name}, resident"), memory.rss_mb, "MB");
            report.tell(format!("{name}, by share"), memory.pss_mb, "MB");
        }
        report.hold("more than empty, resident", scrolled.rss_mb - empty.rss_mb, "MB", MEMORY_MOST_MORE_MB);
        report.hold("more than empty, by share", scrolled.pss_mb - empty.pss_mb, "MB", MEMORY_MOST_MORE_MB);
        Ok(report)
    })
}

async fn settled(scratch: &Scratch, kind: Kind, scroll_frames: u32) -> anyhow::Result<Memory> {
    let mut window = WindowProcess::open(scratch, kind)?;
    window.heard(word::SHOWN).await?;
    if scroll_frames > 0 {
        window.scroll(scroll_frames).await?;
    }
    tokio::time::sleep(SETTLE).await;
    let memory = process::memory(window.pid())?;
    window.close().await;
    Ok(memory)
}

/// The own window at rest with its conversation open.
///
/// # Errors
/// The window does not open, or the system does not tell processor time.
pub fn idle(options: &Options) -> anyhow::Result<Report> {
    let scratch = home(options.messages)?;
    let seconds = options.seconds;
    block_on(async {
        let mut window = WindowProcess::open(&scratch, Kind::Own)?;
        window.heard(word::SHOWN).await?;
        tokio::time::sleep(SETTLE).await;
        let (frames, cpu_ms) = (window.frames().await?, process::cpu_ms(window.pid())?);
        tokio::time::sleep(Duration::from_secs(u64::from(seconds))).await;
        let (frames_after, cpu_after_ms) = (window.frames().await?, process::cpu_ms(window.pid())?);
        window.close().await;
        let mut report = Report::new("idle");
        report.tell("messages", f64::from(options.messages), "");
        report.tell("frames until then", frames as f64, "");
        report.tell("seconds at rest", f64::from(seconds), "s");
        report.hold("frames at rest", frames_after.saturating_sub(frames) as f64, "", 0.0);
        let percent = (cpu_after_ms - cpu_ms) / (f64::from(seconds) * 10.0);
        report.hold("processor", percent, "%", IDLE_MOST_CPU_PERCENT);
        Ok(report)
    })
}
