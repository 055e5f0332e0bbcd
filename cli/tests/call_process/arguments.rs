//! Arguments: read as the schema says, and checked before the call.

use crate::command::{Left, call, call_on};
use crate::servers::{LEGACY, answering, script};

const TOOLS: &str = r#"{"tools":[{"name":"other","inputSchema":{"required":["z"]}},{"name":"find","inputSchema":{"type":"object","properties":{"pattern":{"type":"string"},"limit":{"type":"integer"},"deep":{"type":["boolean","null"]}},"required":["pattern"],"additionalProperties":false}}]}"#;

const FOUND: (&str, &str) = ("tools/call", r#"{"content":[{"type":"text","text":"found"}]}"#);

/// Whether standard error, which a scripted server shares, contains this line.
fn says(left: &Left, sentence: &str) -> bool {
    let line = format!("barewire: {sentence}");
    left.stderr.lines().any(|found| found == line)
}

/// The arguments that a scripted server received, from its standard error.
fn sent(stderr: &str) -> Option<&str> {
    let line = stderr.lines().find(|line| line.contains(r#""method":"tools/call""#))?;
    let start = line.find(r#""arguments":"#)? + r#""arguments":"#.len();
    let end = line[start..].find('}')? + start + 1;
    line.get(start..end)
}

#[test]
fn a_value_is_sent_as_the_type_of_its_schema() {
    let server = answering(r#"{"tools":{}}"#, &[("tools/list", TOOLS), FOUND]);
    for (arguments, expected) in [
        (&["--arg", "pattern=5"][..], r#"{"pattern":"5"}"#),
        (&["--arg", "pattern=null"], r#"{"pattern":"null"}"#),
        (&["--arg", "pattern=true", "--arg", "limit=5"], r#"{"pattern":"true","limit":5}"#),
        (&["--arg", "pattern=x", "--arg", "deep=true"], r#"{"pattern":"x","deep":true}"#),
        (&["--args", r#"{"pattern":"5"}"#], r#"{"pattern":"5"}"#),
        // Without the schema a value that can be JSON is JSON.
        (&["--no-check", "--arg", "pattern=5"], r#"{"pattern":5}"#),
    ] {
        let all = [&["--protocol", "2025-06-18", "--tool", "find"], arguments].concat();
        let left = call_on(&all, &script(&server));
        assert_eq!((left.code, left.stdout.as_str()), (Some(0), "found\n"), "{}", left.stderr);
        assert_eq!(sent(&left.stderr), Some(expected), "{arguments:?}");
        let asks_first = !arguments.contains(&"--no-check");
        assert_eq!(left.stderr.contains("tools/list"), asks_first, "{}", left.stderr);
    }
    // A tool of the demo server.
    let left = call(&["--tool", "echo", "--arg", "text=12"]);
    assert_eq!((left.code, left.stdout.as_str()), (Some(0), "12\n"), "{}", left.stderr);
}

#[test]
fn a_value_is_sent_as_the_type_that_a_reference_leads_to() {
    const PROPERTIES: &str = r##"{"type":"object","properties":{"x":SCHEMA},"$defs":{"Text":{"type":"string"},"Count":{"type":"integer"},"a/b":{"$ref":"#/$defs/Text"},"round":{"$ref":"#/$defs/round"},"wide":{"anyOf":[{"$ref":"#/$defs/wide"},{"$ref":"#/$defs/wide"}]}}}"##;
    for (schema, expected) in [
        (r##"{"$ref":"#/$defs/Text"}"##, r#"{"x":"5"}"#),
        (r##"{"$ref":"#/$defs/Count"}"##, r#"{"x":5}"#),
        (r##"{"$ref":"#/$defs/a~1b"}"##, r#"{"x":"5"}"#),
        (r##"{"allOf":[{"$ref":"#/$defs/Text"}]}"##, r#"{"x":"5"}"#),
        (r#"{"allOf":[{"minLength":1},{"type":"string"}]}"#, r#"{"x":"5"}"#),
        (r##"{"anyOf":[{"$ref":"#/$defs/Text"},{"type":"null"}]}"##, r#"{"x":"5"}"#),
        // No schema is known for these: a value that can be JSON is JSON.
        (r##"{"$ref":"#/$defs/round"}"##, r#"{"x":5}"#),
        (r##"{"$ref":"#/$defs/wide"}"##, r#"{"x":5}"#),
        (r##"{"$ref":"#/$defs/none"}"##, r#"{"x":5}"#),
        (r#"{"$ref":"https://example.com/text"}"#, r#"{"x":5}"#),
        (r#"{"$ref":7}"#, r#"{"x":5}"#),
    ] {
        let schema_of_tool = PROPERTIES.replace("SCHEMA", schema);
        let tools = format!(r#"{{"tools":[{{"name":"find","inputSchema":{schema_of_tool}}}]}}"#);
        let server = answering(r#"{"tools":{}}"#, &[("tools/list", &tools), FOUND]);
        let all = ["--protocol", "2025-06-18", "--tool", "find", "--arg", "x=5"];
        let left = call_on(&all, &script(&server));
        assert_eq!(left.code, Some(0), "{schema}: {}", left.stderr);
        assert_eq!(sent(&left.stderr), Some(expected), "{schema}");
    }
}

#[test]
fn a_wrong_argument_is_named_before_the_call() {
    let server = answering(r#"{"tools":{}}"#, &[("tools/list", TOOLS), FOUND]);
    for (arguments, why) in [
        (&[][..], "missing required argument `pattern`"),
        (&["--args", "{}"], "missing required argument `pattern`"),
        (
            &["--arg", "pattern=x", "--arg", "limt=5"],
            "unknown argument `limt` (known: `pattern`, `limit`, `deep`)",
        ),
        (
            &["--arg", "pattern=x", "--arg", "limit=many"],
            "argument `limit` must be an integer, but is a string",
        ),
        (
            &["--args", r#"{"pattern":7,"deep":0}"#],
            "argument `pattern` must be a string, but is 7; argument `deep` must be true or false or null, but is 0",
        ),
    ] {
        let all = [&["--protocol", "2025-06-18", "--tool", "find"], arguments].concat();
        let left = call_on(&all, &script(&server));
        assert_eq!((left.code, left.stdout.as_str()), (Some(2), ""), "{}", left.stderr);
        assert_eq!(sent(&left.stderr), None);
        assert!(says(&left, why), "{}", left.stderr);
    }
    for (arguments, why) in [
        (&["--tool", "add", "--arg", "a=1"][..], "missing required argument `b`"),
        (
            &["--tool", "echo", "--arg", "txt=1"],
            "missing required argument `text`; unknown argument `txt` (known: `text`)",
        ),
        (
            &["--tool", "add", "--arg", "a=1", "--arg", "b=two"],
            "argument `b` must be a number, but is a string",
        ),
        (&["--tool", "pixel", "--arg", "a=1"], "unknown argument `a` (there are none)"),
        (
            &["--tool", "measure", "--arg", "unit=rankine"],
            r#"argument `unit` must be one of "celsius", "kelvin""#,
        ),
        (&["--prompt", "greet"], "missing required argument `name`"),
        (
            &["--prompt", "greet", "--args", r#"{"name":7}"#],
            "argument `name` must be a string, but is a number",
        ),
    ] {
        let left = call(arguments);
        assert_eq!((left.code, left.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert_eq!(left.stderr, format!("barewire: {why}\n"));
    }
}

#[test]
fn an_argument_that_a_schema_allows_without_its_name_is_pointed_out_and_sent() {
    let open = TOOLS.replace(r#","additionalProperties":false"#, "");
    let server = answering(r#"{"tools":{}}"#, &[("tools/list", &open), FOUND]);
    let left = call_on(
        &["--protocol", "2025-06-18", "--tool", "find", "--arg", "pattern=x", "--arg", "limt=5"],
        &script(&server),
    );
    assert_eq!((left.code, left.stdout.as_str()), (Some(0), "found\n"), "{}", left.stderr);
    assert_eq!(sent(&left.stderr), Some(r#"{"pattern":"x","limt":5}"#));
    let hint = "the schema of the tool does not name `limt` (known: `pattern`, `limit`, `deep`)";
    assert!(says(&left, hint), "{}", left.stderr);
}

#[test]
fn the_tool_is_found_on_any_page() {
    // The output of this server is too small for all tools at once.
    for tool in ["echo", "simulate"] {
        let left = call_on(
            &["--tool", tool, "--arg", "nope=1"],
            &[env!("CARGO_BIN_EXE_barewire"), "serve", "--max-output", "700"],
        );
        assert_eq!(left.code, Some(2));
        assert!(left.stderr.contains("unknown argument `nope` (known: "), "{}", left.stderr);
    }
}

#[test]
fn a_server_that_does_not_list_gets_the_call() {
    let page = |cursor: &str| format!(r#"{{"tools":[],"nextCursor":{cursor}}}"#);
    for (capabilities, list) in [
        ("{}", TOOLS.to_owned()),
        (r#"{"tools":{}}"#, "{}".to_owned()),
        (r#"{"tools":{}}"#, r#"{"tools":null}"#.to_owned()),
        (r#"{"tools":{}}"#, r#"{"tools":[null,{"name":7}]}"#.to_owned()),
        (r#"{"tools":{}}"#, r#"{"tools":[{"name":"find"}]}"#.to_owned()),
        (r#"{"tools":{}}"#, r#"{"tools":[{"name":"find","inputSchema":[]}]}"#.to_owned()),
        // A page that is its own next page.
        (r#"{"tools":{}}"#, page(r#""a""#)),
        (r#"{"tools":{}}"#, page("7")),
    ] {
        let server = answering(capabilities, &[("tools/list", &list), FOUND]);
        let left = call_on(&["--protocol", "2025-06-18", "--tool", "find", "--arg", "x=1"], &script(&server));
        assert_eq!((left.code, left.stdout.as_str()), (Some(0), "found\n"), "{list}: {}", left.stderr);
        assert_eq!(sent(&left.stderr), Some(r#"{"x":1}"#));
        assert_eq!(left.stderr.contains("tools/list"), capabilities != "{}", "{}", left.stderr);
    }
    // A list that gets an error, and one without an answer.
    let left = call_on(&["--tool", "t", "--arg", "x=1"], &script(LEGACY));
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    let silent = answering(r#"{"tools":{}}"#, &[FOUND])
        .replace("*) answer '\"error\"", "*'\"tools/list\"'*) ;; *) answer '\"error\"");
    let left = call_on(
        &["--protocol", "2025-06-18", "--timeout", "0.5", "--tool", "find", "--arg", "x=1"],
        &script(&silent),
    );
    assert_eq!((left.code, left.stdout.as_str()), (Some(0), "found\n"), "{}", left.stderr);
}

#[test]
fn a_member_that_occurs_twice_in_a_value_is_refused() {
    let schema = r#"{"tools":[{"name":"find","inputSchema":{"properties":{"o":{"type":"object"},"s":{"type":"string"}}}}]}"#;
    let server = answering(r#"{"tools":{}}"#, &[("tools/list", schema), FOUND]);
    for (argument, code) in [
        (r#"o={"a":1,"a":2}"#, 2),
        (r#"x=[{"a":1,"\u0061":2}]"#, 2),
        // A string, as in the schema.
        (r#"s={"a":1,"a":2}"#, 0),
    ] {
        let left =
            call_on(&["--protocol", "2025-06-18", "--tool", "find", "--arg", argument], &script(&server));
        assert_eq!(left.code, Some(code), "{argument}: {}", left.stderr);
        assert_eq!(left.stderr.contains("the member `a` occurs twice"), code == 2, "{}", left.stderr);
    }
}

#[test]
fn only_declared_lists_are_requested() {
    let prompts = [("prompts/list", r#"{"prompts":[{"name":"p"}]}"#)];
    for (capabilities, arguments, why) in [
        (r#"{"prompts":{}}"#, &[][..], "the server does not declare `tools`, only `prompts`"),
        (
            r#"{"prompts":{},"tools":null,"resources":{}}"#,
            &["--list", "tools"],
            "the server does not declare `tools`, only `resources` and `prompts`",
        ),
        (
            r#"{"prompts":{}}"#,
            &["--list", "resources"],
            "the server does not declare `resources`, only `prompts`",
        ),
        (
            r#"{"prompts":{}}"#,
            &["--list", "templates", "--json"],
            "the server does not declare `resources`, only `prompts`",
        ),
        ("{}", &["--list", "prompts"], "the server does not declare `prompts`"),
        (r#"{"prompts":{}}"#, &["--list", "prompts"], ""),
    ] {
        let server = answering(capabilities, &prompts);
        let left = call_on(&[&["--protocol", "2025-06-18"], arguments].concat(), &script(&server));
        if why.is_empty() {
            assert_eq!((left.code, left.stdout.as_str()), (Some(0), "p\n"), "{}", left.stderr);
            continue;
        }
        assert_eq!((left.code, left.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(says(&left, why), "{}", left.stderr);
        assert!(!left.stderr.contains("/list"), "{}", left.stderr);
    }
}
