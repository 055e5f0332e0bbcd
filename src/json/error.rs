//! Why a text is not JSON, and where.

use core::fmt;

/// Why a text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text ends before the value does; an empty text too.
    UnexpectedEnd,
    /// A byte that cannot stand at this place.
    UnexpectedByte,
    /// A byte below 0x20 inside a string.
    ControlCharacter,
    /// A backslash that starts no escape of RFC 8259 section 7.
    InvalidEscape,
    /// A number that RFC 8259 section 6 does not allow: `01`, `1.`, `-`, `1e`.
    InvalidNumber,
    /// A name that starts like `true`, `false` or `null` and is none of them.
    InvalidLiteral,
    /// Something other than white space behind the value.
    TrailingBytes,
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// More nested objects and arrays than allowed.
    TooDeep,
}

impl ErrorKind {
    /// A short phrase for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnexpectedEnd => "unexpected end of text",
            Self::UnexpectedByte => "unexpected byte",
            Self::ControlCharacter => "control character in string",
            Self::InvalidEscape => "invalid escape in string",
            Self::InvalidNumber => "invalid number",
            Self::InvalidLiteral => "invalid literal",
            Self::TrailingBytes => "bytes after the value",
            Self::InvalidUtf8 => "invalid UTF-8",
            Self::TooDeep => "nested too deep",
        }
    }
}

/// The first fault of a text, in the order of its bytes.
///
/// ```
/// use barewire::json::{ErrorKind, validate};
///
/// let error = validate(br#"{"a":01}"#).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidNumber, 6));
/// assert_eq!(error.to_string(), "invalid number at byte 6");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Error {
    kind: ErrorKind,
    offset: u32,
}

const _: () = assert!(size_of::<Error>() <= 8);

impl Error {
    pub(crate) const fn new(kind: ErrorKind, offset: usize) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "the larger value is replaced")]
        let offset = if offset > u32::MAX as usize { u32::MAX } else { offset as u32 };
        Self { kind, offset }
    }

    /// What is wrong.
    pub const fn kind(self) -> ErrorKind {
        self.kind
    }

    /// The byte at which it is wrong, counted from 0; `u32::MAX` stands for all places beyond it.
    pub const fn offset(self) -> usize {
        self.offset as usize
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind.as_str(), self.offset)
    }
}

impl core::error::Error for Error {}
