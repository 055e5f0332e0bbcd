//! Judgement of a request by its head alone.

use super::Principal;
use super::field::{SessionField, VersionField};

/// A request whose head was accepted: its body may be read now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admitted {
    pub(super) purpose: Purpose,
    pub(super) principal: Principal,
    /// `Mcp-Session-Id`.
    pub(super) session: SessionField,
    /// `MCP-Protocol-Version`.
    pub(super) version: VersionField,
}

/// Purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Purpose {
    /// A message (POST), for [`Endpoint::receive`](super::Endpoint::receive).
    Message,
    /// The standing stream of a legacy session (GET), for [`Endpoint::open_stream`](super::Endpoint::open_stream).
    Stream,
    /// The end of a legacy session (DELETE), for [`Endpoint::end_session`](super::Endpoint::end_session).
    EndSession,
    /// A preflight of a browser (OPTIONS).
    Preflight,
    /// The protected-resource metadata (GET).
    Metadata,
}

impl Admitted {
    /// Purpose of the request.
    pub const fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Identity of the client.
    pub const fn principal(&self) -> Principal {
        self.principal
    }
}
