//! Answers of a tool.

use super::{Failure, IntoContent};
use crate::engine::{CallError, Outcome, ResumedReply, ToolAnswer, ToolReply};
use crate::mcp::Parameter;

impl<T: IntoContent> ToolAnswer for T {
    const OUTPUT: Option<&'static [Parameter<'static>]> = T::OUTPUT;

    // Inlined, so that the compiler sees that there is no error, and leaves out what writes it.
    #[inline(always)]
    fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        Ok(answer(self, reply))
    }
}

fn answer<T: IntoContent>(content: T, reply: ToolReply<'_, '_>) -> Outcome {
    content.add_to(reply.content()).done()
}

impl<T: ToolAnswer, E: Failure> ToolAnswer for Result<T, E> {
    const OUTPUT: Option<&'static [Parameter<'static>]> = T::OUTPUT;

    #[inline(always)]
    fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        match self {
            Ok(answer) => answer.answer_tool(reply),
            Err(error) => error.fail(ResumedReply::Tool(reply)),
        }
    }
}

/// What a method returns that has taken the reply: the [`Outcome`], or a `Result` with it.
#[diagnostic::on_unimplemented(
    message = "a method that takes the reply returns what it has made of it",
    label = "expected `Outcome` or `Result<Outcome, CallError<'static>>`",
    note = "take the reply by `&mut` to report progress and to log, and still return the answer"
)]
pub trait Finished<'a> {
    /// The result of the handler.
    ///
    /// # Errors
    /// That of the method.
    fn finish(self) -> Result<Outcome, CallError<'a>>;
}

impl Finished<'_> for Outcome {
    fn finish(self) -> Result<Outcome, CallError<'static>> {
        Ok(self)
    }
}

impl<'a> Finished<'a> for Result<Outcome, CallError<'a>> {
    fn finish(self) -> Self {
        self
    }
}
