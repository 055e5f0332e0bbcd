//! JSON Schemas: a literal, or made from the parameters.

use super::parameter::{Parameter, Type};
use crate::json::{Kind, RawValue, Writer};

/// How deep declared objects and arrays may nest.
pub const MAX_SCHEMA_DEPTH: usize = 8;

/// A JSON Schema of an object, as a literal. A broken one does not compile:
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
    /// A schema whose root says `"type":"object"`.
    ///
    /// # Panics
    /// When `text` is no JSON object with `"type":"object"`; in a `const`, where tables live, that is a compile error.
    /// [`checked`](Schema::checked) and [`of`](Schema::of) are for what is only known at run time.
    #[allow(
        clippy::panic,
        reason = "where tables live, in a `const`, it is a compile error"
    )]
    pub const fn new(text: &'a str) -> Self {
        match Self::checked(text) {
            Some(schema) => schema,
            None => panic!("a schema is a JSON object with \"type\":\"object\""),
        }
    }

    /// The schema, if `text` is one; `type` must be there once, without escapes.
    pub const fn checked(text: &'a str) -> Option<Self> {
        match RawValue::new(text.as_bytes()) {
            Ok(text) if matches!(text.kind(), Kind::Object) && says_object(text.as_bytes()) => {
                Some(Self { text })
            }
            _ => None,
        }
    }

    /// The schema, if the value is one; `type` must be there once, however it is spelled. For what is only known at run
    /// time. Linear in its length.
    pub fn of(value: RawValue<'a>) -> Option<Self> {
        let kind = value.as_object()?.get_once("type").ok()??.as_string()?;
        (kind == "object").then_some(Self { text: value })
    }

    pub(crate) const fn as_value(self) -> RawValue<'a> {
        self.text
    }
}

/// Whether the object has the member `"type":"object"` at its root, and no other `type`: a walk that the compiler can do.
#[allow(
    clippy::indexing_slicing,
    reason = "behind a check of the length; `get` is not const"
)]
const fn says_object(text: &[u8]) -> bool {
    let mut at = 0;
    let mut level = 0usize;
    // Whether the string that comes next at level 1 is a name, and whether the last name was `type`.
    let mut at_name = false;
    let mut behind_type = false;
    let mut types = 0usize;
    let mut is_object = false;
    while at < text.len() {
        match text[at] {
            b'{' | b'[' => {
                level = level.saturating_add(1);
                at_name = level == 1;
            }
            b'}' | b']' => level = level.saturating_sub(1),
            b',' if level == 1 => at_name = true,
            b':' if level == 1 => at_name = false,
            b'"' => {
                let start = at.saturating_add(1);
                at = start;
                while at < text.len() && text[at] != b'"' {
                    at = at.saturating_add(if text[at] == b'\\' { 2 } else { 1 });
                }
                if level == 1 && at_name {
                    behind_type = is_at(text, start, at, b"type");
                    types = types.saturating_add(behind_type as usize);
                } else if level == 1 && behind_type {
                    is_object = is_at(text, start, at, b"object");
                }
            }
            _ => {}
        }
        at = at.saturating_add(1);
    }
    types == 1 && is_object
}

/// Whether `word` is what stands from `start` to `end`.
const fn is_at(text: &[u8], start: usize, end: usize, mut word: &[u8]) -> bool {
    let Some((text, _)) = text.split_at_checked(end) else {
        return false;
    };
    let Some((_, mut text)) = text.split_at_checked(start) else {
        return false;
    };
    while let ([found, rest @ ..], [wanted, rest_of_word @ ..]) = (text, word) {
        if *found != *wanted {
            return false;
        }
        (text, word) = (rest, rest_of_word);
    }
    text.is_empty() && word.is_empty()
}

/// A schema that is open, and how many of those inside it were written: there are at most 64.
struct Level<'t, 'a> {
    ty: &'t Type<'a>,
    written: u8,
}

/// Writes the schema of an object with these parameters, iteratively: what is open is kept in a fixed stack, whose size
/// the parameters were checked against when they were made. That stack must not lie below what else a list needs.
#[inline(never)]
pub(super) fn write_parameters(json: &mut Writer<'_, '_>, parameters: &[Parameter<'_>], allow_unknown: bool) {
    let outermost = Type::Object {
        parameters,
        allow_unknown,
    };
    // One for the outermost, and one for what opens no other.
    let mut levels: heapless::Vec<Level<'_, '_>, { MAX_SCHEMA_DEPTH + 2 }> = heapless::Vec::new();
    let mut next = Some((&outermost, None));
    loop {
        if let Some((ty, parameter)) = next {
            begin(json, ty, parameter);
            // There is room.
            let _ = levels.push(Level { ty, written: 0 });
        }
        let Some(level) = levels.last_mut() else {
            return;
        };
        let written = usize::from(level.written);
        level.written = level.written.saturating_add(1);
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

/// Up to the first schema inside this one.
fn begin(json: &mut Writer<'_, '_>, ty: &Type<'_>, parameter: Option<&Parameter<'_>>) {
    json.begin_object();
    ty.write_keywords(json);
    if let Some(parameter) = parameter {
        parameter.write_details(json);
    }
    if let Type::Object { parameters, .. } = *ty {
        json.name("type").string("object");
        if !parameters.is_empty() {
            json.name("properties").begin_object();
        }
    }
}

/// What stands behind the last one.
fn end(json: &mut Writer<'_, '_>, ty: &Type<'_>) {
    if let Type::Object {
        parameters,
        allow_unknown,
    } = *ty
    {
        end_object(json, parameters, allow_unknown);
    }
    json.end_object();
}

fn end_object(json: &mut Writer<'_, '_>, parameters: &[Parameter<'_>], allow_unknown: bool) {
    if !parameters.is_empty() {
        json.end_object();
    }
    if parameters.iter().any(Parameter::is_required) {
        json.name("required").begin_array();
        for parameter in parameters.iter().filter(|parameter| parameter.is_required()) {
            json.string(parameter.name());
        }
        json.end_array();
    }
    if !allow_unknown {
        json.name("additionalProperties").boolean(false);
    }
}
