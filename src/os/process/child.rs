//! The handle of a running child: its input, its lines, its exit, and its end.

use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::{ChildStderr, Command};
use tokio::sync::watch;

use super::lines::LineSource;
use super::spec::{ProcessSpec, SpawnError, StdinMode};
use super::stdin::StdinWriter;
use super::tail::Tail;
use super::tree::Tree;
use crate::os::guard::{self, Report};

/// How long an exited child's standard error is still read; a process it left behind may hold it open.
const STDERR_AFTER_EXIT: Duration = Duration::from_millis(500);
/// The longest polite wait of [`Child::stop`].
const MAX_GRACE: Duration = Duration::from_secs(3);

/// How a child ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExitInfo {
    /// Its exit code; `None` when a signal ended it. 0 says little: several programs fail with 0.
    pub code: Option<i32>,
    /// The signal that ended it (Unix).
    pub signal: Option<i32>,
    /// The last lines of its standard error, without terminal escapes.
    pub stderr_tail: String,
    /// Set when the guard could not start the program; there was no child then.
    pub start_error: Option<SpawnError>,
}

/// A running child. Dropping it ends the child and everything it started, at once.
#[derive(Debug)]
pub struct Child {
    pid: u32,
    tree: Tree,
    exit: watch::Receiver<Option<ExitInfo>>,
    stderr: watch::Receiver<Stderr>,
    stdin: Option<StdinWriter>,
    lines: Option<LineSource>,
    guarded: bool,
    /// The guard sees to its end.
    left: bool,
}

#[derive(Debug, Default)]
struct Stderr {
    tail: Tail,
    report: Option<Report>,
}

