//! The arguments of a call against the parameters of its tool, and the schema that is listed for them.

use barewire::mcp::{MAX_SCHEMA_DEPTH, Parameter, Schema, Tool, Type};

use crate::engine_kit::{App, Hosted, answer, error, json, request, text};

const PARAMETERS: &[Parameter<'_>] = &[
    Parameter::required("s", Type::STRING).with_title("S").with_description("Some \"text\"."),
    Parameter::optional("length", Type::string_of(2, 3)),
    Parameter::optional("choice", Type::Choice(&["a", "b\""])),
    Parameter::optional("i", Type::INTEGER),
    Parameter::optional("small", Type::integer_in(-5, 10)),
    Parameter::optional("n", Type::NUMBER),
    Parameter::optional("range", Type::number_in("-40", "85.5")),
    Parameter::optional("b", Type::Boolean),
    Parameter::optional("list", Type::array_of(&Type::Choice(&["x"]), 2)),
    Parameter::optional(
        "pairs",
        Type::Array {
            items: &Type::Array { items: &Type::integer_in(0, 9), min_items: 2, max_items: 2 },
            min_items: 1,
            max_items: u32::MAX,
        },
    ),
    Parameter::optional(
        "o",
        Type::object_of(&[
            Parameter::required("x", Type::INTEGER),
            Parameter::optional(
                "open",
                Type::Object { parameters: &[Parameter::required("y", Type::Boolean)], allow_unknown: true },
            ),
        ]),
    ),
];

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""s":{"type":"string","title":"S","description":"Some \"text\"."},"#,
    r#""length":{"type":"string","minLength":2,"maxLength":3},"#,
    r#""choice":{"type":"string","enum":["a","b\""]},"#,
    r#""i":{"type":"integer"},"#,
    r#""small":{"type":"integer","minimum":-5,"maximum":10},"#,
    r#""n":{"type":"number"},"#,
    r#""range":{"type":"number","minimum":-40,"maximum":85.5},"#,
    r#""b":{"type":"boolean"},"#,
    r#""list":{"type":"array","maxItems":2,"items":{"type":"string","enum":["x"]}},"#,
    r#""pairs":{"type":"array","minItems":1,"items":{"type":"array","minItems":2,"maxItems":2,"items":{"type":"integer","minimum":0,"maximum":9}}},"#,
    r#""o":{"type":"object","properties":{"x":{"type":"integer"},"#,
    r#""open":{"type":"object","properties":{"y":{"type":"boolean"}},"required":["y"]}},"#,
    r#""required":["x"],"additionalProperties":false}},"#,
    r#""required":["s"],"additionalProperties":false}"#,
);

/// A server with the tool `t`, which answers `ok`.
fn server(tool: Tool<'static>) -> Hosted<App> {
    Hosted::new(App { tools: vec![tool], ..App::of_tool(|_, _, reply| Ok(reply.text("ok"))) })
}

fn tool() -> Tool<'static> {
    Tool::new("t", "d").with_parameters(PARAMETERS)
}

