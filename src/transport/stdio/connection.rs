//! What the loop and the threads of a server on stdio share: one lock around engine and output.

use core::ops::DerefMut;
use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::io::{self, ErrorKind, Read, Write};
use std::panic::catch_unwind;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;
use std::vec::Vec;

use super::Clock;
use crate::bytes::{Framer, Next, Sink};
use crate::engine::{CallError, CallToken, Handler, Parts, Progress, Server, Status, TaskEnd, TaskToken};
use crate::mcp::LoggingLevel;
use crate::transport::jobs::{Change, Changes};
use crate::transport::serving::{JobReply, Serving, Ticket};
use crate::transport::waiting::Backlog;

/// Initial memory for lines; it grows with the longest line.
const FIRST_ROOM: usize = 1 << 16;

/// What the loop and the threads share.
pub(super) struct Connection<S, W> {
    state: Mutex<State<S, W>>,
    completed: Condvar,
    /// Notified when a deadline has come closer, or the connection is closed.
    rescheduled: Condvar,
}

struct State<S, W> {
    server: S,
    output: W,
    /// What one call of the engine wrote.
    line: Vec<u8>,
    changes: Changes,
    backlog: Weak<Backlog>,
    max_output: usize,
    clock: Clock,
    /// The deadline for which the timer thread waits.
    awaited: Option<Duration>,
    /// The loop has ended: whoever comes late writes nothing.
    is_closed: bool,
    /// Of a thread's write; the loop reports it.
    error: Option<io::Error>,
}

impl<
    H: Handler,
    D: DerefMut<Target = Server<H, P, C, S, I, U, T>>,
    W: Write,
    P: Parts,
    const C: usize,
    const S: usize,
    const I: usize,
    const U: usize,
    const T: usize,
