//! JSON values read: members of an object by name, strings.

use core::ffi::c_void;

use barewire::bytes::BufferFull;
use barewire::json::{JsonStr, Kind, NumberError, RawValue, UnescapeError};

use crate::border::{Buffer, Out, Text};
use crate::status::{
    self, BAREWIRE_ERROR_INEXACT, BAREWIRE_ERROR_KIND, BAREWIRE_ERROR_RANGE, BAREWIRE_ERROR_REPEATED,
    BAREWIRE_ERROR_SURROGATE, BAREWIRE_NONE, BAREWIRE_OK, Result, Status,
};

/// `null`.
pub const BAREWIRE_JSON_NULL: i32 = 0;
/// `true` or `false`.
pub const BAREWIRE_JSON_BOOLEAN: i32 = 1;
/// A number.
pub const BAREWIRE_JSON_NUMBER: i32 = 2;
/// A string.
pub const BAREWIRE_JSON_STRING: i32 = 3;
/// An array.
pub const BAREWIRE_JSON_ARRAY: i32 = 4;
/// An object.
pub const BAREWIRE_JSON_OBJECT: i32 = 5;

/// The kind of a JSON value.
///
/// # Safety
/// `value` is good for its length, `kind` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_json_kind(value: Text, kind: *mut i32) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { kind_of(value, kind) })
}

/// # Safety
/// As [`barewire_json_kind`].
unsafe fn kind_of(value: Text, kind: *mut i32) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (kind, value) = unsafe { (Out::new(kind)?, value.value()?) };
    kind.put(match value.kind() {
        Kind::Null => BAREWIRE_JSON_NULL,
        Kind::Bool => BAREWIRE_JSON_BOOLEAN,
        Kind::Number => BAREWIRE_JSON_NUMBER,
        Kind::String => BAREWIRE_JSON_STRING,
        Kind::Array => BAREWIRE_JSON_ARRAY,
        Kind::Object => BAREWIRE_JSON_OBJECT,
    });
    Ok(())
}

/// The member of that name.
///
/// # Safety
/// `object` and `name` are good for their lengths.
unsafe fn member<'a>(object: Text, name: Text) -> Result<RawValue<'a>> {
    // SAFETY: by the caller's promise.
    let (object, name) = unsafe { (object.object()?, name.utf8()?) };
    match object.get_once(name) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(BAREWIRE_NONE),
        Err(_) => Err(BAREWIRE_ERROR_REPEATED),
    }
}

/// The JSON text of a member.
///
/// # Safety
/// `object` and `name` are good for their lengths, `value` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_get(object: Text, name: Text, value: *mut Text) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { get(object, name, value) })
}

/// # Safety
/// As [`barewire_get`].
unsafe fn get(object: Text, name: Text, value: *mut Text) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (value, member) = unsafe { (Out::new(value)?, member(object, name)?) };
    value.put(Text::of(member.as_bytes()));
    Ok(())
}

/// A member that is an integer.
///
/// # Safety
/// As [`barewire_get`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_get_integer(object: Text, name: Text, value: *mut i64) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { get_integer(object, name, value) })
}

/// # Safety
/// As [`barewire_get`].
unsafe fn get_integer(object: Text, name: Text, value: *mut i64) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (value, member) = unsafe { (Out::new(value)?, member(object, name)?) };
    let number = member.as_number().ok_or(BAREWIRE_ERROR_KIND)?;
    value.put(number.to_i64().map_err(number_status)?);
    Ok(())
}

/// A member that is a number, times ten to the power of `decimals`.
///
/// # Safety
/// As [`barewire_get`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_get_fixed(
    object: Text,
    name: Text,
    decimals: u8,
    value: *mut i64,
) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { get_fixed(object, name, decimals, value) })
}

/// # Safety
/// As [`barewire_get`].
unsafe fn get_fixed(object: Text, name: Text, decimals: u8, value: *mut i64) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (value, member) = unsafe { (Out::new(value)?, member(object, name)?) };
    let number = member.as_number().ok_or(BAREWIRE_ERROR_KIND)?;
    value.put(number.to_fixed(decimals).map_err(number_status)?);
    Ok(())
}

