//! Comparison of the `Mcp-Param-*` headers of a call with its arguments.

use super::head::Head;
use super::header_value::{is_boolean, is_number, is_string};
use crate::json::{JsonStr, Kind, Object, RawValue};
use crate::mcp::{MAX_HEADER_NAME, MirroredArgument, Tool, is_token_byte};

/// A header of a parameter that is missing, repeated or malformed, or differs from the argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeaderMismatch;

/// Compares the headers of a call with its arguments: each scalar argument with a header has that header once and with the same
/// value, and an absent argument has none. Other `Mcp-Param-*` headers are ignored.
///
/// # Errors
/// [`HeaderMismatch`]
pub(crate) fn check_parameters(
    tool: &Tool<'_>,
    arguments: Object<'_>,
    head: &impl Head,
) -> Result<(), HeaderMismatch> {
    tool.each_mirrored(arguments, |header, argument| {
        let mut memory = [0; PREFIX.len() + MAX_HEADER_NAME];
        // A name that is not valid declares no header (H107): clients leave out such a tool.
        name_of(header, &mut memory).map_or(Ok(()), |name| check(head, name, argument))
    })
}

const PREFIX: &[u8] = b"mcp-param-";

/// The name of a header in lower case, if it is a token that is not too long.
fn name_of<'m>(header: JsonStr<'_>, memory: &'m mut [u8]) -> Option<&'m str> {
    let mut characters = header.chars();
    let mut length = 0_usize;
    for byte in PREFIX {
        *memory.get_mut(length)? = *byte;
        length = length.saturating_add(1);
    }
    let prefix = length;
    for character in &mut characters {
        let byte = u8::try_from(character.ok()?).ok().filter(|byte| is_token_byte(*byte))?;
        *memory.get_mut(length)? = byte.to_ascii_lowercase();
        length = length.saturating_add(1);
    }
    if length == prefix { None } else { core::str::from_utf8(memory.get(..length)?).ok() }
}

/// Compares one header with its argument.
fn check(head: &impl Head, name: &str, argument: MirroredArgument<'_>) -> Result<(), HeaderMismatch> {
    let argument = argument.map_err(|_| HeaderMismatch)?;
    let mut values = head.values(name);
    let is_same = match (values.next(), values.next()) {
        (None, _) => argument.is_none_or(|argument| !is_scalar(argument)),
        (Some(value), None) => argument.is_some_and(|argument| is_equal(value, argument)),
        (Some(_), Some(_)) => false,
    };
    if is_same { Ok(()) } else { Err(HeaderMismatch) }
}

/// Whether a value is repeated in a header. Other values do not fit the parameter, which the check of the arguments reports.
const fn is_scalar(value: RawValue<'_>) -> bool {
    !matches!(value.kind(), Kind::Object | Kind::Array)
}

