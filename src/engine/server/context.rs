//! A request, as every part of the server needs it.

use super::{CallError, CallToken, NotKept, Origin, TaskToken};
use crate::json::{Object, RawValue};
use crate::mcp::{ClientCapabilities, Feature, LoggingLevel, Method, ProtocolVersion, Text};
use crate::rpc::RequestId;

/// Members of a request that do not depend on its method: id, revision, client, progress token.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub(super) origin: Origin,
    pub(super) id: RequestId<'a>,
    pub(super) method: Method,
    pub(super) version: ProtocolVersion,
    pub(super) params: Option<Object<'a>>,
    /// The capabilities as sent with a modern request; `None` in the legacy era.
    pub(super) client_capabilities: Option<Object<'a>>,
    pub(super) client: ClientCapabilities,
    /// Any string or number.
    pub(super) progress_token: Option<RawValue<'a>>,
    /// The least severe level that the client wants to see.
    pub(super) log_level: Option<LoggingLevel>,
    pub(super) deferral: Result<CallToken, NotKept>,
    pub(super) task: TaskOffer,
    /// URI of the resource that is read.
    pub(super) uri: Text<'a>,
}

impl<'a> Context<'a> {
    /// A request of which only this is known.
    pub(super) const fn new(
        origin: Origin,
        id: RequestId<'a>,
        method: Method,
        version: ProtocolVersion,
    ) -> Self {
        Self {
            origin,
            id,
            method,
            version,
            params: None,
            client_capabilities: None,
            client: ClientCapabilities::NONE,
            progress_token: None,
            log_level: None,
            deferral: Err(NotKept::Busy),
            task: TaskOffer::NONE,
            uri: Text::Plain(""),
        }
    }

    /// Leaves nothing but the response to the request: no progress, no log messages, no questions to a legacy client.
    pub(super) const fn answer_by_one_line(&mut self) {
        self.progress_token = None;
        self.log_level = None;
        if !self.is_modern() {
            self.client = ClientCapabilities::NONE;
        }
    }

    /// Whether the request is of the modern era.
    pub(super) const fn is_modern(&self) -> bool {
        self.version.has(Feature::ResultType)
    }

    /// Channel and session that the request came from.
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// The request's id.
    pub const fn id(&self) -> RequestId<'a> {
        self.id
    }

    /// The revision that the answer is written in.
    pub const fn version(&self) -> ProtocolVersion {
        self.version
    }

    /// All of the params.
    pub const fn params(&self) -> Option<Object<'a>> {
        self.params
    }

    /// The client's capabilities with their extensions, as sent with a modern request.
    pub const fn client_capabilities(&self) -> Option<Object<'a>> {
        self.client_capabilities
    }

    /// The client's capabilities: those of the request in the modern era, those of the handshake in the legacy era. None where the
    /// server's [`Parts`](super::Parts) have neither input requests nor tasks.
    pub const fn client(&self) -> ClientCapabilities {
        self.client
    }

    /// Whether the call can be deferred now.
    ///
    /// # Errors
    /// As those of [`ToolReply::defer`](super::ToolReply::defer), which consumes the reply: so an application that cannot defer a call can
    /// answer it at once.
    pub fn may_be_deferred(&self) -> Result<(), CallError<'static>> {
        self.deferral.map(drop).map_err(NotKept::to_call_error)
    }

    /// Whether the client wants to hear of progress.
    pub const fn wants_progress(&self) -> bool {
        self.progress_token.is_some()
    }
}

/// Whether a call may, or must, become a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TaskOffer {
    pub(super) token: Option<TaskToken>,
    /// The client has asked for a task, and accepts nothing else (2025-11-25).
    pub(super) is_asked: bool,
    /// Time to live in milliseconds.
    pub(super) ttl: u32,
}

impl TaskOffer {
    pub(super) const NONE: Self = Self { token: None, is_asked: false, ttl: 0 };
}
