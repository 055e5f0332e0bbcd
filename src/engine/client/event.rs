//! What came in, and how requests end.

use core::fmt;

use super::{InputRequired, Ticket};
use crate::engine::List;
use crate::json::{JsonStr, Number, Object, RawValue};
use crate::mcp::{LoggingLevel, Method, ProtocolVersion, Task, ToolResult};
use crate::rpc::{ErrorCode, ErrorObject, Notification, Reason, Rejection, Request, RequestId, Response};

/// What one frame, or the passing of time, came to. It borrows from the frame, not from the client.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{Client, Incoming, Plain};
/// use barewire::mcp::{Implementation, ProtocolVersion};
/// use core::time::Duration;
///
/// fn show(incoming: &Incoming<'_, ()>) -> String {
///     match incoming {
///         Incoming::Connected(server) => format!("connected in {}", server.version()),
///         Incoming::Log(log) => format!("{}: {}", log.level.as_str(), log.data),
///         Incoming::ListChanged { list, .. } => format!("other {list:?}"),
///         Incoming::Rejected(rejection) => format!("no message: {}", rejection.reason().name()),
///         _ => String::new(),
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (mut memory, now) = ([0; 512], Duration::ZERO);
/// let mut client: Client<Plain> = Client::new(Plain(Implementation::new("probe", "1.0")));
/// client.initialize_with(ProtocolVersion::V2025_06_18, now, &mut Sink::new(&mut memory))?;
/// for (line, expected) in [
///     (r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}"#, "connected in 2025-06-18"),
///     (r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"hot"}}"#, r#"error: "hot""#),
///     (r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#, "other Tools"),
///     ("what a server must not print", "no message: not-json"),
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
    /// Nothing that concerns the application: a blank line, a step of the handshake.
    Nothing,
    /// The handshake is done: requests can be sent.
    Connected(Connected<'a>),
    /// The handshake has failed: the client is as before it.
    Incompatible(Incompatible<'a>),
    /// A request of the client's has ended.
    Ended(Ended<'a, C>),
    /// A request goes on.
    Progress(Progress<'a>),
    /// A log message of the server.
    Log(Log<'a>),
    /// A list has changed.
    ListChanged {
        /// Which.
        list: List,
        /// The subscription that says so (2026-07-28).
        subscription: Option<Ticket>,
    },
    /// A resource has changed.
    ResourceUpdated {
        /// The resource: the one that was subscribed to, or a part of it.
        uri: JsonStr<'a>,
        /// The subscription that says so (2026-07-28).
        subscription: Option<Ticket>,
    },
    /// A subscription has begun (2026-07-28).
    Acknowledged {
        /// The subscription.
        subscription: Ticket,
        /// What it will tell of, of what was asked for: the same members as in the filter.
        notifications: Object<'a>,
    },
    /// The server has cancelled a request of its own that the application answers later.
    Cancelled(RequestId<'a>),
    /// Any other notification.
    Notification(Notification<'a>),
    /// A request of the server's, and what became of it.
    Request(Request<'a>, Answered),
    /// A response that nobody waits for: to a cancelled request, say, or an error without an id.
    Unmatched(Response<'a>),
    /// A line that is no message and names no request that waits. It is not answered.
    Rejected(Rejection<'a>),
    /// The receiver lost bytes of a line, which was dropped.
    Lost,
    /// What was to be written has no room in the output: send what is in it, and make the same call again.
    NoRoom,
}

/// The server's side of a handshake.
#[derive(Debug, Clone, Copy)]
pub struct Connected<'a> {
    pub(super) version: ProtocolVersion,
    pub(super) info: Option<Object<'a>>,
    pub(super) capabilities: Object<'a>,
    pub(super) instructions: Option<JsonStr<'a>>,
}

impl<'a> Connected<'a> {
    /// The revision of all that follows.
    pub const fn version(&self) -> ProtocolVersion {
        self.version
    }

    /// The server's name.
    pub fn server_name(&self) -> Option<JsonStr<'a>> {
        self.info?.get("name")?.as_string()
    }

    /// The server's own version.
    pub fn server_version(&self) -> Option<JsonStr<'a>> {
        self.info?.get("version")?.as_string()
    }

    /// All that the server says of itself, if it does.
    pub const fn server_info(&self) -> Option<Object<'a>> {
        self.info
    }

    /// What the server offers, as it says it: the client itself keeps what it knows of it.
    pub const fn capabilities(&self) -> Object<'a> {
        self.capabilities
    }

    /// How to use the server: for a model.
    pub const fn instructions(&self) -> Option<JsonStr<'a>> {
        self.instructions
    }
}

/// Why a handshake has failed.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Incompatible<'a> {
    /// The server answers in a revision that the client does not speak.
    Version(JsonStr<'a>),
    /// The server speaks none of the client's revisions: `supported` of its error or of its discovery has those that it
    /// speaks.
    NoCommonVersion(Object<'a>),
    /// The server refuses.
    Refused(ErrorObject<'a>),
    /// The server's answer cannot be used.
    Invalid(Fault),
    /// The server does not answer.
    TimedOut,
    /// The next message of the handshake has no room in the output.
    NoRoom,
}

/// A request that has ended. Its ticket is void.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a, C> {
    /// Which one.
    pub ticket: Ticket,
    /// Its method; `None` for one that is not of MCP.
    pub method: Option<Method>,
    /// What the caller gave with it.
    pub context: C,
    /// How.
    pub outcome: Outcome<'a>,
}

/// How a request has ended. The errors of the layers stay apart: a tool that failed, and a request that was refused.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{Ask, Client, Incoming, Outcome, Plain};
/// use barewire::mcp::{Implementation, ProtocolVersion};
/// use core::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (mut memory, now) = ([0; 512], Duration::ZERO);
/// # let mut client: Client<Plain> = Client::new(Plain(Implementation::new("probe", "1.0")));
/// # client.initialize_with(ProtocolVersion::V2025_06_18, now, &mut Sink::new(&mut memory))?;
/// # let line = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}"#;
/// # let _ = client.handle_frame(line, now, &mut Sink::new(&mut memory));
/// for (response, expected) in [
///     (r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#, r#"{"content":[]}"#),
///     (r#"{"jsonrpc":"2.0","id":3,"result":{"content":[],"isError":true}}"#, "the tool failed"),
///     (r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Unknown tool"}}"#, "refused: Unknown tool"),
///     (r#"{"jsonrpc":"2.0","id":5,"result":[]}"#, "it is no response: result-not-an-object"),
/// ] {
///     client.call_tool(Ask::at(now), "heat", &mut Sink::new(&mut memory), |_| {})?;
///     let incoming = client.handle_frame(response.as_bytes(), now, &mut Sink::new(&mut memory));
///     let Incoming::Ended(ended) = incoming else { unreachable!() };
///     let shown = match ended.outcome {
///         Outcome::Result(result) => result.as_value().to_string(),
///         Outcome::ToolError(_) => "the tool failed".to_string(),
///         Outcome::ProtocolError(error) => format!("refused: {}", error.message()),
///         Outcome::Invalid(fault) => fault.to_string(),
///         _ => unreachable!(),
///     };
///     assert_eq!(shown, expected);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Outcome<'a> {
    /// The result. Of a tool it is one without `isError`; of a subscription, its end.
    Result(Object<'a>),
    /// The tool ran and failed: `isError` is true.
    ToolError(ToolResult<'a>),
    /// The server refused: the `error` of the response.
    ProtocolError(ErrorObject<'a>),
    /// The server wants to know something first (2026-07-28): ask again with
    /// [`Ask::answering`](super::Ask::answering), or leave it.
    InputRequired(InputRequired<'a>),
    /// The server made a task of the call.
    Task(Task<'a>),
    /// The response cannot be used.
    Invalid(Fault),
    /// The server has ended the subscription without a response.
    SubscriptionEnded,
    /// No response came in time. The request was cancelled.
    TimedOut,
    /// The connection was given up; see [`Client::disconnect`](super::Client::disconnect).
    Disconnected,
}

/// What is wrong with a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Fault {
    /// The line is not a valid JSON-RPC response, or longer than the buffer, but its id could be read. If the line is
    /// not JSON, only characters in its strings are at fault.
    Envelope(Reason),
    /// Its `resultType` is one that the request cannot have (MCP 2026-07-28, `resultType`).
    ResultType,
    /// It asks for input that it does not describe: neither `inputRequests` nor `requestState`, or malformed ones.
    InputRequired,
    /// A member that the request needs is missing or of a wrong kind.
    Result,
    /// A member occurs twice, or an object has more than 64 members, where the client or one of its views reads.
    /// (Values that only the application reads, such as `structuredContent`, are not checked.)
    Repeated,
}

/// How far a request is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// Which request.
    pub ticket: Ticket,
    /// How far: greater each time.
    pub progress: Number<'a>,
    /// Of how much.
    pub total: Option<Number<'a>>,
    /// What is being done (2025-03-26 and later).
    pub message: Option<JsonStr<'a>>,
}

/// A log message.
#[derive(Debug, Clone, Copy)]
pub struct Log<'a> {
    /// How severe.
    pub level: LoggingLevel,
    /// Who says it.
    pub logger: Option<JsonStr<'a>>,
    /// What: any value.
    pub data: RawValue<'a>,
}

/// What became of a request of the server's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Answered {
    /// The result was written.
    Done,
    /// An error with this code was written.
    Refused(ErrorCode),
    /// The application answers it later: with [`Client::answer`](super::Client::answer) and the id that it keeps.
    Later,
    /// Nothing was written: a server of 2026-07-28 asks nothing.
    Ignored,
    /// Neither the result nor an error had room in the output.
    NoRoom,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Envelope(reason) => {
                write!(f, "it is no response: {}", reason.name())?;
                match reason {
                    Reason::NotJson(kind) => write!(f, ", {}", kind.as_str()),
                    _ => Ok(()),
                }
            }
            Self::ResultType => f.write_str("its resultType is none that the request can have"),
            Self::InputRequired => f.write_str("it asks for input that it does not describe"),
            Self::Result => f.write_str("a member is missing or of a wrong kind"),
            Self::Repeated => f.write_str("a member occurs twice, or an object has more than 64 members"),
        }
    }
}
