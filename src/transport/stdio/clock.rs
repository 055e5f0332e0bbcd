//! The two times of a server on stdio: one for deadlines, one to show.

use core::time::Duration;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Time since the start, which nobody sets, and the time of day, which may be set at any time.
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

    /// For deadlines.
    pub(super) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// Since 1970-01-01T00:00:00Z.
    pub(super) fn time_of_day(&self) -> Duration {
        (self.time_of_day)()
    }
}

/// The system's time since 1970-01-01T00:00:00Z.
pub(super) fn time_of_day() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
