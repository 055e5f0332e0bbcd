//! The numbered requirements of the specification that concern a server or the message layer: one test each, named by its
//! number; those of a client stand in `client_spec_rules`. Where this crate decides otherwise than the number's text, its
//! own rule is quoted.
//!
//! (M) is MUST, (N) MUST NOT, (S) SHOULD. L is 2024-11-05 to 2025-11-25, R4 is 2025-11-25, R5 is 2026-07-28.

use std::collections::BTreeSet;

use barewire::bytes::Sink;
use barewire::demo::{Demo, NoHost};
use barewire::engine::{
    AskError, CallError, Fixed, Full, List, ModernOnly, Options, Progress, Server, TaskEnd, UnreadableId,
};
use barewire::json::RawValue;
use barewire::mcp::{Capabilities, InputRequest, LoggingLevel, Method, Prompt, ProtocolVersion, Resource};
use barewire::rpc::{
    ErrorCode, Message, Reply, RequestId, classify, error_response, notification, request as write_request,
};
use serde_json::Value;

use crate::engine_kit::{
    App, DEMO_REQUESTS, Hosted, MODERN, Status, answer, call, cancel, error, initialize, initialize_with,
    json, modern, modern_of, modern_with, request, result, text, written,
};

#[test]
fn every_number_has_a_test() {
    let mut tested = BTreeSet::new();
    // Some rules have two sides.
    for source in [include_str!("spec_rules.rs"), include_str!("client_spec_rules.rs")] {
        let mut tested_here = BTreeSet::new();
        for behind in source.split("#[test]\nfn r").skip(1) {
            let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
            let number: u32 = digits.parse().expect("the number of a rule");
            assert_eq!(digits.len(), 2, "{digits}");
            assert!(tested_here.insert(number), "{number} has two tests");
            assert!(source.contains(&format!("/// {number} ")), "{number} quotes no rule");
        }
        tested.extend(tested_here);
    }
    assert!(tested.into_iter().eq(1..=93));
}

// What the tests share.

fn demo() -> Hosted<Demo<NoHost>, Fixed<Full, 4, 4>> {
    Hosted::of(Server::with_storage(Fixed::new()), Demo::new(NoHost))
}

/// The demo server in a session of this revision.
fn demo_in(version: ProtocolVersion) -> Hosted<Demo<NoHost>, Fixed<Full, 4, 4>> {
    let mut server = demo();
    answer(&mut server, &initialize(version.as_str()));
    server
}

const LEGACY: [ProtocolVersion; 4] = [
    ProtocolVersion::V2024_11_05,
    ProtocolVersion::V2025_03_26,
    ProtocolVersion::V2025_06_18,
    ProtocolVersion::V2025_11_25,
];

/// What the demo server answers to every request, in this revision.
fn answers(version: ProtocolVersion) -> Vec<String> {
    let mut server = demo();
    DEMO_REQUESTS
        .iter()
        .map(|(method, members)| match version {
            ProtocolVersion::V2026_07_28 => answer(&mut server, &modern("1", method, members)),
            // The first is the handshake.
            _ => {
                let members = members.replace("2025-11-25", version.as_str());
                answer(&mut server, &request("1", method, &format!("{{{members}}}")))
            }
        })
        .collect()
}

/// The results among them.
fn results(version: ProtocolVersion) -> Vec<Value> {
    let results: Vec<Value> =
        answers(version).iter().filter_map(|line| json(line).get("result").cloned()).collect();
    assert!(results.len() > 10);
    results
}

fn code(line: &str) -> Option<i64> {
    json(line)["error"]["code"].as_i64()
}

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// An application whose lists and resources change, whose tool `t` is answered later, and which logs.
fn changing() -> App {
    App {
        resources: vec![Resource::new("r:1", "r"), Resource::new("r:2", "r")],
        offers: |offered| {
            offered.insert(
                Capabilities::TOOLS_LIST_CHANGED | Capabilities::RESOURCES_SUBSCRIBE | Capabilities::LOGGING,
            );
        },
        ..App::deferring()
    }
}

