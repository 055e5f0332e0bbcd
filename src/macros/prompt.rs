//! Answers of a prompt.

use super::Failure;
use crate::engine::{CallError, Outcome, PromptMessages, PromptReply, ResumedReply, Role};
use crate::json::JsonStr;

/// Messages of a prompt: a text of the user, a text of a [`Role`], or several of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a message of a prompt",
    label = "not a message of a prompt",
    note = "messages are texts (of the user), `(Role, text)`, and arrays and lists of these"
)]
pub trait IntoMessages {
    /// Adds the messages.
    fn add_messages<'r, 'm>(self, messages: PromptMessages<'r, 'm>) -> PromptMessages<'r, 'm>;
}

macro_rules! texts {
    ($($(#[$cfg:meta])? ($($generics:tt)*) $type:ty;)*) => {
        $(
            $(#[$cfg])?
            impl<$($generics)*> IntoMessages for $type {
                fn add_messages<'r, 'm>(self, messages: PromptMessages<'r, 'm>) -> PromptMessages<'r, 'm> {
                    (Role::User, self).add_messages(messages)
                }
            }

            $(#[$cfg])?
            impl<$($generics)*> IntoMessages for (Role, $type) {
                fn add_messages<'r, 'm>(self, messages: PromptMessages<'r, 'm>) -> PromptMessages<'r, 'm> {
                    let (role, text) = self;
                    messages.text(role, text)
                }
            }
        )*
    };
}

texts! {
    () &str;
    () JsonStr<'_>;
    (const N: usize) heapless::String<N>;
    #[cfg(feature = "std")]
    () std::string::String;
}

macro_rules! lists {
    ($($(#[$cfg:meta])? ($($generics:tt)*) $type:ty;)*) => {
        $(
            $(#[$cfg])?
            impl<T: IntoMessages, $($generics)*> IntoMessages for $type {
                fn add_messages<'r, 'm>(self, messages: PromptMessages<'r, 'm>) -> PromptMessages<'r, 'm> {
                    self.into_iter().fold(messages, |messages, message| message.add_messages(messages))
                }
            }
        )*
    };
}

lists! {
    (const N: usize) [T; N];
    (const N: usize) heapless::Vec<T, N>;
    #[cfg(feature = "std")]
    () std::vec::Vec<T>;
}

/// What a prompt returns: [`IntoMessages`], or a `Result` of it and a [`Failure`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the answer of a prompt",
    label = "not an answer of a prompt",
    note = "answers are texts (of the user), `(Role, text)`, arrays and lists of these, and `Result`s"
)]
pub trait PromptAnswer {
    /// Writes the messages.
    ///
    /// # Errors
    /// The protocol error that the method has returned.
    fn answer_prompt(self, reply: PromptReply<'_, '_>) -> Result<Outcome, CallError<'static>>;
}

impl<T: IntoMessages> PromptAnswer for T {
    fn answer_prompt(self, reply: PromptReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        Ok(self.add_messages(reply.messages()).done())
    }
}

impl<T: PromptAnswer, E: Failure> PromptAnswer for Result<T, E> {
    fn answer_prompt(self, reply: PromptReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        match self {
            Ok(answer) => answer.answer_prompt(reply),
            Err(error) => error.fail(ResumedReply::Prompt(reply)),
        }
    }
}
