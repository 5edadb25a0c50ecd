//! AGENTS: one file per engine, pure; one shared runner for all of them.
//!
//! Never here: SQL, prompt assembly, windows. No engine is named outside its own file and `registry`.
//! Start reading at [`Engine`] and [`Dialect`], then `registry` and `host`.

pub mod acp;
pub mod claude;
mod clean;
pub mod codex;
mod connect;
pub mod demo;
pub mod discover;
pub mod failure;
pub mod gemini;
pub mod host;
mod http;
pub mod items;
mod link;
pub mod openai_compat;
pub mod opencode;
mod player;
pub mod registry;
pub mod script;
mod seat;
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

    /// What discovery and the runner need to know besides [`EngineInfo`].
    fn probe(&self) -> Probe {
        Probe::default()
    }

    /// Files to be laid into the empty folder of a seat with [`SeatSpec::words_only`] before it starts: their places
    /// below it, with `/`, and their text. For programs that can be told only so what an agent may not do.
    fn words_only_files(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// Facts by which an engine is looked at without starting a turn. Data, so that no code names an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// Arguments that make the program print its version; empty = it is not asked.
    pub version_args: Vec<String>,
    /// Any one of these shows that somebody logged in.
    pub login_signs: Vec<LoginSign>,
    /// No sign means: not logged in. Otherwise no sign means: cannot tell (a keyring, another provider).
    pub signs_are_all: bool,
    /// Address that lists the models of a server (`GET`, OpenAI style).
    pub models_url: Option<String>,
    /// Name of the secret that holds the server's bearer key.
    pub key_secret: Option<String>,
    /// Environment variables without secrets (folders, addresses, switches) that reach the child.
    pub env_names: Vec<String>,
    /// Environment variables that hold the user's own login, not metered billing: they always reach the child.
    pub login_variables: Vec<String>,
    /// A TOML file in which the user names further key variables, for providers of their own.
    pub key_names: Option<KeyNames>,
}

/// Where a configuration names the variables that hold its providers' keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyNames {
    /// The file; its `word` is not used.
    pub file: LoginSign,
    /// Table of providers, and the entry of each that names a variable.
    pub table: String,
    pub entry: String,
}

/// A file whose presence shows a login. What it holds is never taken over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoginSign {
    /// A variable that moves the folder, and the path below it.
    pub moved_by: Option<(String, String)>,
    /// Path below HOME, where the variable is not set.
    pub home_path: String,
    /// Only a sign if this word stands in the file (first 1 MiB).
    pub word: Option<String>,
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

/// How one seat and its agent talk, as a state machine that touches nothing outside itself.
/// What happened is its input; what is to be written, and what that means in words of no engine, its output.
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
