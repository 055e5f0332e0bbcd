//! The capabilities that methods need.

use super::{Capabilities, ClientCapabilities, Method, ProtocolVersion};

impl Capabilities {
    /// Whether the server offers the capabilities that `method` needs in `version`. Requests that servers send need none.
    pub fn offers(self, method: Method, version: ProtocolVersion) -> bool {
        self.has(method.server_needs().in_era(version.era()))
    }
}

impl ClientCapabilities {
    /// Whether the client has a capability that `method` needs, a request or a notification that not every client has.
    pub(crate) fn offers(self, method: Method) -> bool {
        self.has_any(method.client_needs())
    }
}
