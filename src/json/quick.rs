//! A scanner that accepts what is usual and says nothing of anything else.
//!
//! It has no errors: `None` means that the general scanner is to judge. So it needs to be right only where it accepts.

use super::is_white_space;
use super::scan::{Scanner, stops};

const HIGH: u64 = 0x8080_8080_8080_8080;

/// A place in a text that is being read.
pub(crate) struct Quick<'a> {
    bytes: &'a [u8],
    pos: usize,
    /// A byte of 0x80 or above may have been passed.
    high: bool,
}

impl<'a> Quick<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            pos: 0,
            high: false,
        }
    }

    pub(crate) const fn position(&self) -> usize {
        self.pos
    }

    /// The bytes from `start` to here.
    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.pos).unwrap_or_default()
    }

    #[inline(always)]
    pub(crate) fn advance(&mut self, by: usize) {
        self.pos = self.pos.wrapping_add(by);
    }

    /// The next byte, or 0 at the end.
    #[inline(always)]
    pub(crate) fn peek(&self) -> u8 {
        self.bytes.get(self.pos).copied().unwrap_or(0)
    }

    /// Passes `byte`.
    #[inline(always)]
    pub(crate) fn byte(&mut self, byte: u8) -> Option<()> {
        (self.peek() == byte).then(|| self.advance(1))
    }

    /// The next eight bytes, the first one lowest, zeros behind the end; `None` for a text that is shorter.
    #[inline(always)]
    pub(crate) fn word(&self) -> Option<u64> {
        let rest = self.bytes.get(self.pos..)?;
        match rest.first_chunk::<8>() {
            Some(word) => Some(u64::from_le_bytes(*word)),
            None => {
                let last = u64::from_le_bytes(*self.bytes.last_chunk::<8>()?);
                let missing = 8usize.wrapping_sub(rest.len());
                last.checked_shr(u32::try_from(missing.wrapping_mul(8)).ok()?)
            }
        }
    }

    #[inline(always)]
    pub(crate) fn white_space(&mut self) {
        while self.peek() <= b' ' && is_white_space(self.peek()) {
            self.advance(1);
        }
    }

    /// A string without escapes, its opening quote next.
    #[inline(always)]
    pub(crate) fn plain_string(&mut self) -> Option<()> {
        self.byte(b'"')?;
        loop {
            let (stop, high) = stops(self.word()?);
            self.high |= high != 0;
            if stop != 0 {
                self.advance((stop.trailing_zeros() >> 3) as usize);
                return self.byte(b'"');
            }
            self.advance(8);
        }
    }

    /// An integer, its first byte next.
    #[inline(always)]
    fn integer(&mut self) -> Option<()> {
        if self.peek() == b'-' {
            self.advance(1);
        }
        let is_zero = self.peek() == b'0';
        let start = self.pos;
        loop {
            let word = self.word()? ^ u64::from_ne_bytes([b'0'; 8]);
            // A byte above 9 gets its highest bit; a carry comes out of such a byte only.
            let others = (word.wrapping_add(u64::from_ne_bytes([0x76; 8])) | word) & HIGH;
            if others != 0 {
                self.advance((others.trailing_zeros() >> 3) as usize);
                break;
            }
            self.advance(8);
        }
        let length = self.pos.wrapping_sub(start);
        (length == 1 || (length > 1 && !is_zero)).then_some(())?;
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
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        if super::fast::is_worth_it(self.bytes, self.pos)
            && let Some(end) = super::fast::container(self.bytes, self.pos, room, &mut self.high)
        {
            self.pos = end?;
            return Some(());
        }
        let mut scanner = Scanner::at(self.bytes, self.pos, room);
        scanner.value(0).ok()?;
        self.pos = scanner.position();
        self.high |= scanner.has_non_ascii();
        Some(())
    }

    /// Behind the outermost value: white space, the end, and UTF-8 all along.
    #[inline(always)]
    pub(crate) fn end(&mut self) -> Option<()> {
        self.white_space();
        if self.pos < self.bytes.len() {
            return None;
        }
        if self.high { is_utf8(self.bytes) } else { Some(()) }
    }
}

#[cfg(feature = "std")]
fn is_utf8(text: &[u8]) -> Option<()> {
    simdutf8::basic::from_utf8(text).ok().map(drop)
}

#[cfg(not(feature = "std"))]
fn is_utf8(text: &[u8]) -> Option<()> {
    core::str::from_utf8(text).ok().map(drop)
}
