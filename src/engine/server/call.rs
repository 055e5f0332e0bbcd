//! What a handler is asked.

use super::TaskToken;
use super::in_flight::Head;
use super::tasks::TaskOffer;
use crate::json::{JsonStr, Number, Object, ParseError, RawValue};
use crate::mcp::{
    ClientCapabilities, Feature, LoggingLevel, Method, PackedCapabilities, PercentDecoded, ProtocolVersion,
    UriTemplate,
};
use crate::rpc::{ErrorCode, RequestId};

/// Names a deferred call until it is completed or cancelled. Never used twice, up to 2^32 calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct CallToken(pub(super) u32);

impl CallToken {
    /// As a number: to pass through C, or into a register.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The token of a number from [`to_bits`](CallToken::to_bits). Any other number is in flight only by chance.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// What a handler did with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Disposition {
    /// The reply is complete.
    Done,
    /// The reply comes later, under the token that `defer` gave.
    Deferred(CallToken),
    /// The call goes on as a task, under the token that [`ToolCall::task`] gave. What was written of the reply is dropped.
    Task(TaskToken),
    /// The reply asks the client, and the call goes on with the answers.
    Asked,
}

/// Why there is no reply. The two layers of errors stay apart: [`Failed`](CallError::Failed) is the tool's failure, all
/// others are the protocol's.
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
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum CallError<'a> {
    /// The tool ran and failed: a result with `isError: true` and this text, which a model reads. For what is not a tool
    /// it is an internal error.
    Failed(&'a str),
    /// Refused before anything ran (authorisation, say): an error of the protocol. Own codes belong outside the reserved
    /// range.
    Refused {
        /// The code.
        code: ErrorCode,
        /// One short sentence.
        message: &'a str,
        /// More about it.
        data: Option<RawValue<'a>>,
    },
    /// -32602 `Invalid params`.
    InvalidParams,
    /// There is no such tool, resource or prompt: the error that its method has for that.
    NotFound,
    /// -32603 `Internal error`. The details belong into the log.
    Internal,
    /// -32603 `Server busy`: the table of calls in flight is full.
    Busy,
    /// -32603 `Request id too long`: to be deferred, the id must be kept.
    IdTooLong,
    /// -32603 `Progress token too long`: the progress token of a call that is kept must fit beside its id.
    ProgressTokenTooLong,
    /// -32021 `Missing required client capability`, with what is missing. In the legacy era, which has no such code, a
    /// tool fails with that text and the name of one that is missing, and all else is an internal error with it.
    MissingCapability(ClientCapabilities),
}

/// Why a call cannot be kept.
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
    pub(super) const fn as_error(self) -> (ErrorCode, &'static str) {
        match self {
            Self::Busy => (ErrorCode::INTERNAL_ERROR, "Server busy"),
            Self::IdTooLong => (ErrorCode::INTERNAL_ERROR, "Request id too long"),
            Self::ProgressTokenTooLong => (ErrorCode::INTERNAL_ERROR, "Progress token too long"),
            Self::StateTooLong => (ErrorCode::INTERNAL_ERROR, "State too long"),
            Self::UriTooLong => (ErrorCode::INVALID_PARAMS, "Resource URI too long"),
        }
    }
}

impl<'a> CallError<'a> {
    /// As an error of the protocol, in this revision.
    pub(super) fn as_error(&self, version: ProtocolVersion) -> (ErrorCode, &'a str, Option<RawValue<'a>>) {
        let (code, message) = match *self {
            // Only 2025-11-25 has that code: requirement of the error policy of 2026-07-28.
            Self::Refused {
                code: ErrorCode::URL_ELICITATION_REQUIRED,
                ..
            } if !version.has(Feature::Tasks) => (ErrorCode::INTERNAL_ERROR, "Internal error"),
            // The same policy: there it is another one.
            Self::Refused {
                code: ErrorCode::RESOURCE_NOT_FOUND,
                message,
                data,
            } if version.has(Feature::ResultType) => return (ErrorCode::INVALID_PARAMS, message, data),
            Self::Refused { code, message, data } => return (code, message, data),
            Self::InvalidParams => (ErrorCode::INVALID_PARAMS, "Invalid params"),
            Self::NotFound => (ErrorCode::INVALID_PARAMS, "Unknown tool"),
            Self::Failed(_) | Self::Internal => (ErrorCode::INTERNAL_ERROR, "Internal error"),
            Self::Busy => (ErrorCode::INTERNAL_ERROR, "Server busy"),
            Self::IdTooLong => (ErrorCode::INTERNAL_ERROR, "Request id too long"),
            Self::ProgressTokenTooLong => (ErrorCode::INTERNAL_ERROR, "Progress token too long"),
            Self::MissingCapability(_) => (
                ErrorCode::MISSING_CLIENT_CAPABILITY,
                "Missing required client capability",
            ),
        };
        (code, message, None)
    }
}

