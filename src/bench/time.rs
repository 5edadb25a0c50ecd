//! Clocks for measuring.

use std::time::Duration;
#[cfg(feature = "gui")]
use std::time::Instant;

/// Unix time, nanoseconds; comparable between processes of one machine.
#[expect(clippy::disallowed_methods, reason = "a measurement compares clocks of two processes")]
pub fn now_ns() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

/// Processor time of this thread so far; elapsed time where the system does not tell it.
#[cfg(all(unix, feature = "gui"))]
pub fn thread_cpu(_since: Instant) -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let (secs, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(secs.unwrap_or_default(), nanos.unwrap_or_default())
}

#[cfg(all(not(unix), feature = "gui"))]
pub fn thread_cpu(since: Instant) -> Duration {
    since.elapsed()
}

pub fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

/// From one [`now_ns`] to a later one, milliseconds.
pub fn ms_between(from_ns: u64, to_ns: u64) -> f64 {
    to_ns.saturating_sub(from_ns) as f64 / 1e6
}
