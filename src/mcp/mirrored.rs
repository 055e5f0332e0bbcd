//! The arguments of a tool that are repeated in headers (`x-mcp-header`).

use heapless::Vec;

use super::parameter::{HEADER_KEYWORD, MAX_SCHEMA_DEPTH, Parameter, Type};
use super::{Schema, Tool};
use crate::json::{JsonStr, Members, Object, RawValue, Repeated};

/// An argument that may be absent, or sent twice.
pub(crate) type Argument<'a> = Result<Option<RawValue<'a>>, Repeated>;

impl<'a> Tool<'a> {
    /// Calls `each` with the name of each header that repeats an argument, and with that argument. `null` counts as absent.
    ///
    /// In a schema literal, only properties that are reached through `properties` alone have headers, and only down to
    /// [`MAX_SCHEMA_DEPTH`].
    pub(crate) fn each_mirrored<'c, E>(
        &'c self,
        arguments: Object<'c>,
        each: impl FnMut(JsonStr<'c>, Argument<'c>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.input() {
            Ok(Type::Object { parameters, .. }) => each_declared(parameters, arguments, each),
            Ok(_) => Ok(()),
            Err(schema) => each_annotated(schema, arguments, each),
        }
    }
}

/// The argument with the given name.
fn argument<'c>(arguments: Option<Object<'c>>, name: &str) -> Argument<'c> {
    let value = arguments.map_or(Ok(None), |arguments| arguments.get_once(name))?;
    Ok(value.and_then(RawValue::not_null))
}

/// The members of an argument that is an object.
fn inside(argument: Argument<'_>) -> Option<Object<'_>> {
    argument.ok()?.and_then(RawValue::as_object)
}

/// Walks over declared parameters and the arguments for them.
fn each_declared<'c, E>(
    parameters: &'c [Parameter<'c>],
    arguments: Object<'c>,
    mut each: impl FnMut(JsonStr<'c>, Argument<'c>) -> Result<(), E>,
) -> Result<(), E> {
    let mut levels: Vec<_, MAX_SCHEMA_DEPTH> = Vec::new();
    // Declarations are no deeper than the stack.
    let _ = levels.push((parameters.iter(), Some(arguments)));
    while let Some((parameters, arguments)) = levels.last_mut() {
        let arguments = *arguments;
        let Some(parameter) = parameters.next() else {
            levels.pop();
            continue;
        };
        if let Some(header) = parameter.header() {
            // A token has nothing that a JSON string escapes.
            each(JsonStr::from_valid(header.as_bytes()), argument(arguments, parameter.name()))?;
        } else if let Type::Object { parameters, .. } = parameter.ty {
            let _ = levels.push((parameters.iter(), inside(argument(arguments, parameter.name()))));
        }
    }
    Ok(())
}

/// Walks over the properties of a schema literal and the arguments for them.
fn each_annotated<'c, E>(
    schema: Schema<'c>,
    arguments: Object<'c>,
    mut each: impl FnMut(JsonStr<'c>, Argument<'c>) -> Result<(), E>,
) -> Result<(), E> {
    let mut levels: Vec<_, MAX_SCHEMA_DEPTH> = Vec::new();
    if let Some(properties) = properties_of(schema.as_value()) {
        let _ = levels.push((properties, Some(arguments)));
    }
    while let Some((properties, arguments)) = levels.last_mut() {
        let arguments = *arguments;
        let Some(property) = properties.next() else {
            levels.pop();
            continue;
        };
        let header = member(property.value, HEADER_KEYWORD).and_then(RawValue::as_string);
        let inner = properties_of(property.value);
        if header.is_none() && inner.is_none() {
            continue;
        }
        let value = find(arguments, property.name);
        if let Some(header) = header {
            each(header, value)?;
        }
        if let Some(inner) = inner {
            // Deeper properties have no headers.
            let _ = levels.push((inner, inside(value)));
        }
    }
    Ok(())
}

