//! The statuses of responses.

/// A status of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(u16);

/// Makes the constants and their reasons.
macro_rules! statuses {
    ($($(#[$about:meta])* $name:ident = $code:literal $reason:literal;)*) => {
        impl Status {
            $($(#[$about])* pub const $name: Self = Self($code);)*

            /// The reason phrase for a status line.
            pub const fn reason(self) -> &'static str {
                match self.0 {
                    $($code => $reason,)*
                    _ => "",
                }
            }
        }
    };
}

statuses! {
    /// An answer, as JSON or as a stream.
    OK = 200 "OK";
    /// A notification or response was taken.
    ACCEPTED = 202 "Accepted";
    /// The answer to a preflight request.
    NO_CONTENT = 204 "No Content";
    /// Malformed syntax, a malformed message, or headers that contradict the body.
    BAD_REQUEST = 400 "Bad Request";
    /// No valid token.
    UNAUTHORIZED = 401 "Unauthorized";
    /// Host or origin not allowed, or too few scopes.
    FORBIDDEN = 403 "Forbidden";
    /// Unknown path or session, or a method that the modern era does not have.
    NOT_FOUND = 404 "Not Found";
    /// The endpoint does not have this method of HTTP.
    METHOD_NOT_ALLOWED = 405 "Method Not Allowed";
    /// The client accepts none of the media types of the answer.
    NOT_ACCEPTABLE = 406 "Not Acceptable";
    /// The request took too long to arrive.
    REQUEST_TIMEOUT = 408 "Request Timeout";
    /// A body without its length.
    LENGTH_REQUIRED = 411 "Length Required";
    /// The body is larger than its buffer.
    CONTENT_TOO_LARGE = 413 "Content Too Large";
    /// The body is not JSON, or is encoded.
    UNSUPPORTED_MEDIA_TYPE = 415 "Unsupported Media Type";
    /// An expectation other than `100-continue`.
    EXPECTATION_FAILED = 417 "Expectation Failed";
    /// The head is larger than its buffer.
    HEADER_FIELDS_TOO_LARGE = 431 "Request Header Fields Too Large";
    /// A transfer coding other than `chunked`.
    NOT_IMPLEMENTED = 501 "Not Implemented";
    /// No room for a session or a stream; a later attempt may succeed.
    SERVICE_UNAVAILABLE = 503 "Service Unavailable";
    /// A version of HTTP that is not served.
    VERSION_NOT_SUPPORTED = 505 "HTTP Version Not Supported";
}

impl Status {
    /// The number.
    pub const fn code(self) -> u16 {
        self.0
    }

    /// Whether the request failed: 400 or more.
    pub const fn is_error(self) -> bool {
        self.0 >= 400
    }
}
