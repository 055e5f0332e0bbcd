//! Faults of the application that a host prints.

use core::fmt;

use crate::mcp::Method;
use crate::rpc::RequestId;

/// A fault of the application. Devices do not report them, but for those that are an [`Event`](super::Event) too.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault<'a> {
    /// The handler broke this rule.
    Misuse(&'static str),
    /// Neither an answer nor an error in its place fitted the output.
    NoRoom,
    /// An error, or a tool's result that says so, took the place of an answer to this request.
    TooLarge(Method, RequestId<'a>),
    /// Progress that is not greater than the one before.
    Progress,
}

impl fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Misuse(what) => write!(f, "the handler broke a rule, so its call failed: {what}"),
            Self::NoRoom => {
                f.write_str("an answer was dropped: it does not fit the output (`Limits::max_output`)")
            }
            Self::TooLarge(method, id) => {
                let method = method.name();
                write!(
                    f,
                    "the answer to the request {id} ({method}) does not fit the output (`Limits::max_output`)"
                )
            }
            Self::Progress => f.write_str("progress was not sent: it must be greater than the one before"),
        }
    }
}
