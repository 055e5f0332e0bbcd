//! JSON for programs that read the output of this one.

use barewire::bytes::Sink;
use barewire::json::{JsonStr, RawValue, Writer};

use crate::terminal::shown_json;

/// An object as compact JSON.
pub(crate) fn object(write: impl FnOnce(&mut Writer<'_, '_>)) -> Vec<u8> {
    let mut text = Vec::new();
    let mut sink = Sink::growable(&mut text, usize::MAX);
    let mut json = Writer::new(&mut sink);
    json.begin_object();
    write(&mut json);
    json.end_object();
    text
}

/// An object on a line, safe for a terminal.
pub(crate) fn line(write: impl FnOnce(&mut Writer<'_, '_>)) -> Vec<u8> {
    let mut line = shown_json(object(write));
    line.push(b'\n');
    line
}

/// Writes a value that is already JSON, such as an id.
pub(crate) fn raw(json: &mut Writer<'_, '_>, text: &str) {
    json.raw(RawValue::new(text.as_bytes()).unwrap_or(RawValue::NULL));
}

/// The decoded text of a string; the text as it was sent if it has half a surrogate pair.
pub(crate) fn decoded(string: JsonStr<'_>) -> String {
    let characters: Result<String, _> = string.chars().collect();
    characters.unwrap_or_else(|_| string.as_escaped().to_owned())
}
