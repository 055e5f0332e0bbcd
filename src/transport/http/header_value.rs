//! Comparison of header values with values of a message: `Mcp-Name`, `Mcp-Param-*`.
//!
//! A value that is not plain ASCII is sent as `=?base64?…?=`: its UTF-8 in Base64 (RFC 4648 section 4).

use super::head::{text, trim};
use crate::json::{JsonStr, Number, RawValue};

/// Whether a header value stands for a string.
pub(crate) fn is_string(value: &[u8], expected: JsonStr<'_>) -> bool {
    let mut received = decoded(value);
    for character in expected.chars() {
        // Half a surrogate pair equals no header value.
        let Ok(character) = character else {
            return false;
        };
        let mut utf8 = [0; 4];
        if !character.encode_utf8(&mut utf8).bytes().all(|byte| received.next() == Some(Ok(byte))) {
            return false;
        }
    }
    received.next().is_none()
}

/// The longest number that is compared.
const MAX_NUMBER: usize = 32;

/// Whether a header value stands for a number, in any spelling: `42` and `42.0` are the same. Longer spellings than 32
/// characters stand for none.
pub(crate) fn is_number(value: &[u8], expected: Number<'_>) -> bool {
    let mut memory = [0; MAX_NUMBER];
    let mut received = decoded(value);
    let mut length = 0usize;
    for place in &mut memory {
        match received.next() {
            Some(Ok(byte)) => *place = byte,
            Some(Err(Malformed)) => return false,
            None => break,
        }
        length = length.saturating_add(1);
    }
    let text = memory.get(..length).unwrap_or_default();
    let is_bare =
        |text: &[u8]| matches!(text, [b'-' | b'0'..=b'9', ..]) && text.last().is_some_and(u8::is_ascii_digit);
    if received.next().is_some() || !is_bare(text) {
        return false;
    }
    let number = RawValue::new(text).ok().and_then(RawValue::as_number);
    number.is_some_and(|number| number.compare(expected).is_eq())
}

/// Whether a header value stands for `true` or `false`.
pub(crate) fn is_boolean(value: &[u8], expected: bool) -> bool {
    let expected: &[u8] = if expected { b"true" } else { b"false" };
    decoded(value).eq(expected.iter().map(|byte| Ok(*byte)))
}

/// A value that cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Malformed;

/// The bytes that a header value stands for, up to the first fault.
fn decoded(value: &[u8]) -> Bytes<'_> {
    let value = trim(value);
    if text(value).is_none() {
        return Bytes::Malformed;
    }
    match value.strip_prefix(b"=?base64?").and_then(|rest| rest.strip_suffix(b"?=")) {
        Some(rest) => Bytes::Base64 { rest, group: [0; 3], left: 0 },
        None => Bytes::Plain(value),
    }
}

enum Bytes<'a> {
    Plain(&'a [u8]),
    /// The last `left` bytes of the group have been decoded, but not yet handed out.
    Base64 {
        rest: &'a [u8],
        group: [u8; 3],
        left: u8,
    },
    Malformed,
}

impl Iterator for Bytes<'_> {
    type Item = Result<u8, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Plain(rest) => {
                let (first, after) = rest.split_first()?;
                *rest = after;
                Some(Ok(*first))
            }
            Self::Base64 { rest, group, left } => {
                if *left == 0 {
                    if rest.is_empty() {
                        return None;
                    }
                    let Some(((bytes, count), after)) = rest
                        .split_first_chunk()
                        .and_then(|(quantum, after)| Some((decode(quantum, after)?, after)))
                    else {
                        *self = Self::Malformed;
                        return Some(Err(Malformed));
                    };
                    (*group, *left, *rest) = (bytes, count, after);
                }
                let [first, second, third] = *group;
                *group = [second, third, 0];
                *left = left.saturating_sub(1);
                Some(Ok(first))
            }
            // For ever: nothing may take it for the end of a value.
            Self::Malformed => Some(Err(Malformed)),
        }
    }
}

