//! What each revision is told: content blocks, tables, names.

use barewire::engine::{CallError, Role};
use barewire::json::{Object, RawValue};
use barewire::mcp::{
    Annotations, Capabilities, Icon, Implementation, Prompt, PromptArgument, ProtocolVersion, Resource,
    ResourceTemplate, Schema, Theme, Tool, ToolAnnotations, UriTemplate,
};
use barewire::rpc::ErrorCode;
use serde_json::Value;

use crate::engine_kit::{App, Hosted, answer, call, error, initialize, json, modern, request, result, text};

use ProtocolVersion::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

fn object(text: &'static str) -> Object<'static> {
    RawValue::new(text.as_bytes()).ok().and_then(RawValue::as_object).expect("an object")
}

const LINK: Resource<'_> = Resource::new("r:1", "link")
    .with_title("Link")
    .with_description("d")
    .with_mime_type("text/plain")
    .with_annotations(
        Annotations::NONE
            .for_user()
            .for_assistant()
            .with_priority(25)
            .with_last_modified("2026-01-01T00:00:00Z"),
    )
    .with_icons(ICONS)
    .with_size(9);

const ARGUMENTS: &[PromptArgument<'_>] =
    &[PromptArgument::required("a").with_title("A").with_description("d"), PromptArgument::optional("b")];

const ICONS: &[Icon<'_>] = &[
    Icon::new("https://example.com/i.png")
        .with_mime_type("image/png")
        .with_sizes(&["48x48", "any"])
        .with_theme(Theme::Dark),
    Icon::new("data:,"),
];

const WRITTEN_ICONS: &str = r#","icons":[{"src":"https://example.com/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"},{"src":"data:,"}]"#;

/// The link as a resource of this revision, without its braces.
fn written_link(version: ProtocolVersion) -> String {
    let title = since(version, V2025_06_18, r#""title":"Link","#);
    let time = since(version, V2025_06_18, r#","lastModified":"2026-01-01T00:00:00Z""#);
    let icons = since(version, V2025_11_25, WRITTEN_ICONS);
    format!(
        r#""uri":"r:1","name":"link",{title}"description":"d","mimeType":"text/plain","annotations":{{"audience":["user","assistant"],"priority":0.25{time}}}{icons},"size":9"#
    )
}

/// `text` where the revision has it.
fn since(version: ProtocolVersion, first: ProtocolVersion, text: &str) -> &str {
    if version >= first { text } else { "" }
}

/// A server in a session of this revision; in the modern era each request says it.
fn open(app: App, version: ProtocolVersion) -> Hosted<App> {
    let mut server = Hosted::new(app);
    if version != V2026_07_28 {
        answer(&mut server, &initialize(version.as_str()));
    }
    server
}

fn ask(server: &mut Hosted<App>, version: ProtocolVersion, method: &str, members: &str) -> String {
    let line = match version {
        V2026_07_28 => modern("1", method, members),
        _ => request("1", method, &format!("{{{members}}}")),
    };
    answer(server, &line)
}

/// A whole result line; `cached` where the modern era has hints.
fn expected(version: ProtocolVersion, members: &str, cached: bool) -> String {
    if version != V2026_07_28 {
        return result("1", members);
    }
    let hints = if cached { r#","ttlMs":0,"cacheScope":"private""# } else { "" };
    result(
        "1",
        &format!(
            r#""resultType":"complete",{members}{hints},"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"app","version":"1"}}}}"#
        ),
    )
}

#[test]
fn every_block_of_content_in_every_revision() {
    for version in ProtocolVersion::ALL {
        let mut server = open(
            App::of_tool(|_, call, reply| {
                assert_eq!(call.context().version(), reply.version());
                let content = reply
                    .content()
                    .text("a\"b\n")
                    .text(["c", "\\", "d"])
                    .text_with(|json| {
                        json.begin_object().name("e").fixed(-5, 1).end_object();
                    })
                    .text(format_args!("{}-{:?}", 7, "f"))
                    .image("image/png", b"\x00\xFF")
                    .audio("audio/wav", b"g")
                    .resource_link(&LINK)
                    .embedded_text("r:2", Some("text/plain"), "h")
                    .embedded_blob("r:3", None, b"ij");
                Ok(content.done())
            }),
            version,
        );
        let audio = if version >= V2025_03_26 {
            r#"{"type":"audio","data":"Zw==","mimeType":"audio/wav"}"#
        } else {
            r#"{"type":"text","text":"[audio/wav]"}"#
        };
        let link = if version >= V2025_06_18 {
            format!(r#"{{"type":"resource_link",{}}}"#, written_link(version))
        } else {
            r#"{"type":"text","text":"r:1"}"#.to_string()
        };
        let members = [
            r#""content":[{"type":"text","text":"a\"b\n"}"#,
            r#"{"type":"text","text":"c\\d"}"#,
            r#"{"type":"text","text":"{\"e\":-0.5}"}"#,
            r#"{"type":"text","text":"7-\"f\""}"#,
            r#"{"type":"image","data":"AP8=","mimeType":"image/png"}"#,
            audio,
            &link,
            r#"{"type":"resource","resource":{"uri":"r:2","mimeType":"text/plain","text":"h"}}"#,
            r#"{"type":"resource","resource":{"uri":"r:3","blob":"aWo="}}],"isError":false"#,
        ]
        .join(",");
        assert_eq!(
            ask(&mut server, version, "tools/call", r#""name":"t""#),
            expected(version, &members, false),
            "{version}"
        );
    }
}

#[test]
fn received_text_is_decoded_but_for_half_a_pair() {
    let mut server: Hosted<App> = Hosted::new(App {
        tools: vec![Tool::new("t", "A tool.").with_open_parameters(&[])],
        ..App::of_tool(|_, call, reply| Ok(reply.text(call.string("a").ok_or(CallError::InvalidParams)?)))
    });
    let line = request("1", "tools/call", r#"{"name":"t","arguments":{"a":"\u0061\/\ud83d\ude00\ud83d\n"}}"#);
    assert_eq!(answer(&mut server, &line), text("1", "a/\u{1F600}\\ud83d\\n", false));
    assert_eq!(answer(&mut server, &call("1")), error("1", -32602, "Invalid params"));
}

#[test]
fn structured_content_stands_beside_its_text() {
    for version in ProtocolVersion::ALL {
        let mut server = open(
            App::of_tool(|_, _, reply| {
                let content = reply.content().text("first").structured_with(|json| {
                    json.begin_object().name("a\"").string("b\n").end_object();
                });
                Ok(content.done())
            }),
            version,
        );
        let structured = since(version, V2025_06_18, r#","structuredContent":{"a\"":"b\n"}"#);
        let members = format!(
            r#""content":[{{"type":"text","text":"first"}},{{"type":"text","text":"{{\"a\\\"\":\"b\\n\"}}"}}],"isError":false{structured}"#
        );
        assert_eq!(
            ask(&mut server, version, "tools/call", r#""name":"t""#),
            expected(version, &members, false),
            "{version}"
        );
    }
    let mut server: Hosted<App> = Hosted::new(App::of_tool(|_, _, reply| {
        let content = reply.content().set_error();
        Ok(content.structured_object(object(r#"{ "a": [1.50] }"#)).done())
    }));
    assert_eq!(
        answer(&mut server, &call("1")),
        result(
            "1",
            r#""content":[{"type":"text","text":"{\"a\":[1.50]}"}],"isError":true,"structuredContent":{"a":[1.50]}"#
        )
    );
}

#[test]
fn metadata_of_a_result_comes_last_and_cannot_name_another_server() {
    let app = || {
        App::of_tool(|_, _, reply| {
            let content = reply.content().text("x").meta(object(
                r#"{"com.example/a":{"b":1},"io.modelcontextprotocol\/serverInfo":{"name":"other"}}"#,
            ));
            Ok(content.done())
        })
    };
    let mut server: Hosted<App> = Hosted::new(app());
    assert_eq!(
        answer(&mut server, &call("1")),
        result(
            "1",
            r#""content":[{"type":"text","text":"x"}],"isError":false,"_meta":{"com.example/a":{"b":1}}"#
        )
    );
    assert_eq!(
        answer(&mut server, &modern("1", "tools/call", r#""name":"t""#)),
        result(
            "1",
            r#""resultType":"complete","content":[{"type":"text","text":"x"}],"isError":false,"_meta":{"com.example/a":{"b":1},"io.modelcontextprotocol/serverInfo":{"name":"app","version":"1"}}"#
        )
    );
}

#[test]
fn a_reply_without_parts_is_empty_and_a_failure_replaces_what_was_written() {
    let mut server: Hosted<App> = Hosted::new(App {
        resources: vec![Resource::new("r:", "r")],
        prompts: vec![Prompt::new("p")],
        read: |_, _, reply| Ok(reply.contents().done()),
        prompt: |_, _, reply| Ok(reply.messages().done()),
        ..App::of_tool(|_, _, reply| Ok(reply.content().done()))
    });
    assert_eq!(answer(&mut server, &call("1")), result("1", r#""content":[],"isError":false"#));
    assert_eq!(
        answer(&mut server, &request("1", "resources/read", r#"{"uri":"r:"}"#)),
        result("1", r#""contents":[]"#)
    );
    assert_eq!(
        answer(&mut server, &request("1", "prompts/get", r#"{"name":"p"}"#)),
        result("1", r#""messages":[]"#)
    );
    let mut server: Hosted<App> =
        Hosted::new(App::of_tool(|_, _, reply| Ok(reply.content().text("half").fail(["no", " way"]))));
    assert_eq!(answer(&mut server, &call("1")), text("1", "no way", true));
    let mut server: Hosted<App> = Hosted::new(App::of_tool(|_, _, reply| {
        Ok(reply.content().text("half").fail(format_args!("no way {}", 1)))
    }));
    assert_eq!(answer(&mut server, &call("1")), text("1", "no way 1", true));
}

#[test]
fn the_two_kinds_of_failure_are_different_answers() {
    let cases: [(CallError<'static>, String); 8] = [
        (CallError::Failed("a \"tool\" failed"), text("1", r#"a \"tool\" failed"#, true)),
        (
            CallError::Refused { code: ErrorCode(-1), message: "not \"you\"", data: None },
            error("1", -1, r#"not \"you\""#),
        ),
        (
            CallError::Refused {
                code: ErrorCode(401),
                message: "no",
                data: Some(object(r#"{"a": 1}"#).as_value()),
            },
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":401,\"message\":\"no\",\"data\":{\"a\":1}}}\n"
                .to_string(),
        ),
        (CallError::Internal, error("1", -32603, "Internal error")),
        (CallError::InvalidParams, error("1", -32602, "Invalid params")),
        (CallError::NotFound, error("1", -32602, "Unknown tool")),
        (CallError::Busy, error("1", -32603, "Server busy")),
        (CallError::ProgressTokenTooLong, error("1", -32603, "Progress token too long")),
    ];
    for (at, (_, expected)) in cases.iter().enumerate() {
        let app = App::of_tool(|log, _, reply| {
            let _ = reply.content().text("half");
            log.notes.push(String::new());
            Err(match log.notes.len() {
                1 => CallError::Failed("a \"tool\" failed"),
                2 => CallError::Refused { code: ErrorCode(-1), message: "not \"you\"", data: None },
                3 => CallError::Refused {
                    code: ErrorCode(401),
                    message: "no",
                    data: Some(object(r#"{"a": 1}"#).as_value()),
                },
                4 => CallError::Internal,
                5 => CallError::InvalidParams,
                6 => CallError::NotFound,
                7 => CallError::Busy,
                _ => CallError::ProgressTokenTooLong,
            })
        });
        let mut server: Hosted<App> = Hosted::new(app);
        server.handler_mut().log.notes = vec![String::new(); at];
        assert_eq!(&answer(&mut server, &call("1")), expected);
    }
}

#[test]
fn messages_of_a_prompt_in_every_revision() {
    for version in ProtocolVersion::ALL {
        let mut server = open(
            App {
                prompts: vec![Prompt::new("p")],
                prompt: |_, get, reply| {
                    assert!(get.is("p") && get.name() == "p" && get.argument("x").is_none());
                    let messages = reply
                        .description("d")
                        .text(Role::User, "a")
                        .text(Role::Assistant, ["b", "c"])
                        .text(Role::User, format_args!("{}", 7))
                        .image(Role::User, "image/png", b"d")
                        .audio(Role::User, "audio/wav", b"e")
                        .resource_link(Role::Assistant, &LINK)
                        .embedded_text(Role::User, "r:2", None, "f");
                    Ok(messages.done())
                },
                ..App::new()
            },
            version,
        );
        let audio = if version >= V2025_03_26 {
            r#"{"type":"audio","data":"ZQ==","mimeType":"audio/wav"}"#
        } else {
            r#"{"type":"text","text":"[audio/wav]"}"#
        };
        let link = if version >= V2025_06_18 {
            format!(r#"{{"type":"resource_link",{}}}"#, written_link(version))
        } else {
            r#"{"type":"text","text":"r:1"}"#.to_string()
        };
        let contents = [
            ("user", r#"{"type":"text","text":"a"}"#),
            ("assistant", r#"{"type":"text","text":"bc"}"#),
            ("user", r#"{"type":"text","text":"7"}"#),
            ("user", r#"{"type":"image","data":"ZA==","mimeType":"image/png"}"#),
            ("user", audio),
            ("assistant", &link),
            ("user", r#"{"type":"resource","resource":{"uri":"r:2","text":"f"}}"#),
        ];
        let messages: Vec<String> = contents
            .iter()
            .map(|(role, content)| format!(r#"{{"role":"{role}","content":{content}}}"#))
            .collect();
        let members = format!(r#""description":"d","messages":[{}]"#, messages.join(","));
        assert_eq!(
            ask(&mut server, version, "prompts/get", r#""name":"p""#),
            expected(version, &members, false),
            "{version}"
        );
    }
}

#[test]
fn tables_in_every_revision() {
    for version in ProtocolVersion::ALL {
        let title = |name: &str| since(version, V2025_06_18, r#","title":"T""#).replace('T', name);
        let icons = since(version, V2025_11_25, WRITTEN_ICONS);
        let mut annotations = ToolAnnotations::READ_ONLY;
        annotations.title = Some("A");
        annotations.destructive = Some(false);
        annotations.idempotent = Some(true);
        annotations.open_world = Some(false);
        let mut server = open(
            App {
                tools: vec![
                    Tool::new("t", "d")
                        .with_title("T")
                        .with_schema(Schema::new(r#"{ "type": "object" }"#))
                        .with_output_schema(Schema::new(r#"{"type":"object","properties":{}}"#))
                        .with_annotations(annotations)
                        .with_icons(ICONS)
                        .with_meta(r#"{"a/b": 1}"#),
                ],
                resources: vec![LINK],
                templates: vec![
                    ResourceTemplate::new(UriTemplate::new("t:///{x}"), "tt")
                        .with_title("TT")
                        .with_description("d")
                        .with_mime_type("text/plain")
                        .with_annotations(Annotations::NONE.with_priority(100))
                        .with_icons(ICONS),
                ],
                prompts: vec![
                    Prompt::new("p")
                        .with_title("P")
                        .with_description("d")
                        .with_arguments(ARGUMENTS)
                        .with_icons(ICONS),
                ],
                ..App::new()
            },
            version,
        );
        let output = since(version, V2025_06_18, r#","outputSchema":{"type":"object","properties":{}}"#);
        let hints = since(
            version,
            V2025_03_26,
            r#","annotations":{"title":"A","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#,
        );
        let meta = since(version, V2025_06_18, r#","_meta":{"a/b":1}"#);
        let rows = [
            (
                "tools/list",
                format!(
                    r#""tools":[{{"name":"t"{},"description":"d","inputSchema":{{"type":"object"}}{output}{hints}{icons}{meta}}}]"#,
                    title("T")
                ),
            ),
            ("resources/list", format!(r#""resources":[{{{}}}]"#, written_link(version))),
            (
                "resources/templates/list",
                format!(
                    r#""resourceTemplates":[{{"uriTemplate":"t:///{{x}}","name":"tt"{},"description":"d","mimeType":"text/plain","annotations":{{"priority":1}}{icons}}}]"#,
                    title("TT")
                ),
            ),
            (
                "prompts/list",
                format!(
                    r#""prompts":[{{"name":"p"{},"description":"d","arguments":[{{"name":"a"{},"description":"d","required":true}},{{"name":"b"}}]{icons}}}]"#,
                    title("P"),
                    title("A")
                ),
            ),
        ];
        for (method, members) in rows {
            assert_eq!(
                ask(&mut server, version, method, ""),
                expected(version, &members, true),
                "{version} {method}"
            );
        }
    }
}

#[test]
fn annotations_without_a_hint_are_left_out() {
    let written = |annotations: Annotations<'static>, version: ProtocolVersion| -> Option<Value> {
        let app =
            App { resources: vec![Resource::new("r:", "r").with_annotations(annotations)], ..App::new() };
        let mut server = open(app, version);
        let line = ask(&mut server, version, "resources/list", "");
        json(&line)["result"]["resources"][0].get("annotations").cloned()
    };
    let newest = ProtocolVersion::LATEST_LEGACY;
    assert_eq!(written(Annotations::NONE, newest), None);
    let time = Annotations::NONE.with_last_modified("2026-01-01");
    assert_eq!(written(time, V2025_03_26), None);
    assert_eq!(
        written(time, newest).map(|hints| hints.to_string()).as_deref(),
        Some(r#"{"lastModified":"2026-01-01"}"#)
    );
    for (hundredths, priority) in [(0, "0.00"), (5, "0.05"), (50, "0.50"), (100, "1"), (255, "1")] {
        let hints = written(Annotations::NONE.with_priority(hundredths), newest).expect("a hint");
        assert_eq!(hints["priority"].to_string(), priority);
    }
}

#[test]
fn the_name_of_the_server_in_every_revision() {
    let info = Implementation::new("app", "1")
        .with_title("App")
        .with_description("d")
        .with_website_url("https://example.com")
        .with_icons(ICONS);
    for version in ProtocolVersion::ALL {
        let title = since(version, V2025_06_18, r#""title":"App","#);
        let details = since(version, V2025_11_25, r#","description":"d","websiteUrl":"https://example.com""#);
        let icons = since(version, V2025_11_25, WRITTEN_ICONS);
        let written = format!(r#"{{"name":"app",{title}"version":"1"{details}{icons}}}"#);
        let mut server: Hosted<App> = Hosted::new(App {
            info,
            instructions: Some("Use \"it\"."),
            offers: |offered| {
                offered.insert(
                    Capabilities::TOOLS
                        | Capabilities::TOOLS_LIST_CHANGED
                        | Capabilities::RESOURCES
                        | Capabilities::RESOURCES_LIST_CHANGED
                        | Capabilities::PROMPTS
                        | Capabilities::PROMPTS_LIST_CHANGED
                        | Capabilities::COMPLETIONS,
                );
            },
            ..App::new()
        });
        let completions = since(version, V2025_03_26, r#""completions":{},"#);
        let capabilities = format!(
            r#"{{{completions}"prompts":{{"listChanged":true}},"resources":{{"listChanged":true}},"tools":{{"listChanged":true}}}}"#
        );
        let (found, members) = match version {
            V2026_07_28 => (
                answer(&mut server, &modern("1", "server/discover", "")),
                format!(
                    r#""resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{capabilities},"instructions":"Use \"it\".","ttlMs":0,"cacheScope":"private","_meta":{{"io.modelcontextprotocol/serverInfo":{written}}}"#
                ),
            ),
            _ => (
                answer(
                    &mut server,
                    &request("1", "initialize", &format!(r#"{{"protocolVersion":"{version}"}}"#)),
                ),
                format!(
                    r#""protocolVersion":"{version}","capabilities":{capabilities},"serverInfo":{written},"instructions":"Use \"it\".""#
                ),
            ),
        };
        assert_eq!(found, result("1", &members), "{version}");
    }
}
