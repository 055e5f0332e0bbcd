//! Calls of the threads of a pool to the loop.

use std::boxed::Box;
use std::string::String;

use super::question::{Question, QuestionInResult};
use crate::engine::{
    CallError, CallToken, Outcome, Progress, Server, Storage, TaskEnd, TaskToken, ToolContent,
};
use crate::mcp::LoggingLevel;

/// Function that a piece of work returns, where that is one of several: it writes the result of the call.
///
/// ```
/// use barewire::engine::{CallError, Handler, Outcome, ToolCall, ToolReply};
/// use barewire::mcp::{Implementation, Tool};
/// use barewire::transport::{JobReply, Jobs, Stdio, jobs};
/// use std::io::Read;
///
/// struct Products { jobs: Jobs }
///
/// impl Handler for Products {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("products", "1.0")
/// #     }
/// #
///     fn tools(&self) -> &[Tool<'_>] {
///         const { &[Tool::new("product", "Multiplies a lot.")] }
///     }
///
///     fn call_tool<'a>(
///         &mut self,
///         _: ToolCall<'a>,
///         reply: ToolReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         let (token, outcome) = reply.defer()?;
///         self.jobs.run(token, |_| -> JobReply {
///             match (1..=20u64).try_fold(1, u64::checked_mul) {
///                 Some(product) => Box::new(move |result| {
///                     Ok(result.text(format_args!("20! = {product}")).done())
///                 }),
///                 None => Box::new(|_| Err(CallError::Failed("too large"))),
///             }
///         });
///         Ok(outcome)
///     }
/// }
///
/// # fn main() -> std::io::Result<()> {
/// let (jobs, queue) = jobs();
/// let (mut answers, output) = std::io::pipe()?;
/// let input = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"product"}}"#;
/// Stdio::new().with_jobs(queue, 1).serve_on(Products { jobs }, &input[..], output)?;
/// let mut text = String::new();
/// answers.read_to_string(&mut text)?;
/// assert!(text.contains(r#"[{"type":"text","text":"20! = 2432902008176640000"}]"#));
/// # Ok(())
/// # }
/// ```
pub type JobReply = Box<dyn FnOnce(ToolContent<'_, '_>) -> Result<Outcome, CallError<'static>> + Send>;

/// Call of a thread to the loop.
pub(super) enum Call {
    Complete(CallToken, JobReply),
    Finish(TaskToken, TaskEnd),
    Describe(TaskToken, &'static str),
    /// The progress without its message, and the message.
    Progress(Ticket, Progress<'static>, Option<String>),
    Log(CallToken, LoggingLevel, String),
    /// Asks a legacy client.
    Ask(Question),
    /// Ends the call with a question to a modern client.
    AskWithResult(QuestionInResult),
}

/// The call or the task that a piece of work is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ticket {
    Call(CallToken),
    Task(TaskToken),
}

impl Ticket {
    /// Whether the call or the task has not ended.
    pub(super) fn is_wanted<S: Storage>(self, server: &mut Server<S>) -> bool {
        match self {
            Self::Call(token) => server.is_in_flight(token),
            Self::Task(token) => server.is_task_running(token),
        }
    }
}
