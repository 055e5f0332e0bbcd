//! What a server has said of itself in the handshake.

use barewire::json::{JsonStr, RawValue};
use barewire::mcp::ProtocolVersion;

use super::reply::Reply;

/// What the server has declared: its answer to `initialize`.
pub(super) struct Declared(pub(super) Reply);

impl Declared {
    pub(super) fn has(&self, capability: &str) -> bool {
        let capabilities = self
            .0
            .result()
            .and_then(|result| result.get("capabilities"))
            .and_then(RawValue::as_object);
        capabilities.is_some_and(|capabilities| capabilities.get(capability).is_some())
    }

    pub(super) fn version(&self) -> Option<String> {
        let version = self.0.result()?.get("protocolVersion")?.as_string()?;
        version.as_str().map(str::to_owned)
    }
}

/// The revision of that name, if it is one.
pub(super) fn known(version: Option<&str>) -> Option<ProtocolVersion> {
    version
        .and_then(JsonStr::from_escaped)
        .and_then(ProtocolVersion::from_name)
}