/// What is known of a request besides its own params.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub(super) id: RequestId<'a>,
    pub(super) method: Method,
    pub(super) version: ProtocolVersion,
    pub(super) params: Option<Object<'a>>,
    /// The capabilities as sent with a modern request; `None` in the legacy era.
    pub(super) client_capabilities: Option<Object<'a>>,
    pub(super) client: PackedCapabilities,
    /// Any string or number.
    pub(super) progress_token: Option<RawValue<'a>>,
    /// The least severe level that the client wants to see.
    pub(super) log_level: Option<LoggingLevel>,
    pub(super) deferral: Result<CallToken, NotKept>,
    pub(super) task: TaskOffer,
}

impl<'a> Context<'a> {
    /// Of a request of which nothing else is known.
    pub(super) const fn new(id: RequestId<'a>, method: Method, version: ProtocolVersion) -> Self {
        Self {
            id,
            method,
            version,
            params: None,
            client_capabilities: None,
            client: PackedCapabilities::NONE,
            progress_token: None,
            log_level: None,
            deferral: Err(NotKept::Busy),
            task: TaskOffer::NONE,
        }
    }

    /// What is left of the context of a call that was kept.
    pub(super) fn of<const ID: usize>(head: &'a Head<ID>) -> Self {
        Self {
            progress_token: head.progress_token(),
            log_level: head.log_level,
            ..Self::new(head.id(), head.method, head.version)
        }
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

    /// What the client can do, extensions and all, as a modern request says it.
    pub const fn client_capabilities(&self) -> Option<Object<'a>> {
        self.client_capabilities
    }

    /// What the client can do: as the request says it in the modern era, as the handshake has settled it in the legacy
    /// one. Nothing where the server's [`Parts`](super::Parts) have neither questions nor tasks.
    pub const fn client(&self) -> ClientCapabilities {
        self.client.unpacked()
    }

    /// Whether the client wants to hear of progress.
    pub const fn wants_progress(&self) -> bool {
        self.progress_token.is_some()
    }

    /// Takes the token under which the call is answered later; then return [`Disposition::Deferred`] with it.
    ///
    /// # Errors
    /// [`CallError::Busy`] when the table is full; [`CallError::IdTooLong`] or [`CallError::ProgressTokenTooLong`] when
    /// the id or the token does not fit. Return the error unchanged.
    pub const fn defer(&self) -> Result<CallToken, CallError<'static>> {
        match self.deferral {
            Ok(token) => Ok(token),
            Err(NotKept::IdTooLong) => Err(CallError::IdTooLong),
            Err(NotKept::ProgressTokenTooLong) => Err(CallError::ProgressTokenTooLong),
            Err(_) => Err(CallError::Busy),
        }
    }
}

/// A call of a tool. Its arguments fit the declared parameters.
#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) name: JsonStr<'a>,
    pub(super) index: usize,
    pub(super) arguments: Object<'a>,
}

impl<'a> ToolCall<'a> {
    /// Whether it is the tool of that name that is called.
    pub fn is(&self, name: &str) -> bool {
        self.name == *name
    }

    /// The tool's name.
    pub const fn name(&self) -> JsonStr<'a> {
        self.name
    }

    /// The token under which the call may go on as a task: the client takes one, the tool's
    /// [`TaskSupport`](crate::mcp::TaskSupport) allows it, and there is room. Then return [`Disposition::Task`] with it.
    /// Without one answer directly; a tool that requires tasks always has one, if the server offers tasks.
    pub const fn task(&self) -> Option<TaskToken> {
        self.context.task.token
    }

    /// Whether the client takes nothing but a task (2025-11-25).
    pub const fn must_be_task(&self) -> bool {
        self.context.task.is_asked
    }

    /// The tool's place in [`Handler::tools`](super::Handler::tools).
    pub const fn index(&self) -> usize {
        self.index
    }

    /// What is known of the request besides.
    pub const fn context(&self) -> &'a Context<'a> {
        self.context
    }

    /// The arguments; `{}` when there are none.
    pub const fn arguments(&self) -> Object<'a> {
        self.arguments
    }

    /// The argument of that name, if it was given; `null` counts as absent. Linear in the length of the arguments, as
    /// are its siblings.
    pub fn value(&self, name: &str) -> Option<RawValue<'a>> {
        let value = self.arguments.get_once(name).ok().flatten();
        value.and_then(RawValue::not_null)
    }

    /// The argument, if it was given and is a string.
    pub fn string(&self, name: &str) -> Option<JsonStr<'a>> {
        self.value(name)?.as_string()
    }

    /// The argument, if it was given and is an integer that fits: `5`, but also `5.0` and `5e0`, as for an integer
    /// parameter.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.number(name)?.to_i64().ok()
    }

    /// The argument, if it was given and is a number.
    pub fn number(&self, name: &str) -> Option<Number<'a>> {
        self.value(name)?.as_number()
    }

    /// The argument, if it was given and is a boolean.
    pub fn boolean(&self, name: &str) -> Option<bool> {
        self.value(name)?.as_bool()
    }

    /// All arguments as a type of the application. Strings with escapes are decoded into `scratch`.
    ///
    /// # Errors
    /// As [`RawValue::parse_in`].
    pub fn parse_in<'s, T: serde::Deserialize<'s>>(&self, scratch: &'s mut [u8]) -> Result<T, ParseError>
    where
        'a: 's,
    {
        self.arguments.as_value().parse_in(scratch)
    }

    /// All arguments as a type of the application, with strings of any length.
    ///
    /// # Errors
    /// As [`RawValue::parse`].
    #[cfg(feature = "std")]
    pub fn parse<T: serde::Deserialize<'a>>(&self) -> Result<T, ParseError> {
        self.arguments.as_value().parse()
    }
}

