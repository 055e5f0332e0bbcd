//! Arguments: a value of the caller, as a JSON object.

use std::vec::Vec;

use serde::Serialize;

use super::error::ArgumentsError;
use super::owned::OwnedValue;
use crate::bytes::Sink;
use crate::json::{Kind, Member, Object, RawValue, SerializeError, Writer};

/// Writes `value` as an object of at most `longest` bytes. No value is an object without members.
pub(super) fn to_object(value: &impl Serialize, longest: usize) -> Result<OwnedValue, ArgumentsError> {
    let mut memory = Vec::new();
    let mut out = Sink::growable(&mut memory, longest);
    Writer::new(&mut out).serialize(value).map_err(ArgumentsError::Serialize)?;
    let text = out.finish().map_err(|full| ArgumentsError::Serialize(full.into()))?;
    let value = RawValue::new(text).map_err(|_| ArgumentsError::Serialize(SerializeError::NotJson))?;
    match value.kind() {
        Kind::Object => Ok(OwnedValue::of(value)),
        Kind::Null => Ok(OwnedValue::of(Object::EMPTY.as_value())),
        _ => Err(ArgumentsError::NotAnObject),
    }
}

/// [`to_object`] whose members must be strings.
pub(super) fn to_strings(value: &impl Serialize, longest: usize) -> Result<OwnedValue, ArgumentsError> {
    let object = to_object(value, longest)?;
    let is_string = |member: Member<'_>| member.value.kind() == Kind::String;
    match object.object().members().all(is_string) {
        true => Ok(object),
        false => Err(ArgumentsError::NotAString),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::string::{String, ToString};

    use serde_json::json;

    use super::*;

    fn written(value: &impl Serialize) -> Result<String, ArgumentsError> {
        to_object(value, 64).map(|object| object.value().to_string())
    }

    #[test]
    fn arguments_are_an_object() {
        #[derive(Serialize)]
        struct Sum {
            a: u8,
            b: f64,
        }
        // `arbitrary_precision` is on in these tests.
        assert_eq!(written(&json!({"a": 2, "b": -3.5})).as_deref(), Ok(r#"{"a":2,"b":-3.5}"#));
        assert_eq!(written(&Sum { a: 2, b: 3.0 }).as_deref(), Ok(r#"{"a":2,"b":3.0}"#));
        assert_eq!(written(&BTreeMap::from([("a", [1, 2])])).as_deref(), Ok(r#"{"a":[1,2]}"#));
        for nothing in [written(&()), written(&None::<Sum>), written(&json!(null)), written(&json!({}))] {
            assert_eq!(nothing.as_deref(), Ok("{}"));
        }
    }

    #[test]
    fn anything_else_is_an_error() {
        for value in [json!([1]), json!("a"), json!(1), json!(true)] {
            assert_eq!(written(&value), Err(ArgumentsError::NotAnObject));
        }
        let keys = BTreeMap::from([(1, 2)]);
        assert_eq!(written(&keys), Err(ArgumentsError::Serialize(SerializeError::NotJson)));
        let long = json!({"a": "x".repeat(64)});
        assert_eq!(written(&long), Err(ArgumentsError::Serialize(SerializeError::BufferFull)));
    }

    #[test]
    fn arguments_of_prompts_are_strings() {
        assert!(to_strings(&json!({"a": "1"}), 64).is_ok());
        assert_eq!(to_strings(&json!({"a": "1", "b": 1}), 64), Err(ArgumentsError::NotAString));
        assert_eq!(to_strings(&json!("a"), 64), Err(ArgumentsError::NotAnObject));
    }
}
