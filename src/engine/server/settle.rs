//! From the outcome of a call to the line on the wire.

use super::answer::{self, Written};
use super::application::Application;
use super::close::Extra;
use super::outcome::{Made, Outcome};
use super::reply::{AskFault, Draft, Part};
use super::{CallError, CallToken, Context, Event, Handler, NotKept, Parts, TaskToken};
use crate::bytes::{Mark, Sink};
use crate::json::Writer;
use crate::mcp::{ClientCapabilities, Feature, Method, ProtocolVersion, begin_text};
use crate::rpc::{ErrorCode, RequestId};

/// Work left after a call of the handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settled {
    /// Nothing: the answer is written.
    Answered(Written),
    /// Keep the question to a legacy client, which has this length.
    Asked(usize),
    /// Keep the call.
    Deferred(CallToken),
    /// Keep the task.
    Task(TaskToken),
}

impl<H: Handler + ?Sized> Application<'_, H> {
    /// Ends the line that the handler has begun, or replaces it: by a shorter answer if it does not fit, by an error if the call has failed.
    pub(super) fn settle<P: Parts>(
        &mut self,
        context: &Context<'_>,
        outcome: Result<Outcome, CallError<'_>>,
        draft: &Draft,
        extra: Extra<'_>,
        out: &mut Sink<'_>,
    ) -> Settled {
        #[cfg(feature = "std")]
        if draft.has_refused {
            self.progress_refused();
        }
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                out.rollback(draft.start);
                return Settled::Answered(self.refuse_call::<P>(context, &error, out));
            }
        };
        if let Some(what) = draft.misuse_of(outcome) {
            out.rollback(draft.start);
            return Settled::Answered(self.misuse(context, what, out));
        }
        match outcome.0 {
            Made::Result | Made::ToolError => {
                Settled::Answered(self.end_result::<P>(context, draft, extra, out))
            }
            Made::Error => Settled::Answered(match answer::is_whole(out, draft.start) {
                true => Written::Yes,
                false => {
                    self.too_large(context);
                    answer::too_large(out, &context.id)
                }
            }),
            Made::Asked if P::ASKING => self.end_questions::<P>(context, draft, out),
            Made::Asked => Settled::Answered(Written::Yes),
            Made::Deferred(token) => {
                out.rollback(draft.start);
                Settled::Deferred(token)
            }
            Made::Task(token) => {
                out.rollback(draft.start);
                Settled::Task(token)
            }
        }
    }

    /// Closes a result. A tool's result that does not fit is replaced by a tool error, that and any other by a protocol error.
    fn end_result<P: Parts>(
        &self,
        context: &Context<'_>,
        draft: &Draft,
        extra: Extra<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        let mut json = Writer::resumed(out, draft.has_members);
        match draft.part == Part::Meta {
            true => self.close_in_meta::<P>(&mut json, context.version, extra),
            false => self.close::<P>(&mut json, context.version, extra),
        }
        if answer::is_whole(out, draft.start) {
            return Written::Yes;
        }
        self.too_large(context);
        match context.method {
            Method::ToolsCall | Method::TasksResult => self.tool_too_large::<P>(context, extra, out),
            _ => answer::too_large(out, &context.id),
        }
    }

    /// The tool error in place of a result that does not fit.
    pub(super) fn tool_too_large<P: Parts>(
        &self,
        context: &Context<'_>,
        extra: Extra<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        self.tool_failure::<P>(context, &["Result too large"], extra, out).instead()
    }

    /// A tool error of the engine. Written by hand: a reply writer would be on the stack below most errors.
    pub(super) fn tool_failure<P: Parts>(
        &self,
        context: &Context<'_>,
        text: &[&str],
        extra: Extra<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        let start = out.mark();
        let mut json = Writer::new(out);
        answer::begin(&mut json, &context.id, context.version);
        json.name("content").begin_array();
        begin_text(&mut json);
        json.string(text).end_object().end_array();
        json.name("isError").boolean(true);
        self.close::<P>(&mut json, context.version, extra);
        match answer::is_whole(out, start) {
            true => Written::Yes,
            false => answer::too_large(out, &context.id),
        }
    }

    /// Ends the questions of a call.
    fn end_questions<P: Parts>(
        &mut self,
        context: &Context<'_>,
        draft: &Draft,
        out: &mut Sink<'_>,
    ) -> Settled {
        if let Some(fault) = draft.fault {
            out.rollback(draft.start);
            return Settled::Answered(match fault {
                AskFault::Missing(missing) => self.missing_capability::<P>(context, &missing, out),
                AskFault::NotKept(reason) => {
                    if reason == NotKept::StateTooLong {
                        self.event(Event::Misuse(STATE_TOO_LONG));
                    }
                    not_kept(out, context, reason)
                }
            });
        }
        if context.is_modern() {
            self.close::<P>(&mut Writer::resumed(out, true), context.version, Extra::Nothing);
        }
        match answer::is_whole(out, draft.start) {
            true if context.is_modern() => Settled::Answered(Written::Yes),
            true => Settled::Asked(draft.kept),
            false => {
                self.too_large(context);
                Settled::Answered(answer::too_large(out, &context.id))
            }
        }
    }

    /// The error of a handler as a line.
    pub(super) fn refuse_call<P: Parts>(
        &self,
        context: &Context<'_>,
        error: &CallError<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        if context.method == Method::ToolsCall
            && let Some(text) = error.tool_error()
        {
            // A client that accepts nothing but a task gets no result in its place.
            return match context.task.is_asked {
                true => answer::error(out, &context.id, ErrorCode::INTERNAL_ERROR, text),
                false => self.tool_failure::<P>(context, &[text], Extra::Nothing, out),
            };
        }
        match error {
            CallError::NotFound => not_found::<P>(out, context),
            CallError::MissingCapability(missing) => self.missing_capability::<P>(context, missing, out),
            _ => {
                let (code, message, data) = error.in_version(context.version);
                match data {
                    Some(data) => answer::error_with(out, &context.id, code, message, |json| {
                        json.raw(data);
                    }),
                    None => answer::error(out, &context.id, code, message),
                }
            }
        }
    }

    pub(super) fn missing_capability<P: Parts>(
        &self,
        context: &Context<'_>,
        missing: &ClientCapabilities,
        out: &mut Sink<'_>,
    ) -> Written {
        let error = CallError::MissingCapability(*missing);
        let (_, text, _) = error.in_version(context.version);
        let code = match context.is_modern() {
            true => ErrorCode::MISSING_CLIENT_CAPABILITY,
            // A client that accepts nothing but a task gets no result in its place.
            false if context.method == Method::ToolsCall && !context.task.is_asked => {
                let text = [text, ": ", missing.name()];
                return self.tool_failure::<P>(context, &text, Extra::Nothing, out);
            }
            false => ErrorCode::INTERNAL_ERROR,
        };
        answer::error_with(out, &context.id, code, text, |json| {
            write_missing(json, missing);
        })
    }

    /// Replaces an answer by an internal error, if the application has panicked where it could not report that.
    pub(super) fn unless_failed(
        &self,
        written: Written,
        start: Mark,
        id: &RequestId<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        if !self.take_failure() {
            return written;
        }
        out.rollback(start);
        answer::error(out, id, ErrorCode::INTERNAL_ERROR, "Internal error")
    }

    pub(super) fn misuse(
        &mut self,
        context: &Context<'_>,
        what: &'static str,
        out: &mut Sink<'_>,
    ) -> Written {
        self.event(Event::Misuse(what));
        answer::error(out, &context.id, ErrorCode::INTERNAL_ERROR, "Internal error")
    }
}

