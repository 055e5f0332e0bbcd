//! Errors of the blocking client.

use core::fmt;
use std::boxed::Box;
use std::io;
use std::string::{String, ToString};

use super::owned::OwnedValue;
use crate::engine::client::{Incompatible, RequestError, ResponseFault};
use crate::json::{Object, ParseError, RawValue, SerializeError};
use crate::mcp::ResultError;
use crate::rpc::{ErrorCode, ErrorObject};
use crate::transport::ChildEnd;

/// Reason why a call of a [`Client`](super::Client) has no result.
///
/// Except after [`Io`](ClientError::Io), [`Handshake`](ClientError::Handshake) and [`Ended`](ClientError::Ended), the next call
/// is independent of the failed one.
///
/// ```no_run
/// use std::process::Command;
///
/// use barewire::{Client, ClientError};
///
/// # fn main() -> Result<(), ClientError> {
/// let mut server = Client::connect(Command::new("some-server"))?;
/// match server.call_tool("divide", serde_json::json!({"a": 1, "b": 0})) {
///     Ok(result) => println!("{}", result.text()),
///     Err(ClientError::Tool(text)) => println!("the tool failed: {text}"),
///     Err(ClientError::Protocol(error)) => println!("error {}: {}", error.code(), error.message()),
///     Err(ClientError::TimedOut) => println!("no result in time; the call was cancelled"),
///     Err(ClientError::Ended(end)) => println!("{end}"),
///     Err(other) => println!("{other}"),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The process of the server cannot be started, or its exit status cannot be read.
    Io(io::Error),
    /// The handshake has failed. The server was ended.
    Handshake(HandshakeError),
    /// The server has ended, or the connection was interrupted. No further call works.
    Ended(ChildEnd),
    /// The request was not sent: the server does not read its input, and the requests before already fill the longest line.
    NotReading,
    /// The server returned an error response.
    Protocol(ErrorResponse),
    /// The tool ran and failed (`isError`). The text is that of its text blocks.
    Tool(String),
    /// No response came in time. The request was cancelled; a late response is ignored.
    TimedOut,
    /// The response is not a valid JSON-RPC response, is longer than the longest line, or has members that contradict each
    /// other.
    Response(ResponseFault),
    /// A member of the result is missing, of the wrong kind, or repeated; the error names it.
    Result(Box<ResultError>),
    /// The result does not fit the type that the caller wants.
    Parse(ParseError),
    /// The arguments cannot be sent.
    Arguments(ArgumentsError),
    /// The request was not sent: the server does not offer it ([`RequestError::NotOffered`]), the revision does not have it
    /// ([`RequestError::NotInRevision`]), or it is longer than the longest line ([`RequestError::NoRoom`]). In 2026-07-28 also:
    /// the handler has refused an input request, so that there is no retry ([`RequestError::Refused`]).
    NotSent(RequestError),
    /// The list does not end: a cursor came twice, or there are more than 1000 pages.
    EndlessList,
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot run the server: {error}"),
            Self::Handshake(error) => error.fmt(f),
            Self::Ended(end) => end.fmt(f),
            Self::NotReading => f.write_str("the server does not read its input"),
            Self::Protocol(error) => error.fmt(f),
            Self::Tool(text) if text.is_empty() => f.write_str("the tool failed"),
            Self::Tool(text) => write!(f, "the tool failed: {text}"),
            Self::TimedOut => f.write_str("the server did not answer in time"),
            Self::Response(fault) => write!(f, "the response cannot be used: {fault}"),
            Self::Result(error) => write!(f, "the result cannot be used: {error}"),
            Self::Parse(error) => write!(f, "the result does not fit the type: {error}"),
            Self::Arguments(error) => write!(f, "the arguments cannot be sent: {error}"),
            Self::NotSent(error) => error.fmt(f),
            Self::EndlessList => {
                f.write_str("the list does not end: a cursor came twice, or there are more than 1000 pages")
            }
        }
    }
}

/// The text of an error includes its cause, so only an I/O error has a source.
impl core::error::Error for ClientError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            _ => None,
        }
    }
}

/// Conversions into the variant of each error.
macro_rules! variants {
    ($($variant:ident($error:ty);)*) => {$(
        impl From<$error> for ClientError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        }
    )*};
}

variants! {
    Io(io::Error);
    Handshake(HandshakeError);
    Parse(ParseError);
    Arguments(ArgumentsError);
    NotSent(RequestError);
}

/// Error response of a server (JSON-RPC 2.0, section 5.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorResponse {
    code: ErrorCode,
    message: String,
    data: Option<OwnedValue>,
}

impl ErrorResponse {
    pub(super) fn of(error: ErrorObject<'_>) -> Self {
        Self {
            code: error.code(),
            message: error.message().to_string(),
            data: error.data().map(OwnedValue::of),
        }
    }

