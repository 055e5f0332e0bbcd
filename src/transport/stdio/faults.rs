//! Faults of the application, on standard error.

use core::cell::Cell;
use core::time::Duration;
use std::format;
use std::io::{Write, stderr};
use std::string::String;
use std::thread_local;
use std::time::Instant;

use crate::engine::Event;

/// Most lines in each [`SPAN`]. The faults beyond are counted.
const MOST: u32 = 10;
const SPAN: Duration = Duration::from_secs(10);

thread_local! {
    static RATE: Cell<Rate> = const { Cell::new(Rate { start: None, count: 0 }) };
}

/// Calls `run`. Faults of an application that does not override [`Handler::event`](crate::engine::Handler::event) are printed to standard error
/// meanwhile, as [`Stdio`](super::Stdio) does; `run` must call the server on this thread.
pub fn print_faults<R>(run: impl FnOnce() -> R) -> R {
    Event::with_unhandled(print, run)
}

/// Prints a fault of the application.
fn print(event: Event<'_>) {
    let Some(fault) = fault(event) else {
        return;
    };
    let (mut rate, now) = (RATE.get(), Instant::now());
    let dropped = rate.dropped(now);
    let may_print = rate.may_print();
    RATE.set(rate);
    // If there is no standard error, the fault is not printed.
    if dropped > 0 {
        let _ = writeln!(stderr(), "barewire: {dropped} more faults of the application");
    }
    if may_print {
        let _ = writeln!(stderr(), "barewire: {fault}");
    }
}

fn fault(event: Event<'_>) -> Option<String> {
    match event {
        Event::Misuse(what) => Some(format!("the handler broke a rule, so its call failed: {what}")),
        Event::NoRoom => {
            Some("an answer was dropped: it does not fit the output (`Limits::max_output`)".into())
        }
        _ => None,
    }
}

/// Number of faults in the current span of time.
#[derive(Clone, Copy)]
struct Rate {
    start: Option<Instant>,
    count: u32,
}

impl Rate {
    /// Begins the next span if the current one is over. The number of faults that were not printed in that.
    fn dropped(&mut self, now: Instant) -> u32 {
        if self.start.is_some_and(|start| now.saturating_duration_since(start) < SPAN) {
            return 0;
        }
        let count = core::mem::take(&mut self.count);
        self.start = Some(now);
        count.saturating_sub(MOST)
    }

    fn may_print(&mut self) -> bool {
        self.count = self.count.saturating_add(1);
        self.count <= MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn lines_are_bounded_and_the_others_are_counted() {
        let (mut rate, now) = (Rate { start: None, count: 0 }, Instant::now());
        let printed: Vec<bool> = (0..15)
            .map(|_| {
                assert_eq!(rate.dropped(now), 0);
                rate.may_print()
            })
            .collect();
        assert_eq!(printed.iter().filter(|printed| **printed).count(), 10);
        assert_eq!(rate.dropped(now + SPAN), 5);
        assert!(rate.may_print());
    }

    #[test]
    fn only_faults_of_the_application_are_printed() {
        assert!(
            fault(Event::Misuse("metadata twice")).is_some_and(|line| line.ends_with(": metadata twice"))
        );
        assert!(fault(Event::NoRoom).is_some());
        assert_eq!(fault(Event::Lost), None);
    }
}
