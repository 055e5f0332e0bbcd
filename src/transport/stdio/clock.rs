//! The two clocks of a server on stdio: one for deadlines, one to show.

use core::time::Duration;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The time since the start, which is monotonic, and the time of day, which may be set at any time.
#[derive(Debug)]
pub(super) struct Clock {
    start: Instant,
    time_of_day: fn() -> Duration,
}

impl Clock {
    pub(super) fn new(time_of_day: fn() -> Duration) -> Self {
        Self {
            start: Instant::now(),
            time_of_day,
        }
    }

    /// Time since the start, for deadlines.
    pub(super) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// Time since 1970-01-01T00:00:00Z, to show.
    pub(super) fn time_of_day(&self) -> Duration {
        (self.time_of_day)()
    }
}

/// Time since 1970-01-01T00:00:00Z by the clock of the system.
pub(super) fn time_of_day() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
