//! Numbers, times and paths as the window writes them. Pure; unknown values are left out by the caller.

use std::path::Path;

use crate::model::turn::Usage;

/// `412`, `18.4k`, `1.2M`: at most four signs, for meters and heads.
#[must_use]
pub fn short_count(n: u64) -> String {
    match n {
        0..1_000 => n.to_string(),
        1_000..10_000 => tenths(n, 1_000, "k"),
        10_000..100_000 => tenths(n, 1_000, "k"),
        100_000..1_000_000 => format!("{}k", n / 1_000),
        _ => tenths(n, 1_000_000, "M"),
    }
}

fn tenths(n: u64, unit: u64, sign: &str) -> String {
    let whole = n / unit;
    match (n % unit) * 10 / unit {
        0 => format!("{whole}{sign}"),
        tenth => format!("{whole}.{tenth}{sign}"),
    }
}

/// At most so many characters; what is left out is said by `…`.
#[must_use]
pub fn short(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let kept: String = text.chars().take(chars.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// `4,750`.
#[must_use]
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `0.1 s`, `14.2 s`, `1 m 12 s`, `2 h 5 m`. Negative spans count as zero.
#[must_use]
pub fn duration(ms: i64) -> String {
    let ms = ms.max(0);
    if ms < 60_000 {
        let tenths = ms / 100;
        return if tenths >= 200 {
            format!("{} s", ms / 1_000)
        } else {
            format!("{}.{} s", tenths / 10, tenths % 10)
        };
    }
    elapsed(ms)
}

/// As [`duration`], in whole seconds, for what still counts.
#[must_use]
pub fn elapsed(ms: i64) -> String {
    let secs = ms.max(0) / 1_000;
    match secs {
        0..60 => format!("{secs} s"),
        60..3_600 => match secs % 60 {
            0 => format!("{} m", secs / 60),
            rest => format!("{} m {rest} s", secs / 60),
        },
        _ => match secs % 3_600 / 60 {
            0 => format!("{} h", secs / 3_600),
            rest => format!("{} h {rest} m", secs / 3_600),
        },
    }
}

/// `$0.12`; below a cent `$0.004`.
#[must_use]
pub fn dollars(usd: f64) -> String {
    if usd < 0.01 && usd > 0.0 { format!("${usd:.3}") } else { format!("${usd:.2}") }
}

/// `6.2k tokens · $0.03`; nothing when the agent does not tell.
#[must_use]
pub fn cost(usage: &Usage) -> Option<String> {
    let parts = [usage.input_tokens, usage.cached_input_tokens, usage.output_tokens];
    let tokens = parts.iter().flatten().copied().reduce(u64::saturating_add);
    let tokens = tokens.map(|tokens| format!("{} tokens", short_count(tokens)));
    let cost = usage.cost_usd.map(dollars);
    let all: Vec<String> = tokens.into_iter().chain(cost).collect();
    (!all.is_empty()).then(|| all.join(" · "))
}

const DAY_MS: i64 = 86_400_000;
const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The moment of drawing and the distance of local time from UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Now {
    /// Unix time, milliseconds.
    pub ms: i64,
    /// Local time minus UTC, milliseconds.
    pub utc_offset_ms: i64,
}

impl Now {
    /// `14:02`.
    #[must_use]
    pub fn clock(self, ms: i64) -> String {
        let of_day = (ms + self.utc_offset_ms).rem_euclid(DAY_MS) / 60_000;
        format!("{:02}:{:02}", of_day / 60, of_day % 60)
    }

    /// For a list: `14:02` today, `Mon` within six days, `12 Mar` within a year, else `12 Mar 2024`.
    #[must_use]
    pub fn row_time(self, ms: i64) -> String {
        let day = (ms + self.utc_offset_ms).div_euclid(DAY_MS);
        let today = (self.ms + self.utc_offset_ms).div_euclid(DAY_MS);
        match today - day {
            ..=0 => self.clock(ms),
            1..=6 => {
                let weekday = usize::try_from((day + 3).rem_euclid(7)).unwrap_or(0);
                WEEKDAYS.get(weekday).copied().unwrap_or_default().to_owned()
            }
            _ => {
                let (year, month, date) = civil(day);
                let month = MONTHS.get(month).copied().unwrap_or_default();
                if year == civil(today).0 {
                    format!("{date} {month}")
                } else {
                    format!("{date} {month} {year}")
                }
            }
        }
    }

    /// `14:02` today, else with its day: `Mon 14:02`.
    #[must_use]
    pub fn day_time(self, ms: i64) -> String {
        let day = self.row_time(ms);
        let clock = self.clock(ms);
        if day == clock { clock } else { format!("{day} {clock}") }
    }

    /// When something in the future comes: `18:30`, `Thu 09:00`.
    #[must_use]
    pub fn future(self, ms: i64) -> String {
        let day = (ms + self.utc_offset_ms).div_euclid(DAY_MS);
        let today = (self.ms + self.utc_offset_ms).div_euclid(DAY_MS);
        if day <= today {
            return self.clock(ms);
        }
        let weekday = usize::try_from((day + 3).rem_euclid(7)).unwrap_or(0);
        let name = WEEKDAYS.get(weekday).copied().unwrap_or_default();
        format!("{name} {}", self.clock(ms))
    }
}

/// Year, month from 0, day of month; days count from 1970-01-01 (after Hinnant's `civil_from_days`).
fn civil(days: i64) -> (i64, usize, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let date = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 2 } else { mp - 10 };
    let year = yoe + era * 400 + i64::from(month < 2);
    (year, usize::try_from(month).unwrap_or(0), date)
}

/// A path with the home folder written as `~`.
#[must_use]
pub fn path(path: &Path, home: Option<&Path>) -> String {
    if let Some(rest) = home.and_then(|home| path.strip_prefix(home).ok()) {
        return if rest.as_os_str().is_empty() { "~".to_owned() } else { format!("~/{}", rest.display()) };
    }
    path.display().to_string()
}

/// `1 message`, `14 messages`.
#[must_use]
pub fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short_and_honest() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1_000, "1k"),
            (1_250, "1.2k"),
            (18_400, "18.4k"),
            (400_001, "400k"),
            (1_200_000, "1.2M"),
        ];
        for (n, text) in cases {
            assert_eq!(short_count(n), text);
        }
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(60_000), "60,000");
        assert_eq!(thousands(7), "7");
    }

    #[test]
    fn spans_read_as_in_the_look() {
        for (ms, text) in [
            (-5, "0.0 s"),
            (100, "0.1 s"),
            (14_200, "14.2 s"),
            (21_000, "21 s"),
            (72_000, "1 m 12 s"),
            (60_000, "1 m"),
            (7_500_000, "2 h 5 m"),
        ] {
            assert_eq!(duration(ms), text);
        }
        assert_eq!(elapsed(38_900), "38 s");
    }

    #[test]
    fn times_of_rows_depend_on_their_day() {
        // Thursday 2026-01-01 12:00 UTC
        let now = Now { ms: 1_767_268_800_000, utc_offset_ms: 0 };
        assert_eq!(now.row_time(now.ms - 3_600_000), "11:00");
        assert_eq!(now.row_time(now.ms - DAY_MS), "Wed");
        assert_eq!(now.row_time(now.ms - 30 * DAY_MS), "2 Dec 2025");
        assert_eq!(now.day_time(now.ms - DAY_MS), "Wed 12:00");
        let seoul = Now { utc_offset_ms: 9 * 3_600_000, ..now };
        assert_eq!(seoul.clock(now.ms), "21:00");
        assert_eq!(now.future(now.ms + DAY_MS), "Fri 12:00");
    }

    #[test]
    fn home_is_a_tilde() {
        let home = Path::new("/home/kim");
        assert_eq!(path(Path::new("/home/kim/code"), Some(home)), "~/code");
        assert_eq!(path(home, Some(home)), "~");
        assert_eq!(path(Path::new("/srv/x"), Some(home)), "/srv/x");
    }
}
