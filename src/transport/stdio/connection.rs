//! The loop of a server on stdio and its threads: one lock around engine and output.

use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::io::{self, ErrorKind, Read, Write};
use std::panic::catch_unwind;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;
use std::vec::Vec;

use super::Clock;
use crate::bytes::{Framer, Next, Sink};
use crate::engine::{
    CallError, CallToken, Frame, Handler, Origin, Progress, Sent, Server, Storage, TaskEnd, TaskToken,
};
use crate::mcp::LoggingLevel;
use crate::rpc::Skipper;
use crate::transport::jobs::{Change, Changes};
use crate::transport::serving::{JobReply, Serving, Ticket};
use crate::transport::waiting::Backlog;

/// Initial memory for lines; it grows with the longest line.
const FIRST_ROOM: usize = 1 << 16;

/// The server with its output, shared by the loop and the threads.
pub(super) struct Connection<A, S, W> {
    state: Mutex<State<A, S, W>>,
    /// Notified after each turn of a thread: a call may have ended.
    completed: Condvar,
    /// Notified when a deadline has come closer, or the connection is closed.
    rescheduled: Condvar,
}

struct State<A, S, W> {
    server: Server<S>,
    app: A,
    output: W,
    /// Lines of one call of the engine.
    line: Vec<u8>,
    /// Reads the rest of an oversized line.
    skipper: Skipper<64>,
    changes: Changes,
    backlog: Weak<Backlog>,
    max_output: usize,
    clock: Clock,
    /// The deadline for which the timer thread waits.
    awaited: Option<Duration>,
    /// The loop has ended: a late thread writes nothing.
    is_closed: bool,
    /// Error of a thread's write; the loop reports it.
    error: Option<io::Error>,
}

impl<A: Handler, S: Storage, W: Write> State<A, S, W> {
    /// Lets the engine write, and passes the lines on.
    fn write<R>(&mut self, call: impl FnOnce(&mut Server<S>, &mut A, &mut Sink<'_>) -> R) -> io::Result<R> {
        let mut sink = Sink::growable(&mut self.line, self.max_output);
        let result = call(&mut self.server, &mut self.app, &mut sink);
        // The engine takes back what does not fit.
        let written = sink.finish().unwrap_or_default();
        self.output.write_all(written)?;
        Ok(result)
    }

    /// Serves a result of the framer, and then writes the lines that are due. False when the framer needs more bytes.
    fn serve(&mut self, next: Next<'_>) -> io::Result<bool> {
        match next {
            Next::Line(line) => {
                let mut frame = Frame::new(line);
                while !frame.is_done() {
                    let _ =
                        self.write(|server, app, out| server.receive(Origin::ONLY, &mut frame, app, out))?;
                }
            }
            Next::Part(part) => self.skipper.feed(part),
            Next::TooLong => {
                let skipper = core::mem::take(&mut self.skipper);
                let (rejection, response) = (skipper.finish(), skipper.response_id());
                let _ = self.write(|server, app, out| {
                    server.receive_oversized(Origin::ONLY, &rejection, response, app, out)
                })?;
            }
            Next::Lost => {
                self.skipper.reset();
                self.server.lost(&mut self.app);
            }
            Next::NeedMore => return Ok(false),
        }
        self.write_due()?;
        self.forget_unwanted_work();
        Ok(true)
    }

    /// Writes everything that is due.
    fn write_due(&mut self) -> io::Result<()> {
        for change in self.changes.take() {
            match change {
                Change::Resource(uri) => self.server.resource_updated(&uri),
                Change::List(list) => self.server.list_changed(list),
            }
        }
        while self.write(|server, app, out| server.poll(|_| true, app, out))? != Sent::Nothing {}
        Ok(())
    }

    /// Forgets work that waits for a thread although its call or task has ended.
    fn forget_unwanted_work(&mut self) {
        if let Some(backlog) = self.backlog.upgrade() {
            let most = self.server.capacity();
            backlog.forget_unwanted(most, |ticket| self.wants(ticket));
        }
    }

    fn wants(&mut self, ticket: Ticket) -> bool {
        match ticket {
            Ticket::Call(token) => self.server.is_in_flight(token),
            Ticket::Task(token) => self.server.is_task_running(token),
        }
    }

    fn set_time(&mut self) {
        self.server.set_time(self.clock.now(), self.clock.time_of_day());
    }

    /// Whether the timer thread waits too long.
    fn is_rescheduled(&self) -> bool {
        let next = self.server.next_deadline();
        next.is_some_and(|next| self.awaited.is_none_or(|awaited| next < awaited))
    }
}

impl<A: Handler, S: Storage, W: Write> Connection<A, S, W> {
    pub(super) fn new(
        mut server: Server<S>,
        app: A,
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
                app,
                output,
                line: Vec::new(),
                skipper: Skipper::new(),
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

    /// Ends the timer thread; a late thread writes nothing.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.rescheduled.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<A, S, W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the timer thread if a deadline has come closer.
    fn reschedule(&self, state: &State<A, S, W>) {
        if state.is_rescheduled() {
            self.rescheduled.notify_one();
        }
    }

    /// The timer thread: writes the due lines at each deadline, and sleeps in between, until the connection is closed.
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
            state.set_time();
            state.write_due()?;
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
        state.set_time();
        state.serve(framer.finish())?;
        state.write_due()?;
        state.output.flush()
    }

