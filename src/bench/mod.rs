//! MEASURES: how long things take and how much memory they hold, told as figures beside their targets.
//!
//! Never here: behaviour of the product. This room may look into every other, and only the entry point knows it,
//! so nothing depends on a measurement. Each one makes its own data in a temporary folder, starts only its own
//! processes in a cleaned environment, and takes a bounded time.
//! Start reading at [`run`], then `report` (what is told) and one file a measurement.

mod app;
mod args;
mod context;
mod fake_engine;
mod knowledge;
mod latency;
mod open;
#[cfg_attr(not(feature = "gui"), expect(dead_code, reason = "windows are measured by them"))]
mod process;
mod report;
mod scratch;
mod send;
mod time;

#[cfg(feature = "gui")]
mod frames;
#[cfg(feature = "gui")]
mod window;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

#[cfg(feature = "gui")]
use anyhow::Context as _;
use args::{Measure, Options};
use report::Report;

/// All went well and every target was met.
const MET: u8 = 0;
/// A measurement could not be made.
const FAILED: u8 = 1;
/// Wrong arguments.
const WRONG_ARGUMENTS: u8 = 2;
/// Measured, but a target was missed.
const MISSED: u8 = 3;

/// What a measurement hands to the window it has opened.
#[derive(Default)]
pub struct Watched {
    /// Looks on at every frame.
    #[cfg(feature = "gui")]
    pub watcher: Option<Box<dyn crate::ui::Watcher>>,
}

/// Opens the program's own window over a data folder and runs until it is closed; returns the exit code.
pub type OpenWindow = dyn Fn(&Path, Watched) -> u8;

/// Runs the measurement that the words after `bench` name and prints it; returns the exit code: 0 = every target
/// met, 1 = could not be measured, 2 = wrong arguments, 3 = a target missed.
pub fn run(words: &[OsString], open_window: &OpenWindow) -> u8 {
    let options = match args::parse(words) {
        Ok(options) => options,
        Err(why) => return complain(WRONG_ARGUMENTS, &why),
    };
    match measure(&options, open_window) {
        Ok(Done::Report(report)) => {
            let text = if options.json { report.json() } else { report.table() };
            if say(&text).is_err() {
                return FAILED;
            }
            if report.is_met() { MET } else { MISSED }
        }
        Ok(Done::Code(code)) => code,
        Err(error) => complain(FAILED, &format!("{error:#}")),
    }
}

/// How a measurement ended.
enum Done {
    Report(Report),
    /// A helper's part of one, with its exit code.
    Code(u8),
}

#[cfg_attr(not(feature = "gui"), expect(unused_variables, reason = "only windows are opened by it"))]
fn measure(options: &Options, open_window: &OpenWindow) -> anyhow::Result<Done> {
    let report = match &options.measure {
        Measure::Open => open::measure(options)?,
        Measure::Latency => latency::measure(options)?,
        Measure::Context => context::measure(options)?,
        Measure::Send { engine, command } => send::measure(options, engine, command)?,
        Measure::FakeEngine => {
            fake_engine::run()?;
            return Ok(Done::Code(MET));
        }
        #[cfg(feature = "gui")]
        Measure::Frames => frames::measure(options)?,
        #[cfg(feature = "gui")]
        Measure::Start => window::start(options)?,
        #[cfg(feature = "gui")]
        Measure::Memory => window::memory(options)?,
        #[cfg(feature = "gui")]
        Measure::Idle => window::idle(options)?,
        #[cfg(feature = "gui")]
        Measure::Web => window::web(options)?,
        #[cfg(feature = "gui")]
        Measure::Window => {
            let data_dir = options.data_dir.as_deref().context("name the folder with --data-dir")?;
            return Ok(Done::Code(window::watched(data_dir, open_window)));
        }
        #[cfg(feature = "gui")]
        Measure::EmptyWindow => {
            window::empty()?;
            return Ok(Done::Code(MET));
        }
        #[cfg(not(feature = "gui"))]
        _ => anyhow::bail!("this build has no window to measure"),
    };
    Ok(Done::Report(report))
}

/// Writes a line to standard output at once.
fn say(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// A line on standard error; a closed one has nobody to be told.
fn note(line: &str) {
    drop(writeln!(std::io::stderr().lock(), "{line}"));
}

fn complain(code: u8, why: &str) -> u8 {
    note(&format!("tunaflow bench: {why}"));
    code
}
