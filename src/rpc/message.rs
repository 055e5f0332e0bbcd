//! A classified message, as views into its frame.

use core::fmt;

use super::{ErrorObject, RequestId};
use crate::bytes::Shown;
use crate::json::{JsonStr, Object, RawValue};

/// A part of a frame. Offsets instead of slices, so that a copy of the frame keeps its views.
///
/// The start is the lower half, the end the upper: in one word, since what is stored as two halves and soon read as one
/// stalls a large processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Span(u64);

impl Span {
    /// No part: no value is empty.
    pub(super) const NONE: Self = Self(0);

    /// Both must be places in a frame, which has less than 4 GiB.
    #[inline(always)]
    pub(super) const fn new(start: usize, end: usize) -> Self {
        Self(start as u64 | (end as u64) << 32)
    }

    pub(super) const fn start(self) -> usize {
        (self.0 & 0xFFFF_FFFF) as usize
    }

    pub(super) const fn end(self) -> usize {
        (self.0 >> 32) as usize
    }

    pub(super) fn of(self, frame: &[u8]) -> &[u8] {
        frame.get(self.start()..self.end()).unwrap_or_default()
    }

    pub(super) fn value(self, frame: &[u8]) -> Option<RawValue<'_>> {
        match self.of(frame) {
            [] => None,
            text => Some(RawValue::from_valid(text)),
        }
    }

    fn id(self, frame: &[u8]) -> Option<RequestId<'_>> {
        self.value(frame).and_then(RequestId::of)
    }

    fn object(self, frame: &[u8]) -> Option<Object<'_>> {
        self.value(frame).and_then(RawValue::as_object)
    }

    fn string(self, frame: &[u8]) -> JsonStr<'_> {
        self.value(frame).and_then(RawValue::as_string).unwrap_or(JsonStr::EMPTY)
    }
}

/// One message of MCP, in its frame. The three kinds are all there are.
///
/// ```
/// use barewire::rpc::{Message, classify};
///
/// fn describe(frame: &[u8]) -> String {
///     match classify(frame) {
///         Ok(Message::Request(request)) => format!("{} wants {}", request.id(), request.method()),
///         Ok(Message::Notification(notification)) => format!("somebody says {}", notification.method()),
///         Ok(Message::Response(response)) => match response.outcome() {
///             Ok(result) => format!("the result is {}", result.as_value()),
///             Err(error) => format!("the error is {}, {}", error.code(), error.message()),
///         },
///         Err(rejection) => format!("no message: {rejection}"),
///     }
/// }
///
/// assert_eq!(describe(br#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#), "\"a\" wants ping");
/// assert_eq!(
///     describe(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#),
///     "the error is -32601, Method not found"
/// );
/// assert_eq!(describe(b"[]"), "no message: -32600 batch at byte 0");
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Message<'a> {
    /// Wants one response.
    Request(Request<'a>),
    /// Wants none.
    Notification(Notification<'a>),
    /// Answers a request of the receiver's.
    Response(Response<'a>),
}

const _: () = assert!(size_of::<Message<'_>>() <= 64);

impl<'a> Message<'a> {
    /// The bytes it was read from.
    pub const fn frame(&self) -> &'a [u8] {
        match self {
            Self::Request(request) => request.frame,
            Self::Notification(notification) => notification.frame,
            Self::Response(response) => response.frame,
        }
    }

    /// The id of a request or a response; an error may have none.
    pub fn id(&self) -> Option<RequestId<'a>> {
        match self {
            Self::Request(request) => Some(request.id()),
            Self::Notification(_) => None,
            Self::Response(response) => response.id(),
        }
    }

    /// The method of a request or a notification.
    pub fn method(&self) -> Option<JsonStr<'a>> {
        match self {
            Self::Request(request) => Some(request.method()),
            Self::Notification(notification) => Some(notification.method()),
            Self::Response(_) => None,
        }
    }

    /// What a request or a notification is about; see [`Request::target`].
    pub fn target(&self) -> Option<JsonStr<'a>> {
        target(self.params())
    }

    /// The params of a request or a notification, if it has any.
    pub fn params(&self) -> Option<Object<'a>> {
        match self {
            Self::Request(request) => request.params(),
            Self::Notification(notification) => notification.params(),
            Self::Response(_) => None,
        }
    }
}

