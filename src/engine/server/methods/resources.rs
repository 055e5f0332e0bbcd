//! `resources/read`, `resources/subscribe`, `resources/unsubscribe` (MCP resources).

use super::params::strings;
use super::{invalid_params, refuse};
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Written};
use crate::engine::server::reply::{Reply, To};
use crate::engine::server::{Context, Handler, Parts, ResourceRead, ResourceReply, Server};
use crate::json::JsonStr;
use crate::mcp::Text;
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
    pub(in crate::engine::server) fn read_resource(
        &mut self,
        context: &Context<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        let Ok([Some(uri)]) = strings(context.params, ["uri"]) else {
            return invalid_params(out, context);
        };
        let read = ResourceRead {
            context: *context,
            uri,
        };
        let mut reply = ResourceReply::new(out, &To::request(context), Text::Json(uri));
        let outcome = self.handler.read_resource(read, &mut reply);
        let settled = reply.settle(outcome, &self.list_tail(context));
        self.conclude(context, settled, out)
    }

    pub(in crate::engine::server) fn subscribe(
        &mut self,
        context: &Context<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        let Ok([Some(uri)]) = strings(context.params, ["uri"]) else {
            return invalid_params(out, context);
        };
        if !self.knows(uri) {
            return answer::not_found(out, context);
        }
        if self.subscriptions.subscribe(uri).is_err() {
            return refuse(out, context, ErrorCode::INTERNAL_ERROR, "Server busy");
        }
        answer::empty(out, context.id, &self.tail(context.version))
    }

    pub(in crate::engine::server) fn unsubscribe(
        &mut self,
        context: &Context<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        let Ok([Some(uri)]) = strings(context.params, ["uri"]) else {
            return invalid_params(out, context);
        };
        self.subscriptions.unsubscribe(uri);
        answer::empty(out, context.id, &self.tail(context.version))
    }

    /// Whether the resource is listed, or one of a listed template.
    pub(in crate::engine::server) fn knows(&self, uri: JsonStr<'_>) -> bool {
        let mut resources = self.handler.resources().iter();
        let mut templates = self.handler.resource_templates().iter();
        resources.any(|resource| uri == resource.uri())
            || templates.any(|template| template.template().matches(uri))
    }
}
