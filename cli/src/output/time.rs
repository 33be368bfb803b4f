//! Times for people, in UTC.

/// `2026-03-01 12:00:00Z` of epoch milliseconds.
pub(crate) fn utc(epoch_ms: u64) -> String {
    let seconds = epoch_ms / 1_000;
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}Z")
}

/// The Gregorian date of a day since 1970-01-01. Counts in years that begin in March, so that the leap day is the last.
fn date(day: u64) -> (u64, u64, u64) {
    const DAYS_TO_1970_FROM_MARCH_OF_YEAR_0: u64 = 719_468;
    const DAYS_PER_400_YEARS: u64 = 146_097;
    let day = day + DAYS_TO_1970_FROM_MARCH_OF_YEAR_0;
    let (era, of_era) = (day / DAYS_PER_400_YEARS, day % DAYS_PER_400_YEARS);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    (era * 400 + year + u64::from(month <= 2), month, day)
}

/// `3 min`, `2.5 s`, `40 ms`.
pub(crate) fn span(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min", ms / 60_000),
    }
}

/// `45s`, `3m`, `5h`, `2d`: the unit that fits, rounded down.
pub(crate) fn short(ms: u64) -> String {
    match ms {
        0..60_000 => format!("{}s", ms / 1_000),
        60_000..3_600_000 => format!("{}m", ms / 60_000),
        3_600_000..172_800_000 => format!("{}h", ms / 3_600_000),
        _ => format!("{}d", ms / 86_400_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_right_around_leap_days_and_ends_of_years() {
        assert_eq!(utc(0), "1970-01-01 00:00:00Z");
        assert_eq!(utc(951_782_399_000), "2000-02-28 23:59:59Z");
        assert_eq!(utc(951_782_400_000), "2000-02-29 00:00:00Z");
        assert_eq!(utc(1_709_251_200_000), "2024-03-01 00:00:00Z");
        assert_eq!(utc(1_767_225_599_999), "2025-12-31 23:59:59Z");
        assert_eq!(utc(4_107_542_400_000), "2100-03-01 00:00:00Z");
    }

    #[test]
    fn spans_have_the_unit_that_fits() {
        assert_eq!([span(40), span(2_540), span(180_000)], ["40 ms", "2.5 s", "3 min"]);
    }
}