fn number_status(error: NumberError) -> Status {
    match error {
        NumberError::Inexact => BAREWIRE_ERROR_INEXACT,
        _ => BAREWIRE_ERROR_RANGE,
    }
}

/// A member that is `true` or `false`.
///
/// # Safety
/// As [`barewire_get`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_get_boolean(object: Text, name: Text, value: *mut bool) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { get_boolean(object, name, value) })
}

/// # Safety
/// As [`barewire_get`].
unsafe fn get_boolean(object: Text, name: Text, value: *mut bool) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (value, member) = unsafe { (Out::new(value)?, member(object, name)?) };
    value.put(member.as_bool().ok_or(BAREWIRE_ERROR_KIND)?);
    Ok(())
}

/// A member that is a string, decoded.
///
/// # Safety
/// As [`barewire_get`]; the buffer is good for its size, `length` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_get_string(
    object: Text,
    name: Text,
    buffer: *mut c_void,
    size: usize,
    length: *mut usize,
) -> Status {
    let buffer = Buffer { data: buffer, size, length };
    // SAFETY: by the caller's promise.
    status::of(unsafe { get_string(object, name, buffer) })
}

/// # Safety
/// As [`barewire_get_string`].
unsafe fn get_string(object: Text, name: Text, buffer: Buffer) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (member, inputs) = unsafe { (member(object, name)?, [object.bytes()?, name.bytes()?]) };
    // SAFETY: by the caller's promise.
    unsafe { decode(member, &inputs, buffer) }
}

/// Decodes a JSON string.
///
/// # Safety
/// `string` is good for its length, the buffer for its size, `length` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_string_decode(
    string: Text,
    buffer: *mut c_void,
    size: usize,
    length: *mut usize,
) -> Status {
    let buffer = Buffer { data: buffer, size, length };
    // SAFETY: by the caller's promise.
    status::of(unsafe { string_decode(string, buffer) })
}

/// # Safety
/// As [`barewire_string_decode`].
unsafe fn string_decode(string: Text, buffer: Buffer) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (value, inputs) = unsafe { (string.value()?, [string.bytes()?]) };
    // SAFETY: by the caller's promise.
    unsafe { decode(value, &inputs, buffer) }
}

/// # Safety
/// The buffer is good.
unsafe fn decode(value: RawValue<'_>, inputs: &[&[u8]], buffer: Buffer) -> Result<()> {
    let string = value.as_string().ok_or(BAREWIRE_ERROR_KIND)?;
    // What has half a surrogate pair is refused before the memory is touched.
    if string.chars().any(|character| character.is_err()) {
        return Err(BAREWIRE_ERROR_SURROGATE);
    }
    // SAFETY: by the caller's promise.
    unsafe { buffer.fill(inputs, |memory| decode_into(string, memory)) }
}

fn decode_into(string: JsonStr<'_>, memory: &mut [u8]) -> core::result::Result<usize, BufferFull> {
    let Some(plain) = string.as_str() else {
        return match string.unescape(memory) {
            Ok(decoded) => Ok(decoded.len()),
            Err(UnescapeError::BufferFull { needed }) => Err(BufferFull { needed }),
            // Seen before.
            Err(UnescapeError::LoneSurrogate) => Ok(0),
        };
    };
    let mut sink = barewire::bytes::Sink::new(memory);
    sink.write(plain.as_bytes());
    sink.finish().map(<[u8]>::len)
}

/// Compares a JSON string with a text.
///
/// # Safety
/// Both are good for their lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_string_equals(string: Text, text: Text) -> Status {
    // SAFETY: by the caller's promise.
    match unsafe { string_equals(string, text) } {
        Ok(true) => BAREWIRE_OK,
        Ok(false) => BAREWIRE_NONE,
        Err(status) => status,
    }
}

/// # Safety
/// As [`barewire_string_equals`].
unsafe fn string_equals(string: Text, text: Text) -> Result<bool> {
    // SAFETY: by the caller's promise.
    let (value, text) = unsafe { (string.value()?, text.utf8()?) };
    let string = value.as_string().ok_or(BAREWIRE_ERROR_KIND)?;
    Ok(string == *text)
}
