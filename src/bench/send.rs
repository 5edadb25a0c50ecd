//! The headless `send` beside the bare program with the same prompt, in turn.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::bench::args::Options;
use crate::bench::report::{Report, Values};
use crate::bench::scratch::Scratch;
use crate::bench::{note, time};
use crate::os::process::{ProcessSpec, StdinMode, run_for_output};

const MOST_RATIO: f64 = 1.05;
const LIMIT: Duration = Duration::from_secs(120);
const OUTPUT_MAX_BYTES: usize = 1_000_000;

/// Both run in this environment: it is the caller's to make it lead to one model server. `{}` in the bare command
/// stands for the prompt.
///
/// # Errors
/// A program cannot be started or fails.
pub fn measure(options: &Options, engine: &str, command: &[OsString]) -> anyhow::Result<Report> {
    let scratch = Scratch::new()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let bare = bare(&scratch, command, &options.prompt)?;
    let data_dir = options.data_dir.clone().unwrap_or_else(|| scratch.data_dir());
    let own = own(&scratch, data_dir, engine, &options.prompt)?;
    let (mut bare_ms, mut own_ms, mut ratios) = (Values::default(), Values::default(), Values::default());
    let run = |spec: &ProcessSpec| -> anyhow::Result<f64> {
        let begun = Instant::now();
        let output = runtime.block_on(run_for_output(spec, LIMIT, OUTPUT_MAX_BYTES))?;
        let took = time::ms(begun.elapsed());
        let program = spec.program.display();
        anyhow::ensure!(
            output.exit.code == Some(0),
            "{program} failed: {} {}",
            output.stdout,
            output.exit.stderr_tail
        );
        Ok(took)
    };
    // The first run of each fills caches and says early what does not work.
    run(&bare)?;
    run(&own)?;
    for number in 1..=options.runs.unwrap_or(10) {
        let (bare, own) = (run(&bare)?, run(&own)?);
        note(&format!("run {number}: bare {bare:.0} ms, send {own:.0} ms"));
        bare_ms.push(bare);
        own_ms.push(own);
        ratios.push(own / bare);
    }
    let mut report = Report::new("send");
    report.tell("runs of each", bare_ms.len() as f64, "");
    report.tell("bare program, median", bare_ms.median(), "ms");
    report.tell("tunaflow send, median", own_ms.median(), "ms");
    report.tell("ratio in pairs, median", ratios.median(), "×");
    report.hold("ratio of medians", own_ms.median() / bare_ms.median(), "×", MOST_RATIO);
    Ok(report)
}

fn bare(scratch: &Scratch, command: &[OsString], prompt: &str) -> anyhow::Result<ProcessSpec> {
    let (program, args) = command.split_first().context("no command")?;
    let args = args.iter().map(|arg| if arg == "{}" { prompt.into() } else { arg.clone() }).collect();
    Ok(spec(scratch, find(program)?, args))
}

fn own(scratch: &Scratch, data_dir: PathBuf, engine: &str, prompt: &str) -> anyhow::Result<ProcessSpec> {
    let mut args: Vec<OsString> = vec!["--data-dir".into(), data_dir.into_os_string()];
    args.extend(["--project".into(), scratch.project().into_os_string()]);
    args.extend(["send", "--engine", engine, prompt].map(OsString::from));
    Ok(spec(scratch, std::env::current_exe()?, args))
}

fn spec(scratch: &Scratch, program: PathBuf, args: Vec<OsString>) -> ProcessSpec {
    let env = std::env::vars_os().collect();
    ProcessSpec { program, args, env, cwd: scratch.project(), stdin: StdinMode::Null, guard: None }
}

/// A path as it is, a name along PATH.
fn find(program: &OsString) -> anyhow::Result<PathBuf> {
    let given = PathBuf::from(program);
    if given.components().count() > 1 {
        return Ok(std::path::absolute(given)?);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(&given)).find(|file| file.is_file());
    found.with_context(|| format!("{} is not in PATH", given.display()))
}
