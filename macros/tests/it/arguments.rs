//! Every type of an argument.

use barewire::Argument;
use barewire::engine::Handler;
use barewire::json::{JsonStr, RawValue};
use barewire::macros::{InvalidArgument, Scratch};
use barewire::mcp::Type;

use crate::kit::{call, failure, request, text};

#[derive(Debug, Clone, Copy, PartialEq, Argument)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    FastBlink,
    #[serde(rename = "hold")]
    Steady,
}

#[derive(Debug, Argument)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "only shown")]
struct Point<'a> {
    /// Metres to the east.
    #[arg(min = 0)]
    east_side: i32,
    #[serde(default)]
    north: i32,
    name: Option<&'a str>,
    #[serde(rename = "m")]
    mode: Option<Mode>,
}

struct Even(i64);

impl<'a> Argument<'a> for Even {
    const TYPE: Type<'static> = Type::integer_in(0, 100);

    fn read(value: RawValue<'a>, scratch: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        match i64::read(value, scratch)? {
            even if even % 2 == 0 => Ok(Self(even)),
            _ => Err(InvalidArgument::new("must be even")),
        }
    }
}

struct All;

const MOST: u8 = 9;

#[barewire::server(scratch = 16)]
impl All {
    #[tool(description = "")]
    fn numbers(a: u8, b: i64, c: u64, d: usize, e: Option<bool>) -> String {
        format!("{a} {b} {c} {d} {e:?}")
    }

    #[tool(description = "")]
    fn floats(#[arg(min = -0.5, max = 1e3)] a: f64, b: f32) -> (f64, f32) {
        (a, b)
    }