/// Decodes four characters: the bytes, and their number. Only the last four characters may have padding, and bits that
/// encode nothing are zero.
fn decode(quantum: &[u8; 4], after: &[u8]) -> Option<([u8; 3], u8)> {
    let (digits, count) = match quantum {
        [a, b, b'=', b'='] if after.is_empty() => ([*a, *b, b'A', b'A'], 1),
        [a, b, c, b'='] if after.is_empty() => ([*a, *b, *c, b'A'], 2),
        digits => (*digits, 3),
    };
    let mut bits = 0u32;
    for digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit.wrapping_sub(b'A'),
            b'a'..=b'z' => digit.wrapping_sub(b'a').wrapping_add(26),
            b'0'..=b'9' => digit.wrapping_sub(b'0').wrapping_add(52),
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
    }
    let [_, first, second, third] = bits.to_be_bytes();
    let is_canonical = match count {
        1 => second == 0 && third == 0,
        2 => third == 0,
        _ => true,
    };
    is_canonical.then_some(([first, second, third], count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> RawValue<'_> {
        RawValue::new(text.as_bytes()).unwrap()
    }

    #[test]
    fn h89_h91_h92_h93_strings() {
        let cases: &[(&[u8], &str, bool)] = &[
            (b"add", r#""add""#, true),
            (b" \tadd\t ", r#""add""#, true),
            (b"Add", r#""add""#, false),
            (b"ad", r#""add""#, false),
            (b"addd", r#""add""#, false),
            (b"", r#""""#, true),
            (b"a b", r#""a b""#, true),
            (b"add", r#""\u0061dd""#, true),
            (b"\\u0061dd", r#""\u0061dd""#, false),
            (b"\"add\"", r#""add""#, false),
            // Bytes that a plain value may not have.
            ("ä".as_bytes(), r#""ä""#, false),
            (b"\xe4", r#""ä""#, false),
            (b"a\0", r#""a\u0000""#, false),
            (b"a\x7f", "\"a\x7f\"", false),
            (b"a\tb", r#""a\tb""#, true),
            // The encoded form.
            (b"=?base64?YWRk?=", r#""add""#, true),
            (b" =?base64?YWRk?= ", r#""add""#, true),
            (b"=?base64?w6Q=?=", r#""ä""#, true),
            (b"=?base64?w6Q=?=", r#""\u00e4""#, true),
            (b"=?base64?8J+YgA==?=", r#""\ud83d\ude00""#, true),
            (b"=?base64??=", r#""""#, true),
            (b"=?base64?IGEg?=", r#"" a ""#, true),
            (b"=?base64?AA==?=", r#""\u0000""#, true),
            (b"=?base64?PT9iYXNlNjQ/Pz0=?=", r#""=?base64??=""#, true),
            (b"=?base64?PT9iYXNlNjQ/Pz0=?=", r#""=?base64?PT9iYXNlNjQ/Pz0=?=""#, false),
            // A prefix or suffix that is missing or in another case makes a literal.
            (b"=?base64?YWRk", r#""=?base64?YWRk""#, true),
            (b"YWRk?=", r#""YWRk?=""#, true),
            (b"=?BASE64?YWRk?=", r#""=?BASE64?YWRk?=""#, true),
            (b"=?BASE64?YWRk?=", r#""add""#, false),
            (b"=?base64?=", r#""=?base64?=""#, true),
            (b"=?utf-8?YWRk?=", r#""=?utf-8?YWRk?=""#, true),
            // Strict padding and alphabet.
            (b"=?base64?YQ?=", r#""a""#, false),
            (b"=?base64?YQ=?=", r#""a""#, false),
            (b"=?base64?YQ==?=", r#""a""#, true),
            (b"=?base64?YR==?=", r#""a""#, false),
            (b"=?base64?YWI=?=", r#""ab""#, true),
            (b"=?base64?YWJ=?=", r#""ab""#, false),
            (b"=?base64?YQ==YQ==?=", r#""aa""#, false),
            (b"=?base64?YWRk====?=", r#""add""#, false),
            (b"=?base64?====?=", r#""""#, false),
            (b"=?base64?Y===?=", r#""a""#, false),
            (b"=?base64?YW=k?=", r#""add""#, false),
            (b"=?base64?YW Rk?=", r#""add""#, false),
            (b"=?base64?YWRk\t?=", r#""add""#, false),
            (b"=?base64?8J-YgA==?=", r#""\ud83d\ude00""#, false),
            (b"=?base64?YWRkYWRkY?=", r#""addadd""#, false),
            // UTF-8 that is cut, of a surrogate, or too long for its character.
            (b"=?base64?ww==?=", r#""ä""#, false),
            (b"=?base64?7aCA?=", r#""\ud800""#, false),
            (b"=?base64?wIA=?=", r#""\u0000""#, false),
            (b"=?base64?77+9?=", r#""\ud800""#, false),
            (b"\\ud800", r#""\ud800""#, false),
        ];
        for (header, json, equal) in cases {
            assert_eq!(is_string(header, value(json).as_string().unwrap()), *equal, "{header:?} and {json}");
        }
    }

    #[test]
    fn h113_integers_are_compared_as_numbers() {
        let cases: &[(&[u8], &str, bool)] = &[
            (b"42", "42", true),
            (b" 42 ", "42", true),
            (b"42.0", "42", true),
            (b"42", "42.0", true),
            (b"4.2e1", "42", true),
            (b"-0", "0", true),
            (b"-7", "-7", true),
            (b"9007199254740991", "9007199254740991", true),
            (b"9007199254740992", "9007199254740993", false),
            (b"=?base64?NDI=?=", "42", true),
            (b"=?base64?NDI?=", "42", false),
            (b"42", "43", false),
            (b"", "0", false),
            (b"+42", "42", false),
            (b"042", "42", false),
            (b"42.", "42", false),
            (b"0x2a", "42", false),
            (b"\"42\"", "42", false),
            (b"4 2", "42", false),
            (b"42,42", "42", false),
            (b"=?base64?IDQy?=", "42", false),
            (b"=?base64?NDIK?=", "42", false),
            (b"42\xff", "42", false),
            (b"NaN", "42", false),
            (b"null", "0", false),
            (b"42.00000000000000000000000000000", "42", true),
            (b"42.000000000000000000000000000000", "42", false),
        ];
        for (header, json, equal) in cases {
            assert_eq!(is_number(header, value(json).as_number().unwrap()), *equal, "{header:?} and {json}");
        }
    }

    #[test]
    fn h111_h113_booleans() {
        let cases: &[(&[u8], bool, bool)] = &[
            (b"true", true, true),
            (b"\tfalse ", false, true),
            (b"=?base64?dHJ1ZQ==?=", true, true),
            (b"true", false, false),
            (b"True", true, false),
            (b"1", true, false),
            (b"", false, false),
            (b"tru", true, false),
            (b"true ?", true, false),
            (b"=?base64?dHJ1ZQ=?=", true, false),
        ];
        for (header, expected, equal) in cases {
            assert_eq!(is_boolean(header, *expected), *equal, "{header:?} and {expected}");
        }
    }
}
