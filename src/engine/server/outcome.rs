//! Outcomes of calls and of tasks.

use super::{CallToken, TaskToken};

/// Outcome of a handler's call. Only a reply writer makes one. If a handler returns the outcome of another call, the client gets an internal
/// error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "return it from the handler"]
pub struct Outcome(pub(super) Made);

impl Outcome {
    /// The token of the call, if it is answered later.
    #[cfg(feature = "std")]
    pub(crate) const fn deferred(self) -> Option<CallToken> {
        match self.0 {
            Made::Deferred(token) => Some(token),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) enum Made {
    /// The result is written, up to the members that the engine adds.
    Result,
    /// A result is written that says that the tool has failed.
    ToolError,
    /// A protocol error is written.
    Error,
    /// Input requests are written.
    Asked,
    /// The answer comes later.
    Deferred(CallToken),
    /// The call continues as a task.
    Task(TaskToken),
}

/// End of a task.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{
///     CallError, Frame, Handler, NotInFlight, Origin, Outcome, Sent, Server, TaskEnd, TaskHandler, TaskToken, ToolCall,
///     ToolContent, ToolReply,
/// };
/// use barewire::mcp::{Implementation, TaskSupport, Tool};
///
/// struct Oven { task: Option<TaskToken> }
///
/// impl Handler for Oven {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("oven", "1.0")
/// #     }
/// #
///     fn tools(&self) -> &[Tool<'_>] {
///         const { &[Tool::new("bake", "Bakes.").with_task_support(TaskSupport::Required)] }
///     }
///
///     fn call_tool<'a>(
///         &mut self,
///         _: ToolCall<'a>,
///         reply: ToolReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         let (task, outcome) = reply.start_task()?;
///         self.task = Some(task);
///         Ok(outcome)
///     }
///
///     fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
///         Some(self)
///     }
/// }
///
/// impl TaskHandler for Oven {
///     fn task_result<'a>(
///         &mut self,
///         _: TaskToken,
///         content: ToolContent<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         Ok(content.text("a cake").done())
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (mut server, mut app, mut memory) = (Server::new(), Oven { task: None }, [0; 512]);
/// for line in [
///     r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#,
///     r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bake","task":{}}}"#,
///     // Waits for the end of the task.
///     r#"{"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":"e220a8397b1dcdaf"}}"#,
/// ] {
///     let _ = server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), &mut app, &mut Sink::new(&mut memory));
/// }
///
/// let task = app.task.ok_or("no task")?;
/// assert!(server.is_task_running(task));
/// server.finish_task(task, TaskEnd::Completed)?;
/// let mut out = Sink::new(&mut memory);
/// while let Sent::To(_) = server.poll(|_| true, &mut app, &mut out) {}
/// assert!(String::from_utf8_lossy(out.finish()?).contains(
///     r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"a cake"}],"isError":false,"#
/// ));
/// assert_eq!(server.finish_task(task, TaskEnd::Error), Err(NotInFlight));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum TaskEnd {
    /// The tool has done its work.
    Completed,
    /// The tool has failed: its result says so, with `isError: true`.
    ToolError,
    /// The task has failed with a protocol error, so it has no result.
    Error,
}
