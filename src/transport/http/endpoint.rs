//! The endpoint: server and sessions.

use core::time::Duration;

use super::{Admitted, Head, Line, Reply, SessionEntry};
use crate::bytes::Sink;
use crate::engine::{Channel, Fixed, Handler, Sent, Server, Storage};

/// An MCP endpoint: a [`Server`] whose clients come over HTTP, and their legacy sessions.
///
/// Each HTTP exchange has a [`Channel`], which is free again when its response is written or [`closed`](Endpoint::closed) was called.
#[derive(Debug)]
pub struct Endpoint<S = Fixed, T = [SessionEntry; 0]> {
    server: Server<S>,
    sessions: T,
}

impl<S: Storage, T: AsMut<[SessionEntry]>> Endpoint<S, T> {
    /// An endpoint of this server. The storage of the server needs a place for each session.
    pub const fn new(server: Server<S>, sessions: T) -> Self {
        Self { server, sessions }
    }

    /// The server, for what the application reports and for answers to deferred calls; see [`route`](Endpoint::route).
    pub const fn server(&mut self) -> &mut Server<S> {
        &mut self.server
    }

    /// Sets the time, as [`Server::set_time`], and ends the sessions that were idle for too long.
    pub fn set_time<H: Handler + ?Sized>(&mut self, now: Duration, time_of_day: Duration, app: &mut H) {
        let _ = (now, time_of_day, app);
        todo!()
    }

    /// Time at which [`set_time`](Endpoint::set_time) and [`poll`](Endpoint::poll) are to be called.
    pub fn next_deadline(&mut self) -> Option<Duration> {
        todo!()
    }

    /// Serves a message: the body of a POST. The output must be empty.
    pub fn receive<H: Handler + ?Sized>(
        &mut self,
        channel: Channel,
        head: &impl Head,
        admitted: Admitted,
        body: &[u8],
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Reply {
        let _ = (channel, head, admitted, body, app, out);
        todo!()
    }

    /// Opens the standing stream of a legacy session (GET). It replaces an earlier one, whose exchange ends.
    pub fn open_stream(&mut self, channel: Channel, admitted: Admitted) -> Reply {
        let _ = (channel, admitted);
        todo!()
    }

    /// Ends a legacy session (DELETE).
    pub fn end_session<H: Handler + ?Sized>(&mut self, admitted: Admitted, app: &mut H) -> Reply {
        let _ = (admitted, app);
        todo!()
    }

    /// Writes a line that is due to the empty output, for an exchange that is writable. `None` if there is none.
    pub fn poll<H: Handler + ?Sized>(
        &mut self,
        writable: impl FnMut(Channel) -> bool,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Option<Line> {
        let _ = (writable, app, out);
        todo!()
    }

    /// The exchange of a line that a call of the [server](Endpoint::server) has written to `out`, such as
    /// [`Server::complete_tool`] or [`Server::progress`]. `None` if there is no line, or no exchange for it: its output is discarded.
    pub fn route(&mut self, sent: Sent, out: &mut Sink<'_>) -> Option<Line> {
        let _ = (sent, out);
        todo!()
    }

    /// Takes note that an exchange has ended without the client having got all of its response. Modern requests and those without a session
    /// are cancelled; legacy requests of a session continue, and their responses are dropped.
    pub fn closed<H: Handler + ?Sized>(&mut self, channel: Channel, app: &mut H) {
        let _ = (channel, app);
        todo!()
    }

    /// Whether the response of an exchange is not complete: its request is not answered yet, or it is an open stream.
    pub fn is_open(&mut self, channel: Channel) -> bool {
        let _ = channel;
        todo!()
    }

    /// Whether exchanges may have ended without a line since the last call, for example because the client has cancelled a request or
    /// ended its session. Then end each exchange that [is not open](Endpoint::is_open): a stream ends; one without a response
    /// gets [`Reply::STREAM`] and ends.
    pub fn has_ended(&mut self) -> bool {
        todo!()
    }
}
