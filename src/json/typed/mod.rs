//! Typed access through serde.
//!
//! Values are walked here, over our own views: names are compared after unescaping, strings are decoded into the
//! caller's memory, and integers are read as for declared parameters. `serde-json-core` only prints floats, since its
//! serializer panics on much of serde's data model.

mod error;
mod read;
mod scratch;
mod string;
#[cfg(feature = "std")]
mod text;
mod write;

use serde::Deserialize;

use self::read::ValueDeserializer;
use self::scratch::{Memory, Scratch};
use super::{MAX_DEPTH, RawValue, Scanner};

pub use error::{ParseError, SerializeError};
#[cfg(feature = "std")]
pub(crate) use text::parse_text;
pub(super) use write::serialize;
pub use write::to_json;

/// How deep a value may nest for [`RawValue::parse_in`], and for `parse`.
pub const DEFAULT_PARSE_DEPTH: u8 = 16;

impl<'a> RawValue<'a> {
    /// Reads the value into a type of the application, such as a `#[derive(Deserialize)]` struct for tool arguments.
    /// Strings with escapes are decoded into `scratch`.
    ///
    /// Names and strings are unescaped, surrogate pairs included; unknown members are skipped unless the type denies
    /// them; a repeated field of a struct is an error. A map's type decides about a repeated name: most keep the last
    /// value. Nothing is coerced. An integer is any number whose value is integral and fits the type, so `5.0` too (for
    /// 128-bit types, it must fit 64 bits). An `f64` takes an overflowing number as infinity: ask `is_finite`. Names of a
    /// map are strings to its type, never numbers. What serde reads before it knows the type (untagged and internally
    /// tagged enums, flattened members) has no numbers but integers of 64 bits.
    ///
    /// A string without escapes is borrowed, and a [`JsonStr`](super::JsonStr) takes every string as it stands: for
    /// these `&mut []` is enough. Any other string uses as many bytes as it has decoded; a `String`, which copies them,
    /// gives them back. The length of the value is always enough.
    ///
    /// Decoding recurses: about 200 bytes of stack a level, at most [`DEFAULT_PARSE_DEPTH`] levels. See the crate's promises
    /// P1 and P2.
    ///
    /// # Errors
    /// [`ParseError`]; [`ParseError::ScratchFull`] when a string with escapes does not fit `scratch`.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use barewire::json::{JsonStr, ParseError, RawValue};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Show<'a> {
    ///     line: u8,
    ///     text: &'a str,
    ///     #[serde(borrow)]
    ///     font: JsonStr<'a>,
    /// }
    ///
    /// let arguments = RawValue::new(br#"{"l\u0069ne":1.0,"text":"a\nb","font":"\ud83d\udca1"}"#)?;
    /// let mut scratch = [0; 16];
    /// let show: Show<'_> = arguments.parse_in(&mut scratch)?;
    /// assert_eq!((show.line, show.text), (1, "a\nb"));
    /// assert_eq!(show.font, "💡");
    ///
    /// let too_little = arguments.parse_in::<Show<'_>>(&mut []);
    /// assert_eq!(too_little.err(), Some(ParseError::ScratchFull { needed: 3 }));
    /// # Ok(())
    /// # }
    /// ```
    pub fn parse_in<'s, T: Deserialize<'s>>(self, scratch: &'s mut [u8]) -> Result<T, ParseError>
    where
        'a: 's,
    {
        self.parse_in_with_depth(scratch, DEFAULT_PARSE_DEPTH)
    }

    /// [`parse_in`](RawValue::parse_in) with another limit for the depth, for which the stack must suffice.
    ///
    /// # Errors
    /// [`ParseError`].
    pub fn parse_in_with_depth<'s, T: Deserialize<'s>>(
        self,
        scratch: &'s mut [u8],
        max_depth: u8,
    ) -> Result<T, ParseError>
    where
        'a: 's,
    {
        let value: RawValue<'s> = self;
        value.parse_with(&mut Memory::new(scratch), max_depth)
    }

    /// Reads the value into a type of the application, with strings of any length: as
    /// [`parse_in`](RawValue::parse_in), but the memory for a string with escapes is the heap's.
    ///
    /// A `&str` cannot borrow from there, so it takes no string with escapes. A `String`, a `Cow<str>` and a
    /// [`JsonStr`](super::JsonStr) take every string. What serde reads before it knows the type, such as a
    /// `serde_json::Value`, has a number as an integer of 64 bits if it is one, and else as an `f64`.
    ///
    /// # Errors
    /// [`ParseError`]; [`ParseError::EscapedString`] for a string with escapes where the type wants to borrow it.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use barewire::json::RawValue;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Note {
    ///     text: String,
    /// }
    ///
    /// let arguments = RawValue::new(br#"{"text":"first line\nsecond line"}"#)?;
    /// assert_eq!(arguments.parse::<Note>()?.text, "first line\nsecond line");
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "std")]
    pub fn parse<T: Deserialize<'a>>(self) -> Result<T, ParseError> {
        self.parse_with_depth(DEFAULT_PARSE_DEPTH)
    }

    /// [`parse`](RawValue::parse) with another limit for the depth; the stack must be there for it.
    ///
    /// # Errors
    /// [`ParseError`].
    #[cfg(feature = "std")]
    pub fn parse_with_depth<T: Deserialize<'a>>(self, max_depth: u8) -> Result<T, ParseError> {
        self.parse_with(&mut scratch::Heap::default(), max_depth)
    }

    fn parse_with<T: Deserialize<'a>, S: Scratch<'a>>(
        self,
        scratch: &mut S,
        max_depth: u8,
    ) -> Result<T, ParseError> {
        // The text is valid: the one fault left is its depth.
        if Scanner::new(self.as_bytes(), max_depth.min(MAX_DEPTH)).value(0).is_err() {
            return Err(ParseError::TooDeep);
        }
        T::deserialize(ValueDeserializer { value: self, scratch })
    }
}
