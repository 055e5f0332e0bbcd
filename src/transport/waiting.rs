//! Work that waits for a thread.

use core::panic::AssertUnwindSafe;
use std::boxed::Box;
use std::collections::VecDeque;
use std::panic::catch_unwind;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use super::serving::{Serving, Ticket};

/// A piece of work for a thread.
pub(super) type Work = Box<dyn FnOnce(&dyn Serving) + Send>;

/// Work that waits, first come, first served. A channel would not do: a client may keep all threads busy and then call and cancel without
/// end. The loop forgets cancelled work, so that the memory stays bounded.
#[derive(Default)]
pub(super) struct Backlog {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<(Ticket, Work)>,
    /// The last sender of work is gone.
    is_closed: bool,
}

impl Backlog {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next piece of work; `None` when no more can come.
    pub(super) fn take(&self) -> Option<Work> {
        let mut queue = self.lock();
        loop {
            if let Some((_, work)) = queue.waiting.pop_front() {
                return Some(work);
            }
            if queue.is_closed {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Forgets cancelled work if more than twice `most` pieces wait; `most` is the number of pieces that can be wanted at a time.
    ///
    /// So at least half of the pieces are forgotten, and a call costs no more than the pieces that came since the last call.
    pub(super) fn forget_unwanted(&self, most: usize, mut is_wanted: impl FnMut(Ticket) -> bool) {
        let mut queue = self.lock();
        if queue.waiting.len() <= most.saturating_mul(2) {
            return;
        }
        let all = core::mem::take(&mut queue.waiting);
        let (wanted, unwanted): (VecDeque<_>, VecDeque<_>) =
            all.into_iter().partition(|(ticket, _)| is_wanted(*ticket));
        queue.waiting = wanted;
        // A value that a closure of the application owns may queue work when it is dropped.
        drop(queue);
        let _ = catch_unwind(AssertUnwindSafe(|| drop(unwanted)));
    }
}

/// Sender of work. Dropping it closes the backlog.
pub(super) struct Giver(Weak<Backlog>);

impl Giver {
    pub(super) fn new(backlog: &Arc<Backlog>) -> Self {
        Self(Arc::downgrade(backlog))
    }

    /// Queues work. Does nothing if no loop runs.
    pub(super) fn give(&self, ticket: Ticket, work: Work) {
        if let Some(backlog) = self.0.upgrade() {
            backlog.lock().waiting.push_back((ticket, work));
            backlog.changed.notify_one();
        }
    }
}

impl Drop for Giver {
    fn drop(&mut self) {
        if let Some(backlog) = self.0.upgrade() {
            backlog.lock().is_closed = true;
            backlog.changed.notify_all();
        }
    }
}