/// A request for a resource.
#[derive(Debug, Clone, Copy)]
pub struct ResourceRead<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) uri: JsonStr<'a>,
}

impl<'a> ResourceRead<'a> {
    /// Whether it is this URI that is read.
    pub fn is(&self, uri: &str) -> bool {
        self.uri == *uri
    }

    /// The URI.
    pub const fn uri(&self) -> JsonStr<'a> {
        self.uri
    }

    /// The value of the template's variable `name` as it was sent, still percent-encoded. `None` when the URI does not
    /// match the template: then return [`CallError::NotFound`].
    pub fn variable(&self, template: UriTemplate<'_>, name: &str) -> Option<JsonStr<'a>> {
        template.variable(self.uri, name)
    }

    /// The value of the template's variable `name`, percent-decoded: `%31%32` is `12`. `None` as in
    /// [`variable`](ResourceRead::variable).
    ///
    /// It may contain any character except NUL, `/` and `..` included: check it before it becomes part of a path.
    pub fn decoded(&self, template: UriTemplate<'_>, name: &str) -> Option<PercentDecoded<'a>> {
        template.decoded(self.uri, name)
    }

    /// What is known of the request besides.
    pub const fn context(&self) -> &'a Context<'a> {
        self.context
    }
}

/// A request for a prompt. The prompt exists, its required arguments are there, and all are strings.
#[derive(Debug, Clone, Copy)]
pub struct PromptGet<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) name: JsonStr<'a>,
    pub(super) arguments: Object<'a>,
}

impl<'a> PromptGet<'a> {
    /// Whether it is the prompt of that name that is asked for.
    pub fn is(&self, name: &str) -> bool {
        self.name == *name
    }

    /// The prompt's name.
    pub const fn name(&self) -> JsonStr<'a> {
        self.name
    }

    /// The argument of that name, if it was given.
    pub fn argument(&self, name: &str) -> Option<JsonStr<'a>> {
        self.arguments.get(name)?.as_string()
    }

    /// What is known of the request besides.
    pub const fn context(&self) -> &'a Context<'a> {
        self.context
    }
}

/// What a completion is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Reference<'a> {
    /// An argument of this prompt.
    Prompt(JsonStr<'a>),
    /// A variable of this URI template (or URI).
    Resource(JsonStr<'a>),
}

/// A request for completions of an argument.
#[derive(Debug, Clone, Copy)]
pub struct Completion<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) reference: Reference<'a>,
    pub(super) argument: JsonStr<'a>,
    pub(super) value: JsonStr<'a>,
    pub(super) resolved: Object<'a>,
}

impl<'a> Completion<'a> {
    /// What it is for.
    pub const fn reference(&self) -> Reference<'a> {
        self.reference
    }

    /// The name of the argument or variable.
    pub const fn argument(&self) -> JsonStr<'a> {
        self.argument
    }

    /// The text typed so far, not percent-encoded: a client encodes it only when it builds a URI from the template.
    pub const fn value(&self) -> JsonStr<'a> {
        self.value
    }

    /// The value of an argument that is already chosen (2025-06-18 and later).
    pub fn resolved(&self, name: &str) -> Option<JsonStr<'a>> {
        self.resolved.get(name)?.as_string()
    }

    /// What is known of the request besides.
    pub const fn context(&self) -> &'a Context<'a> {
        self.context
    }
}
