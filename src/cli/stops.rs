//! Ctrl-C and its kin: the first stops in order, the second ends at once.

use tokio::sync::watch;

use crate::cli::out::{BROKEN, Failure, STOPPED};

/// Turns true when a stop was asked for.
#[derive(Clone)]
pub struct Stops(watch::Receiver<bool>);

impl Stops {
    /// Begins to listen. Must be called inside a tokio runtime that runs tasks on a thread of its own, so that
    /// the second stop is heard while we wait for a reader of our output.
    ///
    /// # Errors
    /// The system lets us not listen.
    pub fn listen() -> Result<Self, Failure> {
        let (asked, heard) = watch::channel(false);
        let mut signals = Signals::new().map_err(|error| {
            Failure::new(BROKEN, format!("Ctrl-C cannot be listened for: {error}. Try again."))
        })?;
        tokio::spawn(async move {
            signals.next().await;
            asked.send_replace(true);
            signals.next().await;
            end_now();
        });
        Ok(Self(heard))
    }

    /// Comes back when a stop was asked for; at once when it was before.
    pub async fn asked(&mut self) {
        if self.0.wait_for(|asked| *asked).await.is_err() {
            // Nobody can ask any more.
            std::future::pending::<()>().await;
        }
    }
}

#[expect(clippy::exit, reason = "the second Ctrl-C waits for nothing; engines end with us")]
fn end_now() -> ! {
    std::process::exit(i32::from(STOPPED));
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// `None`: whoever started us (`nohup`) wants us to go on when the terminal goes.
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            () = heard(self.hangup.as_mut()) => {}
        }
    }
}

#[cfg(unix)]
async fn heard(signal: Option<&mut tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Whether a hangup was set to be ignored before we came. Only Linux tells.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| is_first_signal_ignored(&status))
}

/// `SigIgn:` is a hexadecimal mask; its lowest bit is the hangup.
#[cfg(unix)]
fn is_first_signal_ignored(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_ignored_hangup_is_seen() {
        for (status, expected) in [
            ("Name:\ttunaflow\nSigIgn:\t0000000000000001\n", true),
            ("SigIgn:\t0000000000001003\n", true),
            ("SigIgn:\t0000000000001000\nSigCgt:\t0000000000000001\n", false),
            ("", false),
        ] {
            assert_eq!(is_first_signal_ignored(status), expected, "{status}");
        }
    }
}
