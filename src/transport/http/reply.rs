//! Answers of the endpoint: the reply to a request, and later lines.

use super::Status;
use super::field::{ID_DIGITS, SessionId};
use crate::engine::Channel;

/// The answer to a request: status, fields, and what follows.
///
/// The lines themselves are in the output of the call that returned the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Reply {
    status: Status,
    next: Next,
    /// Id of the session that this reply opens, as digits.
    session: Option<SessionId>,
    /// Value of `Allow`.
    allow: Option<&'static str>,
    /// A line for another exchange, which is in the output.
    line: Option<Line>,
}

/// Body of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Next {
    /// No body.
    Empty,
    /// The output is the body, one line: `application/json`.
    Json,
    /// The lines of the output, if there are any, are the first events: `text/event-stream`. Events of later [`Line`]s for the channel
    /// follow, until [`Endpoint::is_open`](super::Endpoint::is_open) is false for it.
    Stream,
    /// Nothing is known yet, so nothing is written yet, not even the status. The first [`Line`] for the channel decides: its
    /// [`reply`](Line::reply) replaces this one. Before that, the carrier may turn to [`Reply::STREAM`], to send a comment that keeps the
    /// connection alive.
    Later,
}

/// Line for an exchange, which is in the output of the call that returned it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Line {
    channel: Channel,
    ends: bool,
    status: Status,
}

impl Line {
    pub(super) const fn new(channel: Channel, ends: bool, status: Status) -> Self {
        Self { channel, ends, status }
    }

    /// Exchange that the line is for.
    pub const fn channel(&self) -> Channel {
        self.channel
    }

    /// Whether the exchange ends with this line.
    pub const fn ends(&self) -> bool {
        self.ends
    }

    /// The reply that begins with this line, if the reply before was [`Next::Later`]: JSON if the exchange ends with the line, else a
    /// stream. In a stream the line is an event.
    pub const fn reply(&self) -> Reply {
        match self.ends {
            true => Reply::json(self.status),
            false => Reply::STREAM,
        }
    }
}

impl Reply {
    /// A stream of events with the status 200.
    pub const STREAM: Self = Self::new(Status::OK, Next::Stream);

    pub(super) const fn new(status: Status, next: Next) -> Self {
        Self { status, next, session: None, allow: None, line: None }
    }

    pub(super) const fn json(status: Status) -> Self {
        Self::new(status, Next::Json)
    }

    pub(super) const fn empty(status: Status) -> Self {
        Self::new(status, Next::Empty)
    }

    pub(super) const fn with_session(self, session: SessionId) -> Self {
        Self { session: Some(session), ..self }
    }

    pub(super) const fn with_allow(self, allow: &'static str) -> Self {
        Self { allow: Some(allow), ..self }
    }

    pub(super) const fn with_line(self, line: Option<Line>) -> Self {
        Self { line, ..self }
    }

    /// Status of the response. Without a meaning for [`Next::Later`].
    pub const fn status(&self) -> Status {
        self.status
    }

    /// Body of the response.
    pub const fn next(&self) -> Next {
        self.next
    }

    /// The output is a line for another exchange: the client has answered the question of a call, which continues. It is then no part of
    /// this response, whose body is empty.
    pub const fn line(&self) -> Option<Line> {
        self.line
    }

    /// Gives the fields of the response, but for those of the transport (`Content-Length`, `Date`, `Connection`) and of
    /// CORS. Names are in lower case.
    pub fn fields(&self, mut field: impl FnMut(&str, &str)) {
        match self.next {
            Next::Json => field("content-type", "application/json"),
            Next::Stream => {
                field("content-type", "text/event-stream");
                field("cache-control", "no-cache");
                field("x-accel-buffering", "no");
            }
            Next::Empty | Next::Later => {}
        }
        if let Some(session) = self.session {
            let digits: [u8; ID_DIGITS] = session.digits();
            field("mcp-session-id", core::str::from_utf8(&digits).unwrap_or_default());
        }
        if let Some(allow) = self.allow {
            field("allow", allow);
        }
        if self.status == Status::SERVICE_UNAVAILABLE {
            field("retry-after", "1");
        }
    }
}