fn listen(id: &str, filter: &str) -> String {
    modern(id, "subscriptions/listen", &format!(r#""notifications":{{{filter}}}"#))
}

fn complete(server: &mut Hosted<App>, at: usize) -> String {
    let token = server.handler().log.tokens[at];
    written(server, 512, |server, out| {
        server.complete_tool(token, out, |content| Ok(content.text("done").done()))
    })
    .0
}

fn all_changes(server: &mut Hosted<App>) -> String {
    let (tools, _) = written(server, 4096, |server, out| server.list_changed(List::Tools, out));
    let (prompts, _) = written(server, 4096, |server, out| server.list_changed(List::Prompts, out));
    let (resource, _) = written(server, 4096, |server, out| server.resource_updated("r:1", out));
    let (other, _) = written(server, 4096, |server, out| server.resource_updated("r:2", out));
    [tools, prompts, resource, other].concat()
}

// The envelope.

/// 1 R* (M) requests carry `jsonrpc:"2.0"` and a string or integer id.
#[test]
fn r01_requests_carry_version_and_id() {
    for id in ["1", "-7", r#""a""#, r#""""#] {
        assert!(matches!(classify(request(id, "x", "").as_bytes()), Ok(Message::Request(_))));
    }
    for line in [
        r#"{"id":1,"method":"x"}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#,
        r#"{"jsonrpc":2,"id":1,"method":"x"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#,
        r#"{"jsonrpc":"2.0","id":true,"method":"x"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#,
    ] {
        assert_eq!(
            classify(line.as_bytes()).map_err(|rejection| rejection.code().0).err(),
            Some(-32600),
            "{line}"
        );
    }
    let mut memory = [0; 64];
    let written = write_request(&mut memory, RequestId::from(1), "x", None);
    assert_eq!(written, Ok(request("1", "x", "").as_bytes()));
}

/// 2 R* (N) request id null; such a message is neither request nor notification.
#[test]
fn r02_a_null_id_makes_no_message() {
    let line = request("null", "tools/list", "");
    let rejection = classify(line.as_bytes()).expect_err("no message");
    assert_eq!((rejection.code(), rejection.reply()), (ErrorCode::INVALID_REQUEST, Reply::Null));
    assert_eq!(answer(&mut demo(), &line), error("null", -32600, "Invalid Request"));
}

/// 3 R* (N) notification carries an id.
#[test]
fn r03_notifications_have_no_id() {
    let mut memory = [0; 64];
    let line = notification(&mut memory, "notifications/x", None).expect("room").to_vec();
    assert!(matches!(classify(&line), Ok(Message::Notification(_))));
    let mut server = Hosted::new(changing());
    answer(&mut server, &listen("1", r#""toolsListChanged":true,"resourceSubscriptions":["r:1"]"#));
    let lines = all_changes(&mut server);
    assert_eq!(lines.matches('\n').count(), 2);
    for line in lines.lines() {
        assert!(matches!(classify(line.as_bytes()), Ok(Message::Notification(_))), "{line}");
    }
}

/// 4 R* (N) any reply to a notification, including unknown or malformed ones.
#[test]
fn r04_notifications_are_never_answered() {
    let mut server = demo();
    for method in Method::all().map(Method::name).chain(["notifications/nope", "nope", ""]) {
        for params in
            ["", r#","params":{}"#, r#","params":[1]"#, r#","params":7"#, r#","params":{"requestId":{}}"#]
        {
            let line = format!(r#"{{"jsonrpc":"2.0","method":"{method}"{params}}}"#);
            assert_eq!(answer(&mut server, &line), "", "{line}");
        }
    }
    assert_eq!(server.session(), None);
}

/// 5 R5 (N) id equal to one of its own unanswered requests: the receiver refuses it.
#[test]
fn r05_an_id_in_flight_is_in_use() {
    let mut server = Hosted::new(App::deferring());
    assert_eq!(answer(&mut server, &modern("1", "tools/call", r#""name":"t""#)), "");
    assert_eq!(answer(&mut server, &modern("1", "tools/list", "")), error("1", -32600, "Request id in use"));
    complete(&mut server, 0);
    assert!(json(&answer(&mut server, &modern("1", "tools/list", ""))).get("result").is_some());
}

/// 6 R* (M) response echoes the id with value and type unchanged (string stays string, escapes decode to the same text).
#[test]
fn r06_ids_are_echoed_unchanged() {
    for id in ["0", "-1", "9007199254740993", "123456789012345678901234567890", r#""1""#, r#""a\u0062\"""#] {
        assert_eq!(answer(&mut demo(), &request(id, "ping", "")), result(id, ""));
        assert_eq!(answer(&mut demo(), &request(id, "nope", "")), error(id, -32601, "Method not found"));
        let mut server = Hosted::new(App::deferring());
        answer(&mut server, &call(id));
        assert_eq!(complete(&mut server, 0), text(id, "done", false));
    }
}

/// 7 R1-R3 (N) result and error in one response; receiver rejects it.
#[test]
fn r07_result_and_error_exclude_each_other() {
    for (result, error) in
        [("{}", r#"{"code":1,"message":"m"}"#), ("null", r#"{"code":1,"message":"m"}"#), ("{}", "null")]
    {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result},"error":{error}}}"#);
        let rejection = classify(line.as_bytes()).expect_err("no message");
        assert_eq!(rejection.reason().name(), "result-and-error");
        assert_eq!(rejection.reply(), Reply::Nobody);
    }
    for version in ProtocolVersion::ALL {
        for line in answers(version) {
            assert!(json(&line).get("result").is_some() != json(&line).get("error").is_some(), "{line}");
        }
    }
}

/// 8 R* (M) error has integer `code` and string `message`; `data` optional, any JSON.
#[test]
fn r08_an_error_has_code_and_message() {
    for (object, is_error) in [
        (r#"{"code":1,"message":"m"}"#, true),
        (r#"{"code":-32000,"message":"","data":null}"#, true),
        (r#"{"code":1,"message":"m","data":[{}],"other":1}"#, true),
        (r#"{"code":"1","message":"m"}"#, false),
        (r#"{"code":1.5,"message":"m"}"#, false),
        (r#"{"code":1,"message":null}"#, false),
        (r#"{"code":1}"#, false),
        (r#"{"message":"m"}"#, false),
        (r#""m""#, false),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{object}}}"#);
        assert_eq!(classify(line.as_bytes()).is_ok(), is_error, "{object}");
    }
    let mut memory = [0; 128];
    let line = error_response(&mut memory, RequestId::from(1), ErrorCode::INTERNAL_ERROR, "m").expect("room");
    assert!(classify(line).is_ok());
}

/// 9 an unreadable id is written as `null` in every revision; an option leaves the member out. A readable one is there.
#[test]
fn r09_an_unreadable_id_is_null_or_left_out() {
    for version in LEGACY {
        let mut server = demo_in(version);
        assert_eq!(answer(&mut server, "not-json"), error("null", -32700, "Parse error"));
        assert_eq!(answer(&mut server, r#"{"id":7}"#), error("7", -32600, "Invalid Request"));
    }
    let options = Options::DEFAULT.with_unreadable_id(UnreadableId::Omit);
    let mut server = Hosted::with_options(Demo::new(NoHost), options);
    let line = answer(&mut server, "not-json");
    assert_eq!((json(&line).get("id"), code(&line)), (None, Some(-32700)));
    assert_eq!(answer(&mut server, r#"{"id":7}"#), error("7", -32600, "Invalid Request"));
}

/// 10 R* `result` must be an object: a peer's `"result": 3` or null is invalid.
#[test]
fn r10_a_result_is_an_object() {
    for (value, is_result) in
        [("{}", true), (r#"{"a":1}"#, true), ("3", false), ("null", false), ("[]", false), (r#""x""#, false)]
    {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{value}}}"#);
        assert_eq!(classify(line.as_bytes()).is_ok(), is_result, "{value}");
    }
}

/// 11 R* params array or scalar is refused; params absent is accepted where nothing is required (L).
#[test]
fn r11_params_are_an_object_or_absent() {
    for params in ["[]", "[1]", "7", r#""x""#, "true"] {
        assert_eq!(
            answer(&mut demo(), &request("1", "tools/list", params)),
            error("1", -32600, "Invalid Request"),
            "{params}"
        );
    }
    for method in ["ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        assert!(json(&answer(&mut demo(), &request("1", method, ""))).get("result").is_some(), "{method}");
        // Deployed clients send `null` and mean absent.
        assert_eq!(
            answer(&mut demo(), &request("1", method, "null")),
            answer(&mut demo(), &request("1", method, "")),
            "{method}"
        );
    }
}

/// 12 R2 (M) array input is processed as a batch; answers one per request; all-notification batch gives no output.
#[test]
fn r12_a_batch_is_served_element_by_element() {
    let mut server = demo_in(ProtocolVersion::V2025_03_26);
    let batch = format!(
        "[{},{},{}]",
        request("7", "ping", ""),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        request("8", "x/y", "")
    );
    assert_eq!(answer(&mut server, &batch), result("7", "") + &error("8", -32601, "Method not found"));
    let notifications = r#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b","params":[]}]"#;
    assert_eq!(answer(&mut server, notifications), "");
}

/// 13 R2 (N) `initialize` inside a batch. R3-R5, and before negotiation: array is -32600.
#[test]
fn r13_an_array_is_no_message_and_initialize_stands_alone() {
    let mut server = demo_in(ProtocolVersion::V2025_03_26);
    let batch = format!("[{},{}]", initialize("2025-06-18"), request("2", "ping", ""));
    let answers = answer(&mut server, &batch);
    assert!(answers.contains(r#""error":{"code":-32600,"message":"Invalid Request"}}"#), "{answers}");
    assert!(answers.ends_with(&result("2", "")));
    assert_eq!(server.session(), Some(ProtocolVersion::V2025_03_26));

    let batch = format!("[{},{}]", request("1", "ping", ""), initialize("2025-03-26"));
    let invalid = error("null", -32600, "Invalid Request");
    assert_eq!(answer(&mut demo(), &batch), invalid);
    assert_eq!(answer(&mut demo(), "[]"), invalid);
    for version in [ProtocolVersion::V2025_06_18, ProtocolVersion::V2025_11_25] {
        assert_eq!(answer(&mut demo_in(version), &batch), invalid);
    }
    assert_eq!(answer(&mut demo(), &format!("[{}]", modern("1", "tools/list", ""))), invalid);
    let mut server = demo();
    answer(&mut server, &batch);
    assert_eq!(server.session(), None);
}

/// 14 R* unknown members of envelope, params, `_meta`, capabilities and results are ignored.
#[test]
fn r14_unknown_members_are_ignored() {
    let line = r#"{"jsonrpc":"2.0","extra":[1],"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"unknown":{"a":1},"roots":7},"clientInfo":{"name":"c","version":"1","extra":1},"extra":{},"_meta":{"x/y":1}}}"#;
    let mut server = demo();
    assert!(json(&answer(&mut server, line)).get("result").is_some());
    let members = r#""name":"echo","extra":1,"arguments":{"text":"x"}"#;
    assert_eq!(
        answer(&mut server, &request("1", "tools/call", &format!("{{{members},\"_meta\":{{\"x/y\":[]}}}}"))),
        text("1", "x", false)
    );
    let line = modern_with("1", "tools/call", members, r#""x/y":[],"io.modelcontextprotocol/clientInfo":7"#);
    assert!(json(&answer(&mut server, &line)).get("result").is_some());
    assert!(classify(br#"{"jsonrpc":"2.0","id":1,"result":{"extra":1},"extra":2}"#).is_ok());
}

/// 15 R* invalid JSON gives -32700 or silence, never a crash or a desynchronised stream; the next line works.
#[test]
fn r15_invalid_json_is_a_parse_error_and_the_next_line_works() {
    let mut server = demo();
    for line in
        ["{", "}", "not-json", r#"{"a":01}"#, "{}x", "\u{0}", r#"{"jsonrpc":"2.0","id":1,"method":"x"#, "'x'"]
    {
        assert_eq!(answer(&mut server, line), error("null", -32700, "Parse error"), "{line}");
        assert_eq!(answer(&mut server, &request("1", "ping", "")), result("1", ""));
    }
}

/// 16 R* (N) raw `\n` inside an emitted message; control characters are escaped; output is valid UTF-8.
#[test]
fn r16_no_control_character_is_written_raw() {
    let controls: String = (0..0x20).map(|code| format!("\\u{code:04x}")).collect();
    let line = request(
        "1",
        "tools/call",
        &format!(r#"{{"name":"echo","arguments":{{"text":"{controls}\u007f\u2028\ud800"}}}}"#),
    );
    let answer = answer(&mut demo(), &line);
    assert!(answer.trim_end().chars().all(|character| u32::from(character) >= 0x20), "{answer}");
    let text = json(&answer.replace("\\ud800", ""))["result"]["content"][0]["text"].clone();
    let expected: String = (0..0x20u8).map(char::from).chain(['\u{7f}', '\u{2028}']).collect();
    assert_eq!(text, expected);
}

/// 17 R* (N) anything but MCP messages on stdout: all that a server writes are messages, one a line.
#[test]
fn r17_every_line_is_a_message() {
    for version in ProtocolVersion::ALL {
        for line in answers(version) {
            let message = line.strip_suffix('\n').expect("a whole line");
            assert!(matches!(classify(message.as_bytes()), Ok(Message::Response(_))), "{line}");
        }
    }
}

/// 18 R* responses may be sent out of order and are matched by id.
#[test]
fn r18_responses_come_in_any_order() {
    let mut server = Hosted::new(App::deferring());
    for id in ["1", "2", "3"] {
        answer(&mut server, &call(id));
    }
    for (at, id) in [(2, "3"), (0, "1"), (1, "2")] {
        assert_eq!(complete(&mut server, at), text(id, "done", false));
    }
}

/// 19 R* a response to an unknown id is ignored.
#[test]
fn r19_a_response_is_ignored() {
    let mut server = Hosted::new(App::deferring());
    answer(&mut server, &call("1"));
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":7}"#,
    ] {
        assert_eq!(answer(&mut server, line), "", "{line}");
    }
    assert_eq!(server.in_flight(), 1);
}

/// 20 R* method lookup is case-sensitive and sees through JSON escapes (`"tools\/list"`).
#[test]
fn r20_methods_are_compared_after_unescaping() {
    for method in [r"ping", r"\u0070ing", r"p\u0069n\u0067"] {
        assert_eq!(answer(&mut demo(), &request("1", method, "")), result("1", ""), "{method}");
    }
    assert!(json(&answer(&mut demo(), &request("1", r"tools\/list", ""))).get("result").is_some());
    for method in ["Ping", "PING", "ping ", "pin", "tools//list", r"ping\u0000"] {
        assert_eq!(code(&answer(&mut demo(), &request("1", method, ""))), Some(-32601), "{method}");
    }
}

// The legacy lifecycle.

/// 21 L (M) `initialize` with a supported version is answered with that version.
#[test]
fn r21_initialize_with_a_supported_version() {
    for version in LEGACY {
        let answer = json(&answer(&mut demo(), &initialize(version.as_str())));
        assert_eq!(answer["result"]["protocolVersion"], version.as_str());
    }
}

/// 22 L (M) with an unsupported one, with a supported version (S: the latest), not an error.
#[test]
fn r22_initialize_with_an_unsupported_version() {
    for version in ["2024-10-07", "2026-07-28", "2099-01-01", "1.0", "", r"\ud800"] {
        let answer = json(&answer(&mut demo(), &initialize(version)));
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{version}");
    }
}

/// 23 L result of `initialize` has `protocolVersion`, `capabilities`, `serverInfo{name,version}`.
#[test]
fn r23_the_result_of_initialize() {
    for version in LEGACY {
        let answer = json(&answer(&mut demo(), &initialize(version.as_str())));
        let result = &answer["result"];
        assert!(result["capabilities"].is_object());
        assert!(result["serverInfo"]["name"].is_string() && result["serverInfo"]["version"].is_string());
        assert!(result["instructions"].is_string());
    }
}

/// 26 L (S) server sends nothing but ping requests and log notifications before `initialized`.
#[test]
fn r26_nothing_but_log_messages_before_initialized() {
    let mut server = Hosted::new(changing());
    answer(&mut server, &request("1", "resources/subscribe", r#"{"uri":"r:1"}"#));
    assert_eq!(all_changes(&mut server), "");
    answer(&mut server, &initialize_with("2025-06-18", r#"{"roots":{}}"#));
    assert_eq!(all_changes(&mut server), "");
    let (line, asked) =
        written(&mut server, 512, |server, out| server.ask(&InputRequest::Roots, out).map(drop));
    assert_eq!((line.as_str(), asked), ("", Err(AskError::NoSession)));
    assert!(written(&mut server, 512, |server, out| server.ping(out)).1.is_ok());
    let (line, _) = written(&mut server, 512, |server, out| server.log(LoggingLevel::Error, None, "x", out));
    assert!(!line.is_empty());
    answer(&mut server, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(all_changes(&mut server).matches('\n').count(), 2);
}

/// 27 L (M) `ping` is answered with `{}` at any time (no member except perhaps `_meta`).
#[test]
fn r27_ping_at_any_time() {
    let pong = result("1", "");
    assert_eq!(answer(&mut demo(), &request("1", "ping", "")), pong);
    for version in LEGACY {
        let mut server = demo_in(version);
        assert_eq!(answer(&mut server, &request("1", "ping", "")), pong);
        assert_eq!(answer(&mut server, &request("1", "ping", r#"{"_meta":{},"x":1}"#)), pong);
    }
    let mut server = Hosted::new(App::deferring());
    answer(&mut server, &call("2"));
    assert_eq!(answer(&mut server, &request("1", "ping", "")), pong);
}

/// 29 R3-R4 (M) only negotiated capabilities are used; undeclared feature calls get -32601.
#[test]
fn r29_what_is_not_offered_is_not_found() {
    let methods = [
        ("resources/list", ""),
        ("resources/templates/list", ""),
        ("resources/read", r#"{"uri":"r:1"}"#),
        ("resources/subscribe", r#"{"uri":"r:1"}"#),
        ("prompts/list", ""),
        ("prompts/get", r#"{"name":"p"}"#),
        ("completion/complete", "{}"),
        ("logging/setLevel", r#"{"level":"info"}"#),
    ];
    for version in LEGACY {
        let mut server = Hosted::new(App::deferring());
        let offered = json(&answer(&mut server, &initialize(version.as_str())));
        assert_eq!(offered["result"]["capabilities"].to_string(), r#"{"tools":{}}"#);
        for (method, params) in methods {
            assert_eq!(
                answer(&mut server, &request("1", method, params)),
                error("1", -32601, "Method not found"),
                "{method}"
            );
        }
        assert_eq!(all_changes(&mut server), "");
        let (line, _) =
            written(&mut server, 512, |server, out| server.log(LoggingLevel::Emergency, None, "x", out));
        assert_eq!(line, "");
    }
}

/// 30 R* unknown request method gives -32601 with the id; unknown notification is dropped.
#[test]
fn r30_an_unknown_method() {
    for version in LEGACY {
        let mut server = demo_in(version);
        for method in
            ["nope", "", "tools/run", "server/discover/x", "roots/list", "notifications/initialized"]
        {
            assert_eq!(
                answer(&mut server, &request(r#""i""#, method, "")),
                error(r#""i""#, -32601, "Method not found")
            );
        }
        assert_eq!(answer(&mut server, r#"{"jsonrpc":"2.0","method":"nope"}"#), "");
    }
    assert_eq!(answer(&mut demo(), &modern("1", "nope", "")), error("1", -32601, "Method not found"));
}

// The modern lifecycle.

/// 31 missing `_meta` keys are an error only where one of the keys shows the modern era, or the method is of that era.
#[test]
fn r31_incomplete_metadata() {
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let capabilities = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
    let invalid = error("1", -32602, "Invalid params");
    for meta in [
        version,
        capabilities,
        &format!("{version},\"io.modelcontextprotocol/clientCapabilities\":null"),
        &format!("{version},\"io.modelcontextprotocol/clientCapabilities\":[]"),
        &format!("\"io.modelcontextprotocol/protocolVersion\":20260728,{capabilities}"),
        &format!("{version},{version},{capabilities}"),
    ] {
        for method in ["tools/list", "server/discover", "ping", "nope"] {
            let line = request("1", method, &format!(r#"{{"_meta":{{{meta}}}}}"#));
            assert_eq!(answer(&mut demo(), &line), invalid, "{line}");
        }
    }
    for params in ["", "{}", r#"{"_meta":{}}"#, r#"{"_meta":7}"#] {
        for (method, members) in [("server/discover", ""), ("subscriptions/listen", "")] {
            assert_eq!(answer(&mut demo(), &request("1", method, params)), invalid, "{method}{members}");
        }
    }
    assert_eq!(answer(&mut demo(), &request("1", "tools/list", r#"{"_meta":7}"#)), invalid);
    // Without a key it is a request of the other era.
    let tools = json(&answer(&mut demo(), &request("1", "tools/list", r#"{"_meta":{}}"#)));
    assert!(tools["result"].get("resultType").is_none() && tools.get("error").is_none());
}

/// 32 R5 (M) request without `clientInfo` is served.
#[test]
fn r32_nobody_must_say_who_it_is() {
    let with = modern_with(
        "1",
        "tools/list",
        "",
        r#""io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}"#,
    );
    let without = modern("1", "tools/list", "");
    assert_eq!(answer(&mut demo(), &with), answer(&mut demo(), &without));
    assert!(json(&answer(&mut demo(), &without)).get("result").is_some());
}

/// 33 R5 (M) unsupported version: -32022, `data.supported` non-empty list, `data.requested` = the requested string.
#[test]
fn r33_an_unsupported_version() {
    for version in ["2031-01-01", "2025-11-25", "", r"2026-07-28\u0000"] {
        for method in ["tools/list", "server/discover", "nope"] {
            let meta = MODERN.replace("2026-07-28", version);
            let line = request("1", method, &format!(r#"{{"_meta":{{{meta}}}}}"#));
            assert_eq!(
                answer(&mut demo(), &line),
                format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{{\"code\":-32022,\"message\":\"Unsupported protocol version\",\"data\":{{\"supported\":[\"2026-07-28\"],\"requested\":\"{version}\"}}}}}}\n"
                )
            );
        }
    }
    // The two lists of versions agree.
    let discovered = json(&answer(&mut demo(), &modern("1", "server/discover", "")));
    assert_eq!(discovered["result"]["supportedVersions"].to_string(), r#"["2026-07-28"]"#);
}

/// 34 R5 (N) capabilities, version or log level taken over from an earlier request.
#[test]
fn r34_every_request_stands_alone() {
    let mut server = Hosted::new(App {
        offers: |offered| offered.insert(Capabilities::LOGGING),
        ..App::of_tool(|log, call, mut reply| {
            let capabilities = call.context().client_capabilities();
            log.notes.push(capabilities.map_or(String::new(), |all| all.as_value().to_string()));
            reply.log(LoggingLevel::Emergency, None, "x");
            Ok(reply.content().done())
        })
    });
    let line = |capabilities: &str, meta: &str| {
        modern_with("1", "tools/call", r#""name":"t""#, meta)
            .replace(r#"clientCapabilities":{}"#, &format!(r#"clientCapabilities":{capabilities}"#))
    };
    let level = r#""io.modelcontextprotocol/logLevel":"debug""#;
    let lines = [
        answer(&mut server, &line(r#"{"elicitation":{}}"#, level)),
        answer(&mut server, &line("{}", "")),
        answer(&mut server, &call("1")),
    ];
    assert_eq!(server.handler().log.notes, [r#"{"elicitation":{}}"#, "{}", ""]);
    // A legacy request has the level of its session, also before there is one.
    assert_eq!(lines.map(|line| line.matches("notifications/message").count()), [1, 0, 1]);
    assert_eq!(server.session(), None);
}

/// 35 R5 (M) `server/discover` works as first message; result has `supportedVersions`, `capabilities`, `ttlMs`,
/// `cacheScope`, `resultType`.
#[test]
fn r35_discover_works_first() {
    let answer = json(&answer(&mut demo(), &modern("1", "server/discover", "")));
    let result = &answer["result"];
    assert!(result["supportedVersions"].as_array().is_some_and(|all| !all.is_empty()));
    assert!(result["capabilities"].is_object());
    assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string());
    assert_eq!(result["resultType"], "complete");
    assert!(result.get("serverInfo").is_none());
}

/// 36 R5 (M) every result, also an empty one, has `resultType`. L no result has it, nor `ttlMs`/`cacheScope`.
#[test]
fn r36_every_modern_result_has_a_type_and_no_other() {
    for result in results(ProtocolVersion::V2026_07_28) {
        assert_eq!(result["resultType"], "complete");
    }
    for version in LEGACY {
        for result in results(version) {
            for member in ["resultType", "ttlMs", "cacheScope"] {
                assert!(result.get(member).is_none(), "{version}: {result}");
            }
        }
    }
}

/// 37 R5 (S) every result's `_meta` has `io.modelcontextprotocol/serverInfo`.
#[test]
fn r37_every_modern_result_names_the_server() {
    for result in results(ProtocolVersion::V2026_07_28) {
        assert_eq!(result["_meta"][SERVER_INFO]["name"], "barewire-demo");
    }
    let mut server = Hosted::new(App::deferring());
    answer(&mut server, &modern("1", "tools/call", r#""name":"t""#));
    assert_eq!(json(&complete(&mut server, 0))["result"]["_meta"][SERVER_INFO]["name"], "app");
}

/// 39 R5 (M) `initialize`, `ping`, `logging/setLevel`, `resources/subscribe`, `resources/unsubscribe`, `tasks/result` with
/// valid `_meta` give -32601.
#[test]
fn r39_removed_methods() {
    for (method, members) in [
        ("initialize", r#""protocolVersion":"2025-11-25""#),
        ("ping", ""),
        ("logging/setLevel", r#""level":"info""#),
        ("resources/subscribe", r#""uri":"demo://counter""#),
        ("resources/unsubscribe", r#""uri":"demo://counter""#),
        ("tasks/result", r#""taskId":"1""#),
        ("tasks/list", ""),
        ("roots/list", ""),
        ("sampling/createMessage", ""),
        ("elicitation/create", ""),
    ] {
        let mut server = demo();
        let line = modern("1", method, members);
        assert_eq!(answer(&mut server, &line), error("1", -32601, "Method not found"), "{method}");
        assert_eq!(server.session(), None);
    }
}

/// 40 R5 (M) method of a capability not advertised gives -32601; an advertised one works.
#[test]
fn r40_advertised_methods_work() {
    let mut server = Hosted::new(App::deferring());
    assert!(json(&answer(&mut server, &modern("1", "tools/list", ""))).get("result").is_some());
    for method in ["resources/list", "resources/read", "prompts/list", "prompts/get", "completion/complete"] {
        assert_eq!(
            answer(&mut server, &modern("1", method, "")),
            error("1", -32601, "Method not found"),
            "{method}"
        );
    }
    let offered = json(&answer(&mut server, &modern("1", "server/discover", "")));
    assert_eq!(offered["result"]["capabilities"].to_string(), r#"{"tools":{}}"#);
}

/// 41 R5 (N) server writes a JSON-RPC request.
#[test]
fn r41_the_server_writes_no_request() {
    let mut server = Hosted::new(changing());
    let mut lines = String::new();
    lines += &answer(&mut server, &listen("1", r#""toolsListChanged":true,"resourceSubscriptions":["r:1"]"#));
    lines += &answer(&mut server, &modern_with("2", "tools/call", r#""name":"t""#, r#""progressToken":1"#));
    lines += &all_changes(&mut server);
    let token = server.handler().log.tokens[0];
    lines += &written(&mut server, 512, |server, out| server.progress(token, Progress::new(1), out)).0;
    lines += &complete(&mut server, 0);
    lines += &written(&mut server, 512, |server, out| server.end_streams(out)).0;
    let mut asking = Hosted::new(asking());
    for (method, members) in ASKING {
        lines += &answer(&mut asking, &modern_of("1", method, members, ROOTS));
    }
    assert!(asking.ping(&mut Sink::new(&mut [0; 96])).is_err());
    assert_eq!(lines.lines().count(), 9);
    for line in lines.lines().map(str::to_string).chain(answers(ProtocolVersion::V2026_07_28)) {
        assert!(!matches!(classify(line.trim_end().as_bytes()), Ok(Message::Request(_)) | Err(_)), "{line}");
    }
}

/// 42 R5 server ignores an incoming response.
#[test]
fn r42_an_incoming_response_is_ignored() {
    let mut server = demo();
    answer(&mut server, &listen("1", ""));
    assert_eq!(answer(&mut server, r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#), "");
    let (line, status) = written(&mut server, 512, |server, out| server.end_streams(out));
    assert!(status == Status::Done && !line.is_empty(), "the stream is still open");
}

/// 43 R5 (M) needed but undeclared client capability: -32021 with object `data.requiredCapabilities`.
#[test]
fn r43_a_handler_can_need_a_capability() {
    const DATA: &[u8] = br#"{"requiredCapabilities":{"elicitation":{}}}"#;
    let mut server = Hosted::new(App::of_tool(|_, call, reply| {
        let has = call.context().client_capabilities().is_some_and(|all| all.get("elicitation").is_some());
        if has {
            return Ok(reply.content().done());
        }
        Err(CallError::Refused {
            code: ErrorCode::MISSING_CLIENT_CAPABILITY,
            message: "Missing required client capability",
            data: RawValue::new(DATA).ok(),
        })
    }));
    let line = modern("1", "tools/call", r#""name":"t""#);
    assert_eq!(
        answer(&mut server, &line),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32021,\"message\":\"Missing required client capability\",\"data\":{\"requiredCapabilities\":{\"elicitation\":{}}}}}\n"
    );
    let line = line.replace(r#"clientCapabilities":{}"#, r#"clientCapabilities":{"elicitation":{}}"#);
    assert!(json(&answer(&mut server, &line)).get("result").is_some());
}

const ROOTS: &str = r#"{"roots":{}}"#;

/// The requests whose handlers ask, and the members of their params.
const ASKING: [(&str, &str); 3] =
    [("tools/call", r#""name":"t""#), ("resources/read", r#""uri":"r:1""#), ("prompts/get", r#""name":"p""#)];

/// Whatever can ask asks for the roots, until it has them.
fn asking() -> App {
    App {
        resources: vec![Resource::new("r:1", "r")],
        prompts: vec![Prompt::new("p")],
        offers: |offered| offered.insert(Capabilities::COMPLETIONS),
        read: |_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).keep("state")),
        prompt: |_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).keep("state")),
        resume: |_, resumed, reply| {
            Ok(match resumed.answer("k") {
                Some(_) => reply.text("done"),
                None => reply.ask("k", &InputRequest::Roots).keep("state"),
            })
        },
        ..App::of_tool(|_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).keep("state")))
    }
}

/// The result that asks, to this request of a client with these capabilities.
fn asked(method: &str, members: &str, capabilities: &str) -> Value {
    let mut server = Hosted::new(asking());
    json(&answer(&mut server, &modern_of("1", method, members, capabilities)))["result"].clone()
}

/// 44 R5 (N) InputRequiredResult for anything but `tools/call`, `prompts/get`, `resources/read`.
#[test]
fn r44_only_three_methods_ask() {
    let methods = Method::all().filter(|method| !method.is_notification());
    let mut asks = Vec::new();
    for method in methods {
        let members = r#""name":"t","uri":"r:1","taskId":"x","notifications":{},"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}"#;
        let members = match method {
            Method::PromptsGet => members.replace(r#""name":"t""#, r#""name":"p""#),
            _ => members.to_string(),
        };
        if asked(method.name(), &members, ROOTS)["resultType"] == "input_required" {
            asks.push(method.name());
        }
    }
    assert_eq!(asks, ["tools/call", "resources/read", "prompts/get"]);
}

/// 45 R5 (M) InputRequiredResult has `inputRequests` or `requestState`; client treats one with neither as invalid.
#[test]
fn r45_a_result_that_asks_says_what() {
    for (method, members) in ASKING {
        let result = asked(method, members, ROOTS);
        assert_eq!(result["resultType"], "input_required", "{method}");
        assert_eq!(result["inputRequests"].as_object().map(serde_json::Map::len), Some(1));
        assert_eq!(result["requestState"], "state");
    }
}

/// 46 R5 (N) inputRequests of a kind or mode the client did not declare.
#[test]
fn r46_what_was_not_declared_is_not_asked() {
    for (tool, capabilities) in [
        ("set_limit", "{}"),
        ("set_limit", r#"{"sampling":{},"roots":{}}"#),
        // The tool asks in a form.
        ("set_limit", r#"{"elicitation":{"url":{}}}"#),
        ("summarize", r#"{"elicitation":{},"roots":{}}"#),
        ("list_roots", r#"{"elicitation":{},"sampling":{}}"#),
    ] {
        let members = format!(r#""name":"{tool}","arguments":{}"#, arguments_of(tool));
        let line = modern_of("1", "tools/call", &members, capabilities);
        assert_eq!(code(&answer(&mut demo(), &line)), Some(-32021), "{tool} {capabilities}");
    }
    // What another request declares, or the legacy session, does not count.
    let mut server = demo();
    answer(&mut server, &initialize_with("2025-11-25", ROOTS));
    let line = |capabilities| modern_of("1", "tools/call", r#""name":"list_roots""#, capabilities);
    assert_eq!(code(&answer(&mut server, &line(ROOTS))), None);
    assert_eq!(code(&answer(&mut server, &line("{}"))), Some(-32021));
}

fn arguments_of(tool: &str) -> &'static str {
    match tool {
        "set_limit" => r#"{"max":3}"#,
        "summarize" => r#"{"text":"x"}"#,
        _ => "{}",
    }
}

/// 47 R5 inputRequests values have `method` and params but no `id`/`jsonrpc`.
#[test]
fn r47_a_question_in_a_result_has_no_envelope() {
    let all = r#"{"elicitation":{},"sampling":{},"roots":{}}"#;
    for (tool, key, method) in [
        ("set_limit", "sure", "elicitation/create"),
        ("summarize", "summary", "sampling/createMessage"),
        ("list_roots", "roots", "roots/list"),
    ] {
        let members = format!(r#""name":"{tool}","arguments":{}"#, arguments_of(tool));
        let found = json(&answer(&mut demo(), &modern_of("1", "tools/call", &members, all)));
        let question = found["result"]["inputRequests"][key].as_object().expect("a question").clone();
        assert_eq!(question["method"], method);
        let names: Vec<&str> = question.keys().map(String::as_str).collect();
        let has_params = tool != "list_roots";
        assert_eq!(names.len(), 1 + usize::from(has_params), "{names:?}");
        assert_eq!(question.get("params").is_some_and(Value::is_object), has_params);
        // Nor metadata, which only requests have.
        assert!(question.get("params").is_none_or(|params| params.get("_meta").is_none()));
    }
}

/// 50 R5 (S) unknown inputResponses keys are ignored; missing ones lead to a new input_required.
#[test]
fn r50_what_is_missing_is_asked_again() {
    for (responses, wanted) in [
        (r#""inputResponses":{"k":{"roots":[]},"x":{},"K":7}"#, "complete"),
        (r#""inputResponses":{"x":{}}"#, "input_required"),
        (r#""inputResponses":{}"#, "input_required"),
    ] {
        let members = format!(r#""name":"t","requestState":"state",{responses}"#);
        assert_eq!(asked("tools/call", &members, ROOTS)["resultType"], wanted, "{responses}");
    }
    let again = asked("tools/call", r#""name":"t","requestState":"state""#, ROOTS);
    assert_eq!(again, asked("tools/call", r#""name":"t""#, ROOTS));
}

/// 51 R5 (M) cache members on the six cacheable complete results with `ttlMs >= 0`.
#[test]
fn r51_cache_hints_on_six_results_and_no_others() {
    let cacheable = [
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
    ];
    let mut seen = BTreeSet::new();
    for ((method, _), line) in DEMO_REQUESTS.iter().zip(answers(ProtocolVersion::V2026_07_28)) {
        let answer = json(&line);
        if let Some(result) = answer.get("result") {
            let has_hints = result["ttlMs"].is_u64() && result["cacheScope"].is_string();
            assert_eq!(has_hints, cacheable.contains(method), "{line}");
            assert_eq!(result.get("ttlMs").is_some(), result.get("cacheScope").is_some());
            if has_hints {
                seen.insert(*method);
            }
        }
    }
    assert_eq!(seen.len(), cacheable.len());
}

/// 52 R5 `cacheScope` is exactly `public` or `private`.
#[test]
fn r52_the_scope_of_a_cache() {
    for result in results(ProtocolVersion::V2026_07_28) {
        if let Some(scope) = result.get("cacheScope") {
            assert!(*scope == "public" || *scope == "private");
        }
    }
}

// Streams.

/// 53 R5 (M) acknowledged is the first message with that subscriptionId and comes before any event.
#[test]
fn r53_the_acknowledgement_comes_first() {
    let mut server = Hosted::new(changing());
    assert_eq!(all_changes(&mut server), "");
    let first = answer(&mut server, &listen("1", r#""toolsListChanged":true"#));
    let first = json(&first);
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(first["params"]["_meta"][SUBSCRIPTION_ID], 1);
    assert!(all_changes(&mut server).contains("list_changed"));
}

/// 54 R5 (M) acknowledged holds only kinds that were asked for and are supported.
#[test]
fn r54_only_what_is_asked_for_and_supported_is_acknowledged() {
    let mut server = Hosted::new(changing());
    for (asked, acknowledged) in [
        ("", "{}"),
        (r#""toolsListChanged":true"#, r#"{"toolsListChanged":true}"#),
        (
            r#""toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"taskIds":["1"]"#,
            r#"{"toolsListChanged":true}"#,
        ),
        (
            r#""toolsListChanged":false,"resourceSubscriptions":["r:1"]"#,
            r#"{"resourceSubscriptions":["r:1"]}"#,
        ),
    ] {
        let line = json(&answer(&mut server, &listen("1", asked)));
        assert_eq!(line["params"]["notifications"].to_string(), acknowledged);
        answer(&mut server, &cancel("1"));
    }
}

/// 55 R5 (N) an event kind or resource URI that was not asked for; (N) change notifications outside a subscription.
#[test]
fn r55_nothing_is_told_that_was_not_asked_for() {
    let mut server = Hosted::new(changing());
    answer(&mut server, &modern("1", "tools/list", ""));
    assert_eq!(all_changes(&mut server), "");
    answer(&mut server, &listen("1", r#""resourceSubscriptions":["r:2"]"#));
    let lines = all_changes(&mut server);
    assert_eq!(lines.lines().count(), 1);
    assert_eq!(json(&lines)["params"]["uri"], "r:2");
}

/// 56 R5 (M) every listen notification carries `subscriptionId` with the type of the request id; two matching
/// subscriptions get one copy each.
#[test]
fn r56_each_copy_carries_its_subscription() {
    let mut server = Hosted::new(changing());
    for id in ["7", r#""7""#] {
        answer(&mut server, &listen(id, r#""toolsListChanged":true"#));
    }
    let lines = all_changes(&mut server);
    let ids: Vec<String> = lines
        .lines()
        .map(|line| json(&format!("{line}\n"))["params"]["_meta"][SUBSCRIPTION_ID].to_string())
        .collect();
    assert_eq!(ids, ["7", r#""7""#]);
}

/// 57 R5 `subscriptions/listen` without `notifications`: -32602.
#[test]
fn r57_a_stream_says_what_it_wants() {
    assert_eq!(
        answer(&mut demo(), &modern("1", "subscriptions/listen", "")),
        error("1", -32602, "Invalid params")
    );
}

/// 58 R5 after client `cancelled` of a listen id nothing more with that id appears, no response either.
#[test]
fn r58_a_cancelled_stream_is_over() {
    let mut server = Hosted::new(changing());
    answer(&mut server, &listen("1", r#""toolsListChanged":true,"resourceSubscriptions":["r:1"]"#));
    assert_eq!(answer(&mut server, &cancel("1")), "");
    assert_eq!(all_changes(&mut server), "");
    assert_eq!(
        written(&mut server, 512, |server, out| server.end_streams(out)),
        (String::new(), Status::Done)
    );
}

/// 59 R5 (S) server-side end sends the listen response with `_meta.subscriptionId` equal to its id.
#[test]
fn r59_a_stream_that_the_server_ends_has_a_response() {
    for id in ["1", r#""a\u0062""#] {
        let mut server = Hosted::new(changing());
        answer(&mut server, &listen(id, ""));
        let (line, _) = written(&mut server, 512, |server, out| server.end_streams(out));
        assert!(
            line.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","#))
        );
        assert!(line.contains(&format!("\"{SUBSCRIPTION_ID}\":{id}}}")), "{line}");
    }
}

/// 60 R5 (N) server sends `cancelled` for anything but a listen request.
#[test]
fn r60_the_server_cancels_nothing() {
    let mut server = Hosted::new(changing());
    let mut lines = answer(&mut server, &modern("1", "tools/call", r#""name":"t""#));
    lines += &answer(&mut server, &modern("2", "tools/call", r#""name":"t""#));
    lines += &answer(&mut server, &listen("3", ""));
    lines += &answer(&mut server, &cancel("1"));
    lines += &complete(&mut server, 1);
    lines += &written(&mut server, 512, |server, out| server.end_streams(out)).0;
    server.reset();
    assert_eq!(lines.lines().count(), 3);
    assert!(!lines.contains("notifications/cancelled"));
}

/// 61 R5 (N) progress or log messages tagged as listen traffic.
#[test]
fn r61_progress_and_logs_belong_to_no_stream() {
    let mut server = Hosted::new(changing());
    answer(&mut server, &listen("1", r#""toolsListChanged":true"#));
    let meta = r#""progressToken":1,"io.modelcontextprotocol/logLevel":"debug""#;
    answer(&mut server, &modern_with("2", "tools/call", r#""name":"t""#, meta));
    let token = server.handler().log.tokens[0];
    let (progress, _) =
        written(&mut server, 512, |server, out| server.progress(token, Progress::new(1), out));
    let (log, _) =
        written(&mut server, 512, |server, out| server.log_for(token, LoggingLevel::Error, None, "x", out));
    for line in [progress, log] {
        assert!(!line.is_empty() && !line.contains(SUBSCRIPTION_ID), "{line}");
    }
}

// Utilities.

/// 62 R5 (N) `notifications/message` for a request without `logLevel`, below the level, or after its response.
#[test]
fn r62_log_messages_of_a_modern_request() {
    let mut server = Hosted::new(changing());
    answer(&mut server, &modern("1", "tools/call", r#""name":"t""#));
    let meta = r#""io.modelcontextprotocol/logLevel":"warning""#;
    answer(&mut server, &modern_with("2", "tools/call", r#""name":"t""#, meta));
    let [without, with] = server.handler().log.tokens[..] else { panic!("two calls") };
    let mut log = |token, level| {
        written(&mut server, 512, |server, out| server.log_for(token, level, None, "x", out)).0
    };
    assert_eq!(log(without, LoggingLevel::Emergency), "");
    assert_eq!(log(with, LoggingLevel::Notice), "");
    assert!(log(with, LoggingLevel::Warning).contains(r#""level":"warning""#));
    complete(&mut server, 1);
    let (line, _) = written(&mut server, 512, |server, out| {
        server.log_for(with, LoggingLevel::Emergency, None, "x", out)
    });
    assert_eq!(line, "");
}

/// 63 L `logging/setLevel` result is `{}`; later messages below the level are not sent; bad level -32602.
#[test]
fn r63_the_level_of_a_session() {
    for version in LEGACY {
        let mut server = Hosted::new(changing());
        answer(&mut server, &initialize(version.as_str()));
        assert_eq!(
            answer(&mut server, &request("1", "logging/setLevel", r#"{"level":"error"}"#)),
            result("1", "")
        );
        for (level, is_sent) in [(LoggingLevel::Warning, false), (LoggingLevel::Error, true)] {
            let (line, _) = written(&mut server, 512, |server, out| server.log(level, None, "x", out));
            assert_eq!(!line.is_empty(), is_sent);
        }
        let bad = request("1", "logging/setLevel", r#"{"level":"loud"}"#);
        assert_eq!(answer(&mut server, &bad), error("1", -32602, "Invalid params"));
    }
}

/// 64 R* (N) progress without a token given by the peer, for a finished request, or not increasing.
#[test]
fn r64_progress_is_asked_for_and_goes_up() {
    let mut server = Hosted::new(App::deferring());
    answer(&mut server, &call("1"));
    answer(&mut server, &request("2", "tools/call", r#"{"name":"t","_meta":{"progressToken":5}}"#));
    let [without, with] = server.handler().log.tokens[..] else { panic!("two calls") };
    let mut report = |token, progress| {
        written(&mut server, 512, |server, out| server.progress(token, Progress::new(progress), out)).0
    };
    assert_eq!(report(without, 1), "");
    assert!(!report(with, 1).is_empty());
    for progress in [1, 0, -1] {
        assert_eq!(report(with, progress), "");
    }
    assert!(!report(with, 2).is_empty());
    complete(&mut server, 1);
    let (line, _) = written(&mut server, 512, |server, out| server.progress(with, Progress::new(3), out));
    assert_eq!(line, "");
}

/// 65 R* progress token keeps its JSON type.
#[test]
fn r65_a_progress_token_keeps_its_type() {
    for token in ["5", r#""5""#, r#""""#, "123456789012345678901234567890", r#""\u0061""#] {
        let mut server = Hosted::new(App::deferring());
        let params = format!(r#"{{"name":"t","_meta":{{"progressToken":{token}}}}}"#);
        answer(&mut server, &request("1", "tools/call", &params));
        let call = server.handler().log.tokens[0];
        let (line, _) = written(&mut server, 512, |server, out| server.progress(call, Progress::new(1), out));
        assert!(line.contains(&format!(r#""progressToken":{token},"#)), "{line}");
    }
}

/// 66 R* `cancelled` for an unknown or finished id, or malformed, is ignored silently.
#[test]
fn r66_a_cancellation_of_nothing_is_ignored() {
    let mut server = Hosted::new(App::deferring());
    answer(&mut server, &call("1"));
    answer(&mut server, &call("2"));
    complete(&mut server, 0);
    for id in ["1", "7", r#""2""#, "null", "2.0", "[2]"] {
        assert_eq!(answer(&mut server, &cancel(id)), "");
    }
    assert_eq!(answer(&mut server, r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#), "");
    assert_eq!(server.in_flight(), 1);
    assert_eq!(complete(&mut server, 1), text("2", "done", false));
}

/// 67 R* (S) no response after an honoured cancellation; R5 stdio (N) any further message for it.
#[test]
fn r67_a_cancelled_request_is_over() {
    for line in [
        request("1", "tools/call", r#"{"name":"t","_meta":{"progressToken":5}}"#),
        modern_with(
            "1",
            "tools/call",
            r#""name":"t""#,
            r#""progressToken":5,"io.modelcontextprotocol/logLevel":"debug""#,
        ),
    ] {
        let mut server = Hosted::new(changing());
        answer(&mut server, &line);
        assert_eq!(answer(&mut server, &cancel("1")), "");
        let token = server.handler().log.tokens[0];
        let (lines, ()) = written(&mut server, 512, |server, out| {
            assert!(server.progress(token, Progress::new(1), out).is_err());
            assert!(server.log_for(token, LoggingLevel::Error, None, "x", out).is_err());
            assert!(server.complete_tool(token, out, |content| Ok(content.done())).is_err());
        });
        assert_eq!(lines, "");
    }
}

/// 69 R* cursor is opaque; missing `nextCursor` ends.
#[test]
fn r69_a_list_ends_where_no_cursor_is() {
    for is_modern in [false, true] {
        let mut server = demo();
        let mut names = Vec::new();
        let mut cursor = None;
        loop {
            let members = cursor.map_or(String::new(), |cursor| format!(r#""cursor":{cursor}"#));
            let line = match is_modern {
                true => modern("1", "tools/list", &members),
                false => request("1", "tools/list", &format!("{{{members}}}")),
            };
            let (page, _) =
                written(&mut server, 700, |server, out| server.handle_frame(line.as_bytes(), out));
            let page = json(&page)["result"].clone();
            names
                .extend(page["tools"].as_array().expect("tools").iter().map(|tool| tool["name"].to_string()));
            cursor = page.get("nextCursor").cloned();
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(names.len(), barewire::demo::TOOLS.len());
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}

/// 70 R* (S) bad cursor gives -32602.
#[test]
fn r70_a_bad_cursor() {
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        for cursor in
            [r#""x""#, r#""""#, r#""0""#, r#""99""#, r#""99999999999999999999""#, r#""1 ""#, "1", "{}"]
        {
            let invalid = error("1", -32602, "Invalid cursor");
            let members = format!(r#""cursor":{cursor}"#);
            assert_eq!(answer(&mut demo(), &request("1", method, &format!("{{{members}}}"))), invalid);
            assert_eq!(answer(&mut demo(), &modern("1", method, &members)), invalid, "{method} {cursor}");
        }
    }
}

// Tools.

/// 71 R* unknown tool -32602; no or non-string `name` -32602; non-object `arguments` -32602.
#[test]
fn r71_a_call_of_no_tool() {
    for members in [
        r#""name":"nope""#,
        r#""name":"ECHO""#,
        "",
        r#""name":7"#,
        r#""name":null"#,
        r#""name":"echo","arguments":[]"#,
        r#""name":"echo","arguments":"x""#,
        r#""name":"echo","arguments":1"#,
    ] {
        assert_eq!(
            code(&answer(&mut demo(), &modern("1", "tools/call", members))),
            Some(-32602),
            "{members}"
        );
        for version in LEGACY {
            let line = request("1", "tools/call", &format!("{{{members}}}"));
            assert_eq!(code(&answer(&mut demo_in(version), &line)), Some(-32602), "{members}");
        }
    }
}

/// 72 R4-R5 tool input validation failure is a result with `isError:true`, not an error response.
#[test]
fn r72_wrong_arguments_are_a_tool_error() {
    let members = r#""name":"add","arguments":{"a":"2","b":3}"#;
    for line in [request("1", "tools/call", &format!("{{{members}}}")), modern("1", "tools/call", members)] {
        let answer = json(&answer(&mut demo(), &line));
        assert_eq!(answer["result"]["isError"], true);
        assert_eq!(answer["result"]["content"][0]["text"], "Invalid arguments for add");
    }
}

/// 73 R* tool result always has a `content` array, also when `structuredContent` is present.
#[test]
fn r73_content_is_always_there() {
    for version in ProtocolVersion::ALL {
        for ((method, _), line) in DEMO_REQUESTS.iter().zip(answers(version)) {
            if *method == "tools/call"
                && let Some(result) = json(&line).get("result")
            {
                assert!(result["content"].as_array().is_some_and(|content| !content.is_empty()), "{line}");
                assert!(result["isError"].is_boolean());
            }
        }
    }
    let mut server = Hosted::new(App::of_tool(|_, _, reply| Ok(reply.content().done())));
    assert_eq!(answer(&mut server, &call("1")), result("1", r#""content":[],"isError":false"#));
}

/// 74 R3-R4 `structuredContent` is an object; R1-R2 absent.
#[test]
fn r74_structured_content_is_an_object_where_it_is_known() {
    for version in LEGACY {
        let line = request("1", "tools/call", r#"{"name":"measure"}"#);
        let result = json(&answer(&mut demo_in(version), &line))["result"].clone();
        let is_known = version >= ProtocolVersion::V2025_06_18;
        assert_eq!(result.get("structuredContent").is_some_and(Value::is_object), is_known);
        assert_eq!(result.get("structuredContent").is_some(), is_known);
    }
    let modern = json(&answer(&mut demo(), &modern("1", "tools/call", r#""name":"measure""#)));
    assert!(modern["result"]["structuredContent"].is_object());
}

/// 75 R* `inputSchema` is an object with `type:"object"`.
#[test]
fn r75_every_input_schema_is_of_an_object() {
    for version in ProtocolVersion::ALL {
        for line in answers(version) {
            if let Some(tools) = json(&line)["result"]["tools"].as_array() {
                assert!(tools.iter().all(|tool| tool["inputSchema"]["type"] == "object"), "{line}");
            }
        }
    }
}

/// 76 R3+ (M) with `outputSchema` the structured result conforms.
#[test]
fn r76_structured_content_conforms_to_its_schema() {
    let list = json(&answer(&mut demo(), &request("1", "tools/list", "")));
    let tools = list["result"]["tools"].as_array().expect("tools");
    let with_schema: Vec<&Value> = tools.iter().filter(|tool| tool.get("outputSchema").is_some()).collect();
    assert_eq!(with_schema.len(), 1);
    assert_eq!(
        with_schema[0]["outputSchema"].to_string(),
        r#"{"properties":{"unit":{"type":"string"},"value":{"type":"number"}},"required":["value","unit"],"type":"object"}"#
    );
    for arguments in ["{}", r#"{"unit":"celsius"}"#, r#"{"unit":"kelvin"}"#] {
        let line = request("1", "tools/call", &format!(r#"{{"name":"measure","arguments":{arguments}}}"#));
        let content = json(&answer(&mut demo(), &line))["result"]["structuredContent"].clone();
        assert!(content["value"].is_number() && content["unit"].is_string());
        let text = json(&answer(&mut demo(), &line))["result"]["content"][0]["text"].clone();
        assert_eq!(serde_json::from_str::<Value>(text.as_str().expect("a text")).ok(), Some(content));
    }
}

// Prompts, resources, completion.

/// 77 R* unknown prompt or missing required argument -32602.
#[test]
fn r77_a_prompt_that_cannot_be_had() {
    for members in
        [r#""name":"nope""#, r#""name":"greet""#, r#""name":"greet","arguments":{"language":"greek"}"#]
    {
        let line = request("1", "prompts/get", &format!("{{{members}}}"));
        assert_eq!(code(&answer(&mut demo(), &line)), Some(-32602), "{members}");
        assert_eq!(code(&answer(&mut demo(), &modern("1", "prompts/get", members))), Some(-32602));
    }
}

/// 78 unknown resource: legacy -32002 without data; R5 (M) -32602 with `data.uri`, (N) -32002, (N) empty `contents`.
#[test]
fn r78_a_resource_that_is_not_there() {
    for version in LEGACY {
        let line = request("1", "resources/read", r#"{"uri":"no:such"}"#);
        assert_eq!(answer(&mut demo_in(version), &line), error("1", -32002, "Resource not found"));
    }
    assert_eq!(
        answer(&mut demo(), &modern("1", "resources/read", r#""uri":"no:such""#)),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"Resource not found\",\"data\":{\"uri\":\"no:such\"}}}\n"
    );
    // Nor can an application say it.
    let app = App::of_tool(|_, _, _| {
        Err(CallError::Refused { code: ErrorCode::RESOURCE_NOT_FOUND, message: "No such file", data: None })
    });
    let mut server = Hosted::new(app);
    assert_eq!(answer(&mut server, &call("1")), error("1", -32002, "No such file"));
    assert_eq!(
        answer(&mut server, &modern("1", "tools/call", r#""name":"t""#)),
        error("1", -32602, "No such file")
    );
}

/// 79 R* completion returns at most 100 values.
#[test]
fn r79_a_completion_has_at_most_a_hundred_values() {
    let mut server = Hosted::new(App {
        offers: |offered| offered.insert(Capabilities::COMPLETIONS),
        complete: |_, _, reply| Ok(reply.all(["x"; 101])),
        ..App::new()
    });
    let members = r#""ref":{"type":"ref/resource","uri":"x"},"argument":{"name":"a","value":""}"#;
    for line in [
        request("1", "completion/complete", &format!("{{{members}}}")),
        modern("1", "completion/complete", members),
    ] {
        let answer = json(&answer(&mut server, &line));
        let completion = &answer["result"]["completion"];
        assert_eq!(completion["values"].as_array().map(Vec::len), Some(100));
        assert_eq!(completion["hasMore"], true);
    }
}

/// 82 R* blob and image/audio data are valid base64.
#[test]
fn r82_bytes_are_base64() {
    let read = json(&answer(&mut demo(), &request("1", "resources/read", r#"{"uri":"demo://pixel.png"}"#)));
    let call = json(&answer(&mut demo(), &request("1", "tools/call", r#"{"name":"pixel"}"#)));
    let blob = read["result"]["contents"][0]["blob"].as_str().expect("a blob").to_string();
    assert_eq!(call["result"]["content"][0]["data"], blob);
    let bytes = decoded(&blob);
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1A\n") && bytes.len() == 68);
}

/// Strict base64 with padding, written from RFC 4648 alone.
fn decoded(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    assert_eq!(text.len() % 4, 0);
    let padding = text.len() - text.trim_end_matches('=').len();
    assert!(padding <= 2);
    let mut bytes = Vec::new();
    for group in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0u32;
        for at in 0..4 {
            let letter = group.get(at).map_or(0, |letter| {
                LETTERS.iter().position(|known| known == letter).expect("a letter of base64")
            });
            bits = bits << 6 | letter as u32;
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    bytes
}

/// 83 R5 (N) codes in -32020..-32099 other than the three; (S) none in -32000..-32019.
#[test]
fn r83_codes_of_the_modern_era() {
    let unknown = MODERN.replace("2026-07-28", "x");
    let more = [
        answer(&mut demo(), &request("1", "tools/list", &format!(r#"{{"_meta":{{{unknown}}}}}"#))),
        answer(&mut demo(), &modern("1", "tools/call", r#""name":"slow""#)),
        answer(&mut demo(), "not-json"),
    ];
    let codes: BTreeSet<i64> =
        answers(ProtocolVersion::V2026_07_28).iter().chain(&more).filter_map(|line| code(line)).collect();
    assert!(codes.len() >= 4);
    for code in codes {
        assert!(!(-32099..=-32000).contains(&code) || [-32020, -32021, -32022].contains(&code), "{code}");
    }
}

// Both eras.

/// 81 R4 -32042 only for URL elicitation, with `data.elicitations`; R5 (N).
#[test]
fn r81_an_error_of_one_revision() {
    const DATA: &[u8] =
        br#"{"elicitations":[{"mode":"url","elicitationId":"e","message":"m","url":"https://e/"}]}"#;
    let app = || {
        App::of_tool(|_, _, _| {
            Err(CallError::Refused {
                code: ErrorCode::URL_ELICITATION_REQUIRED,
                message: "Go there first",
                data: RawValue::new(DATA).ok(),
            })
        })
    };
    for version in ProtocolVersion::ALL {
        let mut server = Hosted::new(app());
        let line = match version {
            ProtocolVersion::V2026_07_28 => modern("1", "tools/call", r#""name":"t""#),
            _ => {
                answer(&mut server, &initialize(version.as_str()));
                call("1")
            }
        };
        let found = answer(&mut server, &line);
        if version == ProtocolVersion::V2025_11_25 {
            let found = json(&found)["error"].clone();
            assert_eq!((&found["code"], &found["message"]), (&(-32042).into(), &"Go there first".into()));
            assert_eq!(found["data"]["elicitations"][0]["mode"], "url");
        } else {
            assert_eq!(found, error("1", -32603, "Internal error"), "{version}");
        }
    }
}

/// 84 dual: `initialize` without modern `_meta` starts a legacy session; requests with it are served per R5, also in the
/// same process.
#[test]
fn r84_both_eras_in_one_process() {
    let mut server = demo_in(ProtocolVersion::V2024_11_05);
    assert_eq!(server.session(), Some(ProtocolVersion::V2024_11_05));
    for _ in 0..2 {
        let modern = json(&answer(&mut server, &modern("1", "tools/list", "")));
        assert_eq!(modern["result"]["resultType"], "complete");
        let legacy = json(&answer(&mut server, &request("1", "tools/list", "")));
        assert!(legacy["result"].get("resultType").is_none());
        assert!(legacy["result"]["tools"][0].get("annotations").is_none(), "of 2024-11-05");
    }
}

/// 85 dual `server/discover` first, then `initialize`, works.
#[test]
fn r85_initialize_after_discover() {
    let mut server = demo();
    assert!(json(&answer(&mut server, &modern("1", "server/discover", ""))).get("result").is_some());
    assert!(json(&answer(&mut server, &initialize("2025-06-18"))).get("result").is_some());
    assert_eq!(server.session(), Some(ProtocolVersion::V2025_06_18));
}

/// 86 dual (N) a malformed modern `_meta` is treated as legacy.
#[test]
fn r86_malformed_metadata_is_never_legacy() {
    let mut server = demo_in(ProtocolVersion::V2025_11_25);
    for meta in [
        r#"{"io.modelcontextprotocol/protocolVersion":7}"#,
        r#"{"io.modelcontextprotocol/protocolVersion":null}"#,
        r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#,
        r#"{"io.modelcontextprotocol\/clientCapabilities":7,"progressToken":1}"#,
    ] {
        for method in ["ping", "tools/list", "initialize"] {
            let line = request("1", method, &format!(r#"{{"_meta":{meta}}}"#));
            assert_eq!(answer(&mut server, &line), error("1", -32602, "Invalid params"), "{line}");
        }
    }
}

/// 89 R5-only server (S) names its versions in the error to `initialize`.
#[test]
fn r89_a_modern_server_says_what_it_speaks() {
    for version in LEGACY {
        let storage = Fixed::<ModernOnly>::new();
        let mut server = Hosted::of(Server::with_storage(storage), Demo::new(NoHost));
        let found = json(&answer(&mut server, &initialize(version.as_str())));
        assert_eq!(found["error"]["code"], -32022);
        assert_eq!(found["error"]["data"]["supported"], serde_json::json!(["2026-07-28"]));
        assert_eq!(found["error"]["data"]["requested"], version.as_str());
    }
}

/// 90 R4 task rules: `{task}` answer only if asked by `task`; terminal states final; `tasks/result` carries related-task.
#[test]
fn r90_tasks_of_2025_11_25() {
    let mut server = Hosted::new(App::of_tasks());
    answer(&mut server, &initialize("2025-11-25"));
    let call_of =
        |tool: &str, task: &str| request("1", "tools/call", &format!(r#"{{"name":"{tool}"{task}}}"#));
    for tool in ["optional", "required", "never"] {
        let found = json(&answer(&mut server, &call_of(tool, "")));
        assert!(found["result"].get("task").is_none(), "{tool}");
    }
    let found = json(&answer(&mut server, &call_of("required", r#","task":{}"#)));
    let id = found["result"]["task"]["taskId"].as_str().expect("a task").to_string();
    let about = |method: &str| request("2", method, &format!(r#"{{"taskId":"{id}"}}"#));
    let token = server.handler().log.tasks[0];
    let (_, finished) =
        written(&mut server, 512, |server, out| server.finish_task(token, TaskEnd::Completed, out));
    assert_eq!(finished, Ok(Status::Done));
    assert_eq!(code(&answer(&mut server, &about("tasks/cancel"))), Some(-32602));
    let (_, again) = written(&mut server, 512, |server, out| server.finish_task(token, TaskEnd::Error, out));
    assert!(again.is_err());
    assert_eq!(json(&answer(&mut server, &about("tasks/get")))["result"]["status"], "completed");
    let found = json(&answer(&mut server, &about("tasks/result")));
    assert_eq!(
        found["result"]["_meta"]["io.modelcontextprotocol/related-task"],
        serde_json::json!({ "taskId": id })
    );
    assert_eq!(found["result"]["content"][0]["text"], "the result");
}

/// 91 R5 ext (N) `resultType:"task"` without the extension in this request; (M) `tasks/get` result says complete.
#[test]
fn r91_tasks_of_the_extension() {
    let extension = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
    let mut server = Hosted::new(App::of_tasks());
    let call_as = |capabilities: &str| modern_of("1", "tools/call", r#""name":"optional""#, capabilities);
    let found = json(&answer(&mut server, &call_as(extension)));
    assert_eq!(found["result"]["resultType"], "task");
    let found_without = json(&answer(&mut server, &call_as("{}")));
    assert_eq!(found_without["result"]["resultType"], "complete");
    let members = format!(r#""taskId":{}"#, found["result"]["taskId"]);
    let token = server.handler().log.tasks[0];
    for end in [false, true] {
        if end {
            let (_, status) =
                written(&mut server, 512, |server, out| server.finish_task(token, TaskEnd::Completed, out));
            assert_eq!(status, Ok(Status::Done));
        }
        let found = json(&answer(&mut server, &modern_of("1", "tasks/get", &members, extension)));
        assert_eq!(found["result"]["resultType"], "complete");
        assert_eq!(found["result"].get("result").is_some(), end);
    }
}

/// 92 R5 (S), L server exits promptly at stdin EOF.
#[cfg(feature = "std")]
#[test]
fn r92_the_loop_ends_with_its_input() {
    use barewire::transport::Stdio;
    use std::time::{Duration, Instant};

    let start = Instant::now();
    for input in ["", "\n", &request("1", "ping", "")] {
        let outcome = Stdio::new().serve_on(Demo::new(NoHost), input.as_bytes(), std::io::sink());
        assert!(outcome.is_ok());
    }
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// 93 R3+ `_meta` key grammar of section 3 holds for emitted keys.
#[test]
fn r93_keys_of_emitted_metadata() {
    let mut keys = BTreeSet::new();
    let mut server = Hosted::new(changing());
    let mut lines = answer(&mut server, &listen("1", r#""toolsListChanged":true"#));
    lines += &all_changes(&mut server);
    lines += &written(&mut server, 512, |server, out| server.end_streams(out)).0;
    for line in lines.split_inclusive('\n').map(str::to_string).chain(answers(ProtocolVersion::V2026_07_28)) {
        collect_meta_keys(&json(&line), &mut keys);
    }
    assert_eq!(keys, [SERVER_INFO, SUBSCRIPTION_ID].map(str::to_string).into());
    assert!(keys.iter().all(|key| is_meta_key(key)));
    for bad in ["/a", "a//b", "1a/b", "a-/b", "a/", "a/-b", "a b", "a/b_"] {
        assert_eq!(is_meta_key(bad), bad == "a/", "{bad}");
    }
}

fn collect_meta_keys(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if name == "_meta" {
                    keys.extend(value.as_object().expect("an object").keys().cloned());
                }
                collect_meta_keys(value, keys);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect_meta_keys(element, keys)),
        _ => {}
    }
}

/// An optional prefix of labels with dots, a slash, and a name that may be empty.
fn is_meta_key(key: &str) -> bool {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let is_label = |label: &str| {
        label.starts_with(|first: char| first.is_ascii_alphabetic())
            && label.ends_with(|last: char| last.is_ascii_alphanumeric())
            && label.chars().all(|character| character.is_ascii_alphanumeric() || character == '-')
    };
    let is_name = |name: &str| {
        name.is_empty()
            || (name.starts_with(|first: char| first.is_ascii_alphanumeric())
                && name.ends_with(|last: char| last.is_ascii_alphanumeric())
                && name
                    .chars()
                    .all(|character| character.is_ascii_alphanumeric() || "-_.".contains(character)))
    };
    prefix.is_none_or(|prefix| prefix.split('.').all(is_label)) && is_name(name)
}
