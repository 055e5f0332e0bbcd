//! The first fault of a text, found with serde_json and the standard library.
//!
//! serde_json does not say at which byte a text went wrong, but it tells "cut off" from "wrong". So the place of the
//! fault is that of the byte with which the text ceases to be the beginning of a valid one.

use barewire::json::ErrorKind;
use serde::de::IgnoredAny;
use serde_json::Error;
use serde_json::value::RawValue;

use super::depth;

/// The first fault of `text` in the order of its bytes, by which nesting beyond `max_depth` is one.
pub fn first(text: &[u8], max_depth: usize) -> Option<(ErrorKind, usize)> {
    first_of(besides_depth(text), text, max_depth)
}

/// The same, where the first of all faults but nesting is known.
pub fn first_of(
    other: Option<(ErrorKind, usize)>,
    text: &[u8],
    max_depth: usize,
) -> Option<(ErrorKind, usize)> {
    match (depth::passes(text, max_depth), other) {
        (Some(at), Some((_, place))) if place <= at => other,
        (Some(at), _) => Some((ErrorKind::TooDeep, at)),
        (None, _) => other,
    }
}

/// The first fault of `text` if nothing is too deep.
pub fn besides_depth(text: &[u8]) -> Option<(ErrorKind, usize)> {
    let utf8 = core::str::from_utf8(text);
    if let Ok(utf8) = utf8
        && serde_json::from_str::<&RawValue>(utf8).is_ok()
    {
        return None;
    }
    let syntax = syntax_fault(text);
    match (utf8, syntax) {
        (Err(invalid), Some((_, place))) if place <= invalid.valid_up_to() => syntax,
        (Err(invalid), _) => Some((ErrorKind::InvalidUtf8, invalid.valid_up_to())),
        (Ok(_), _) => syntax,
    }
}

/// The first fault of the grammar.
fn syntax_fault(text: &[u8]) -> Option<(ErrorKind, usize)> {
    error(text, b"")?;
    let place = first_wrong_byte(text);
    Some(match text.get(..=place) {
        Some(wrong) => (kind(wrong), place),
        None => (ErrorKind::UnexpectedEnd, text.len()),
    })
}

/// The length of the longest beginning of `text` that some valid text begins with.
fn first_wrong_byte(text: &[u8]) -> usize {
    let (mut good, mut bad) = (0, text.len() + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if begins_a_text(&text[..middle]) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

/// Whether some valid text begins with `prefix`; depth and UTF-8 left aside.
fn begins_a_text(prefix: &[u8]) -> bool {
    match error(prefix, b"") {
        None => true,
        Some(error) if error.is_eof() => !cut_in_a_wrong_escape(prefix),
        // A number that is cut counts as wrong with serde_json.
        Some(error) => says(&error, "invalid number") && !error_is_syntax(prefix, b"0"),
    }
}

/// serde_json sees a wrong digit behind `\u` only when four are there.
fn cut_in_a_wrong_escape(prefix: &[u8]) -> bool {
    let end = &prefix[prefix.len().saturating_sub(5)..];
    // Right behind a backslash an `n` can follow.
    end.contains(&b'\\') && is_invalid_escape(prefix, b"0000") && is_invalid_escape(prefix, b"nnnn")
}

fn is_invalid_escape(prefix: &[u8], behind: &[u8]) -> bool {
    error(prefix, behind).is_some_and(|error| says(&error, "invalid escape"))
}

fn error_is_syntax(prefix: &[u8], behind: &[u8]) -> bool {
    error(prefix, behind).is_some_and(|error| error.is_syntax())
}

fn error(prefix: &[u8], behind: &[u8]) -> Option<Error> {
    let joined;
    let text = match behind {
        [] => prefix,
        _ => {
            joined = [prefix, behind].concat();
            &joined
        }
    };
    serde_json::from_slice::<IgnoredAny>(text).err()
}

fn says(error: &Error, start: &str) -> bool {
    error.to_string().starts_with(start)
}

/// What is wrong with the last byte of `text`, which is the first wrong one.
fn kind(text: &[u8]) -> ErrorKind {
    // Behind `\u` the fault shows when four bytes are there.
    if is_invalid_escape(text, b"0000") {
        return ErrorKind::InvalidEscape;
    }
    let message = error(text, b"").map(|error| error.to_string()).unwrap_or_default();
    let kinds = [
        ("trailing characters", ErrorKind::TrailingBytes),
        ("invalid number", ErrorKind::InvalidNumber),
        ("control character", ErrorKind::ControlCharacter),
        ("expected ident", ErrorKind::InvalidLiteral),
        ("expected ", ErrorKind::UnexpectedByte),
        ("key must be a string", ErrorKind::UnexpectedByte),
        ("trailing comma", ErrorKind::UnexpectedByte),
    ];
    match kinds.iter().find(|(start, _)| message.starts_with(start)) {
        Some((_, kind)) => *kind,
        None => panic!("serde_json says something new: {message}"),
    }
}
