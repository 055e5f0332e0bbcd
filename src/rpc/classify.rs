//! The classifier: one frame in, one message or rejection out.
//!
//! The scanner walks the outermost object itself, so that its members are noted while the text is judged: one pass. Only
//! the error object of a response, and a text that is nested too deep, are looked at twice.

use super::envelope::Envelope;
use super::error::NoErrorObject;
use super::message::Span;
use super::name::Name;
use super::rejection::NOWHERE;
use super::skip;
use super::{ErrorObject, Message, Notification, Reason, Rejection, Reply, Request, RequestId, Response};
use crate::json::{Error, ErrorKind, Kind, MAX_DEPTH, Number, Object, RawValue, Scanner};

/// Judges one frame: the bytes of one JSON text, white space around it allowed.
///
/// Time is linear in the length of `frame`, the stack is constant, nothing is copied: the message borrows from `frame`.
/// Once accepted, the whole text is valid JSON in valid UTF-8.
///
/// Names are compared after unescaping; unknown members are ignored; `result` and `error` beside a `method` too
/// (JSON-RPC 2.0 sections 4 and 5; MCP base protocol).
///
/// # Errors
/// [`Rejection`]: the reason, the code, the offset, and whether and with which id it is to be answered.
///
/// ```
/// use barewire::rpc::{Message, Reply, RequestId, classify};
///
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
/// let Ok(Message::Request(request)) = classify(frame) else { unreachable!() };
/// assert!(request.method() == "tools/list" && request.id() == RequestId::from(1));
///
/// let rejection = classify(br#"{"jsonrpc":"1.0","id":1,"method":"x"}"#).unwrap_err();
/// assert_eq!(rejection.code().0, -32600);
/// assert_eq!(rejection.reply(), Reply::To(RequestId::from(1)));
/// ```
pub fn classify(frame: &[u8]) -> Result<Message<'_>, Rejection<'_>> {
    classify_with(frame, &Rules::STRICT)
}

/// What [`classify_with`] lets pass. Each leniency is something that deployed peers send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Rules {
    null_params: bool,
    empty_array_params: bool,
    error_without_id: bool,
    /// By how many levels the limit for the depth is lower than it can be. So the strict rules are zero in memory, and what
    /// has them in a `static` costs no flash.
    levels_less: u8,
}

impl Rules {
    /// No leniency, depth 128: what [`classify`] uses.
    pub const STRICT: Self =
        Self { null_params: false, empty_array_params: false, error_without_id: false, levels_less: 0 };

    /// All leniencies, depth 128.
    pub const LENIENT: Self =
        Self { null_params: true, empty_array_params: true, error_without_id: true, levels_less: 0 };

    /// Whether `"params":null` counts as absent.
    pub const fn with_null_params(self, allowed: bool) -> Self {
        Self { null_params: allowed, ..self }
    }

    /// Whether `"params":[]` counts as absent.
    pub const fn with_empty_array_params(self, allowed: bool) -> Self {
        Self { empty_array_params: allowed, ..self }
    }

    /// Whether an error without an `id` is a response, as 2025-11-25 and later have it.
    pub const fn with_error_without_id(self, allowed: bool) -> Self {
        Self { error_without_id: allowed, ..self }
    }

    /// A smaller limit for the depth; 128 at most.
    pub const fn with_max_depth(self, max_depth: u8) -> Self {
        Self { levels_less: MAX_DEPTH.saturating_sub(max_depth), ..self }
    }

    const fn max_depth(&self) -> u8 {
        MAX_DEPTH.wrapping_sub(self.levels_less)
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::STRICT
    }
}

/// [`classify`] with leniencies and a limit for the depth.
///
/// # Errors
/// As [`classify`].
///
/// ```
/// use barewire::rpc::{Rules, classify, classify_with};
///
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#;
/// assert!(classify(frame).is_err());
/// assert!(classify_with(frame, &Rules::STRICT.with_null_params(true)).is_ok());
/// ```
pub fn classify_with<'a>(frame: &'a [u8], rules: &Rules) -> Result<Message<'a>, Rejection<'a>> {
    if u32::try_from(frame.len()).is_err() {
        return Err(Rejection::new(Reason::TooLong, NOWHERE, Reply::Null));
    }
    let mut envelope = Envelope::default();
    #[cfg(target_pointer_width = "64")]
    if let Some(start) = super::usual::scan(frame, rules.max_depth(), &mut envelope) {
        return judge(frame, start, &envelope, rules);
    }
    scan(frame, &mut envelope, rules)
}

