//! Replies to calls of each kind, where the kind does not matter.

use barewire::engine::{CallError, CallToken, Outcome, Progress, Questions, ResumedReply};
use barewire::mcp::{InputRequest, LoggingLevel, Role};

/// What the replies to all kinds of call can do.
pub trait Answering<'r, 'm> {
    /// An answer.
    fn text(self, text: &str) -> Outcome;
    /// A question.
    fn ask(self, key: &str, request: &InputRequest<'_>) -> Questions<'r, 'm>;
    /// The token of a later answer.
    fn defer(self) -> Result<(CallToken, Outcome), CallError<'static>>;
    /// Progress, before all else; false when nothing was written.
    fn progress<'p>(&mut self, progress: impl Into<Progress<'p>>) -> bool;
    /// A log message, before all else; false when nothing was written.
    fn log(&mut self, level: LoggingLevel, logger: Option<&str>, text: &str) -> bool;
}

impl<'r, 'm> Answering<'r, 'm> for ResumedReply<'r, 'm> {
    fn text(self, text: &str) -> Outcome {
        match self {
            Self::Tool(reply) => reply.text(text),
            Self::Resource(reply) => reply.text(None, text),
            Self::Prompt(reply) => reply.text(Role::User, text),
        }
    }

    fn ask(self, key: &str, request: &InputRequest<'_>) -> Questions<'r, 'm> {
        match self {
            Self::Tool(reply) => reply.ask(key, request),
            Self::Resource(reply) => reply.ask(key, request),
            Self::Prompt(reply) => reply.ask(key, request),
        }
    }

    fn defer(self) -> Result<(CallToken, Outcome), CallError<'static>> {
        match self {
            Self::Tool(reply) => reply.defer(),
            Self::Resource(reply) => reply.defer(),
            Self::Prompt(reply) => reply.defer(),
        }
    }

    fn progress<'p>(&mut self, progress: impl Into<Progress<'p>>) -> bool {
        match self {
            Self::Tool(reply) => reply.progress(progress),
            Self::Resource(reply) => reply.progress(progress),
            Self::Prompt(reply) => reply.progress(progress),
        }
    }

    fn log(&mut self, level: LoggingLevel, logger: Option<&str>, text: &str) -> bool {
        match self {
            Self::Tool(reply) => reply.log(level, logger, text),
            Self::Resource(reply) => reply.log(level, logger, text),
            Self::Prompt(reply) => reply.log(level, logger, text),
        }
    }
}
