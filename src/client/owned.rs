//! Copies of received values, which outlive their message.

use core::fmt;
use std::boxed::Box;
use std::string::{String, ToString};

use crate::json::{Array, JsonStr, Object, RawValue};

/// The JSON text of a received value.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct OwnedValue {
    /// Valid, without white space around it.
    text: Box<[u8]>,
}

impl OwnedValue {
    pub(super) fn of(value: RawValue<'_>) -> Self {
        Self { text: value.as_bytes().into() }
    }

    pub(super) fn value(&self) -> RawValue<'_> {
        RawValue::from_valid(&self.text)
    }

    /// The object. An empty one if the value is not an object.
    pub(super) fn object(&self) -> Object<'_> {
        self.value().as_object().unwrap_or(Object::EMPTY)
    }
}

impl fmt::Debug for OwnedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.value().as_json())
    }
}

/// The member `name` of an object, if it is a string.
pub(super) fn string<'a>(object: Object<'a>, name: &str) -> Option<JsonStr<'a>> {
    object.get(name).and_then(RawValue::as_string)
}

/// The text of the member `name`, if it is a string. Half a surrogate pair becomes U+FFFD.
pub(super) fn text(object: Object<'_>, name: &str) -> Option<String> {
    string(object, name).map(|string| string.to_string())
}

/// The member `name`, or an empty array if it is not an array.
pub(super) fn array<'a>(object: Object<'a>, name: &str) -> Array<'a> {
    object.get(name).and_then(RawValue::as_array).unwrap_or(Array::EMPTY)
}

/// The texts, each on a line of its own.
pub(super) fn lines<'a>(texts: impl Iterator<Item = JsonStr<'a>>) -> String {
    let mut lines = String::new();
    for (at, text) in texts.enumerate() {
        if at > 0 {
            lines.push('\n');
        }
        match text.as_str() {
            Some(plain) => lines.push_str(plain),
            None => lines.extend(text.chars().map(|item| item.unwrap_or(char::REPLACEMENT_CHARACTER))),
        }
    }
    lines
}
