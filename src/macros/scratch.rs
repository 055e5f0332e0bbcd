//! Memory for texts that cannot be lent from the message.

use super::InvalidArgument;
use crate::json::JsonStr;
use crate::mcp::PercentDecoded;

/// Memory of one call, into which strings with escapes are decoded. Without escapes a string is lent from the message.
#[derive(Debug)]
pub struct Scratch<'a> {
    free: &'a mut [u8],
}

impl<'a> Scratch<'a> {
    /// A scratch of this memory.
    pub const fn new(memory: &'a mut [u8]) -> Self {
        Self { free: memory }
    }

    /// The decoded string.
    ///
    /// # Errors
    /// [`InvalidArgument`] if it has escapes and does not fit, or has half a surrogate pair.
    pub fn decode(&mut self, string: JsonStr<'a>) -> Result<&'a str, InvalidArgument> {
        if let Some(plain) = string.as_str() {
            return Ok(plain);
        }
        let mut length = 0_usize;
        for character in string.chars() {
            let character = character.map_err(|_| InvalidArgument::SURROGATE)?;
            length = length.saturating_add(character.len_utf8());
        }
        string.unescape(self.take(length)?).map_err(|_| InvalidArgument::TOO_LONG)
    }

    /// The decoded value of a variable.
    ///
    /// # Errors
    /// [`InvalidArgument`] if it has escapes and does not fit.
    pub fn decode_variable(&mut self, value: PercentDecoded<'a>) -> Result<&'a str, InvalidArgument> {
        if let Some(plain) = value.as_sent().as_str()
            && !plain.bytes().any(|byte| byte == b'%')
        {
            return Ok(plain);
        }
        let length = value.chars().map(char::len_utf8).fold(0_usize, usize::saturating_add);
        value.decode(self.take(length)?).map_err(|_| InvalidArgument::TOO_LONG)
    }

    fn take(&mut self, length: usize) -> Result<&'a mut [u8], InvalidArgument> {
        let free = core::mem::take(&mut self.free);
        let (taken, free) = free.split_at_mut_checked(length).ok_or(InvalidArgument::TOO_LONG)?;
        self.free = free;
        Ok(taken)
    }
}
