//! Structured content by derive: its schema, and how it is written.

use barewire::engine::Handler;
use barewire::json::JsonStr;
use barewire::macros::Refused;
use barewire::mcp::{Parameter, Tool, Type};
use barewire::{Argument, Output};

use crate::kit::{call, request, text};

#[derive(Clone, Copy, Argument, Output)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Kelvin,
}

#[derive(Output)]
#[serde(rename_all = "camelCase")]
struct Reading<'a> {
    /// Tenths of a degree.
    #[arg(min = -400, max = 1250)]
    in_tenths: i16,
    unit: Unit,
    #[serde(rename = "sensor")]
    name: &'a str,
    battery: Option<f32>,
    history: Vec<Point>,
}

/// Of both kinds: an argument may leave out what an output always has.
#[derive(Argument, Output)]
struct Point {
    #[serde(default)]
    x: i64,
    y: Option<u8>,
}

#[derive(Output)]
struct Lists<'a, 'b> {
    raw: JsonStr<'a>,
    slice: &'b [u64],
    array: [bool; 2],
    short: heapless::Vec<heapless::String<4>, 2>,
    nested: &'b Point,
    size: usize,
}

struct App<const N: usize> {
    name: String,
}

#[barewire::server]
impl<const N: usize> App<N> {
    /// Reads.
    #[tool]
    fn read(&self, unit: Unit) -> Reading<'_> {
        let history = vec![Point { x: 1, y: None }, Point { x: -2, y: Some(3) }];
        Reading { in_tenths: 215, unit, name: &self.name, battery: None, history }
    }

    /// Reads, or fails.
    #[tool]
    fn try_read(&self, fails: bool) -> Result<(&str, Point), Refused> {
        if fails {
            Err(Refused::new(barewire::rpc::ErrorCode(1), "no"))
        } else {
            Ok(("done", Point { x: 1, y: None }))
        }
    }

    /// Returns lists.
    #[tool]
    fn lists<'t>(&'t self, raw: JsonStr<'t>) -> Lists<'t, 't> {
        let short = ["a", "b"].iter().filter_map(|text| heapless::String::try_from(*text).ok()).collect();
        Lists {
            raw,
            slice: &[1, u64::MAX],
            array: [true, false],
            short,
            nested: &Point { x: 0, y: None },
            size: N,
        }
    }

    /// Returns the unit.
    #[tool]
    fn unit(&self) -> Unit {
        Unit::Kelvin
    }

    /// Returns the argument.
    #[tool]
    fn same(&self, point: Point) -> Point {
        point
    }
}

const POINT: Type<'_> = Type::object_of(&[
    Parameter::required("x", Type::INTEGER),
    Parameter::optional("y", Type::integer_in(0, 255)),
]);
const UNIT: Type<'_> = Type::Choice(&["celsius", "kelvin"]);
const READ: Tool<'_> =
    Tool::new("read", "Reads.").with_parameters(&[Parameter::required("unit", UNIT)]).with_output(&[
        Parameter::required("inTenths", Type::integer_in(-400, 1250)).with_description("Tenths of a degree."),
        Parameter::required("unit", UNIT),
        Parameter::required("sensor", Type::STRING),
        Parameter::optional("battery", Type::NUMBER),
        Parameter::required("history", Type::array_of(&POINT, u32::MAX)),
    ]);

fn app() -> App<5> {
    App { name: "attic \"1\"".to_string() }
}

/// The end of the answer of a tool with this structured content.
fn structured(object: &str) -> String {
    format!(r#""isError":false,"structuredContent":{object}}}"#)
}

#[test]
fn the_schema_is_declared() {
    let app = app();
    assert_eq!(app.tools()[0], READ);
    let list = request(&mut self::app(), "tools/list", "{}");
    for tool in [
        r#""outputSchema":{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer","minimum":0,"maximum":255}},"required":["x"],"additionalProperties":false}"#,
        r#""slice":{"type":"array","items":{"type":"integer","minimum":0}}"#,
        r#"{"name":"unit","description":"Returns the unit.","inputSchema":{"type":"object","additionalProperties":false}}"#,
    ] {
        assert!(list.contains(tool), "{tool}\n{list}");
    }
    assert_eq!(list.matches("outputSchema").count(), 4);
}

#[test]
fn structured_content_is_written() {
    let reading =
        r#"{"inTenths":215,"unit":"kelvin","sensor":"attic \"1\"","history":[{"x":1},{"x":-2,"y":3}]}"#;
    assert!(call(&mut app(), "read", r#"{"unit":"kelvin"}"#).ends_with(&structured(reading)));
    let lists = r#"{"raw":"\u00e4\n","slice":[1,18446744073709551615],"array":[true,false],"short":["a","b"],"nested":{"x":0},"size":5}"#;
    assert!(call(&mut app(), "lists", r#"{"raw":"\u00e4\n"}"#).ends_with(&structured(lists)));
    assert!(call(&mut app(), "same", r#"{"point":{"y":1}}"#).ends_with(&structured(r#"{"x":0,"y":1}"#)));
    assert_eq!(call(&mut app(), "unit", "{}"), text("kelvin"));
}

#[test]
fn structured_content_after_a_text_and_in_a_result() {
    let both = r#"{"content":[{"type":"text","text":"done"},{"type":"text","text":"{\"x\":1}"}],"#;
    let answer = call(&mut app(), "try_read", r#"{"fails":false}"#);
    assert!(answer.contains(both) && answer.ends_with(&structured(r#"{"x":1}"#)), "{answer}");
    assert_eq!(call(&mut app(), "try_read", r#"{"fails":true}"#), r#""error":{"code":1,"message":"no"}"#);
}
