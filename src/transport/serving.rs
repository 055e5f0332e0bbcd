//! What a running server is to the threads beside it.

use std::boxed::Box;

use crate::engine::{CallError, CallToken, Progress, TaskEnd, TaskToken, ToolReply};
use crate::mcp::LoggingLevel;

/// What a piece of work ends with: it writes the reply of its call.
pub type JobReply = Box<dyn FnOnce(&mut ToolReply<'_, '_>) -> Result<(), CallError<'static>> + Send>;

/// What the threads may ask of the running server. Each call takes the server's lock for as long as it writes.
pub(super) trait Serving: Send + Sync {
    fn complete(&self, token: CallToken, reply: JobReply);
    fn finish(&self, token: TaskToken, end: TaskEnd);
    fn describe(&self, token: TaskToken, message: &'static str);
    fn progress(&self, ticket: Ticket, progress: &Progress<'_>);
    fn log(&self, token: CallToken, level: LoggingLevel, data: &str);
    fn is_wanted(&self, ticket: Ticket) -> bool;
    fn tell_changes(&self);
    fn tick(&self);
}

/// What a piece of work is for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ticket {
    Call(CallToken),
    Task(TaskToken),
}
