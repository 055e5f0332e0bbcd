//! The connection to a server: one request at a time, from its line to its result.

use core::ops::ControlFlow;
use core::time::Duration;
use std::boxed::Box;
use std::io;
use std::process::ExitStatus;

use super::application::Application;
use super::error::{ClientError, ErrorResponse, HandshakeError};
use super::events::Events;
use super::owned::OwnedValue;
use super::results::text_of;
use super::server_info::ServerInfo;
use crate::bytes::Sink;
use crate::engine::client::{
    BoundClient, ClientFixed, ClientOutcome, ClientProgress, Incoming, RequestError, RequestOptions,
    ResponseFault, Ticket,
};
use crate::mcp::{Capabilities, Era, LoggingLevel, Method, ProtocolVersion, check_result};
use crate::transport::{Child, ChildEnd, Interrupter};

/// Storage of the engine. One request is in flight at a time.
pub(super) type Storage = ClientFixed<(), 2>;

/// The engine with its application.
pub(super) type Caller<'a> = BoundClient<'a, Storage, Application>;

/// Receiver of the progress of one request.
pub(super) type OnProgress<'p> = Box<dyn FnMut(ClientProgress<'_>) + 'p>;

/// Terms of one request.
#[derive(Default)]
pub(super) struct Terms<'p> {
    /// Longest wait for the result. `None` to wait without a timeout.
    pub(super) timeout: Option<Duration>,
    /// Longest wait if each progress notification restarts the timeout.
    pub(super) longest: Option<Duration>,
    pub(super) on_progress: Option<OnProgress<'p>>,
}

impl Terms<'_> {
    pub(super) fn within(timeout: Option<Duration>) -> Self {
        Self { timeout, ..Self::default() }
    }

    /// Options of a request, or of its retry, at the time `now`. The timeout is for the request and its retries together.
    fn options<'i>(
        &self,
        start: Duration,
        now: Duration,
        log_level: Option<LoggingLevel>,
    ) -> RequestOptions<'i> {
        let left = |limit: Duration| limit.saturating_sub(now.saturating_sub(start));
        let mut options = RequestOptions::at(now);
        options = match (self.timeout, self.longest) {
            (None, None) => options.without_timeout(),
            (None, Some(longest)) => options.with_timeout(left(longest)),
            (Some(timeout), None) => options.with_timeout(left(timeout)),
            (Some(timeout), Some(longest)) => {
                options.with_timeout(timeout).extended_by_progress(left(longest))
            }
        };
        if self.on_progress.is_some() {
            options = options.with_progress();
        }
        match log_level {
            Some(level) => options.with_log_level(level),
            None => options,
        }
    }
}

/// A connection to a server, or the handshake of one.
pub(super) struct Connection {
    child: Child<Storage, Application>,
    events: Events,
    /// Timeout of a request without its own.
    timeout: Option<Duration>,
    /// Longest line that is written.
    longest_line: usize,
}

impl Connection {
    pub(super) const fn new(
        child: Child<Storage, Application>,
        events: Events,
        timeout: Option<Duration>,
        longest_line: usize,
    ) -> Self {
        Self { child, events, timeout, longest_line }
    }

