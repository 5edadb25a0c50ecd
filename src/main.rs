//! Entry point: guard first, then arguments, then the command line or the window.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tunaflow::api::handle::Waker;
use tunaflow::bench;
use tunaflow::cli;
use tunaflow::cli::args::{Wish, parse};
use tunaflow::os::guard;
use tunaflow::os::log;
use tunaflow::os::paths::DataPaths;
use tunaflow::runtime::{self, Config};
use tunaflow::store;

#[cfg(feature = "gui")]
mod desktop;

const LOG_FILTER: &str = "info";

/// The log, by the filter in `TUNAFLOW_LOG` (e.g. `debug` or `warn,eframe=trace`) when there is a readable one.
/// Without a log the program still serves.
fn start_log(folder: &Path) -> Option<log::LogGuard> {
    let wanted = std::env::var("TUNAFLOW_LOG").unwrap_or_else(|_unset| LOG_FILTER.to_owned());
    match log::start(folder, &wanted) {
        Err(log::LogError::Filter(why)) => {
            let started = log::start(folder, LOG_FILTER).ok();
            tracing::warn!(%why, wanted, "TUNAFLOW_LOG is not understood");
            started
        }
        other => other.ok(),
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    if args.peek().is_some_and(|first| first == guard::GUARD_ARG) {
        let code = guard::run(args.skip(1).collect());
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    #[cfg(all(feature = "gui", debug_assertions))]
    if let Some(code) = looking() {
        return code;
    }
    ExitCode::from(match parse(args) {
        Err(error) => cli::complain(cli::WRONG_ARGUMENTS, &error.to_string()),
        Ok(invocation) => match &invocation.wish {
            Wish::Window => window(invocation.data_dir.as_deref(), invocation.project.as_deref()),
            Wish::Bench(words) => bench::run(words, &measured_window),
            _ => cli::run(&invocation, &start),
        },
    })
}

/// A core for one command of the command line.
fn start(need: &cli::Need) -> Result<cli::Core, String> {
    let config = config(need)?;
    let paths = config.paths.clone();
    // A second core of the same process goes on in the first one's log; without any the command still serves.
    let has_folder = if need.read_only { paths.log_folder().is_dir() } else { paths.create().is_ok() };
    let log = if has_folder { start_log(paths.log_folder()) } else { None };
    let running = runtime::start(config, Waker::noop()).map_err(|error| error.to_string())?;
    Ok(cli::Core {
        app: running.handle(),
        log_folder: paths.log_folder().to_path_buf(),
        database: paths.database(),
        check: Box::new(move || check(&paths.database())),
        finish: Box::new(move || {
            running.finish();
            drop(log);
        }),
    })
}

/// Looks whether the whole database is sound; one that is not there yet is.
fn check(database: &Path) -> Result<(), String> {
    if !database.exists() {
        return Ok(());
    }
    store::quick_check(database).map_err(|error| error.to_string())
}

fn config(need: &cli::Need) -> Result<Config, String> {
    Ok(Config {
        paths: DataPaths::new(need.data_dir.as_deref()).map_err(|error| error.to_string())?,
        process_env: std::env::vars_os().collect(),
        home: std::env::home_dir().unwrap_or_else(|| PathBuf::from("/")),
        guard: std::env::current_exe().ok(),
        read_only: need.read_only,
        program_ends: true,
        discover: need.discover,
    })
}

/// The window, at the project if one is named.
fn window(data_dir: Option<&Path>, project: Option<&Path>) -> u8 {
    open_window(data_dir, project, bench::Watched::default())
}

/// The same window with a measurement looking on.
fn measured_window(data_dir: &Path, watched: bench::Watched) -> u8 {
    open_window(Some(data_dir), None, watched)
}

#[cfg(feature = "gui")]
fn open_window(data_dir: Option<&Path>, project: Option<&Path>, watched: bench::Watched) -> u8 {
    if !has_display() {
        return cli::complain(
            cli::BROKEN,
            "There is no display for a window. Use a command: see tunaflow help.",
        );
    }
    let need = cli::Need { data_dir: data_dir.map(Path::to_path_buf), read_only: false, discover: true };
    let config = match config(&need) {
        Ok(config) => config,
        Err(why) => return cli::complain(cli::CANNOT_START, &why),
    };
    let log = config.paths.create().ok().and_then(|()| start_log(config.paths.log_folder()));
    let shown = desktop::run(config, project.map(Path::to_path_buf), watched);
    drop(log);
    match shown {
        Ok(()) => 0,
        Err(error) => {
            let code = if error.is::<runtime::StartError>() { cli::CANNOT_START } else { cli::BROKEN };
            cli::complain(code, &format!("{error:#}"))
        }
    }
}

/// Where windows need a server, whether one is named.
#[cfg(feature = "gui")]
fn has_display() -> bool {
    let is_named = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(not(target_os = "linux"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].into_iter().any(is_named)
}

#[cfg(not(feature = "gui"))]
fn open_window(_data_dir: Option<&Path>, _project: Option<&Path>, _watched: bench::Watched) -> u8 {
    cli::complain(cli::CANNOT_START, "This build has no window. Use a command: see tunaflow help.")
}

/// `__gallery [dark|light] [0|1|2]`: all pieces on one page.
/// `__ui-fixture <name> [dark|light] [WxH] [zoom]`: the window over a snapshot made by hand.
#[cfg(all(feature = "gui", debug_assertions))]
fn looking() -> Option<ExitCode> {
    let mut args = std::env::args().skip(1);
    let ran = match args.next()?.as_str() {
        "__gallery" => {
            let theme = args.next().unwrap_or_default();
            let page = args.next().and_then(|page| page.parse().ok()).unwrap_or(0);
            tunaflow::ui::widgets::gallery::run(&theme, page).is_ok()
        }
        "__ui-fixture" => tunaflow::ui::demo::run(args).is_ok(),
        _ => return None,
    };
    Some(if ran { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
