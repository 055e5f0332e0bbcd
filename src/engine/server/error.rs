//! Errors of handlers, and of calls that name something the server does not keep.

use core::fmt;

use crate::json::RawValue;
use crate::mcp::{ClientCapabilities, Feature, ProtocolVersion};
use crate::rpc::ErrorCode;

/// Error of a handler. [`Failed`](CallError::Failed) is a tool error, which a model reads; all others are protocol errors. For texts made at
/// run time see [`ToolReply::fail`](super::ToolReply::fail) and [`ToolReply::refuse`](super::ToolReply::refuse).
///
/// ```
/// use barewire::engine::{CallError, ToolCall};
/// use barewire::rpc::ErrorCode;
///
/// /// The application's own code, outside the reserved range.
/// const LOCKED: ErrorCode = ErrorCode(1001);
///
/// fn pin<'a>(call: &ToolCall<'a>, is_locked: bool) -> Result<i64, CallError<'a>> {
///     if is_locked {
///         return Err(CallError::Refused { code: LOCKED, message: "Device is locked", data: None });
///     }
///     match call.integer("pin") {
///         Some(pin @ 0..16) => Ok(pin),
///         // A model reads this, and can do better.
///         Some(_) => Err(CallError::Failed("there are pins 0 to 15")),
///         None => Err(CallError::InvalidParams),
///     }
/// }
/// assert!(!LOCKED.is_reserved());
/// ```
///
/// With `std`, `?` turns every [`Error`](core::error::Error) into the variant `Other`. That is why `CallError` itself implements neither
/// `Error` nor `Display`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum CallError<'a> {
    /// The tool ran and failed: a result with `isError: true` and this text, which a model reads. For resources, prompts and completions
    /// it is an internal error.
    Failed(&'a str),
    /// Refused before anything ran, for example for want of authorization: a protocol error. An application's own codes belong outside
    /// the reserved range.
    Refused {
        /// Code of the error.
        code: ErrorCode,
        /// One short sentence.
        message: &'a str,
        /// The member `data` of the error.
        data: Option<RawValue<'a>>,
    },
    /// -32602 `Invalid params`.
    InvalidParams,
    /// The tool, resource or prompt does not exist. The error is the one that the method defines for it.
    NotFound,
    /// -32603 `Internal error`. The details belong in the log.
    Internal,
    /// -32603 `Server busy`: the table of calls in flight is full.
    Busy,
    /// -32603 `Request id too long`: the id of a deferred call must fit the storage.
    IdTooLong,
    /// -32603 `Progress token too long`: the progress token of a deferred call must fit the storage.
    ProgressTokenTooLong,
    /// -32021 `Missing required client capability`, with the missing capabilities. The legacy era has no such code: there a tool fails with
    /// that text and the name of a missing capability, and any other request gets -32603 with that text.
    MissingCapability(ClientCapabilities),
    /// An error of another type, as `?` converts it: for a tool a result with `isError: true` and this text, for all others
    /// -32603 with this text. Errors with details that a client must not see are better mapped by hand.
    ///
    /// The text is that of the error and of its sources, separated by `: `. A source that the text already contains is left out.
    ///
    /// ```
    /// use barewire::engine::CallError;
    ///
    /// fn half<'a>(text: &str) -> Result<u32, CallError<'a>> {
    ///     let number: u32 = text.parse()?;
    ///     Ok(number / 2)
    /// }
    /// assert_eq!(half("14"), Ok(7));
    /// assert_eq!(half("x"), Err(CallError::Other("invalid digit found in string".to_owned())));
    /// ```
    #[cfg(feature = "std")]
    Other(#[cfg_attr(feature = "defmt", defmt(Debug2Format))] std::string::String),
}

#[cfg(feature = "std")]
impl<E: core::error::Error> From<E> for CallError<'_> {
    fn from(error: E) -> Self {
        use std::string::ToString;

        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !text.contains(&cause_text) {
                text.push_str(": ");
                text.push_str(&cause_text);
            }
            source = cause.source();
        }
        Self::Other(text)
    }
}

/// Reason why something cannot be kept in the storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotKept {
    Busy,
    IdTooLong,
    ProgressTokenTooLong,
    /// Kept parts of an input request.
    StateTooLong,
    UriTooLong,
}

impl NotKept {
    pub(super) const fn to_error(self) -> (ErrorCode, &'static str) {
        match self {
            Self::Busy => (ErrorCode::INTERNAL_ERROR, "Server busy"),
            Self::IdTooLong => (ErrorCode::INTERNAL_ERROR, "Request id too long"),
            Self::ProgressTokenTooLong => (ErrorCode::INTERNAL_ERROR, "Progress token too long"),
            Self::StateTooLong => (ErrorCode::INTERNAL_ERROR, "State too long"),
            Self::UriTooLong => (ErrorCode::INVALID_PARAMS, "Resource URI too long"),
        }
    }

    /// The error of a call that cannot be deferred.
    pub(super) const fn to_call_error(self) -> CallError<'static> {
        match self {
            Self::IdTooLong => CallError::IdTooLong,
            Self::ProgressTokenTooLong => CallError::ProgressTokenTooLong,
            _ => CallError::Busy,
        }
    }
}

impl<'a> CallError<'a> {
    /// The text with which a tool fails, if this is a tool error.
    pub(super) fn tool_error(&self) -> Option<&str> {
        match self {
            Self::Failed(text) => Some(text),
            #[cfg(feature = "std")]
            Self::Other(text) => Some(text),
            _ => None,
        }
    }

