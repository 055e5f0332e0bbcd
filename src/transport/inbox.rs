//! Inbox of the loop: changes, work and calls from other threads; and the work that the loop releases to the threads of its pool.

use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::borrow::Cow;
use std::boxed::Box;
use std::collections::VecDeque;
#[cfg(unix)]
use std::io::{self, PipeReader, PipeWriter, Write};
use std::panic::catch_unwind;
use std::sync::mpsc::SyncSender;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::vec::Vec;

use super::call::{Call, Ticket};
use super::question::CallClient;
use crate::engine::{CallToken, List};

/// A piece of work for a thread. It returns the call that ends it.
pub(super) type Work = Box<dyn FnOnce(&Inbox, Ticket) -> Call + Send>;

/// A change that clients are notified of.
pub(super) enum Change {
    Resource(Cow<'static, str>),
    List(List),
}

/// Work, changes and calls of other threads, which wake the loop.
///
/// Work waits until the loop releases it to an idle thread, so that work whose call was cancelled never begins. A client may keep all
/// threads busy and then call and cancel without end: the loop forgets cancelled work, so that the memory stays bounded.
pub(super) struct Inbox {
    state: Mutex<State>,
    /// Something was left for the loop.
    filled: Condvar,
    /// Work was released.
    released: Condvar,
    /// Running work was cancelled.
    cancelled: Condvar,
    calls: SyncSender<Call>,
    /// Called when something was left for a loop that does not wait here.
    waker: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

#[derive(Default)]
struct State {
    /// The loop was woken for a call or for input.
    is_woken: bool,
    /// The loop polls, and `pipe` wakes it.
    #[cfg(unix)]
    is_polling: bool,
    #[cfg(unix)]
    pipe: Option<PipeWriter>,
    changes: Vec<Change>,
    /// First come, first served.
    waiting: VecDeque<(Ticket, Work)>,
    released: VecDeque<(Ticket, Work)>,
    /// Number of threads for which no work is released.
    idle: usize,
    /// Released work that is not cancelled.
    running: Vec<Ticket>,
    /// Clients of the deferred calls.
    clients: Vec<CallClient>,
    /// The loop has ended.
    is_closed: bool,
}

impl State {
    /// Whether nothing is left for the loop. Work for which there is no thread does not count.
    fn is_empty(&self) -> bool {
        !self.is_woken && self.changes.is_empty() && (self.waiting.is_empty() || self.idle == 0)
    }
}

impl Inbox {
    pub(super) fn new(calls: SyncSender<Call>) -> Self {
        Self {
            state: Mutex::default(),
            filled: Condvar::new(),
            released: Condvar::new(),
            cancelled: Condvar::new(),
            calls,
            waker: OnceLock::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes the loop if that leaves something for it. Does nothing once the loop has ended.
    fn leave(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        if state.is_closed {
            return;
        }
        change(&mut state);
        if state.is_empty() {
            return;
        }
        self.filled.notify_one();
        #[cfg(unix)]
        if core::mem::take(&mut state.is_polling) {
            // It fails only if the loop has ended.
            let _ = state.pipe.as_ref().map(|mut pipe| pipe.write(&[0]));
        }
        drop(state);
        if let Some(wake) = self.waker.get() {
            wake();
        }
    }

    /// Has `wake` called when something is left. The first one stays.
    pub(super) fn set_waker(&self, wake: Box<dyn Fn() + Send + Sync>) {
        let _ = self.waker.set(wake);
    }

    /// Wakes the loop.
    pub(super) fn wake(&self) {
        self.leave(|state| state.is_woken = true);
    }

    pub(super) fn give(&self, ticket: Ticket, work: Work) {
        self.leave(|state| state.waiting.push_back((ticket, work)));
    }

    /// Leaves a change. The loop takes changes at the end of each frame, so that a handler's changes follow its answer and precede the
    /// next frame.
    pub(super) fn change(&self, change: Change) {
        self.leave(|state| state.changes.push(change));
    }

    /// Leaves a call. Waits while there are too many.
    pub(super) fn call(&self, call: Call) {
        if self.calls.send(call).is_ok() {
            self.wake();
        }
    }

    /// Whether the work is cancelled.
    pub(super) fn is_cancelled(&self, ticket: Ticket) -> bool {
        !self.lock().running.contains(&ticket)
    }

    /// Waits until the work is cancelled, for `longest` at most.
    pub(super) fn wait_for_cancellation(&self, ticket: Ticket, longest: Duration) {
        let is_wanted = |state: &mut State| state.running.contains(&ticket);
        drop(self.cancelled.wait_timeout_while(self.lock(), longest, is_wanted));
    }

    /// The client of a call that has not ended.
    pub(super) fn client(&self, call: CallToken) -> Option<CallClient> {
        self.lock().clients.iter().find(|client| client.call == call).cloned()
    }

    /// Takes note that a call has ended, and cancels its work.
    pub(super) fn end(&self, call: CallToken) {
        let mut state = self.lock();
        state.clients.retain(|client| client.call != call);
        state.running.retain(|ticket| *ticket != Ticket::Call(call));
        self.cancelled.notify_all();
    }

    /// The thread of a pool: runs work until the loop has ended.
    pub(super) fn run_work(&self) {
        while let Some((ticket, work)) = self.take_work() {
            // Dropping the values that the work owns may panic too; the pool keeps its threads.
            let _ = catch_unwind(AssertUnwindSafe(|| self.call(work(self, ticket))));
            self.lock().running.retain(|other| *other != ticket);
        }
    }

    fn take_work(&self) -> Option<(Ticket, Work)> {
        self.leave(|state| state.idle = state.idle.saturating_add(1));
        let must_wait = |state: &mut State| state.released.is_empty() && !state.is_closed;
        let state = self.released.wait_while(self.lock(), must_wait);
        state.unwrap_or_else(PoisonError::into_inner).released.pop_front()
    }
}

/// The side of the loop.
impl Inbox {
    /// Takes note of a deferred call.
    pub(super) fn begin(&self, client: CallClient) {
        self.lock().clients.push(client);
    }

    /// Waits until something is left, for `longest` at most.
    pub(super) fn wait(&self, longest: Duration) {
        let is_empty = |state: &mut State| state.is_empty();
        let state = self.filled.wait_timeout_while(self.lock(), longest, is_empty);
        state.unwrap_or_else(PoisonError::into_inner).0.is_woken = false;
    }

    /// A pipe to which the inbox writes a byte when something is left during a [`poll`](Inbox::poll).
    #[cfg(unix)]
    pub(super) fn pipe(&self) -> io::Result<PipeReader> {
        let (reader, writer) = io::pipe()?;
        self.lock().pipe = Some(writer);
        Ok(reader)
    }

    /// Calls `poll`, which waits for the time that it is given, or for the pipe.
    #[cfg(unix)]
    pub(super) fn poll<R>(&self, longest: Duration, poll: impl FnOnce(Duration) -> R) -> R {
        let mut state = self.lock();
        state.is_polling = state.is_empty();
        let longest = if state.is_polling { longest } else { Duration::ZERO };
        drop(state);
        let result = poll(longest);
        let mut state = self.lock();
        (state.is_polling, state.is_woken) = (false, false);
        result
    }

    /// Takes the changes, and releases work to the idle threads. Forgets cancelled work if more than twice `most` pieces wait; `most` is the
    /// number of pieces that can be wanted at a time.
    ///
    /// So at least half of the pieces are forgotten, and a call costs no more than the pieces that came since the last call.
    pub(super) fn settle(&self, most: usize, mut is_wanted: impl FnMut(Ticket) -> bool) -> Vec<Change> {
        let mut unwanted = VecDeque::new();
        let mut state = self.lock();
        while state.idle > 0
            && let Some((ticket, work)) = state.waiting.pop_front()
        {
            if is_wanted(ticket) {
                state.idle = state.idle.saturating_sub(1);
                state.running.push(ticket);
                state.released.push_back((ticket, work));
                self.released.notify_one();
            } else {
                unwanted.push_back((ticket, work));
            }
        }
        if state.waiting.len() > most.saturating_mul(2) {
            let all = core::mem::take(&mut state.waiting).into_iter();
            let (wanted, mut others): (VecDeque<_>, VecDeque<_>) =
                all.partition(|(ticket, _)| is_wanted(*ticket));
            state.waiting = wanted;
            unwanted.append(&mut others);
        }
        if state.clients.len() > most.saturating_mul(2) {
            // Calls that were answered with an error instead of being deferred.
            state.clients.retain(|client| is_wanted(Ticket::Call(client.call)));
        }
        let changes = core::mem::take(&mut state.changes);
        // A value that a closure of the application owns may queue work when it is dropped.
        drop(state);
        drop_carefully(unwanted);
        changes
    }

    /// Cancels the running work that is not wanted any more.
    pub(super) fn cancel_work(&self, mut is_wanted: impl FnMut(Ticket) -> bool) {
        let mut state = self.lock();
        let count = state.running.len();
        state.running.retain(|ticket| is_wanted(*ticket));
        if state.running.len() < count {
            self.cancelled.notify_all();
        }
    }

    /// Cancels all work. The threads end with the piece of work that they run.
    pub(super) fn close(&self) {
        self.cancel_work(|_| false);
        let mut state = self.lock();
        state.is_closed = true;
        self.released.notify_all();
        let mut work = core::mem::take(&mut state.waiting);
        work.append(&mut state.released);
        drop(state);
        drop_carefully(work);
    }
}

/// Drops values of the application, which may panic.
pub(super) fn drop_carefully<T>(values: T) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(values)));
}
