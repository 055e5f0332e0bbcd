//! The classifier against the slow one, and what it says of a message or a rejection.

use barewire::json::RawValue;
use barewire::rpc::{
    Message, Reason, Rejection, Reply, RequestId, Response, Skipper, Stored, StoredId, classify,
    classify_value, classify_with, rejection_response,
};

use super::rewriting;
use super::writing::exactly;
use crate::support::slow::{self, Leniency, Owed, Verdict};
use crate::support::{texts, tree};

const LENIENCIES: [Leniency; 4] = [
    Leniency::STRICT,
    Leniency { null_params: true, empty_array_params: true, error_without_id: true, max_depth: 128 },
    Leniency { null_params: true, max_depth: 3, ..Leniency::STRICT },
    Leniency { empty_array_params: true, error_without_id: true, max_depth: 0, ..Leniency::STRICT },
];

/// Under several rules: the same kind, parts, reason, place and answer.
pub(super) fn agrees_with_the_slow_classifier(frame: &[u8]) {
    let expected = slow::classify(frame, &LENIENCIES);
    for (leniency, expected) in LENIENCIES.iter().zip(&expected) {
        agree(&verdict(&classify_with(frame, &leniency.rules())), expected, frame);
    }
    if let Ok(value) = RawValue::new(frame) {
        let inside = value.as_bytes();
        let expected = slow::classify(inside, &LENIENCIES[..1]);
        agree(&verdict(&classify_value(value, &LENIENCIES[0].rules())), &expected[0], inside);
    }
    match &classify(frame) {
        Ok(message) => shows(message, frame),
        Err(rejection) => is_answered_as_owed(rejection),
    }
    pieces_are_owed_the_same(frame);
}

fn agree(found: &Verdict<String>, expected: &Verdict<&str>, frame: &[u8]) {
    let expected = owned(expected, found);
    assert_eq!(*found, expected, "{}", frame.escape_ascii());
}

/// `verdict` with tokens of its own; where any answer will do it takes that of `found`.
fn owned(verdict: &Verdict<&str>, found: &Verdict<String>) -> Verdict<String> {
    let text = |token: &&str| (*token).to_string();
    match verdict {
        Verdict::Request { id, method, params } => {
            Verdict::Request { id: text(id), method: text(method), params: params.as_ref().map(text) }
        }
        Verdict::Notification { method, params } => {
            Verdict::Notification { method: text(method), params: params.as_ref().map(text) }
        }
        Verdict::Result { id, result } => Verdict::Result { id: text(id), result: text(result) },
        Verdict::Error { id, error } => Verdict::Error { id: id.as_ref().map(text), error: text(error) },
        Verdict::Invalid { reason, code, offset, owed } => Verdict::Invalid {
            reason: *reason,
            code: *code,
            offset: *offset,
            owed: match (owed, found) {
                (Owed::Anything, Verdict::Invalid { owed, .. }) => owed.clone(),
                (Owed::To(id), _) => Owed::To(text(id)),
                (Owed::Null, _) => Owed::Null,
                (Owed::Nobody | Owed::Anything, _) => Owed::Nobody,
            },
        },
    }
}

/// What the crate says of a frame.
pub(super) fn verdict(result: &Result<Message<'_>, Rejection<'_>>) -> Verdict<String> {
    match result {
        Ok(message) => verdict_of(message),
        Err(rejection) => Verdict::Invalid {
            reason: rejection.reason(),
            code: rejection.code().0,
            offset: rejection.offset(),
            owed: owed(rejection.reply()),
        },
    }
}

fn verdict_of(message: &Message<'_>) -> Verdict<String> {
    let params = message.params().map(|params| params.as_value().to_string());
    match message {
        Message::Request(request) => {
            assert_eq!(message.id(), Some(request.id()));
            assert_eq!(message.method(), Some(request.method()));
            Verdict::Request {
                id: request.id().to_string(),
                method: format!("{:?}", request.method()),
                params,
            }
        }
        Message::Notification(notification) => {
            assert_eq!(message.id(), None);
            assert_eq!(message.method(), Some(notification.method()));
            Verdict::Notification { method: format!("{:?}", notification.method()), params }
        }
        Message::Response(response) => {
            assert_eq!((message.method(), message.params()), (None, None));
            assert_eq!(message.id(), response.id());
            verdict_of_response(response)
        }
    }
}

