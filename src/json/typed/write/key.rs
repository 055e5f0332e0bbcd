//! Values that must be strings: a map key, the inside of a string that is kept as it stands, and the text of a number.

use core::fmt;

use serde::ser::{Impossible, Serialize, Serializer};

use super::output::{Output, Room};
use crate::json::typed::SerializeError;
use crate::json::typed::string::ESCAPED_STRING;
use crate::json::{JsonStr, Kind, RawValue};

/// Writes a string, and refuses everything else.
pub(super) struct KeySerializer<'o, 'w, 's, 'm> {
    output: &'o mut Output<'w, 's, 'm>,
    place: Place,
    room: Room,
}

/// The place of the string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A map key: a colon follows.
    Name {
        /// The text is the inside of a JSON string.
        is_escaped: bool,
    },
    /// A string whose inside is the text.
    Escaped,
    /// A number whose JSON text is the text.
    Number,
}

impl<'o, 'w, 's, 'm> KeySerializer<'o, 'w, 's, 'm> {
    pub(super) const fn name(output: &'o mut Output<'w, 's, 'm>, room: Room) -> Self {
        Self { output, place: Place::Name { is_escaped: false }, room }
    }

    pub(super) const fn as_it_stands(output: &'o mut Output<'w, 's, 'm>, room: Room) -> Self {
        Self { output, place: Place::Escaped, room }
    }

    pub(super) const fn number(output: &'o mut Output<'w, 's, 'm>, room: Room) -> Self {
        Self { output, place: Place::Number, room }
    }

    fn end(self) -> Result<(), SerializeError> {
        if let Place::Name { .. } = self.place {
            self.output.json.colon();
        }
        Ok(())
    }
}

/// Bytes that cannot occur in a string.
macro_rules! refused {
    ($($method:ident($($ty:ty),*) -> $ok:ty;)*) => {$(
        fn $method(self, $(_: $ty),*) -> Result<$ok, SerializeError> {
            Err(SerializeError::NotJson)
        }
    )*};
}

impl Serializer for KeySerializer<'_, '_, '_, '_> {
    type Ok = ();
    type Error = SerializeError;
    type SerializeSeq = Impossible<(), SerializeError>;
    type SerializeTuple = Impossible<(), SerializeError>;
    type SerializeTupleStruct = Impossible<(), SerializeError>;
    type SerializeTupleVariant = Impossible<(), SerializeError>;
    type SerializeMap = Impossible<(), SerializeError>;
    type SerializeStruct = Impossible<(), SerializeError>;
    type SerializeStructVariant = Impossible<(), SerializeError>;

    fn serialize_str(self, text: &str) -> Result<(), SerializeError> {
        match self.place {
            Place::Name { is_escaped: false } => {
                self.output.json.string(text);
            }
            Place::Name { is_escaped: true } | Place::Escaped => {
                let string = JsonStr::from_escaped(text).ok_or(SerializeError::NotJson)?;
                self.output.json.json_string(string);
            }
            Place::Number => {
                let number = RawValue::new(text.as_bytes()).map_err(|_| SerializeError::NotJson)?;
                if number.kind() != Kind::Number {
                    return Err(SerializeError::NotJson);
                }
                self.output.json.raw(number);
            }
        }
        self.end()
    }

    fn serialize_char(self, character: char) -> Result<(), SerializeError> {
        self.serialize_str(character.encode_utf8(&mut [0; 4]))
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), SerializeError> {
        self.serialize_str(variant)
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), SerializeError> {
        if self.place != (Place::Name { is_escaped: false }) {
            return Err(SerializeError::NotJson);
        }
        self.output.display(value)?;
        self.end()
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), SerializeError> {
        let place = match self.place {
            Place::Name { .. } if name == ESCAPED_STRING => Place::Name { is_escaped: true },
            place => place,
        };
        value.serialize(Self { place, room: self.room.wrapped()?, ..self })
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SerializeError> {
        let room = self.room.wrapped()?;
        value.serialize(Self { room, ..self })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), SerializeError> {
        Err(SerializeError::NotJson)
    }

    refused! {
        serialize_bool(bool) -> ();
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_i128(i128) -> ();
        serialize_u8(u8) -> ();
        serialize_u16(u16) -> ();
        serialize_u32(u32) -> ();
        serialize_u64(u64) -> ();
        serialize_u128(u128) -> ();
        serialize_f32(f32) -> ();
        serialize_f64(f64) -> ();
        serialize_bytes(&[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}
