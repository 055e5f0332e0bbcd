//! The clock of all commands: durations by a clock that nobody sets, the time of day only to show it.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A time of day that is read once, and the monotonic clock from there on.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    start: Instant,
    /// The start, since 1970.
    day: Duration,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            day: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
        }
    }

    /// Time from the start of the clock to `at`.
    pub(crate) fn elapsed(&self, at: Instant) -> Duration {
        at.saturating_duration_since(self.start)
    }

    /// Time from 1970 to `at`.
    pub(crate) fn time_of_day(&self, at: Instant) -> Duration {
        self.day + self.elapsed(at)
    }
}