fn is_equal(header: &[u8], argument: RawValue<'_>) -> bool {
    if let Some(string) = argument.as_string() {
        is_string(header, string)
    } else if let Some(number) = argument.as_number() {
        is_number(header, number)
    } else if let Some(boolean) = argument.as_bool() {
        is_boolean(header, boolean)
    } else {
        false
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::super::head::tests::Request;
    use super::*;
    use crate::mcp::{Parameter, Schema, Type};

    const DECLARED: Tool<'_> = Tool::new("read", "Reads a sensor.").with_parameters(&[
        Parameter::optional("region", Type::STRING).with_header(&"Region"),
        Parameter::optional("limit", Type::INTEGER).with_header(&"X-Limit"),
        Parameter::optional("dry", Type::Boolean).with_header(&"dry"),
        Parameter::optional("mode", Type::Choice(&["a", "b"])),
        Parameter::optional(
            "place",
            Type::object_of(&[
                Parameter::optional("room", Type::STRING).with_header(&"Room"),
                Parameter::optional("list", Type::array_of(&Type::STRING, 4)),
            ]),
        ),
    ]);

    const LITERAL: Tool<'_> = Tool::new("read", "Reads a sensor.").with_schema(Schema::new(
        r#"{"type":"object","properties":{
            "r\u0065gion":{"type":"string","x-mcp-header":"R\u0065gion"},
            "limit":{"x-mcp-header":"X-Limit","type":"integer"},
            "dry":{"type":"boolean","x-mcp-header":"dry"},
            "mode":{"enum":["a","b"]}, "any":true,
            "place":{"type":"object","properties":{
                "room":{"type":"string","x-mcp-header":"Room"},
                "list":{"type":"array","items":{"type":"string"}}}}}}"#,
    ));

    fn check_both(fields: &[(&'static str, &'static [u8])], arguments: &str) -> bool {
        let head =
            fields.iter().fold(Request::new("POST", "/mcp"), |head, field| head.with(field.0, field.1));
        let arguments = RawValue::new(arguments.as_bytes()).unwrap().as_object().unwrap();
        let [declared, literal] =
            [&DECLARED, &LITERAL].map(|tool| check_parameters(tool, arguments, &head).is_ok());
        assert_eq!(declared, literal, "{fields:?} {arguments:?}");
        declared
    }

    #[test]
    fn h113_h114_headers_and_arguments() {
        type Case<'t> = (&'t [(&'static str, &'static [u8])], &'t str, bool);
        let cases: &[Case<'_>] = &[
            (&[], "{}", true),
            (&[("Mcp-Param-Region", b"eu")], r#"{"region":"eu"}"#, true),
            (&[("MCP-PARAM-REGION", b" eu\t")], r#"{"region":"eu"}"#, true),
            (&[("mcp-param-region", b"eu")], r#"{"r\u0065gion":"\u0065u"}"#, true),
            (&[("mcp-param-x-limit", b"42.0")], r#"{"limit":42}"#, true),
            (&[("mcp-param-dry", b"false")], r#"{"dry":false}"#, true),
            (&[("mcp-param-room", b"=?base64?S8O8Y2hl?=")], r#"{"place":{"room":"Küche"}}"#, true),
            (&[("mcp-param-region", b"")], r#"{"region":""}"#, true),
            // Different.
            (&[("mcp-param-region", b"us")], r#"{"region":"eu"}"#, false),
            (&[("mcp-param-region", b"EU")], r#"{"region":"eu"}"#, false),
            (&[("mcp-param-x-limit", b"43")], r#"{"limit":42}"#, false),
            (&[("mcp-param-dry", b"true")], r#"{"dry":false}"#, false),
            (&[("mcp-param-room", b"K\xc3\xbcche")], r#"{"place":{"room":"Küche"}}"#, false),
            (&[("mcp-param-room", b"=?base64?S8O8Y2hl=?=")], r#"{"place":{"room":"Küche"}}"#, false),
            // Missing, and without an argument.
            (&[], r#"{"region":"eu"}"#, false),
            (&[], r#"{"region":""}"#, false),
            (&[], r#"{"place":{"room":"a"}}"#, false),
            (&[("mcp-param-region", b"eu")], "{}", false),
            (&[("mcp-param-region", b"")], "{}", false),
            (&[("mcp-param-room", b"a")], "{}", false),
            (&[("mcp-param-room", b"a")], r#"{"place":{}}"#, false),
            (&[("mcp-param-room", b"a")], r#"{"place":"a"}"#, false),
            // `null` counts as absent.
            (&[], r#"{"region":null}"#, true),
            (&[], r#"{"place":null}"#, true),
            (&[("mcp-param-region", b"null")], r#"{"region":null}"#, false),
            // Values of the wrong type: with a header they are compared, without one the tool refuses them.
            (&[("mcp-param-region", b"1")], r#"{"region":1}"#, true),
            (&[("mcp-param-region", b"1")], r#"{"region":[1]}"#, false),
            (&[], r#"{"region":[1]}"#, true),
            (&[], r#"{"region":1}"#, false),
            // Repeated.
            (&[("mcp-param-region", b"eu"), ("Mcp-Param-Region", b"eu")], r#"{"region":"eu"}"#, false),
            (&[("mcp-param-region", b"eu")], r#"{"region":"eu","region":"us"}"#, false),
            (&[("mcp-param-region", b"eu")], r#"{"region":"us","r\u0065gion":"eu"}"#, false),
            // Headers of no parameter.
            (&[("mcp-param-mode", b"z"), ("mcp-param-mode", b"z")], r#"{"mode":"a"}"#, true),
            (&[("mcp-param-", b"z"), ("mcp-param-other", b"\xff")], "{}", true),
        ];
        for (fields, arguments, expected) in cases {
            assert_eq!(check_both(fields, arguments), *expected, "{fields:?} {arguments}");
        }
    }

    fn check_literal(schema: &'static str, header: &'static str, arguments: &str) -> bool {
        let tool = Tool::new("a", "b").with_schema(Schema::new(schema));
        let head = Request::new("POST", "/mcp").with(header, "x");
        let arguments = RawValue::new(arguments.as_bytes()).unwrap().as_object().unwrap();
        check_parameters(&tool, arguments, &head).is_ok()
    }

    #[test]
    fn h109_only_properties_reached_through_properties_alone() {
        let arguments = r#"{"a":"y","b":{"a":"y"}}"#;
        let annotated = [
            r#"{"type":"object","properties":{"a":{"x-mcp-header":"H"}}}"#,
            r#"{"type":"object","properties":{"b":{"properties":{"a":{"x-mcp-header":"H"}}}}}"#,
        ];
        for schema in annotated {
            assert!(!check_literal(schema, "mcp-param-h", arguments), "{schema}");
        }
        let others = [
            r#"{"type":"object"}"#,
            r#"{"type":"object","x-mcp-header":"H"}"#,
            r#"{"type":"object","properties":{"a":{"anyOf":[{"x-mcp-header":"H"}]}}}"#,
            r#"{"type":"object","properties":{"a":{"items":{"x-mcp-header":"H"}}}}"#,
            r#"{"type":"object","properties":{"a":{"not":{"x-mcp-header":"H"}}}}"#,
            r#"{"type":"object","allOf":[{"properties":{"a":{"x-mcp-header":"H"}}}]}"#,
            r#"{"type":"object","$defs":{"a":{"x-mcp-header":"H"}},"properties":{"a":{"$ref":"/$defs/a"}}}"#,
            r#"{"type":"object","properties":[{"a":{"x-mcp-header":"H"}}]}"#,
            r#"{"type":"object","properties":{"b":{"if":{"properties":{"a":{"x-mcp-header":"H"}}}}}}"#,
        ];
        for schema in others {
            assert!(check_literal(schema, "mcp-param-h", arguments), "{schema}");
        }
    }

    #[test]
    fn h107_annotations_that_are_not_valid_are_ignored() {
        for name in
            ["\"\"", "\"a b\"", "\"a:b\"", "\"ä\"", "\"a\\u0000\"", "\"\\ud800\"", "1", "null", "[\"H\"]"]
        {
            let schema =
                std::format!(r#"{{"type":"object","properties":{{"a":{{"x-mcp-header":{name}}}}}}}"#);
            let tool = Tool::new("a", "b").with_schema(Schema::new(&schema));
            let arguments = RawValue::new(br#"{"a":"y"}"#).unwrap().as_object().unwrap();
            assert_eq!(check_parameters(&tool, arguments, &Request::new("POST", "/mcp")), Ok(()), "{name}");
        }
        // As long as a name may be, and longer.
        for (length, ok) in [(64, false), (65, true)] {
            let name = "a".repeat(length);
            let schema =
                std::format!(r#"{{"type":"object","properties":{{"a":{{"x-mcp-header":"{name}"}}}}}}"#);
            let tool = Tool::new("a", "b").with_schema(Schema::new(&schema));
            let arguments = RawValue::new(br#"{"a":"y"}"#).unwrap().as_object().unwrap();
            assert_eq!(
                check_parameters(&tool, arguments, &Request::new("POST", "/mcp")).is_ok(),
                ok,
                "{length}"
            );
        }
    }

    #[test]
    fn h109_nesting_is_limited_and_a_tool_without_arguments_has_no_headers() {
        let nested = |depth: usize| {
            let open = r#"{"type":"object","properties":{"a":"#.repeat(depth);
            std::format!("{open}{}{}", r#"{"x-mcp-header":"H"}"#, "}}".repeat(depth))
        };
        let arguments = std::format!("{}1{}", r#"{"a":"#.repeat(9), "}".repeat(9));
        for depth in [1, 8, 9, 30] {
            let schema = nested(depth);
            let tool = Tool::new("a", "b").with_schema(Schema::new(&schema));
            let arguments = RawValue::new(arguments.as_bytes()).unwrap().as_object().unwrap();
            let head = Request::new("POST", "/mcp").with("mcp-param-h", "x");
            assert_eq!(check_parameters(&tool, arguments, &head).is_ok(), depth > 8, "{depth}");
        }
        let tool = Tool::new("a", "b");
        let head = Request::new("POST", "/mcp").with("mcp-param-h", "x");
        assert_eq!(check_parameters(&tool, Object::EMPTY, &head), Ok(()));
    }
}
