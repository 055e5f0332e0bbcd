//! A scanner that accepts what is usual and says nothing of anything else.
//!
//! It has no errors: `None` means that the general scanner is to judge. So it needs to be right only where it accepts.

use super::is_white_space;
use super::run::stops;
use super::scan::Scanner;
use crate::bytes::Reader;

const HIGH: u64 = 0x8080_8080_8080_8080;

/// With no more bytes than these to come, an object is likely to be flat, and reading some of it twice costs little.
const SHORT: usize = 128;

/// A place in a text that is being read: what is left of it. So a look ahead costs one comparison.
pub(crate) struct Quick<'a> {
    text: &'a [u8],
    rest: &'a [u8],
    /// A byte of 0x80 or above may have been passed.
    high: bool,
}

impl<'a> Quick<'a> {
    #[inline(always)]
    pub(crate) const fn new(text: &'a [u8]) -> Self {
        Self { text, rest: text, high: false }
    }

    #[inline(always)]
    pub(crate) const fn position(&self) -> usize {
        self.text.len().wrapping_sub(self.rest.len())
    }

    /// The bytes from `start` to here.
    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        self.text.get(start..self.position()).unwrap_or_default()
    }

    /// Passes `by` bytes, if there are so many.
    #[inline(always)]
    pub(crate) fn pass(&mut self, by: usize) -> Option<()> {
        self.rest = self.rest.get(by..)?;
        Some(())
    }

    /// The next byte, or 0 at the end.
    #[inline(always)]
    pub(crate) const fn peek(&self) -> u8 {
        match self.rest.first() {
            Some(byte) => *byte,
            None => 0,
        }
    }

    /// Passes `byte`.
    #[inline(always)]
    pub(crate) fn byte(&mut self, byte: u8) -> Option<()> {
        match self.rest.split_first() {
            Some((next, rest)) if *next == byte => self.rest = rest,
            _ => return None,
        }
        Some(())
    }

    /// The next eight bytes, the first one lowest, zeros behind the end; `None` for a text that is shorter.
    #[inline(always)]
    pub(crate) fn word(&self) -> Option<u64> {
        match self.rest.first_chunk::<8>() {
            Some(word) => Some(u64::from_le_bytes(*word)),
            None => self.last_word(),
        }
    }

    #[cold]
    fn last_word(&self) -> Option<u64> {
        let last = u64::from_le_bytes(*self.text.last_chunk::<8>()?);
        let missing = 8usize.wrapping_sub(self.rest.len());
        last.checked_shr(u32::try_from(missing.wrapping_mul(8)).ok()?)
    }

    #[inline(always)]
    pub(crate) fn white_space(&mut self) {
        while let Some((byte, rest)) = self.rest.split_first()
            && *byte <= b' '
            && is_white_space(*byte)
        {
            self.rest = rest;
        }
    }

    /// A string without escapes, its opening quote next.
    #[inline(always)]
    pub(crate) fn plain_string(&mut self) -> Option<()> {
        self.byte(b'"')?;
        loop {
            let (stop, high) = stops(self.word()? as usize);
            self.high |= high != 0;
            if stop != 0 {
                self.pass((stop.trailing_zeros() >> 3) as usize)?;
                return self.byte(b'"');
            }
            self.pass(8)?;
        }
    }

    /// An integer, its first byte next.
    #[inline(always)]
    fn integer(&mut self) -> Option<()> {
        if self.peek() == b'-' {
            self.pass(1)?;
        }
        let is_zero = self.peek() == b'0';
        let before = self.rest.len();
        loop {
            let word = self.word()? ^ u64::from_ne_bytes([b'0'; 8]);
            // A byte above 9 gets its highest bit; a carry comes out of such a byte only.
            let others = (word.wrapping_add(u64::from_ne_bytes([0x76; 8])) | word) & HIGH;
            if others != 0 {
                self.pass((others.trailing_zeros() >> 3) as usize)?;
                break;
            }
            self.pass(8)?;
        }
        let length = before.wrapping_sub(self.rest.len());
        (length == 1 || (length > 0 && !is_zero)).then_some(())?;
        (!matches!(self.peek(), b'.' | b'e' | b'E')).then_some(())
    }

    /// A value, `room` levels deep at most.
    #[inline(always)]
    pub(crate) fn value(&mut self, room: u8) -> Option<()> {
        match self.peek() {
            b'"' => self.plain_string(),
            b'{' | b'[' => self.container(room),
            b'-' | b'0'..=b'9' => self.integer(),
            _ => None,
        }
    }

    #[inline(always)]
    fn container(&mut self, room: u8) -> Option<()> {
        if let [b'{', b'}', rest @ ..] = self.rest
            && room > 0
        {
            self.rest = rest;
            return Some(());
        }
        let mut high = false;
        let end = container(self.text, self.position(), room, &mut high)?;
        self.rest = self.text.get(end..)?;
        self.high |= high;
        Some(())
    }

    /// An object of strings and integers without white space, its bracket next: what most short `params` are.
    #[inline(always)]
    fn flat(&mut self) -> Option<()> {
        self.byte(b'{')?;
        loop {
            self.plain_string()?;
            self.byte(b':')?;
            match self.peek() {
                b'"' => self.plain_string()?,
                _ => self.integer()?,
            }
            if self.peek() != b',' {
                return self.byte(b'}');
            }
            self.pass(1)?;
        }
    }

    /// Behind the outermost value: white space, the end, and UTF-8 all along.
    #[inline(always)]
    pub(crate) fn end(&mut self) -> Option<()> {
        self.white_space();
        if !self.rest.is_empty() {
            return None;
        }
        if self.high { is_utf8(self.text) } else { Some(()) }
    }
}

