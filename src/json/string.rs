//! Strings, kept in their escaped form.

use core::fmt;
use core::hash::{Hash, Hasher};

/// A JSON string as the text between its quotes: borrowed, still escaped, known to be valid.
///
/// Comparison and iteration unescape on the fly, without a buffer. A surrogate pair is the one character it stands for.
/// An escape that is half of such a pair (`"\ud800"`) is legal JSON (RFC 8259 section 8.2): a string with one equals no
/// Rust string and refuses only to be decoded.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use barewire::json::RawValue;
///
/// let name = RawValue::new(br#""tools\/\u0063all""#)?.as_string().unwrap();
/// assert_eq!(name, "tools/call");
/// let mut memory = [0; 16];
/// assert_eq!(name.unescape(&mut memory)?, "tools/call");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct JsonStr<'a> {
    escaped: &'a [u8],
}

impl<'a> JsonStr<'a> {
    /// The empty string.
    pub const EMPTY: JsonStr<'static> = JsonStr { escaped: b"" };

    /// `escaped` must be what stands between the quotes of a valid string.
    pub(crate) const fn from_valid(escaped: &'a [u8]) -> Self {
        Self { escaped }
    }

    /// The text between the quotes, as it stands. Linear: the UTF-8 is checked again.
    pub fn as_escaped(self) -> &'a str {
        str_of(self.escaped)
    }

    /// The same as bytes, without cost.
    pub const fn as_escaped_bytes(self) -> &'a [u8] {
        self.escaped
    }

    /// The string itself, if it has no escape. Linear.
    pub fn as_str(self) -> Option<&'a str> {
        (!self.has_escapes()).then(|| self.as_escaped())
    }

    /// Whether any character is escaped. Linear.
    #[expect(clippy::manual_contains, reason = "the search by words is too much code for a small machine")]
    pub fn has_escapes(self) -> bool {
        if usize::BITS == 64 {
            return self.escaped.contains(&b'\\');
        }
        self.escaped.iter().any(|byte| *byte == b'\\')
    }

    /// Whether it is the empty string.
    pub const fn is_empty(self) -> bool {
        self.escaped.is_empty()
    }

    /// The characters, unescaped; an error in the place of half a surrogate pair.
    pub fn chars(self) -> Chars<'a> {
        Chars { code_points: self.code_points() }
    }

    /// The characters and lone surrogates as numbers, each with access to the rest of the text.
    pub(crate) fn steps(self) -> Steps<'a> {
        Steps { code_points: self.code_points() }
    }

    /// The text between two places, each given by the number of bytes after it.
    pub(crate) fn between(self, start_remaining: usize, end_remaining: usize) -> Self {
        let start = self.escaped.len().saturating_sub(start_remaining);
        let end = self.escaped.len().saturating_sub(end_remaining);
        Self { escaped: self.escaped.get(start..end).unwrap_or_default() }
    }

    /// The characters and lone surrogates, as numbers.
    fn code_points(self) -> CodePoints<'a> {
        CodePoints { rest: self.escaped }
    }

    /// Writes the unescaped string into `memory`, or borrows the text where nothing is escaped.
    ///
    /// The unescaped form is never longer than the escaped one.
    ///
    /// # Errors
    /// [`UnescapeError::LoneSurrogate`], [`UnescapeError::BufferFull`] with the number of bytes that are needed.
    pub fn unescape<'m>(self, memory: &'m mut [u8]) -> Result<&'m str, UnescapeError>
    where
        'a: 'm,
    {
        if let Some(plain) = self.as_str() {
            return Ok(plain);
        }
        let mut length = 0usize;
        for item in self.chars() {
            let character = item.map_err(|_| UnescapeError::LoneSurrogate)?;
            let mut utf8 = [0; 4];
            let utf8 = character.encode_utf8(&mut utf8).as_bytes();
            let place = memory.get_mut(length..).and_then(|rest| rest.split_at_mut_checked(utf8.len()));
            if let Some((place, _)) = place {
                crate::bytes::copy(place, utf8);
            }
            length = length.saturating_add(utf8.len());
        }
        match memory.get(..length) {
            Some(written) => Ok(str_of(written)),
            None => Err(UnescapeError::BufferFull { needed: length }),
        }
    }

    /// Whether `text` starts with the string: for completions.
    pub fn is_prefix_of(self, text: &str) -> bool {
        self.strip_from(text).is_some()
    }

    /// Whether the string starts with `prefix`.
    pub fn starts_with(self, prefix: &str) -> bool {
        let mut found = self.code_points();
        prefix.chars().all(|c| found.next() == Some(u32::from(c)))
    }

    /// The rest of `text` after the string, if `text` starts with it.
    fn strip_from(self, text: &str) -> Option<&[u8]> {
        let mut text = text.as_bytes();
        let mut found = self.code_points();
        while let Some((byte, rest)) = found.rest.split_first() {
            if *byte == b'\\' {
                (found.next() == character(&mut text)).then_some(())?;
            } else {
                // Outside of escapes the bytes are the same.
                text = text.strip_prefix(&[*byte])?;
                found.rest = rest;
            }
        }
        Some(text)
    }
}

