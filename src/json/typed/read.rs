//! Values, as serde reads them.

use serde::Deserializer;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeSeed, Visitor};

use super::ParseError;
use super::scratch::Scratch;
use super::string::ESCAPED_STRING;
use crate::json::{Elements, JsonStr, Kind, Member, Members, Number, RawValue};

fn as_it_stands(string: JsonStr<'_>) -> BorrowedStrDeserializer<'_, ParseError> {
    BorrowedStrDeserializer::new(string.as_escaped())
}

/// A value, and the memory for strings in it.
pub(super) struct ValueDeserializer<'s, 'a, S> {
    pub(super) value: RawValue<'a>,
    pub(super) scratch: &'s mut S,
}

/// Integers of each size: any number whose value is integral and fits, as for declared parameters.
macro_rules! integers {
    ($($method:ident $read:ident $visit:ident;)*) => {$(
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
            let integer = self.number()?.$read().map_err(|_| ParseError::InvalidNumber)?;
            visitor.$visit(integer.try_into().map_err(|_| ParseError::InvalidNumber)?)
        }
    )*};
}

impl<'a, S: Scratch<'a>> ValueDeserializer<'_, 'a, S> {
    fn number(&self) -> Result<Number<'a>, ParseError> {
        self.value.as_number().ok_or(ParseError::WrongKind)
    }

    fn string(&self) -> Result<JsonStr<'a>, ParseError> {
        self.value.as_string().ok_or(ParseError::WrongKind)
    }
}

/// A string with escapes, for a type that may borrow it.
fn kept<'a, S: Scratch<'a>, V: Visitor<'a>>(
    string: JsonStr<'a>,
    scratch: &mut S,
    visitor: V,
) -> Result<V::Value, ParseError> {
    scratch.keep(string, visitor).map_err(|error| match error {
        // The type takes only strings that it can borrow.
        ParseError::WrongKind if !S::LENDS_FOR_LONG => ParseError::EscapedString,
        other => other,
    })
}

impl<'a, S: Scratch<'a>> Deserializer<'a> for ValueDeserializer<'_, 'a, S> {
    type Error = ParseError;

    integers! {
        deserialize_i8 to_i64 visit_i8;
        deserialize_i16 to_i64 visit_i16;
        deserialize_i32 to_i64 visit_i32;
        deserialize_u8 to_u64 visit_u8;
        deserialize_u16 to_u64 visit_u16;
        deserialize_u32 to_u64 visit_u32;
    }

    fn deserialize_i64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        visitor.visit_i64(self.number()?.to_i64().map_err(|_| ParseError::InvalidNumber)?)
    }

    fn deserialize_u64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        visitor.visit_u64(self.number()?.to_u64().map_err(|_| ParseError::InvalidNumber)?)
    }

    /// As far as 64 bits go.
    fn deserialize_i128<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let number = self.number()?;
        match (number.to_i64(), number.to_u64()) {
            (Ok(integer), _) => visitor.visit_i128(integer.into()),
            (_, Ok(integer)) => visitor.visit_i128(integer.into()),
            _ => Err(ParseError::InvalidNumber),
        }
    }

    /// As far as 64 bits go.
    fn deserialize_u128<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let integer = self.number()?.to_u64().map_err(|_| ParseError::InvalidNumber)?;
        visitor.visit_u128(integer.into())
    }

    fn deserialize_f32<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let float = self.number()?.as_str().parse();
        visitor.visit_f32(float.map_err(|_| ParseError::InvalidNumber)?)
    }

    fn deserialize_f64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        visitor.visit_f64(self.number()?.to_f64())
    }

    fn deserialize_bool<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        visitor.visit_bool(self.value.as_bool().ok_or(ParseError::WrongKind)?)
    }

    fn deserialize_unit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        if !self.value.is_null() {
            return Err(ParseError::WrongKind);
        }
        visitor.visit_unit()
    }

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        match self.value.kind() {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool => self.deserialize_bool(visitor),
            Kind::String => {
                let string = self.string()?;
                match string.as_str() {
                    Some(plain) => visitor.visit_borrowed_str(plain),
                    None => self.scratch.keep(string, visitor),
                }
            }
            Kind::Array => self.deserialize_seq(visitor),
            Kind::Object => self.deserialize_map(visitor),
            Kind::Number => {
                let number = self.number()?;
                match (number.to_i64(), number.to_u64()) {
                    (Ok(integer), _) => visitor.visit_i64(integer),
                    (_, Ok(integer)) => visitor.visit_u64(integer),
                    _ if S::READS_FLOATS => visitor.visit_f64(number.to_f64()),
                    _ => Err(ParseError::InvalidNumber),
                }
            }
        }
    }

    fn deserialize_char<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let mut characters = self.string()?.chars();
        match (characters.next(), characters.next()) {
            (Some(Ok(character)), None) => visitor.visit_char(character),
            (Some(Err(_)), None) => Err(ParseError::LoneSurrogate),
            _ => Err(ParseError::Refused),
        }
    }

    /// For types that may borrow the string.
    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let string = self.string()?;
        if let Some(plain) = string.as_str() {
            return visitor.visit_borrowed_str(plain);
        }
        kept(string, self.scratch, visitor)
    }

    /// For types that copy the string.
    fn deserialize_string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let string = self.string()?;
        match string.as_str() {
            Some(plain) => visitor.visit_borrowed_str(plain),
            None => visitor.visit_str(self.scratch.lend(string)?),
        }
    }

    fn deserialize_identifier<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        self.deserialize_string(visitor)
    }

    fn deserialize_bytes<V: Visitor<'a>>(self, _: V) -> Result<V::Value, ParseError> {
        Err(ParseError::WrongKind)
    }

    fn deserialize_byte_buf<V: Visitor<'a>>(self, _: V) -> Result<V::Value, ParseError> {
        Err(ParseError::WrongKind)
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
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
        match self.value.as_string() {
            Some(string) if name == ESCAPED_STRING => visitor.visit_newtype_struct(as_it_stands(string)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let array = self.value.as_array().ok_or(ParseError::WrongKind)?;
        let mut elements = array.elements();
        let value = visitor.visit_seq(ElementAccess { elements: &mut elements, scratch: self.scratch })?;
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
        let object = self.value.as_object().ok_or(ParseError::WrongKind)?;
        visitor.visit_map(MemberAccess {
            members: object.members(),
            fields,
            value: None,
            scratch: self.scratch,
        })
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ParseError> {
        // A variant without content is a string: compared after unescaping.
        if let Some(name) = self.value.as_string() {
            return visitor.visit_enum(NameDeserializer { name, fields: variants, scratch: self.scratch });
        }
        let mut members = self.value.as_object().ok_or(ParseError::WrongKind)?.members();
        match (members.next(), members.next()) {
            (Some(member), None) => {
                visitor.visit_enum(VariantAccess { member, variants, scratch: self.scratch })
            }
            _ => Err(ParseError::Refused),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ParseError> {
        visitor.visit_unit()
    }
}

struct ElementAccess<'s, 'a, S> {
    elements: &'s mut Elements<'a>,
    scratch: &'s mut S,
}

impl<'a, S: Scratch<'a>> de::SeqAccess<'a> for ElementAccess<'_, 'a, S> {
    type Error = ParseError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, ParseError> {
        let Some(value) = self.elements.next() else {
            return Ok(None);
        };
        let scratch = &mut *self.scratch;
        seed.deserialize(ValueDeserializer { value, scratch }).map(Some)
    }
}

struct MemberAccess<'s, 'a, S> {
    members: Members<'a>,
    fields: &'static [&'static str],
    value: Option<RawValue<'a>>,
    scratch: &'s mut S,
}

impl<'a, S: Scratch<'a>> de::MapAccess<'a> for MemberAccess<'_, 'a, S> {
    type Error = ParseError;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, ParseError> {
        let Some(member) = self.members.next() else {
            return Ok(None);
        };
        self.value = Some(member.value);
        let name = NameDeserializer { name: member.name, fields: self.fields, scratch: self.scratch };
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, ParseError> {
        let value = self.value.take().unwrap_or(RawValue::NULL);
        let scratch = &mut *self.scratch;
        seed.deserialize(ValueDeserializer { value, scratch })
    }
}

/// A variant with content: an object of one member.
struct VariantAccess<'s, 'a, S> {
    member: Member<'a>,
    variants: &'static [&'static str],
    scratch: &'s mut S,
}