/// Starts a child in a process group of its own. Must be called inside a tokio runtime.
///
/// # Errors
/// See [`SpawnError`]. With a guard, a program that the system refuses only when it is run (bad format)
/// starts well here and shows as [`ExitInfo::start_error`].
pub fn spawn(spec: &ProcessSpec) -> Result<Child, SpawnError> {
    spec.check()?;
    let mut command = command(spec);
    let mut child = command.spawn().map_err(|error| SpawnError::from_io(&spec.program, &error))?;
    let missing = |what: &str| SpawnError::Other {
        program: spec.program.clone(),
        message: format!("the system gave no {what}"),
    };
    let pid = child.id().ok_or_else(|| missing("process id"))?;
    let guarded = cfg!(unix) && spec.guard.is_some();
    let tree = Tree::new(pid, guarded);
    let stdout = child.stdout.take().ok_or_else(|| missing("standard output"))?;
    let stderr = child.stderr.take().ok_or_else(|| missing("standard error"))?;
    let stdin = child.stdin.take().map(StdinWriter::new);

    let (tail_tx, tail_rx) = watch::channel(Stderr::default());
    let (exit_tx, exit_rx) = watch::channel(None);
    let drained = tokio::spawn(drain(stderr, tail_tx, guarded));
    let program = spec.program.clone();
    let tail = tail_rx.clone();
    tokio::spawn(async move {
        let status = child.wait().await;
        if tokio::time::timeout(STDERR_AFTER_EXIT, drained).await.is_err() {
            tracing::debug!(pid, "standard error is still held open after the exit");
        }
        let mut info = exit_info(status, &tail.borrow());
        if let Some(SpawnError::NotFound { program: p } | SpawnError::NotExecutable { program: p }) =
            &mut info.start_error
        {
            p.clone_from(&program);
        }
        exit_tx.send_replace(Some(info));
    });
    let lines = Some(LineSource::new(stdout, exit_rx.clone()));
    Ok(Child { pid, tree, exit: exit_rx, stderr: tail_rx, stdin, lines, guarded, left: false })
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that starts children")]
fn command(spec: &ProcessSpec) -> Command {
    use std::process::Stdio;
    #[cfg(unix)]
    let mut command = match &spec.guard {
        Some(guard) => {
            let mut command = Command::new(guard);
            command.arg(guard::GUARD_ARG).arg(std::process::id().to_string()).arg("--").arg(&spec.program);
            command
        }
        None => {
            let mut command = Command::new(&spec.program);
            command.process_group(0);
            command
        }
    };
    #[cfg(not(unix))]
    let mut command = Command::new(&spec.program);
    #[cfg(windows)]
    command.creation_flags(super::tree::CREATE_NO_WINDOW);
    command
        .args(&spec.args)
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&spec.cwd)
        .stdin(match spec.stdin {
            StdinMode::Piped => Stdio::piped(),
            StdinMode::Null => Stdio::null(),
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

async fn drain(mut stderr: ChildStderr, state: watch::Sender<Stderr>, guarded: bool) {
    let mut chunk = vec![0; 8 * 1024];
    loop {
        match stderr.read(&mut chunk).await {
            Ok(0) => return,
            Ok(read) => state.send_modify(|state| {
                let report = &mut state.report;
                state.tail.feed(&chunk[..read], |line| {
                    let found = guarded.then(|| guard::parse_report(line)).flatten();
                    let ours = found.is_some();
                    if ours {
                        *report = found;
                    }
                    ours
                });
            }),
            Err(error) => {
                tracing::warn!(%error, "standard error can't be read further");
                return;
            }
        }
    }
}

fn exit_info(status: std::io::Result<std::process::ExitStatus>, stderr: &Stderr) -> ExitInfo {
    let mut info = ExitInfo { stderr_tail: stderr.tail.text(), ..ExitInfo::default() };
    match status {
        Ok(status) => {
            info.code = status.code();
            #[cfg(unix)]
            {
                use std::os::unix::process::ExitStatusExt as _;
                info.signal = status.signal();
            }
        }
        Err(error) => tracing::warn!(%error, "the exit of a child can't be read"),
    }
    match stderr.report.clone() {
        Some(Report::Signal(signal)) => {
            info.code = None;
            info.signal = Some(signal);
        }
        Some(Report::NotStarted(error)) => info.start_error = Some(error),
        None => {}
    }
    info
}

impl Child {
    /// The number of the process that was started; with a guard, the guard's.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The writer of its standard input; `None` when taken already or not piped.
    pub fn take_stdin(&mut self) -> Option<StdinWriter> {
        self.stdin.take()
    }

    /// The lines of its standard output; `None` when taken already. The child blocks when nobody reads.
    pub fn take_lines(&mut self) -> Option<LineSource> {
        self.lines.take()
    }

    /// The last lines of its standard error so far.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.stderr.borrow().tail.text()
    }

    /// How it ended, if it has.
    #[must_use]
    pub fn exited(&self) -> Option<ExitInfo> {
        self.exit.borrow().clone()
    }

    /// Waits for its end. May be dropped while waiting and called again; gives the same answer each time.
    pub async fn wait(&mut self) -> ExitInfo {
        // The sender only goes away with its runtime, when nobody can be told anything any more.
        self.exit.wait_for(Option::is_some).await.ok().and_then(|info| info.clone()).unwrap_or_default()
    }

    /// Ends the child and all it started: first politely, after `grace` (at most 3 s) by force.
    ///
    /// Telling the program by its own protocol comes before and is the caller's. Returns when all are gone,
    /// within 5 s in any case.
    pub async fn stop(&mut self, grace: Duration) -> ExitInfo {
        if self.exit.borrow().is_none() {
            let exit = self.exit.clone();
            self.tree.end(grace.min(MAX_GRACE), || exit.borrow().is_some()).await;
        }
        match tokio::time::timeout(Duration::from_secs(1), self.wait()).await {
            Ok(info) => info,
            Err(_elapsed) => {
                tracing::warn!(pid = self.pid, "a child did not end in time");
                ExitInfo { stderr_tail: self.stderr_tail(), ..ExitInfo::default() }
            }
        }
    }
}

impl Child {
    /// For a program that is about to end itself: lets the child go in its own time. Its guard ends it and all it
    /// started soon after this program is gone.
    ///
    /// # Errors
    /// Gives the child back when no guard watches it.
    pub fn leave(mut self) -> Result<(), Box<Self>> {
        if !self.guarded {
            return Err(Box::new(self));
        }
        self.left = true;
        Ok(())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.left && self.exit.borrow().is_none() {
            self.tree.kill_now();
        }
    }
}
