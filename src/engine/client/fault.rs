//! Faults of responses.

use core::fmt;

use crate::rpc::Reason;

/// Reason why a response cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ResponseFault {
    /// The line is not a valid JSON-RPC response, or longer than the buffer, but its id could be read. If the line is
    /// not JSON, only characters in its strings are at fault.
    Envelope(Reason),
    /// The request cannot have a result of this `resultType` (MCP 2026-07-28, `resultType`).
    ResultType,
    /// The server requires input without describing it: `inputRequests` and `requestState` are both absent, or malformed.
    InputRequired,
    /// A required member is missing or of the wrong type.
    Result,
    /// A member occurs twice, or an object has more than 64 members, where the client or one of its views reads.
    /// (Values that only the application reads, such as `structuredContent`, are not checked.)
    Repeated,
}

impl fmt::Display for ResponseFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Envelope(reason) => {
                write!(f, "not a valid response: {}", reason.name())?;
                match reason {
                    Reason::NotJson(kind) => write!(f, ", {}", kind.as_str()),
                    _ => Ok(()),
                }
            }
            Self::ResultType => f.write_str("the request cannot have a result of this `resultType`"),
            Self::InputRequired => f.write_str("input is required but not described"),
            Self::Result => f.write_str("a required member is missing or of the wrong type"),
            Self::Repeated => f.write_str("a member occurs twice, or an object has more than 64 members"),
        }
    }
}
