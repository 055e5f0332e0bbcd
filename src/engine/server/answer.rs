//! Results and errors, as the revision of their request has them.

use core::marker::PhantomData;

use super::{Context, Handler, Parts, UnreadableId};
use crate::bytes::{Mark, Sink};
use crate::json::{JsonStr, RawValue, Writer};
use crate::mcp::{Feature, Method, ProtocolVersion, TaskId, Text, keys};
use crate::rpc::{ErrorCode, RequestId, begin_error, begin_error_without_id, begin_result};

/// As many bytes hold an error with the id `null` and any message of the engine's own.
pub(super) const LEAST_ANSWER: usize = 96;

/// Opens the result of a request: the caller writes its own members.
pub(super) fn begin(json: &mut Writer<'_, '_>, id: &RequestId<'_>, version: ProtocolVersion) {
    begin_result(json, *id);
    json.begin_object();
    if version.has(Feature::ResultType) {
        json.verbatim(r#""resultType":"complete""#);
    }
}

/// Opens a result that asks for input (2026-07-28, multi round-trip requests).
pub(super) fn begin_input_required(json: &mut Writer<'_, '_>, id: &RequestId<'_>) {
    begin_result(json, *id);
    json.verbatim(r#"{"resultType":"input_required""#);
}

/// Opens a result that is a task (the tasks extension of 2026-07-28).
pub(super) fn begin_task(json: &mut Writer<'_, '_>, id: &RequestId<'_>) {
    begin_result(json, *id);
    json.verbatim(r#"{"resultType":"task""#);
}

/// What stands at the end of a result, of a server of these parts.
pub(super) struct Tail<'a, H: ?Sized, P> {
    handler: &'a H,
    version: ProtocolVersion,
    extra: Extra<'a>,
    parts: PhantomData<P>,
}

/// What no two results have together.
#[derive(Clone, Copy)]
enum Extra<'a> {
    Nothing,
    CacheHints,
    Subscription(&'a RequestId<'a>),
    RelatedTask(&'a TaskId),
}

impl<'a, H: Handler + ?Sized, P: Parts> Tail<'a, H, P> {
    const fn with(handler: &'a H, version: ProtocolVersion, extra: Extra<'a>) -> Self {
        Self {
            handler,
            version,
            extra,
            parts: PhantomData,
        }
    }

    pub(super) const fn new(handler: &'a H, version: ProtocolVersion) -> Self {
        Self::with(handler, version, Extra::Nothing)
    }

    /// Of a result that carries cache hints (2026-07-28).
    pub(super) const fn cacheable(handler: &'a H, version: ProtocolVersion) -> Self {
        Self::with(handler, version, Extra::CacheHints)
    }

    /// Of a subscription that ends (2026-07-28).
    pub(super) const fn of_subscription(handler: &'a H, id: &'a RequestId<'a>) -> Self {
        Self::with(handler, ProtocolVersion::LATEST_MODERN, Extra::Subscription(id))
    }

    /// Of the result of a task (2025-11-25).
    pub(super) const fn of_task(handler: &'a H, version: ProtocolVersion, task: &'a TaskId) -> Self {
        Self::with(handler, version, Extra::RelatedTask(task))
    }

    /// The same without what only this result has.
    pub(super) const fn plain(&self) -> Self {
        Self::new(self.handler, self.version)
    }

    /// Closes the result, the message and the line. A function of its own, and the handler is asked only here: who the
    /// server is need not lie on the stack while the result is made.
    #[inline(never)]
    pub(super) fn write(&self, json: &mut Writer<'_, '_>) {
        let has_type = P::MODERN && self.version.has(Feature::ResultType);
        let is_of_task = P::TASKS && matches!(self.extra, Extra::RelatedTask(_));
        if !has_type && !is_of_task {
            json.end_object();
            return end_line(json);
        }
        if has_type && matches!(self.extra, Extra::CacheHints) {
            json.verbatim(r#""ttlMs":0,"cacheScope":"private""#);
        }
        json.name("_meta").begin_object();
        self.write_in_meta(json);
    }

    /// The same, with `_meta` open already.
    pub(super) fn write_in_meta(&self, json: &mut Writer<'_, '_>) {
        if P::MODERN && self.version.has(Feature::ResultType) {
            write_info(json.name(keys::SERVER_INFO), self.handler, self.version);
        }
        match self.extra {
            Extra::Subscription(id) if P::SUBSCRIPTIONS => {
                json.name(keys::SUBSCRIPTION_ID);
                id.write(json);
            }
            Extra::RelatedTask(task) if P::TASKS => task.write_related(json),
            _ => {}
        }
        json.end_object().end_object();
        end_line(json);
    }
}

/// Who the server is. Behind one call, so that the compiler sees what an application never says.
#[inline(never)]
pub(super) fn write_info<H: Handler + ?Sized>(
    json: &mut Writer<'_, '_>,
    handler: &H,
    version: ProtocolVersion,
) {
    handler.info().write(json, version);
}

/// Closes the message and the line.
pub(super) fn end_line(json: &mut Writer<'_, '_>) {
    json.end_object();
    json.sink().write(b"\n");
}

/// The empty result.
pub(super) fn empty<H: Handler + ?Sized, P: Parts>(
    out: &mut Sink<'_>,
    id: &RequestId<'_>,
    tail: &Tail<'_, H, P>,
) -> Written {
    let mark = out.mark();
    let mut json = Writer::new(out);
    begin(&mut json, id, tail.version);
    tail.write(&mut json);
    match is_whole(json.sink(), mark) {
        true => Written::Yes,
        false => too_large(out, id),
    }
}

/// Whether there was room for a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Written {
    Yes,
    /// Only for something shorter in its place.
    Instead,
    /// Not even for an error.
    No,
}

impl Written {
    /// This was something shorter in the place of an answer.
    pub(super) fn instead(self) -> Self {
        match self {
            Self::Yes | Self::Instead => Self::Instead,
            Self::No => Self::No,
        }
    }
}

const TOO_LARGE: &str = "Response too large";

/// The error in the place of an answer that has no room; where the id has none it is `null`.
pub(super) fn too_large(out: &mut Sink<'_>, id: &RequestId<'_>) -> Written {
    let (code, text) = (ErrorCode::INTERNAL_ERROR, TOO_LARGE);
    if error_fits(out, id, code, text) {
        return Written::Instead;
    }
    unreadable(out, UnreadableId::Null, code, text).instead()
}

/// An error to a request. Where a long text has no room it is replaced by the error for that, where the id has none it is
/// `null`.
pub(super) fn error(out: &mut Sink<'_>, id: &RequestId<'_>, code: ErrorCode, text: &str) -> Written {
    if error_fits(out, id, code, text) {
        return Written::Yes;
    }
    // An application's own text may be of any length; the id matters more.
    if text.len() > TOO_LARGE.len() {
        return too_large(out, id);
    }
    unreadable(out, UnreadableId::Null, code, text).instead()
}

fn error_fits(out: &mut Sink<'_>, id: &RequestId<'_>, code: ErrorCode, text: &str) -> bool {
    let mark = out.mark();
    let mut json = Writer::new(out);
    begin_error(&mut json, Some(*id), code, text);
    end_error(&mut json, mark)
}

/// An error with data, whose value `data` writes. Without room for it there is the error for that in its place.
pub(super) fn error_with(
    out: &mut Sink<'_>,
    id: &RequestId<'_>,
    code: ErrorCode,
    text: &str,
    data: impl FnOnce(&mut Writer<'_, '_>),
) -> Written {
    let mark = out.mark();
    let mut json = Writer::new(out);
    begin_error(&mut json, Some(*id), code, text);
    data(json.name("data"));
    match end_error(&mut json, mark) {
        true => Written::Yes,
        false => too_large(out, id),
    }
}

/// An error to a line without a readable id.
pub(super) fn unreadable(out: &mut Sink<'_>, form: UnreadableId, code: ErrorCode, text: &str) -> Written {
    let mark = out.mark();
    let mut json = Writer::new(out);
    match form {
        UnreadableId::Silent => return Written::Yes,
        UnreadableId::Null => begin_error(&mut json, None, code, text),
        UnreadableId::Omit => begin_error_without_id(&mut json, code, text),
    }
    match end_error(&mut json, mark) {
        true => Written::Yes,
        false => Written::No,
    }
}

/// Closes an error, or takes it back when it does not fit.
fn end_error(json: &mut Writer<'_, '_>, start: Mark) -> bool {
    json.end_object();
    end_line(json);
    is_whole(json.sink(), start)
}

/// Whether there was room for all that was written since `start`. If not it is taken back.
pub(super) fn is_whole(out: &mut Sink<'_>, start: Mark) -> bool {
    let is_whole = !out.is_full();
    if !is_whole {
        out.rollback(start);
    }
    is_whole
}

/// The error for what does not exist, by the method that asked for it.
pub(super) fn not_found<P: Parts>(out: &mut Sink<'_>, context: &Context<'_>) -> Written {
    let (code, text) = match context.method {
        Method::ToolsCall => (ErrorCode::INVALID_PARAMS, "Unknown tool"),
        Method::PromptsGet => (ErrorCode::INVALID_PARAMS, "Unknown prompt"),
        method if method == Method::CompletionComplete || !P::RESOURCES => {
            (ErrorCode::INVALID_PARAMS, "Invalid params")
        }
        _ => {
            let uri = context.params.and_then(|params| params.get("uri"));
            let uri = uri.and_then(RawValue::as_string).unwrap_or(JsonStr::EMPTY);
            return resource_not_found(out, &context.id, context.version, Text::Json(uri));
        }
    };
    error(out, &context.id, code, text)
}

/// Where results have a type, the code is another one, and the error names the resource.
pub(super) fn resource_not_found(
    out: &mut Sink<'_>,
    id: &RequestId<'_>,
    version: ProtocolVersion,
    uri: Text<'_>,
) -> Written {
    let text = "Resource not found";
    if !version.has(Feature::ResultType) {
        return error(out, id, ErrorCode::RESOURCE_NOT_FOUND, text);
    }
    error_with(out, id, ErrorCode::INVALID_PARAMS, text, |json| {
        json.begin_object().name("uri");
        uri.write(json);
        json.end_object();
    })
}