> State<D, W>
{
    /// Lets the engine write, and passes it on.
    fn write<R>(
        &mut self,
        call: impl FnOnce(&mut Server<H, P, C, S, I, U, T>, &mut Sink<'_>) -> R,
    ) -> io::Result<R> {
        let mut sink = Sink::growable(&mut self.line, self.max_output);
        let result = call(&mut self.server, &mut sink);
        // The engine takes back what does not fit.
        let written = sink.finish().unwrap_or_default();
        self.output.write_all(written)?;
        Ok(result)
    }

    /// Serves what the framer found, a batch in as many rounds as it takes, and tells of what it changed. False when the
    /// framer needs more bytes.
    fn serve(&mut self, next: Next<'_>) -> io::Result<bool> {
        loop {
            let Some(status) = self.write(|server, out| server.receive(next, out))? else {
                return Ok(false);
            };
            self.tell_changes()?;
            self.forget_unwanted_work();
            if status == Status::Done {
                return Ok(true);
            }
        }
    }

    /// A client that cancels its calls leaves no work of them behind.
    fn forget_unwanted_work(&self) {
        if let Some(backlog) = self.backlog.upgrade() {
            backlog.forget_unwanted(C.saturating_add(T), |ticket| self.wants(ticket));
        }
    }

    fn wants(&self, ticket: Ticket) -> bool {
        match ticket {
            Ticket::Call(token) => self.server.is_in_flight(token),
            Ticket::Task(token) => self.server.is_task_running(token),
        }
    }

    /// Tells the engine what time it is.
    fn tick(&mut self) -> io::Result<()> {
        let (now, time_of_day) = (self.clock.now(), self.clock.time_of_day());
        self.write_all(|server, out| server.tick_at(now, time_of_day, out))
    }

    /// Whether a deadline comes before the one for which the timer thread waits.
    fn is_rescheduled(&self) -> bool {
        let next = self.server.next_deadline();
        next.is_some_and(|next| self.awaited.is_none_or(|awaited| next < awaited))
    }

    /// Lets the engine write in as many rounds as it takes.
    fn write_all(
        &mut self,
        mut call: impl FnMut(&mut Server<H, P, C, S, I, U, T>, &mut Sink<'_>) -> Status,
    ) -> io::Result<()> {
        while self.write(&mut call)? == Status::More {}
        Ok(())
    }

    /// Tells of what has changed up to now.
    fn tell_changes(&mut self) -> io::Result<()> {
        for change in self.changes.take() {
            self.write_all(|server, out| match &change {
                Change::Resource(uri) => server.resource_updated(uri, out),
                Change::List(list) => server.list_changed(*list, out),
            })?;
        }
        Ok(())
    }
}

impl<
    H: Handler,
    D: DerefMut<Target = Server<H, P, C, S, I, U, T>>,
    W: Write,
    P: Parts,
    const C: usize,
    const S: usize,
    const I: usize,
    const U: usize,
    const T: usize,
> Connection<D, W>
{
    pub(super) fn new(
        mut server: D,
        output: W,
        max_output: usize,
        clock: Clock,
        changes: Changes,
        backlog: Weak<Backlog>,
    ) -> Self {
        server.catch_panics();
        Self {
            state: Mutex::new(State {
                server,
                output,
                line: Vec::new(),
                changes,
                backlog,
                max_output,
                clock,
                awaited: None,
                is_closed: false,
                error: None,
            }),
            completed: Condvar::new(),
            rescheduled: Condvar::new(),
        }
    }

    /// From now on no thread writes any more.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.rescheduled.notify_all();
    }

    /// The engine catches panics of the application at each call, so that its own state stays whole.
    fn lock(&self) -> MutexGuard<'_, State<D, W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies the timer thread of a new deadline.
    fn reschedule(&self, state: &State<D, W>) {
        if state.is_rescheduled() {
            self.rescheduled.notify_one();
        }
    }

    /// The timer thread: ticks at each deadline, and sleeps in between, until the connection is closed.
    pub(super) fn keep_time(&self) {
        let mut state = self.lock();
        while !state.is_closed {
            state.awaited = state.server.next_deadline();
            let left = state.awaited.map(|at| at.saturating_sub(state.clock.now()));
            state = match left {
                Some(Duration::ZERO) => {
                    drop(state);
                    self.take_turn(|_| Ok(()));
                    self.lock()
                }
                Some(left) => match self.rescheduled.wait_timeout(state, left) {
                    Ok((state, _)) => state,
                    Err(poisoned) => poisoned.into_inner().0,
                },
                None => self
                    .rescheduled
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    pub(super) fn read_all(&self, input: &mut impl Read, max_input: usize) -> io::Result<()> {
        let most = max_input.saturating_add(1);
        let mut framer = Framer::new(std::vec![0; most.min(FIRST_ROOM)]);
        loop {
            let count = match input.read(framer.space()) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            framer.commit(count);
            framer.grow(most);
            let mut state = self.lock();
            if let Some(error) = state.error.take() {
                return Err(error);
            }
            state.tick()?;
            loop {
                if !state.serve(framer.next())? {
                    break;
                }
                framer.grow(most);
            }
            state.output.flush()?;
            self.reschedule(&state);
        }
        let mut state = self.lock();
        state.tick()?;
        state.serve(framer.finish())?;
        state.output.flush()
    }

    /// Gives up the questions, waits for the calls in flight, and ends the streams.
    pub(super) fn drain(&self, longest: Duration) -> io::Result<()> {
        let end = Instant::now().checked_add(longest);
        let mut state = self.lock();
        state.write_all(Server::end_questions)?;
        state.output.flush()?;
        while state.server.in_flight() > 0 {
            let left = end.map_or(longest, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            state = match self.completed.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        if let Some(error) = state.error.take() {
            return Err(error);
        }
        state.tell_changes()?;
        state.write_all(Server::end_streams)?;
        state.output.flush()
    }

    /// A thread's turn: writes at once, since nobody else may for a long time.
    fn take_turn(&self, call: impl FnOnce(&mut State<D, W>) -> io::Result<()>) {
        let mut state = self.lock();
        if state.is_closed {
            return;
        }
        // What is told of a task says when.
        let result = state
            .tick()
            .and_then(|()| call(&mut state))
            .and_then(|()| state.tell_changes())
            .and_then(|()| state.output.flush());
        if let Err(error) = result {
            state.error.get_or_insert(error);
        }
        self.reschedule(&state);
        drop(state);
        // Any turn may have ended a call: time ends those that wait for a task.
        self.completed.notify_all();
    }
}

impl<H, D, W, P, const C: usize, const S: usize, const I: usize, const U: usize, const T: usize> Serving
    for Connection<D, W>
where
    H: Handler,
    D: DerefMut<Target = Server<H, P, C, S, I, U, T>> + Send,
    P: Parts,
    W: Write + Send,
{
    fn complete(&self, token: CallToken, reply: JobReply) {
        self.take_turn(|state| {
            // Cancelled meanwhile: nobody waits.
            state
                .write(|server, out| {
                    server.complete_tool(token, out, |written| {
                        let reply = AssertUnwindSafe(|| reply(written));
                        catch_unwind(reply).unwrap_or(Err(CallError::Internal))
                    })
                })
                .map(drop)
        });
    }

    fn finish(&self, token: TaskToken, end: TaskEnd) {
        self.take_turn(|state| {
            // Cancelled or forgotten meanwhile: nobody is told.
            state.write_all(|server, out| server.finish_task(token, end, out).unwrap_or(Status::Done))
        });
    }

    fn describe(&self, token: TaskToken, message: &'static str) {
        self.take_turn(|state| {
            state.write_all(|server, out| server.describe_task(token, message, out).unwrap_or(Status::Done))
        });
    }

    fn progress(&self, ticket: Ticket, progress: &Progress<'_>) {
        self.take_turn(|state| {
            state
                .write(|server, out| match ticket {
                    Ticket::Call(token) => server.progress(token, progress, out),
                    Ticket::Task(token) => server.task_progress(token, progress, out),
                })
                .map(drop)
        });
    }

    fn log(&self, token: CallToken, level: LoggingLevel, data: &str) {
        self.take_turn(|state| {
            state
                .write(|server, out| server.log_for(token, level, None, data, out))
                .map(drop)
        });
    }

    fn is_wanted(&self, ticket: Ticket) -> bool {
        let state = self.lock();
        state.wants(ticket) && !state.is_closed
    }

    fn tell_changes(&self) {
        self.take_turn(State::tell_changes);
    }
}
