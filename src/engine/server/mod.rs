//! The server engine. [`Server`] is its public type; `docs/architecture.md` shows the way of a message through the files.

// From the bottom up: a file uses only files above it in this list.
mod channel;
mod error;
mod event;
#[cfg(feature = "std")]
mod fault;
mod options;
mod outcome;
mod parts;
mod progress;
mod time;
mod token;

mod storage;

mod call;
mod context;
mod resumed;

mod answer;
mod notify;
mod reply;
mod tool_answer;

mod application;
mod handler;

mod close;
mod settle;
mod state;

mod engine;
mod methods;
mod run;

mod outbox;
mod receive;
#[allow(clippy::module_inception, reason = "the file is named after its type")]
mod server;

#[cfg(any(feature = "embedded-io-async-v0_7", feature = "std"))]
mod ask;
mod exchange;

#[cfg(any(feature = "embedded-io-async-v0_7", feature = "tokio"))]
mod asynchronous;

#[cfg(feature = "std")]
pub(crate) use ask::refusal;
#[cfg(any(feature = "embedded-io-async-v0_7", feature = "tokio"))]
pub(crate) use asynchronous::{Answered, Desk, Lent, Question, Queued, Shared, Started, Starting};
#[cfg(any(feature = "embedded-io-async-v0_7", feature = "tokio"))]
pub use asynchronous::{AsyncCall, AsyncHandler, Peer, ToolMode};
pub use call::{Completion, PromptGet, Reference, ResourceRead, ToolCall};
pub use channel::{Address, Channel, Origin, Principal, Sent};
pub use context::Context;
use error::NotKept;
pub use error::{AskError, CallError, NotInFlight};
pub use event::{Event, List};
pub(crate) use exchange::{Allowed, Served, Way};
#[cfg(feature = "std")]
pub(crate) use fault::Fault;
#[cfg(any(feature = "embedded-io-async-v0_7", feature = "std"))]
pub(crate) use handler::forward_tables;
pub use handler::{Handler, TaskHandler};
pub use options::{Lifecycle, Options, UnreadableId};
pub use outcome::{Outcome, TaskEnd};
pub use parts::{Full, LegacyOnly, ModernOnly, Parts, ToolsOnly};
pub use progress::{Decimal, Progress};
pub use receive::Frame;
#[cfg(feature = "std")]
pub(crate) use reply::can_ask;
pub use reply::{
    CompletionReply, CompletionValues, PromptMessages, PromptReply, Questions, ResourceContents,
    ResourceReply, ResumedReply, TaskQuestions, ToolContent, ToolReply,
};
pub use resumed::{Answer, Answers, Resumed};
pub use server::{MIN_OUTPUT, Server};
#[cfg(feature = "std")]
pub use storage::Heap;
pub use storage::{CallSlot, Fixed, SessionSlot, Storage, StreamSlot, Tables, TaskSlot, Used, WatchSlot};
pub(crate) use time::milliseconds;
pub use token::{CallToken, TaskToken};
pub use tool_answer::ToolAnswer;
