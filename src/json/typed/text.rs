//! Text that may be JSON, as serde reads it.

use serde::de::{DeserializeOwned, Deserializer, Visitor};

use super::read::ValueDeserializer;
use super::scratch::Heap;
use super::{ParseError, RawValue};

/// Reads `text` into a type: for a string the text itself, for any other type the JSON value in it, which nests at most
/// [`MAX_DEPTH`](crate::json::MAX_DEPTH) levels.
pub(crate) fn parse_text<T: DeserializeOwned>(text: &str) -> Result<T, ParseError> {
    T::deserialize(TextDeserializer { text })
}

struct TextDeserializer<'t> {
    text: &'t str,
}

impl<'t> TextDeserializer<'t> {
    fn value(&self) -> Result<RawValue<'t>, ParseError> {
        // Its limit for the depth is `MAX_DEPTH`.
        RawValue::new(self.text.as_bytes()).map_err(|_| ParseError::NotJson)
    }
}

/// Types that are read from the JSON value.
macro_rules! json {
    ($($method:ident($($name:ident: $ty:ty),*);)*) => {$(
        fn $method<V: Visitor<'t>>(self, $($name: $ty,)* visitor: V) -> Result<V::Value, ParseError> {
            let value = self.value()?;
            ValueDeserializer { value, scratch: &mut Heap::default() }.$method($($name,)* visitor)
        }
    )*};
}

impl<'t> Deserializer<'t> for TextDeserializer<'t> {
    type Error = ParseError;

    fn deserialize_str<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ParseError> {
        visitor.visit_borrowed_str(self.text)
    }

    fn deserialize_string<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ParseError> {
        visitor.visit_borrowed_str(self.text)
    }

    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ParseError> {
        match self.value() {
            Ok(value) if value.is_null() => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ParseError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ParseError> {
        visitor.visit_unit()
    }

    json! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(length: usize);
        deserialize_tuple_struct(name: &'static str, length: usize);
        deserialize_map();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier();
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::string::{String, ToString};
    use std::vec::Vec;

    use super::*;
    use crate::json::MAX_DEPTH;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Name(String);

    #[test]
    fn a_string_is_the_text_and_any_other_type_is_json() {
        for text in ["21.5", "", "\"quoted\"", "null", "{"] {
            assert_eq!(parse_text(text), Ok(text.to_string()));
            assert_eq!(parse_text(text), Ok(Name(text.to_string())));
        }
        assert_eq!(parse_text(" 21.5 "), Ok(21.5));
        assert_eq!(parse_text("[1,2]"), Ok(std::vec![1, 2]));
        assert_eq!(parse_text::<i64>("five"), Err(ParseError::NotJson));
        assert_eq!(parse_text::<i64>("5.5"), Err(ParseError::InvalidNumber));
        assert_eq!(parse_text::<Vec<u8>>("5"), Err(ParseError::WrongKind));
        assert_eq!(parse_text("null"), Ok(None::<u8>));
        assert_eq!(parse_text("5"), Ok(Some(5)));
        assert_eq!(parse_text("a"), Ok(Some("a".to_string())));
        assert_eq!(parse_text("null"), Ok(()));
    }

    #[test]
    fn any_value_has_its_floats() {
        let value = parse_text::<serde_json::Value>(r#"{"a":[1,-2,2.5,1e400]}"#);
        assert_eq!(value, Ok(serde_json::json!({"a": [1, -2, 2.5, null]})));
    }

    #[test]
    fn a_deep_text_is_refused() {
        let deep = |levels| "[".repeat(levels) + &"]".repeat(levels);
        assert!(parse_text::<serde_json::Value>(&deep(MAX_DEPTH.into())).is_ok());
        assert_eq!(parse_text::<serde_json::Value>(&deep(200)), Err(ParseError::NotJson));
    }
}
