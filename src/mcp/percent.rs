//! Percent-encoding (RFC 3986 section 2.1) in the values of a URI template's variables.

use core::fmt;

use crate::bytes::{BufferFull, Sink};
use crate::json::{JsonStr, Steps};

/// The value of a variable, percent-decoded once: `b%20c` is `b c`, and `%252F` is `%2F`.
///
/// Comparison, iteration and display decode on the fly, without a buffer. The value is UTF-8 without NUL; a URI with
/// any other value does not match the template.
///
/// **Any other character can occur, `/` and `..` included.** Before you make a path or another URI of the decoded
/// value, check it, or use the value as it was sent, which never contains a `/`.
///
/// ```
/// use barewire::json::JsonStr;
/// use barewire::mcp::UriTemplate;
///
/// const ROOM: UriTemplate<'_> = UriTemplate::new("home:///{room}");
/// let uri = JsonStr::from_escaped("home:///%C3%A9t%C3%A9%2F1").unwrap();
/// let room = ROOM.decoded(uri, "room").unwrap();
/// assert_eq!(room, "été/1");
/// assert_eq!(room.decode(&mut [0; 8]), Ok("été/1"));
/// assert_eq!(room.as_sent(), "%C3%A9t%C3%A9%2F1");
/// ```
#[derive(Clone, Copy)]
pub struct PercentDecoded<'a> {
    as_sent: JsonStr<'a>,
}

impl<'a> PercentDecoded<'a> {
    /// The value `as_sent`, which must have passed [`is_decodable`].
    pub(super) const fn from_valid(as_sent: JsonStr<'a>) -> Self {
        Self { as_sent }
    }

    /// The value as it was sent, still percent-encoded.
    pub const fn as_sent(self) -> JsonStr<'a> {
        self.as_sent
    }

    /// The characters of the decoded value.
    pub fn chars(self) -> PercentDecodedChars<'a> {
        PercentDecodedChars { steps: self.as_sent.steps() }
    }

    /// Writes the decoded value into `memory`. It is never longer than the value as it was sent.
    ///
    /// # Errors
    /// [`BufferFull`] with the number of bytes needed.
    pub fn decode(self, memory: &mut [u8]) -> Result<&str, BufferFull> {
        let mut sink = Sink::new(memory);
        for character in self.chars() {
            sink.write(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        // Characters are UTF-8.
        Ok(core::str::from_utf8(sink.into_written()?).unwrap_or_default())
    }
}

impl PartialEq<str> for PercentDecoded<'_> {
    fn eq(&self, other: &str) -> bool {
        self.chars().eq(other.chars())
    }
}

impl PartialEq<&str> for PercentDecoded<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

/// Compares the decoded values: `%61` equals `a`.
impl PartialEq for PercentDecoded<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.chars().eq(other.chars())
    }
}

impl Eq for PercentDecoded<'_> {}

/// Displays the decoded value.
impl fmt::Display for PercentDecoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        self.chars().try_for_each(|character| f.write_char(character))
    }
}

/// Shows the value as it was sent.
impl fmt::Debug for PercentDecoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PercentDecoded({:?})", self.as_sent)
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for PercentDecoded<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        self.as_sent.format(f);
    }
}

/// The characters of a [`PercentDecoded`] value.
#[derive(Debug, Clone)]
pub struct PercentDecodedChars<'a> {
    steps: Steps<'a>,
}

impl Iterator for PercentDecodedChars<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        // The value was already decoded once.
        next_character(&mut self.steps).ok().flatten()
    }
}

/// Whether the value can be decoded: whole escapes, UTF-8, and no NUL.
pub(super) fn is_decodable(value: JsonStr<'_>) -> bool {
    let mut steps = value.steps();
    loop {
        match next_character(&mut steps) {
            Ok(None) => return true,
            Ok(Some('\0')) | Err(NotDecodable) => return false,
            Ok(Some(_)) => {}
        }
    }
}

/// Error for percent-encoding that does not decode to text.
struct NotDecodable;

