//! Identity and capabilities of the client in its messages.

use super::bound::BoundClient;
use super::handler::ClientHandler;
use super::ids::IdSource;
use super::parts::{ClientParts, is_modern, of_parts};
use super::storage::{ClientStorage, IdOf};
use crate::json::Writer;
use crate::mcp::{LoggingLevel, ProtocolVersion, keys};

impl<S: ClientStorage, H: ClientHandler + ?Sized> BoundClient<'_, S, H> {
    /// Writes the member `_meta`, unless it would be empty.
    pub(super) fn write_meta(
        &self,
        json: &mut Writer<'_, '_>,
        version: ProtocolVersion,
        log_level: Option<LoggingLevel>,
        progress_token: Option<&IdOf<S>>,
    ) {
        let is_modern = is_modern::<S::Parts>(version);
        if !is_modern && progress_token.is_none() {
            return;
        }
        json.name("_meta").begin_object();
        if is_modern {
            json.name(keys::PROTOCOL_VERSION).string(version.as_str());
            let names = [keys::CLIENT_CAPABILITIES, keys::CLIENT_INFO];
            self.write_client(json, names, version);
            if let Some(level) = log_level.filter(|_| S::Parts::LOGGING) {
                json.name(keys::LOG_LEVEL).string(level.as_str());
            }
        }
        if let Some(token) = progress_token {
            json.name(keys::PROGRESS_TOKEN);
            S::Ids::with_id(token, |id| id.write(json));
        }
        json.end_object();
    }

    /// Writes the capabilities and the identity of the client as members of these names.
    pub(super) fn write_client(
        &self,
        json: &mut Writer<'_, '_>,
        [capabilities, info]: [&str; 2],
        version: ProtocolVersion,
    ) {
        let offered = of_parts::<S::Parts>(self.app.capabilities());
        offered.write(json.name(capabilities), version);
        self.app.info().write(json.name(info), version);
    }
}