/// Any frame, after the members that are noted.
pub(super) fn scan<'a>(
    frame: &'a [u8],
    envelope: &mut Envelope,
    rules: &Rules,
) -> Result<Message<'a>, Rejection<'a>> {
    let mut scanner = Scanner::new(frame, rules.max_depth());
    scanner.white_space();
    let start = scanner.position();
    if scanner.peek() != b'{' {
        return Err(no_object(scanner, start));
    }
    match envelope.scan(&mut scanner) {
        Ok(()) => judge(frame, start, envelope, rules),
        Err(error) => Err(unreadable(frame, envelope, error, rules)),
    }
}

/// Judges a value that is already parsed: an element of a batch, say. Linear in its length.
///
/// # Errors
/// As [`classify`], but for what is not JSON or too deep: the value is valid. Offsets count from its first byte.
pub fn classify_value<'a>(value: RawValue<'a>, rules: &Rules) -> Result<Message<'a>, Rejection<'a>> {
    classify_with(value.as_bytes(), rules)
}

/// An object that is not JSON, or is nested too deep: then the answer may have another id than `null`.
#[cold]
fn unreadable<'a>(frame: &'a [u8], envelope: &Envelope, error: Error, rules: &Rules) -> Rejection<'a> {
    let reply = match error.kind() {
        ErrorKind::TooDeep => skip::reply_to(frame, envelope, error.offset(), rules.max_depth()),
        _ => Reply::Null,
    };
    Rejection::unreadable(error, reply)
}

/// JSON or not, it is no object.
#[cold]
fn no_object<'a>(mut scanner: Scanner<'a>, start: usize) -> Rejection<'a> {
    let reason = if scanner.peek() == b'[' { Reason::Batch } else { Reason::NotAnObject };
    let judged = match scanner.value(0) {
        Ok(()) => scanner.end(),
        Err(kind) => Err(scanner.first_fault(kind)),
    };
    match judged {
        Ok(()) => Rejection::new(reason, start, Reply::Null),
        // It names nothing, whatever is in it.
        Err(error) => Rejection::unreadable(error, Reply::Null),
    }
}

/// Rules 3 to 8 of the classification, over members whose text is valid. The first that is broken is the reason.
fn judge<'a>(
    frame: &'a [u8],
    start: usize,
    envelope: &Envelope,
    rules: &Rules,
) -> Result<Message<'a>, Rejection<'a>> {
    match envelope.message(frame, start, rules) {
        Ok(message) => Ok(message),
        Err((reason, at)) => Err(Rejection::new(reason, at, envelope.reply(frame, reason))),
    }
}

/// A reason, and its place.
type Fault = (Reason, usize);