fn next_character(steps: &mut Steps<'_>) -> Result<Option<char>, NotDecodable> {
    let Some(first) = next_byte(steps)? else {
        return Ok(None);
    };
    let length = match first {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    };
    let mut utf8 = [first, 0, 0, 0];
    for place in utf8.iter_mut().take(length).skip(1) {
        *place = next_byte(steps)?.ok_or(NotDecodable)?;
    }
    let text = utf8.get(..length).and_then(|utf8| core::str::from_utf8(utf8).ok());
    text.and_then(|text| text.chars().next()).map(Some).ok_or(NotDecodable)
}

/// A character of the URI, or the byte that an escape stands for.
fn next_byte(steps: &mut Steps<'_>) -> Result<Option<u8>, NotDecodable> {
    let Some(character) = steps.next() else {
        return Ok(None);
    };
    let byte = u8::try_from(character).ok().filter(u8::is_ascii).ok_or(NotDecodable)?;
    if byte != b'%' {
        return Ok(Some(byte));
    }
    let mut digit = || steps.next().and_then(hex_digit).ok_or(NotDecodable);
    Ok(Some(digit()? << 4 | digit()?))
}

/// The value of a hexadecimal digit, which is less than 16.
pub(super) fn hex_digit(character: u32) -> Option<u8> {
    let digit = char::from_u32(character)?.to_digit(16)?;
    Some(digit.to_le_bytes()[0])
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    #[test]
    fn values_that_can_be_decoded() {
        let rows = [
            ("plain text", "a-._~9", "a-._~9"),
            ("nothing", "", ""),
            ("ASCII, both cases of the digits", "%2f%2F%41", "//A"),
            ("decoded once", "%252F%2525", "%2F%25"),
            ("two, three and four bytes", "%C3%A9%E2%82%AC%F0%9F%98%80", "é€😀"),
            (
                "the ends of their ranges",
                "%C2%80%DF%BF%E0%A0%80%EF%BF%BF%F4%8F%BF%BF",
                "\u{80}\u{7FF}\u{800}\u{FFFF}\u{10FFFF}",
            ),
            ("a path", "..%2F..%5C", "../..\\"),
            ("JSON escapes", r"\u0025\u0033\u0031\u0061%3\u0032", "1a2"),
            ("control characters but NUL", "%01%1F%7F", "\u{1}\u{1F}\u{7F}"),
        ];
        for (name, text, expected) in rows {
            let sent = JsonStr::from_escaped(text).unwrap();
            assert!(is_decodable(sent), "{name}");
            let value = PercentDecoded::from_valid(sent);
            assert_eq!(value.to_string(), expected, "{name}");
            assert_eq!(value, *expected, "{name}");
            assert_eq!(value.as_sent(), sent, "{name}");
            let needed = expected.len();
            let mut memory = [0; 32];
            assert_eq!(value.decode(&mut memory), Ok(expected), "{name}");
            assert_eq!(value.decode(&mut memory[..needed]), Ok(expected), "{name}");
            if needed > 0 {
                let less = value.decode(&mut memory[..needed - 1]);
                assert_eq!(less, Err(BufferFull { needed }), "{name}");
            }
        }
        let [a, b, c] =
            ["%61", "a", "A"].map(|text| PercentDecoded::from_valid(JsonStr::from_escaped(text).unwrap()));
        assert_eq!(a, b);
        assert_ne!(a, c);
        assert_eq!(std::format!("{a:?}"), "PercentDecoded(\"%61\")");
    }

    #[test]
    fn values_that_cannot() {
        for (name, text) in [
            ("no digit", "%"),
            ("one digit", "a%4"),
            ("no hexadecimal digits", "%4G"),
            ("a sign", "%+1"),
            ("a second percent sign", "%%41"),
            ("NUL", "a%00"),
            ("NUL in two bytes", "%C0%80"),
            ("a lone continuation", "%80"),
            ("a cut character", "%C3"),
            ("a character cut by another", "%C3a"),
            ("a long form", "%E0%80%AF"),
            ("half a surrogate pair", "%ED%A0%80"),
            ("beyond Unicode", "%F4%90%80%80"),
            ("no byte of UTF-8", "%FF"),
            ("no byte of UTF-8, and more", "%F8%88%80%80%80"),
        ] {
            assert!(!is_decodable(JsonStr::from_escaped(text).unwrap()), "{name}");
        }
    }
}
