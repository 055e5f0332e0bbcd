//! The loop of a server on stdio. It alone has the server, the application and the output.

use core::time::Duration;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::time::Instant;
use std::vec::Vec;

use super::limits::Limits;
use crate::bytes::{Framer, Next, Sink};
use crate::engine::{Frame, Handler, MIN_OUTPUT, Origin, Sent, Server, Storage};
use crate::rpc::Skipper;
use crate::transport::faults;
use crate::transport::hosted::Hosted;
use crate::transport::inbox::Inbox;
use crate::transport::job_host::JobHost;
use crate::transport::jobs::MOST_CALLS;

/// Initial memory for lines; it grows with the longest line.
const FIRST_ROOM: usize = 1 << 16;

pub(super) type Lines = Framer<Vec<u8>>;

pub(super) struct EventLoop<A, S, W> {
    /// Dropped first, so that work is cancelled, and no thread waits for an answer, before the application is dropped.
    jobs: JobHost,
    server: Server<S>,
    app: A,
    output: W,
    /// Lines of one call of the engine.
    line: Vec<u8>,
    /// Reads the rest of an oversized line.
    skipper: Skipper<64>,
    limits: Limits,
    start: Instant,
    time_of_day: fn() -> Duration,
}

impl<A: Handler, S: Storage, W: Write> EventLoop<A, S, W> {
    pub(super) fn new(
        jobs: JobHost,
        mut server: Server<S>,
        app: A,
        output: W,
        limits: Limits,
        time_of_day: fn() -> Duration,
    ) -> Self {
        server.guard_against(faults::report);
        Self {
            jobs,
            server,
            app,
            output,
            line: Vec::new(),
            skipper: Skipper::new(),
            limits,
            start: Instant::now(),
            time_of_day,
        }
    }

    /// What other threads leave for the loop.
    pub(super) fn inbox(&self) -> &Arc<Inbox> {
        self.jobs.inbox()
    }

    /// Serves until the input ends, and then until the calls in flight have ended.
    ///
    /// `receive` waits until it has read into the framer, something was left in the inbox, or the time has passed. It returns the number of
    /// bytes; 0 at the end of the input.
    pub(super) fn run(
        &mut self,
        mut receive: impl FnMut(&mut Lines, Duration) -> io::Result<Option<usize>>,
    ) -> io::Result<()> {
        let most = self.limits.max_input.saturating_add(1);
        let mut framer = Framer::new(std::vec![0; most.min(FIRST_ROOM)]);
        loop {
            let received = match receive(&mut framer, self.time_left()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => None,
                received => received?,
            };
            self.set_time();
            self.take_turn()?;
            if received == Some(0) {
                break;
            }
            if let Some(count) = received {
                framer.commit(count);
                framer.grow(most);
                while self.serve(framer.next())? {
                    framer.grow(most);
                }
            }
            self.end_turn()?;
        }
        self.serve(framer.finish())?;
        self.server.end_questions();
        self.drain()?;
        self.server.end_streams();
        self.settle()?;
        self.output.flush()
    }

    /// Waits for the calls in flight, for [`Limits::drain`] at most.
    fn drain(&mut self) -> io::Result<()> {
        let start = Instant::now();
        loop {
            self.set_time();
            self.take_turn()?;
            self.end_turn()?;
            let left = self.limits.drain.saturating_sub(start.elapsed());
            if self.server.in_flight() == 0 || left.is_zero() {
                return Ok(());
            }
            self.jobs.inbox().wait(left.min(self.time_left()));
        }
    }

    /// Time until the next deadline.
    fn time_left(&self) -> Duration {
        let next = self.server.next_deadline();
        next.map_or(Duration::MAX, |at| at.saturating_sub(self.start.elapsed()))
    }

    /// Writes what is due after a wait or a frame, and answers the calls of threads.
    fn take_turn(&mut self) -> io::Result<()> {
        self.settle()?;
        // Then it is the turn of the input.
        for _ in 0..MOST_CALLS {
            let Some(call) = self.jobs.next_call() else {
                break;
            };
            self.set_time();
            let _ = self.write_with(|jobs, server, app, out| jobs.serve(call, server, app, out))?;
            self.settle()?;
        }
        Ok(())
    }

    fn set_time(&mut self) {
        self.server.set_time(self.start.elapsed(), (self.time_of_day)());
    }

    fn end_turn(&mut self) -> io::Result<()> {
        self.jobs.cancel_ended(&mut self.server);
        self.output.flush()
    }

    /// Lets the engine write, and passes the lines on.
    fn write<R>(
        &mut self,
        call: impl FnOnce(&mut Server<S>, &mut Hosted<'_, A>, &mut Sink<'_>) -> R,
    ) -> io::Result<R> {
        self.write_with(|jobs, server, app, out| call(server, &mut jobs.hosted(app), out))
    }

    fn write_with<R>(
        &mut self,
        call: impl FnOnce(&mut JobHost, &mut Server<S>, &mut A, &mut Sink<'_>) -> R,
    ) -> io::Result<R> {
        // At least an error must fit.
        let mut sink = Sink::growable(&mut self.line, self.limits.max_output.max(MIN_OUTPUT));
        let result = call(&mut self.jobs, &mut self.server, &mut self.app, &mut sink);
        // The engine takes back what does not fit.
        let written = sink.finish().unwrap_or_default();
        self.output.write_all(written)?;
        Ok(result)
    }

    /// Serves a result of the framer, and then what is due. False when the framer needs more bytes.
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
        self.take_turn()?;
        Ok(true)
    }

    /// Releases work, and writes everything that is due.
    fn settle(&mut self) -> io::Result<()> {
        self.jobs.settle(&mut self.server);
        while self.write(|server, app, out| server.poll(|_| true, app, out))? != Sent::Nothing {}
        Ok(())
    }
}
