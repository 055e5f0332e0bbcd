//! Answers of the endpoint: the reply to a request, and later lines.

use super::field::FieldValue;
use super::sessions::{SessionId, digits_of};
use super::status::Status;
use crate::engine::Channel;

/// The reply to a request: status, header fields, and the form of the body.
///
/// The lines of the body are in the output of the call that returned the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct HttpReply {
    status: Status,
    body: ReplyBody,
    ends: bool,
    session: Option<SessionId>,
    /// Value of `Allow`.
    allow: Option<&'static str>,
    line: Option<Line>,
}

/// Form of the body of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ReplyBody {
    /// No body.
    Empty,
    /// The output is the body, one line: `application/json`.
    Json,
    /// The lines of the output, if there are any, are the first [events](super::events): `text/event-stream`.
    Stream,
    /// Nothing is known yet, so not even the status is sent. The first [`Line`] for the exchange brings the
    /// [reply](Line::reply) that replaces this one.
    Later {
        /// Whether [`HttpReply::STREAM`] may be sent meanwhile, for a [comment](super::COMMENT) that keeps the connection alive. False
        /// if the client does not accept streams.
        may_stream: bool,
    },
}

impl HttpReply {
    /// A stream of events that stays open.
    pub const STREAM: Self = Self { ends: false, ..Self::new(Status::OK, ReplyBody::Stream) };

    /// A reply that is complete.
    pub(super) const fn new(status: Status, body: ReplyBody) -> Self {
        Self { status, body, ends: true, session: None, allow: None, line: None }
    }

    /// A reply that is not known yet.
    pub(super) const fn later(may_stream: bool) -> Self {
        Self { ends: false, ..Self::new(Status::OK, ReplyBody::Later { may_stream }) }
    }

    pub(super) const fn with_session(self, id: SessionId) -> Self {
        Self { session: Some(id), ..self }
    }

    pub(super) const fn with_allow(self, methods: &'static str) -> Self {
        Self { allow: Some(methods), ..self }
    }

    pub(super) const fn with_line(self, line: Option<Line>) -> Self {
        Self { line, ..self }
    }

    /// Status of the response. It has no meaning for [`ReplyBody::Later`].
    pub const fn status(&self) -> Status {
        self.status
    }

    /// Form of the body.
    pub const fn body(&self) -> ReplyBody {
        self.body
    }

    /// Whether the response is complete with what is in the output. Otherwise it ends with a [`Line`] that
    /// [says so](Line::ends), or when the exchange [is no longer open](super::Endpoint::is_open).
    pub const fn ends(&self) -> bool {
        self.ends
    }

    /// A line for another exchange: the client has answered the question of a call, which continues. The output has the text of that
    /// line; the response to this request has no body.
    pub const fn line(&self) -> Option<Line> {
        self.line
    }

    /// Calls `field` for each header field of the response, those of [`Access::cors_fields`](super::Access::cors_fields) and of the
    /// transport apart.
    pub fn fields(&self, mut field: impl FnMut(&'static str, FieldValue<'_>)) {
        match self.body {
            ReplyBody::Json => field("Content-Type", "application/json".into()),
            ReplyBody::Stream => {
                field("Content-Type", "text/event-stream".into());
                field("Cache-Control", "no-cache".into());
                field("X-Accel-Buffering", "no".into());
            }
            ReplyBody::Empty | ReplyBody::Later { .. } => {}
        }
        if let Some(id) = &self.session {
            let digits = digits_of(id);
            field("Mcp-Session-Id", core::str::from_utf8(&digits).unwrap_or_default().into());
        }
        if let Some(methods) = self.allow {
            field("Allow", methods.into());
        }
        if self.status == Status::SERVICE_UNAVAILABLE {
            field("Retry-After", "1".into());
        }
    }
}

/// Lines for an exchange; the text is in the output of the call that returned this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Line {
    pub(super) channel: Channel,
    /// Whether the exchange ends.
    pub(super) ends: bool,
    /// Status of the response, if there is no other line.
    pub(super) response: Option<Status>,
}

impl Line {
    /// Exchange that the lines are for.
    pub const fn channel(&self) -> Channel {
        self.channel
    }

    /// Whether the response is complete with these lines.
    pub const fn ends(&self) -> bool {
        self.ends
    }

    /// The reply that these lines begin, if it was [`ReplyBody::Later`] so far. In a stream that has begun they are events.
    pub const fn reply(&self) -> HttpReply {
        match self.response {
            Some(status) => HttpReply::new(status, ReplyBody::Json),
            None => HttpReply { ends: self.ends, ..HttpReply::STREAM },
        }
    }
}