impl<'s, 'a, S: Scratch<'a>> de::EnumAccess<'a> for VariantAccess<'s, 'a, S> {
    type Error = ParseError;
    type Variant = ValueDeserializer<'s, 'a, S>;

    fn variant_seed<K: DeserializeSeed<'a>>(self, seed: K) -> Result<(K::Value, Self::Variant), ParseError> {
        let name =
            NameDeserializer { name: self.member.name, fields: self.variants, scratch: &mut *self.scratch };
        let variant = seed.deserialize(name)?;
        let content = ValueDeserializer { value: self.member.value, scratch: self.scratch };
        Ok((variant, content))
    }
}

impl<'a, S: Scratch<'a>> de::VariantAccess<'a> for ValueDeserializer<'_, 'a, S> {
    type Error = ParseError;

    fn unit_variant(self) -> Result<(), ParseError> {
        match self.value.is_null() {
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
struct NameDeserializer<'s, 'a, S> {
    name: JsonStr<'a>,
    fields: &'static [&'static str],
    scratch: &'s mut S,
}

impl<'a, S> NameDeserializer<'_, 'a, S> {
    /// The name, if it needs no decoding.
    fn plain(&self) -> Option<&'a str> {
        let field = self.fields.iter().find(|field| self.name == **field);
        field.copied().or_else(|| self.name.as_str())
    }
}

impl<'de, S: Scratch<'de>> Deserializer<'de> for NameDeserializer<'_, 'de, S> {
    type Error = ParseError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParseError> {
        if let Some(plain) = self.plain() {
            return visitor.visit_borrowed_str(plain);
        }
        match self.scratch.lend(self.name) {
            Ok(name) => visitor.visit_str(name),
            // No field of a struct has this name, and this number stands for none.
            Err(_) if !self.fields.is_empty() => visitor.visit_u64(u64::MAX),
            Err(error) => Err(error),
        }
    }

    /// For the names of a map that may borrow them.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParseError> {
        match self.plain() {
            Some(plain) => visitor.visit_borrowed_str(plain),
            None => kept(self.name, self.scratch, visitor),
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
        visitor.visit_enum(NameDeserializer { name: self.name, fields: variants, scratch: self.scratch })
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// The name of a variant, alone.
impl<'de, S: Scratch<'de>> de::EnumAccess<'de> for NameDeserializer<'_, 'de, S> {
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