    /// The code.
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The `data`, if present.
    pub fn data(&self) -> Option<RawValue<'_>> {
        self.data.as_ref().map(OwnedValue::value)
    }
}

impl fmt::Display for ErrorResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server returned error {}: {}", self.code, self.message)?;
        let required =
            self.data().and_then(RawValue::as_object).and_then(|data| data.get("requiredCapabilities"));
        let required = required.and_then(RawValue::as_object).unwrap_or(Object::EMPTY);
        for (place, capability) in required.members().enumerate() {
            write!(f, "{}{}", if place == 0 { ": " } else { ", " }, capability.name)?;
            let details = capability.value.as_object().unwrap_or(Object::EMPTY);
            for (place, detail) in details.members().enumerate() {
                write!(f, "{}{}", if place == 0 { "." } else { " and ." }, detail.name)?;
            }
        }
        Ok(())
    }
}

impl core::error::Error for ErrorResponse {}

/// Reason why the handshake with a running server failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandshakeError {
    /// The server chose this revision, which the client does not speak.
    Version(String),
    /// The server speaks none of the client's revisions. The text is the JSON object that contains the server's list.
    NoCommonVersion(String),
    /// The server returned an error response.
    Refused(ErrorResponse),
    /// The response cannot be used.
    Response(ResponseFault),
    /// No response came in time.
    TimedOut,
    /// A message of the handshake cannot be sent.
    NotSent(RequestError),
    /// The program repeats its input: it is not a server.
    Echo,
}

impl HandshakeError {
    pub(super) fn of(why: Incompatible<'_>) -> Self {
        match why {
            Incompatible::Version(name) => Self::Version(name.to_string()),
            Incompatible::NoCommonVersion(names) => Self::NoCommonVersion(names.as_value().to_string()),
            Incompatible::Refused(error) => Self::Refused(ErrorResponse::of(error)),
            Incompatible::Invalid(fault) => Self::Response(fault),
            Incompatible::TimedOut => Self::TimedOut,
            Incompatible::NoRoom(full) => Self::NotSent(RequestError::NoRoom(full)),
        }
    }
}

impl fmt::Display for HandshakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the handshake failed: ")?;
        match self {
            Self::Version(name) => {
                write!(f, "the server chose the revision {name}, which the client does not speak")
            }
            Self::NoCommonVersion(names) => write!(f, "the server speaks other revisions: {names}"),
            Self::Refused(error) => error.fmt(f),
            Self::Response(fault) => write!(f, "the response cannot be used: {fault}"),
            Self::TimedOut => f.write_str("the server did not answer in time"),
            Self::NotSent(error) => error.fmt(f),
            Self::Echo => f.write_str("the program repeats its input; it is not an MCP server"),
        }
    }
}

impl core::error::Error for HandshakeError {}

/// Reason why arguments cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentsError {
    /// The value has no JSON form, nests too deep, or is longer than the longest line.
    Serialize(SerializeError),
    /// The value is not an object (a struct, a map), and not `()` or `None` either.
    NotAnObject,
    /// An argument of a prompt or a completion is not a string.
    NotAString,
}

impl fmt::Display for ArgumentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Serialize(error) => error.fmt(f),
            Self::NotAnObject => f.write_str("expected an object, e.g. a struct or a map, or `()` for none"),
            Self::NotAString => f.write_str("every argument must be a string"),
        }
    }
}

impl core::error::Error for ArgumentsError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::{Message, classify};

    #[test]
    fn an_error_names_the_capabilities_that_the_server_requires() {
        let shown = |data: &str| {
            let frame = std::format!(
                r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32021,"message":"Missing","data":{data}}}}}"#
            );
            let Ok(Message::Response(response)) = classify(frame.as_bytes()) else {
                return String::new();
            };
            response.outcome().err().map_or(String::new(), |error| ErrorResponse::of(error).to_string())
        };
        let error = "the server returned error -32021: Missing";
        for (data, names) in [
            (r#"{"requiredCapabilities":{"roots":{}}}"#, ": roots"),
            (
                r#"{"requiredCapabilities":{"sampling":{},"elicitation":{"url":{}}}}"#,
                ": sampling, elicitation.url",
            ),
            (r#"{"requiredCapabilities":{}}"#, ""),
            (r#"{"requiredCapabilities":5}"#, ""),
            (r#"{"x":1}"#, ""),
            ("5", ""),
        ] {
            assert_eq!(shown(data), std::format!("{error}{names}"));
        }
    }

    /// It is part of every result, and of the errors of programs.
    #[test]
    fn an_error_is_small_and_moves_between_threads() {
        fn moves<T: core::error::Error + Send + Sync + 'static>() {}
        moves::<ClientError>();
        assert!(size_of::<ClientError>() <= 80, "{}", size_of::<ClientError>());
    }
}