impl PartialEq<str> for JsonStr<'_> {
    #[cfg_attr(target_pointer_width = "64", inline)]
    fn eq(&self, other: &str) -> bool {
        // An escape is longer than what it stands for. So with equal lengths equal bytes decide (a text with a
        // backslash stands for a shorter string), and only a longer text needs to be decoded.
        if self.escaped.len() <= other.len() {
            return self.escaped == other.as_bytes() && !self.has_escapes();
        }
        self.strip_from(other).is_some_and(<[u8]>::is_empty)
    }
}

impl PartialEq<&str> for JsonStr<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

/// Compares the unescaped strings: `"\u0061"` equals `"a"`, and `"\ud800"` equals `"\uD800"`.
impl PartialEq for JsonStr<'_> {
    fn eq(&self, other: &Self) -> bool {
        // For speed alone; a small machine saves the flash.
        if usize::BITS == 64 {
            if self.escaped == other.escaped {
                return true;
            }
            if !self.has_escapes() && !other.has_escapes() {
                return false;
            }
        }
        self.code_points().eq(other.code_points())
    }
}

impl Eq for JsonStr<'_> {}

impl Hash for JsonStr<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for code_point in self.code_points() {
            state.write_u32(code_point);
        }
        // Beyond Unicode: so that a string is no prefix of another.
        state.write_u32(u32::MAX);
    }
}

/// The unescaped string; half a surrogate pair is shown as U+FFFD.
impl fmt::Display for JsonStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        self.chars().try_for_each(|item| f.write_char(item.unwrap_or(char::REPLACEMENT_CHARACTER)))
    }
}

/// The string as its JSON text.
impl fmt::Debug for JsonStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.as_escaped())
    }
}

/// An escape that is half of a surrogate pair: it stands for no character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LoneSurrogate;

impl fmt::Display for LoneSurrogate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("half a surrogate pair stands for no character")
    }
}

impl core::error::Error for LoneSurrogate {}

/// Why a string could not be unescaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum UnescapeError {
    /// It has half a surrogate pair, which no Rust string can hold.
    LoneSurrogate,
    /// The memory is too small.
    BufferFull {
        /// As many bytes are enough.
        needed: usize,
    },
}

impl fmt::Display for UnescapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LoneSurrogate => LoneSurrogate.fmt(f),
            Self::BufferFull { needed } => write!(f, "the string needs {needed} bytes"),
        }
    }
}

impl core::error::Error for UnescapeError {}

/// The characters of a [`JsonStr`], unescaped.
#[derive(Debug, Clone)]
pub struct Chars<'a> {
    code_points: CodePoints<'a>,
}

impl Iterator for Chars<'_> {
    type Item = Result<char, LoneSurrogate>;

    fn next(&mut self) -> Option<Self::Item> {
        let code_point = self.code_points.next()?;
        Some(char::from_u32(code_point).ok_or(LoneSurrogate))
    }
}

/// A walk over the characters that can be tried from any place, and can hand out what is left.
#[derive(Debug, Clone)]
pub(crate) struct Steps<'a> {
    code_points: CodePoints<'a>,
}

impl<'a> Steps<'a> {
    pub(crate) fn next(&mut self) -> Option<u32> {
        self.code_points.next()
    }

    /// How many bytes of the escaped text are left.
    pub(crate) fn remaining(&self) -> usize {
        self.code_points.rest.len()
    }
}

/// A walk over the bytes: they are known to be UTF-8, and need not be checked again.
#[derive(Debug, Clone)]
struct CodePoints<'a> {
    rest: &'a [u8],
}

impl Iterator for CodePoints<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if let [b'\\', letter, rest @ ..] = self.rest {
            self.rest = rest;
            return Some(match letter {
                b'b' => 0x8,
                b'f' => 0xC,
                b'n' => 0xA,
                b'r' => 0xD,
                b't' => 0x9,
                b'u' => self.unicode_escape(),
                itself => u32::from(*itself),
            });
        }
        character(&mut self.rest)
    }
}

impl CodePoints<'_> {
    /// Behind `\u`: the code unit, or the character of a pair of them (RFC 8259 section 7).
    fn unicode_escape(&mut self) -> u32 {
        let unit = hex_digits(&mut self.rest);
        if !(0xD800..0xDC00).contains(&unit) {
            return unit;
        }
        let [b'\\', b'u', ahead @ ..] = self.rest else {
            return unit;
        };
        let mut ahead = ahead;
        let low = hex_digits(&mut ahead);
        if !(0xDC00..0xE000).contains(&low) {
            return unit;
        }
        self.rest = ahead;
        0x10000u32.wrapping_add(((unit & 0x3FF) << 10) | (low & 0x3FF))
    }
}

