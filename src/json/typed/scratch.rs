//! Memory for strings with escapes, which are decoded on their way into a type.

use serde::de::Visitor;

use super::ParseError;
use crate::json::string::str_of;
use crate::json::{JsonStr, UnescapeError};

/// Memory for decoded strings: only for those with escapes, since all others are borrowed from the text.
pub(super) trait Scratch<'a> {
    /// Whether what [`keep`](Scratch::keep) hands over can be borrowed.
    const LENDS_FOR_LONG: bool;

    /// Whether a number that is not an integer of 64 bits is read as a float where the type takes any value. This pulls
    /// in the code that reads floats.
    const READS_FLOATS: bool;

    /// The decoded string, valid until the next one.
    fn lend(&mut self, string: JsonStr<'a>) -> Result<&str, ParseError>;

    /// Hands the decoded string to a visitor that wants to borrow it for as long as the value lives.
    fn keep<V: Visitor<'a>>(&mut self, string: JsonStr<'a>, visitor: V) -> Result<V::Value, ParseError>;
}

/// The caller's memory. Kept strings are cut off its front.
pub(super) struct Memory<'a> {
    free: &'a mut [u8],
    used: usize,
}

impl<'a> Memory<'a> {
    pub(super) const fn new(memory: &'a mut [u8]) -> Self {
        Self { free: memory, used: 0 }
    }

    fn error(&self, error: UnescapeError) -> ParseError {
        match error {
            UnescapeError::LoneSurrogate => ParseError::LoneSurrogate,
            UnescapeError::BufferFull { needed } => {
                ParseError::ScratchFull { needed: self.used.saturating_add(needed) }
            }
        }
    }
}

impl<'a> Scratch<'a> for Memory<'a> {
    const LENDS_FOR_LONG: bool = true;
    const READS_FLOATS: bool = false;

    fn lend(&mut self, string: JsonStr<'a>) -> Result<&str, ParseError> {
        let length = match string.unescape(self.free) {
            Ok(text) => text.len(),
            Err(error) => return Err(self.error(error)),
        };
        Ok(str_of(self.free.get(..length).unwrap_or_default()))
    }

    fn keep<V: Visitor<'a>>(&mut self, string: JsonStr<'a>, visitor: V) -> Result<V::Value, ParseError> {
        let length = self.lend(string)?.len();
        let (place, free) = core::mem::take(&mut self.free).split_at_mut_checked(length).unwrap_or_default();
        self.free = free;
        self.used = self.used.saturating_add(length);
        visitor.visit_borrowed_str(str_of(place))
    }
}

/// The heap, which has room for every string.
#[cfg(feature = "std")]
#[derive(Default)]
pub(super) struct Heap {
    text: std::string::String,
}

#[cfg(feature = "std")]
impl<'a> Scratch<'a> for Heap {
    const LENDS_FOR_LONG: bool = false;
    const READS_FLOATS: bool = true;

    fn lend(&mut self, string: JsonStr<'a>) -> Result<&str, ParseError> {
        self.text.clear();
        for character in string.chars() {
            self.text.push(character.map_err(|_| ParseError::LoneSurrogate)?);
        }
        Ok(&self.text)
    }

    fn keep<V: Visitor<'a>>(&mut self, string: JsonStr<'a>, visitor: V) -> Result<V::Value, ParseError> {
        visitor.visit_str(self.lend(string)?)
    }
}
