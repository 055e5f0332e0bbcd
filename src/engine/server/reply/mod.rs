//! Replies of a handler, a file for each kind. Each writer puts its part straight into the output, inside the result that the engine
//! closes.

mod asking;
mod completion;
mod line;
mod prompt;
mod questions;
mod resource;
mod tool;

pub(crate) use asking::can_ask;
pub(in crate::engine::server) use asking::{Answered, AskFault, Asking, Way, read_kept};
pub use completion::{CompletionReply, CompletionValues};
pub(in crate::engine::server) use line::{Draft, Line, Part};
pub use prompt::{PromptMessages, PromptReply};
#[cfg(feature = "std")]
pub(in crate::engine::server) use questions::write_written;
pub use questions::{Questions, TaskQuestions};
pub(in crate::engine::server) use questions::{write_ping, write_request};
pub use resource::{ResourceContents, ResourceReply};
pub use tool::{ToolContent, ToolReply};

/// Reply to a call that [continues](crate::engine::Handler::resume) with the client's answers.
pub enum ResumedReply<'r, 'm> {
    /// Of a tool.
    Tool(ToolReply<'r, 'm>),
    /// Of a resource that is read.
    Resource(ResourceReply<'r, 'm>),
    /// Of a prompt.
    Prompt(PromptReply<'r, 'm>),
}

/// Methods of each reply to a call that can ask the client or be answered later.
macro_rules! reply_methods {
    () => {
        /// Asks the client instead of answering. The call continues in [`Handler::resume`](crate::engine::Handler::resume), with the
        /// answers by their keys and with the state that was kept.
        ///
        /// A modern client gets all questions at once. A legacy client gets the first one; the handler asks the others again when
        /// that is answered, so the state should hold what is known already. When the client has not declared what a question
        /// needs, the call ends in [`CallError::MissingCapability`](crate::engine::CallError::MissingCapability).
        pub fn ask(self, key: &str, request: &InputRequest<'_>) -> Questions<'r, 'm> {
            Questions::new(self.line, key, request)
        }

        /// Defers the call: it is answered later, under this token.
        ///
        /// # Errors
        /// [`CallError::Busy`](crate::engine::CallError::Busy) when the table of calls is full,
        /// [`IdTooLong`](crate::engine::CallError::IdTooLong) or
        /// [`ProgressTokenTooLong`](crate::engine::CallError::ProgressTokenTooLong) when a text does not fit the storage. Return
        /// the error unchanged.
        pub fn defer(self) -> Result<(CallToken, Outcome), CallError<'static>> {
            self.line.defer()
        }

        /// Answers with a protocol error with this message; see [`AsText`].
        pub fn refuse(self, code: ErrorCode, message: impl AsText) -> Outcome {
            self.line.refuse(code, message)
        }

        /// Reports progress, a number or a [`Progress`] with its total and a message, if the client asked for it; false when nothing was written.
        pub fn progress<'p>(&mut self, progress: impl Into<Progress<'p>>) -> bool {
            self.line.progress(&progress.into())
        }

        /// Sends a log message, if the client wants its level; false when nothing was written.
        pub fn log(&mut self, level: LoggingLevel, logger: Option<&str>, data: impl AsText) -> bool {
            self.line.log(level, logger, data)
        }
    };
}
use reply_methods;
