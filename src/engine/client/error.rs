//! Errors of requests that were not sent.

use core::fmt;

use super::handler::Refusal;
use crate::bytes::BufferFull;

/// Reason why a message was not sent. Nothing was written, and the client keeps nothing of it; the context is dropped.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{ClientEngine, Plain, RequestError, RequestOptions};
/// use barewire::mcp::Implementation;
/// use core::time::Duration;
///
/// let (mut engine, mut app) = (ClientEngine::new(), Plain(Implementation::new("probe", "1.0")));
/// let mut client = engine.bind(&mut app);
/// let mut memory = [0; 128];
/// let sent = client.list_tools(RequestOptions::at(Duration::ZERO), None, &mut Sink::new(&mut memory));
/// assert_eq!(sent, Err(RequestError::NotConnected));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum RequestError {
    /// The handshake is not complete. Remedy: [`connect`](super::BoundClient::connect), and wait for
    /// [`Incoming::Connected`](super::Incoming::Connected).
    NotConnected,
    /// The handshake is in progress or complete. Remedy: [`disconnect`](super::ClientEngine::disconnect) first.
    AlreadyConnected,
    /// The table of requests in flight is full. Remedy: a larger one ([`ClientFixed`](super::ClientFixed)), or wait.
    TableFull,
    /// The message does not fit the output.
    NoRoom(BufferFull),
    /// The revision of the connection has no such message, or the client speaks no revision that has it, or is built
    /// without that part ([`ClientParts`](super::ClientParts)).
    NotInRevision,
    /// The server has not declared the capability (or, for the tasks extension, the client has not). Remedy:
    /// [`even_if_not_offered`](super::RequestOptions::even_if_not_offered).
    NotOffered,
    /// The source of ids returns only ids in flight.
    NoId,
    /// The application refuses to answer an input request.
    Refused(Refusal),
    /// No request with this ticket is in flight: it has ended.
    NotInFlight,
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotConnected => f.write_str("the handshake is not complete"),
            Self::AlreadyConnected => f.write_str("the handshake has already begun"),
            Self::TableFull => f.write_str("too many requests are in flight"),
            Self::NoRoom(full) => full.fmt(f),
            Self::NotInRevision => f.write_str("the protocol revision has no such message"),
            Self::NotOffered => f.write_str("the server does not offer this"),
            Self::NoId => f.write_str("the id source returns only ids in flight"),
            Self::Refused(refusal) => {
                write!(f, "the input request is refused: {} {}", refusal.code, refusal.message)
            }
            Self::NotInFlight => f.write_str("the request is not in flight"),
        }
    }
}

impl core::error::Error for RequestError {}

impl From<BufferFull> for RequestError {
    fn from(full: BufferFull) -> Self {
        Self::NoRoom(full)
    }
}
