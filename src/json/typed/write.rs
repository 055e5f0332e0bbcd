//! Types of the application, written as JSON.

use serde::Serialize;

use super::SerializeError;
use crate::bytes::Sink;
use crate::json::RawValue;

/// Writes a value of the application into `memory` as JSON.
///
/// The result is checked by this crate's own scanner. Doubles are written as Rust prints them and `null` where they are
/// not finite; for ECMAScript's form see [`Writer::double`](crate::json::Writer::double).
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
/// assert_eq!(value.as_json(), r#"{"pin":4,"high":true}"#);
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
pub(in crate::json) fn serialize<T: Serialize + ?Sized>(
    sink: &mut Sink<'_>,
    value: &T,
) -> Result<(), SerializeError> {
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
