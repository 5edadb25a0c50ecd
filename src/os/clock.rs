//! The clock and the time zone of this machine.

use std::time::{SystemTime, UNIX_EPOCH};

/// Unix time, milliseconds.
#[expect(clippy::disallowed_methods, reason = "this is where time is read; decisions get it handed in")]
pub fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Local time minus UTC at that moment, milliseconds; 0 when the zone is not known.
pub fn utc_offset_ms(at_ms: i64) -> i64 {
    let Ok(at) = jiff::Timestamp::from_millisecond(at_ms) else { return 0 };
    i64::from(jiff::tz::TimeZone::system().to_offset(at).seconds()) * 1_000
}
