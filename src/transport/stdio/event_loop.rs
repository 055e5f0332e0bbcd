//! The loop of a server on stdio. It alone has the server, the application and the output.

use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::panic::catch_unwind;
use std::time::Instant;
use std::vec::Vec;

use super::hosted::{Hosted, Waiting};
use super::limits::Limits;
use crate::bytes::{Framer, Next, Sink};
use crate::engine::{
    CallError, CallToken, Frame, Handler, MIN_OUTPUT, Origin, Sent, Server, Storage, refusal,
};
use crate::rpc::Skipper;
use crate::transport::call::{Call, JobReply, Ticket};
use crate::transport::faults;
use crate::transport::inbox::{Change, drop_carefully};
use crate::transport::jobs::{JobQueue, MOST_CALLS};
use crate::transport::question::Question;

/// Initial memory for lines; it grows with the longest line.
const FIRST_ROOM: usize = 1 << 16;

/// Number of answered calls that are kept, to find a second answer.
const MOST_ANSWERED: usize = 64;

pub(super) type Lines = Framer<Vec<u8>>;

pub(super) struct EventLoop<A, S, W> {
    /// Dropped first, so that work is cancelled before the application is dropped.
    pub(super) queue: JobQueue,
    /// Dropped before the application too: no thread waits for an answer any more.
    waiting: Vec<Waiting>,
    /// The last calls that jobs have answered, at most [`MOST_ANSWERED`].
    answered: VecDeque<CallToken>,
    /// There are threads for the work of deferred calls.
    has_threads: bool,
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
        (queue, threads): (JobQueue, usize),
        mut server: Server<S>,
        app: A,
        output: W,
        limits: Limits,
        time_of_day: fn() -> Duration,
    ) -> Self {
        server.guard_against(faults::report);
        Self {
            queue,
            waiting: Vec::new(),
            answered: VecDeque::new(),
            has_threads: threads > 0,
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
            self.queue.inbox.wait(left.min(self.time_left()));
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
            let Ok(call) = self.queue.calls.try_recv() else {
                break;
            };
            self.set_time();
            self.answer(call)?;
            self.settle()?;
        }
        Ok(())
    }

    fn set_time(&mut self) {
        self.server.set_time(self.start.elapsed(), (self.time_of_day)());
    }

    fn end_turn(&mut self) -> io::Result<()> {
        let server = &mut self.server;
        self.queue.inbox.cancel_work(|ticket| is_wanted(server, ticket));
        self.output.flush()
    }

    /// Lets the engine write, and passes the lines on.
    fn write<R>(
        &mut self,
        call: impl FnOnce(&mut Server<S>, &mut Hosted<'_, A>, &mut Sink<'_>) -> R,
    ) -> io::Result<R> {
        // At least an error must fit.
        let mut sink = Sink::growable(&mut self.line, self.limits.max_output.max(MIN_OUTPUT));
        let mut app = Hosted {
            app: &mut self.app,
            inbox: &self.queue.inbox,
            waiting: &mut self.waiting,
            has_threads: self.has_threads,
        };
        let result = call(&mut self.server, &mut app, &mut sink);
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
        let most = self.server.capacity();
        let (server, inbox) = (&mut self.server, &self.queue.inbox);
        let answered = &self.answered;
        let changes = inbox.settle(most, |ticket| {
            let is_wanted = is_wanted(server, ticket);
            if !is_wanted {
                check_unanswered(answered, "the work", ticket);
            }
            is_wanted
        });
        for change in changes {
            match change {
                Change::Resource(uri) => server.resource_updated(&uri),
                Change::List(list) => server.list_changed(list),
            }
        }
        // Nobody waits for the answer to a question whose call has ended.
        self.waiting.retain(|waiting| {
            let is_wanted = server.is_in_flight(waiting.call);
            if !is_wanted {
                server.withdraw(waiting.question);
            }
            is_wanted
        });
        while self.write(|server, app, out| server.poll(|_| true, app, out))? != Sent::Nothing {}
        Ok(())
    }

    /// Answers a call of a thread. Calls and tasks that have ended meanwhile are left alone.
    fn answer(&mut self, call: Call) -> io::Result<()> {
        match call {
            Call::Complete(token, reply) if self.server.is_in_flight(token) => self.complete(token, reply)?,
            Call::Complete(token, reply) => {
                check_unanswered(&self.answered, "an answer", Ticket::Call(token));
                drop_carefully(reply);
            }
            Call::Finish(token, end) => drop(self.server.finish_task(token, end)),
            Call::Describe(token, message) => drop(self.server.describe_task(token, message)),
            Call::Progress(ticket, mut progress, message) => {
                if let Some(message) = &message {
                    progress = progress.with_message(message);
                }
                let reported = self.write(|server, _, out| match ticket {
                    Ticket::Call(token) => server.progress(token, progress, out),
                    Ticket::Task(token) => server.task_progress(token, progress, out),
                })?;
                if reported.is_err() {
                    check_unanswered(&self.answered, "progress", ticket);
                }
            }
            Call::Log(token, level, data) => {
                let _ = self.write(|server, _, out| server.log_for(token, level, None, &data, out))?;
            }
            Call::Ask(question) if self.server.is_in_flight(question.call) => self.ask(question)?,
            Call::Ask(_) => {}
            Call::AskWithResult(question) => {
                let call = (question.client.call, question.client.caller());
                self.write(|server, app, out| {
                    server.ask_with_result(
                        call,
                        app,
                        out,
                        |json| question.write_questions(json),
                        |json| question.write_state(json),
                    );
                })?;
            }
        }
        Ok(())
    }

    fn complete(&mut self, token: CallToken, reply: JobReply) -> io::Result<()> {
        self.queue.inbox.end(token);
        let completed = self.write(|server, app, out| {
            server.complete_tool(token, app, out, |result| {
                catch_unwind(AssertUnwindSafe(|| reply(result))).unwrap_or(Err(CallError::Internal))
            })
        })?;
        if completed.is_err() {
            faults::print(
                "a job has answered a request that is not a call of a tool, so it stays unanswered",
            );
        }
        if self.answered.len() >= MOST_ANSWERED {
            self.answered.pop_front();
        }
        self.answered.push_back(token);
        Ok(())
    }

    /// Asks a legacy client.
    fn ask(&mut self, question: Question) -> io::Result<()> {
        // The stream has one session.
        let asked =
            self.write(|server, _, out| server.ask_written(0, question.kind, question.members(), out))?;
        let Question { call, kind: (_, needs), answer, .. } = question;
        match asked {
            Ok(question) => self.waiting.push(Waiting { call, question, answer }),
            // The thread waits for it, and the channel has room for one.
            Err(error) => drop(answer.try_send(Err(refusal(error, needs)))),
        }
        Ok(())
    }
}

/// Prints a fault if this is for a call that a job has answered already.
fn check_unanswered(answered: &VecDeque<CallToken>, what: &str, ticket: Ticket) {
    if let Ticket::Call(token) = ticket
        && answered.contains(&token)
    {
        faults::print(format_args!("{what} of a job was dropped: its call is answered already"));
    }
}

/// Whether a call or a task has not ended.
fn is_wanted<S: Storage>(server: &mut Server<S>, ticket: Ticket) -> bool {
    match ticket {
        Ticket::Call(token) => server.is_in_flight(token),
        Ticket::Task(token) => server.is_task_running(token),
    }
}
