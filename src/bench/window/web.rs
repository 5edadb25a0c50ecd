//! The program's window beside a web browser's with an empty page: what a web-based client would start from.
//!
//! Needs `chromium` and `xdotool` in PATH and an X display.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::bench::args::Options;
use crate::bench::process::{Memory, family, memory_of};
use crate::bench::report::{Report, Values};
use crate::bench::scratch::Scratch;
use crate::bench::window::child::home;
use crate::bench::{note, time};
use crate::os::process::{Child, ProcessSpec, StdinMode, run_for_output, spawn};

const LIMIT: Duration = Duration::from_secs(60);
const LOOK_GAP: Duration = Duration::from_millis(10);
const SETTLE: Duration = Duration::from_secs(5);
const BROWSERS: [&str; 2] = ["chromium", "chromium-browser"];

/// Starts in turn until each window is on the screen, and memory of all processes of each at rest.
///
/// # Errors
/// A program is missing, or a window never comes.
pub fn web(options: &Options) -> anyhow::Result<Report> {
    let looker = program("xdotool").context("xdotool is not in PATH")?;
    let browser = BROWSERS.iter().find_map(|name| program(name)).context("chromium is not in PATH")?;
    let scratch = home(options.messages)?;
    let own = Side {
        program: std::env::current_exe()?,
        args: vec!["--data-dir".into(), scratch.data_dir().into_os_string()],
        class: "tunaflow",
        marker: scratch.data_dir(),
    };
    let profile = scratch.path().join("browser");
    let web = Side { program: browser, args: browser_args(&profile), class: "chromium", marker: profile };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut report = Report::new("web");
    report.tell("messages in the own window", f64::from(options.messages), "");
    runtime.block_on(async {
        let (mut own_ms, mut web_ms) = (Values::default(), Values::default());
        let (mut own_memory, mut web_memory) = (Memory::default(), Memory::default());
        // The first run makes the browser's profile and finds no file in memory yet.
        for run in 0..=options.runs.unwrap_or(5) {
            let (web_took, web_size) = web.look(&scratch, &looker).await?;
            let (own_took, own_size) = own.look(&scratch, &looker).await?;
            note(&format!("run {run}: browser {web_took:.0} ms, own {own_took:.0} ms"));
            if run > 0 {
                own_ms.push(own_took);
                web_ms.push(web_took);
            }
            (own_memory, web_memory) = (own_size, web_size);
        }
        report.tell("browser, on the screen, median", web_ms.median(), "ms");
        report.tell("own, on the screen, median", own_ms.median(), "ms");
        report.tell("browser, all processes, resident", web_memory.rss_mb, "MB");
        report.tell("browser, all processes, by share", web_memory.pss_mb, "MB");
        report.tell("own, all processes, resident", own_memory.rss_mb, "MB");
        report.tell("own, all processes, by share", own_memory.pss_mb, "MB");
        report.tell("browser's start to own", web_ms.median() / own_ms.median(), "×");
        report.tell("browser's memory by share to own", web_memory.pss_mb / own_memory.pss_mb, "×");
        Ok(report)
    })
}

/// Without anything that asks, updates or reaches out.
fn browser_args(profile: &Path) -> Vec<OsString> {
    let mut profile_arg = OsString::from("--user-data-dir=");
    profile_arg.push(profile);
    let fixed = [
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        // Tests and containers run as root, where its sandbox cannot.
        "--no-sandbox",
        "--window-size=1280,800",
        "--app=about:blank",
    ];
    std::iter::once(profile_arg).chain(fixed.map(OsString::from)).collect()
}

struct Side {
    program: PathBuf,
    args: Vec<OsString>,
    /// The window's class.
    class: &'static str,
    /// Stands in the command line of each of its processes.
    marker: PathBuf,
}

impl Side {
    /// Until its window is on the screen, and its memory at rest.
    async fn look(&self, scratch: &Scratch, looker: &Path) -> anyhow::Result<(f64, Memory)> {
        let spec = |program: &Path, args: Vec<OsString>| ProcessSpec {
            program: program.to_path_buf(),
            args,
            env: scratch.env(),
            cwd: scratch.project(),
            stdin: StdinMode::Null,
            guard: None,
        };
        let search = ["search", "--onlyvisible", "--class", self.class].map(OsString::from);
        let search = spec(looker, search.to_vec());
        let begun = Instant::now();
        let mut child = spawn(&spec(&self.program, self.args.clone()))?;
        drop(child.take_lines());
        loop {
            let seen = run_for_output(&search, LIMIT, 1_000).await?;
            if !seen.stdout.trim().is_empty() {
                break;
            }
            anyhow::ensure!(begun.elapsed() < LIMIT, "no window of {}: {}", self.class, child.stderr_tail());
            tokio::time::sleep(LOOK_GAP).await;
        }
        let took = time::ms(begun.elapsed());
        tokio::time::sleep(SETTLE).await;
        let memory = memory_of(&family(child.pid(), &self.marker));
        end(&mut child).await;
        Ok((took, memory))
    }
}

/// Politely, so that a profile is left whole.
async fn end(child: &mut Child) {
    child.stop(Duration::from_secs(3)).await;
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
