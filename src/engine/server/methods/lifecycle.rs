//! `initialize`, `server/discover`, `logging/setLevel` (MCP lifecycle, versioning, logging).

use super::params::strings;
use super::write_supported;
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Written, invalid_params};
use crate::engine::server::close::Extra;
use crate::engine::server::engine::Engine;
use crate::engine::server::storage::SessionPhase;
use crate::engine::server::{Context, Event, Handler, Origin, Parts};
use crate::json::{RawValue, Writer};
use crate::mcp::{Capabilities, ClientCapabilities, Era, LoggingLevel, ProtocolVersion};
use crate::rpc::ErrorCode;

impl<H: Handler + ?Sized, P: Parts> Engine<'_, H, P> {
    /// The legacy handshake: the requested revision if it is one with a handshake, else the newest of those.
    pub(super) fn initialize(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let place = context.origin.session();
        let restarts = self.state.core.options.restart;
        if self.state.version(place).is_some() && !restarts {
            let text = "Already initialized";
            return answer::error(out, &context.id, ErrorCode::INVALID_REQUEST, text);
        }
        if self.state.session(place).is_none() {
            return answer::error(out, &context.id, ErrorCode::INTERNAL_ERROR, "Server busy");
        }
        let Ok([Some(requested)]) = strings(context.params, ["protocolVersion"]) else {
            return invalid_params(out, &context.id);
        };
        let client = context.params.filter(|_| P::ASKING);
        let client = client.map(|params| params.get_once("capabilities")).transpose();
        let Ok(client) = client else {
            return invalid_params(out, &context.id);
        };
        let client = client.flatten().and_then(RawValue::as_object);
        if client.is_some_and(|client| !client.as_value().has_unique_names()) {
            return invalid_params(out, &context.id);
        }
        let version = ProtocolVersion::from_name(requested)
            .filter(|version| version.era() == Era::Legacy)
            .unwrap_or(ProtocolVersion::LATEST_LEGACY);
        let mark = out.mark();
        let mut json = Writer::new(out);
        answer::begin(&mut json, &context.id, version);
        json.name("protocolVersion").string(version.as_str());
        self.write_capabilities(&mut json, context.origin, version);
        self.app.write_info(json.name("serverInfo"), version);
        self.write_instructions(&mut json);
        self.app.close::<P>(&mut json, version, Extra::Nothing);
        if out.is_full() || self.app.has_failed() {
            out.rollback(mark);
            return answer::too_large(out, &context.id);
        }
        if restarts {
            // The peer of before is gone, with its requests in flight and its subscriptions.
            self.end_stream_of(context.origin);
        }
        if let Some(session) = self.state.session_mut(place) {
            session.phase = SessionPhase::Negotiated(version);
            session.client =
                client.map_or(ClientCapabilities::NONE, |client| ClientCapabilities::from_object(client));
        }
        self.app.event(Event::Initialized(version));
        Written::Yes
    }

    /// Behind one call, so that the compiler sees which of them a server of these parts never has.
    fn write_capabilities(&self, json: &mut Writer<'_, '_>, origin: Origin, version: ProtocolVersion) {
        let mut offered = self.offered(origin);
        // In the modern era changes are sent to subscriptions only.
        let has_changes = P::SUBSCRIPTIONS || version.era() == Era::Legacy;
        if !has_changes {
            offered = offered.without(Capabilities::LIST_CHANGES);
        }
        offered.write(json.name("capabilities"), version);
    }

    pub(super) fn write_instructions(&self, json: &mut Writer<'_, '_>) {
        if let Some(instructions) = self.app.instructions() {
            json.name("instructions").string(instructions);
        }
    }

    pub(super) fn discover(&self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let mark = out.mark();
        let mut json = Writer::new(out);
        answer::begin(&mut json, &context.id, context.version);
        write_supported(&mut json, "supportedVersions");
        self.write_capabilities(&mut json, context.origin, context.version);
        self.write_instructions(&mut json);
        let extra = Extra::CacheHints;
        self.app.close::<P>(&mut json, context.version, extra);
        if out.is_full() {
            out.rollback(mark);
            return answer::too_large(out, &context.id);
        }
        Written::Yes
    }

    pub(super) fn set_level(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let level = match strings(context.params, ["level"]) {
            Ok([Some(name)]) => LoggingLevel::from_name(name),
            _ => None,
        };
        let Some(level) = level else {
            return invalid_params(out, &context.id);
        };
        if let Some(session) = self.state.session_mut(context.origin.session()) {
            session.log_level = Some(level);
        }
        self.empty(context, out)
    }
}
