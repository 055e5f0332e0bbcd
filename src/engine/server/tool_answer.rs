//! Answers that a tool returns.

use super::{CallError, Outcome, ToolReply};
use crate::mcp::Parameter;

/// Answer that a tool returns, instead of writing it into a reply. An asynchronous tool cannot hold a reply, since other lines are written
/// while it waits; the loop writes its answer once the tool is done.
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
///
/// `&str` is an answer, with `std` a `String`, and a `Result` with a [`CallError`]. The feature `macros` adds numbers, images, lists, structs, errors with `Display`:
/// whatever a method of a server may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the answer of a tool",
    label = "not an answer of a tool",
    note = "answers are `()`, texts, numbers, `bool`, `Image`, `Audio`, `ResourceLink` and `Structured` of `barewire::macros`, \
            structs with `#[derive(barewire::Output)]`, tuples, arrays and `Option`s of these, and `Result`s"
)]
pub trait ToolAnswer {
    /// Members of the structured content, if they are known from the type.
    const OUTPUT: Option<&'static [Parameter<'static>]> = None;

    /// Writes the answer. The reply of an asynchronous tool can neither ask nor be deferred.
    ///
    /// # Errors
    /// The protocol error that the tool has returned; see [`CallError`].
    fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>>;
}

// With the feature `macros`, these are among the answers of a method.
#[cfg(not(feature = "macros"))]
impl ToolAnswer for &str {
    fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        Ok(reply.text(self))
    }
}

#[cfg(all(feature = "std", not(feature = "macros")))]
impl ToolAnswer for std::string::String {
    fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        Ok(reply.text(self))
    }
}

#[cfg(not(feature = "macros"))]
impl<T: ToolAnswer> ToolAnswer for Result<T, CallError<'static>> {
    fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        self?.answer_tool(reply)
    }
}
