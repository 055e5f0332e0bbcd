//! Values, as serde reads them.

use serde::Deserializer;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeSeed, Visitor};

use super::ParseError;
use crate::json::{Elements, JsonStr, Kind, Member, Members, RawValue, UnescapeError};

/// Longest string that is unescaped on its way into an owned type; one without escapes is borrowed and has no limit.
const SCRATCH: usize = 256;

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

/// By this name an `EscapedStr`, and so a `JsonStr`, is told apart: it takes the string as it stands.
const ESCAPED_STRING: &str = "__serde_json_core_escaped_string__";

fn as_it_stands(string: JsonStr<'_>) -> BorrowedStrDeserializer<'_, ParseError> {
    BorrowedStrDeserializer::new(string.as_escaped())
}

pub(super) struct ValueDeserializer<'a>(pub(super) RawValue<'a>);

/// An integer of each size: any number whose value is one and fits, as the check of declared parameters has it.
macro_rules! integers {
    ($($method:ident $read:ident $visit:ident;)*) => {$(
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
            let number = self.0.as_number().ok_or(ParseError::WrongKind)?;
            let integer = number.$read().map_err(|_| ParseError::InvalidNumber)?;
            visitor.$visit(integer.try_into().map_err(|_| ParseError::InvalidNumber)?)
        }
    )*};
}

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
        deserialize_unit
    }

    integers! {
        deserialize_i8 to_i64 visit_i8;
        deserialize_i16 to_i64 visit_i16;
        deserialize_i32 to_i64 visit_i32;
        deserialize_u8 to_u64 visit_u8;
        deserialize_u16 to_u64 visit_u16;
        deserialize_u32 to_u64 visit_u32;
    }

    fn deserialize_i64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let number = self.0.as_number().ok_or(ParseError::WrongKind)?;
        visitor.visit_i64(number.to_i64().map_err(|_| ParseError::InvalidNumber)?)
    }

    fn deserialize_u64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let number = self.0.as_number().ok_or(ParseError::WrongKind)?;
        visitor.visit_u64(number.to_u64().map_err(|_| ParseError::InvalidNumber)?)
    }

    /// As far as 64 bits go.
    fn deserialize_i128<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let number = self.0.as_number().ok_or(ParseError::WrongKind)?;
        match (number.to_i64(), number.to_u64()) {
            (Ok(integer), _) => visitor.visit_i128(integer.into()),
            (_, Ok(integer)) => visitor.visit_i128(integer.into()),
            _ => Err(ParseError::InvalidNumber),
        }
    }

    /// As far as 64 bits go.
    fn deserialize_u128<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let number = self.0.as_number().ok_or(ParseError::WrongKind)?;
        visitor.visit_u128(number.to_u64().map_err(|_| ParseError::InvalidNumber)?.into())
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
            Kind::Number => {
                let number = self.0.as_number().ok_or(ParseError::WrongKind)?;
                match (number.to_i64(), number.to_u64()) {
                    (Ok(integer), _) => visitor.visit_i64(integer),
                    (_, Ok(integer)) => visitor.visit_u64(integer),
                    // To read it as a float would pull that code into every program with such a type.
                    _ => Err(ParseError::InvalidNumber),
                }
            }
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
        match self.0.as_string() {
            Some(string) if name == ESCAPED_STRING => visitor.visit_newtype_struct(as_it_stands(string)),
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
        if let Some(name) = self.0.as_string() {
            return visitor.visit_enum(NameDeserializer {
                name,
                fields: variants,
            });
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

    /// A name is never `null`.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParseError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ParseError> {
        match name {
            ESCAPED_STRING => visitor.visit_newtype_struct(as_it_stands(self.name)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ParseError> {
        visitor.visit_enum(NameDeserializer {
            name: self.name,
            fields: variants,
        })
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// The name of a variant, alone.
impl<'de> de::EnumAccess<'de> for NameDeserializer<'de> {
    type Error = ParseError;
    type Variant = NoContent;

    fn variant_seed<K: DeserializeSeed<'de>>(self, seed: K) -> Result<(K::Value, NoContent), ParseError> {
        Ok((seed.deserialize(self)?, NoContent))
    }
}

/// What a variant without content has.
struct NoContent;

impl<'de> de::VariantAccess<'de> for NoContent {
    type Error = ParseError;

    fn unit_variant(self) -> Result<(), ParseError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, ParseError> {
        Err(ParseError::WrongKind)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, ParseError> {
        Err(ParseError::WrongKind)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, ParseError> {
        Err(ParseError::WrongKind)
    }
}
