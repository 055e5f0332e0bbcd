//! L1: JSON text (RFC 8259). Knows no JSON-RPC.
//!
//! One strict, iterative scanner judges a text once ([`validate`], [`RawValue::new`]); the views into accepted text then
//! never meet a syntax error, and never allocate: what they hand out borrows from the text.
//!
//! | RFC 8259 | here |
//! |---|---|
//! | 2 JSON text, white space | [`validate`], [`RawValue::new`] |
//! | 3 value | [`RawValue`], [`Kind`] |
//! | 4 object, member, name | [`Object`], [`Member`] |
//! | 5 array, element | [`Array`] |
//! | 6 number | [`Number`] |
//! | 7 string | [`JsonStr`] |
//! | 8.1 UTF-8, no byte order mark | [`ErrorKind::InvalidUtf8`], [`ErrorKind::UnexpectedByte`] |
//! | 9 parsers, limits | [`MAX_DEPTH`]; no limit on the length or range of numbers and strings |
//! | 10 generators | [`Writer`] |
//!
//! Typed access goes through serde: [`RawValue::parse_in`] into a `#[derive(Deserialize)]` type, [`to_json`] out of a
//! `#[derive(Serialize)]` one.

mod digits;
mod error;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod fast;
#[cfg(feature = "defmt")]
mod format;
mod number;
#[cfg(target_pointer_width = "64")]
mod quick;
mod run;
mod scan;
mod string;
mod typed;
mod unique;
mod value;
mod write;

pub(crate) use digits::{Digits, divide};
pub use error::{Error, ErrorKind};
pub use number::{Number, NumberError};
#[cfg(target_pointer_width = "64")]
pub(crate) use quick::Quick;
pub use scan::{MAX_DEPTH, validate};
pub(crate) use scan::{Scanner, is_white_space, validate_structure};
pub(crate) use string::Steps;
pub use string::{Chars, JsonStr, LoneSurrogate, UnescapeError};
#[cfg(feature = "std")]
pub(crate) use typed::parse_text;
pub use typed::{DEFAULT_PARSE_DEPTH, ParseError, SerializeError, to_json};
pub use value::{Array, Elements, Kind, Member, Members, Object, RawValue, Repeated};
#[cfg(feature = "macros")]
pub(crate) use write::Escaped;
pub use write::{AsText, Writer};
