//! What a handler made of a call, and what that is on the wire.

use super::refuse;
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Tail, Written};
use crate::engine::server::reply::{Finished, Reply, Settled};
use crate::engine::server::{
    CallError, CallToken, Context, Event, Handler, NotKept, Parts, Server, ToolReply,
};
use crate::json::Writer;
use crate::mcp::{ClientCapabilities, Feature, Method, ProtocolVersion};
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
        kept: &[u8],
        out: &mut Sink<'_>,
    ) -> Written {
        let is_done = matches!(settled, Settled::Finished(_));
        let written = match settled {
            Settled::Finished(finished) | Settled::Failed(finished) => self.finished(context, finished, out),
            Settled::Deferred(token, progress) => self.keep(context, token, progress, out),
            // Without that part of the server, no handler can have asked.
            Settled::Asked { .. } if !P::ASKING || !P::LEGACY => Written::Yes,
            Settled::Asked {
                kept: length,
                progress,
            } => {
                let kept = kept.get(..length).unwrap_or_default();
                self.keep_asked(context, progress, kept, out)
            }
            Settled::Task(token, progress) => self.begin_task(context, token, progress, out),
            Settled::Refused(error) => self.refuse_call(context, &error, out),
        };
        if !is_done {
            self.spend(context);
        }
        written
    }

    /// Gives the tokens of a call to no other: work that the handler began before it failed must not answer the next one.
    pub(super) fn spend(&mut self, context: &Context<'_>) {
        self.calls.spend(context.deferral);
        self.tasks.spend(context.task.token);
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
            // Without that part of the server, no handler can have asked.
            Finished::NotKept(_) if !P::ASKING || !P::LEGACY => Written::Yes,
            Finished::NotKept(reason) => {
                self.spend(context);
                if reason == NotKept::StateTooLong {
                    self.handler.event(Event::Misuse(STATE_TOO_LONG));
                }
                not_kept(out, context, reason)
            }
            Finished::Instead => Written::Instead,
            Finished::TooLarge => answer::too_large(out, &context.id),
        }
    }

    /// A tool error that the engine makes.
    fn tool_failure(&self, context: &Context<'_>, text: &[&str], out: &mut Sink<'_>) -> Written {
        let mut reply = ToolReply::new(out, context, None, None);
        reply.fail(text);
        match reply.finish(&Tail::<_, P>::new(&self.handler, context.version)) {
            Finished::Written => Written::Yes,
            Finished::Instead => Written::Instead,
            _ => answer::too_large(out, &context.id),
        }
    }

    pub(super) fn missing_capability(
        &self,
        context: &Context<'_>,
        missing: &ClientCapabilities,
        out: &mut Sink<'_>,
    ) -> Written {
        let (_, text, _) = CallError::MissingCapability(*missing).as_error(context.version);
        let code = match context.version.has(Feature::ResultType) {
            true => ErrorCode::MISSING_CLIENT_CAPABILITY,
            // Who has asked for a task takes no result in its place.
            false if context.method == Method::ToolsCall && !context.task.is_asked => {
                return self.tool_failure(context, &[text, ": ", missing.name()], out);
            }
            false => ErrorCode::INTERNAL_ERROR,
        };
        answer::error_with(out, &context.id, code, text, |json| {
            write_missing(json, missing);
        })
    }

    pub(super) fn misuse(
        &mut self,
        context: &Context<'_>,
        what: &'static str,
        out: &mut Sink<'_>,
    ) -> Written {
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
            Err(reason) => not_kept(out, context, reason),
        }
    }

    /// What a handler's error is on the wire; a tool's own failure is no matter of this.
    pub(in crate::engine::server) fn refuse_call(
        &self,
        context: &Context<'_>,
        error: &CallError<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        match error {
            CallError::NotFound => answer::not_found::<P>(out, context),
            CallError::MissingCapability(missing) => self.missing_capability(context, missing, out),
            _ => {
                let (code, message, data) = error.as_error(context.version);
                match data {
                    Some(data) => answer::error_with(out, &context.id, code, message, |json| {
                        json.raw(data);
                    }),
                    None => answer::error(out, &context.id, code, message),
                }
            }
        }
    }
}

/// Text of the event for a state that is too long; it names the capacity.
const STATE_TOO_LONG: &str = "an input request and its state are longer than `TEXT`";

/// The data of the error for a capability that the client has not declared.
pub(super) fn write_missing(json: &mut Writer<'_, '_>, missing: &ClientCapabilities) {
    json.begin_object();
    // In the words of the latest revision: an older one may have none for what its clients cannot offer.
    missing.write(json.name("requiredCapabilities"), ProtocolVersion::LATEST_MODERN);
    json.end_object();
}

/// The error of what cannot be kept. Not as any other error of a call: those take more stack, and what is kept has a deep
/// one as it is.
pub(in crate::engine::server) fn not_kept(
    out: &mut Sink<'_>,
    context: &Context<'_>,
    reason: NotKept,
) -> Written {
    let (code, text) = reason.as_error();
    refuse(out, context, code, text)
}
