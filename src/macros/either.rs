//! Answers of several asynchronous tools as one type.

use super::{Failure, InvalidArgument};
use crate::engine::{CallError, Outcome, ResumedReply, ToolAnswer, ToolReply};

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

/// The error of a call with an argument that cannot be read.
#[derive(Debug)]
pub struct InvalidCall {
    tool: &'static str,
    invalid: InvalidArgument,
}

impl InvalidCall {
    /// The error of this argument of this tool.
    pub const fn new(tool: &'static str, invalid: InvalidArgument) -> Self {
        Self { tool, invalid }
    }
}

impl Failure for InvalidCall {
    fn fail(self, reply: ResumedReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        match reply {
            ResumedReply::Tool(reply) => Ok(self.invalid.answer(self.tool, reply)),
            _ => Err(CallError::Internal),
        }
    }
}
