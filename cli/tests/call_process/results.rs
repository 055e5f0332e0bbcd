//! A result of the wrong shape is an error that names the member, never an empty success.

use crate::command::call_on;
use crate::servers::{answering, script};

const ALL: &str = r#"{"tools":{},"resources":{},"prompts":{}}"#;

#[test]
fn a_result_of_the_wrong_shape_is_an_error_that_names_the_member() {
    let tool = &["--tool", "t", "--no-check"][..];
    let read = &["--read", "a:b"][..];
    let prompt = &["--prompt", "p", "--no-check"][..];
    let list = |name| ["--list", name];
    let (tools, resources, templates, prompts) =
        (list("tools"), list("resources"), list("templates"), list("prompts"));
    for (arguments, method, result, why) in [
        (tool, "tools/call", r#"{"toolResult":{}}"#, "`content` is missing: it must be an array"),
        (tool, "tools/call", "{}", "`content` is missing: it must be an array"),
        (tool, "tools/call", r#"{"task":{}}"#, "`content` is missing: it must be an array"),
        (tool, "tools/call", r#"{"content":"plain"}"#, "`content` is a string, but must be an array"),
        (tool, "tools/call", r#"{"content":[null]}"#, "`content[0]` is null, but must be an object"),
        (
            tool,
            "tools/call",
            r#"{"content":[{"text":"t"}]}"#,
            "`content[0].type` is missing: it must be a string",
        ),
        (
            tool,
            "tools/call",
            r#"{"content":[{"type":"text"}]}"#,
            "`content[0].text` is missing: it must be a string",
        ),
        (
            tool,
            "tools/call",
            r#"{"content":[],"isError":"false"}"#,
            "`isError` is a string, but must be a boolean",
        ),
        (tool, "tools/call", r#"{"isError":true}"#, "`content` is missing: it must be an array"),
        (
            tool,
            "tools/call",
            r#"{"content":[],"structuredContent":[]}"#,
            "`structuredContent` is an array, but must be an object",
        ),
        (&tools, "tools/list", "{}", "`tools` is missing: it must be an array"),
        (&tools, "tools/list", r#"{"tools":null}"#, "`tools` is null, but must be an array"),
        (&tools, "tools/list", r#"{"tools":[null]}"#, "`tools[0]` is null, but must be an object"),
        (&tools, "tools/list", r#"{"tools":[{}]}"#, "`tools[0].name` is missing: it must be a string"),
        (
            &tools,
            "tools/list",
            r#"{"tools":[],"nextCursor":7}"#,
            "`nextCursor` is a number, but must be a string",
        ),
        (
            &resources,
            "resources/list",
            r#"{"resources":{}}"#,
            "`resources` is an object, but must be an array",
        ),
        (
            &templates,
            "resources/templates/list",
            r#"{"resources":[]}"#,
            "`resourceTemplates` is missing: it must be an array",
        ),
        (&prompts, "prompts/list", r#"{"prompts":[7]}"#, "`prompts[0]` is a number, but must be an object"),
        (read, "resources/read", "{}", "`contents` is missing: it must be an array"),
        (
            read,
            "resources/read",
            r#"{"contents":[{"uri":"a:b"}]}"#,
            "`contents[0].text` is missing: it must be a string",
        ),
        (prompt, "prompts/get", r#"{"messages":null}"#, "`messages` is null, but must be an array"),
        (
            prompt,
            "prompts/get",
            r#"{"messages":[{"role":"user"}]}"#,
            "`messages[0].content` is missing: it must be an object",
        ),
    ] {
        let server = answering(ALL, &[(method, result)]);
        for json in [&[][..], &["--json"]] {
            let all = [&["--protocol", "2025-06-18"], arguments, json].concat();
            let left = call_on(&all, &script(&server));
            assert_eq!((left.code, left.stdout.as_str()), (Some(2), ""), "{result}: {}", left.stderr);
            let line = format!("barewire: the result of {method} is invalid: {why}");
            assert!(left.stderr.lines().any(|found| found == line), "{result}: {}", left.stderr);
        }
    }
}

#[test]
fn content_of_an_unknown_type_is_shown() {
    let result = r#"{"content":[{"type":"hologram","data":7},{"type":"text","text":"and text"}]}"#;
    let server = answering(ALL, &[("tools/call", result)]);
    let left = call_on(&["--protocol", "2025-06-18", "--tool", "t", "--no-check"], &script(&server));
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    assert!(left.stdout.starts_with("[hologram"), "{}", left.stdout);
    assert!(left.stdout.ends_with("\nand text\n"), "{}", left.stdout);
}
