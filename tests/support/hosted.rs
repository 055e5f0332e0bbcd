//! A server with its application, driven frame by frame in the caller's output: what `Link` does, without its buffers.
#![allow(missing_docs, reason = "the methods are those of the server")]

use core::time::Duration;

use barewire::bytes::{Next, Sink};
use barewire::engine::{
    AskError, CallError, CallToken, Fixed, Frame, Handler, List, NotInFlight, Options, Origin, Outcome,
    Progress, PromptMessages, ResourceContents, Sent, Server, Storage, TaskEnd, TaskToken, ToolContent,
};
use barewire::mcp::{InputRequest, LoggingLevel, ProtocolVersion};
use barewire::rpc::Skipper;

/// Whether everything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Status {
    /// It is.
    Done,
    /// Empty the output and make the same call again.
    More,
}

/// A server and its application on one stream.
#[derive(Debug)]
pub struct Hosted<A, S = Fixed> {
    pub server: Server<S>,
    pub app: A,
    skipper: Skipper<64>,
    /// Place in the current batch.
    place: usize,
    /// Only what is due is left of the call that returned `More`.
    is_draining: bool,
}

impl<A: Handler> Hosted<A> {
    pub const fn new(app: A) -> Self {
        Self::of(Server::new(), app)
    }

    pub fn with_options(app: A, options: Options) -> Self {
        Self::of(Server::new().with_options(options), app)
    }
}

impl<A: Handler, S: Storage> Hosted<A, S> {
    pub const fn of(server: Server<S>, app: A) -> Self {
        Self { server, app, skipper: Skipper::new(), place: 0, is_draining: false }
    }

    pub const fn handler(&self) -> &A {
        &self.app
    }

    pub const fn handler_mut(&mut self) -> &mut A {
        &mut self.app
    }

    /// Writes everything that is due.
    pub fn drain(&mut self, out: &mut Sink<'_>) -> Status {
        loop {
            match self.server.poll(|_| true, &mut self.app, out) {
                Sent::Nothing => {
                    self.is_draining = false;
                    return Status::Done;
                }
                Sent::NoRoom => {
                    self.is_draining = true;
                    return Status::More;
                }
                Sent::To(_) => {}
            }
        }
    }

    /// Serves a frame, and then writes everything that is due.
    pub fn handle_frame(&mut self, text: &[u8], out: &mut Sink<'_>) -> Status {
        if self.is_draining {
            return self.drain(out);
        }
        let mut frame = Frame::at(text, self.place);
        let _ = self.server.receive(Origin::ONLY, &mut frame, &mut self.app, out);
        if frame.is_done() {
            self.place = 0;
            return self.drain(out);
        }
        self.place = frame.place();
        // The rest of a batch that is not answered needs no further call.
        match out.is_empty() {
            true => Status::Done,
            false => Status::More,
        }
    }

    /// Serves what a framer found. `None` when it needs more bytes.
    pub fn receive(&mut self, next: Next<'_>, out: &mut Sink<'_>) -> Option<Status> {
        match next {
            Next::Line(line) => return Some(self.handle_frame(line, out)),
            Next::Part(part) => self.skip(part),
            Next::TooLong => self.skipped(out),
            Next::Lost => self.lost(),
            Next::NeedMore => return None,
        }
        Some(Status::Done)
    }

    pub fn skip(&mut self, part: &[u8]) {
        self.skipper.feed(part);
    }

    pub fn skipped(&mut self, out: &mut Sink<'_>) {
        let skipper = std::mem::replace(&mut self.skipper, Skipper::new());
        let (rejection, response) = (skipper.finish(), skipper.response_id());
        let _ = self.server.receive_oversized(Origin::ONLY, &rejection, response, &mut self.app, out);
        let _ = self.drain(out);
    }

    pub fn lost(&mut self) {
        self.skipper.reset();
        self.server.lost(&mut self.app);
    }

    pub fn reset(&mut self) {
        (self.place, self.is_draining) = (0, false);
        self.skipper.reset();
        self.server.reset(Origin::ONLY, &mut self.app);
    }

    pub fn session(&mut self) -> Option<ProtocolVersion> {
        self.server.session(0)
    }

    pub fn in_flight(&mut self) -> usize {
        self.server.in_flight()
    }

    pub fn is_in_flight(&mut self, token: CallToken) -> bool {
        self.server.is_in_flight(token)
    }

    pub fn is_task_running(&mut self, token: TaskToken) -> bool {
        self.server.is_task_running(token)
    }

    pub const fn next_deadline(&self) -> Option<Duration> {
        self.server.next_deadline()
    }

    pub fn tick(&mut self, now: Duration, out: &mut Sink<'_>) -> Status {
        self.tick_at(now, now, out)
    }

    pub fn tick_at(&mut self, now: Duration, time_of_day: Duration, out: &mut Sink<'_>) -> Status {
        self.server.set_time(now, time_of_day);
        self.drain(out)
    }

