//! Answers of asynchronous tools.

use crate::engine::server::{CallError, Outcome, ToolReply};

/// Answer that a tool returns. An asynchronous tool cannot hold a reply, since other lines are written while it waits; the loop writes its
/// answer once the tool is done.
///
/// ```
/// use barewire::engine::{CallError, Outcome, ToolAnswer, ToolReply};
///
/// /// A temperature in hundredths of a degree.
/// struct Celsius(i64);
///
/// impl ToolAnswer for Celsius {
///     fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
///         Ok(reply.text_with(|json| {
///             json.fixed(self.0, 2);
///         }))
///     }
/// }
/// ```
pub trait ToolAnswer {
    /// Writes the answer. The reply can neither ask nor be deferred.
    ///
    /// # Errors
    /// See [`CallError`].
    fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>>;
}

impl ToolAnswer for &str {
    fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        Ok(reply.text(self))
    }
}

impl<T: ToolAnswer> ToolAnswer for Result<T, CallError<'static>> {
    fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        self?.answer_tool(reply)
    }
}
