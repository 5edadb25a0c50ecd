//! Times as words. Pure; no time zone data is needed because everything is told in UTC.

/// `2026-05-01T12:33:20Z` for milliseconds since 1970.
pub fn utc(ms: i64) -> String {
    let seconds = ms.div_euclid(1_000);
    let (year, month, day) = civil(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a day counted from 1970-01-01 (proleptic Gregorian calendar).
fn civil(days: i64) -> (i64, i64, i64) {
    // Counted from 0000-03-01, so that the leap day is the last of its year.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        for (ms, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59Z"),
            (1_767_225_599_000, "2025-12-31T23:59:59Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(utc(ms), expected);
        }
    }
}
