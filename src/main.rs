//! Entry point of the program.

use std::path::PathBuf;
use std::process::ExitCode;

use tunaflow::os::guard;
use tunaflow::os::paths::DataPaths;

#[cfg(feature = "gui")]
mod desktop;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    if args.peek().is_some_and(|first| first == guard::GUARD_ARG) {
        let code = guard::run(args.skip(1).collect());
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    let Ok(paths) = DataPaths::new(None) else { return ExitCode::FAILURE };
    let config = tunaflow::runtime::Config {
        paths,
        process_env: std::env::vars_os().collect(),
        home: std::env::home_dir().unwrap_or_else(|| PathBuf::from("/")),
        guard: std::env::current_exe().ok(),
        read_only: false,
        discover: true,
    };
    #[cfg(feature = "gui")]
    if desktop::run(config, None).is_err() {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
