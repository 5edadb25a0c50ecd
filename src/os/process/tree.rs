//! Ending a child with all its descendants (Unix).
//!
//! Tools that a child starts often lead a group or session of their own, so a signal to the child's group
//! does not reach them. Who descends from the child must be noted before anything is killed: afterwards
//! the parents that lead to them are gone.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::os::proc_table::{ProcId, descendants, is_alive, signal, signal_group, signal_pid};

const POLL: Duration = Duration::from_millis(20);
/// At first it is looked more often: most programs end at once, and somebody waits.
const POLL_FIRST: Duration = Duration::from_millis(2);
const FIRST: Duration = Duration::from_millis(200);
/// After the grace, how long killing is repeated for processes that are still being born.
const FORCE: Duration = Duration::from_millis(1200);
/// When nothing but the guard is left, how long it may take to notice and go.
const GUARD_LINGER: Duration = Duration::from_millis(700);

/// The root of a tree of processes that we started.
#[derive(Debug)]
pub(super) struct Tree {
    pid: i32,
    guarded: bool,
}

impl Tree {
    pub(super) fn new(pid: u32, guarded: bool) -> Self {
        // A process id always fits: the kernel's own type is i32. Zero is never signalled.
        Self { pid: i32::try_from(pid).unwrap_or(0), guarded }
    }

    /// SIGTERM, then after `grace` SIGKILL, until nothing of the tree is alive. `exited` tells whether the
    /// root has been waited for.
    pub(super) async fn end(&self, grace: Duration, exited: impl Fn() -> bool) {
        let mut known: BTreeSet<ProcId> = descendants(self.pid).into_iter().collect();
        self.terminate();
        let all_gone = |known: &BTreeSet<ProcId>| exited() && !known.iter().any(|process| is_alive(*process));
        let begun = Instant::now();
        while begun.elapsed() < grace {
            if all_gone(&known) {
                return;
            }
            tokio::time::sleep(if begun.elapsed() < FIRST { POLL_FIRST } else { POLL }).await;
        }
        let started = Instant::now();
        while started.elapsed() < FORCE && !all_gone(&known) {
            if !exited() {
                known.extend(descendants(self.pid));
                if !self.guarded {
                    signal_group(self.pid, Signal::KILL);
                } else if started.elapsed() > GUARD_LINGER {
                    signal_pid(self.pid, Signal::KILL);
                }
            }
            for process in &known {
                signal(*process, Signal::KILL);
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Kills all that can be found right now. A guard is told to do the same and then goes by itself, so
    /// that nothing born in this moment is missed.
    pub(super) fn kill_now(&self) {
        let found = descendants(self.pid);
        if self.guarded {
            signal_pid(self.pid, Signal::USR1);
        } else {
            signal_group(self.pid, Signal::KILL);
        }
        for process in found {
            signal(process, Signal::KILL);
        }
    }

    /// A guard passes SIGTERM on to its child's group and stays itself.
    fn terminate(&self) {
        if self.guarded {
            signal_pid(self.pid, Signal::TERM);
        } else {
            signal_group(self.pid, Signal::TERM);
        }
    }
}
