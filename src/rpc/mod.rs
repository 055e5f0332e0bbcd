//! L2: the JSON-RPC 2.0 envelope. Knows no MCP method.
//!
//! [`classify`] judges one frame; [`Message`] and its views borrow from it. The writers build answers in a caller's
//! memory, and [`Rewrite`] gives a message another id, for gateways. [`Skipper`] finds the id of a line that is too long
//! to be kept.

#[cfg(all(test, target_pointer_width = "64"))]
mod both_forms;
mod classify;
mod envelope;
mod error;
#[cfg(feature = "defmt")]
mod format;
mod id;
mod message;
mod name;
mod rejection;
mod rewrite;
mod skip;
mod stored;
#[cfg(target_pointer_width = "64")]
mod usual;
mod write;

pub use classify::{Rules, classify, classify_value, classify_with};
pub use error::{ErrorCode, ErrorObject};
pub use id::{IdTooLong, RequestId, StoredId};
pub use message::{Message, Notification, Request, Response};
pub use rejection::{Reason, Rejection, Reply};
pub(crate) use rewrite::SUBSCRIPTION_ID;
pub use rewrite::{Rewrite, RewriteError};
pub use skip::Skipper;
pub(crate) use skip::{rejected_response_id, response_id};
pub use stored::{MessageTooLong, Stored};
pub(crate) use write::{begin, begin_error, begin_error_without_id, begin_result};
pub use write::{
    error_response, error_response_with_data, notification, rejection_response, request, result_response,
};