/// Behind the object or array at `at`. Sets `high` where a byte of 0x80 or above may have been passed. A function of its
/// own, so that the walk over the envelope keeps its registers.
#[inline(never)]
fn container(text: &[u8], at: usize, room: u8, high: &mut bool) -> Option<usize> {
    let rest = text.get(at..)?;
    if rest.len() <= SHORT && room > 0 {
        let mut quick = Quick { text, rest, high: false };
        if quick.flat().is_some() {
            *high = quick.high;
            return Some(quick.position());
        }
    }
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if super::fast::is_worth_it(text, at)
        && let Some(end) = super::fast::container(text, at, room, high)
    {
        return end;
    }
    let mut scanner = Scanner::over(Reader::at(text, at), room);
    scanner.value(0).ok()?;
    *high = scanner.has_non_ascii();
    Some(scanner.position())
}

#[cfg(feature = "std")]
fn is_utf8(text: &[u8]) -> Option<()> {
    simdutf8::basic::from_utf8(text).ok().map(drop)
}

#[cfg(not(feature = "std"))]
fn is_utf8(text: &[u8]) -> Option<()> {
    core::str::from_utf8(text).ok().map(drop)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    /// All texts of up to five of these bytes, in an object: where it is taken for a flat one, the scanner agrees, and
    /// ends at the same place.
    #[test]
    fn what_is_taken_for_flat_is_valid() {
        const BYTES: &[u8] = b"{}[]\":,0-.1e\\ t\x01\xC3";
        let mut taken = 0;
        for (before, behind) in [("{", "} , "), ("{\"a\":", "}       "), ("{\"a\":\"", "\"}      ")] {
            let mut inside = [0usize; 5];
            loop {
                let middle = inside.map(|place| BYTES[place]);
                let text = [before.as_bytes(), &middle, behind.as_bytes()].concat();
                let mut quick = Quick::new(&text);
                if quick.flat().is_some() {
                    let mut scanner = Scanner::new(&text, 1);
                    assert!(scanner.value(0).is_ok(), "{}", text.escape_ascii());
                    assert_eq!(quick.position(), scanner.position(), "{}", text.escape_ascii());
                    assert!(quick.high || text.is_ascii());
                    taken += 1;
                }
                let Some(next) = inside.iter().rposition(|place| place + 1 < BYTES.len()) else {
                    break;
                };
                inside[next] += 1;
                inside[next + 1..].fill(0);
            }
        }
        assert!(taken > 1000, "{taken}");
    }

    #[test]
    fn usual_params_are_flat() {
        for (text, is_flat) in [
            (r#"{"cursor":"abc"}        "#, true),
            (r#"{"progressToken":4711,"progress":50,"total":100,"message":"half"}"#, true),
            (r#"{"a":-1,"é":""}         "#, true),
            (r#"{"a":1 }                "#, false),
            (r#"{"a":{}}                "#, false),
            (r#"{"a":true}              "#, false),
            (r#"{"a":1.5}               "#, false),
            (r#"{"a":"\u0041"}          "#, false),
            (r#"{}                      "#, false),
        ] {
            assert_eq!(Quick::new(text.as_bytes()).flat().is_some(), is_flat, "{text}");
        }
    }
}
