//! Steps of a handshake.

use core::time::Duration;

use crate::mcp::ProtocolVersion;

/// State of the handshake.
#[derive(Debug)]
pub(super) struct Handshake<Id> {
    pub(super) step: Step<Id>,
    /// Number of messages sent.
    pub(super) tries: u8,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Step<Id> {
    None,
    /// `server/discover` was sent; only a modern server knows it.
    Probing {
        id: Id,
        deadline: Duration,
    },
    /// `initialize` was sent.
    Initializing {
        id: Id,
        deadline: Duration,
        proposed: ProtocolVersion,
        /// Whether the server did not answer the probe.
        after_silence: bool,
    },
    Done(ProtocolVersion),
}

impl<Id> Handshake<Id> {
    pub(super) const fn new() -> Self {
        Self { step: Step::None, tries: 0 }
    }

    pub(super) const fn version(&self) -> Option<ProtocolVersion> {
        match self.step {
            Step::Done(version) => Some(version),
            _ => None,
        }
    }

    /// Revision that `initialize` has proposed.
    pub(super) const fn proposed(&self) -> Option<ProtocolVersion> {
        match self.step {
            Step::Initializing { proposed, .. } => Some(proposed),
            _ => None,
        }
    }

    /// Id of the request in flight.
    pub(super) const fn id(&self) -> Option<&Id> {
        match &self.step {
            Step::Probing { id, .. } | Step::Initializing { id, .. } => Some(id),
            Step::None | Step::Done(_) => None,
        }
    }

    pub(super) const fn deadline(&self) -> Option<Duration> {
        match self.step {
            Step::Probing { deadline, .. } | Step::Initializing { deadline, .. } => Some(deadline),
            Step::None | Step::Done(_) => None,
        }
    }
}
