//! Strings, escaped where they must be (RFC 8259 section 7).

use super::Writer;
use super::text::{AsText, Escaped};
use crate::bytes::{Reader, Sink};
use crate::json::{JsonStr, run};

impl<'s, 'm> Writer<'s, 'm> {
    /// A string: of a text, of a number, of pieces that are joined, or formatted; see [`AsText`]. A [`JsonStr`] is written without
    /// the escapes that it does not need; [`json_string`](Writer::json_string) leaves it as it was received.
    #[inline(always)]
    pub fn string(&mut self, text: impl AsText) -> &mut Self {
        text.write_string(self);
        self
    }

    /// A string of plain text.
    pub(super) fn plain(&mut self, text: &str) {
        if self.short_string(text, b"\"") {
            self.comma = true;
        } else {
            self.string_parts(|parts| parts.plain(text));
        }
    }

    /// A string that is short and plain, up to its closing quote and what stands behind it; false for any other, and on a
    /// small machine, which has one way only.
    #[inline(always)]
    pub(super) fn short_string(&mut self, text: &str, close: &[u8]) -> bool {
        let is_short = usize::BITS == 64 && !self.quoted && is_short_and_plain(text.as_bytes());
        if is_short {
            let open: &[u8] = if self.comma { b",\"" } else { b"\"" };
            self.sink.write_three(open, text.as_bytes(), close);
        }
        is_short
    }

    /// A string in parts of both kinds.
    pub(crate) fn string_parts(&mut self, write: impl FnOnce(&mut Escaped<'_, 's, 'm>)) -> &mut Self {
        self.open_string();
        write(&mut Escaped(self));
        self.put_byte(b'"');
        self
    }

    fn open_string(&mut self) {
        self.before_value();
        self.put_byte(b'"');
    }

    /// A string in pieces that need no escape.
    pub(crate) fn plain_string(&mut self, write: impl FnOnce(&mut Sink<'m>)) -> &mut Self {
        self.open_string();
        write(self.sink);
        self.put_byte(b'"');
        self
    }

    /// A string as it was received, escapes and all.
    pub fn json_string(&mut self, string: JsonStr<'_>) -> &mut Self {
        self.string_parts(|parts| parts.json(string))
    }

    /// The characters of `text`, escaped where they must be.
    pub(super) fn escaped(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        loop {
            let (run, tail) = rest.split_at_checked(plain_length(rest)).unwrap_or((rest, &[]));
            self.put(run);
            let Some((byte, tail)) = tail.split_first() else {
                return;
            };
            self.escape(*byte);
            rest = tail;
        }
    }

    fn escape(&mut self, byte: u8) {
        let letter = match byte {
            b'"' | b'\\' => byte,
            8 => b'b',
            9 => b't',
            10 => b'n',
            12 => b'f',
            13 => b'r',
            _ => b'u',
        };
        self.put(&[b'\\', letter]);
        if letter == b'u' {
            self.put(&[b'0', b'0', hex_digit(byte >> 4), hex_digit(byte & 0xF)]);
        }
    }
}

/// How many bytes stand for themselves, up to the first that does not.
fn plain_length(text: &[u8]) -> usize {
    // A small machine has better use for the bytes of the rest.
    if usize::BITS < 64 {
        return text.iter().take_while(|byte| !needs_escape(**byte)).count();
    }
    if is_short_and_plain(text) {
        return text.len();
    }
    let (reader, _) = run::pass(Reader::new(text));
    let left = reader.rest().iter().take_while(|byte| !needs_escape(**byte)).count();
    reader.position().saturating_add(left)
}

/// Of up to sixteen bytes, as most names and words have, all stand for themselves. By their first word and their last,
/// which may overlap.
#[inline(always)]
fn is_short_and_plain(text: &[u8]) -> bool {
    match text.len() {
        4..=7 => ends::<4>(text).is_some_and(|[first, last]| {
            is_plain(u64::from(u32::from_le_bytes(first)) << 32 | u64::from(u32::from_le_bytes(last)))
        }),
        8..=16 => ends::<8>(text).is_some_and(|[first, last]| {
            is_plain(u64::from_le_bytes(first)) && is_plain(u64::from_le_bytes(last))
        }),
        _ => false,
    }
}

fn ends<const N: usize>(text: &[u8]) -> Option<[[u8; N]; 2]> {
    Some([*text.first_chunk()?, *text.last_chunk()?])
}

fn is_plain(word: u64) -> bool {
    run::stops(word as usize).0 == 0
}

const fn needs_escape(byte: u8) -> bool {
    matches!(byte, 0..=0x1F | b'"' | b'\\')
}

const fn hex_digit(nibble: u8) -> u8 {
    match nibble {
        0..=9 => b'0'.wrapping_add(nibble),
        _ => b'a'.wrapping_sub(10).wrapping_add(nibble),
    }
}

// A small machine has one way only.
#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;

    /// What it leaves to the slower way is written as well: only this test and a clock see the difference.
    #[test]
    fn from_four_to_sixteen_plain_bytes_are_taken_at_once() {
        let plain = [b'a'; 20];
        for length in 0..=plain.len() {
            let mut text = plain;
            let text = text.get_mut(..length).unwrap();
            assert_eq!(is_short_and_plain(text), (4..=16).contains(&length), "{length}");
            for place in 0..length {
                for byte in [b'"', b'\\', 0, 0x1F] {
                    text[place] = byte;
                    assert!(!is_short_and_plain(text), "{byte} at {place} of {length}");
                    assert_eq!(plain_length(text), place);
                }
                text[place] = b'a';
            }
            assert_eq!(plain_length(text), length);
        }
    }
}
