//! `resources/read`, `resources/subscribe`, `resources/unsubscribe` (MCP resources).

use super::params::strings;
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Written, invalid_params};
use crate::engine::server::engine::Engine;
use crate::engine::server::run::Turn;
use crate::engine::server::settle::{not_found, not_kept};
use crate::engine::server::storage::Watcher;
use crate::engine::server::{Context, Handler, Parts, ResourceRead};
use crate::json::JsonStr;
use crate::mcp::Text;
use crate::rpc::ErrorCode;

impl<H: Handler + ?Sized, P: Parts> Engine<'_, H, P> {
    pub(super) fn read_resource(&mut self, context: &mut Context<'_>, out: &mut Sink<'_>) -> Written {
        let Ok([Some(uri)]) = strings(context.params, ["uri"]) else {
            return invalid_params(out, &context.id);
        };
        context.uri = Text::Json(uri);
        self.call(context, &Turn::Read(ResourceRead { context, uri }), out)
    }

    pub(super) fn subscribe(&mut self, context: &mut Context<'_>, out: &mut Sink<'_>) -> Written {
        let Ok([Some(uri)]) = strings(context.params, ["uri"]) else {
            return invalid_params(out, &context.id);
        };
        if !self.knows(uri) {
            context.uri = Text::Json(uri);
            return not_found::<P>(out, context);
        }
        let session = context.origin.session();
        let Some(session) = session.filter(|_| self.state.session(session).is_some()) else {
            return answer::error(out, &context.id, ErrorCode::INTERNAL_ERROR, "Server busy");
        };
        match self.state.watch(Watcher::Session(session), uri) {
            Ok(_) => self.empty(context, out),
            Err(reason) => not_kept(out, context, reason),
        }
    }

    pub(super) fn unsubscribe(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let Ok([Some(uri)]) = strings(context.params, ["uri"]) else {
            return invalid_params(out, &context.id);
        };
        if let Some(session) = context.origin.session() {
            self.state.unwatch(Watcher::Session(session), uri);
        }
        self.empty(context, out)
    }

    /// Whether the resource is listed, or fits a listed template.
    fn knows(&self, uri: JsonStr<'_>) -> bool {
        let mut resources = self.app.resources().iter();
        let mut templates = self.app.resource_templates().iter();
        resources.any(|resource| uri == resource.uri())
            || templates.any(|template| template.template().matches(uri))
    }
}
