//! What a running server is to the threads beside it.

use std::boxed::Box;

use crate::engine::{CallError, CallToken, Progress, TaskEnd, TaskToken, ToolReply};
use crate::mcp::LoggingLevel;

/// What a piece of work ends with: it writes the reply of its call.
///
/// ```
/// use barewire::engine::{CallError, Disposition, Handler, Server, ToolCall, ToolReply};
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
///         call: ToolCall<'a>,
///         _: &mut ToolReply<'_, '_>,
///     ) -> Result<Disposition, CallError<'a>> {
///         let token = call.context().defer()?;
///         self.jobs.run(token, |_| -> JobReply {
///             match (1..=20u64).try_fold(1, u64::checked_mul) {
///                 Some(product) => Box::new(move |reply| {
///                     reply.text_format(format_args!("20! = {product}"));
///                     Ok(())
///                 }),
///                 None => Box::new(|_| Err(CallError::Failed("too large"))),
///             }
///         });
///         Ok(Disposition::Deferred(token))
///     }
/// }
///
/// # fn main() -> std::io::Result<()> {
/// let (jobs, queue) = jobs();
/// let (mut answers, output) = std::io::pipe()?;
/// let input = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"product"}}"#;
/// Stdio::new().with_jobs(queue, 1).serve_on(Server::<Products>::new(Products { jobs }), &input[..], output)?;
/// let mut text = String::new();
/// answers.read_to_string(&mut text)?;
/// assert!(text.contains(r#"[{"type":"text","text":"20! = 2432902008176640000"}]"#));
/// # Ok(())
/// # }
/// ```
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
}

/// What a piece of work is for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ticket {
    Call(CallToken),
    Task(TaskToken),
}
