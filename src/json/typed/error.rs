//! What can go wrong on the way from and to types of the application.

use core::fmt;

use serde::{de, ser};

use crate::bytes::BufferFull;

/// Why a value does not fit a type.
///
/// ```
/// use barewire::json::{ParseError, RawValue};
///
/// #[derive(Debug, PartialEq, serde::Deserialize)]
/// struct Blink { pin: u8 }
///
/// # fn main() -> Result<(), barewire::json::Error> {
/// for (text, expected) in [
///     (r#"{"pin":4,"speed":9}"#, Ok(Blink { pin: 4 })),
///     (r#"{"pin":"4"}"#, Err(ParseError::WrongKind)),
///     (r#"{"pin":256}"#, Err(ParseError::InvalidNumber)),
///     (r#"{"pin":4,"p\u0069n":5}"#, Err(ParseError::RepeatedMember)),
///     ("{}", Err(ParseError::MissingMember)),
/// ] {
///     assert_eq!(RawValue::new(text.as_bytes())?.parse_in(&mut []), expected, "{text}");
/// }
/// assert_eq!(ParseError::MissingMember.to_string(), "a member is missing");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ParseError {
    /// It nests deeper than allowed: typed decoding recurses, and the stack is not the peer's to fill.
    TooDeep,
    /// Another kind of value is wanted.
    WrongKind,
    /// A number that the type cannot hold: out of its range, or with a fraction where an integer is expected.
    InvalidNumber,
    /// A member that the type needs is missing.
    MissingMember,
    /// A member that the type has occurs twice.
    RepeatedMember,
    /// A member that the type does not have, and does not allow.
    UnknownMember,
    /// A string with half a surrogate pair, where the type wants it decoded. [`JsonStr`](crate::json::JsonStr) takes it.
    LoneSurrogate,
    /// A string with escapes for a type that borrows (`&str`), which `parse` cannot lend. Use `String` or
    /// [`JsonStr`](crate::json::JsonStr), or [`parse_in`](crate::json::RawValue::parse_in).
    EscapedString,
    /// The decoded strings do not fit the scratch memory.
    ScratchFull {
        /// Number of bytes that suffice for all strings up to the one that did not fit.
        needed: usize,
    },
    /// The type itself refused the value: a string that is too long for its capacity, an unknown variant.
    Refused,
    /// The text is not JSON, and the type is not a string (`client::CallToolResult::parse`).
    NotJson,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ScratchFull { needed } => {
                return write!(
                    f,
                    "the strings with escapes do not fit the scratch memory, {needed} bytes are needed"
                );
            }
            Self::TooDeep => "nested too deep",
            Self::WrongKind => "another kind of value is wanted",
            Self::InvalidNumber => "the number does not fit",
            Self::MissingMember => "a member is missing",
            Self::RepeatedMember => "a member occurs twice",
            Self::UnknownMember => "a member is not known",
            Self::LoneSurrogate => "half a surrogate pair stands for no character",
            Self::EscapedString => "a string with escapes cannot be borrowed",
            Self::Refused => "the value does not fit the type",
            Self::NotJson => "the text is not JSON",
        })
    }
}

impl core::error::Error for ParseError {}

impl de::Error for ParseError {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Refused
    }

    fn invalid_type(_: de::Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self::WrongKind
    }

    fn missing_field(_: &'static str) -> Self {
        Self::MissingMember
    }

    fn duplicate_field(_: &'static str) -> Self {
        Self::RepeatedMember
    }

    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Self::UnknownMember
    }
}

/// Why a value of the application could not be written.
///
/// ```
/// use barewire::json::{SerializeError, to_json};
///
/// let mut memory = [0; 8];
/// assert_eq!(to_json(&[1, 2, 3], &mut memory).map(|value| value.as_json()), Ok("[1,2,3]"));
/// assert_eq!(to_json(&[1, 2, 3, 4], &mut memory).err(), Some(SerializeError::BufferFull));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SerializeError {
    /// It does not fit the memory.
    BufferFull,
    /// The value has no JSON form (a map with integer keys, bytes), or its `Serialize` implementation failed.
    NotJson,
    /// The value nests deeper than [`MAX_DEPTH`](crate::json::MAX_DEPTH), which no reader accepts.
    TooDeep,
}

impl fmt::Display for SerializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BufferFull => "output does not fit",
            Self::NotJson => "the value has no JSON form",
            Self::TooDeep => "nested too deep",
        })
    }
}

impl core::error::Error for SerializeError {}

impl ser::Error for SerializeError {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::NotJson
    }
}

impl From<BufferFull> for SerializeError {
    fn from(_: BufferFull) -> Self {
        Self::BufferFull
    }
}
