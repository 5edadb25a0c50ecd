//! Opening a long conversation: from the command to a snapshot with its newest messages.

use std::time::Instant;

use crate::api::command::ChatCommand;
use crate::bench::args::Options;
use crate::bench::report::{Report, Values};
use crate::bench::scratch::{FIRST, Scratch};
use crate::bench::{app, time};

const MOST_MS: f64 = 200.0;

/// A fresh runtime for each run, so that nothing is loaded yet.
///
/// # Errors
/// The runtime does not start, or never shows the conversation.
pub fn measure(options: &Options) -> anyhow::Result<Report> {
    let scratch = Scratch::seeded(1, options.messages)?;
    let mut values = Values::default();
    let mut starts = Values::default();
    for _ in 0..options.runs.unwrap_or(20) {
        let begun = Instant::now();
        let running = app::start(&scratch)?;
        starts.push(time::ms(begun.elapsed()));
        let begun = Instant::now();
        if running.handle().send(ChatCommand::Open { conversation: FIRST }).is_err() {
            anyhow::bail!("the runtime took no command");
        }
        app::until(&running, "the conversation is open", |snapshot| app::shown(snapshot, FIRST).is_some())?;
        values.push(time::ms(begun.elapsed()));
        running.finish();
    }
    let mut report = Report::new("open");
    report.tell("messages", f64::from(options.messages), "");
    report.tell("runs", values.len() as f64, "");
    report.tell("core started, median", starts.median(), "ms");
    report.hold("opened, median", values.median(), "ms", MOST_MS);
    report.hold("opened, slowest", values.max(), "ms", MOST_MS);
    Ok(report)
}
