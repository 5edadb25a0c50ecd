//! A small supervisor between us and a child: our own program, started as `__guard <our pid> -- program …`.
//!
//! It exists because a program that was killed cannot end its children any more, and because tools that a
//! child starts leave its process group. The guard leads a session of its own (no terminal to ask a
//! password on), adopts every orphan below it (Linux: child subreaper), watches whether we still live, and
//! leaves nothing behind when it goes. It passes SIGTERM, SIGINT and SIGHUP on to the child's group; SIGUSR1
//! ends everything at once.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::process::SpawnError;

/// The first argument that makes our program a guard.
pub const GUARD_ARG: &str = "__guard";

/// Exit code when the guard itself could not work (as `env` and `timeout` do).
const EXIT_BROKEN: i32 = 125;

/// Starts a line of the guard's own on standard error; the control character keeps a child's words apart.
const MARK: &str = "\u{1}guard ";

/// What a guard told about its child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::os) enum Report {
    /// A signal ended the child.
    Signal(i32),
    /// The child could not be started.
    NotStarted(SpawnError),
}

/// Reads a line that a guard wrote; `None` for any other line.
pub(in crate::os) fn parse_report(line: &str) -> Option<Report> {
    let (word, rest) = line.strip_prefix(MARK)?.split_once(' ')?;
    match word {
        "signal" => rest.parse().ok().map(Report::Signal),
        "not-started" => {
            let (os_error, message) = rest.split_once(' ')?;
            let os_error: i32 = os_error.parse().ok()?;
            let error = io::Error::from_raw_os_error(os_error);
            let program = PathBuf::new();
            let message = message.to_owned();
            Some(Report::NotStarted(SpawnError::from_kind(&program, error.kind(), Some(os_error), message)))
        }
        _ => None,
    }
}

/// The guard's whole life. `args` is what follows [`GUARD_ARG`]; gives the exit code for the process.
///
/// That is the child's own code, 128 + signal when a signal ended it, 127 when it could not be started.
#[must_use]
pub fn run(args: Vec<OsString>) -> i32 {
    let mut args = args.into_iter();
    let parent = args.next().and_then(|pid| pid.to_str()?.parse::<i32>().ok());
    let dashes = args.next();
    let (Some(parent), true, Some(program)) =
        (parent, dashes.is_some_and(|d| d == "--"), args.next().map(PathBuf::from))
    else {
        return EXIT_BROKEN;
    };
    supervise(parent, &program, &args.collect::<Vec<_>>())
}

#[cfg(not(unix))]
fn supervise(_parent: i32, _program: &Path, _args: &[OsString]) -> i32 {
    EXIT_BROKEN
}