impl Envelope {
    fn message<'a>(&self, frame: &'a [u8], start: usize, rules: &Rules) -> Result<Message<'a>, Fault> {
        if let Some(at) = self.repeated_at() {
            return Err((Reason::RepeatedMember, at));
        }
        self.version(frame)?;
        match self.get(Name::Method).value(frame) {
            Some(method) => self.call(frame, method, rules),
            None => self.response(frame, start, rules),
        }
    }

    fn version(&self, frame: &[u8]) -> Result<(), Fault> {
        if self.has_usual_version {
            return Ok(());
        }
        let Some(version) = self.get(Name::Jsonrpc).value(frame) else {
            return Err((Reason::MissingVersion, NOWHERE));
        };
        match version.as_string() {
            Some(version) if version == "2.0" => Ok(()),
            _ => Err((Reason::WrongVersion, self.get(Name::Jsonrpc).start())),
        }
    }

    /// Rules 5 to 7: a request or a notification.
    fn call<'a>(&self, frame: &'a [u8], method: RawValue<'a>, rules: &Rules) -> Result<Message<'a>, Fault> {
        if method.kind() != Kind::String {
            return Err((Reason::MethodNotAString, self.get(Name::Method).start()));
        }
        let id = self.get(Name::Id).value(frame);
        if id.is_some_and(|id| !is_id(id)) {
            return Err((Reason::InvalidId, self.get(Name::Id).start()));
        }
        let params = match self.get(Name::Params).value(frame) {
            None => Span::NONE,
            Some(params) if params.kind() == Kind::Object => self.get(Name::Params),
            Some(params) if counts_as_absent(params, rules) => Span::NONE,
            Some(_) => return Err((Reason::ParamsNotAnObject, self.get(Name::Params).start())),
        };
        let method = self.get(Name::Method);
        Ok(match id {
            Some(_) => Message::Request(Request { frame, id: self.get(Name::Id), method, params }),
            None => Message::Notification(Notification { frame, method, params }),
        })
    }

    /// Rule 8. The body is judged before the id, so that `ErrorWithoutId` means an error that lacks nothing else.
    fn response<'a>(&self, frame: &'a [u8], start: usize, rules: &Rules) -> Result<Message<'a>, Fault> {
        let (body, is_error) = match (self.get(Name::Result).value(frame), self.get(Name::Error).value(frame))
        {
            (None, None) => return Err((Reason::NotAMessage, start)),
            (Some(_), Some(_)) => return Err((Reason::ResultAndError, start)),
            (Some(result), None) => {
                if result.kind() != Kind::Object {
                    return Err((Reason::ResultNotAnObject, self.get(Name::Result).start()));
                }
                (self.get(Name::Result), false)
            }
            (None, Some(error)) => {
                let fault = error_fault(error.as_object());
                if let Some(reason) = fault {
                    return Err((reason, self.get(Name::Error).start()));
                }
                (self.get(Name::Error), true)
            }
        };
        let id = match self.get(Name::Id).value(frame) {
            None if is_error && rules.error_without_id => Span::NONE,
            None if is_error => return Err((Reason::ErrorWithoutId, NOWHERE)),
            None => return Err((Reason::ResultWithoutId, NOWHERE)),
            Some(id) if is_error && id.is_null() => Span::NONE,
            Some(id) if !is_id(id) => {
                return Err((Reason::InvalidId, self.get(Name::Id).start()));
            }
            Some(_) => self.get(Name::Id),
        };
        Ok(Message::Response(Response { frame, id, body, is_error }))
    }

    /// Whether a frame with this fault is answered, and with which id.
    fn reply<'a>(&self, frame: &'a [u8], reason: Reason) -> Reply<'a> {
        let has_method = self.has(Name::Method);
        let looks_like_response = !has_method && (self.has(Name::Result) || self.has(Name::Error));
        if looks_like_response || self.is_notification_with_bad_params(frame, reason) {
            return Reply::Nobody;
        }
        let id = match self.is_repeated(Name::Id) {
            true => None,
            false => self.get(Name::Id).value(frame).and_then(RequestId::of),
        };
        id.map_or(Reply::Null, Reply::To)
    }

    /// A string `method`, no `id`, and nothing wrong but the `params`, of a wrong kind or repeated.
    fn is_notification_with_bad_params(&self, frame: &[u8], reason: Reason) -> bool {
        match reason {
            Reason::ParamsNotAnObject => !self.has(Name::Id),
            Reason::RepeatedMember => {
                self.repeats_only(Name::Params)
                    && !self.has(Name::Id)
                    && self.version(frame).is_ok()
                    && self.get(Name::Method).value(frame).is_some_and(|method| method.kind() == Kind::String)
            }
            _ => false,
        }
    }
}

/// A string or an integer.
fn is_id(value: RawValue<'_>) -> bool {
    match value.kind() {
        Kind::String => true,
        _ => value.as_number().is_some_and(Number::is_plain_integer),
    }
}

fn counts_as_absent(params: RawValue<'_>, rules: &Rules) -> bool {
    match params.kind() {
        Kind::Null => rules.null_params,
        Kind::Array => rules.empty_array_params && params.as_array().is_some_and(|array| array.is_empty()),
        _ => false,
    }
}

/// What makes the value of `error` no error object.
fn error_fault(error: Option<Object<'_>>) -> Option<Reason> {
    let Some(object) = error else {
        return Some(Reason::ErrorNotAnObject);
    };
    match ErrorObject::of(object) {
        Ok(_) => None,
        Err(NoErrorObject::Repeated) => Some(Reason::RepeatedErrorMember),
        Err(NoErrorObject::Code) => Some(Reason::InvalidErrorCode),
        Err(NoErrorObject::Message) => Some(Reason::InvalidErrorMessage),
    }
}
