//! Errors that the endpoint writes itself: messages that never reach the server.

use super::status::Status;
use crate::bytes::Sink;
use crate::json::Writer;
use crate::mcp::ProtocolVersion;
use crate::rpc::{self, ErrorCode, RequestId};

/// Fault of a message that is refused before the server sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) status: Status,
    pub(super) code: ErrorCode,
    pub(super) message: &'static str,
}

impl Fault {
    pub(super) const ALREADY_INITIALIZED: Self = Self::invalid("Already initialized");
    pub(super) const BUSY: Self =
        Self { status: Status::SERVICE_UNAVAILABLE, code: ErrorCode::INTERNAL_ERROR, message: "Server busy" };
    pub(super) const NO_SUCH_SESSION: Self =
        Self { status: Status::NOT_FOUND, ..Self::invalid("Session not found") };
    pub(super) const SESSION_REQUIRED: Self = Self::invalid("Mcp-Session-Id header required");
    pub(super) const UNKNOWN_VERSION: Self = Self::invalid("Unsupported protocol version");
    pub(super) const TOO_LARGE: Self =
        Self { status: Status::OK, code: ErrorCode::INTERNAL_ERROR, message: "Response too large" };
    pub(super) const UNEXPECTED_RESPONSE: Self = Self::invalid("Invalid Request");
    pub(super) const INVALID_PARAMS: Self =
        Self { code: ErrorCode::INVALID_PARAMS, ..Self::invalid("Invalid params") };
    pub(super) const STREAM_NOT_ACCEPTED: Self =
        Self { status: Status::NOT_ACCEPTABLE, ..Self::invalid("Accept must allow text/event-stream") };

    const fn invalid(message: &'static str) -> Self {
        Self { status: Status::BAD_REQUEST, code: ErrorCode::INVALID_REQUEST, message }
    }

    /// A header is missing, repeated, malformed, or different from the body.
    pub(super) const fn header(message: &'static str) -> Self {
        Self { code: ErrorCode::HEADER_MISMATCH, ..Self::invalid(message) }
    }
}

/// The id of an error.
#[derive(Debug, Clone, Copy)]
pub(super) enum ErrorId<'a> {
    /// That of the request.
    Of(RequestId<'a>),
    Null,
    /// The error has no member `id`.
    Absent,
}

impl ErrorId<'_> {
    /// The form of an id that cannot be read, in a revision or where that is unknown.
    pub(super) const fn unreadable(version: Option<ProtocolVersion>) -> Self {
        match version {
            Some(ProtocolVersion::V2025_11_25 | ProtocolVersion::V2026_07_28) => Self::Absent,
            _ => Self::Null,
        }
    }
}

/// Writes an error as a line. False, and nothing is written, if it does not fit.
pub(super) fn write_error(out: &mut Sink<'_>, id: ErrorId<'_>, code: ErrorCode, message: &str) -> bool {
    let start = out.mark();
    let mut json = Writer::new(out);
    match id {
        ErrorId::Of(id) => rpc::begin_error(&mut json, Some(id), code, message),
        ErrorId::Null => rpc::begin_error(&mut json, None, code, message),
        ErrorId::Absent => rpc::begin_error_without_id(&mut json, code, message),
    }
    json.end_object().end_object();
    json.sink().write(b"\n");
    let has_room = !out.is_full();
    if !has_room {
        out.rollback(start);
    }
    has_room
}
