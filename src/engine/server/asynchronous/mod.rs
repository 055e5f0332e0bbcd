//! Asynchronous tools: the application's trait, and what a loop needs to run them. A call of such a tool is a deferred call to the engine.

// From the bottom up: a file uses only files above it in this list.
mod piece;
mod shared;

mod answered;
mod call;
mod question;

mod peer;

mod handler;

mod queued;

mod lent;
mod starting;

pub(crate) use answered::Answered;
pub use call::AsyncCall;
pub(crate) use call::Started;
pub use handler::{AsyncHandler, ToolMode};
pub(crate) use lent::{Lent, Queued};
pub(crate) use peer::Desk;
pub use peer::Peer;
pub(crate) use question::Question;
pub(crate) use shared::Shared;
pub(crate) use starting::Starting;
