//! The classifier, written a second time from its rules, over serde_json.

use barewire::json::ErrorKind;
use barewire::rpc::{Reason, Rules};

use super::tree::{self, Member};
use super::{fault, strings};

/// The leniencies and the limit of [`Rules`], in the open.
#[derive(Debug, Clone, Copy)]
pub struct Leniency {
    /// `"params":null` counts as absent.
    pub null_params: bool,
    /// `"params":[]` counts as absent.
    pub empty_array_params: bool,
    /// An error without an id is a response.
    pub error_without_id: bool,
    /// How deep a text may nest.
    pub max_depth: u8,
}

impl Leniency {
    /// None at all.
    pub const STRICT: Self =
        Self { null_params: false, empty_array_params: false, error_without_id: false, max_depth: 128 };

    /// The same for the crate.
    pub fn rules(self) -> Rules {
        Rules::STRICT
            .with_null_params(self.null_params)
            .with_empty_array_params(self.empty_array_params)
            .with_error_without_id(self.error_without_id)
            .with_max_depth(self.max_depth)
    }
}

/// What a frame is. `T` is a token of the frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict<T> {
    /// A request.
    Request {
        /// Its id.
        id: T,
        /// Its method, with quotes.
        method: T,
        /// Its params, if any count.
        params: Option<T>,
    },
    /// A notification.
    Notification {
        /// Its method, with quotes.
        method: T,
        /// Its params, if any count.
        params: Option<T>,
    },
    /// A response with a result.
    Result {
        /// The id it answers.
        id: T,
        /// The result.
        result: T,
    },
    /// A response with an error.
    Error {
        /// The id it answers; none for `null`.
        id: Option<T>,
        /// The error object.
        error: T,
    },
    /// No message.
    Invalid {
        /// Why.
        reason: Reason,
        /// The code of the answer.
        code: i64,
        /// Where, if it has a place.
        offset: Option<usize>,
        /// What its sender is owed.
        owed: Owed<T>,
    },
}

/// What the sender of a frame is owed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owed<T> {
    /// No answer.
    Nobody,
    /// An error with `null`.
    Null,
    /// An error with this id.
    To(T),
    /// The text is not JSON, though nobody read that far: any answer will do.
    Anything,
}

/// The names of the envelope.
const ENVELOPE: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// Judges `frame` under each of several leniencies.
pub fn classify<'a>(frame: &'a [u8], leniencies: &[Leniency]) -> Vec<Verdict<&'a str>> {
    let fault = fault::besides_depth(frame);
    let judge = |leniency: &Leniency| match fault::first_of(fault, frame, usize::from(leniency.max_depth)) {
        Some((kind, offset)) => unreadable(frame, kind, offset),
        None => readable(frame, leniency),
    };
    leniencies.iter().map(judge).collect()
}

fn unreadable(frame: &[u8], kind: ErrorKind, offset: usize) -> Verdict<&str> {
    let (reason, owed) = match kind {
        ErrorKind::TooDeep => (Reason::TooDeep, owed_unread(frame)),
        _ => (Reason::NotJson(kind), Owed::Null),
    };
    Verdict::Invalid { reason, code: -32700, offset: Some(offset), owed }
}

fn readable<'a>(frame: &'a [u8], leniency: &Leniency) -> Verdict<&'a str> {
    let text = tree::value(frame).expect("a text without a fault");
    judge(text, leniency).unwrap_or_else(|(reason, part, owed)| Verdict::Invalid {
        reason,
        code: -32600,
        offset: part.map(|part| tree::place(frame, part)),
        owed,
    })
}

/// The answer to an oversized line that is JSON, or starts with a JSON value.
pub fn owed_unread(line: &[u8]) -> Owed<&str> {
    if let Some(text) = tree::value(line) {
        return owed_unread_text(text);
    }
    // Something follows the value, so that its id does not count.
    match tree::first_value(line) {
        None => Owed::Anything,
        Some(text) if looks_like_response(text) => Owed::Nobody,
        Some(_) => Owed::Null,
    }
}

fn looks_like_response(text: &str) -> bool {
    let members = tree::members(text).unwrap_or_default();
    let has = |name| !all(&members, name).is_empty();
    !has("method") && (has("result") || has("error"))
}

fn owed_unread_text(text: &str) -> Owed<&str> {
    let Some(members) = tree::members(text) else {
        return Owed::Null;
    };
    let ids = all(&members, "id");
    let has = |name| !all(&members, name).is_empty();
    match (has("method"), &ids[..]) {
        (true, []) => Owed::Nobody,
        (true, [id]) if is_id(id) => Owed::To(id),
        (true, _) => Owed::Null,
        (false, _) if has("result") || has("error") => Owed::Nobody,
        (false, _) => Owed::Null,
    }
}

/// The id of a line that is owed nothing, if it has one: of the request that it may have been the response to.
pub fn response_id_unread(line: &[u8]) -> Option<&str> {
    let members = tree::members(tree::value(line)?)?;
    match all(&members, "id")[..] {
        [id] if all(&members, "method").is_empty() && is_id(id) => Some(id),
        _ => None,
    }
}

/// The values of all members called `name`.
pub fn all<'a>(members: &[Member<'a>], name: &str) -> Vec<&'a str> {
    members.iter().filter(|(token, _)| strings::is(token, name)).map(|(_, value)| *value).collect()
}

/// Whether `token` is a string or an integer.
pub fn is_id(token: &str) -> bool {
    token.starts_with('"') || is_integer(token)
}

