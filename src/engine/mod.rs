//! AGENTS: one file per engine, pure; one shared runner for all of them.
//!
//! Never here: SQL, prompt assembly, windows. No engine is named outside its own file and `registry`.
//! Start reading at [`Engine`] and [`Dialect`], then `registry` and `host`.

pub mod claude;
mod clean;
pub mod codex;
pub mod failure;
pub mod items;
pub mod registry;
#[cfg(test)]
mod testing;
pub mod wire;

use std::time::Duration;

use crate::model::engine::EngineInfo;
use crate::model::turn::{Decision, SeatSpec, TurnEvent, TurnFailure, TurnRequest};

/// One kind of agent program. Pure: says how to start it and how to talk with it.
pub trait Engine: Send + Sync {
    fn info(&self) -> &EngineInfo;

    /// How one long-lived seat is started.
    ///
    /// # Errors
    /// A [`TurnFailure`] ready to be shown when the seat cannot be started as asked.
    fn launch(&self, seat: &SeatSpec) -> Result<Launch, TurnFailure>;

    /// A fresh state machine for one seat.
    fn dialect(&self, seat: &SeatSpec) -> Box<dyn Dialect>;
}

/// How a seat is brought to life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    /// The program of the [`SeatSpec`], spoken to by lines on standard input and output.
    Process {
        args: Vec<String>,
        /// Added to the child's environment.
        env: Vec<(String, String)>,
    },
    /// An HTTP server: each line the dialect sends is one JSON body posted to `url`;
    /// each `data:` payload of the SSE answer comes back as a line.
    Http {
        url: String,
        /// Name of the secret that holds the bearer key, if the endpoint has one.
        key_secret: Option<String>,
    },
    /// Nothing to start: the dialect answers by itself, paced by timers.
    Builtin,
}

/// The two-way protocol of one seat as a pure state machine: no process, no clock, no I/O.
/// Everything that can happen goes in; lines to write and engine-neutral events come out.
pub trait Dialect: Send {
    fn input(&mut self, input: SeatInput<'_>, out: &mut SeatOutput);
}

/// Names a timer within its seat; a fired timer that is no longer wanted is ignored by the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimerId(pub u32);

/// Everything that can happen to a seat.
#[derive(Debug)]
pub enum SeatInput<'a> {
    /// A turn begins. The first one follows the start of the process at once.
    Begin(&'a TurnRequest),
    /// One whole line of standard output (or one SSE payload), without its line end.
    Line(&'a str),
    /// A line over the limit was skipped.
    LineTooLong { bytes: u64 },
    /// The user answered a permission question.
    Answer { ask: &'a str, decision: &'a Decision },
    /// The user wants the turn to stop: ask the engine to cancel by its protocol.
    Cancel,
    /// The process has gone.
    Exited(&'a SeatExit),
    /// HTTP: the server answered with an error status.
    HttpStatus { code: u16, retry_after_secs: Option<u64>, body: &'a str },
    /// HTTP: the request could not be made or broke off; `why` is one line.
    HttpFailed { why: &'a str },
    /// HTTP: the answer ended normally.
    HttpEnd,
    /// A wanted timer fired.
    Deadline(TimerId),
}

/// How a process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatExit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// Last lines of standard error, cleaned of control characters.
    pub stderr_tail: String,
}

/// What a dialect wants done, in order. The runner takes it empty after each input.
#[derive(Debug, Default)]
pub struct SeatOutput {
    /// Lines to write to the engine, without line ends.
    pub lines: Vec<String>,
    pub events: Vec<TurnEvent>,
    /// Timers to start.
    pub timers: Vec<(TimerId, Duration)>,
    /// Lines that were not understood or are only for the log.
    pub log: Vec<String>,
    /// Unknown events, ids and fields skipped in this input.
    pub skipped: u32,
    /// The seat cannot be used again: end the process after this turn.
    pub retire: bool,
}