/// Text of the event for a state that does not fit; it names the capacity.
const STATE_TOO_LONG: &str = "an input request and its state do not fit the `BYTES` of the storage";

/// The data of the error for a capability that the client has not declared.
pub(super) fn write_missing(json: &mut Writer<'_, '_>, missing: &ClientCapabilities) {
    json.begin_object();
    // In the words of the latest revision: an older one may have none for a capability that its clients cannot have.
    missing.write(json.name("requiredCapabilities"), ProtocolVersion::LATEST_MODERN);
    json.end_object();
}

/// The error for something that does not fit the storage.
pub(super) fn not_kept(out: &mut Sink<'_>, context: &Context<'_>, reason: NotKept) -> Written {
    let (code, text) = reason.to_error();
    answer::error(out, &context.id, code, text)
}

/// The error for something that does not exist, by the method of the request.
pub(super) fn not_found<P: Parts>(out: &mut Sink<'_>, context: &Context<'_>) -> Written {
    let text = match context.method {
        Method::ToolsCall => "Unknown tool",
        Method::PromptsGet => "Unknown prompt",
        method if method == Method::CompletionComplete || !P::RESOURCES => "Invalid params",
        _ => return resource_not_found(out, context),
    };
    answer::error(out, &context.id, ErrorCode::INVALID_PARAMS, text)
}

/// Where results have a type, the code is another one, and the error names the resource.
fn resource_not_found(out: &mut Sink<'_>, context: &Context<'_>) -> Written {
    let text = "Resource not found";
    if !context.version.has(Feature::ResultType) {
        return answer::error(out, &context.id, ErrorCode::RESOURCE_NOT_FOUND, text);
    }
    answer::error_with(out, &context.id, ErrorCode::INVALID_PARAMS, text, |json| {
        json.begin_object().name("uri");
        context.uri.write(json);
        json.end_object();
    })
}
