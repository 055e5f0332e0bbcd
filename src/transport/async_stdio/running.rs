//! The futures of requests that run.

use core::mem::swap;
use core::panic::AssertUnwindSafe;
use core::pin::Pin;
use core::sync::atomic::{AtomicBool, Ordering};
use core::task::{Context, Poll, Waker};
use std::boxed::Box;
use std::panic::catch_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Wake;
use std::vec::Vec;

use crate::engine::CallToken;

/// Futures of requests, in the order in which they came. Each has a waker of its own, so only those are polled that can go on.
pub(super) struct Running<F> {
    requests: Vec<Request<F>>,
    task: Arc<Task>,
}

struct Request<F> {
    token: CallToken,
    future: Pin<Box<F>>,
    alarm: Arc<Alarm>,
    waker: Waker,
}

/// The waker of a request.
struct Alarm {
    has_rung: AtomicBool,
    task: Arc<Task>,
}

/// The task that serves.
struct Task(Mutex<Waker>);

impl Task {
    fn waker(&self) -> MutexGuard<'_, Waker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.has_rung.swap(true, Ordering::AcqRel) {
            let waker = self.task.waker().clone();
            waker.wake();
        }
    }
}

impl<F: Future<Output = ()>> Running<F> {
    pub(super) fn new() -> Self {
        Self { requests: Vec::new(), task: Arc::new(Task(Mutex::new(Waker::noop().clone()))) }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    pub(super) const fn len(&self) -> usize {
        self.requests.len()
    }

    /// Adds a request, which is polled next time.
    pub(super) fn push(&mut self, token: CallToken, future: F) {
        let alarm = Arc::new(Alarm { has_rung: AtomicBool::new(true), task: Arc::clone(&self.task) });
        let waker = Waker::from(Arc::clone(&alarm));
        self.requests.push(Request { token, future: Box::pin(future), alarm, waker });
    }

    /// Polls those that were woken, and drops those that are done. `failed` gets those that have panicked.
    pub(super) fn poll(&mut self, context: &Context<'_>, mut failed: impl FnMut(CallToken)) {
        // A waker is dropped outside of the lock.
        let mut waker = context.waker().clone();
        swap(&mut *self.task.waker(), &mut waker);
        self.requests.retain_mut(|Request { token, future, alarm, waker }| {
            if !alarm.has_rung.swap(false, Ordering::AcqRel) {
                return true;
            }
            let mut context = Context::from_waker(waker);
            let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut context)));
            if polled.is_err() {
                failed(*token);
            }
            matches!(polled, Ok(Poll::Pending))
        });
    }

    /// Drops those that are not wanted any more.
    pub(super) fn retain(&mut self, mut is_wanted: impl FnMut(CallToken) -> bool) {
        self.requests.retain(|request| is_wanted(request.token));
    }

    /// Drops all of them.
    pub(super) fn take(&mut self) -> Vec<CallToken> {
        self.requests.drain(..).map(|request| request.token).collect()
    }
}
