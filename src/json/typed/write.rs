//! Types of the application, written as JSON.

mod key;
mod output;

use core::fmt;

use serde::ser::{self, Serialize};

use self::key::KeySerializer;
use self::output::{Output, Room};
use super::SerializeError;
use super::string::ESCAPED_STRING;
use crate::bytes::Sink;
use crate::json::{RawValue, Writer};

/// Name with which `serde_json` marks a number that it keeps as text (its feature `arbitrary_precision`): a struct of this
/// name, whose only field has the same name and is the text.
const NUMBER: &str = "$serde_json::private::Number";

/// Writes a value of the application into `memory` as JSON.
///
/// Doubles are written as Rust prints them and `null` where they are not finite; for ECMAScript's form see
/// [`Writer::double`](crate::json::Writer::double). A variant is its name, or an object with its name and its content.
/// A `serde_json::Value` is written as it is, also with the feature `arbitrary_precision` of `serde_json`.
/// Values without a JSON form are errors: bytes, a 128-bit integer that does not fit 64 bits, a map key that is neither
/// a string nor a character. So are values that nest deeper than [`MAX_DEPTH`](crate::json::MAX_DEPTH), and errors of
/// the type itself.
///
/// Writing recurses as the value nests. See the crate's promises P1 and P2.
///
/// # Errors
/// [`SerializeError`].
///
/// ```
/// # fn main() -> Result<(), barewire::json::SerializeError> {
/// #[derive(serde::Serialize)]
/// struct Reading { pin: u8, high: bool }
///
/// let mut memory = [0; 32];
/// let value = barewire::json::to_json(&Reading { pin: 4, high: true }, &mut memory)?;
/// assert_eq!(value.as_json(), r#"{"pin":4,"high":true}"#);
/// # Ok(())
/// # }
/// ```
pub fn to_json<'m, T: Serialize + ?Sized>(
    value: &T,
    memory: &'m mut [u8],
) -> Result<RawValue<'m>, SerializeError> {
    let mut sink = Sink::new(memory);
    serialize(&mut Writer::new(&mut sink), value)?;
    let text = sink.into_written().map_err(SerializeError::from)?;
    RawValue::new(text).map_err(|_| SerializeError::NotJson)
}

/// Writes a value of the application. After an error, part of it may have been written. A value that does not fit is
/// not an error here, since the sink keeps track of that.
pub(in crate::json) fn serialize<T: Serialize + ?Sized>(
    json: &mut Writer<'_, '_>,
    value: &T,
) -> Result<(), SerializeError> {
    let mut output = Output { json, failed: None };
    output.nested(value, Room::NEW)?;
    // A type may go on after one of its members has failed; then the text is not whole.
    output.failed.map_or(Ok(()), Err)
}

impl<'w, 's, 'm> Output<'w, 's, 'm> {
    fn nested<T: Serialize + ?Sized>(&mut self, value: &T, room: Room) -> Result<(), SerializeError> {
        let result = value.serialize(ValueSerializer { output: self, room });
        self.noted(result)
    }
}

/// Writes one value.
struct ValueSerializer<'o, 'w, 's, 'm> {
    output: &'o mut Output<'w, 's, 'm>,
    room: Room,
}

/// Each of these types is one call of the writer.
macro_rules! scalars {
    ($($method:ident $ty:ty: $write:ident;)*) => {$(
        fn $method(self, value: $ty) -> Result<(), SerializeError> {
            self.output.json.$write(value.into());
            Ok(())
        }
    )*};
}

impl<'o, 'w, 's, 'm> ValueSerializer<'o, 'w, 's, 'm> {
    /// Opens an object or array, which may be the content of a variant.
    fn open(self, variant: Option<&str>, close: Close) -> Result<Compound<'o, 'w, 's, 'm>, SerializeError> {
        let mut room = self.room.inside()?;
        let json = &mut *self.output.json;
        if let Some(variant) = variant {
            room = room.inside()?;
            json.begin_object().name(variant);
        }
        match close {
            Close::Array => _ = json.begin_array(),
            Close::Object => _ = json.begin_object(),
            // The text of a number has no bracket.
            Close::Number => {}
        }
        Ok(Compound { output: self.output, room, close, is_variant: variant.is_some(), has_name: false })
    }

    /// A float as Rust prints it. This is the only use of the serializer of `serde-json-core`.
    fn float<F: Serialize>(self, value: F) -> Result<(), SerializeError> {
        let mut memory = [0; 32];
        let length = serde_json_core::to_slice(&value, &mut memory).unwrap_or_default();
        let text = memory.get(..length).unwrap_or_default();
        self.output.json.raw(RawValue::new(text).map_err(|_| SerializeError::NotJson)?);
        Ok(())
    }
}

impl<'o, 'w, 's, 'm> ser::Serializer for ValueSerializer<'o, 'w, 's, 'm> {
    type Ok = ();
    type Error = SerializeError;
    type SerializeSeq = Compound<'o, 'w, 's, 'm>;
    type SerializeTuple = Compound<'o, 'w, 's, 'm>;
    type SerializeTupleStruct = Compound<'o, 'w, 's, 'm>;
    type SerializeTupleVariant = Compound<'o, 'w, 's, 'm>;
    type SerializeMap = Compound<'o, 'w, 's, 'm>;
    type SerializeStruct = Compound<'o, 'w, 's, 'm>;
    type SerializeStructVariant = Compound<'o, 'w, 's, 'm>;

