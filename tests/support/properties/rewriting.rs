//! A rewritten message is the frame with other tokens in the places that serde_json finds.

use barewire::json::RawValue;
use barewire::rpc::{Message, RequestId, Rewrite, RewriteError, classify};

use super::writing::exactly;
use crate::support::{slow, tree};

const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// A place in a text, with what comes there.
type Splice = (core::ops::Range<usize>, String);

/// Where a token stands, or why it is not replaced.
type Found<'a> = Result<&'a str, RewriteError>;

/// Each token alone and all of them together.
pub(super) fn changes_only_the_tokens(message: &Message<'_>) {
    let frame = core::str::from_utf8(message.frame()).expect("accepted");
    let own = [
        own_id(message, frame),
        request_id(message, frame),
        progress_token(message, frame),
        subscription_id(message, frame),
    ];
    shows_tokens(message, &own);
    let news =
        [RequestId::from(-7), RequestId::from("new \"id\""), RequestId::from(""), RequestId::from(i64::MIN)];
    let texts = ["-7", r#""new \"id\"""#, r#""""#, "-9223372036854775808"];

    let unchanged = Rewrite::new(*message);
    assert_eq!(exactly(|memory| unchanged.write(memory)), message.frame());
    let mut all = unchanged;
    let mut splices = Vec::new();
    // From the last to the first, so that they do not come in the order of the frame.
    for at in (0..own.len()).rev() {
        match (replace(Rewrite::new(*message), at, news[at]), own[at]) {
            (Ok(one), Ok(token)) => {
                let start = tree::place(frame.as_bytes(), token);
                let splice = (start..start + token.len(), texts[at].to_string());
                writes(&one, frame, vec![splice.clone()]);
                // A second replacement of the same token counts.
                all = replace(all, at, RequestId::from(0)).expect("as before");
                all = replace(all, at, news[at]).expect("as before");
                splices.push(splice);
            }
            (Err(found), Err(expected)) => assert_eq!(found, expected, "{at} of {frame}"),
            (Ok(_), Err(expected)) => panic!("{at} of {frame} is replaced and not {expected}"),
            (Err(found), Ok(_)) => panic!("{at} of {frame}: {found}"),
        }
    }
    writes(&all, frame, splices);
}

fn replace<'a>(rewrite: Rewrite<'a>, which: usize, new: RequestId<'a>) -> Result<Rewrite<'a>, RewriteError> {
    match which {
        0 => rewrite.id(new),
        1 => rewrite.request_id(new),
        2 => rewrite.progress_token(new),
        _ => rewrite.subscription_id(new),
    }
}

fn writes(rewrite: &Rewrite<'_>, frame: &str, mut splices: Vec<Splice>) {
    splices.sort_by_key(|(place, _)| place.start);
    let mut expected = frame.to_string();
    for (place, text) in splices.into_iter().rev() {
        expected.replace_range(place, &text);
    }
    let written = exactly(|memory| rewrite.write(memory));
    assert_eq!(core::str::from_utf8(&written), Ok(expected.as_str()));
    assert!(classify(&written).is_ok(), "{expected}");
}

/// The getters of the message say what is replaced.
fn shows_tokens(message: &Message<'_>, own: &[Found<'_>; 4]) {
    let found = [message.request_id(), message.progress_token(), message.subscription_id()];
    for (found, expected) in found.into_iter().zip(&own[1..]) {
        match (found, expected) {
            (Err(found), Err(expected)) => assert_eq!(found, *expected),
            (Ok(Some(found)), Ok(expected)) => assert_eq!(found.to_string(), **expected),
            (Ok(found), Err(RewriteError::Absent)) => {
                assert!(!found.is_some_and(|found: RawValue<'_>| slow::is_id(&found.to_string())));
            }
            (found, expected) => panic!("{found:?} and not {expected:?}"),
        }
    }
}

fn own_id<'a>(message: &Message<'_>, frame: &'a str) -> Found<'a> {
    match message {
        Message::Notification(_) => Err(RewriteError::Absent),
        _ => token(frame.trim_matches([' ', '\t', '\r', '\n']), "id"),
    }
}

fn request_id<'a>(message: &Message<'_>, frame: &'a str) -> Found<'a> {
    token(params(message, frame)?, "requestId")
}

fn progress_token<'a>(message: &Message<'_>, frame: &'a str) -> Found<'a> {
    match message {
        Message::Request(_) => token(one(params(message, frame)?, "_meta")?, "progressToken"),
        Message::Notification(_) => token(params(message, frame)?, "progressToken"),
        Message::Response(_) => Err(RewriteError::Absent),
    }
}

fn subscription_id<'a>(message: &Message<'_>, frame: &'a str) -> Found<'a> {
    let holder = match message {
        Message::Response(_) => one(frame.trim_matches([' ', '\t', '\r', '\n']), "result")?,
        _ => params(message, frame)?,
    };
    token(one(holder, "_meta")?, SUBSCRIPTION_ID)
}

fn params<'a>(message: &Message<'_>, frame: &'a str) -> Found<'a> {
    match message {
        Message::Response(_) => Err(RewriteError::Absent),
        _ => one(frame.trim_matches([' ', '\t', '\r', '\n']), "params"),
    }
}

/// The only member called `name`, if `text` is an object and has it.
fn one<'a>(text: &'a str, name: &str) -> Found<'a> {
    match slow::all(&tree::members(text).unwrap_or_default(), name).as_slice() {
        [] => Err(RewriteError::Absent),
        [value] => Ok(value),
        _ => Err(RewriteError::Repeated),
    }
}

/// The same, if it has the form of an id.
fn token<'a>(text: &'a str, name: &str) -> Found<'a> {
    one(text, name).and_then(|token| match slow::is_id(token) {
        true => Ok(token),
        false => Err(RewriteError::Absent),
    })
}
