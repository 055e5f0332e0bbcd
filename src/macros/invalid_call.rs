//! The error of a call with an argument that cannot be read.

use super::path::Path;
use super::{Failure, InvalidArgument};
use crate::engine::{CallError, Outcome, ResumedReply, ToolReply};
use crate::json::{AsText, Escaped, Object};

/// The error of a call with an argument that cannot be read.
#[derive(Debug)]
pub struct InvalidCall<'a> {
    tool: &'static str,
    argument: &'static str,
    arguments: Object<'a>,
    invalid: InvalidArgument,
}

impl<'a> InvalidCall<'a> {
    /// The error of this argument of this tool.
    pub const fn new(
        tool: &'static str,
        argument: &'static str,
        arguments: Object<'a>,
        invalid: InvalidArgument,
    ) -> Self {
        Self { tool, argument, arguments, invalid }
    }

    /// Answers the call. If the argument has parts, the path of the part is written.
    pub fn answer<const HAS_PARTS: bool>(self, reply: ToolReply<'_, '_>) -> Outcome {
        let Self { tool, argument, arguments, invalid } = self;
        let fault = invalid.fault();
        match invalid.address().filter(|_| HAS_PARTS) {
            Some(address) => {
                reply.fail(Text { tool, path: Path { arguments, address: address.get() }, fault })
            }
            None => reply.fail(["Invalid arguments for ", tool, ": ", argument, ": ", fault]),
        }
    }
}

impl Failure for InvalidCall<'_> {
    fn fail(self, reply: ResumedReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        match reply {
            ResumedReply::Tool(reply) => Ok(self.answer::<true>(reply)),
            _ => Err(CallError::Internal),
        }
    }
}

/// The text of an error with a path.
struct Text<'a> {
    tool: &'static str,
    path: Path<'a>,
    fault: &'static str,
}

impl AsText for Text<'_> {
    fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
        ["Invalid arguments for ", self.tool, ": "].write_inside(string);
        self.path.write_inside(string);
        [": ", self.fault].write_inside(string);
    }
}
