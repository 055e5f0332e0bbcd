//! Faults of the application, on standard error.

use core::fmt::Display;
use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::collections::HashSet;
use std::io::{Write, stderr};
use std::panic::catch_unwind;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::engine::{Fault, Handler, Server, Storage};
use crate::mcp::{Prompt, Resource, Tool};

/// Most lines in each [`SPAN`]. The faults beyond are counted.
const MOST: u32 = 10;
const SPAN: Duration = Duration::from_secs(10);

static RATE: Mutex<Rate> = Mutex::new(Rate { start: None, count: 0 });

/// Has faults of the application printed to standard error from now on, as [`Stdio`](super::Stdio) does: rules that its handler breaks, answers
/// without room, names that its tables have twice. A panic becomes an internal error of the request that the application was handling.
pub fn print_faults<S: Storage, A: Handler + ?Sized>(server: &mut Server<S>, app: &A) {
    check_tables(app);
    server.guard_against(report);
}

/// Prints a fault that the engine has found.
pub(super) fn report(fault: Fault<'_>) {
    print(fault);
}

/// Prints a fault of the application.
pub(super) fn print(fault: impl Display) {
    let mut rate = RATE.lock().unwrap_or_else(PoisonError::into_inner);
    let dropped = rate.dropped(Instant::now());
    let may_print = rate.may_print();
    drop(rate);
    // If there is no standard error, the fault is not printed.
    if dropped > 0 {
        let _ = writeln!(stderr(), "barewire: {dropped} more faults of the application");
    }
    if may_print {
        let _ = writeln!(stderr(), "barewire: {fault}");
    }
}

/// Prints the names that occur twice in a table of the application: what is in the second place cannot be reached.
pub(super) fn check_tables<A: Handler + ?Sized>(app: &A) {
    // A panic is printed anyway.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        check("tools have the name", app.tools().iter().map(Tool::name));
        check("resources have the URI", app.resources().iter().map(Resource::uri));
        let templates = app.resource_templates().iter().map(|template| template.template().as_str());
        check("resource templates have the URI", templates);
        check("prompts have the name", app.prompts().iter().map(Prompt::name));
    }));
}

fn check<'n>(what: &str, names: impl Iterator<Item = &'n str>) {
    let mut seen = HashSet::new();
    for name in names.filter(|name| !seen.insert(*name)) {
        print(format_args!("two {what} `{name}`"));
    }
}

/// Number of faults in the current span of time.
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
}