    pub(super) const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    pub(super) const fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout = timeout;
    }

    pub(super) const fn longest_line(&self) -> usize {
        self.longest_line
    }

    pub(super) const fn capabilities(&self) -> Capabilities {
        self.child.client().server_capabilities()
    }

    pub(super) const fn end(&self) -> Option<ChildEnd> {
        self.child.end()
    }

    pub(super) fn interrupter(&self) -> Interrupter {
        self.child.interrupter()
    }

    /// Completes the handshake that `begin` begins. Then requests log messages if there is a receiver, which takes at most
    /// `timeout`.
    pub(super) fn handshake(
        &mut self,
        timeout: Duration,
        begin: impl FnOnce(&mut Caller<'_>, Duration, &mut Sink<'_>) -> Result<(), RequestError>,
    ) -> Result<ServerInfo, ClientError> {
        self.child.write(begin).map_err(HandshakeError::NotSent)?;
        let connected = self.run(None, |_, incoming, _, _| match incoming {
            Incoming::Connected(server) => Ok(ControlFlow::Break(Ok(ServerInfo::of(&server)))),
            Incoming::Incompatible(why) => Ok(ControlFlow::Break(Err(HandshakeError::of(why)))),
            // Only a program that repeats its input, such as `cat`, sends the requests of a client.
            Incoming::Request(request, _)
                if [Method::Initialize, Method::ServerDiscover]
                    .iter()
                    .any(|method| request.method() == method.name()) =>
            {
                Ok(ControlFlow::Break(Err(HandshakeError::Echo)))
            }
            other => Err(other),
        });
        let server = connected.ok_or_else(|| self.ended())??;
        self.request_log_messages(server.protocol_version(), timeout);
        Ok(server)
    }

    /// Sends `logging/setLevel` to a legacy server; for a modern one, each request has the level. A refusal only means that
    /// there are no log messages.
    fn request_log_messages(&mut self, version: ProtocolVersion, timeout: Duration) {
        if let Some(level) = self.events.log_level()
            && version.era() == Era::Legacy
            && self.capabilities().has(Capabilities::LOGGING)
        {
            let terms = Terms::within(Some(timeout));
            let _ = self.request(terms, Method::LoggingSetLevel, |client, options, out| {
                client.set_level(options, level, out)
            });
        }
    }

    /// Sends a request and waits for its result. A modern server may answer with input requests; then `send` is called again
    /// to send the request with the answers.
    pub(super) fn request(
        &mut self,
        mut terms: Terms<'_>,
        method: Method,
        mut send: impl FnMut(&mut Caller<'_>, RequestOptions<'_>, &mut Sink<'_>) -> Result<Ticket, RequestError>,
    ) -> Result<OwnedValue, ClientError> {
        if let Some(end) = self.child.end() {
            return Err(ClientError::Ended(end));
        }
        if self.child.waiting() > self.longest_line {
            return Err(ClientError::NotReading);
        }
        let (start, log_level) = (self.child.now(), self.events.log_level());
        let sent = |now| terms.options(start, now, log_level);
        let mut ticket = self.child.write(|client, now, out| send(client, sent(now), out))?;
        let result = self.run(None, |client, incoming, now, out| match incoming {
            Incoming::Ended(ended) if ended.ticket == ticket => match ended.outcome {
                ClientOutcome::InputRequired(input) => {
                    let options = terms.options(start, now, log_level).answering(input);
                    match send(client, options, out) {
                        Ok(next) => {
                            ticket = next;
                            Ok(ControlFlow::Continue(()))
                        }
                        Err(error) => Ok(ControlFlow::Break(Err(error.into()))),
                    }
                }
                outcome => Ok(ControlFlow::Break(result_of(method, client.version(), outcome))),
            },
            Incoming::Progress(progress) if progress.ticket == ticket => {
                if let Some(on_progress) = &mut terms.on_progress {
                    on_progress(progress);
                }
                Err(incoming)
            }
            other => Err(other),
        });
        result.unwrap_or_else(|| {
            if let Some(ChildEnd::Interrupted) = self.child.end() {
                // Without room, nothing is sent.
                let _ = self.child.write(|client, _, out| client.cancel(ticket, Some("interrupted"), out));
            }
            Err(self.ended())
        })
    }

    /// Handles messages of the server for the time `longest`.
    pub(super) fn receive(&mut self, longest: Duration) -> Result<(), ClientError> {
        let until = self.child.now().saturating_add(longest);
        let nothing: Option<()> = self.run(Some(until), |_, incoming, _, _| Err(incoming));
        match (nothing, self.child.end()) {
            (None, Some(end)) => Err(ClientError::Ended(end)),
            _ => Ok(()),
        }
    }

    /// Passes each event to `then`, and those that `then` returns to their receivers. Returns `None` at the end of the
    /// connection, or at the time `until`.
    ///
    /// The clock stands still while the caller's handler works, so that a person who is slow to answer does not use up the
    /// timeout.
    fn run<R>(
        &mut self,
        until: Option<Duration>,
        mut then: impl for<'f> FnMut(
            &mut Caller<'_>,
            Incoming<'f, ()>,
            Duration,
            &mut Sink<'_>,
        ) -> Result<ControlFlow<R>, Incoming<'f, ()>>,
    ) -> Option<R> {
        loop {
            let events = &mut self.events;
            let found = self.child.run_until(until, |client, incoming, now, out| {
                let flow = then(client, incoming, now, out).unwrap_or_else(|other| {
                    events.pass(&other);
                    ControlFlow::Continue(())
                });
                match flow {
                    ControlFlow::Break(found) => ControlFlow::Break(Some(found)),
                    ControlFlow::Continue(()) if client.app().has_taken_time() => ControlFlow::Break(None),
                    ControlFlow::Continue(()) => ControlFlow::Continue(()),
                }
            });
            let taken = self.child.client_mut().app().take_time();
            self.child.hold_clock(taken);
            // `None`: the loop was only left to set the clock.
            if let Some(found) = found? {
                return Some(found);
            }
        }
    }

    /// The error after the end of the connection.
    fn ended(&mut self) -> ClientError {
        while self.child.client_mut().disconnect().is_some() {}
        ClientError::Ended(self.child.end().unwrap_or(ChildEnd::OutputClosed))
    }

    /// Kills the server, and returns the parts that its next start needs.
    pub(super) fn into_parts(self) -> (Application, Events) {
        (self.child.into_app(), self.events)
    }

    /// Ends the server.
    pub(super) fn close(self, grace: Duration) -> io::Result<ExitStatus> {
        self.child.close(grace)
    }
}

/// The checked result of a request.
fn result_of(
    method: Method,
    version: Option<ProtocolVersion>,
    outcome: ClientOutcome<'_>,
) -> Result<OwnedValue, ClientError> {
    match outcome {
        ClientOutcome::Result(result) => {
            if let Some(version) = version {
                let check = check_result(method, version, result);
                check.map_err(|error| ClientError::Result(Box::new(error)))?;
            }
            Ok(OwnedValue::of(result.as_value()))
        }
        ClientOutcome::ToolError(result) => Err(ClientError::Tool(text_of(result))),
        ClientOutcome::ProtocolError(error) => Err(ClientError::Protocol(ErrorResponse::of(error))),
        ClientOutcome::Invalid(fault) => Err(ClientError::Response(fault)),
        ClientOutcome::TimedOut => Err(ClientError::TimedOut),
        // Not reached: retries and the end of the connection are handled before, and the client has neither subscriptions
        // nor tasks.
        ClientOutcome::InputRequired(_)
        | ClientOutcome::Task(_)
        | ClientOutcome::SubscriptionEnded
        | ClientOutcome::Disconnected => Err(ClientError::Response(ResponseFault::ResultType)),
    }
}