    /// Ends the input requests, waits for the calls in flight, and ends the streams.
    pub(super) fn drain(&self, longest: Duration) -> io::Result<()> {
        let end = Instant::now().checked_add(longest);
        let mut state = self.lock();
        state.server.end_questions();
        state.write_due()?;
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
        state.server.end_streams();
        state.write_due()?;
        state.output.flush()
    }

    /// Lets a thread call the engine, and writes the lines that are due.
    fn take_turn(&self, call: impl FnOnce(&mut State<A, S, W>) -> io::Result<()>) {
        let mut state = self.lock();
        if state.is_closed {
            return;
        }
        state.set_time();
        let result = call(&mut state)
            .and_then(|()| state.write_due())
            .and_then(|()| state.output.flush());
        if let Err(error) = result {
            state.error.get_or_insert(error);
        }
        self.reschedule(&state);
        drop(state);
        // Any turn may have ended a call: the end of a task answers the calls that wait for it.
        self.completed.notify_all();
    }
}

impl<A, S, W> Serving for Connection<A, S, W>
where
    A: Handler + Send,
    S: Storage + Send,
    W: Write + Send,
{
    fn complete(&self, token: CallToken, reply: JobReply) {
        self.take_turn(|state| {
            state
                .write(|server, app, out| {
                    // A call that was cancelled meanwhile is not answered.
                    server.complete_tool(token, app, out, |result| {
                        catch_unwind(AssertUnwindSafe(|| reply(result))).unwrap_or(Err(CallError::Internal))
                    })
                })
                .map(drop)
        });
    }

    fn finish(&self, token: TaskToken, end: TaskEnd) {
        self.take_turn(|state| {
            // The end of a task that was cancelled or forgotten meanwhile is ignored.
            let _ = state.server.finish_task(token, end);
            Ok(())
        });
    }

    fn describe(&self, token: TaskToken, message: &'static str) {
        self.take_turn(|state| {
            let _ = state.server.describe_task(token, message);
            Ok(())
        });
    }

    fn progress(&self, ticket: Ticket, progress: &Progress<'_>) {
        self.take_turn(|state| {
            state
                .write(|server, _, out| match ticket {
                    Ticket::Call(token) => server.progress(token, progress, out),
                    Ticket::Task(token) => server.task_progress(token, progress, out),
                })
                .map(drop)
        });
    }

    fn log(&self, token: CallToken, level: LoggingLevel, data: &str) {
        self.take_turn(|state| {
            state
                .write(|server, _, out| server.log_for(token, level, None, data, out))
                .map(drop)
        });
    }

    fn is_wanted(&self, ticket: Ticket) -> bool {
        let mut state = self.lock();
        state.wants(ticket) && !state.is_closed
    }

    fn take_changes(&self) {
        self.take_turn(|_| Ok(()));
    }
}
