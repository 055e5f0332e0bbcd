//! State of a conversation, which decides about the messages that follow.

use barewire::mcp::ProtocolVersion;

use super::requests::Requests;

/// State that the messages of one side have left.
#[derive(Default)]
pub(super) struct PeerState {
    pub(super) requests: Requests,
    /// Whether bytes of this side were not inspected, so that a message that seems to be missing may be among them.
    pub(super) has_gaps: bool,
    /// Whether the other side sent an error without an id, which may answer any of the requests.
    pub(super) has_doubtful_answers: bool,
    pub(super) notifications: u64,
    /// Number of errors without an id that the other side may still send.
    pub(super) unreadable: u64,
}

/// The legacy session, if any.
#[derive(Default)]
pub(super) struct Session {
    /// The revision that the handshake has negotiated.
    pub(super) version: Option<ProtocolVersion>,
    /// Number of `initialize` requests, each of which begins a session; those that may be in a gap count too.
    pub(super) number: u64,
    /// Whether the server has answered a modern request with a result.
    pub(super) has_modern_results: bool,
}

impl Session {
    /// Whether the conversation is modern: no handshake was tried, and the server works without one.
    pub(super) const fn is_modern(&self) -> bool {
        self.number == 0 && self.has_modern_results
    }
}
