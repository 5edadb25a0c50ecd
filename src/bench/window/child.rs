//! Starts a window in a process of its own, asks it and ends it.

use std::ffi::OsString;
use std::time::Duration;

use anyhow::Context as _;

use crate::bench::scratch::{FIRST, Scratch};
use crate::bench::time;
use crate::bench::window::word;
use crate::os::process::{Child, Line, LineSource, ProcessSpec, StdinMode, StdinWriter, spawn};
use crate::ui::route::Route;
use crate::ui::view_state::ViewState;

/// Longest wait for a window's word.
const LIMIT: Duration = Duration::from_secs(60);
/// How long a window may take to close.
const GRACE: Duration = Duration::from_secs(3);

/// Which window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Empty,
    Own,
}

/// A window under measurement. Dropping it ends its process.
pub(super) struct WindowProcess {
    child: Child,
    stdin: Option<StdinWriter>,
    lines: LineSource,
    spawned_ns: u64,
}

/// A home whose window opens at the seeded conversation.
pub(super) fn home(messages: u32) -> anyhow::Result<Scratch> {
    let scratch = Scratch::seeded(1, messages)?;
    remember(&scratch);
    Ok(scratch)
}

fn remember(scratch: &Scratch) {
    let view = ViewState { route: Route::Chat { conversation: FIRST }, ..ViewState::default() };
    view.save(&scratch.data_dir().join("window.json"));
}

impl WindowProcess {
    /// Must be called inside a tokio runtime.
    pub fn open(scratch: &Scratch, kind: Kind) -> anyhow::Result<Self> {
        let args: Vec<OsString> = match kind {
            Kind::Empty => vec!["bench".into(), "empty-window".into()],
            Kind::Own => {
                vec![
                    "bench".into(),
                    "window".into(),
                    "--data-dir".into(),
                    scratch.data_dir().into_os_string(),
                ]
            }
        };
        let spec = ProcessSpec {
            program: std::env::current_exe()?,
            args,
            env: scratch.env(),
            cwd: scratch.project(),
            stdin: StdinMode::Piped,
            guard: None,
        };
        let spawned_ns = time::now_ns();
        let mut child = spawn(&spec)?;
        let lines = child.take_lines().context("no standard output")?;
        let stdin = child.take_stdin();
        Ok(Self { child, stdin, lines, spawned_ns })
    }

    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// The number that comes with a word.
    pub async fn heard(&mut self, wanted: &str) -> anyhow::Result<u64> {
        let found = tokio::time::timeout(LIMIT, async {
            while let Some(line) = self.lines.next().await {
                if let Line::Text(line) = line
                    && let Some((word, number)) = line.split_once(' ')
                    && word == wanted
                {
                    return number.parse().ok();
                }
            }
            None
        });
        let found = found.await.ok().flatten();
        found.with_context(|| format!("the window never said {wanted}: {}", self.child.stderr_tail()))
    }

    /// From before the process was started until the word's moment, milliseconds.
    pub async fn since_start_ms(&mut self, word: &str) -> anyhow::Result<f64> {
        let at_ns = self.heard(word).await?;
        Ok(time::ms_between(self.spawned_ns, at_ns))
    }

    async fn order(&self, line: &str) -> anyhow::Result<()> {
        let stdin = self.stdin.as_ref().context("no standard input")?;
        stdin.write_line(line).await.map_err(|_closed| anyhow::anyhow!("the window listens no more"))
    }

    pub async fn scroll(&mut self, frames: u32) -> anyhow::Result<()> {
        self.order(&format!("scroll {frames}")).await?;
        self.heard(word::SCROLLED).await.map(drop)
    }

    /// Frames so far.
    pub async fn frames(&mut self) -> anyhow::Result<u64> {
        self.order("frames").await?;
        self.heard(word::FRAMES).await
    }

    /// Closes it as a user would, by force after a while.
    pub async fn close(mut self) {
        if let Some(stdin) = self.stdin.take()
            && stdin.close().await.is_err()
        {
            tracing::debug!("the window had gone already");
        }
        if tokio::time::timeout(GRACE, self.child.wait()).await.is_err() {
            self.child.stop(Duration::from_secs(1)).await;
        }
    }
}