fn verdict_of_response(response: &Response<'_>) -> Verdict<String> {
    let id = response.id().map(|id| id.to_string());
    match response.outcome() {
        Ok(result) => {
            Verdict::Result { id: id.expect("a result has an id"), result: result.as_value().to_string() }
        }
        Err(error) => Verdict::Error { id, error: error.object().as_value().to_string() },
    }
}

fn owed(reply: Reply<'_>) -> Owed<String> {
    match reply {
        Reply::Nobody => Owed::Nobody,
        Reply::Null => Owed::Null,
        Reply::To(id) => Owed::To(id.to_string()),
    }
}

/// The views of an accepted message that its verdict does not show.
fn shows(message: &Message<'_>, frame: &[u8]) {
    assert_eq!(message.frame(), frame);
    let (kind, own_frame) = match message {
        Message::Request(request) => ("Request", request.frame()),
        Message::Notification(notification) => ("Notification", notification.frame()),
        Message::Response(response) => ("Response", response.frame()),
    };
    assert_eq!(own_frame, frame);
    let shown = format!("{kind}({kind}({}))", texts::beginning(frame));
    assert_eq!(format!("{message:?}"), shown);
    let target = match message {
        Message::Request(request) => request.target(),
        Message::Notification(notification) => notification.target(),
        Message::Response(_) => None,
    };
    assert_eq!(target.map(|target| format!("{target:?}")).as_deref(), expected_target(message).as_deref());
    assert_eq!(message.target(), target);
    if let Some(id) = message.id() {
        is_kept(id);
    }
    if let Message::Response(response) = message {
        shows_error(response);
    }
    is_stored(message);
    rewriting::changes_only_the_tokens(message);
}

fn expected_target(message: &Message<'_>) -> Option<String> {
    let params = message.params()?.as_value().to_string();
    let members = tree::members(&params)?;
    match (slow::all(&members, "name").as_slice(), slow::all(&members, "uri").as_slice()) {
        ([name], [] | [_]) => name.starts_with('"').then(|| name.to_string()),
        ([], [uri]) => uri.starts_with('"').then(|| uri.to_string()),
        _ => None,
    }
}

fn is_kept(id: RequestId<'_>) {
    let token = id.to_string();
    assert_eq!(RequestId::parse(token.as_bytes()), Some(id));
    assert_eq!(id.text_len(), token.len());
    assert_eq!(id.is_string(), token.starts_with('"'));
    assert_eq!(id.to_i64(), token.parse().ok());
    match StoredId::<24>::new(id) {
        Ok(stored) => {
            assert!(token.len() <= 24);
            assert_eq!(stored.view(), id);
            assert_eq!(stored.view().to_string(), token);
            assert_eq!(format!("{id:?} {stored:?}"), format!("RequestId({token}) StoredId({token})"));
        }
        Err(error) => {
            assert!(token.len() > 24);
            assert_eq!(error.to_string(), "the id is too long to be kept");
        }
    }
    if let Ok(plain) = serde_json::from_str::<String>(&token) {
        assert_eq!(id, RequestId::from(plain.as_str()));
    }
    if let Some(integer) = id.to_i64() {
        assert_eq!(id, RequestId::from(integer));
    }
}

