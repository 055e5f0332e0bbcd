//! The time since the start, by `SysTick`.

use core::time::Duration;

use cortex_m::peripheral::SCB;

/// The processor's clock, in Hz.
const PROCESSOR: u32 = 25_000_000;
/// How many ticks a second has.
const RATE: u32 = 10;

/// The time, in ticks. Interrupts are masked: a tick wakes the processor, and is counted when the time is asked for, which
/// must be at least once a tick.
#[derive(Debug)]
pub struct Clock {
    ticks: u32,
}

impl Clock {
    /// Starts it. There is one, so make one only.
    pub fn start() -> Self {
        super::start_ticks(PROCESSOR / RATE);
        Self { ticks: 0 }
    }

    /// The time since the start.
    pub fn now(&mut self) -> Duration {
        if SCB::is_pendst_pending() {
            SCB::clear_pendst();
            self.ticks = self.ticks.wrapping_add(1);
        }
        Duration::from_secs(1) / RATE * self.ticks
    }
}
