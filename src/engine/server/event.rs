//! What a silent core would log.

use super::{Answer, CallToken, TaskToken};
use crate::mcp::ProtocolVersion;
use crate::rpc::{Notification, Rejection, Response};

/// Something that happened and needs no answer from the application.
///
/// ```
/// use barewire::engine::Event;
///
/// /// A line of a log; nothing of what every session has.
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
    /// A call that the application deferred was cancelled by the client: it is never answered, its token is void.
    Cancelled(CallToken),
    /// A task was cancelled by the client: it is to stop.
    TaskCancelled(TaskToken),
    /// A task's time is over, or it had to make room: its token is void, and its result is not asked for any more.
    TaskForgotten(TaskToken),
    /// A notification that the engine does not act on.
    Notification(Notification<'a>),
    /// The answer to a question of the application's own, which [`Server::ask`](super::Server::ask) or
    /// [`Server::ping`](super::Server::ping) has asked.
    Answered(CallToken, Answer<'a>),
    /// A response that nobody waits for.
    Response(Response<'a>),
    /// A frame that is no message. Answered if that is owed.
    Rejected(Rejection<'a>),
    /// The receiver lost bytes of a line, which was dropped.
    Lost,
    /// An answer, and the error in its place too, had no room in the output: give it at least
    /// [`Server::MIN_OUTPUT`](super::Server::MIN_OUTPUT) bytes.
    NoRoom,
    /// The handler broke a rule, and its reply was replaced by an error: content after structured content, a deferral
    /// without a token, or an input request whose state is longer than the capacity that the text names.
    Misuse(&'static str),
}
