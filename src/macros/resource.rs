//! Answers of a resource.

use super::Failure;
use crate::engine::{CallError, Outcome, ResourceReply, ResumedReply};
use crate::json::JsonStr;

/// What the read of a resource returns: a text, a number, bytes, an `Option` (`None` is a resource that does not exist), or a `Result` of
/// these and a [`Failure`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the contents of a resource",
    label = "not the contents of a resource",
    note = "contents are texts, numbers, `bool`, `&[u8]`, `Vec<u8>`, `Option`s of these, and `Result`s"
)]
pub trait ResourceAnswer {
    /// Writes the contents.
    ///
    /// # Errors
    /// The protocol error that the method has returned; [`CallError::NotFound`] for `None`.
    fn answer_resource(
        self,
        mime_type: Option<&str>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'static>>;
}

macro_rules! answers {
    ($($(#[$cfg:meta])? ($($generics:tt)*) $type:ty, $answer:ident: $reply:ident, $mime_type:ident => $written:expr;)*) => {
        $(
            $(#[$cfg])?
            impl<$($generics)*> ResourceAnswer for $type {
                fn answer_resource(
                    $answer,
                    $mime_type: Option<&str>,
                    $reply: ResourceReply<'_, '_>,
                ) -> Result<Outcome, CallError<'static>> {
                    Ok($written)
                }
            }
        )*
    };
}

answers! {
    () &str, self: reply, mime_type => reply.text(mime_type, self);
    () JsonStr<'_>, self: reply, mime_type => reply.contents().text_json(mime_type, self).done();
    (const N: usize) heapless::String<N>, self: reply, mime_type => reply.text(mime_type, &self);
    #[cfg(feature = "std")]
    () std::string::String, self: reply, mime_type => reply.text(mime_type, &self);
    #[cfg(feature = "std")]
    () std::borrow::Cow<'_, str>, self: reply, mime_type => reply.text(mime_type, &self);
    () bool, self: reply, mime_type => reply.text(mime_type, if self { "true" } else { "false" });
    () &[u8], self: reply, mime_type => reply.blob(mime_type, self);
    (const N: usize) &[u8; N], self: reply, mime_type => reply.blob(mime_type, self);
    (const N: usize) [u8; N], self: reply, mime_type => reply.blob(mime_type, &self);
    (const N: usize) heapless::Vec<u8, N>, self: reply, mime_type => reply.blob(mime_type, &self);
    #[cfg(feature = "std")]
    () std::vec::Vec<u8>, self: reply, mime_type => reply.blob(mime_type, &self);
    () isize, self: reply, mime_type => reply.contents().text_with(mime_type, |json| {
        json.integer(self as i64);
    }).done();
    () usize, self: reply, mime_type => reply.contents().text_with(mime_type, |json| {
        json.unsigned(self as u64);
    }).done();
}

macro_rules! numbers {
    ($write:ident: $($type:ident)*) => {
        answers! {
            $(() $type, self: reply, mime_type => reply.contents().text_with(mime_type, |json| {
                json.$write(self.into());
            }).done();)*
        }
    };
}

numbers! { integer: i8 i16 i32 i64 }
numbers! { unsigned: u8 u16 u32 u64 }
numbers! { double: f32 f64 }

impl<T: ResourceAnswer> ResourceAnswer for Option<T> {
    fn answer_resource(
        self,
        mime_type: Option<&str>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'static>> {
        self.ok_or(CallError::NotFound)?.answer_resource(mime_type, reply)
    }
}

impl<T: ResourceAnswer, E: Failure> ResourceAnswer for Result<T, E> {
    fn answer_resource(
        self,
        mime_type: Option<&str>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'static>> {
        match self {
            Ok(answer) => answer.answer_resource(mime_type, reply),
            Err(error) => error.fail(ResumedReply::Resource(reply)),
        }
    }
}
