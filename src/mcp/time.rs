//! Points in time on the wire (ISO 8601).

use crate::json::{Digits, Writer, divide};

/// Writes milliseconds since 1970-01-01T00:00:00Z as `2026-07-28T09:30:00.000Z`, up to the year 9999.
pub(crate) fn write_time(json: &mut Writer<'_, '_>, milliseconds: u64) {
    const LAST: u64 = 253_402_300_799_999;
    let (seconds, fraction) = divide(milliseconds.min(LAST), 1000);
    let (days, second) = divide(seconds, 86_400);
    // There are fewer than three million days up to the last one.
    let (year, month, day) = date(days as u32);
    let [hours, second] = split(second, 3600);
    let [minutes, seconds] = split(second, 60);
    let parts = [
        (year, 4, b"-"),
        (month, 2, b"-"),
        (day, 2, b"T"),
        (hours, 2, b":"),
        (minutes, 2, b":"),
        (seconds, 2, b"."),
        (fraction, 3, b"Z"),
    ];
    json.plain_string(|sink| {
        for (value, digits, separator) in parts {
            let mut room = Digits::new();
            let written = room.of(u64::from(value));
            for _ in written.len()..digits {
                sink.write(b"0");
            }
            sink.write(written);
            sink.write(separator);
        }
    });
}

/// The quotient and the remainder.
const fn split(value: u32, unit: u32) -> [u32; 2] {
    match (value.checked_div(unit), value.checked_rem(unit)) {
        (Some(whole), Some(rest)) => [whole, rest],
        _ => [0, 0],
    }
}

/// The year, month and day of a number of days after 1970-01-01, in the Gregorian calendar, up to the year 9999. No
/// number comes near 2^32.
///
/// Years are counted from March, so that the leap day is the last of its year and a month's length depends on its place
/// alone: five months have 153 days in all.
fn date(days: u32) -> (u32, u32, u32) {
    const DAYS_OF_400_YEARS: u32 = 146_097;
    // From 0000-03-01.
    let [cycle, day] = split(days.wrapping_add(719_468), DAYS_OF_400_YEARS);
    // Without its leap days a cycle has 400 years of 365 days; the last day of a cycle and of four years are such days.
    let leap_days =
        split(day, 1460)[0].wrapping_add(split(day, 146_096)[0]).wrapping_sub(split(day, 36_524)[0]);
    let year = split(day.wrapping_sub(leap_days), 365)[0];
    let first = year.wrapping_mul(365).wrapping_add(split(year, 4)[0]).wrapping_sub(split(year, 100)[0]);
    let day = day.wrapping_sub(first);
    let month = split(day.wrapping_mul(5).wrapping_add(2), 153)[0];
    let start = split(month.wrapping_mul(153).wrapping_add(2), 5)[0];
    let day = day.wrapping_sub(start).wrapping_add(1);
    let year = cycle.wrapping_mul(400).wrapping_add(year);
    match month {
        0..=9 => (year, month.wrapping_add(3), day),
        _ => (year.wrapping_add(1), month.wrapping_sub(9), day),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Sink;

    fn written(milliseconds: u64) -> std::string::String {
        let mut memory = [0; 32];
        let mut sink = Sink::new(&mut memory);
        write_time(&mut Writer::new(&mut sink), milliseconds);
        std::string::String::from_utf8(sink.finish().unwrap().to_vec()).unwrap()
    }

    #[test]
    fn times_are_iso_8601() {
        let rows = [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_785_231_000_042, "2026-07-28T09:30:00.042Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (u64::MAX, "9999-12-31T23:59:59.999Z"),
        ];
        for (milliseconds, text) in rows {
            assert_eq!(written(milliseconds), std::format!("\"{text}\""), "{milliseconds}");
        }
    }

    /// Day by day, as a calendar on the wall counts.
    #[test]
    fn every_day_of_five_centuries_follows_the_one_before() {
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..190_000 {
            assert_eq!(date(days), (year, month, day));
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                2 if is_leap => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (day, month) = (1, month + 1);
            }
            if month > 12 {
                (month, year) = (1, year + 1);
            }
        }
    }
}
