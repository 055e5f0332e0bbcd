//! `check_result`: the shapes of results, and the sentences about wrong ones.

use barewire::json::{Object, RawValue};
use barewire::mcp::{Method, ProtocolVersion, ResultError, ResultFault, check_result};

use crate::support::results;

const LEGACY: ProtocolVersion = ProtocolVersion::V2025_11_25;
const MODERN: ProtocolVersion = ProtocolVersion::V2026_07_28;

fn object(text: &str) -> Object<'_> {
    RawValue::new(text.as_bytes()).unwrap().as_object().unwrap()
}

fn method(name: &str) -> Method {
    Method::all().find(|method| method.name() == name).unwrap()
}

fn check(name: &str, version: ProtocolVersion, result: &str) -> Result<(), ResultError> {
    check_result(method(name), version, object(result))
}

/// The sentence about this result, the same in both eras.
fn said(name: &str, result: &str) -> String {
    let [legacy, modern] = [LEGACY, MODERN].map(|version| check(name, version, result));
    assert_eq!(legacy, modern, "{result}");
    legacy.map_or_else(|error| error.to_string(), |()| "fits".to_owned())
}

#[test]
fn complete_results_fit_in_every_revision() {
    for (name, result) in results::COMPLETE {
        for version in ProtocolVersion::ALL {
            assert_eq!(check(name, version, result), Ok(()), "{result}");
        }
    }
}