/// Takes the first character off `text` (RFC 3629 section 3).
fn character(text: &mut &[u8]) -> Option<u32> {
    let (first, rest) = text.split_first()?;
    *text = rest;
    let mut value = u32::from(*first);
    // What is left of the first byte when its mark is taken off, and of the 6 bits of each byte behind it.
    let mut mask: u32 = 0x7F;
    if value >= 0x80 {
        mask = 0x3F;
        while let Some((byte @ 0x80..0xC0, rest)) = text.split_first() {
            *text = rest;
            value = (value << 6) | u32::from(byte & 0x3F);
            mask = (mask << 5) | 0x1F;
        }
    }
    Some(value & mask)
}

/// The `&str` of bytes that are known to be UTF-8; the fallback is never taken.
pub(in crate::json) fn str_of(text: &[u8]) -> &str {
    core::str::from_utf8(text).unwrap_or_default()
}

fn hex_digits(rest: &mut &[u8]) -> u32 {
    let Some((digits, behind)) = rest.split_at_checked(4) else {
        return 0;
    };
    *rest = behind;
    digits.iter().fold(0, |value, digit| (value << 4) | char::from(*digit).to_digit(16).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::{String, ToString};

    fn string(escaped: &str) -> JsonStr<'_> {
        JsonStr::from_valid(escaped.as_bytes())
    }

    #[test]
    fn every_escape_of_the_grammar() {
        let cases = [
            (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"),
            (r"\u0041\u00e9\u20AC", "Aé€"),
            (r"\ud83d\ude00", "😀"),
            (r"\ud800\udc00", "\u{10000}"),
            (r"\uDBFF\uDFFF", "\u{10FFFF}"),
            (r"\u0000", "\0"),
            ("日本 plain", "日本 plain"),
            ("", ""),
        ];
        for (escaped, plain) in cases {
            assert_eq!(string(escaped), *plain, "{escaped}");
            assert_eq!(string(escaped).to_string(), plain);
            let mut memory = [0; 32];
            assert_eq!(string(escaped).unescape(&mut memory), Ok(plain));
        }
    }

    #[test]
    fn every_character_is_itself_and_its_escape() {
        for character in '\u{20}'..=char::MAX {
            let mut memory = [0; 4];
            let mut units = [0; 2];
            let plain: &str = character.encode_utf8(&mut memory);
            let escaped: String =
                character.encode_utf16(&mut units).iter().map(|unit| std::format!("\\u{unit:04x}")).collect();
            assert_eq!(string(&escaped), *plain);
            if !matches!(character, '"' | '\\') {
                assert_eq!(string(plain).chars().next(), Some(Ok(character)));
                assert_eq!(string(plain).chars().count(), 1);
            }
        }
    }

    #[test]
    fn half_a_pair_equals_no_string_and_refuses_to_be_decoded() {
        for escaped in [r"\ud800", r"\udc00", r"\ud800x", r"\ud800\n", r"\ud800\u0041", r"\udc00\ud800"] {
            let half = string(escaped);
            assert_eq!(half.unescape(&mut [0; 32]), Err(UnescapeError::LoneSurrogate));
            assert_ne!(half, *half.to_string().as_str(), "{escaped}");
            assert_eq!(half, half);
        }
        assert_eq!(string(r"\uD83D"), string(r"\ud83d"));
        assert_ne!(string(r"\ud83d"), string(r"\ud83e"));
        // Two high halves, then a low one: the pair is the second and the third.
        let text: String = string(r"\ud83d\ud83d\ude00").to_string();
        assert_eq!(text, "\u{FFFD}😀");
    }

    #[test]
    fn comparison_is_of_what_is_meant() {
        let cases = [
            ("a", "a", true),
            (r"\u0061", "a", true),
            (r"\u0061", r"\u0061", false),
            ("a", "ab", false),
            ("ab", "a", false),
            (r"\n", r"\n", false),
            (r"\\", r"\", true),
            ("ä", "a", false),
        ];
        for (escaped, plain, equal) in cases {
            assert_eq!(string(escaped) == *plain, equal, "{escaped} and {plain}");
            // And without a look at the lengths.
            let rest = string(escaped).strip_from(plain);
            assert_eq!(rest.is_some_and(<[u8]>::is_empty), equal, "{escaped} and {plain}");
        }
        assert!(string("abc").starts_with("ab"));
        assert!(string(r"\u0061bc").starts_with("ab"));
        assert!(!string("a").starts_with("ab"));
        assert!(string(r"\u0061").is_prefix_of("ab"));
        assert!(!string("abc").is_prefix_of("ab"));
    }

    #[test]
    fn too_little_memory_says_how_much_is_needed() {
        for size in 0..7 {
            let mut memory = [0; 7];
            let memory = memory.get_mut(..size).unwrap();
            let expected =
                if size < 6 { Err(UnescapeError::BufferFull { needed: 6 }) } else { Ok("\n😀x") };
            assert_eq!(string(r"\n\ud83d\ude00x").unescape(memory), expected);
        }
    }
}
