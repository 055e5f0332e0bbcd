//! Error codes, and the error object of a response.

use core::fmt;

use crate::json::{JsonStr, Number, Object, RawValue};

/// The code of a JSON-RPC error (JSON-RPC 2.0 section 5.1; MCP base protocol).
///
/// ```
/// use barewire::rpc::ErrorCode;
///
/// assert!(ErrorCode::METHOD_NOT_FOUND.is_reserved());
/// assert!(ErrorCode(-32050).is_server_error());
/// assert!(!ErrorCode(1).is_reserved());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    /// The text is no JSON. Cause: a cut or damaged line, or logs on the protocol's stream. Remedy: one JSON text a
    /// line, UTF-8, nothing else on stdout.
    pub const PARSE_ERROR: Self = Self(-32700);
    /// JSON, but no request, notification or response. Cause: a missing `jsonrpc`, an id of a wrong kind, a batch.
    /// Remedy: look at [`Reason`](super::Reason).
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// No such method, or one of a capability that the server does not have. Remedy: ask for its capabilities first.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// The method is known, its `params` are not what it needs; an unknown tool, prompt or cursor too. Remedy: look at
    /// the message.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// The receiver failed. Cause: in its log, never on the wire.
    pub const INTERNAL_ERROR: Self = Self(-32603);
    /// No such resource (2024-11-05 to 2025-11-25; later it is [`INVALID_PARAMS`](Self::INVALID_PARAMS)). Remedy: list
    /// the resources again.
    pub const RESOURCE_NOT_FOUND: Self = Self(-32002);
    /// The user must visit a URL first (2025-11-25 only). Remedy: the elicitations in `data`.
    pub const URL_ELICITATION_REQUIRED: Self = Self(-32042);
    /// Headers and body disagree (2026-07-28, HTTP only).
    pub const HEADER_MISMATCH: Self = Self(-32020);
    /// The request needs a capability that the client did not declare (2026-07-28). Remedy: declare what
    /// `data.requiredCapabilities` names.
    pub const MISSING_CLIENT_CAPABILITY: Self = Self(-32021);
    /// The version is not implemented (2026-07-28). Remedy: one of `data.supported`.
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(-32022);

    /// Whether JSON-RPC reserves the code: -32768 to -32000. Codes of an application belong outside.
    pub const fn is_reserved(self) -> bool {
        matches!(self.0, -32768..=-32000)
    }

    /// Whether it is in the range for servers: -32099 to -32000.
    pub const fn is_server_error(self) -> bool {
        matches!(self.0, -32099..=-32000)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The `error` of a response: an integer code, a message, and data of any kind (JSON-RPC 2.0 section 5.1).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ErrorObject<'a> {
    object: Object<'a>,
}

/// What makes an object no error object.
pub(super) enum NoErrorObject {
    Repeated,
    Code,
    Message,
}

impl<'a> ErrorObject<'a> {
    pub(super) fn of(object: Object<'a>) -> Result<Self, NoErrorObject> {
        let [code, message, _] =
            object.get_each(["code", "message", "data"]).map_err(|_| NoErrorObject::Repeated)?;
        if !code.and_then(RawValue::as_number).is_some_and(Number::is_plain_integer) {
            return Err(NoErrorObject::Code);
        }
        match message.and_then(RawValue::as_string) {
            Some(_) => Ok(Self { object }),
            None => Err(NoErrorObject::Message),
        }
    }

    /// `object` must have passed [`of`](Self::of) before.
    pub(crate) const fn from_valid(object: Object<'a>) -> Self {
        Self { object }
    }

    /// The code. One beyond the range of `i64` is shown as its nearest end; [`object`](Self::object) has the text.
    pub fn code(self) -> ErrorCode {
        let Some(code) = self.object.get("code").and_then(RawValue::as_number) else {
            return ErrorCode(0);
        };
        ErrorCode(code.plain_to_i64().unwrap_or(match code.as_bytes() {
            [b'-', ..] => i64::MIN,
            _ => i64::MAX,
        }))
    }

    /// The message.
    pub fn message(self) -> JsonStr<'a> {
        self.object.get("message").and_then(RawValue::as_string).unwrap_or(JsonStr::EMPTY)
    }

    /// The data, if there is any.
    pub fn data(self) -> Option<RawValue<'a>> {
        self.object.get("data")
    }

    /// The whole object.
    pub const fn object(self) -> Object<'a> {
        self.object
    }
}

impl fmt::Debug for ErrorObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ErrorObject({})", self.object.as_value())
    }
}