fn call(arguments: &str) -> String {
    request("1", "tools/call", &format!(r#"{{"name":"t","arguments":{arguments}}}"#))
}

/// The schema of the tool, as it is listed.
fn listed(tool: Tool<'static>) -> String {
    let list = answer(&mut server(tool), &request("1", "tools/list", ""));
    let (_, rest) = list.split_once(r#""inputSchema":"#).expect("a schema");
    rest.strip_suffix("}]}}\n").expect("nothing behind it").to_string()
}

#[test]
fn the_schema_is_made_of_the_parameters() {
    assert_eq!(listed(tool()), SCHEMA);
    let parameters: &[Parameter<'_>] = const { &[Parameter::optional("a", Type::Boolean)] };
    assert_eq!(
        listed(Tool::new("t", "d").with_open_parameters(parameters)),
        r#"{"type":"object","properties":{"a":{"type":"boolean"}}}"#
    );
    assert_eq!(listed(Tool::new("t", "d")), r#"{"type":"object","additionalProperties":false}"#);
    assert_eq!(
        listed(Tool::new("t", "d").with_schema(Schema::new(r#"{"type":"object","$comment":"mine"}"#))),
        r#"{"type":"object","$comment":"mine"}"#
    );
}

#[test]
fn arguments_that_fit() {
    let mut server = server(tool());
    for arguments in [
        r#"{"s":""}"#,
        r#"{"s":"\ud800"}"#,
        r#"{"\u0073":"x"}"#,
        r#"{"s":"","length":"ab"}"#,
        r#"{"s":"","length":"\u0061\ud83d\ude00\n"}"#,
        r#"{"s":"","choice":"a"}"#,
        r#"{"s":"","choice":"b\""}"#,
        r#"{"s":"","choice":"\u0061"}"#,
        r#"{"s":"","i":-9223372036854775808}"#,
        r#"{"s":"","i":9223372036854775807}"#,
        r#"{"s":"","small":-5}"#,
        r#"{"s":"","small":10}"#,
        r#"{"s":"","small":-0}"#,
        r#"{"s":"","n":1e400}"#,
        r#"{"s":"","range":-40.0}"#,
        r#"{"s":"","range":8.55e1}"#,
        r#"{"s":"","range":85.49999999999999999999999}"#,
        r#"{"s":"","b":false}"#,
        r#"{"s":"","list":[]}"#,
        r#"{"s":"","list":["x","x"]}"#,
        r#"{"s":"","pairs":[[1,2],[3,4],[5,6]]}"#,
        r#"{"s":"","o":{"x":1}}"#,
        r#"{"s":"","o":{"open":{"z":[1,{"q":null}],"y":true},"x":1}}"#,
        r#"{"o":{"x":1},"b":true,"s":""}"#,
    ] {
        assert_eq!(answer(&mut server, &call(arguments)), text("1", "ok", false), "{arguments}");
    }
}

#[test]
fn arguments_that_do_not_fit_and_what_is_wrong_with_them() {
    let mut server = server(tool());
    for (arguments, fault) in [
        ("{}", "s: is missing"),
        ("null", "s: is missing"),
        (r#"{"S":""}"#, "S: is not known"),
        (r#"{"s":"","\"":1}"#, r#"\": is not known"#),
        (r#"{"s":"","":1}"#, ": is not known"),
        (r#"{"s":"","s":""}"#, "s: occurs twice"),
        (r#"{"s":"","\u0073":""}"#, "s: occurs twice"),
        (r#"{"s":1}"#, "s: must be a string"),
        (r#"{"s":null}"#, "s: must be a string"),
        (r#"{"s":["x"]}"#, "s: must be a string"),
        (r#"{"s":"","length":"a"}"#, "length: is too short or too long"),
        (r#"{"s":"","length":"abcd"}"#, "length: is too short or too long"),
        (r#"{"s":"","length":"\u0061"}"#, "length: is too short or too long"),
        (r#"{"s":"","length":2}"#, "length: must be a string"),
        (r#"{"s":"","choice":"A"}"#, "choice: is none of the allowed values"),
        (r#"{"s":"","choice":""}"#, "choice: is none of the allowed values"),
        (r#"{"s":"","choice":1}"#, "choice: must be a string"),
        (r#"{"s":"","i":1.5}"#, "i: must be an integer"),
        (r#"{"s":"","i":1e-2}"#, "i: must be an integer"),
        (r#"{"s":"","small":99.5}"#, "small: must be an integer"),
        (r#"{"s":"","small":1.1e1}"#, "small: is out of range"),
        (r#"{"s":"","i":1e400}"#, "i: is out of range"),
        (r#"{"s":"","pairs":[[1.0,2.5]]}"#, "pairs: must be an integer"),
        (r#"{"s":"","pairs":[[1.0,10.0]]}"#, "pairs: is out of range"),
        (r#"{"s":"","o":{"x":0.1}}"#, "x: must be an integer"),
        (r#"{"s":"","i":"1"}"#, "i: must be an integer"),
        (r#"{"s":"","i":true}"#, "i: must be an integer"),
        (r#"{"s":"","i":9223372036854775808}"#, "i: is out of range"),
        (r#"{"s":"","small":-6}"#, "small: is out of range"),
        (r#"{"s":"","small":11}"#, "small: is out of range"),
        (r#"{"s":"","n":"1"}"#, "n: must be a number"),
        (r#"{"s":"","range":-40.000000000000000000001}"#, "range: is out of range"),
        (r#"{"s":"","range":85.500000000000000000001}"#, "range: is out of range"),
        (r#"{"s":"","range":1e400}"#, "range: is out of range"),
        (r#"{"s":"","pairs":[null]}"#, "pairs: must be an array"),
        (r#"{"s":"","b":0}"#, "b: must be true or false"),
        (r#"{"s":"","b":"true"}"#, "b: must be true or false"),
        (r#"{"s":"","list":{}}"#, "list: must be an array"),
        (r#"{"s":"","list":["x","x","x"]}"#, "list: has too few or too many elements"),
        (r#"{"s":"","list":["x","y"]}"#, "list: is none of the allowed values"),
        (r#"{"s":"","pairs":[]}"#, "pairs: has too few or too many elements"),
        (r#"{"s":"","pairs":[[1,2],[3]]}"#, "pairs: has too few or too many elements"),
        (r#"{"s":"","pairs":[[1,2],3]}"#, "pairs: must be an array"),
        (r#"{"s":"","pairs":[[1,10]]}"#, "pairs: is out of range"),
        (r#"{"s":"","o":[]}"#, "o: must be an object"),
        (r#"{"s":"","o":{}}"#, "x: is missing"),
        (r#"{"s":"","o":{"x":1,"z":1}}"#, "z: is not known"),
        (r#"{"s":"","o":{"x":1,"x":1}}"#, "x: occurs twice"),
        (r#"{"s":"","o":{"x":1,"open":{}}}"#, "y: is missing"),
        (r#"{"s":"","o":{"x":1,"open":{"y":1}}}"#, "y: must be true or false"),
        (r#"{"s":"","o":{"x":1,"open":{"y":true,"y":true}}}"#, "y: occurs twice"),
    ] {
        assert_eq!(
            answer(&mut server, &call(arguments)),
            text("1", &format!("Invalid arguments for t: {fault}"), true),
            "{arguments}"
        );
    }
}

#[test]
fn an_unknown_name_is_shown_as_it_was_sent() {
    let mut server = server(tool());
    assert_eq!(
        answer(&mut server, &call(r#"{"\ud800\u0041\n":1}"#)),
        text("1", r"Invalid arguments for t: \ud800\u0041\n: is not known", true)
    );
}

#[test]
fn arguments_that_are_no_object_are_an_error_of_the_protocol() {
    let mut server = server(tool());
    for arguments in ["[]", "1", r#""s""#, "true"] {
        assert_eq!(answer(&mut server, &call(arguments)), error("1", -32602, "Invalid params"));
    }
}

#[test]
fn with_a_schema_of_its_own_a_tool_checks_for_itself() {
    let mut server = server(
        Tool::new("t", "d")
            .with_schema(Schema::new(r#"{"type":"object","required":["a"],"additionalProperties":false}"#)),
    );
    for arguments in ["{}", r#"{"b":1}"#, "null"] {
        assert_eq!(answer(&mut server, &call(arguments)), text("1", "ok", false), "{arguments}");
    }
    assert_eq!(answer(&mut server, &call("[]")), error("1", -32602, "Invalid params"));
}

#[test]
fn open_parameters_let_pass_what_is_not_known() {
    let parameters: &[Parameter<'_>] = const { &[Parameter::required("a", Type::Boolean)] };
    let mut server = server(Tool::new("t", "d").with_open_parameters(parameters));
    for (arguments, expected) in [
        (r#"{"a":true,"b":1,"b":2}"#, text("1", "ok", false)),
        (r#"{"b":1}"#, text("1", "Invalid arguments for t: a: is missing", true)),
        (r#"{"a":true,"a":true}"#, text("1", "Invalid arguments for t: a: occurs twice", true)),
    ] {
        assert_eq!(answer(&mut server, &call(arguments)), expected, "{arguments}");
    }
}

#[cfg(feature = "std")]
#[test]
fn arguments_through_getters_and_into_a_type() {
    #[derive(serde::Deserialize)]
    struct Arguments<'a> {
        s: &'a str,
        small: Option<i8>,
        #[serde(default)]
        b: bool,
    }

    let mut server: Hosted<App> = Hosted::new(App {
        tools: vec![tool()],
        ..App::of_tool(|log, call, reply| {
            assert!(call.is("t") && call.name() == "t" && call.index() == 0);
            log.notes.push(format!(
                "{:?} {:?} {:?} {:?} {:?}",
                call.string("s").map(|s| s.to_string()),
                call.integer("small"),
                call.number("n").map(|n| n.to_string()),
                call.boolean("b"),
                call.value("o").map(|o| o.to_string()),
            ));
            match call.parse::<Arguments<'_>>() {
                Ok(arguments) => {
                    log.notes.push(format!("{} {:?} {}", arguments.s, arguments.small, arguments.b))
                }
                Err(error) => log.notes.push(error.to_string()),
            }
            Ok(reply.text("ok"))
        })
    });
    answer(&mut server, &call(r#"{"s":"x","sm\u0061ll":-5,"n":1.50,"b":true,"o":{"x":1}}"#));
    answer(&mut server, &call(r#"{"s":"\n"}"#));
    assert_eq!(
        server.handler().log.notes,
        [
            r#"Some("x") Some(-5) Some("1.50") Some(true) Some("{\"x\":1}")"#,
            "x Some(-5) true",
            r#"Some("\n") None None None None"#,
            "a string with escapes cannot be borrowed",
        ]
    );
}

/// Text of several lines, of any length: `parse` copies it, and `parse_in` lends it from the scratch.
#[test]
fn text_with_escapes_into_a_type() {
    #[derive(serde::Deserialize)]
    struct Borrowed<'a> {
        s: &'a str,
    }
    #[cfg(feature = "std")]
    #[derive(serde::Deserialize)]
    struct Owned {
        s: String,
    }
    let mut server: Hosted<App> = Hosted::new(App {
        tools: vec![tool()],
        ..App::of_tool(|log, call, reply| {
            let mut scratch = [0; 3000];
            match call.parse_in::<Borrowed<'_>>(&mut scratch) {
                Ok(Borrowed { s }) => assert_eq!(call.string("s").expect("a string"), s),
                Err(error) => log.notes.push(error.to_string()),
            }
            #[cfg(feature = "std")]
            {
                let Owned { s } = call.parse().expect("text of any length");
                assert_eq!(call.string("s").expect("a string"), *s.as_str());
            }
            Ok(reply.text("ok"))
        })
    });
    for (count, error) in [
        (1, None),
        (256, None),
        (257, None),
        (3000, None),
        (3001, Some("the strings with escapes do not fit the scratch memory, 3001 bytes are needed")),
        (10_000, Some("the strings with escapes do not fit the scratch memory, 10000 bytes are needed")),
    ] {
        let arguments = format!(r#"{{"s":"{}"}}"#, r"\n".repeat(count));
        assert_eq!(answer(&mut server, &call(&arguments)), text("1", "ok", false));
        let found = server.handler_mut().log.notes.pop();
        assert_eq!(found.as_deref(), error, "{count}");
    }
}

/// Every accessor reads the integers that the check accepts: alone, in an array, and in an object.
#[test]
fn an_integer_is_any_number_whose_value_is_one() {
    #[derive(serde::Deserialize)]
    struct Arguments {
        i: i64,
        list: [i64; 2],
        o: Inner,
    }
    #[derive(serde::Deserialize)]
    struct Inner {
        x: i64,
    }
    const PARAMETERS: &[Parameter<'_>] = &[
        Parameter::required("i", Type::INTEGER),
        Parameter::required("list", Type::array_of(&Type::INTEGER, 2)),
        Parameter::required("o", Type::object_of(&[Parameter::required("x", Type::INTEGER)])),
    ];
    let mut server: Hosted<App> = Hosted::new(App {
        tools: vec![Tool::new("t", "d").with_parameters(PARAMETERS)],
        ..App::of_tool(|log, call, reply| {
            let arguments: Arguments = call.parse_in(&mut []).expect("integers");
            let nested = [arguments.list[0], arguments.list[1], arguments.o.x];
            assert_eq!([arguments.i; 3], nested);
            assert_eq!(call.integer("i"), Some(arguments.i));
            assert_eq!(call.number("i").map(|i| i.to_i64()), Some(Ok(arguments.i)));
            log.notes.push(arguments.i.to_string());
            Ok(reply.text("ok"))
        })
    });
    let long = format!("1{}e-100000", "0".repeat(100_000));
    let longer = format!("0.{}5e+100001", "0".repeat(100_000));
    let padded = format!("5.{}", "0".repeat(100_000));
    for (token, value) in [
        ("5", 5),
        ("5.0", 5),
        ("5e0", 5),
        ("50e-1", 5),
        ("5E+0", 5),
        ("500e-2", 5),
        ("0.5e1", 5),
        ("5e0000000000000000000000000000", 5),
        ("0.0", 0),
        ("-0", 0),
        ("-0.0e-7", 0),
        ("0e999999999", 0),
        ("0e-99999999999999999999", 0),
        ("-12.00E1", -120),
        ("9007199254740993.0", 9_007_199_254_740_993),
        ("9223372036854775807.000", i64::MAX),
        ("-9223372036854775808.0", i64::MIN),
        ("-922337203685477580.8e1", i64::MIN),
        (&long, 1),
        (&longer, 5),
        (&padded, 5),
    ] {
        let arguments = format!(r#"{{"i":{token},"list":[{token},{token}],"o":{{"x":{token}}}}}"#);
        assert_eq!(answer(&mut server, &call(&arguments)), text("1", "ok", false), "{token}");
        assert_eq!(server.handler_mut().log.notes.pop(), Some(value.to_string()), "{token}");
    }
    let tiny = format!("1{}e-100001", "0".repeat(100_000));
    for (token, fault) in [
        ("5.5", "must be an integer"),
        ("1e-99999999999999999999", "must be an integer"),
        ("-1e-1", "must be an integer"),
        ("99999999999999999999.5", "must be an integer"),
        (&tiny, "must be an integer"),
        ("9223372036854775808.0", "is out of range"),
        ("-9223372036854775809.0", "is out of range"),
        ("922337203685477580.8e1", "is out of range"),
        ("1e19", "is out of range"),
        ("-1e99999999999999999999", "is out of range"),
        (r#""5.0""#, "must be an integer"),
    ] {
        for (arguments, name) in [
            (format!(r#"{{"i":{token}}}"#), "i"),
            (format!(r#"{{"list":[1,{token}]}}"#), "list"),
            (format!(r#"{{"o":{{"x":{token}}}}}"#), "x"),
        ] {
            assert_eq!(
                answer(&mut server, &call(&arguments)),
                text("1", &format!("Invalid arguments for t: {name}: {fault}"), true),
                "{token}"
            );
        }
    }
}

/// Objects in objects, `depth` of them, the outermost the arguments themselves.
fn nested(depth: usize) -> &'static [Parameter<'static>] {
    let ty = match depth {
        1 => Type::Boolean,
        _ => Type::object_of(nested(depth - 1)),
    };
    vec![Parameter::required("a", ty)].leak()
}

#[test]
fn parameters_nest_as_deep_as_is_said() {
    let tool = Tool::new("t", "d").with_parameters(nested(MAX_SCHEMA_DEPTH));
    let schema = listed(tool);
    assert_eq!(schema.matches(r#""type":"object""#).count(), MAX_SCHEMA_DEPTH);
    assert!(json(&format!("{schema}\n")).is_object());
    let mut server = server(tool);
    let arguments = |innermost: &str| {
        format!("{}{innermost}{}", r#"{"a":"#.repeat(MAX_SCHEMA_DEPTH), "}".repeat(MAX_SCHEMA_DEPTH))
    };
    assert_eq!(answer(&mut server, &call(&arguments("true"))), text("1", "ok", false));
    assert_eq!(
        answer(&mut server, &call(&arguments("1"))),
        text("1", "Invalid arguments for t: a: must be true or false", true)
    );
}

#[test]
fn sixty_four_parameters_are_told_apart() {
    let names: Vec<&'static str> = (0..64).map(|at| &*format!("p{at}").leak()).collect();
    let parameters: Vec<Parameter<'static>> =
        names.iter().map(|name| Parameter::required(name, Type::INTEGER)).collect();
    let mut server = server(Tool::new("t", "d").with_parameters(parameters.leak()));
    let members: Vec<String> = names.iter().map(|name| format!(r#""{name}":1"#)).collect();
    assert_eq!(answer(&mut server, &call(&format!("{{{}}}", members.join(",")))), text("1", "ok", false));
    for missing in [0, 31, 32, 63] {
        let mut some = members.clone();
        some.remove(missing);
        assert_eq!(
            answer(&mut server, &call(&format!("{{{}}}", some.join(",")))),
            text("1", &format!("Invalid arguments for t: p{missing}: is missing"), true)
        );
        some.push(some[5].clone());
        let twice = answer(&mut server, &call(&format!("{{{}}}", some.join(","))));
        assert!(twice.contains("occurs twice"), "{twice}");
    }
}

#[test]
#[should_panic(expected = "parameters nest too deep")]
fn deeper_parameters_are_no_declaration() {
    Tool::new("t", "d").with_parameters(nested(MAX_SCHEMA_DEPTH + 1));
}

#[test]
#[should_panic(expected = "at most 64 parameters")]
fn more_parameters_are_no_declaration() {
    let parameters: Vec<Parameter<'static>> =
        (0..65).map(|at| Parameter::optional(format!("p{at}").leak(), Type::Boolean)).collect();
    Tool::new("t", "d").with_parameters(parameters.leak());
}

#[test]
#[should_panic(expected = "two parameters have one name")]
fn two_parameters_of_one_name_are_no_declaration() {
    Tool::new("t", "d").with_parameters(
        vec![Parameter::optional("a", Type::Boolean), Parameter::required("a", Type::STRING)].leak(),
    );
}

#[test]
fn names_of_tools() {
    for name in ["a", "A-b_c.9", &"x".repeat(128)] {
        assert!(Tool::is_name(name), "{name}");
    }
    for name in ["", "a b", "a/b", "\u{e9}", "a\n", &"x".repeat(129)] {
        assert!(!Tool::is_name(name), "{name}");
    }
}

#[test]
fn schemas_say_that_they_are_objects() {
    for schema in [
        r#"{"type":"object"}"#,
        r#" { "properties" : { "type" : { "type" : "string" } } , "type" : "object" } "#,
        r#"{"a\"":"type","type":"object"}"#,
        r#"{"anyOf":[{"type":"string"}],"type":"object"}"#,
    ] {
        assert!(Schema::checked(schema).is_some(), "{schema}");
    }
    for schema in [
        "",
        "{}",
        "true",
        r#"{"type":"object""#,
        r#"{"type":"string"}"#,
        r#"{"type":["object"]}"#,
        r#"{"a":{"type":"object"}}"#,
        r#"{"a":"type","b":"object"}"#,
        r#"{"Type":"object"}"#,
        r#"{"type":"object"} x"#,
        r#"["type","object"]"#,
        r#"{"type":"object","type":"string"}"#,
        r#"{"type":"string","type":"object"}"#,
        r#"{"type":null,"type":"object"}"#,
    ] {
        assert!(Schema::checked(schema).is_none(), "{schema}");
    }
}
