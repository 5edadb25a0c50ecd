//! Ending a child with all its descendants where there are no signals (Windows).

use std::time::Duration;

/// Keeps console windows from flashing (`CREATE_NO_WINDOW`, Windows process creation flags).
#[cfg(windows)]
pub(super) const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// The root of a tree of processes that we started.
#[derive(Debug)]
pub(super) struct Tree {
    pid: u32,
}

impl Tree {
    pub(super) fn new(pid: u32, _guarded: bool) -> Self {
        Self { pid }
    }

    /// There is no polite way here that a program without a window understands: the wait gives it the time
    /// to end by what its protocol told it.
    pub(super) async fn end(&self, grace: Duration, exited: impl Fn() -> bool) {
        let polls = grace.as_millis() / 20;
        for _ in 0..polls {
            if exited() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.kill_now();
    }

    /// `taskkill /T` ends the process and all that descend from it.
    #[expect(clippy::disallowed_methods, reason = "the handle of a child can't be used to end one")]
    pub(super) fn kill_now(&self) {
        let mut command = std::process::Command::new("taskkill");
        command.args(["/T", "/F", "/PID", &self.pid.to_string()]);
        #[cfg(windows)]
        {
            use std::os::windows::process::CommandExt as _;
            command.creation_flags(CREATE_NO_WINDOW);
        }
        if let Err(error) = command.output() {
            tracing::warn!(%error, pid = self.pid, "a process tree could not be ended");
        }
    }
}
