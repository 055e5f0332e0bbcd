//! Errors that a method returns.

use core::fmt::Display;

use crate::engine::{CallError, Outcome, ResumedReply};
use crate::rpc::ErrorCode;

/// The error of a method that answers with a `Result`.
///
/// Every type with `Display` is one: a tool fails with its text, which a model reads; a resource or a prompt is answered with a protocol
/// error that has the text. [`Failed`] does the same without the formatting code; [`Refused`] and [`CallError`] are protocol errors.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a method of a server",
    label = "has no text",
    note = "implement `Display` for it: the text is the tool error that a model reads"
)]
pub trait Failure {
    /// Answers with the error.
    ///
    /// # Errors
    /// The error, if it is a protocol error without text made at run time.
    fn fail(self, reply: ResumedReply<'_, '_>) -> Result<Outcome, CallError<'static>>;
}

/// The text of an error, as it is. The attribute wraps the `&str` of a `Result<T, &str>` in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed<'a>(pub &'a str);

/// A protocol error: a request that is refused before anything ran, for want of authorization, for example. An application's own
/// codes belong outside the [reserved range](ErrorCode::is_reserved).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// Code of the error.
    pub code: ErrorCode,
    /// One short sentence.
    pub message: &'static str,
}

impl Refused {
    /// An error with this code and message.
    pub const fn new(code: ErrorCode, message: &'static str) -> Self {
        Self { code, message }
    }
}

impl<E: Display> Failure for E {
    // Inlined, as all of these, so that the compiler sees which errors there are.
    #[inline(always)]
    fn fail(self, reply: ResumedReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        let text = format_args!("{self}");
        Ok(match reply {
            ResumedReply::Tool(reply) => reply.fail(text),
            ResumedReply::Resource(reply) => reply.refuse(ErrorCode::INTERNAL_ERROR, text),
            ResumedReply::Prompt(reply) => reply.refuse(ErrorCode::INTERNAL_ERROR, text),
        })
    }
}

impl Failure for Failed<'_> {
    #[inline(always)]
    fn fail(self, reply: ResumedReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        let Self(text) = self;
        Ok(match reply {
            ResumedReply::Tool(reply) => reply.fail(text),
            ResumedReply::Resource(reply) => reply.refuse(ErrorCode::INTERNAL_ERROR, text),
            ResumedReply::Prompt(reply) => reply.refuse(ErrorCode::INTERNAL_ERROR, text),
        })
    }
}

impl Failure for Refused {
    #[inline(always)]
    fn fail(self, _: ResumedReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        Err(CallError::Refused { code: self.code, message: self.message, data: None })
    }
}

impl Failure for CallError<'static> {
    #[inline(always)]
    fn fail(self, _: ResumedReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        Err(self)
    }
}
