//! `resources/read`, `resources/subscribe`, `resources/unsubscribe` (MCP resources).

use core::sync::atomic::AtomicBool;

use super::params::{Malformed, strings};
use super::{Turn, apart, invalid_params, not_kept};
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Tail, Written};
use crate::engine::server::reply::{Reply, Settled};
use crate::engine::server::{
    CallError, Context, Disposition, Handler, Parts, ResourceRead, ResourceReply, Server,
};
use crate::json::JsonStr;
use crate::mcp::Text;

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
    #[inline(never)]
    pub(in crate::engine::server) fn read_resource(
        &mut self,
        context: &Context<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        let Ok([Some(uri)]) = strings(context.params, ["uri"]) else {
            return invalid_params(out, context);
        };
        let read = ResourceRead { context, uri };
        match self.turn(context, uri, &AtomicBool::new(false), read) {
            Ok(turn) => self.run_read(turn, None, out),
            Err(Malformed) => invalid_params(out, context),
        }
    }

    /// Lets the handler answer a read.
    #[inline(never)]
    pub(in crate::engine::server) fn run_read<'a>(
        &mut self,
        turn: Turn<'a, ResourceRead<'a>>,
        progress: Option<i64>,
        out: &mut Sink<'_>,
    ) -> Written {
        let (context, uri) = match &turn {
            Turn::First(read) => (read.context, read.uri),
            Turn::Again(resumed) => (resumed.context, resumed.subject),
        };
        let mut memory = [0; TEXT];
        let settled = apart::<P, _>(|| {
            let mut asking = self.asking(context, uri, &mut memory);
            let mut reply = ResourceReply::new(out, context, progress, asking.as_mut(), Text::Json(uri));
            let outcome = match turn {
                Turn::First(read) => self.handler.read_resource(read, &mut reply),
                Turn::Again(resumed) if P::ASKING => {
                    resumed.judged(self.handler.resume_read(resumed, &mut reply))
                }
                Turn::Again(_) => Ok(Disposition::Done),
            };
            reply.settle(outcome, &Tail::<_, P>::cacheable(&self.handler, context.version))
        });
        match settled {
            // The params, which have the URI, may be gone.
            Settled::Refused(CallError::NotFound) => {
                self.spend(context);
                answer::resource_not_found(out, &context.id, context.version, Text::Json(uri))
            }
            settled => self.conclude(context, settled, &memory, out),
        }
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
            return answer::not_found::<P>(out, context);
        }
        match self.subscriptions.subscribe(uri) {
            Ok(()) => self.empty(context, out),
            Err(reason) => not_kept(out, context, reason),
        }
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
        self.empty(context, out)
    }

    /// Whether the resource is listed, or one of a listed template.
    pub(in crate::engine::server) fn knows(&self, uri: JsonStr<'_>) -> bool {
        let mut resources = self.handler.resources().iter();
        let mut templates = self.handler.resource_templates().iter();
        resources.any(|resource| uri == resource.uri())
            || templates.any(|template| template.template().matches(uri))
    }
}
