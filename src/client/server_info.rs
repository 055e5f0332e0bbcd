//! The server of a connection, as it describes itself.

use std::string::{String, ToString};

use super::owned::{OwnedValue, text};
use crate::engine::client::Connected;
use crate::json::{JsonStr, Object};
use crate::mcp::ProtocolVersion;

/// Description of a server by itself, from the handshake (MCP lifecycle, `serverInfo`).
#[derive(Debug, Clone)]
pub struct ServerInfo {
    protocol_version: ProtocolVersion,
    name: String,
    title: Option<String>,
    version: String,
    instructions: Option<String>,
    info: OwnedValue,
    capabilities: OwnedValue,
}

impl ServerInfo {
    pub(super) fn of(server: &Connected<'_>) -> Self {
        let info = server.server_info().unwrap_or(Object::EMPTY);
        Self {
            protocol_version: server.version(),
            name: text(info, "name").unwrap_or_default(),
            title: text(info, "title"),
            version: text(info, "version").unwrap_or_default(),
            instructions: server.instructions().map(|text: JsonStr<'_>| text.to_string()),
            info: OwnedValue::of(info.as_value()),
            capabilities: OwnedValue::of(server.capabilities().as_value()),
        }
    }

    /// Revision of the connection.
    pub const fn protocol_version(&self) -> ProtocolVersion {
        self.protocol_version
    }

    /// Name of the server. Empty if it has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Name for people.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Version of the server. Empty if it has none.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Instructions for a model.
    pub fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    /// All members of `serverInfo`.
    pub fn object(&self) -> Object<'_> {
        self.info.object()
    }

    /// The capabilities as JSON.
    pub fn capabilities(&self) -> Object<'_> {
        self.capabilities.object()
    }
}