    #[tool(description = "")]
    fn say<'t>(&self, text: &'t str, again: Option<&'t str>) -> (&'t str, Option<&'t str>) {
        (text, again)
    }

    #[tool(description = "")]
    fn echo(text: JsonStr<'_>) -> JsonStr<'_> {
        text
    }

    #[tool(description = "")]
    fn owned(text: String, #[arg(max = 3)] short: heapless::String<4>) -> String {
        text + &short
    }

    #[tool(description = "")]
    fn lists(
        #[arg(max = 2)] a: Vec<u8>,
        b: heapless::Vec<&str, 2>,
        c: [bool; 2],
        d: Option<Vec<Vec<i8>>>,
    ) -> String {
        format!("{a:?} {b:?} {c:?} {d:?}")
    }

    #[tool(description = "")]
    fn mode(mode: Mode, #[arg(default = Mode::Steady)] other: Mode, modes: Vec<Mode>) -> String {
        format!("{mode:?} {other:?} {modes:?}")
    }

    #[tool(description = "")]
    fn point(point: Point<'_>, more: Vec<Point<'_>>) -> String {
        format!("{point:?} {}", more.len())
    }

    #[tool(description = "")]
    fn renamed(#[arg(name = "type", title = "Kind", max = MOST)] r#type: u8, r#fn: Option<u8>) -> String {
        format!("{} {:?}", r#type, r#fn)
    }

    #[tool(description = "")]
    fn even(number: Even) -> i64 {
        number.0
    }
}

#[test]
fn numbers() {
    assert_eq!(call(&mut All, "numbers", r#"{"a":255,"b":-1,"c":5.0,"d":0}"#), text("255 -1 5 0 None"));
    assert_eq!(
        call(&mut All, "numbers", r#"{"a":0,"b":0,"c":0,"d":0,"e":true}"#),
        text("0 0 0 0 Some(true)")
    );
    assert_eq!(
        call(&mut All, "numbers", r#"{"a":256,"b":0,"c":0,"d":0}"#),
        failure("Invalid arguments for numbers: a: is out of range: 0 to 255")
    );
    let two = r#""result":{"content":[{"type":"text","text":"-0.5"},{"type":"text","text":"0.25"}],"isError":false}"#;
    assert_eq!(call(&mut All, "floats", r#"{"a":-0.5,"b":0.25}"#), two);
    for (arguments, fault) in [
        (r#"{"a":1000.1,"b":0}"#, "a: is out of range: -0.5 to 1e3"),
        (r#"{"a":0,"b":1e39}"#, "b: is out of range"),
        (r#"{"a":0,"b":1e400}"#, "b: is out of range"),
    ] {
        let expected = failure(&format!("Invalid arguments for floats: {fault}"));
        assert_eq!(call(&mut All, "floats", arguments), expected);
    }
}

#[test]
fn texts() {
    assert_eq!(call(&mut All, "say", r#"{"text":"a \"b\""}"#), text(r#"a \"b\""#));
    // The scratch has 16 bytes, for both.
    let two = r#"{"text":"\n1234567","again":"\n1234567"}"#;
    assert!(call(&mut All, "say", two).ends_with(r#""text":"\n1234567"}],"isError":false}"#));
    assert_eq!(
        call(&mut All, "say", r#"{"text":"\n1234567","again":"\n12345678"}"#),
        failure("Invalid arguments for say: again: is too long")
    );
    assert_eq!(
        call(&mut All, "say", r#"{"text":"\ud800"}"#),
        failure("Invalid arguments for say: text: has half a surrogate pair")
    );
    let long = "without escapes a text may be as long as a message";
    assert_eq!(call(&mut All, "say", &format!(r#"{{"text":"{long}"}}"#)), text(long));
    assert_eq!(call(&mut All, "echo", r#"{"text":"\ud800"}"#), text(r"\ud800"));
    assert_eq!(call(&mut All, "owned", r#"{"text":"a\tb","short":"\u00e4"}"#), text(r"a\tbä"));
    assert_eq!(
        call(&mut All, "owned", r#"{"text":"","short":"1234"}"#),
        failure("Invalid arguments for owned: short: is too short or too long: at most 3 characters")
    );
    // Three characters fit the schema; six bytes do not fit the type.
    assert_eq!(
        call(&mut All, "owned", r#"{"text":"","short":"äöü"}"#),
        failure("Invalid arguments for owned: short: is too long")
    );
}

#[test]
fn lists() {
    assert_eq!(
        call(&mut All, "lists", r#"{"a":[1,2],"b":["x"],"c":[true,false],"d":[[],[-1]]}"#),
        text(r#"[1, 2] [\"x\"] [true, false] Some([[], [-1]])"#)
    );
    for (arguments, name, limits) in [
        (r#"{"a":[1,2,3],"b":[],"c":[true,true]}"#, "a", "at most 2"),
        (r#"{"a":[],"b":["1","2","3"],"c":[true,true]}"#, "b", "at most 2"),
        (r#"{"a":[],"b":[],"c":[true]}"#, "c", "2 to 2"),
    ] {
        let expected = failure(&format!(
            "Invalid arguments for lists: {name}: has too few or too many elements: {limits} elements"
        ));
        assert_eq!(call(&mut All, "lists", arguments), expected);
    }
}

#[test]
fn enums_and_structs() {
    assert_eq!(
        call(&mut All, "mode", r#"{"mode":"fast-blink","modes":["hold"]}"#),
        text("FastBlink Steady [Steady]")
    );
    assert_eq!(
        call(&mut All, "mode", r#"{"mode":"FastBlink","modes":[]}"#),
        failure("Invalid arguments for mode: mode: is none of the allowed values: fast-blink, hold")
    );
    assert_eq!(
        call(
            &mut All,
            "point",
            r#"{"point":{"eastSide":1,"name":"\ta"},"more":[{"eastSide":0,"m":"hold"}]}"#
        ),
        text(r#"Point { east_side: 1, north: 0, name: Some(\"\\ta\"), mode: None } 1"#)
    );
    let long = r#"{"point":{"eastSide":1,"name":"\t1234567890123456"},"more":[]}"#;
    assert_eq!(
        call(&mut All, "point", long),
        failure("Invalid arguments for point: point.name: is too long")
    );
    assert_eq!(
        call(&mut All, "point", r#"{"point":{"eastSide":-1},"more":[]}"#),
        failure("Invalid arguments for point: point.eastSide: is out of range: 0 to 2147483647")
    );
}

#[test]
fn errors_name_the_place_inside_and_what_would_fit() {
    let point = r#"{"eastSide":1}"#;
    for (tool, arguments, fault) in [
        (
            "point",
            format!(r#"{{"point":{point},"more":[{point},{{"eastSide":1.5}}]}}"#),
            "more[1].eastSide: must be an integer",
        ),
        ("point", format!(r#"{{"point":{point},"more":[{{}}]}}"#), "more[0].eastSide: is missing"),
        (
            "point",
            format!(r#"{{"point":{point},"more":[{{"eastSide":1,"\u0078":2}}]}}"#),
            "more[0].x: is not known",
        ),
        ("point", format!(r#"{{"point":{point},"more":[{point},7]}}"#), "more[1]: must be an object"),
        (
            "point",
            format!(r#"{{"point":{{"eastSide":1,"m":"x"}},"more":[{point}]}}"#),
            "point.m: is none of the allowed values: fast-blink, hold",
        ),
        (
            "point",
            r#"{"point":{"eastSide":1,"eastSide":1},"more":[]}"#.into(),
            "point.eastSide: occurs twice",
        ),
        ("point", r#"{"point":{"name":null,"eastSide":1}}"#.into(), "more: is missing"),
        // Values that fit the schema, but not the type.
        (
            "point",
            format!(
                r#"{{"point":{point},"more":[{point},{{"eastSide":1,"n\u0061me":"\t1234567890123456"}}]}}"#
            ),
            "more[1].name: is too long",
        ),
        ("lists", r#"{"a":[],"b":["","\ud800"],"c":[true,true]}"#.into(), "b[1]: has half a surrogate pair"),
        (
            "lists",
            r#"{"a":[],"b":[],"c":[true,true],"d":[[],[1,200]]}"#.into(),
            "d[1][1]: is out of range: -128 to 127",
        ),
        ("lists", r#"{"a":[],"b":[],"c":[true,true],"d":[null]}"#.into(), "d[0]: must be an array"),
        ("mode", r#"{"mode":5,"modes":[]}"#.into(), "mode: must be a string: fast-blink, hold"),
        (
            "mode",
            r#"{"mode":"hold","modes":["hold","x"]}"#.into(),
            "modes[1]: is none of the allowed values: fast-blink, hold",
        ),
        ("numbers", r#"{"a":"1"}"#.into(), "a: must be an integer"),
    ] {
        let expected = failure(&format!("Invalid arguments for {tool}: {fault}"));
        assert_eq!(call(&mut All, tool, &arguments), expected, "{arguments}");
    }
}

#[test]
fn names_and_own_types() {
    assert_eq!(call(&mut All, "renamed", r#"{"type":9,"fn":1}"#), text("9 Some(1)"));
    assert_eq!(call(&mut All, "even", r#"{"number":4}"#), text("4"));
    assert_eq!(
        call(&mut All, "even", r#"{"number":5}"#),
        failure("Invalid arguments for even: number: must be even")
    );
}

struct Defaults;

#[barewire::server]
impl Defaults {
    #[tool(description = "")]
    fn texts(
        #[arg(default = "plain")] a: &str,
        #[arg(default = "a \"b\"\n", doc = "B")] b: String,
        #[arg(default = "1234")] c: heapless::String<4>,
        #[arg(default = "x".repeat(2))] d: String,
    ) -> String {
        format!("{a} {b} {c} {d}")
    }

    #[tool(description = "")]
    fn others(
        #[arg(default = -3, min = -3)] a: i8,
        #[arg(default = true)] b: bool,
        #[arg(default = 0.5)] c: f32,
        #[arg(default = i64::from(MOST))] d: i64,
        inner: Inner,
    ) -> String {
        format!("{a} {b} {c} {d} {}", inner.name)
    }

    /// Greets.
    #[prompt]
    fn greet(#[arg(default = "you")] name: String) -> String {
        name
    }
}

#[derive(Argument)]
struct Inner {
    #[arg(default = "none")]
    name: String,
}

#[test]
fn defaults() {
    assert_eq!(call(&mut Defaults, "texts", "{}"), text(r#"plain a \"b\"\n 1234 xx"#));
    assert_eq!(call(&mut Defaults, "texts", r#"{"a":"1","b":"2","c":"3","d":"4"}"#), text("1 2 3 4"));
    assert_eq!(call(&mut Defaults, "others", r#"{"inner":{}}"#), text("-3 true 0.5 9 none"));
    assert!(request(&mut Defaults, "prompts/get", r#"{"name":"greet"}"#).contains(r#""text":"you""#));
    let list = request(&mut Defaults, "tools/list", "{}");
    for schema in [
        r#"{"a":{"type":"string","default":"plain"},"b":{"type":"string","description":"B","default":"a \"b\"\u000a"},"c":{"type":"string","maxLength":4,"default":"1234"},"d":{"type":"string"}},"additionalProperties":false"#,
        r#"{"a":{"type":"integer","minimum":-3,"maximum":127,"default":-3},"b":{"type":"boolean","default":true},"c":{"type":"number","default":0.5},"d":{"type":"integer"},"inner":{"type":"object","properties":{"name":{"type":"string","default":"none"}},"additionalProperties":false}},"required":["inner"]"#,
    ] {
        assert!(list.contains(schema), "{schema}\n{list}");
    }
}

#[test]
fn schemas() {
    let list = request(&mut All, "tools/list", "{}");
    for schema in [
        r#"{"a":{"type":"integer","minimum":0,"maximum":255},"b":{"type":"integer"},"c":{"type":"integer","minimum":0}"#,
        r#"{"a":{"type":"number","minimum":-0.5,"maximum":1e3},"b":{"type":"number"}}"#,
        r#""short":{"type":"string","maxLength":3}"#,
        r#"{"a":{"type":"array","maxItems":2,"items":{"type":"integer","minimum":0,"maximum":255}},"b":{"type":"array","maxItems":2,"items":{"type":"string"}},"c":{"type":"array","minItems":2,"maxItems":2,"items":{"type":"boolean"}}"#,
        r#"{"mode":{"type":"string","enum":["fast-blink","hold"]},"other":{"type":"string","enum":["fast-blink","hold"]},"#,
        r#"{"eastSide":{"type":"integer","minimum":0,"maximum":2147483647,"description":"Metres to the east."},"north":{"type":"integer","minimum":-2147483648,"maximum":2147483647},"name":{"type":"string"},"m":{"type":"string","enum":["fast-blink","hold"]}},"required":["eastSide"],"additionalProperties":false}"#,
        r#"{"type":{"type":"integer","minimum":0,"maximum":9,"title":"Kind"},"fn":{"#,
    ] {
        assert!(list.contains(schema), "{schema}\n{list}");
    }
    assert_eq!(All.tools().len(), 10);
    let info = format!("{:?}", All.info());
    assert!(info.contains("barewire-macros") && info.contains(env!("CARGO_PKG_VERSION")), "{info}");
}