    scalars! {
        serialize_bool bool: boolean;
        serialize_i8 i8: integer;
        serialize_i16 i16: integer;
        serialize_i32 i32: integer;
        serialize_u8 u8: unsigned;
        serialize_u16 u16: unsigned;
        serialize_u32 u32: unsigned;
    }

    fn serialize_i64(self, value: i64) -> Result<(), SerializeError> {
        self.output.json.integer(value);
        Ok(())
    }

    fn serialize_u64(self, value: u64) -> Result<(), SerializeError> {
        self.output.json.unsigned(value);
        Ok(())
    }

    /// As far as 64 bits go.
    fn serialize_i128(self, value: i128) -> Result<(), SerializeError> {
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => self.serialize_i64(value),
            (_, Ok(value)) => self.serialize_u64(value),
            _ => Err(SerializeError::NotJson),
        }
    }

    /// As far as 64 bits go.
    fn serialize_u128(self, value: u128) -> Result<(), SerializeError> {
        self.serialize_u64(u64::try_from(value).map_err(|_| SerializeError::NotJson)?)
    }

    fn serialize_f32(self, value: f32) -> Result<(), SerializeError> {
        self.float(value)
    }

    fn serialize_f64(self, value: f64) -> Result<(), SerializeError> {
        self.float(value)
    }

    fn serialize_char(self, value: char) -> Result<(), SerializeError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), SerializeError> {
        self.output.json.string(value);
        Ok(())
    }

    /// Ambiguous: an array, base64 or a string.
    fn serialize_bytes(self, _: &[u8]) -> Result<(), SerializeError> {
        Err(SerializeError::NotJson)
    }

    fn serialize_none(self) -> Result<(), SerializeError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SerializeError> {
        self.output.nested(value, self.room.wrapped()?)
    }

    fn serialize_unit(self) -> Result<(), SerializeError> {
        self.output.json.null();
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), SerializeError> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), SerializeError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), SerializeError> {
        if name == ESCAPED_STRING {
            return value.serialize(KeySerializer::as_it_stands(self.output, self.room));
        }
        self.output.nested(value, self.room.wrapped()?)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), SerializeError> {
        let room = self.room.inside()?;
        self.output.json.begin_object().name(variant);
        self.output.nested(value, room)?;
        self.output.json.end_object();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, SerializeError> {
        self.open(None, Close::Array)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, SerializeError> {
        self.open(None, Close::Array)
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, SerializeError> {
        self.open(None, Close::Array)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, SerializeError> {
        self.open(Some(variant), Close::Array)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, SerializeError> {
        self.open(None, Close::Object)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeStruct, SerializeError> {
        match name == NUMBER {
            true => {
                let number = self.open(None, Close::Number)?;
                Ok(Compound { has_name: true, ..number })
            }
            false => self.open(None, Close::Object),
        }
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, SerializeError> {
        self.open(Some(variant), Close::Object)
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), SerializeError> {
        self.output.display(value)
    }
}

/// The closing bracket of an open value.
#[derive(Clone, Copy)]
enum Close {
    Array,
    Object,
    /// None: the value is a number, whose text is the only field.
    Number,
}

/// An object or array that is open, or a number whose text comes next.
struct Compound<'o, 'w, 's, 'm> {
    output: &'o mut Output<'w, 's, 'm>,
    room: Room,
    close: Close,
    /// Whether the value is the content of a variant, so that another object is open around it.
    is_variant: bool,
    /// Whether a key of a map was written, and its value was not; or the text of a number was not.
    has_name: bool,
}

impl Compound<'_, '_, '_, '_> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
        self.output.nested(value, self.room)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), SerializeError> {
        if let Close::Number = self.close {
            let result = match core::mem::take(&mut self.has_name) {
                true => value.serialize(KeySerializer::number(self.output, self.room)),
                false => Err(SerializeError::NotJson),
            };
            return self.output.noted(result);
        }
        self.output.json.name(name);
        self.element(value)
    }

    fn close(self) -> Result<(), SerializeError> {
        if self.has_name {
            return Err(SerializeError::NotJson);
        }
        match self.close {
            Close::Array => _ = self.output.json.end_array(),
            Close::Object => _ = self.output.json.end_object(),
            Close::Number => {}
        }
        if self.is_variant {
            self.output.json.end_object();
        }
        Ok(())
    }
}

impl ser::SerializeMap for Compound<'_, '_, '_, '_> {
    type Ok = ();
    type Error = SerializeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SerializeError> {
        let result = match core::mem::replace(&mut self.has_name, true) {
            false => key.serialize(KeySerializer::name(self.output, self.room)),
            true => Err(SerializeError::NotJson),
        };
        self.output.noted(result)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
        match core::mem::take(&mut self.has_name) {
            true => self.element(value),
            false => self.output.noted(Err(SerializeError::NotJson)),
        }
    }

    fn end(self) -> Result<(), SerializeError> {
        self.close()
    }
}

/// Elements without names.
macro_rules! arrays {
    ($($compound:ident $method:ident;)*) => {$(
        impl ser::$compound for Compound<'_, '_, '_, '_> {
            type Ok = ();
            type Error = SerializeError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
                self.element(value)
            }

            fn end(self) -> Result<(), SerializeError> {
                self.close()
            }
        }
    )*};
}

arrays! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

/// Members whose names are those of fields.
macro_rules! objects {
    ($($compound:ident)*) => {$(
        impl ser::$compound for Compound<'_, '_, '_, '_> {
            type Ok = ();
            type Error = SerializeError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), SerializeError> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), SerializeError> {
                self.close()
            }
        }
    )*};
}

objects! {
    SerializeStruct
    SerializeStructVariant
}
