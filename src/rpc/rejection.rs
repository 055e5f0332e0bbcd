//! Rejection of a frame: the reason, and the answer due to its sender.

use core::fmt;

use super::{ErrorCode, RequestId};
use crate::json::{Error, ErrorKind};

/// Why a frame is no message. A closed list: one variant a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Reason {
    /// Not exactly one JSON text in UTF-8.
    NotJson(ErrorKind),
    /// Nested deeper than allowed; whether it is JSON is not known.
    TooDeep,
    /// Longer than the buffer (or than 4 GiB); whether it is JSON is not known.
    TooLong,
    /// A top-level array. MCP has batches in 2025-03-26 only.
    Batch,
    /// A top-level string, number, boolean or `null`.
    NotAnObject,
    /// A member of the envelope occurs twice.
    RepeatedMember,
    /// No `jsonrpc`.
    MissingVersion,
    /// `jsonrpc` is not the string `2.0`.
    WrongVersion,
    /// `method` is no string.
    MethodNotAString,
    /// `id` is no string and no integer, or `null` where that is not allowed.
    InvalidId,
    /// `params` is no object.
    ParamsNotAnObject,
    /// Neither `method` nor `result` nor `error`.
    NotAMessage,
    /// Both `result` and `error`.
    ResultAndError,
    /// `result` is no object.
    ResultNotAnObject,
    /// `error` is no object.
    ErrorNotAnObject,
    /// A `code`, `message` or `data` occurs twice in the error object.
    RepeatedErrorMember,
    /// The error object has no integer `code`.
    InvalidErrorCode,
    /// The error object has no string `message`.
    InvalidErrorMessage,
    /// A result without an `id`.
    ResultWithoutId,
    /// An error without an `id`, which 2025-11-25 and later allow for an unreadable request.
    ErrorWithoutId,
}

impl Reason {
    /// -32700 for what is not JSON (or was not read to its end), -32600 for JSON that is no message.
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::NotJson(_) | Self::TooDeep | Self::TooLong => ErrorCode::PARSE_ERROR,
            _ => ErrorCode::INVALID_REQUEST,
        }
    }

    /// The message of the error response.
    pub const fn message(self) -> &'static str {
        match self {
            Self::NotJson(_) => "Parse error",
            Self::TooDeep => "Message too deep",
            Self::TooLong => "Message too long",
            _ => "Invalid Request",
        }
    }

    /// One stable word for it, for logs and tests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotJson(_) => "not-json",
            Self::TooDeep => "too-deep",
            Self::TooLong => "too-long",
            Self::Batch => "batch",
            Self::NotAnObject => "not-an-object",
            Self::RepeatedMember => "repeated-member",
            Self::MissingVersion => "missing-version",
            Self::WrongVersion => "wrong-version",
            Self::MethodNotAString => "method-not-a-string",
            Self::InvalidId => "invalid-id",
            Self::ParamsNotAnObject => "params-not-an-object",
            Self::NotAMessage => "not-a-message",
            Self::ResultAndError => "result-and-error",
            Self::ResultNotAnObject => "result-not-an-object",
            Self::ErrorNotAnObject => "error-not-an-object",
            Self::RepeatedErrorMember => "repeated-error-member",
            Self::InvalidErrorCode => "invalid-error-code",
            Self::InvalidErrorMessage => "invalid-error-message",
            Self::ResultWithoutId => "result-without-id",
            Self::ErrorWithoutId => "error-without-id",
        }
    }
}

/// A frame that is no message: why, where, and what its sender is owed.
///
/// ```
/// use barewire::rpc::{Reason, Reply, RequestId, classify};
///
/// let rejection = classify(br#"{"jsonrpc":"2.0","id":7,"method":"ping","method":"x"}"#).unwrap_err();
/// assert_eq!((rejection.reason(), rejection.reply()), (Reason::RepeatedMember, Reply::To(RequestId::from(7))));
/// assert_eq!(rejection.to_string(), "-32600 repeated-member at byte 40");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Rejection<'a> {
    reason: Reason,
    /// `u32::MAX` for none.
    offset: u32,
    reply: Reply<'a>,
}

const _: () = assert!(size_of::<Rejection<'_>>() <= 40);

/// The offset of what has no place in the frame.
pub(super) const NOWHERE: usize = u32::MAX as usize;

/// Whether a frame is to be answered, and with which id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Reply<'a> {
    /// No answer: it was meant as a notification, or it looks like a response.
    Nobody,
    /// An error with `"id":null`.
    Null,
    /// An error with this id.
    To(RequestId<'a>),
}

impl<'a> Rejection<'a> {
    /// `offset` may be [`NOWHERE`].
    pub(super) fn new(reason: Reason, offset: usize, reply: Reply<'a>) -> Self {
        Self { reason, offset: u32::try_from(offset).unwrap_or(u32::MAX), reply }
    }

    /// What is not JSON is answered with `null`: its id cannot be known. What is nested too deep may be JSON.
    pub(super) fn unreadable(error: Error, reply: Reply<'a>) -> Self {
        let reason = match error.kind() {
            ErrorKind::TooDeep => Reason::TooDeep,
            kind => Reason::NotJson(kind),
        };
        Self::new(reason, error.offset(), reply)
    }

    /// A batch where there is none.
    pub(crate) const fn batch() -> Self {
        Self { reason: Reason::Batch, offset: 0, reply: Reply::Null }
    }

    /// A line that is not read: whether it is JSON is not known, and nobody answers it.
    pub(crate) const fn too_long() -> Rejection<'static> {
        Rejection { reason: Reason::TooLong, offset: u32::MAX, reply: Reply::Nobody }
    }

    /// Why.
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// The code of the error response: -32700 or -32600.
    pub const fn code(&self) -> ErrorCode {
        self.reason.code()
    }

    /// The byte of the frame at which it is wrong, where there is one (a missing member has no place).
    pub const fn offset(&self) -> Option<usize> {
        match self.offset {
            u32::MAX => None,
            offset => Some(offset as usize),
        }
    }

    /// What the sender is owed.
    pub const fn reply(&self) -> Reply<'a> {
        self.reply
    }
}

impl fmt::Display for Rejection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code(), self.reason.name())?;
        if let Reason::NotJson(kind) = self.reason {
            write!(f, ", {}", kind.as_str())?;
        }
        match self.offset() {
            Some(offset) => write!(f, " at byte {offset}"),
            None => Ok(()),
        }
    }
}

impl core::error::Error for Rejection<'_> {}
