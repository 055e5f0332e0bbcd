//! The work that waits for a thread.

use core::panic::AssertUnwindSafe;
use std::boxed::Box;
use std::collections::VecDeque;
use std::panic::catch_unwind;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use super::serving::{Serving, Ticket};

/// What a thread does.
pub(super) type Work = Box<dyn FnOnce(&dyn Serving) + Send>;

/// Work that waits, first come, first served. A channel would do, but for a client that keeps all threads busy and then
/// calls and cancels without end: the loop forgets what nobody wants any more, so that the memory stays bounded.
#[derive(Default)]
pub(super) struct Backlog {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<(Ticket, Work)>,
    /// Nobody is left to give work.
    is_closed: bool,
}

impl Backlog {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next work; `None` when no more can come.
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

    /// Forgets what is not wanted, if more waits than `most`, of which as many can be wanted at a time.
    ///
    /// Half of what is looked at is forgotten at least, so that a call costs no more than the work that came since the
    /// last one.
    pub(super) fn forget_unwanted(&self, most: usize, is_wanted: impl Fn(Ticket) -> bool) {
        let mut queue = self.lock();
        if queue.waiting.len() <= most.saturating_mul(2) {
            return;
        }
        let all = core::mem::take(&mut queue.waiting);
        let (wanted, unwanted): (VecDeque<_>, VecDeque<_>) =
            all.into_iter().partition(|(ticket, _)| is_wanted(*ticket));
        queue.waiting = wanted;
        // What the application's closures own may give work when it is dropped.
        drop(queue);
        let _ = catch_unwind(AssertUnwindSafe(|| drop(unwanted)));
    }
}

/// Where work comes from. Dropped, it closes the backlog.
pub(super) struct Giver(Weak<Backlog>);

impl Giver {
    pub(super) fn new(backlog: &Arc<Backlog>) -> Self {
        Self(Arc::downgrade(backlog))
    }

    /// Without a running loop there is nobody to do it.
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
