//! A checked forward reader over borrowed bytes.

/// A position in a byte slice that can only move forward, and whose every access is checked.
///
/// All of it is `const`, so that the scanner above it can judge a literal at compile time. Positions never exceed a
/// slice's length by more than a few bytes, and a slice is at most `isize::MAX` long: the wrapping additions below
/// cannot wrap, and they leave no panic path in a build with overflow checks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, pos: 0 }
    }

    /// The same bytes, from `pos` on.
    pub(crate) const fn at(bytes: &'a [u8], pos: usize) -> Self {
        Self { bytes, pos }
    }

    pub(crate) const fn position(&self) -> usize {
        self.pos
    }

    pub(crate) const fn is_at_end(&self) -> bool {
        self.pos >= self.bytes.len()
    }

    /// The next byte, or 0 at the end.
    ///
    /// No grammar of this crate accepts a NUL anywhere, so the end needs no branch of its own: it falls into the branch
    /// for a byte that cannot stand here, and only there is asked which of the two it was.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "checked in the same expression; `get` is not const")]
    pub(crate) const fn peek(&self) -> u8 {
        if self.pos < self.bytes.len() { self.bytes[self.pos] } else { 0 }
    }

    #[inline(always)]
    pub(crate) const fn advance(&mut self, by: usize) {
        self.pos = self.pos.wrapping_add(by);
    }

    /// The next bytes as a word of the machine, the first one lowest; `None` when fewer are left.
    #[inline(always)]
    pub(crate) const fn word(&self) -> Option<usize> {
        match self.bytes.split_at_checked(self.pos) {
            Some((_, tail)) => match tail.first_chunk::<{ size_of::<usize>() }>() {
                Some(chunk) => Some(usize::from_le_bytes(*chunk)),
                None => None,
            },
            None => None,
        }
    }

    /// What is left.
    #[inline(always)]
    pub(crate) const fn rest(&self) -> &'a [u8] {
        match self.bytes.split_at_checked(self.pos) {
            Some((_, rest)) => rest,
            None => &[],
        }
    }

    /// All bytes, read or not.
    pub(crate) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}