#[cfg(unix)]
fn supervise(parent: i32, program: &Path, args: &[OsString]) -> i32 {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return EXIT_BROKEN;
    };
    runtime.block_on(unix::supervise(parent, program, args))
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;
    use std::io::{self, Write as _};
    use std::path::Path;
    use std::process::Command;
    use std::time::{Duration, Instant};

    use rustix::process::{Signal, WaitOptions, WaitStatus};
    use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};

    use super::{EXIT_BROKEN, MARK};
    use crate::os::proc_table::{self, descendants, signal_group};

    /// Exit code when the program could not be started (as shells do).
    const EXIT_NOT_STARTED: i32 = 127;
    /// How often we look whether our parent still lives.
    const PARENT_POLL: Duration = Duration::from_millis(250);
    /// How long what is left over may take to end by itself.
    const GRACE: Duration = Duration::from_secs(1);
    /// How long killing is repeated at most.
    const FORCE: Duration = Duration::from_secs(2);
    const STEP: Duration = Duration::from_millis(20);

    enum End {
        Exited(WaitStatus),
        /// Our parent died, or told us to end everything.
        Alone {
            grace: Duration,
        },
    }

    pub(super) async fn supervise(parent: i32, program: &Path, args: &[OsString]) -> i32 {
        // Before the child is started: a signal from here on waits until it can be passed on.
        let Ok(mut signals) = Signals::listen() else {
            return EXIT_BROKEN;
        };
        // Fails only if we lead a group already; then there is just no session of our own.
        if let Err(error) = rustix::process::setsid() {
            tracing::debug!(%error, "no session of our own");
        }
        #[cfg(target_os = "linux")]
        if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
            tracing::debug!(%error, "orphans will not come to us");
        }
        if parent_is_gone(parent) {
            return EXIT_BROKEN;
        }
        let child = match start(program, args) {
            Ok(pid) => pid,
            Err(error) => {
                report(&format!("not-started {} {error}", error.raw_os_error().unwrap_or(0)));
                return EXIT_NOT_STARTED;
            }
        };
        match watch(parent, child, &mut signals).await {
            End::Exited(status) => {
                end_descendants(true, GRACE).await;
                exit_code(status)
            }
            End::Alone { grace } => {
                signal_group(child, Signal::TERM);
                end_descendants(false, grace).await;
                128 + Signal::TERM.as_raw()
            }
        }
    }

    /// The child leads a group of its own, with our standard streams; `reap` waits for it.
    #[expect(clippy::disallowed_methods, reason = "the guard is where a child is really started")]
    fn start(program: &Path, args: &[OsString]) -> io::Result<i32> {
        use std::os::unix::process::CommandExt as _;
        let child = Command::new(program).args(args).process_group(0).spawn()?;
        i32::try_from(child.id()).map_err(io::Error::other)
    }

    async fn watch(parent: i32, child: i32, signals: &mut Signals) -> End {
        let mut tick = tokio::time::interval(PARENT_POLL);
        loop {
            if let Some(status) = reap(child) {
                return End::Exited(status);
            }
            tokio::select! {
                _ = signals.child.recv() => {}
                _ = tick.tick() => {}
                _ = signals.term.recv() => signal_group(child, Signal::TERM),
                _ = signals.int.recv() => signal_group(child, Signal::TERM),
                _ = signals.hup.recv() => signal_group(child, Signal::TERM),
                _ = signals.usr1.recv() => return End::Alone { grace: Duration::ZERO },
            }
            if parent_is_gone(parent) {
                return End::Alone { grace: GRACE };
            }
        }
    }

    fn parent_is_gone(parent: i32) -> bool {
        rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get()) != Some(parent)
    }

    /// Waits for every process that has ended, our child's as well as adopted ones; gives the child's end.
    fn reap(child: i32) -> Option<WaitStatus> {
        let mut found = None;
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            if pid.as_raw_nonzero().get() == child {
                found = Some(status);
            }
        }
        found
    }

    /// Ends all below us: politely if asked, by force after `grace`, until none is left.
    async fn end_descendants(politely: bool, grace: Duration) {
        let me = rustix::process::getpid().as_raw_nonzero().get();
        let mut left = descendants(me);
        if politely {
            left.iter().for_each(|process| proc_table::signal(*process, Signal::TERM));
        }
        let started = Instant::now();
        while !left.is_empty() && started.elapsed() < grace + FORCE {
            if started.elapsed() >= grace {
                left.iter().for_each(|process| proc_table::signal(*process, Signal::KILL));
            }
            tokio::time::sleep(STEP).await;
            reap(0);
            left = descendants(me);
        }
    }

    fn exit_code(status: WaitStatus) -> i32 {
        if let Some(signal) = status.terminating_signal() {
            report(&format!("signal {signal}"));
            return 128 + signal;
        }
        status.exit_status().unwrap_or(EXIT_BROKEN)
    }

    /// Our parent may be gone, and then there is nobody to tell. The newline before ends whatever the child
    /// left unfinished.
    fn report(what: &str) {
        let line = format!("\n{MARK}{}\n", what.replace('\n', " "));
        drop(io::stderr().write_all(line.as_bytes()));
    }

    struct Signals {
        child: SignalStream,
        term: SignalStream,
        int: SignalStream,
        hup: SignalStream,
        usr1: SignalStream,
    }

    impl Signals {
        fn listen() -> io::Result<Self> {
            Ok(Self {
                child: signal(SignalKind::child())?,
                term: signal(SignalKind::terminate())?,
                int: signal(SignalKind::interrupt())?,
                hup: signal(SignalKind::hangup())?,
                usr1: signal(SignalKind::user_defined1())?,
            })
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_and_other_lines_are_not() {
        let cases = [
            ("\u{1}guard signal 9", Some(Report::Signal(9))),
            ("\u{1}guard signal x", None),
            ("guard signal 9", None),
            (
                "\u{1}guard not-started 2 No such file",
                Some(Report::NotStarted(SpawnError::NotFound { program: PathBuf::new() })),
            ),
            (
                "\u{1}guard not-started 8 Exec format error",
                Some(Report::NotStarted(SpawnError::NotExecutable { program: PathBuf::new() })),
            ),
            ("\u{1}guard", None),
            ("", None),
        ];
        for (line, wanted) in cases {
            assert_eq!(parse_report(line), wanted, "{line:?}");
        }
    }

    #[test]
    fn nonsense_arguments_start_nothing() {
        for args in [vec![], vec!["x"], vec!["1", "--"], vec!["1", "sh", "-c"]] {
            assert_eq!(run(args.into_iter().map(OsString::from).collect()), EXIT_BROKEN);
        }
    }
}
