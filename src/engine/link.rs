//! What a seat is connected to: a process, an HTTP server, or nothing but timers.

use std::ffi::OsString;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::engine::http::{Answer, Request};
use crate::engine::{SeatExit, TimerId};
use crate::os::process::{Child, ExitInfo, Line, LineSource, ProcessSpec, SpawnError, StdinWriter, spawn};

/// A program that closed its output may take so long to end by itself.
const END_AFTER_OUTPUT: Duration = Duration::from_secs(2);

/// Something happened on the other side.
#[derive(Debug)]
pub(super) enum Happening {
    Line(String),
    LineTooLong(u64),
    Exited(ExitInfo),
    Status { code: u16, retry_after_secs: Option<u64>, body: String },
    Failed(String),
    End,
    Timer(TimerId),
}

/// The connection of one seat and its timers.
#[derive(Debug)]
pub(super) struct Link {
    kind: Kind,
    timers: Vec<(Instant, TimerId)>,
}

#[derive(Debug)]
enum Kind {
    Process(Box<Process>),
    Http {
        url: String,
        key: Option<String>,
        request: Option<Request>,
    },
    Builtin,
    /// The process has gone, and that was said.
    Gone,
}

#[derive(Debug)]
struct Process {
    child: Child,
    stdin: Option<StdinWriter>,
    lines: Option<LineSource>,
    /// When a process that closed its output is ended by force.
    end_by: Option<Instant>,
}

impl Link {
    pub(super) fn process(spec: &ProcessSpec) -> Result<Self, SpawnError> {
        let mut child = spawn(spec)?;
        let (stdin, lines) = (child.take_stdin(), child.take_lines());
        Ok(Self::of(Kind::Process(Box::new(Process { child, stdin, lines, end_by: None }))))
    }

    pub(super) fn http(url: String, key: Option<String>) -> Self {
        Self::of(Kind::Http { url, key, request: None })
    }

    pub(super) fn builtin() -> Self {
        Self::of(Kind::Builtin)
    }

    fn of(kind: Kind) -> Self {
        Self { kind, timers: Vec::new() }
    }

    pub(super) fn is_process(&self) -> bool {
        matches!(self.kind, Kind::Process(_) | Kind::Gone)
    }

    /// Sends one line. A process that reads no longer shows by its exit, a server by its answer.
    pub(super) async fn send(&mut self, line: String) {
        match &mut self.kind {
            Kind::Process(process) => {
                if let Some(stdin) = &process.stdin
                    && let Err(closed) = stdin.write_line(&line).await
                {
                    tracing::debug!(pid = process.child.pid(), %closed, "a line was not taken");
                }
            }
            Kind::Http { url, key, request } => {
                *request = Some(Request::post(url.clone(), key.clone(), line));
            }
            Kind::Builtin | Kind::Gone => {}
        }
    }

    pub(super) fn start_timer(&mut self, id: TimerId, after: Duration) {
        self.timers.push((Instant::now() + after, id));
    }

    /// Breaks off a running request; a process is not touched.
    pub(super) fn break_off(&mut self) {
        if let Kind::Http { request, .. } = &mut self.kind {
            *request = None;
        }
    }

    /// The next thing that happens. May be dropped while waiting.
    pub(super) async fn next(&mut self) -> Happening {
        let due =
            self.timers.iter().enumerate().min_by_key(|(_, (at, _))| *at).map(|(at, (when, _))| (at, *when));
        let timer = async {
            match due {
                Some((_, when)) => sleep_until(when).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = timer => {
                let (_, id) = self.timers.swap_remove(due.map_or(0, |(at, _)| at));
                Happening::Timer(id)
            }
            happening = self.kind.next() => happening,
        }
    }

    /// Ends the process and all it started: politely for `grace`, then by force.
    pub(super) async fn end(&mut self, grace: Duration) -> ExitInfo {
        match std::mem::replace(&mut self.kind, Kind::Gone) {
            Kind::Process(mut process) => {
                // Agents end by themselves when their input ends.
                process.stdin = None;
                process.child.stop(grace).await
            }
            Kind::Http { .. } | Kind::Builtin | Kind::Gone => ExitInfo::default(),
        }
    }
}

impl Link {
    /// At the end of this program: the process may end in its own time, its guard sees to it. Without a guard it is
    /// ended now.
    pub(super) async fn leave(&mut self, grace: Duration) {
        if let Kind::Process(process) = std::mem::replace(&mut self.kind, Kind::Gone) {
            let Process { child, stdin, .. } = *process;
            drop(stdin);
            if let Err(mut child) = child.leave() {
                child.stop(grace).await;
            }
        }
    }
}

impl Kind {
    async fn next(&mut self) -> Happening {
        match self {
            Self::Process(process) => {
                let happening = process.next().await;
                if matches!(happening, Happening::Exited(_)) {
                    *self = Self::Gone;
                }
                happening
            }
            Self::Http { request, .. } => {
                let Some(open) = request else { return std::future::pending().await };
                let happening = match open.next().await {
                    Some(Answer::Payload(text)) => return Happening::Line(text),
                    Some(Answer::TooLong(bytes)) => return Happening::LineTooLong(bytes),
                    Some(Answer::Status { code, retry_after_secs, body }) => {
                        Happening::Status { code, retry_after_secs, body }
                    }
                    Some(Answer::Failed(why)) => Happening::Failed(why),
                    Some(Answer::End) => Happening::End,
                    None => Happening::Failed("the request was broken off".to_owned()),
                };
                *request = None;
                happening
            }
            Self::Builtin | Self::Gone => std::future::pending().await,
        }
    }
}

impl Process {
    async fn next(&mut self) -> Happening {
        if let Some(lines) = &mut self.lines {
            match lines.next().await {
                Some(Line::Text(text)) => return Happening::Line(text),
                Some(Line::TooLong { bytes }) => return Happening::LineTooLong(bytes),
                None => self.lines = None,
            }
        }
        let end_by = *self.end_by.get_or_insert_with(|| Instant::now() + END_AFTER_OUTPUT);
        match tokio::time::timeout_at(end_by, self.child.wait()).await {
            Ok(exit) => Happening::Exited(exit),
            Err(_elapsed) => Happening::Exited(self.child.stop(Duration::ZERO).await),
        }
    }
}

/// As the dialects take it.
pub(super) fn seat_exit(exit: &ExitInfo) -> SeatExit {
    SeatExit { code: exit.code, signal: exit.signal, stderr_tail: exit.stderr_tail.clone() }
}

/// The command as it can be read, for messages.
pub(super) fn shown(program: &std::path::Path, args: &[OsString]) -> String {
    let mut text = program.display().to_string();
    for arg in args {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    text
}
