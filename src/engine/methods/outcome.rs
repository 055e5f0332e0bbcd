//! What a handler made of a call, and what that is on the wire.

use super::{invalid_params, refuse};
use crate::bytes::Sink;
use crate::engine::answer::{self, Written};
use crate::engine::reply::{Finished, To};
use crate::engine::{CallError, CallToken, Context, Event, Handler, Server, ToolReply};
use crate::rpc::ErrorCode;

impl<H: Handler + ?Sized, const CALLS: usize, const SUBSCRIPTIONS: usize, const ID: usize, const URI: usize>
    Server<H, CALLS, SUBSCRIPTIONS, ID, URI>
{
    /// The end of a tool's reply: one that does not fit is replaced by a tool error, that by a protocol error.
    pub(in crate::engine) fn finish_tool(
        &mut self,
        out: &mut Sink<'_>,
        to: &To<'_>,
        finished: Finished,
    ) -> Written {
        match finished {
            Finished::Written => Written::Yes,
            Finished::Misuse(what) => self.misuse(out, to, what),
            Finished::TooLarge => {
                let mut reply = ToolReply::new(out, to);
                reply.fail(&["Result too large"]);
                match reply.finish(&self.tail(to.version)) {
                    Finished::Written => Written::Yes,
                    _ => answer::too_large(out, to.id),
                }
            }
        }
    }

    /// The end of any other reply.
    pub(in crate::engine) fn finish_other(
        &mut self,
        out: &mut Sink<'_>,
        to: &To<'_>,
        finished: Finished,
    ) -> Written {
        match finished {
            Finished::Written => Written::Yes,
            Finished::Misuse(what) => self.misuse(out, to, what),
            Finished::TooLarge => answer::too_large(out, to.id),
        }
    }

    pub(in crate::engine) fn misuse(
        &mut self,
        out: &mut Sink<'_>,
        to: &To<'_>,
        what: &'static str,
    ) -> Written {
        self.handler.event(Event::Misuse(what));
        answer::error(out, to.id, ErrorCode::INTERNAL_ERROR, "Internal error", |_| {})
    }

    /// Keeps a call that the handler deferred.
    pub(in crate::engine) fn keep(
        &mut self,
        context: &Context<'_>,
        token: CallToken,
        progress: Option<i64>,
        out: &mut Sink<'_>,
    ) -> Written {
        if context.deferral != Ok(token) {
            return self.misuse(out, &To::request(context), "a deferral without this call's token");
        }
        match self.calls.insert(context, progress) {
            Ok(()) => Written::Yes,
            Err(error) => self.refuse_call(context, &error, out),
        }
    }

    /// What a handler's error is on the wire; a tool's own failure is no matter of this.
    pub(in crate::engine) fn refuse_call(
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
