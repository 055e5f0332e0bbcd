//! Why a request was not sent.

use core::fmt;

use super::Refusal;
use crate::bytes::BufferFull;

/// Why a message was not sent: nothing was written, and nothing is kept of it. Its context is dropped.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{Ask, Client, Plain, RequestError};
/// use barewire::mcp::Implementation;
/// use core::time::Duration;
///
/// let mut client: Client<Plain> = Client::new(Plain(Implementation::new("probe", "1.0")));
/// let mut memory = [0; 128];
/// let sent = client.list_tools(Ask::at(Duration::ZERO), None, &mut Sink::new(&mut memory));
/// assert_eq!(sent, Err(RequestError::NotConnected));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum RequestError {
    /// The handshake is not done. Remedy: [`connect`](super::Client::connect), and wait for
    /// [`Incoming::Connected`](super::Incoming::Connected).
    NotConnected,
    /// The handshake goes on, or is done. Remedy: [`disconnect`](super::Client::disconnect) first.
    AlreadyConnected,
    /// As many requests are in flight as the table holds. Remedy: a larger one, or wait.
    TableFull,
    /// The message has no room in the output.
    NoRoom(BufferFull),
    /// The revision of the connection has no such message, or the client speaks no revision that has it, or is built
    /// without that part ([`ClientParts`](super::ClientParts)).
    NotInRevision,
    /// The server has not declared it (or, for the extension on tasks, the client has not). Remedy:
    /// [`Ask::even_if_not_offered`](super::Ask::even_if_not_offered).
    NotOffered,
    /// The source of ids gives none that is not in flight.
    NoId,
    /// The handler refuses to answer what the server wants to know.
    Refused(Refusal),
    /// No request with this ticket is in flight: it has ended.
    NotInFlight,
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotConnected => f.write_str("the handshake is not done"),
            Self::AlreadyConnected => f.write_str("the handshake was begun before"),
            Self::TableFull => f.write_str("too many requests are in flight"),
            Self::NoRoom(full) => full.fmt(f),
            Self::NotInRevision => f.write_str("the protocol revision has no such message"),
            Self::NotOffered => f.write_str("the server does not offer it"),
            Self::NoId => f.write_str("every id is in flight"),
            Self::Refused(refusal) => write!(
                f,
                "what the server asks is refused: {} {}",
                refusal.code, refusal.message
            ),
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
