//! `initialize`, `server/discover`, `logging/setLevel` (MCP lifecycle, versioning, logging).

use super::params::strings;
use super::{invalid_params, refuse, write_supported};
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Tail, Written};
use crate::engine::server::{Context, Event, Handler, Parts, Server};
use crate::json::{RawValue, Writer};
use crate::mcp::{ClientCapabilities, Era, LoggingLevel, PackedCapabilities, ProtocolVersion};
use crate::rpc::ErrorCode;

impl<
    H: Handler + ?Sized,
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const ID: usize,
    const TEXT: usize,
    const TASKS: usize,
> Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>
{
    /// The legacy handshake: the requested revision if it is one with a handshake, else the newest of those.
    #[inline(never)]
    pub(in crate::engine::server) fn initialize(
        &mut self,
        context: &Context<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        if self.session.version.is_some() && !self.options.restart {
            return refuse(out, context, ErrorCode::INVALID_REQUEST, "Already initialized");
        }
        let Ok([Some(requested)]) = strings(context.params, ["protocolVersion"]) else {
            return invalid_params(out, context);
        };
        let client = context.params.filter(|_| P::ASKING);
        let client = client.map(|params| params.get_once("capabilities")).transpose();
        let Ok(client) = client else {
            return invalid_params(out, context);
        };
        let client = client.flatten().and_then(RawValue::as_object);
        if client.is_some_and(|client| !client.as_value().has_unique_names()) {
            return invalid_params(out, context);
        }
        let version = ProtocolVersion::from_name(requested)
            .filter(|version| version.era() == Era::Legacy)
            .unwrap_or(ProtocolVersion::LATEST_LEGACY);
        let mark = out.mark();
        let mut json = Writer::new(out);
        answer::begin(&mut json, &context.id, version);
        json.name("protocolVersion").string(version.as_str());
        self.write_capabilities(&mut json, version);
        answer::write_info(json.name("serverInfo"), &self.handler, version);
        self.write_instructions(&mut json);
        Tail::<_, P>::new(&self.handler, version).write(&mut json);
        if out.is_full() || self.handler.has_failed() {
            out.rollback(mark);
            return answer::too_large(out, &context.id);
        }
        if self.options.restart {
            // The peer of before is gone, with what it had in flight and what it listened to.
            self.reset();
        }
        self.session.version = Some(version);
        self.session.client = client.map_or(PackedCapabilities::NONE, |client| {
            ClientCapabilities::from_object(client).packed()
        });
        self.handler.event(Event::Initialized(version));
        Written::Yes
    }

    /// Behind one call, so that the compiler sees which of them a server of these parts never has.
    #[inline(never)]
    fn write_capabilities(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        let mut offered = self.offered();
        // In the modern era a change is told of in a subscription, or not at all.
        let has_changes = P::SUBSCRIPTIONS || version.era() == Era::Legacy;
        offered.tools_list_changed &= has_changes;
        offered.resources_list_changed &= has_changes;
        offered.prompts_list_changed &= has_changes;
        offered.write(json.name("capabilities"), version);
    }

    pub(in crate::engine::server) fn write_instructions(&self, json: &mut Writer<'_, '_>) {
        if let Some(instructions) = self.handler.instructions() {
            json.name("instructions").string(instructions);
        }
    }

    #[inline(never)]
    pub(in crate::engine::server) fn discover(&self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let mark = out.mark();
        let mut json = Writer::new(out);
        answer::begin(&mut json, &context.id, context.version);
        write_supported(&mut json, "supportedVersions");
        self.write_capabilities(&mut json, context.version);
        self.write_instructions(&mut json);
        Tail::<_, P>::cacheable(&self.handler, context.version).write(&mut json);
        if out.is_full() {
            out.rollback(mark);
            return answer::too_large(out, &context.id);
        }
        Written::Yes
    }

    pub(in crate::engine::server) fn set_level(
        &mut self,
        context: &Context<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        let level = match strings(context.params, ["level"]) {
            Ok([Some(name)]) => LoggingLevel::from_name(name),
            _ => None,
        };
        let Some(level) = level else {
            return invalid_params(out, context);
        };
        self.session.log_level = Some(level);
        self.empty(context, out)
    }
}