    pub fn end_questions(&mut self, out: &mut Sink<'_>) -> Status {
        self.server.end_questions();
        self.drain(out)
    }

    pub fn end_streams(&mut self, out: &mut Sink<'_>) -> Status {
        self.server.end_streams();
        self.drain(out)
    }

    pub fn list_changed(&mut self, list: List, out: &mut Sink<'_>) -> Status {
        if !self.is_draining {
            self.server.list_changed(list);
        }
        self.drain(out)
    }

    pub fn resource_updated(&mut self, uri: &str, out: &mut Sink<'_>) -> Status {
        if !self.is_draining {
            self.server.resource_updated(uri);
        }
        self.drain(out)
    }

    pub fn complete_tool<'e>(
        &mut self,
        token: CallToken,
        out: &mut Sink<'_>,
        write: impl FnOnce(ToolContent<'_, '_>) -> Result<Outcome, CallError<'e>>,
    ) -> Result<Status, NotInFlight> {
        let sent = self.server.complete_tool(token, &mut self.app, out, write);
        sent.map(status)
    }

    pub fn complete_read<'e>(
        &mut self,
        token: CallToken,
        uri: &str,
        out: &mut Sink<'_>,
        write: impl FnOnce(ResourceContents<'_, '_>) -> Result<Outcome, CallError<'e>>,
    ) -> Result<Status, NotInFlight> {
        let sent = self.server.complete_read(token, uri, &mut self.app, out, write);
        sent.map(status)
    }

    pub fn complete_prompt<'e>(
        &mut self,
        token: CallToken,
        out: &mut Sink<'_>,
        write: impl FnOnce(PromptMessages<'_, '_>) -> Result<Outcome, CallError<'e>>,
    ) -> Result<Status, NotInFlight> {
        let sent = self.server.complete_prompt(token, None, &mut self.app, out, write);
        sent.map(status)
    }

    /// Whether the progress was written.
    pub fn progress<'p>(
        &mut self,
        token: CallToken,
        progress: impl Into<Progress<'p>>,
        out: &mut Sink<'_>,
    ) -> Result<bool, NotInFlight> {
        self.server.progress(token, progress, out).map(was_written)
    }

    /// Whether the message was written.
    pub fn log_for(
        &mut self,
        token: CallToken,
        level: LoggingLevel,
        logger: Option<&str>,
        data: &str,
        out: &mut Sink<'_>,
    ) -> Result<bool, NotInFlight> {
        self.server.log_for(token, level, logger, data, out).map(was_written)
    }

    /// Whether the message was written.
    pub fn log(&mut self, level: LoggingLevel, logger: Option<&str>, data: &str, out: &mut Sink<'_>) -> bool {
        was_written(self.server.log(0, level, logger, data, &mut self.app, out))
    }

    /// Whether the notification was written.
    pub fn elicitation_complete(&mut self, id: &str, out: &mut Sink<'_>) -> bool {
        was_written(self.server.elicitation_complete(0, id, out))
    }

    pub fn ask(&mut self, request: &InputRequest<'_>, out: &mut Sink<'_>) -> Result<CallToken, AskError> {
        self.server.ask(0, request, out)
    }

    pub fn ping(&mut self, out: &mut Sink<'_>) -> Result<CallToken, AskError> {
        self.server.ping(0, out)
    }

    pub fn finish_task(
        &mut self,
        token: TaskToken,
        end: TaskEnd,
        out: &mut Sink<'_>,
    ) -> Result<Status, NotInFlight> {
        if !self.is_draining {
            self.server.finish_task(token, end)?;
        }
        Ok(self.drain(out))
    }

    pub fn describe_task(
        &mut self,
        token: TaskToken,
        message: &'static str,
        out: &mut Sink<'_>,
    ) -> Result<Status, NotInFlight> {
        if !self.is_draining {
            self.server.describe_task(token, message)?;
        }
        Ok(self.drain(out))
    }

    /// Whether the progress was written.
    pub fn task_progress<'p>(
        &mut self,
        token: TaskToken,
        progress: impl Into<Progress<'p>>,
        out: &mut Sink<'_>,
    ) -> Result<bool, NotInFlight> {
        self.server.task_progress(token, progress, out).map(was_written)
    }

    pub fn task_needs_input(&mut self, token: TaskToken, out: &mut Sink<'_>) -> Result<Status, AskError> {
        if !self.is_draining {
            let _ = self.server.task_needs_input(token, &mut self.app, out)?;
        }
        Ok(self.drain(out))
    }
}

fn status(sent: Sent) -> Status {
    match sent {
        Sent::To(_) | Sent::Nothing => Status::Done,
        Sent::NoRoom => Status::More,
    }
}

fn was_written(sent: Sent) -> bool {
    matches!(sent, Sent::To(_))
}
