//! Typed access through serde, with `serde-json-core` for the scalars.
//!
//! `serde-json-core` is no judge of JSON text, leaves escapes in `&str` as they are, and recurses into what it skips. So
//! it only ever sees single values of accepted text: objects and arrays are walked here, over our own views, which
//! compare names after unescaping and skip an unknown member without reading it.

use core::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json_core::str::EscapedStr;

use super::{Elements, JsonStr, Kind, MAX_DEPTH, Member, Members, RawValue, Scanner, UnescapeError};
use crate::bytes::{BufferFull, Sink};

/// How deep a value may nest for [`RawValue::parse`].
pub const DEFAULT_PARSE_DEPTH: u8 = 16;

/// Longest string that is unescaped on its way into an owned type; one without escapes is borrowed and has no limit.
const SCRATCH: usize = 256;

/// Why a value does not fit a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ParseError {
    /// It nests deeper than allowed: typed decoding recurses, and the stack is not the peer's to fill.
    TooDeep,
    /// Another kind of value is wanted.
    WrongKind,
    /// A number that the type cannot hold, or no integer where one is wanted.
    InvalidNumber,
    /// A member that the type needs is missing.
    MissingMember,
    /// A member that the type has occurs twice.
    RepeatedMember,
    /// A member that the type does not have, and does not allow.
    UnknownMember,
    /// A string with half a surrogate pair, where the type wants it decoded. [`JsonStr`] takes it.
    LoneSurrogate,
    /// A string with escapes where the type wants to borrow it (`&str`), or of more than 256 bytes where it must be
    /// unescaped on the way. [`JsonStr`] takes both.
    EscapedString,
    /// The type itself refused the value: a string that is too long for its capacity, an unknown variant.
    Refused,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooDeep => "nested too deep",
            Self::WrongKind => "another kind of value is wanted",
            Self::InvalidNumber => "the number does not fit",
            Self::MissingMember => "a member is missing",
            Self::RepeatedMember => "a member occurs twice",
            Self::UnknownMember => "a member is not known",
            Self::LoneSurrogate => "half a surrogate pair stands for no character",
            Self::EscapedString => "a string with escapes cannot be borrowed",
            Self::Refused => "the value does not fit the type",
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

impl From<serde_json_core::de::Error> for ParseError {
    fn from(error: serde_json_core::de::Error) -> Self {
        use serde_json_core::de::Error;
        match error {
            Error::InvalidType => Self::WrongKind,
            // The text is valid: what is left over behind an integer is its fraction or exponent.
            Error::InvalidNumber | Error::TrailingCharacters => Self::InvalidNumber,
            _ => Self::Refused,
        }
    }
}

impl<'a> RawValue<'a> {
    /// Reads the value into a type of the application: a `#[derive(Deserialize)]` struct for tool arguments, say.
    ///
    /// Names and strings are unescaped, surrogate pairs included; unknown members are skipped unless the type denies
    /// them; a repeated one is an error. A `&str` borrows, so it takes no string with escapes: a [`JsonStr`] takes every
    /// string. Nothing is coerced. An `f64` takes an overflowing number as infinity: ask
    /// `is_finite`.
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

/// Hands a scalar to `serde-json-core`, which must use it up.
fn scalar<'a, T>(
    value: RawValue<'a>,
    read: impl FnOnce(&mut serde_json_core::de::Deserializer<'a, '_>) -> Result<T, serde_json_core::de::Error>,
) -> Result<T, ParseError> {
    let mut deserializer = serde_json_core::de::Deserializer::new(value.as_bytes(), None);
    let result = read(&mut deserializer)?;
    deserializer.end()?;
    Ok(result)
}

struct ValueDeserializer<'a>(RawValue<'a>);

/// Each of these types is a scalar: one line of `serde-json-core`.
macro_rules! scalars {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
            scalar(self.0, |deserializer| deserializer.$method(visitor))
        }
    )*};
}

impl<'a> ValueDeserializer<'a> {
    /// `serde-json-core` takes `null` for NaN, and whatever else it does not read for a bad number.
    fn numeric(&self) -> Result<(), ParseError> {
        match self.0.kind() {
            Kind::Number => Ok(()),
            _ => Err(ParseError::WrongKind),
        }
    }

    fn string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let string = self.0.as_string().ok_or(ParseError::WrongKind)?;
        if let Some(plain) = string.as_str() {
            return visitor.visit_borrowed_str(plain);
        }
        let mut scratch = [0; SCRATCH];
        match string.unescape(&mut scratch) {
            Ok(text) => visitor.visit_str(text).map_err(|error| match error {
                ParseError::WrongKind => ParseError::EscapedString,
                other => other,
            }),
            Err(UnescapeError::LoneSurrogate) => Err(ParseError::LoneSurrogate),
            Err(UnescapeError::BufferFull { .. }) => Err(ParseError::EscapedString),
        }
    }
}