/// A member of a schema. A schema that is `true` or `false` has none.
fn member<'a>(schema: RawValue<'a>, name: &str) -> Option<RawValue<'a>> {
    schema.as_object().and_then(|schema| schema.get(name))
}

fn properties_of(schema: RawValue<'_>) -> Option<Members<'_>> {
    member(schema, "properties").and_then(RawValue::as_object).map(Object::members)
}

/// As [`argument`], by a name that may be escaped.
fn find<'c>(arguments: Option<Object<'c>>, name: JsonStr<'_>) -> Argument<'c> {
    let mut found = None;
    for member in arguments.iter().flat_map(|arguments| arguments.members()) {
        if member.name == name && found.replace(member.value).is_some() {
            return Err(Repeated);
        }
    }
    Ok(found.and_then(RawValue::not_null))
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::bytes::Sink;
    use crate::json::Writer;
    use crate::mcp::ProtocolVersion;
    use std::string::{String, ToString};
    use std::vec::Vec;

    const TOOL: Tool<'_> = Tool::new("read", "Reads.")
        .with_parameters(&[
            Parameter::required("region", Type::STRING).with_description("Where").with_header(&"Region"),
            Parameter::optional("limit", Type::integer_in(0, 9)).with_title("Limit").with_header(&"X-Limit"),
            Parameter::optional(
                "place",
                Type::object_of(&[Parameter::optional("dry", Type::Boolean).with_header(&"dry")]),
            ),
            Parameter::optional("mode", Type::Choice(&["a", "b"])).with_header(&"Mode"),
        ])
        .with_output(&[Parameter::required("degrees", Type::NUMBER)]);

    fn listed(version: ProtocolVersion) -> String {
        let mut memory = [0; 1024];
        let mut out = Sink::new(&mut memory);
        TOOL.write(&mut Writer::new(&mut out), version);
        String::from_utf8(out.finish().unwrap().to_vec()).unwrap()
    }

    #[test]
    fn h106_h117_headers_are_listed_in_the_modern_era_only() {
        let modern = listed(ProtocolVersion::V2026_07_28);
        assert!(
            modern.contains(concat!(
                r#""properties":{"region":{"type":"string","description":"Where","x-mcp-header":"Region"},"#,
                r#""limit":{"type":"integer","minimum":0,"maximum":9,"title":"Limit","x-mcp-header":"X-Limit"},"#,
                r#""place":{"type":"object","properties":{"dry":{"type":"boolean","x-mcp-header":"dry"}},"#,
                r#""additionalProperties":false},"#,
                r#""mode":{"type":"string","enum":["a","b"],"x-mcp-header":"Mode"}},"required":["region"],"#,
            )),
            "{modern}"
        );
        for version in ProtocolVersion::ALL {
            if version != ProtocolVersion::V2026_07_28 {
                let legacy = listed(version);
                assert!(legacy.contains(r#"{"type":"string","description":"Where"}"#), "{legacy}");
                assert!(!legacy.contains("x-mcp-header"), "{legacy}");
            }
        }
    }

    #[test]
    fn h109_each_header_comes_with_its_argument() {
        let arguments = br#"{"mode":"a","place":{"dry":true},"region":"eu","mode":"b","limit":null}"#;
        let arguments = RawValue::new(arguments).unwrap().as_object().unwrap();
        let mut found = Vec::new();
        let result = TOOL.each_mirrored(arguments, |header, argument| {
            found.push((header.to_string(), argument.map(|value| value.map(RawValue::as_json))));
            Ok::<(), ()>(())
        });
        assert_eq!(result, Ok(()));
        let expected = [
            ("Region", Ok(Some("\"eu\""))),
            ("X-Limit", Ok(None)),
            ("dry", Ok(Some("true"))),
            ("Mode", Err(Repeated)),
        ];
        assert_eq!(found, expected.map(|(header, argument)| (header.to_string(), argument)));
        // The first error ends the walk.
        assert_eq!(TOOL.each_mirrored(arguments, |_, _| Err(7)), Err(7));
    }
}