#[test]
fn least_results_fit() {
    let rows = [
        ("tools/list", r#"{"tools":[]}"#),
        ("tools/list", r#"{"tools":[{"name":"a","inputSchema":{}}]}"#),
        ("tools/call", r#"{"content":[]}"#),
        ("tools/call", r#"{"content":[],"x":1,"x":2}"#),
        ("resources/list", r#"{"resources":[{"uri":"","name":""}]}"#),
        ("resources/read", r#"{"contents":[]}"#),
        ("prompts/get", r#"{"messages":[]}"#),
        ("completion/complete", r#"{"completion":{"values":[]}}"#),
        ("tasks/get", r#"{"taskId":"","status":"failed"}"#),
        ("ping", "{}"),
        ("logging/setLevel", r#"{"content":7}"#),
    ];
    for (name, result) in rows {
        assert_eq!(said(name, result), "fits", "{result}");
    }
}

/// Deployed servers write an absent optional member as `null`.
#[test]
fn null_counts_as_absent_where_a_member_is_optional() {
    let rows = [
        ("tools/call", r#"{"content":[],"isError":null,"structuredContent":null,"_meta":null}"#),
        ("tools/list", r#"{"tools":[],"nextCursor":null}"#),
        ("tools/list", r#"{"tools":[{"name":"a","description":null,"inputSchema":{},"icons":null}]}"#),
        ("prompts/list", r#"{"prompts":[{"name":"a","arguments":null}]}"#),
        // Contents are text or base64: whichever is not null.
        ("resources/read", r#"{"contents":[{"uri":"a:b","mimeType":null,"text":"","blob":null}]}"#),
        ("resources/read", r#"{"contents":[{"uri":"a:b","text":null,"blob":""}]}"#),
        ("tools/call", r#"{"content":[{"type":"resource","resource":{"uri":"a:b","blob":null,"text":""}}]}"#),
    ];
    for (name, result) in rows {
        assert_eq!(said(name, result), "fits", "{result}");
    }
    assert_eq!(
        said("resources/read", r#"{"contents":[{"uri":"a:b","text":"","blob":null,"blob":""}]}"#),
        "`contents[0].blob` occurs twice"
    );
}

#[test]
fn the_first_fault_is_named_with_its_place() {
    let rows = [
        // The result of `tools/call` in drafts of the protocol.
        ("tools/call", r#"{"toolResult":{}}"#, "`content` is missing: it must be an array"),
        ("tools/call", r#"{"task":{}}"#, "`content` is missing: it must be an array"),
        ("tools/call", "{}", "`content` is missing: it must be an array"),
        ("tools/call", r#"{"structuredContent":{}}"#, "`content` is missing: it must be an array"),
        ("tools/call", r#"{"content":"plain"}"#, "`content` is a string, but must be an array"),
        ("tools/call", r#"{"content":null}"#, "`content` is null, but must be an array"),
        ("tools/call", r#"{"content":{"type":"text"}}"#, "`content` is an object, but must be an array"),
        ("tools/call", r#"{"content":[null]}"#, "`content[0]` is null, but must be an object"),
        ("tools/call", r#"{"content":["a"]}"#, "`content[0]` is a string, but must be an object"),
        (
            "tools/call",
            r#"{"content":[{"type":"text","text":"a"},7]}"#,
            "`content[1]` is a number, but must be an object",
        ),
        ("tools/call", r#"{"content":[{}]}"#, "`content[0].type` is missing: it must be a string"),
        ("tools/call", r#"{"content":[{"type":7}]}"#, "`content[0].type` is a number, but must be a string"),
        (
            "tools/call",
            r#"{"content":[{"type":"text"}]}"#,
            "`content[0].text` is missing: it must be a string",
        ),
        (
            "tools/call",
            r#"{"content":[{"text":null,"type":"text"}]}"#,
            "`content[0].text` is null, but must be a string",
        ),
        (
            "tools/call",
            r#"{"content":[{"type":"image","data":[]}]}"#,
            "`content[0].data` is an array, but must be a string",
        ),
        (
            "tools/call",
            r#"{"content":[{"type":"audio","data":""}]}"#,
            "`content[0].mimeType` is missing: it must be a string",
        ),
        (
            "tools/call",
            r#"{"content":[{"type":"resource"}]}"#,
            "`content[0].resource` is missing: it must be an object",
        ),
        (
            "tools/call",
            r#"{"content":[{"type":"resource","resource":{"uri":"a:b"}}]}"#,
            "`content[0].resource.text` is missing: it must be a string",
        ),
        (
            "tools/call",
            r#"{"content":[{"type":"resource_link","name":"n"}]}"#,
            "`content[0].uri` is missing: it must be a string",
        ),
        ("tools/call", r#"{"content":[],"isError":"false"}"#, "`isError` is a string, but must be a boolean"),
        ("tools/call", r#"{"content":[],"isError":0}"#, "`isError` is a number, but must be a boolean"),
        ("tools/call", r#"{"content":[],"_meta":[]}"#, "`_meta` is an array, but must be an object"),
        ("tools/list", "{}", "`tools` is missing: it must be an array"),
        ("tools/list", r#"{"tools":null}"#, "`tools` is null, but must be an array"),
        ("tools/list", r#"{"tools":{}}"#, "`tools` is an object, but must be an array"),
        ("tools/list", r#"{"tools":[null]}"#, "`tools[0]` is null, but must be an object"),
        (
            "tools/list",
            r#"{"tools":[{"name":"a","inputSchema":{}},{"inputSchema":{}}]}"#,
            "`tools[1].name` is missing: it must be a string",
        ),
        (
            "tools/list",
            r#"{"tools":[{"name":"a"}]}"#,
            "`tools[0].inputSchema` is missing: it must be an object",
        ),
        (
            "tools/list",
            r#"{"tools":[{"name":"a","inputSchema":null}]}"#,
            "`tools[0].inputSchema` is null, but must be an object",
        ),
        (
            "tools/list",
            r#"{"tools":[{"name":"a","inputSchema":{},"description":[]}]}"#,
            "`tools[0].description` is an array, but must be a string",
        ),
        ("tools/list", r#"{"tools":[],"nextCursor":7}"#, "`nextCursor` is a number, but must be a string"),
        ("tools/list", r#"{"tools":[],"nextCursor":{}}"#, "`nextCursor` is an object, but must be a string"),
        ("resources/list", r#"{"tools":[]}"#, "`resources` is missing: it must be an array"),
        (
            "resources/list",
            r#"{"resources":[{"name":"n"}]}"#,
            "`resources[0].uri` is missing: it must be a string",
        ),
        (
            "resources/list",
            r#"{"resources":[{"uri":"a:b","name":"n","size":"7"}]}"#,
            "`resources[0].size` is a string, but must be a number",
        ),
        (
            "resources/templates/list",
            r#"{"resources":[]}"#,
            "`resourceTemplates` is missing: it must be an array",
        ),
        (
            "resources/templates/list",
            r#"{"resourceTemplates":[{"uri":"a:b","name":"n"}]}"#,
            "`resourceTemplates[0].uriTemplate` is missing: it must be a string",
        ),
        ("resources/read", "{}", "`contents` is missing: it must be an array"),
        (
            "resources/read",
            r#"{"contents":{"uri":"a:b","text":"t"}}"#,
            "`contents` is an object, but must be an array",
        ),
        ("resources/read", r#"{"contents":["t"]}"#, "`contents[0]` is a string, but must be an object"),
        (
            "resources/read",
            r#"{"contents":[{"text":"t"}]}"#,
            "`contents[0].uri` is missing: it must be a string",
        ),
        (
            "resources/read",
            r#"{"contents":[{"uri":"a:b","blob":7}]}"#,
            "`contents[0].blob` is a number, but must be a string",
        ),
        ("prompts/list", r#"{"prompts":7}"#, "`prompts` is a number, but must be an array"),
        (
            "prompts/list",
            r#"{"prompts":[{"name":"p","arguments":[{}]}]}"#,
            "`prompts[0].arguments[0].name` is missing: it must be a string",
        ),
        (
            "prompts/list",
            r#"{"prompts":[{"name":"p","arguments":[{"name":"a","required":"yes"}]}]}"#,
            "`prompts[0].arguments[0].required` is a string, but must be a boolean",
        ),
        ("prompts/get", r#"{"messages":null}"#, "`messages` is null, but must be an array"),
        (
            "prompts/get",
            r#"{"messages":[{"role":"user"}]}"#,
            "`messages[0].content` is missing: it must be an object",
        ),
        (
            "prompts/get",
            r#"{"messages":[{"role":"user","content":"hi"}]}"#,
            "`messages[0].content` is a string, but must be an object",
        ),
        (
            "prompts/get",
            r#"{"messages":[{"content":{"type":"text","text":"t"}}]}"#,
            "`messages[0].role` is missing: it must be a string",
        ),
        (
            "prompts/get",
            r#"{"messages":[{"role":"user","content":{"type":"resource","resource":{"text":"t"}}}]}"#,
            "`messages[0].content.resource.uri` is missing: it must be a string",
        ),
        ("completion/complete", r#"{"values":[]}"#, "`completion` is missing: it must be an object"),
        (
            "completion/complete",
            r#"{"completion":{}}"#,
            "`completion.values` is missing: it must be an array",
        ),
        (
            "completion/complete",
            r#"{"completion":{"values":["a",1]}}"#,
            "`completion.values[1]` is a number, but must be a string",
        ),
        (
            "tasks/get",
            r#"{"task":{"taskId":"t","status":"working"}}"#,
            "`taskId` is missing: it must be a string",
        ),
        (
            "tasks/get",
            r#"{"taskId":"t","status":"done"}"#,
            "`status` is a string, but must be the name of a task's status",
        ),
        ("tasks/get", r#"{"taskId":7,"status":"working"}"#, "`taskId` is a number, but must be a string"),
        ("tasks/result", "{}", "`content` is missing: it must be an array"),
        ("ping", r#"{"_meta":7}"#, "`_meta` is a number, but must be an object"),
        (
            "initialize",
            r#"{"capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#,
            "`protocolVersion` is missing: it must be a string",
        ),
        (
            "initialize",
            r#"{"protocolVersion":"","capabilities":{},"serverInfo":{"name":"s"}}"#,
            "`serverInfo.version` is missing: it must be a string",
        ),
        (
            "server/discover",
            r#"{"supportedVersions":[1],"capabilities":{}}"#,
            "`supportedVersions[0]` is a number, but must be a string",
        ),
    ];
    for (name, result, sentence) in rows {
        assert_eq!(said(name, result), sentence, "{result}");
    }
}

#[test]
fn what_depends_on_the_revision() {
    let structured = r#"{"content":[],"structuredContent":[1]}"#;
    for version in ProtocolVersion::ALL {
        let expected = match version {
            // The member is of no meaning before, and of any kind after.
            ProtocolVersion::V2025_06_18 | ProtocolVersion::V2025_11_25 => {
                Err("`structuredContent` is an array, but must be an object".to_owned())
            }
            _ => Ok(()),
        };
        let checked = check("tools/call", version, structured);
        assert_eq!(checked.map_err(|error| error.to_string()), expected, "{version}");
    }
    assert!(check("tasks/cancel", LEGACY, "{}").is_err());
    assert_eq!(check("tasks/cancel", MODERN, r#"{"resultType":"complete"}"#), Ok(()));
}

#[test]
fn results_of_what_only_servers_ask_are_not_checked() {
    for name in ["roots/list", "sampling/createMessage", "notifications/progress"] {
        assert_eq!(check(name, LEGACY, r#"{"roots":7}"#), Ok(()), "{name}");
    }
}

#[test]
fn a_known_member_that_occurs_twice_is_refused_at_any_depth() {
    let mut count = 0;
    for (name, result) in results::COMPLETE {
        for (member, changed) in results::with_each_member_twice(result) {
            let error = check(name, LEGACY, &changed).expect_err(&changed);
            assert_eq!(error.fault(), ResultFault::Repeated, "{changed}");
            let sentence = error.to_string();
            assert!(sentence.ends_with(&format!("{member}` occurs twice")), "{sentence}: {changed}");
            count += 1;
        }
    }
    assert!(count > 300, "{count}");
}