impl<'a> Deserializer<'a> for ValueDeserializer<'a> {
    type Error = ParseError;

    scalars! {
        deserialize_bool
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_unit
    }

    fn deserialize_f32<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        self.numeric()?;
        scalar(self.0, |deserializer| deserializer.deserialize_f32(visitor))
    }

    fn deserialize_f64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        self.numeric()?;
        scalar(self.0, |deserializer| deserializer.deserialize_f64(visitor))
    }

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        match self.0.kind() {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool => self.deserialize_bool(visitor),
            Kind::String => self.string(visitor),
            Kind::Array => self.deserialize_seq(visitor),
            Kind::Object => self.deserialize_map(visitor),
            Kind::Number => match self.0.as_number().map(|number| number.to_i64()) {
                Some(Ok(integer)) => visitor.visit_i64(integer),
                _ => Err(ParseError::InvalidNumber),
            },
        }
    }

    fn deserialize_char<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        self.string(visitor)
    }

    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        self.string(visitor)
    }

    fn deserialize_string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        self.string(visitor)
    }

    fn deserialize_identifier<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        self.string(visitor)
    }

    fn deserialize_bytes<V: Visitor<'a>>(self, _: V) -> Result<V::Value, ParseError> {
        Err(ParseError::WrongKind)
    }

    fn deserialize_byte_buf<V: Visitor<'a>>(self, _: V) -> Result<V::Value, ParseError> {
        Err(ParseError::WrongKind)
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        if self.0.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_unit_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ParseError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ParseError> {
        // An `EscapedStr`, and so a `JsonStr`, is told apart by its name: it takes the string as it stands.
        match (self.0.as_string(), name) {
            (Some(string), "__serde_json_core_escaped_string__") => {
                visitor.visit_newtype_struct(de::value::BorrowedStrDeserializer::new(string.as_escaped()))
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let array = self.0.as_array().ok_or(ParseError::WrongKind)?;
        let mut elements = array.elements();
        let value = visitor.visit_seq(ElementAccess(&mut elements))?;
        match elements.next() {
            None => Ok(value),
            Some(_) => Err(ParseError::Refused),
        }
    }

    fn deserialize_tuple<V: Visitor<'a>>(self, _: usize, visitor: V) -> Result<V::Value, ParseError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, ParseError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        self.deserialize_struct("", &[], visitor)
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ParseError> {
        let object = self.0.as_object().ok_or(ParseError::WrongKind)?;
        visitor.visit_map(MemberAccess {
            members: object.members(),
            fields,
            value: None,
        })
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ParseError> {
        // A variant without content is a string: compared after unescaping.
        if let Some(string) = self.0.as_string() {
            return match variants.iter().find(|variant| string == **variant) {
                Some(variant) => {
                    let variant: StrDeserializer<'_, ParseError> = variant.into_deserializer();
                    visitor.visit_enum(variant)
                }
                None => Err(ParseError::Refused),
            };
        }
        let mut members = self.0.as_object().ok_or(ParseError::WrongKind)?.members();
        match (members.next(), members.next()) {
            (Some(member), None) => visitor.visit_enum(VariantAccess { member, variants }),
            _ => Err(ParseError::Refused),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        visitor.visit_unit()
    }
}

struct ElementAccess<'e, 'a>(&'e mut Elements<'a>);

impl<'a> de::SeqAccess<'a> for ElementAccess<'_, 'a> {
    type Error = ParseError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, ParseError> {
        self.0
            .next()
            .map(|element| seed.deserialize(ValueDeserializer(element)))
            .transpose()
    }
}

struct MemberAccess<'a> {
    members: Members<'a>,
    fields: &'static [&'static str],
    value: Option<RawValue<'a>>,
}

impl<'a> de::MapAccess<'a> for MemberAccess<'a> {
    type Error = ParseError;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, ParseError> {
        let Some(member) = self.members.next() else {
            return Ok(None);
        };
        self.value = Some(member.value);
        let name = NameDeserializer {
            name: member.name,
            fields: self.fields,
        };
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, ParseError> {
        let value = self.value.take().unwrap_or(RawValue::NULL);
        seed.deserialize(ValueDeserializer(value))
    }
}

/// A variant with content: an object of one member.
struct VariantAccess<'a> {
    member: Member<'a>,
    variants: &'static [&'static str],
}

impl<'a> de::EnumAccess<'a> for VariantAccess<'a> {
    type Error = ParseError;
    type Variant = ValueDeserializer<'a>;

    fn variant_seed<K: DeserializeSeed<'a>>(self, seed: K) -> Result<(K::Value, Self::Variant), ParseError> {
        let name = NameDeserializer {
            name: self.member.name,
            fields: self.variants,
        };
        Ok((seed.deserialize(name)?, ValueDeserializer(self.member.value)))
    }
}

impl<'a> de::VariantAccess<'a> for ValueDeserializer<'a> {
    type Error = ParseError;

    fn unit_variant(self) -> Result<(), ParseError> {
        match self.0.is_null() {
            true => Ok(()),
            false => Err(ParseError::WrongKind),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, ParseError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'a>>(self, _: usize, visitor: V) -> Result<V::Value, ParseError> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ParseError> {
        self.deserialize_struct("", fields, visitor)
    }
}

