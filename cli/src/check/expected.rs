//! The answers that the rules allow.

use barewire::json::RawValue;

use super::judge::is_empty;
use super::reply::Reply;

/// The answers that a request or a line may get.
#[derive(Clone, Copy)]
pub(super) enum Expected {
    Any,
    Nothing,
    Result,
    /// A result without members.
    Empty,
    Error,
    /// An error with one of these codes.
    Code(&'static [i64]),
    /// An error for the message with this id.
    ErrorTo(i64),
    /// A result, or the error for an unknown method.
    Optional,
    /// A result of `initialize` with a known revision.
    KnownVersion,
    /// The result of `completion/complete`, or any error.
    Completion,
    /// The error for the revision 2099-01-01.
    UnsupportedVersion,
}

pub(super) const NOT_FOUND: Expected = Expected::Code(&[-32_601]);
pub(super) const INVALID: Expected = Expected::Code(&[-32_602]);
pub(super) const INVALID_OR_NOT_FOUND: Expected = Expected::Code(&[-32_601, -32_602]);
pub(super) const NO_SUCH_RESOURCE: Expected = Expected::Code(&[-32_002]);
pub(super) const NOT_JSON: Expected = Expected::Code(&[-32_700]);

impl Expected {
    pub(super) fn allows(self, reply: &Reply) -> bool {
        let is_error = reply.get("error").is_some();
        match self {
            Self::Any => true,
            Self::Nothing => false,
            Self::Result => reply.get("result").is_some(),
            Self::Empty => is_empty(reply),
            Self::Error => is_error,
            Self::Code(codes) => reply.code().is_some_and(|code| codes.contains(&code)),
            Self::ErrorTo(id) => is_error && reply.id().is_some_and(|found| found.to_i64() == Some(id)),
            Self::Optional => Self::Result.allows(reply) || NOT_FOUND.allows(reply),
            Self::KnownVersion => reply.version().is_some(),
            Self::Completion => {
                let values = reply.at(&["result", "completion", "values"]);
                let values = values.and_then(RawValue::as_array);
                values.map_or(is_error, |values| values.elements().count() <= 100)
            }
            Self::UnsupportedVersion => {
                let data = |name| reply.at(&["error", "data", name]);
                let supported = data("supported").and_then(RawValue::as_array);
                let requested = data("requested").and_then(RawValue::as_string);
                reply.code() == Some(-32_022)
                    && supported.is_some_and(|supported| !supported.is_empty())
                    && requested.is_some_and(|requested| requested == "2099-01-01")
            }
        }
    }
}
