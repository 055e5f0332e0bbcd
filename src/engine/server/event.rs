//! Events that the engine reports to the application.

use super::{Answer, CallToken, TaskToken};
use crate::mcp::ProtocolVersion;
use crate::rpc::{Notification, Rejection, Response};

/// Event that needs no answer from the application. The engine itself writes no log.
///
/// ```
/// use barewire::engine::Event;
///
/// /// A line of a log for each event that points to a fault.
/// fn log(event: Event<'_>) -> Option<String> {
///     match event {
///         Event::Rejected(rejection) => Some(format!("invalid message: {rejection}")),
///         Event::Lost => Some("bytes were lost".to_string()),
///         Event::NoRoom => Some("the output is too small".to_string()),
///         Event::Misuse(what) => Some(format!("a fault of the handler: {what}")),
///         _ => None,
///     }
/// }
/// assert_eq!(log(Event::Lost).as_deref(), Some("bytes were lost"));
/// ```
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Event<'a> {
    /// A legacy session was opened, or opened again.
    Initialized(ProtocolVersion),
    /// A deferred call was cancelled by its client, or its client is gone: it is never answered, and its token is void.
    Cancelled(CallToken),
    /// The client has cancelled a task: its work should stop.
    TaskCancelled(TaskToken),
    /// A task was removed, since its time to live is over or another task needed its place. Its token is void, and its result is not
    /// fetched any more.
    TaskForgotten(TaskToken),
    /// A notification other than a cancellation.
    Notification(Notification<'a>),
    /// The client's answer to a request from [`Server::ask`](super::Server::ask) or [`Server::ping`](super::Server::ping).
    Answered(CallToken, Answer<'a>),
    /// A response to an unknown request id.
    Response(Response<'a>),
    /// A frame that is not a message. The engine has answered it if the protocol requires an answer.
    Rejected(Rejection<'a>),
    /// The receiver lost bytes of a line, which was dropped.
    Lost,
    /// Neither an answer nor an error in its place fitted the output: give it at least [`MIN_OUTPUT`](crate::engine::MIN_OUTPUT)
    /// bytes.
    NoRoom,
    /// The handler broke a rule, and its reply was replaced by an error: for example content after structured content, an outcome of
    /// another call, or an input request that does not fit the capacity that the text names.
    Misuse(&'static str),
}

/// A list that can change at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs, reason = "each variant is named after its list")]
pub enum List {
    Tools,
    Resources,
    Prompts,
}
