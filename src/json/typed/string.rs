//! Strings that types of the application keep as they stand.

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json_core::str::EscapedStr;

use crate::json::JsonStr;

/// Name that marks an `EscapedStr`, and so a `JsonStr`, which takes the string as it stands.
pub(super) const ESCAPED_STRING: &str = "__serde_json_core_escaped_string__";

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
