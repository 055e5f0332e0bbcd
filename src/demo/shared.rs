//! Tools for other servers too, for example on a device.

use super::add::{NoSum, Sum, plain_integer, sum};
use crate::engine::{CallError, Outcome, ToolCall, ToolReply};
use crate::json::Number;

/// Answers a call of the tool [`ECHO`](super::ECHO).
///
/// # Errors
/// None, since the engine has checked the arguments.
pub fn echo<'a>(call: &ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
    let text = call.string("text").ok_or(CallError::Internal)?;
    Ok(reply.text(text))
}

/// Answers a call of the tool [`ADD`](super::ADD): exactly if the integers and their sum fit `i64`, else with doubles.
///
/// # Errors
/// [`CallError::Failed`] if a number or the sum is not finite.
pub fn add<'a>(call: &ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
    let (a, b) = operands(call)?;
    match sum(a, b) {
        Ok(Sum::Exact(sum)) => Ok(reply.text(sum)),
        Ok(Sum::Double(sum)) => Ok(reply.text_with(|json| {
            json.double(sum);
        })),
        Err(NoSum::NotFinite) => Err(CallError::Failed("Invalid arguments for add")),
        Err(NoSum::Overflow) => Err(CallError::Failed("Result is not a finite number")),
    }
}

/// Answers a call of the tool [`ADD`](super::ADD) on a machine without room for floats: only for integers that fit `i64`.
///
/// # Errors
/// [`CallError::Failed`] if a number is not such an integer, or the sum does not fit.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::demo::{ADD, ECHO, add_integers, echo};
/// use barewire::engine::{CallError, Frame, Handler, Origin, Outcome, Server, ToolCall, ToolReply};
/// use barewire::mcp::{Implementation, Tool};
///
/// struct Device;
///
/// impl Handler for Device {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("device", "1.0")
/// #     }
/// #
///     fn tools(&self) -> &[Tool<'_>] {
///         const { &[ADD, ECHO] }
///     }
///
///     fn call_tool<'a>(
///         &mut self,
///         call: ToolCall<'a>,
///         reply: ToolReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         match call.is(ADD.name()) {
///             true => add_integers(&call, reply),
///             false => echo(&call, reply),
///         }
///     }
/// }
///
/// let mut server = Server::new();
/// for (params, text) in [
///     (r#"{"name":"add","arguments":{"a":40,"b":2}}"#, "42"),
///     (r#"{"name":"add","arguments":{"a":0.5,"b":2}}"#, "Only 64-bit integers can be added here"),
///     (r#"{"name":"echo","arguments":{"text":"tick"}}"#, "tick"),
/// ] {
///     let mut memory = [0; 256];
///     let mut out = Sink::new(&mut memory);
///     let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
///     let _ = server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), &mut Device, &mut out);
///     let answer = String::from_utf8_lossy(out.finish().unwrap_or_default()).into_owned();
///     assert!(answer.contains(&format!(r#"[{{"type":"text","text":"{text}"}}]"#)), "{answer}");
/// }
/// ```
pub fn add_integers<'a>(call: &ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
    let (a, b) = operands(call)?;
    let (Some(a), Some(b)) = (plain_integer(a), plain_integer(b)) else {
        return Err(CallError::Failed("Only 64-bit integers can be added here"));
    };
    let sum = a.checked_add(b).ok_or(CallError::Failed("Result does not fit 64 bits"))?;
    Ok(reply.text(sum))
}

fn operands<'a>(call: &ToolCall<'a>) -> Result<(Number<'a>, Number<'a>), CallError<'a>> {
    match (call.number("a"), call.number("b")) {
        (Some(a), Some(b)) => Ok((a, b)),
        _ => Err(CallError::Internal),
    }
}
