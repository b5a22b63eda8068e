//! The calendar date of a moment.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: u64 = 24 * 60 * 60;

/// `2026-03-01`, in UTC. A moment before 1970 counts as its first day.
pub fn iso_date(at: SystemTime) -> String {
    let days = at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / DAY);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of the Gregorian calendar, `days` after 1 January 1970. Counts years from March, so that the leap
/// day is the last of its year.
fn civil(days: u64) -> (u64, u64, u64) {
    /// Days from 1 March of the year 0 to 1 January 1970, and of 400, 100, 4 years and 1.
    const TO_EPOCH: u64 = 719_468;
    const ERA: u64 = 146_097;
    let days = days + TO_EPOCH;
    let (era, of_era) = (days / ERA, days % ERA);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[track_caller]
    fn check(seconds: u64, want: &str) {
        assert_eq!(iso_date(UNIX_EPOCH + Duration::from_secs(seconds)), want);
    }

    #[test]
    fn days_fall_where_the_calendar_has_them() {
        check(0, "1970-01-01");
        check(86_399, "1970-01-01");
        check(951_782_400, "2000-02-29");
        check(951_868_800, "2000-03-01");
        check(1_767_225_599, "2025-12-31");
        check(4_107_542_400, "2100-03-01");
    }
}
