//! JSON Schemas: literals, and those that are generated from parameters.

use super::ProtocolVersion;
use super::parameter::{MAX_SCHEMA_DEPTH, Parameter, Type, same};
use crate::json::{Kind, RawValue, Writer};

/// A JSON Schema of an object, as a literal. A malformed schema does not compile:
///
/// ```compile_fail
/// use barewire::mcp::Schema;
/// const BROKEN: Schema<'_> = Schema::new(r#"{"type":"object""#);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema<'a> {
    text: RawValue<'a>,
}

impl<'a> Schema<'a> {
    /// A schema whose root has `"type":"object"`.
    ///
    /// # Panics
    /// If `text` is not a JSON object with `"type":"object"`. In a `const` this is a compile error. Use
    /// [`checked`](Schema::checked) or [`of`](Schema::of) for text that is only known at run time.
    #[allow(clippy::panic, reason = "a compile error in a `const`")]
    pub const fn new(text: &'a str) -> Self {
        match Self::checked(text) {
            Some(schema) => schema,
            None => panic!("a schema is a JSON object with \"type\":\"object\""),
        }
    }

    /// The schema, if `text` is one. `type` must occur once, without escapes.
    pub const fn checked(text: &'a str) -> Option<Self> {
        match RawValue::new(text.as_bytes()) {
            Ok(text) if matches!(text.kind(), Kind::Object) && says_object(text.as_bytes()) => {
                Some(Self { text })
            }
            _ => None,
        }
    }

    /// The schema, if `value` is one. `type` must occur once, in any spelling. Linear in its length.
    pub fn of(value: RawValue<'a>) -> Option<Self> {
        let kind = value.as_object()?.get_once("type").ok()??.as_string()?;
        (kind == "object").then_some(Self { text: value })
    }

    pub(crate) const fn as_value(self) -> RawValue<'a> {
        self.text
    }
}

/// Whether the object has the member `"type":"object"`, and no other `type`. The compiler can evaluate this walk.
const fn says_object(mut text: &[u8]) -> bool {
    let (mut level, mut types) = (0_usize, 0_usize);
    // Whether the next string at level 1 is a name, and whether the last name was `type`.
    let (mut at_name, mut after_type) = (false, false);
    let mut is_object = false;
    while let [byte, rest @ ..] = text {
        text = rest;
        match byte {
            b'{' | b'[' => {
                level = level.saturating_add(1);
                at_name = level == 1;
            }
            b'}' | b']' => level = level.saturating_sub(1),
            b',' if level == 1 => at_name = true,
            b':' if level == 1 => at_name = false,
            b'"' => {
                let (string, rest) = end_string(rest);
                text = rest;
                if level == 1 && at_name {
                    after_type = same(string, b"type");
                    types = types.saturating_add(after_type as usize);
                } else if level == 1 && after_type {
                    is_object = same(string, b"object");
                }
            }
            _ => {}
        }
    }
    types == 1 && is_object
}

/// The rest of a string before its closing quote, and the text after the quote.
const fn end_string(text: &[u8]) -> (&[u8], &[u8]) {
    let mut rest = text;
    loop {
        rest = match rest {
            [b'"', after @ ..] => match text.split_at_checked(text.len().saturating_sub(rest.len())) {
                Some((string, _)) => return (string, after),
                None => after,
            },
            [b'\\', _, after @ ..] | [_, after @ ..] => after,
            [] => return (text, rest),
        }
    }
}

/// An open schema, and the number of schemas inside it that have been written, at most 64.
struct Level<'t, 'a> {
    ty: &'t Type<'a>,
    written: u8,
}

/// Writes the schema of a type. Iterative: the open schemas are in a fixed stack, against
/// whose size the parameters were checked when they were declared.
// Not inlined: 64 bytes less stack in the servers of the footprint; it is freed before the rest of a list is written.
#[inline(never)]
pub(super) fn write_parameters(json: &mut Writer<'_, '_>, outermost: &Type<'_>, version: ProtocolVersion) {
    // One for the outermost schema, and one for an innermost one, which opens no other.
    let mut levels: heapless::Vec<Level<'_, '_>, { MAX_SCHEMA_DEPTH + 2 }> = heapless::Vec::new();
    let mut next = Some((outermost, None));
    loop {
        if let Some((ty, parameter)) = next {
            begin(json, ty, parameter, version);
            // The declaration was checked against the capacity.
            let _ = levels.push(Level { ty, written: 0 });
        }
        let Some(level) = levels.last_mut() else {
            return;
        };
        let written = usize::from(level.written);
        level.written = level.written.wrapping_add(1);
        next = match *level.ty {
            Type::Object { parameters, .. } => parameters.get(written).map(|parameter| {
                json.name(parameter.name());
                (&parameter.ty, Some(parameter))
            }),
            Type::Array { items, .. } if written == 0 => {
                json.name("items");
                Some((items, None))
            }
            _ => None,
        };
        if next.is_none() {
            end(json, level.ty);
            levels.pop();
        }
    }
}

/// Writes the part of a schema before the first schema inside it.
fn begin(
    json: &mut Writer<'_, '_>,
    ty: &Type<'_>,
    parameter: Option<&Parameter<'_>>,
    version: ProtocolVersion,
) {
    json.begin_object();
    ty.write_keywords(json);
    if let Some(parameter) = parameter {
        parameter.write_details(json, version);
    }
    if let Type::Object { parameters, .. } = *ty {
        json.name("type").string("object");
        if !parameters.is_empty() {
            json.name("properties").begin_object();
        }
    }
}

/// Writes the part of an open schema after the last schema inside it.
fn end(json: &mut Writer<'_, '_>, ty: &Type<'_>) {
    if let Type::Object { parameters, allow_unknown } = *ty {
        end_object(json, parameters, allow_unknown);
    }
    json.end_object();
}

fn end_object(json: &mut Writer<'_, '_>, parameters: &[Parameter<'_>], allow_unknown: bool) {
    if !parameters.is_empty() {
        json.end_object();
    }
    let mut has_required = false;
    for parameter in parameters.iter().filter(|parameter| parameter.is_required()) {
        if !has_required {
            json.name("required").begin_array();
            has_required = true;
        }
        json.string(parameter.name());
    }
    if has_required {
        json.end_array();
    }
    if !allow_unknown {
        json.name("additionalProperties").boolean(false);
    }
}
