//! The clock of all commands: monotonic for durations, with the time of day only to show it.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A monotonic clock that starts at a time of day, which is read once.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    start: Instant,
    /// Time of day at the start, since 1970.
    day: Duration,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), day: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default() }
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
