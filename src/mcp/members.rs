//! Writers of members that several objects have.
//!
//! Those of texts are inlined, since most texts are constants: where there is none, the compiler drops the member.

use super::{Feature, ProtocolVersion};
use crate::json::Writer;

/// Writes the member `name`, if there is a text.
#[inline(always)]
pub(super) fn write_text_member(json: &mut Writer<'_, '_>, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        json.name(name).string(text);
    }
}

/// Writes the member `title`, if there is one and `version` has it.
#[inline(always)]
pub(super) fn write_title(json: &mut Writer<'_, '_>, title: Option<&str>, version: ProtocolVersion) {
    if version.has(Feature::Title) {
        write_text_member(json, "title", title);
    }
}

/// Writes the member `name`, an array of strings, unless it is empty.
pub(super) fn write_strings(json: &mut Writer<'_, '_>, name: &str, strings: &[&str]) {
    if !strings.is_empty() {
        write_string_array(json, name, strings);
    }
}

/// Writes the member `name`, an array of strings.
pub(super) fn write_string_array(json: &mut Writer<'_, '_>, name: &str, strings: &[&str]) {
    json.name(name).begin_array();
    for string in strings {
        json.string(string);
    }
    json.end_array();
}
