//! Durations as the server keeps them.

use core::time::Duration;

/// Whole milliseconds, without the 128 bits that [`Duration::as_millis`] needs.
pub(crate) const fn milliseconds(time: Duration) -> u64 {
    let seconds = time.as_secs().saturating_mul(1000);
    seconds.saturating_add(time.subsec_millis() as u64)
}

/// Whole milliseconds, at most `u32::MAX` (seven weeks).
#[allow(clippy::cast_possible_truncation, reason = "checked by the pattern")]
pub(super) const fn short_milliseconds(time: Duration) -> u32 {
    match milliseconds(time) {
        short if short <= u32::MAX as u64 => short as u32,
        _ => u32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_than_seven_weeks_is_seven_weeks() {
        let most = u64::from(u32::MAX);
        for (time, short) in [
            (Duration::ZERO, 0),
            (Duration::from_micros(1_999_999), 1999),
            (Duration::from_millis(most - 1), u32::MAX - 1),
            (Duration::from_millis(most), u32::MAX),
            (Duration::from_millis(most + 1), u32::MAX),
            (Duration::from_secs(u64::MAX), u32::MAX),
        ] {
            assert_eq!(short_milliseconds(time), short, "{time:?}");
        }
    }
}
