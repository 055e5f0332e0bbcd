//! Typed access through serde, with `serde-json-core` for the scalars.
//!
//! `serde-json-core` is no judge of JSON text, leaves escapes in `&str` as they are, and recurses into what it skips. So
//! it only ever sees single values of accepted text: objects and arrays are walked here, over our own views, which
//! compare names after unescaping and skip an unknown member without reading it.

mod error;
mod read;
mod string;
mod write;

use serde::Deserialize;

use self::read::ValueDeserializer;
use super::{MAX_DEPTH, RawValue, Scanner};

pub use error::{ParseError, SerializeError};
pub(super) use write::serialize;
pub use write::to_json;

/// How deep a value may nest for [`RawValue::parse`].
pub const DEFAULT_PARSE_DEPTH: u8 = 16;

impl<'a> RawValue<'a> {
    /// Reads the value into a type of the application: a `#[derive(Deserialize)]` struct for tool arguments, say.
    ///
    /// Names and strings are unescaped, surrogate pairs included; unknown members are skipped unless the type denies
    /// them; a repeated one is an error. A `&str` borrows, so it takes no string with escapes: a
    /// [`JsonStr`](super::JsonStr) takes every string. Nothing is coerced; an integer is any number whose value is one and fits
    /// the type, so `5.0` too (of 128-bit types those that fit 64 bits). An `f64` takes an overflowing number as
    /// infinity: ask `is_finite`. Names of a map are strings to its type, never numbers. What serde reads before it knows
    /// the type (untagged and internally tagged enums, flattened members) has no numbers but integers of 64 bits.
    ///
    /// Decoding recurses: about 200 bytes of stack a level, at most [`DEFAULT_PARSE_DEPTH`] levels. It pulls in code of
    /// `serde-json-core` (with floats only if the type has one), some of which can panic: on types with a `char` no
    /// value is decoded, see the crate's promise P2.
    ///
    /// # Errors
    /// [`ParseError`].
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use barewire::json::{JsonStr, RawValue};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Blink<'a> {
    ///     pin: u8,
    ///     #[serde(borrow)]
    ///     label: JsonStr<'a>,
    /// }
    ///
    /// let arguments = RawValue::new(br#"{"p\u0069n":4,"label":"\ud83d\udca1 desk"}"#)?;
    /// let blink: Blink<'_> = arguments.parse()?;
    /// assert_eq!(blink.pin, 4);
    /// assert_eq!(blink.label, "💡 desk");
    /// # Ok(())
    /// # }
    /// ```
    pub fn parse<T: Deserialize<'a>>(self) -> Result<T, ParseError> {
        self.parse_with_depth(DEFAULT_PARSE_DEPTH)
    }

    /// [`parse`](RawValue::parse) with another limit for the depth; the stack must be there for it.
    ///
    /// # Errors
    /// [`ParseError`].
    pub fn parse_with_depth<T: Deserialize<'a>>(self, max_depth: u8) -> Result<T, ParseError> {
        // The text is valid: the one fault left is its depth.
        if Scanner::new(self.as_bytes(), max_depth.min(MAX_DEPTH))
            .value(0)
            .is_err()
        {
            return Err(ParseError::TooDeep);
        }
        T::deserialize(ValueDeserializer(self))
    }
}