    /// Code, message and data of the protocol error in this revision.
    pub(super) fn in_version(&self, version: ProtocolVersion) -> (ErrorCode, &str, Option<RawValue<'a>>) {
        let (code, message) = match *self {
            // Only 2025-11-25 has that code: requirement of the error policy of 2026-07-28.
            Self::Refused { code: ErrorCode::URL_ELICITATION_REQUIRED, .. }
                if !version.has(Feature::Tasks) =>
            {
                (ErrorCode::INTERNAL_ERROR, "Internal error")
            }
            // The same policy: there it is another one.
            Self::Refused { code: ErrorCode::RESOURCE_NOT_FOUND, message, data }
                if version.has(Feature::ResultType) =>
            {
                return (ErrorCode::INVALID_PARAMS, message, data);
            }
            Self::Refused { code, message, data } => return (code, message, data),
            Self::InvalidParams => (ErrorCode::INVALID_PARAMS, "Invalid params"),
            Self::NotFound => (ErrorCode::INVALID_PARAMS, "Unknown tool"),
            Self::Failed(_) | Self::Internal => (ErrorCode::INTERNAL_ERROR, "Internal error"),
            Self::Busy => (ErrorCode::INTERNAL_ERROR, "Server busy"),
            Self::IdTooLong => (ErrorCode::INTERNAL_ERROR, "Request id too long"),
            Self::ProgressTokenTooLong => (ErrorCode::INTERNAL_ERROR, "Progress token too long"),
            Self::MissingCapability(_) => {
                (ErrorCode::MISSING_CLIENT_CAPABILITY, "Missing required client capability")
            }
            #[cfg(feature = "std")]
            Self::Other(ref text) => (ErrorCode::INTERNAL_ERROR, text.as_str()),
        };
        (code, message, None)
    }
}

/// Error for a token whose call was completed or cancelled before, or is of another kind.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{
///     Address, CallError, CallToken, Channel, Frame, Handler, NotInFlight, Origin, Outcome, Sent, Server, ToolCall,
///     ToolReply,
/// };
/// use barewire::mcp::{Implementation, Tool};
///
/// struct Slow { token: Option<CallToken> }
///
/// impl Handler for Slow {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("slow", "1.0")
/// #     }
/// #
///     fn tools(&self) -> &[Tool<'_>] {
///         const { &[Tool::new("wait", "Takes its time.")] }
///     }
///
///     fn call_tool<'a>(
///         &mut self,
///         _: ToolCall<'a>,
///         reply: ToolReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         let (token, outcome) = reply.defer()?;
///         self.token = Some(token);
///         Ok(outcome)
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (mut server, mut app, mut memory) = (Server::new(), Slow { token: None }, [0; 256]);
/// let line = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}"#;
/// let sent = server.receive(Origin::ONLY, &mut Frame::new(line), &mut app, &mut Sink::new(&mut memory));
/// assert_eq!(sent, Sent::Nothing);
/// let token = app.token.ok_or("not called")?;
/// for expected in [Ok(Sent::To(Address::Request(Channel::ONLY))), Err(NotInFlight)] {
///     let completed = server.complete_tool(token, &mut app, &mut Sink::new(&mut memory), |result| {
///         Ok(result.text("at last").done())
///     });
///     assert_eq!(completed, expected);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct NotInFlight;

impl fmt::Display for NotInFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the call is not in flight")
    }
}

impl core::error::Error for NotInFlight {}

/// Reason why the client was not asked.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::demo::{Demo, NoHost};
/// use barewire::engine::{AskError, Frame, Origin, Server};
/// use barewire::mcp::{Elicitation, InputRequest, Schema};
///
/// const AGE: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"age":{"type":"integer"}}}"#);
///
/// let (mut server, mut app, mut memory) = (Server::new(), Demo::new(NoHost), [0; 512]);
/// let asked = server.ask(0, &InputRequest::Roots, &mut Sink::new(&mut memory));
/// assert_eq!(asked, Err(AskError::NoSession));
///
/// for line in [
///     r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}}"#,
///     r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
/// ] {
///     let _ = server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), &mut app, &mut Sink::new(&mut memory));
/// }
/// let question = Elicitation::form("How old are you?", AGE).into();
/// let asked = server.ask(0, &question, &mut Sink::new(&mut memory));
/// assert_eq!(asked, Err(AskError::MissingCapability));
///
/// let mut out = Sink::new(&mut memory);
/// assert!(server.ask(0, &InputRequest::Roots, &mut out).is_ok());
/// assert_eq!(out.finish(), Ok(&b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n"[..]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum AskError {
    /// The task has ended or is forgotten.
    NotRunning,
    /// There is no legacy session whose client is ready. A modern client is never sent a request.
    NoSession,
    /// The client has not declared what the question needs.
    MissingCapability,
    /// The handler has asked nothing.
    NothingAsked,
    /// Key, subject and state of the question do not fit the storage.
    TooLong,
    /// The table of calls in flight is full.
    Busy,
    /// The output has no room for the question.
    NoRoom,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotRunning => "the task has ended",
            Self::NoSession => "no session whose client can be asked",
            Self::MissingCapability => "the client has not declared the capability",
            Self::NothingAsked => "nothing was asked",
            Self::TooLong => "key and state of the question do not fit the storage",
            Self::Busy => "the table of calls in flight is full",
            Self::NoRoom => "no room in the output",
        })
    }
}

impl core::error::Error for AskError {}

impl From<NotKept> for AskError {
    fn from(reason: NotKept) -> Self {
        match reason {
            NotKept::Busy => Self::Busy,
            _ => Self::TooLong,
        }
    }
}