fn shows_error(response: &Response<'_>) {
    let Err(error) = response.outcome() else {
        return;
    };
    let text = error.object().as_value().to_string();
    assert_eq!(format!("{error:?}"), format!("ErrorObject({text})"));
    let members = tree::members(&text).expect("an error object");
    let one = |name| slow::all(&members, name).first().copied();
    let code: i128 = one("code").and_then(|code| code.parse().ok()).unwrap_or(match one("code") {
        Some(code) if code.starts_with('-') => i128::MIN,
        _ => i128::MAX,
    });
    assert_eq!(i128::from(error.code().0), code.clamp(i128::from(i64::MIN), i128::from(i64::MAX)));
    assert_eq!(error.code().is_reserved(), (-32768..=-32000).contains(&code));
    assert_eq!(error.code().is_server_error(), (-32099..=-32000).contains(&code));
    assert_eq!(Some(format!("{:?}", error.message()).as_str()), one("message"));
    assert_eq!(error.data().map(|data| data.to_string()).as_deref(), one("data"));
}

fn is_stored(message: &Message<'_>) {
    let length = message.frame().len();
    match Stored::<512>::new(message) {
        Ok(stored) => {
            assert!(length <= 512);
            let copy = stored.view();
            assert_eq!(format!("{stored:?}"), format!("Stored({message:?})"));
            assert_eq!(verdict_of(&copy), verdict_of(message));
            assert_eq!(copy.frame(), message.frame());
            rewriting::changes_only_the_tokens(&copy);
        }
        Err(error) => {
            assert!(length > 512);
            assert_eq!(error.to_string(), "the message is too long to be kept");
        }
    }
    assert_eq!(Stored::<40>::new(message).is_ok(), length <= 40);
}

/// The answer to a rejection is a message with its code and its id.
fn is_answered_as_owed(rejection: &Rejection<'_>) {
    says_why(rejection);
    let answer = match rejection.reply() {
        Reply::Nobody => {
            assert_eq!(rejection_response(&mut [], rejection), Ok(None));
            return;
        }
        _ => exactly(|memory| rejection_response(memory, rejection).map(Option::unwrap_or_default)),
    };
    let id = match rejection.reply() {
        Reply::To(id) => id.to_string(),
        _ => "null".to_string(),
    };
    let message = match rejection.code().0 {
        -32700 => rejection.reason().message(),
        _ => "Invalid Request",
    };
    let expected = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{},"message":"{message}"}}}}"#,
        rejection.code()
    );
    assert_eq!(String::from_utf8(answer), Ok(expected));
}

/// The code, the word for it, the fault of the JSON, the place: as far as there are such.
fn says_why(rejection: &Rejection<'_>) {
    let word = texts::of_reason(rejection.reason());
    assert_eq!(rejection.reason().name(), word);
    let fault = match rejection.reason() {
        Reason::NotJson(kind) => format!(", {}", texts::of_fault(kind)),
        _ => String::new(),
    };
    let place = rejection.offset().map(|offset| format!(" at byte {offset}"));
    let expected = format!("{} {word}{fault}{}", rejection.code().0, place.unwrap_or_default());
    assert_eq!(rejection.to_string(), expected);
}

/// A line in any pieces: the skipper finds what its sender is owed.
fn pieces_are_owed_the_same(line: &[u8]) {
    const KEPT: usize = 32;
    let whole = skipped::<KEPT>(line, line.len());
    for size in [1, 3, 64] {
        assert_eq!(skipped::<KEPT>(line, size), whole, "{} in pieces of {size}", line.escape_ascii());
    }
    let expected = match slow::owed_unread(line) {
        // The same for a frame as for its pieces, were they JSON or not.
        Owed::Anything => match classify(line) {
            Err(rejection) if rejection.reason() == Reason::TooDeep => match rejection.reply() {
                Reply::To(id) if id.text_len() > KEPT => Owed::Null,
                reply => owed(reply),
            },
            _ => return,
        },
        Owed::To(id) if id.len() > KEPT => Owed::Null,
        Owed::To(id) => Owed::To(id.to_string()),
        Owed::Null => Owed::Null,
        Owed::Nobody => Owed::Nobody,
    };
    assert_eq!(whole, expected, "{}", line.escape_ascii());
}

fn skipped<const N: usize>(line: &[u8], size: usize) -> Owed<String> {
    let mut skipper = Skipper::<N>::new();
    for piece in line.chunks(size.max(1)) {
        skipper.feed(piece);
    }
    owed(skipper.finish().reply())
}
