//! Answers of several asynchronous tools as one type.

use crate::engine::{CallError, Outcome, ToolAnswer, ToolReply};

/// The answer of one tool, or of another one.
#[derive(Debug)]
pub enum Either<A, B> {
    /// The first of two answers.
    First(A),
    /// The other one.
    Other(B),
}

impl<A: ToolAnswer, B: ToolAnswer> ToolAnswer for Either<A, B> {
    #[inline(always)]
    fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        match self {
            Self::First(answer) => answer.answer_tool(reply),
            Self::Other(answer) => answer.answer_tool(reply),
        }
    }
}