fn is_integer(token: &str) -> bool {
    token.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && !token.contains(['.', 'e', 'E'])
}

/// Why it is no message, the part of the frame that shows it, and what is owed.
type Refusal<'a> = (Reason, Option<&'a str>, Owed<&'a str>);

fn judge<'a>(text: &'a str, leniency: &Leniency) -> Result<Verdict<&'a str>, Refusal<'a>> {
    let Some(members) = tree::members(text) else {
        let reason = match text.starts_with('[') {
            true => Reason::Batch,
            false => Reason::NotAnObject,
        };
        return Err((reason, Some(text), Owed::Null));
    };
    let has = |name| !all(&members, name).is_empty();
    judge_members(text, &members, leniency).map_err(|(reason, part)| {
        let looks_like_response = !has("method") && (has("result") || has("error"));
        let owed = match all(&members, "id")[..] {
            _ if looks_like_response || only_params_are_wrong(&members, leniency) => Owed::Nobody,
            [id] if is_id(id) => Owed::To(id),
            _ => Owed::Null,
        };
        (reason, part, owed)
    })
}

/// Whether this would be a notification with other params, or with none.
fn only_params_are_wrong(members: &[Member<'_>], leniency: &Leniency) -> bool {
    let without: Vec<Member<'_>> =
        members.iter().copied().filter(|(name, _)| !strings::is(name, "params")).collect();
    matches!(judge_members("", &without, leniency), Ok(Verdict::Notification { .. }))
}

/// The rules in the order in which they are reported.
fn judge_members<'a>(
    text: &'a str,
    members: &[Member<'a>],
    leniency: &Leniency,
) -> Result<Verdict<&'a str>, (Reason, Option<&'a str>)> {
    for (at, (name, _)) in members.iter().enumerate() {
        let known = ENVELOPE.iter().find(|known| strings::is(name, known));
        if known.is_some_and(|known| members[..at].iter().any(|(earlier, _)| strings::is(earlier, known))) {
            return Err((Reason::RepeatedMember, Some(name)));
        }
    }
    let one = |name| all(members, name).first().copied();
    match one("jsonrpc") {
        None => return Err((Reason::MissingVersion, None)),
        Some(version) if version.starts_with('"') && strings::is(version, "2.0") => {}
        Some(version) => return Err((Reason::WrongVersion, Some(version))),
    }
    match one("method") {
        Some(method) => judge_call(method, one("id"), one("params"), leniency),
        None => judge_response(text, one("id"), one("result"), one("error"), leniency),
    }
}

fn judge_call<'a>(
    method: &'a str,
    id: Option<&'a str>,
    params: Option<&'a str>,
    leniency: &Leniency,
) -> Result<Verdict<&'a str>, (Reason, Option<&'a str>)> {
    if !method.starts_with('"') {
        return Err((Reason::MethodNotAString, Some(method)));
    }
    if let Some(id) = id
        && !is_id(id)
    {
        return Err((Reason::InvalidId, Some(id)));
    }
    let params = match params {
        Some("null") if leniency.null_params => None,
        Some(array)
            if leniency.empty_array_params && tree::elements(array).is_some_and(|all| all.is_empty()) =>
        {
            None
        }
        Some(other) if !other.starts_with('{') => return Err((Reason::ParamsNotAnObject, Some(other))),
        params => params,
    };
    Ok(match id {
        Some(id) => Verdict::Request { id, method, params },
        None => Verdict::Notification { method, params },
    })
}

fn judge_response<'a>(
    text: &'a str,
    id: Option<&'a str>,
    result: Option<&'a str>,
    error: Option<&'a str>,
    leniency: &Leniency,
) -> Result<Verdict<&'a str>, (Reason, Option<&'a str>)> {
    match (result, error) {
        (None, None) => Err((Reason::NotAMessage, Some(text))),
        (Some(_), Some(_)) => Err((Reason::ResultAndError, Some(text))),
        (Some(result), None) => {
            if !result.starts_with('{') {
                return Err((Reason::ResultNotAnObject, Some(result)));
            }
            match id {
                None => Err((Reason::ResultWithoutId, None)),
                Some(id) if !is_id(id) => Err((Reason::InvalidId, Some(id))),
                Some(id) => Ok(Verdict::Result { id, result }),
            }
        }
        (None, Some(error)) => {
            if let Some(reason) = fault_of_error(error) {
                return Err((reason, Some(error)));
            }
            match id {
                None if leniency.error_without_id => Ok(Verdict::Error { id: None, error }),
                None => Err((Reason::ErrorWithoutId, None)),
                Some("null") => Ok(Verdict::Error { id: None, error }),
                Some(id) if !is_id(id) => Err((Reason::InvalidId, Some(id))),
                Some(id) => Ok(Verdict::Error { id: Some(id), error }),
            }
        }
    }
}

fn fault_of_error(error: &str) -> Option<Reason> {
    let Some(members) = tree::members(error) else {
        return Some(Reason::ErrorNotAnObject);
    };
    if ["code", "message", "data"].iter().any(|name| all(&members, name).len() > 1) {
        return Some(Reason::RepeatedErrorMember);
    }
    if !all(&members, "code").first().is_some_and(|code| is_integer(code)) {
        return Some(Reason::InvalidErrorCode);
    }
    if !all(&members, "message").first().is_some_and(|message| message.starts_with('"')) {
        return Some(Reason::InvalidErrorMessage);
    }
    None
}
