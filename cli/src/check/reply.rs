//! A message of the server, read more leniently than the rules allow.

use barewire::json::{Object, RawValue};
use barewire::mcp::ProtocolVersion;
use barewire::rpc::RequestId;

use crate::json::decoded;
use crate::terminal::beginning;

#[derive(Clone)]
pub(super) struct Reply(pub(super) Vec<u8>);

impl Reply {
    pub(super) fn get(&self, name: &str) -> Option<RawValue<'_>> {
        self.at(&[name])
    }

    /// A value below the message, by the names that lead to it.
    pub(super) fn at(&self, path: &[&str]) -> Option<RawValue<'_>> {
        at(RawValue::new(&self.0).ok()?, path)
    }

    /// Whether there is a string.
    pub(super) fn has_string(&self, path: &[&str]) -> bool {
        self.at(path).and_then(RawValue::as_string).is_some()
    }

    pub(super) fn id(&self) -> Option<RequestId<'_>> {
        self.get("id").and_then(RequestId::of)
    }

    pub(super) fn method(&self) -> Option<String> {
        self.get("method")?.as_string().map(decoded)
    }

    pub(super) fn is_response(&self) -> bool {
        self.get("method").is_none() && (self.get("result").is_some() || self.get("error").is_some())
    }

    pub(super) fn result(&self) -> Option<Object<'_>> {
        self.get("result").and_then(RawValue::as_object)
    }

    /// The code of the error, if there is one.
    pub(super) fn code(&self) -> Option<i64> {
        self.at(&["error", "code"])?.as_number()?.to_i64().ok()
    }

    /// The revision that the result of `initialize` names, if it is a known one.
    pub(super) fn version(&self) -> Option<ProtocolVersion> {
        let version = self.at(&["result", "protocolVersion"])?.as_string()?;
        ProtocolVersion::from_name(version)
    }

    /// The beginning of the message.
    pub(super) fn excerpt(&self) -> String {
        excerpt(&self.0)
    }
}

/// The value below `value`, by the names that lead to it.
pub(super) fn at<'a>(value: RawValue<'a>, path: &[&str]) -> Option<RawValue<'a>> {
    path.iter().try_fold(value, |value, name| value.as_object()?.get(name))
}

/// The text of an id of any type. `7` and `"7"` have the same text, so that a change of type is noticed.
pub(super) fn key(id: RawValue<'_>) -> Option<String> {
    match id.as_string() {
        Some(string) => Some(decoded(string)),
        None => id.as_number().map(|number| number.as_str().to_owned()),
    }
}

pub(super) fn excerpt(bytes: &[u8]) -> String {
    beginning(bytes, 160)
}
