//! Responses in the form of the request's revision: the beginning of results, and all of the errors.

use super::{Address, Sent, UnreadableId};
use crate::bytes::{Mark, Sink};
use crate::json::Writer;
use crate::mcp::{Feature, ProtocolVersion};
use crate::rpc::{ErrorCode, RequestId, begin_error, begin_error_without_id, begin_result};

/// Number of bytes that hold an error with the id `null` and any message of the engine's own.
pub(super) const LEAST_ANSWER: usize = 96;

/// Opens the result of a request, up to the members of its method.
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

/// Closes the message and the line.
pub(super) fn end_line(json: &mut Writer<'_, '_>) {
    json.end_object();
    json.sink().write(b"\n");
}

/// Whether there was room for a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Written {
    Yes,
    /// Only for a shorter line in its place.
    Instead,
    /// Not even for an error.
    No,
}

impl Written {
    /// The same for a caller that must know the receiver.
    pub(super) const fn to(self, address: Address) -> Sent {
        match self {
            Self::Yes | Self::Instead => Sent::To(address),
            Self::No => Sent::NoRoom,
        }
    }

    /// The line was a shorter one in place of the answer.
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

/// The error for params that the method cannot use.
pub(super) fn invalid_params(out: &mut Sink<'_>, id: &RequestId<'_>) -> Written {
    error(out, id, ErrorCode::INVALID_PARAMS, "Invalid params")
}
