//! Answers of a resource.

use super::Failure;
use super::text_types::text_types;
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
    ($reply:ident, $mime_type:ident, $answer:ident => $write:expr;
     $($(#[$cfg:meta])? ($($generics:tt)*) $type:ty;)*) => {
        $(
            $(#[$cfg])?
            impl<$($generics)*> ResourceAnswer for $type {
                fn answer_resource(
                    self,
                    $mime_type: Option<&str>,
                    $reply: ResourceReply<'_, '_>,
                ) -> Result<Outcome, CallError<'static>> {
                    let $answer = self;
                    Ok($write)
                }
            }
        )*
    };
}

text_types! { answers reply, mime_type, text => reply.text(mime_type, text); }

answers! {
    reply, mime_type, number => reply.text_with(mime_type, |json| {
        json.double(number);
    });
    () f64;
}

answers! {
    reply, mime_type, number => reply.text_with(mime_type, |json| {
        json.double(f64::from(number));
    });
    () f32;
}

answers! {
    reply, mime_type, bytes => reply.blob(mime_type, bytes.as_ref());
    () &[u8];
    (const N: usize) &[u8; N];
    (const N: usize) [u8; N];
    (const N: usize) heapless::Vec<u8, N>;
    #[cfg(feature = "std")]
    () std::vec::Vec<u8>;
}

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
