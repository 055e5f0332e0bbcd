//! L4: the protocol as a state machine. No clock, no I/O, no globals.
//!
//! [`Server`] takes the bytes of one frame and writes whole lines into a [`Sink`](crate::bytes::Sink); what the
//! application has to say goes through a [`Handler`]. The rule of every call: give it an empty sink, send what it wrote,
//! and when it says [`Status::More`], call it again with an emptied sink.

mod answer;
mod call;
mod changes;
mod event;
mod handler;
mod in_flight;
mod list;
mod methods;
mod notify;
mod options;
mod reply;
mod server;
mod subscriptions;

pub use call::{
    CallError, CallToken, Completion, Context, Disposition, PromptGet, Reference, ResourceRead, ToolCall,
};
pub use event::Event;
pub use handler::Handler;
pub use in_flight::NotInFlight;
pub use options::{Lifecycle, Options, UnreadableId};
pub use reply::{CompletionReply, Progress, PromptReply, ResourceReply, Role, ToolReply};
pub use server::{List, Server, Status};
