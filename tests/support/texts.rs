//! What values and errors say to people, written out.

use std::fmt::Write;

use barewire::json::{ErrorKind, NumberError, ParseError, UnescapeError};
use barewire::rpc::{Reason, RewriteError};

/// So many bytes of a message are shown at most.
const MOST: usize = 256;
const HALF_A_PAIR: &str = "half a surrogate pair stands for no character";

/// Bytes as text, what is no text as `\xNN`; of long ones the beginning, without half a character.
pub fn beginning(bytes: &[u8]) -> String {
    let mut end = bytes.len().min(MOST);
    if bytes.len() > MOST {
        let is_inside = |at: usize| bytes[at] & 0xC0 == 0x80;
        let mut ends = (MOST - 3..=MOST).filter(|at| !is_inside(*at));
        end = ends.next_back().unwrap_or(MOST);
    }
    let mut text = String::new();
    let mut rest = &bytes[..end];
    while let Some(first) = rest.first() {
        let lengths = 1..=rest.len().min(4);
        let character = lengths.into_iter().find_map(|length| std::str::from_utf8(&rest[..length]).ok());
        let length = match character {
            Some(character @ ("\"" | "'" | "\\")) => {
                text.push_str(character);
                1
            }
            Some(character) => {
                text.extend(character.escape_debug());
                character.len()
            }
            None => {
                write!(text, "\\x{first:02x}").expect("a text grows");
                1
            }
        };
        rest = &rest[length..];
    }
    if bytes.len() > end {
        write!(text, "… ({} bytes)", bytes.len()).expect("a text grows");
    }
    text
}

/// A fault of JSON.
pub fn of_fault(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::UnexpectedEnd => "unexpected end of text",
        ErrorKind::UnexpectedByte => "unexpected byte",
        ErrorKind::ControlCharacter => "control character in string",
        ErrorKind::InvalidEscape => "invalid escape in string",
        ErrorKind::InvalidNumber => "invalid number",
        ErrorKind::InvalidLiteral => "invalid literal",
        ErrorKind::TrailingBytes => "bytes after the value",
        ErrorKind::InvalidUtf8 => "invalid UTF-8",
        ErrorKind::TooDeep => "nested too deep",
        other => panic!("{other:?}"),
    }
}

/// Why a number is not the integer that was wanted.
pub fn of_number(error: NumberError) -> &'static str {
    match error {
        NumberError::NotAnInteger => "the number is not an integer",
        NumberError::OutOfRange => "the number is out of range",
        NumberError::Inexact => "the number has too many decimals",
        other => panic!("{other:?}"),
    }
}

/// Why a string is not unescaped.
pub fn of_string(error: UnescapeError) -> String {
    match error {
        UnescapeError::LoneSurrogate => HALF_A_PAIR.to_owned(),
        UnescapeError::BufferFull { needed } => format!("the string needs {needed} bytes"),
    }
}

/// Why a value does not fit a type.
pub fn of_type(error: ParseError) -> &'static str {
    match error {
        ParseError::TooDeep => "nested too deep",
        ParseError::WrongKind => "another kind of value is wanted",
        ParseError::InvalidNumber => "the number does not fit",
        ParseError::MissingMember => "a member is missing",
        ParseError::RepeatedMember => "a member occurs twice",
        ParseError::UnknownMember => "a member is not known",
        ParseError::LoneSurrogate => HALF_A_PAIR,
        ParseError::EscapedString => "a string with escapes cannot be borrowed",
        ParseError::Refused => "the value does not fit the type",
        other => panic!("{other:?}"),
    }
}

/// Why a message cannot be given another id.
pub fn of_rewrite(error: RewriteError) -> &'static str {
    match error {
        RewriteError::Absent => "the message has no such id",
        RewriteError::Repeated => "the id occurs twice",
    }
}

/// The word for why a frame is no message.
pub fn of_reason(reason: Reason) -> &'static str {
    match reason {
        Reason::NotJson(_) => "not-json",
        Reason::TooDeep => "too-deep",
        Reason::TooLong => "too-long",
        Reason::Batch => "batch",
        Reason::NotAnObject => "not-an-object",
        Reason::RepeatedMember => "repeated-member",
        Reason::MissingVersion => "missing-version",
        Reason::WrongVersion => "wrong-version",
        Reason::MethodNotAString => "method-not-a-string",
        Reason::InvalidId => "invalid-id",
        Reason::ParamsNotAnObject => "params-not-an-object",
        Reason::NotAMessage => "not-a-message",
        Reason::ResultAndError => "result-and-error",
        Reason::ResultNotAnObject => "result-not-an-object",
        Reason::ErrorNotAnObject => "error-not-an-object",
        Reason::RepeatedErrorMember => "repeated-error-member",
        Reason::InvalidErrorCode => "invalid-error-code",
        Reason::InvalidErrorMessage => "invalid-error-message",
        Reason::ResultWithoutId => "result-without-id",
        Reason::ErrorWithoutId => "error-without-id",
    }
}