/// A member's name: one of the type's own, spelt as the type spells it, or any other.
struct NameDeserializer<'a> {
    name: JsonStr<'a>,
    fields: &'static [&'static str],
}

impl<'de> Deserializer<'de> for NameDeserializer<'de> {
    type Error = ParseError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParseError> {
        if let Some(field) = self.fields.iter().find(|field| self.name == **field) {
            return visitor.visit_borrowed_str(field);
        }
        if let Some(plain) = self.name.as_str() {
            return visitor.visit_borrowed_str(plain);
        }
        let mut scratch = [0; SCRATCH];
        match self.name.unescape(&mut scratch) {
            Ok(name) => visitor.visit_str(name),
            // No field of a struct has this name, and this number stands for none.
            Err(_) if !self.fields.is_empty() => visitor.visit_u64(u64::MAX),
            Err(UnescapeError::LoneSurrogate) => Err(ParseError::LoneSurrogate),
            Err(UnescapeError::BufferFull { .. }) => Err(ParseError::EscapedString),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Borrows the string as it stands. From another format than this crate's, what is handed over must be the escaped form
/// of a string, or it is refused.
impl<'de: 'a, 'a> Deserialize<'de> for JsonStr<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let EscapedStr(escaped) = EscapedStr::deserialize(deserializer)?;
        JsonStr::from_escaped(escaped).ok_or_else(|| de::Error::custom("not an escaped string"))
    }
}

/// Writes the string as it stands, through `serde-json-core`.
impl Serialize for JsonStr<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        EscapedStr(self.as_escaped()).serialize(serializer)
    }
}

impl<'a> JsonStr<'a> {
    /// `escaped` as the inside of a JSON string, if it is one: no bare quote, no control character, only the escapes of
    /// RFC 8259 section 7. Linear.
    pub fn from_escaped(escaped: &'a str) -> Option<Self> {
        let mut rest = escaped.as_bytes();
        while let Some((byte, tail)) = rest.split_first() {
            rest = match (byte, tail) {
                (b'\\', [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', tail @ ..]) => tail,
                (b'\\', [b'u', a, b, c, d, tail @ ..])
                    if [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()) =>
                {
                    tail
                }
                (b'\\' | b'"' | 0..=0x1F, _) => return None,
                _ => tail,
            };
        }
        Some(Self::from_valid(escaped.as_bytes()))
    }
}

/// Why a value of the application could not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SerializeError {
    /// It does not fit the memory.
    BufferFull,
    /// `serde-json-core` wrote something that is no JSON (a map with integer keys), or the type refused.
    NotJson,
}

impl fmt::Display for SerializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BufferFull => "output does not fit",
            Self::NotJson => "the value has no JSON form",
        })
    }
}

impl core::error::Error for SerializeError {}

impl From<BufferFull> for SerializeError {
    fn from(_: BufferFull) -> Self {
        Self::BufferFull
    }
}

/// Writes a value of the application into `memory` as JSON.
///
/// The result is checked by this crate's own scanner. Doubles are written as Rust prints them and `null` where they are
/// not finite; for ECMAScript's form see [`Writer::double`](super::Writer::double).
///
/// # Errors
/// [`SerializeError`].
///
/// # Panics
/// `serde-json-core` panics on a `char`, a 128-bit integer and a tuple variant: keep them out of types that are written.
///
/// ```
/// # fn main() -> Result<(), barewire::json::SerializeError> {
/// #[derive(serde::Serialize)]
/// struct Reading { pin: u8, high: bool }
///
/// let mut memory = [0; 32];
/// let value = barewire::json::to_json(&Reading { pin: 4, high: true }, &mut memory)?;
/// assert_eq!(value.as_str(), r#"{"pin":4,"high":true}"#);
/// # Ok(())
/// # }
/// ```
pub fn to_json<'m, T: Serialize + ?Sized>(
    value: &T,
    memory: &'m mut [u8],
) -> Result<RawValue<'m>, SerializeError> {
    let length = serde_json_core::to_slice(value, memory).map_err(serialize_error)?;
    let text = memory.get(..length).ok_or(SerializeError::BufferFull)?;
    RawValue::new(text).map_err(|_| SerializeError::NotJson)
}

fn serialize_error(error: serde_json_core::ser::Error) -> SerializeError {
    match error {
        serde_json_core::ser::Error::BufferFull => SerializeError::BufferFull,
        _ => SerializeError::NotJson,
    }
}

/// Appends a value of the application to `sink`; nothing of it stays behind after an error.
pub(super) fn serialize<T: Serialize + ?Sized>(sink: &mut Sink<'_>, value: &T) -> Result<(), SerializeError> {
    let mark = sink.mark();
    let mut refused = false;
    sink.fill(|room| match to_json(value, room) {
        Ok(text) => Some(text.as_bytes().len()),
        Err(SerializeError::BufferFull) => None,
        Err(_) => {
            refused = true;
            Some(0)
        }
    });
    if refused {
        sink.rollback(mark);
        return Err(SerializeError::NotJson);
    }
    Ok(())
}