/// A request: it has an id and wants one response.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    pub(super) frame: &'a [u8],
    pub(super) id: Span,
    pub(super) method: Span,
    pub(super) params: Span,
}

impl<'a> Request<'a> {
    /// The id, as it stands in the frame.
    pub fn id(&self) -> RequestId<'a> {
        // The classifier took the span for an id.
        self.id.id(self.frame).unwrap_or(RequestId::from(""))
    }

    /// The method; compared after unescaping.
    pub fn method(&self) -> JsonStr<'a> {
        self.method.string(self.frame)
    }

    /// The params, if there are any.
    pub fn params(&self) -> Option<Object<'a>> {
        self.params.object(self.frame)
    }

    /// What the request is about: `params.name` (of a tool, a prompt) or else `params.uri` (of a resource), if that is
    /// a string and occurs once. Linear in the length of the params.
    ///
    /// ```
    /// use barewire::rpc::{Message, classify};
    ///
    /// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#;
    /// let Ok(Message::Request(request)) = classify(frame) else { unreachable!() };
    /// assert!(request.target().is_some_and(|name| name == "echo"));
    /// ```
    pub fn target(&self) -> Option<JsonStr<'a>> {
        target(self.params())
    }

    /// The bytes it was read from.
    pub const fn frame(&self) -> &'a [u8] {
        self.frame
    }
}

/// A notification: it has no id and is never answered.
#[derive(Clone, Copy)]
pub struct Notification<'a> {
    pub(super) frame: &'a [u8],
    pub(super) method: Span,
    pub(super) params: Span,
}

impl<'a> Notification<'a> {
    /// The method; compared after unescaping.
    pub fn method(&self) -> JsonStr<'a> {
        self.method.string(self.frame)
    }

    /// The params, if there are any.
    pub fn params(&self) -> Option<Object<'a>> {
        self.params.object(self.frame)
    }

    /// What it is about; see [`Request::target`].
    pub fn target(&self) -> Option<JsonStr<'a>> {
        target(self.params())
    }

    /// The bytes it was read from.
    pub const fn frame(&self) -> &'a [u8] {
        self.frame
    }
}

fn target(params: Option<Object<'_>>) -> Option<JsonStr<'_>> {
    let [name, uri] = params?.get_each(["name", "uri"]).ok()?;
    name.or(uri).and_then(RawValue::as_string)
}

/// A response: a result, or an error.
#[derive(Clone, Copy)]
pub struct Response<'a> {
    pub(super) frame: &'a [u8],
    pub(super) id: Span,
    pub(super) body: Span,
    pub(super) is_error: bool,
}

impl<'a> Response<'a> {
    /// The id of the request it answers; `None` for an error whose request was unreadable (`"id":null`).
    pub fn id(&self) -> Option<RequestId<'a>> {
        self.id.id(self.frame)
    }

    /// The result, or the error that came instead.
    ///
    /// # Errors
    /// The `error` member: a protocol error. A tool that failed is a result, with `isError`.
    pub fn outcome(&self) -> Result<Object<'a>, ErrorObject<'a>> {
        let body = self.body.object(self.frame).unwrap_or(Object::EMPTY);
        if self.is_error { Err(ErrorObject::from_valid(body)) } else { Ok(body) }
    }

    /// The bytes it was read from.
    pub const fn frame(&self) -> &'a [u8] {
        self.frame
    }
}

impl fmt::Debug for Request<'_> {
    /// The beginning of the frame as text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request({:?})", Shown(self.frame))
    }
}

impl fmt::Debug for Notification<'_> {
    /// The beginning of the frame as text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Notification({:?})", Shown(self.frame))
    }
}

impl fmt::Debug for Response<'_> {
    /// The beginning of the frame as text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Response({:?})", Shown(self.frame))
    }
}
