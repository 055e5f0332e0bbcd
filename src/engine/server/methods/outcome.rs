//! What a handler made of a call, and what that is on the wire.

use super::{invalid_params, refuse};
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Written};
use crate::engine::server::reply::{Finished, Reply, Settled, To};
use crate::engine::server::{CallError, CallToken, Context, Event, Handler, Parts, Server, ToolReply};
use crate::mcp::Method;
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
    /// Writes what a call of the handler came to, or keeps the call.
    pub(in crate::engine::server) fn conclude(
        &mut self,
        context: &Context<'_>,
        settled: Settled<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        match settled {
            Settled::Finished(finished) => self.finished(context, finished, out),
            Settled::Deferred(token, progress) => self.keep(context, token, progress, out),
            Settled::Refused(error) => self.refuse_call(context, &error, out),
        }
    }

    /// A tool's reply that does not fit is replaced by a tool error, that and any other by a protocol error.
    pub(in crate::engine::server) fn finished(
        &mut self,
        context: &Context<'_>,
        finished: Finished,
        out: &mut Sink<'_>,
    ) -> Written {
        match finished {
            Finished::Written => Written::Yes,
            Finished::Misuse(what) => self.misuse(context, what, out),
            Finished::TooLarge if context.method == Method::ToolsCall => {
                let mut reply = ToolReply::new(out, &To::request(context));
                reply.fail(&["Result too large"]);
                match reply.finish(&self.tail(context.version)) {
                    Finished::Written => Written::Yes,
                    _ => answer::too_large(out, context.id),
                }
            }
            Finished::TooLarge => answer::too_large(out, context.id),
        }
    }

    fn misuse(&mut self, context: &Context<'_>, what: &'static str, out: &mut Sink<'_>) -> Written {
        self.handler.event(Event::Misuse(what));
        refuse(out, context, ErrorCode::INTERNAL_ERROR, "Internal error")
    }

    /// Keeps a call that the handler deferred.
    fn keep(
        &mut self,
        context: &Context<'_>,
        token: CallToken,
        progress: Option<i64>,
        out: &mut Sink<'_>,
    ) -> Written {
        if context.deferral != Ok(token) {
            return self.misuse(context, "a deferral without this call's token", out);
        }
        match self.calls.insert(context, progress) {
            Ok(()) => Written::Yes,
            Err(error) => self.refuse_call(context, &error, out),
        }
    }

    /// What a handler's error is on the wire; a tool's own failure is no matter of this.
    pub(in crate::engine::server) fn refuse_call(
        &self,
        context: &Context<'_>,
        error: &CallError<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        match *error {
            CallError::Refused { code, message, data } => {
                answer::error(out, context.id, code, message, |json| {
                    if let Some(data) = data {
                        json.name("data").raw(data);
                    }
                })
            }
            CallError::InvalidParams => invalid_params(out, context),
            CallError::NotFound => answer::not_found(out, context),
            CallError::Failed(_) | CallError::Internal => {
                refuse(out, context, ErrorCode::INTERNAL_ERROR, "Internal error")
            }
            CallError::Busy => refuse(out, context, ErrorCode::INTERNAL_ERROR, "Server busy"),
            CallError::IdTooLong => refuse(out, context, ErrorCode::INTERNAL_ERROR, "Request id too long"),
        }
    }
}
