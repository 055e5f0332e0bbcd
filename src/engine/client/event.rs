//! Events: incoming messages and ends of requests.

use super::fault::ResponseFault;
use super::input::InputRequired;
use super::pending::{Entry, Ticket};
use super::storage::ClientStorage;
use crate::bytes::BufferFull;
use crate::engine::List;
use crate::json::{JsonStr, Number, Object, RawValue};
use crate::mcp::{LoggingLevel, Method, ProtocolVersion, Task, ToolResult};
use crate::rpc::{ErrorCode, ErrorObject, Notification, Rejection, Request, RequestId, Response};

/// Event of one frame, or of a timeout. It borrows from the frame, not from the client.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{ClientEngine, Incoming, Plain};
/// use barewire::mcp::{Implementation, ProtocolVersion};
/// use core::time::Duration;
///
/// fn show(incoming: &Incoming<'_, ()>) -> String {
///     match incoming {
///         Incoming::Connected(server) => format!("connected in {}", server.version()),
///         Incoming::Log(log) => format!("{}: {}", log.level.as_str(), log.data),
///         Incoming::ListChanged { list, .. } => format!("changed: {list:?}"),
///         Incoming::Rejected(rejection) => format!("not a message: {}", rejection.reason().name()),
///         _ => String::new(),
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (mut memory, now) = ([0; 512], Duration::ZERO);
/// let (mut engine, mut app) = (ClientEngine::new(), Plain(Implementation::new("probe", "1.0")));
/// let mut client = engine.bind(&mut app);
/// client.initialize_with(ProtocolVersion::V2025_06_18, now, &mut Sink::new(&mut memory))?;
/// for (line, expected) in [
///     (r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}"#, "connected in 2025-06-18"),
///     (r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"hot"}}"#, r#"error: "hot""#),
///     (r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#, "changed: Tools"),
///     ("what a server must not print", "not a message: not-json"),
/// ] {
///     assert_eq!(show(&client.handle_frame(line.as_bytes(), now, &mut Sink::new(&mut memory))), expected);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub enum Incoming<'a, C> {
    /// Nothing for the application: a blank line, a step of the handshake.
    Nothing,
    /// The handshake is complete: requests can be sent.
    Connected(Connected<'a>),
    /// The handshake has failed; another one can begin.
    Incompatible(Incompatible<'a>),
    /// A request of the client has ended.
    Ended(Ended<'a, C>),
    /// Progress of a request in flight.
    Progress(ClientProgress<'a>),
    /// A log message of the server.
    Log(Log<'a>),
    /// A list has changed.
    ListChanged {
        /// The list.
        list: List,
        /// The subscription that reports it (2026-07-28).
        subscription: Option<Ticket>,
    },
    /// A resource has changed.
    ResourceUpdated {
        /// URI of the resource: of the subscribed one, or of a part of it.
        uri: JsonStr<'a>,
        /// The subscription that reports it (2026-07-28).
        subscription: Option<Ticket>,
    },
    /// A subscription has begun (2026-07-28).
    Acknowledged {
        /// The subscription.
        subscription: Ticket,
        /// The accepted part of the filter, with the same members.
        notifications: Object<'a>,
    },
    /// The server has cancelled one of its own requests, which the application meant to answer later.
    Cancelled(RequestId<'a>),
    /// Any other notification.
    Notification(Notification<'a>),
    /// A request of the server, and how it was answered.
    Request(Request<'a>, Answered),
    /// A response without a request in flight: to a cancelled request, for example, or an error without an id.
    Unmatched(Response<'a>),
    /// A line that is not a message and does not name a request in flight. It is not answered.
    Rejected(Rejection<'a>),
    /// The receiver lost bytes of a line, so the line was dropped.
    Lost,
    /// The message to write does not fit the output: send the output, and repeat the call.
    NoRoom(BufferFull),
}

/// Event of a client with this storage.
pub(super) type EventOf<'f, S> = Incoming<'f, <S as ClientStorage>::Context>;

/// Result of a handshake: the server and its capabilities.
#[derive(Debug, Clone, Copy)]
pub struct Connected<'a> {
    pub(super) version: ProtocolVersion,
    pub(super) info: Option<Object<'a>>,
    pub(super) capabilities: Object<'a>,
    pub(super) instructions: Option<JsonStr<'a>>,
}

impl<'a> Connected<'a> {
    /// Revision of the connection.
    pub const fn version(&self) -> ProtocolVersion {
        self.version
    }

    /// Name of the server.
    pub fn server_name(&self) -> Option<JsonStr<'a>> {
        self.info?.get("name")?.as_string()
    }

    /// Version of the server.
    pub fn server_version(&self) -> Option<JsonStr<'a>> {
        self.info?.get("version")?.as_string()
    }

    /// The whole `serverInfo`, if present.
    pub const fn server_info(&self) -> Option<Object<'a>> {
        self.info
    }

    /// The capabilities as JSON. The client keeps the known ones
    /// ([`server_capabilities`](super::ClientEngine::server_capabilities)).
    pub const fn capabilities(&self) -> Object<'a> {
        self.capabilities
    }

    /// Instructions for a model.
    pub const fn instructions(&self) -> Option<JsonStr<'a>> {
        self.instructions
    }
}

/// Reason why a handshake has failed.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Incompatible<'a> {
    /// The server chose a revision that the client does not speak.
    Version(JsonStr<'a>),
    /// The server speaks none of the client's revisions. The object contains the server's list: `supported` of an error,
    /// or `supportedVersions` of a discovery.
    NoCommonVersion(Object<'a>),
    /// The server returned an error.
    Refused(ErrorObject<'a>),
    /// The response cannot be used.
    Invalid(ResponseFault),
    /// No response came in time.
    TimedOut,
    /// The next message of the handshake does not fit the output.
    NoRoom(BufferFull),
}

/// A request that has ended. Its ticket is no longer valid.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a, C> {
    /// Its ticket.
    pub ticket: Ticket,
    /// Its method; `None` for a method that is not part of MCP.
    pub method: Option<Method>,
    /// The context that the caller attached.
    pub context: C,
    /// Result, error or timeout.
    pub outcome: ClientOutcome<'a>,
}

impl<'a, C> Ended<'a, C> {
    pub(super) fn of<Id>(entry: Entry<C, Id>, outcome: ClientOutcome<'a>) -> Self {
        Self { ticket: entry.ticket, method: entry.method, context: entry.context, outcome }
    }
}

/// ClientOutcome of a request. A tool that failed and a request that was refused are different outcomes.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{ClientEngine, Incoming, ClientOutcome, Plain, RequestOptions};
/// use barewire::mcp::{Implementation, ProtocolVersion};
/// use core::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (mut memory, now) = ([0; 512], Duration::ZERO);
/// # let (mut engine, mut app) = (ClientEngine::new(), Plain(Implementation::new("probe", "1.0")));
/// # let mut client = engine.bind(&mut app);
/// # client.initialize_with(ProtocolVersion::V2025_06_18, now, &mut Sink::new(&mut memory))?;
/// # let line = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}"#;
/// # let _ = client.handle_frame(line, now, &mut Sink::new(&mut memory));
/// for (response, expected) in [
///     (r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#, r#"{"content":[]}"#),
///     (r#"{"jsonrpc":"2.0","id":3,"result":{"content":[],"isError":true}}"#, "the tool failed"),
///     (r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Unknown tool"}}"#, "refused: Unknown tool"),
///     (r#"{"jsonrpc":"2.0","id":5,"result":[]}"#, "not a valid response: result-not-an-object"),
/// ] {
///     client.call_tool(RequestOptions::at(now), "heat", &mut Sink::new(&mut memory), |_| {})?;
///     let incoming = client.handle_frame(response.as_bytes(), now, &mut Sink::new(&mut memory));
///     let Incoming::Ended(ended) = incoming else { unreachable!() };
///     let shown = match ended.outcome {
///         ClientOutcome::Result(result) => result.as_value().to_string(),
///         ClientOutcome::ToolError(_) => "the tool failed".to_string(),
///         ClientOutcome::ProtocolError(error) => format!("refused: {}", error.message()),
///         ClientOutcome::Invalid(fault) => fault.to_string(),
///         _ => unreachable!(),
///     };
///     assert_eq!(shown, expected);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum ClientOutcome<'a> {
    /// A result. A tool has succeeded; a subscription has ended.
    Result(Object<'a>),
    /// The tool ran and failed: `isError` is true.
    ToolError(ToolResult<'a>),
    /// The server returned an error.
    ProtocolError(ErrorObject<'a>),
    /// The server needs input first (2026-07-28): send the request again with
    /// [`RequestOptions::answering`](super::RequestOptions::answering), or give it up.
    InputRequired(InputRequired<'a>),
    /// The server runs the call as a task.
    Task(Task<'a>),
    /// The response cannot be used.
    Invalid(ResponseFault),
    /// The server has ended the subscription without a response.
    SubscriptionEnded,
    /// No response came in time. The request was cancelled.
    TimedOut,
    /// The caller gave up the connection with [`ClientEngine::disconnect`](super::ClientEngine::disconnect).
    Disconnected,
}

/// Progress of a request.
#[derive(Debug, Clone, Copy)]
pub struct ClientProgress<'a> {
    /// The request.
    pub ticket: Ticket,
    /// The progress so far; it increases.
    pub progress: Number<'a>,
    /// The total, if known.
    pub total: Option<Number<'a>>,
    /// Description of the current step (2025-03-26 and later).
    pub message: Option<JsonStr<'a>>,
}

/// Log message of a server.
#[derive(Debug, Clone, Copy)]
pub struct Log<'a> {
    /// Its level.
    pub level: LoggingLevel,
    /// Name of the logger.
    pub logger: Option<JsonStr<'a>>,
    /// The logged value.
    pub data: RawValue<'a>,
}

/// Kind of answer to a request of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Answered {
    /// The result was written.
    Done,
    /// An error with this code was written.
    Refused(ErrorCode),
    /// The application answers it later with [`ClientEngine::answer`](super::ClientEngine::answer).
    Later,
    /// Nothing was written: a server of 2026-07-28 sends no requests.
    Ignored,
    /// Neither the result nor an error fits the output.
    NoRoom(BufferFull),
}
