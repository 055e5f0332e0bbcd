//! The server. What each part of it does is said in its file; [`Server`] is where a frame comes in.

mod answer;
mod application;
mod asking;
mod call;
mod changes;
mod event;
mod handler;
mod in_flight;
mod kept;
mod list;
mod methods;
mod notify;
mod options;
mod parts;
mod progress;
mod reply;
mod resume;
mod state;
mod subscriptions;
mod task_changes;
mod tasks;
mod time;

pub use asking::AskError;
use call::NotKept;
pub use call::{
    CallError, CallToken, Completion, Context, Disposition, PromptGet, Reference, ResourceRead, ToolCall,
};
pub use event::Event;
pub use handler::Handler;
pub use in_flight::NotInFlight;
pub use options::{Lifecycle, Options, UnreadableId};
pub use parts::{Full, LegacyOnly, ModernOnly, Parts, ToolsOnly};
pub use progress::Progress;
pub use reply::{CompletionReply, PromptReply, Questions, ResourceReply, ToolReply};
pub use resume::{Answer, Answers, Resumed};
pub use state::{List, Server, Status};
pub use tasks::{TaskEnd, TaskToken};
