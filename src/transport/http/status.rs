//! Status codes.

/// The status of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Status(pub u16);

impl Status {
    /// 200: the answer to a request, a stream, or the end of a session.
    pub const OK: Self = Self(200);
    /// 202: a notification or a response was taken.
    pub const ACCEPTED: Self = Self(202);
    /// 400: a malformed message, or control fields that contradict it.
    pub const BAD_REQUEST: Self = Self(400);
    /// 404: an unknown path, session or method.
    pub const NOT_FOUND: Self = Self(404);
    /// 405: a method that the endpoint does not have.
    pub const METHOD_NOT_ALLOWED: Self = Self(405);
    /// 413: the body is too long.
    pub const CONTENT_TOO_LARGE: Self = Self(413);
    /// 503: no room now; a client may try again.
    pub const SERVICE_UNAVAILABLE: Self = Self(503);
}
