//! What comes in, and what it is to the requests in flight.

use core::time::Duration;

use barewire::bytes::{Framer, Sink};
use barewire::engine::Event;
use barewire::engine::client::{RequestError, RequestOptions, ResponseFault, Subscription};
use barewire::json::ErrorKind;
use barewire::mcp::{ClientCapabilities, ProtocolVersion};
use barewire::rpc::{Message, Reason, classify};

use crate::client_kit::{
    Host, HostClient, NOW, ask, client, connected, connected_with, event, feed, line, sent, show, unsent,
    written, written_and,
};

const MODERN: ProtocolVersion = ProtocolVersion::V2026_07_28;
const LEGACY: ProtocolVersion = ProtocolVersion::V2025_11_25;

/// A client of this revision that has called a tool, under the id 2.
fn calling(version: ProtocolVersion) -> HostClient {
    let mut client = connected(version);
    sent(&mut client, |client, out| client.call_tool(ask(), "t", out, |_| {}));
    client
}

fn result(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

#[test]
fn results_and_errors_of_both_layers() {
    let cases = [
        (
            result("2", r#"{"content":[],"isError":false}"#),
            r#"tools/call c: result {"content":[],"isError":false}"#,
        ),
        (result("2", "{}"), "tools/call c: result {}"),
        (
            result("2", r#"{"content":[],"isError":true}"#),
            r#"tools/call c: tool error {"content":[],"isError":true}"#,
        ),
        (
            result("2", r#"{"content":[],"isError":"true"}"#),
            r#"tools/call c: result {"content":[],"isError":"true"}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unknown tool","data":[1]}}"#
                .to_owned(),
            "tools/call c: protocol error -32602 Unknown tool [1]",
        ),
        (
            r#"{"jsonrpc":"2.0","error":{"code":7,"message":"x"},"id":2}"#.to_owned(),
            "tools/call c: protocol error 7 x",
        ),
    ];
    for version in ProtocolVersion::ALL {
        for (frame, expected) in &cases {
            let mut client = calling(version);
            assert_eq!(event(&mut client, frame), *expected);
            assert_eq!(client.in_flight(), 0);
            assert_eq!(event(&mut client, frame), "unmatched 2");
        }
    }
    // Only tools have `isError`.
    let mut client = connected(LEGACY);
    sent(&mut client, |client, out| client.list_tools(ask(), None, out));
    assert_eq!(
        event(&mut client, &result("2", r#"{"isError":true}"#)),
        r#"tools/list c: result {"isError":true}"#
    );
    // The result of a task is that of its call.
    sent(&mut client, |client, out| client.task_result(ask(), "t", out));
    assert_eq!(
        event(&mut client, &result("3", r#"{"isError":true}"#)),
        r#"tasks/result c: tool error {"isError":true}"#
    );
}

#[test]
fn ids_match_by_type_and_value() {
    let others = [r#""2""#, "3", "-2", "20", r#""""#];
    for id in others {
        let mut client = calling(LEGACY);
        assert_eq!(event(&mut client, &result(id, "{}")), format!("unmatched {id}"));
        assert_eq!(client.in_flight(), 1);
    }
    // Not an id at all, but one of ours is not named either.
    for id in ["2.0", "2e0"] {
        let mut client = calling(LEGACY);
        assert_eq!(event(&mut client, &result(id, "{}")), "rejected invalid-id");
        assert_eq!(client.in_flight(), 1);
    }
}

#[test]
fn responses_come_in_any_order() {
    let mut client = connected(LEGACY);
    for context in ["a", "b", "c", "d"] {
        sent(&mut client, |client, out| client.ping(RequestOptions::at(NOW).with_context(context), out));
    }
    for (id, context) in [("4", "c"), ("2", "a"), ("5", "d"), ("3", "b")] {
        assert_eq!(event(&mut client, &result(id, "{}")), format!("ping {context}: result {{}}"));
    }
}

#[test]
fn a_broken_response_ends_the_request_that_it_names() {
    let cases = [
        (r#"{"jsonrpc":"2.0","id":2,"result":null}"#, "ResultNotAnObject"),
        (r#"{"jsonrpc":"2.0","id":2,"result":[]}"#, "ResultNotAnObject"),
        (r#"{"jsonrpc":"2.0","id":2,"error":"x"}"#, "ErrorNotAnObject"),
        (r#"{"jsonrpc":"2.0","id":2,"error":{"code":1}}"#, "InvalidErrorMessage"),
        (r#"{"jsonrpc":"2.0","id":2,"error":{"code":1.5,"message":""}}"#, "InvalidErrorCode"),
        (r#"{"jsonrpc":"2.0","id":2,"error":{"code":1,"code":1,"message":""}}"#, "RepeatedErrorMember"),
        (r#"{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":""}}"#, "ResultAndError"),
        (r#"{"jsonrpc":"2.0","id":2,"result":{},"result":{}}"#, "RepeatedMember"),
        (r#"{"jsonrpc":"2.0","\u0069d":2}"#, "NotAMessage"),
        (r#"{"id":2,"result":{}}"#, "MissingVersion"),
        (r#"{"jsonrpc":2.0,"id":2,"result":{}}"#, "WrongVersion"),
    ];
    for (frame, reason) in cases {
        let mut client = calling(LEGACY);
        assert_eq!(event(&mut client, frame), format!("tools/call c: invalid Envelope({reason})"), "{frame}");
        assert_eq!(client.in_flight(), 0);
    }
    let deep =
        format!(r#"{{"jsonrpc":"2.0","result":{{"a":{}{}}},"id":2}}"#, "[".repeat(200), "]".repeat(200));
    assert_eq!(event(&mut calling(LEGACY), &deep), "tools/call c: invalid Envelope(TooDeep)");
}

/// The id can still be read; otherwise the request would wait for its timeout.
#[test]
fn a_response_with_unreadable_characters_in_its_strings_ends_its_request_at_once() {
    let rows: &[(&str, &[u8], &str)] = &[
        (
            "a control character",
            b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"x\x1by\"}}",
            "ControlCharacter",
        ),
        (
            "a NUL, the id last",
            b"{\"jsonrpc\":\"2.0\",\"result\":{\"a\":\"\0\"},\"id\":2}",
            "ControlCharacter",
        ),
        (
            "a tab in a name",
            b"{\"jsonrpc\":\"2.0\",\"result\":{\"a\t\":[\"\"]},\"id\":2}",
            "ControlCharacter",
        ),
        (
            "two of them",
            b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":[\"\x01\",{\"b\":\"\x02\x03\"}]}}",
            "ControlCharacter",
        ),
        (
            "a carriage return",
            b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\r\"}}\r\n",
            "ControlCharacter",
        ),
        (
            "an error",
            b"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":1,\"message\":\"\x07\"}}",
            "ControlCharacter",
        ),
        ("a name in escapes", b"{\"\\u0069d\":2,\"r\\u0065sult\":\"\x7f\x01\"}", "ControlCharacter"),
        (
            "a byte that is not UTF-8",
            b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\xff\"}}",
            "InvalidUtf8",
        ),
        ("a cut character", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\xe2\x82\"}}", "InvalidUtf8"),
        ("Latin-1 in a name", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"caf\xe9\":1}}", "InvalidUtf8"),
        ("both", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\xff\x01\"}}", "InvalidUtf8"),
    ];
    for version in [LEGACY, MODERN] {
        for (name, frame, kind) in rows {
            let mut client = calling(version);
            let (text, event) =
                written_and(&mut client, |client, out| show(&client.handle_frame(frame, NOW, out)));
            assert_eq!(event, format!("tools/call c: invalid Envelope(NotJson({kind}))"), "{name}");
            assert_eq!((text.as_str(), client.in_flight()), ("", 0), "{name}");
        }
    }
    let sentence = ResponseFault::Envelope(Reason::NotJson(ErrorKind::ControlCharacter)).to_string();
    assert_eq!(sentence, "not a valid response: not-json, control character in string");
    // Too deep after such a character: either fault alone would end the request.
    let deep = ["[".repeat(200), "]".repeat(200)].concat();
    let frame = format!("{{\"a\":\"\u{1}\",\"result\":{deep},\"id\":2}}");
    assert_eq!(
        event(&mut calling(LEGACY), &frame),
        "tools/call c: invalid Envelope(NotJson(ControlCharacter))"
    );
}

#[test]
fn a_line_with_any_other_fault_ends_nothing() {
    let rows: &[(&str, &[u8])] = &[
        ("another request's id", b"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"a\":\"\x01\"}}"),
        ("an id that is not one", b"{\"jsonrpc\":\"2.0\",\"id\":2.0,\"result\":{\"a\":\"\x01\"}}"),
        ("an id with the character", b"{\"jsonrpc\":\"2.0\",\"id\":\"2\x01\",\"result\":{}}"),
        ("two ids", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\x01\"},\"id\":2}"),
        ("no result", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"x\":\"\x01\"}"),
        ("a request", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"x\",\"result\":\"\x01\"}"),
        ("an array", b"[{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\x01\"}}]"),
        ("a name that is nearly id", b"{\"jsonrpc\":\"2.0\",\"id\x01\":2,\"result\":{}}"),
        ("the character outside a string", b"{\"jsonrpc\":\"2.0\",\x01\"id\":2,\"result\":{}}"),
        ("the byte outside a string", b"{\"jsonrpc\":\"2.0\",\"id\":2,\xff\"result\":{}}"),
        ("the character in an escape", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\\\x01\"}}"),
        ("an invalid escape before", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\\x\x01\"}}"),
        ("a comma too many", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\x01\",}}"),
        ("a number that is not one", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\x01\",\"b\":01}}"),
        ("a bracket of the other kind", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\x01\"]}"),
        ("a cut line", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\x01"),
        ("a line cut at the end", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\x01\"}"),
        ("another value after it", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\x01\"}}{}"),
        ("the byte after it", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\x01\"}}\xff"),
        ("a NUL after it", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\x01\"}}\0"),
        ("a NUL at the end of a string", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\0"),
        ("a byte order mark", b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":\"\x01\"}}"),
    ];
    for (name, frame) in rows {
        let mut client = calling(LEGACY);
        let (text, event) =
            written_and(&mut client, |client, out| show(&client.handle_frame(frame, NOW, out)));
        assert!(event.starts_with("rejected"), "{name}: {event}");
        assert_eq!((text.as_str(), client.in_flight()), ("", 1), "{name}");
    }
}

/// Two lines without the newline between them: whichever came first, it is unknown which bytes were lost.
#[test]
fn an_oversized_response_with_something_after_it_ends_nothing() {
    let deep = ["[".repeat(200), "]".repeat(200)].concat();
    for after in ["{}", r#" {"id":1,"method":"x"}"#, "}", ",", "x", r#","id":2"#] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{deep}}}{after}"#);
        let mut client = calling(LEGACY);
        assert_eq!(event(&mut client, &frame), "rejected too-deep", "{after}");
        assert_eq!(client.in_flight(), 1);
        let mut framer = Framer::new([0; 64]);
        let (mut input, mut events) = (frame + "\n", Vec::new());
        let mut out = Sink::new(&mut []);
        while !input.is_empty() {
            input.drain(..framer.push(input.as_bytes()));
            while let Some(incoming) = client.receive(framer.next(), NOW, &mut out) {
                events.push(show(&incoming));
            }
        }
        assert_eq!(events.last().map(String::as_str), Some("rejected too-long"), "{after}");
        assert_eq!(client.in_flight(), 1);
    }
}

#[test]
fn garbage_ends_nothing_and_is_not_answered() {
    let cases = [
        ("garbage", "rejected not-json"),
        (r#"{"jsonrpc":"2.0","id":2,"result":{"#, "rejected not-json"),
        (r#"{"jsonrpc":"2.0","id":2,"result":{}} x"#, "rejected not-json"),
        (r#"{"jsonrpc":"2.0","id":2,"id":2,"result":{}}"#, "rejected repeated-member"),
        (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, "rejected invalid-id"),
        (r#"{"jsonrpc":"2.0","result":{}}"#, "rejected result-without-id"),
        (r#"{"jsonrpc":"2.0","id":9,"result":5}"#, "rejected result-not-an-object"),
        // A request of the server's may have any id.
        (r#"{"jsonrpc":"2.0","id":2,"method":5}"#, "rejected method-not-a-string"),
        (r#"{"jsonrpc":"2.0","id":2,"method":"x","params":[]}"#, "rejected params-not-an-object"),
        (r#"[{"jsonrpc":"2.0","id":2,"result":{}}]"#, "rejected batch"),
        ("[]", "rejected batch"),
        ("7", "rejected not-an-object"),
        ("{}", "rejected missing-version"),
        (r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#, "unmatched without id"),
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
            "unmatched without id",
        ),
        ("", "nothing"),
        (" \t\r\n", "nothing"),
    ];
    for version in [LEGACY, MODERN] {
        let mut calling = calling(version);
        for (frame, expected) in cases {
            assert_eq!(event(&mut calling, frame), expected, "{frame}");
        }
        assert_eq!(calling.in_flight(), 1);
    }
    for (frame, expected) in cases {
        assert_eq!(event(&mut client(), frame), expected, "{frame}");
    }
}

#[test]
fn a_line_that_is_too_long_ends_the_request_that_it_names() {
    let long = "x".repeat(300);
    let cases = [
        (
            format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"a":"{long}"}}}}"#),
            "tools/call c: invalid Envelope(TooLong)",
            0,
        ),
        (
            format!(r#"{{"result":{{"a":"{long}","id":3}},"jsonrpc":"2.0","id":2}}"#),
            "tools/call c: invalid Envelope(TooLong)",
            0,
        ),
        (format!(r#"{{"jsonrpc":"2.0","id":3,"result":{{"a":"{long}"}}}}"#), "rejected too-long", 1),
        (
            format!(r#"{{"jsonrpc":"2.0","id":2,"method":"x","params":{{"a":"{long}"}}}}"#),
            "rejected too-long",
            1,
        ),
        (format!("garbage {long}"), "rejected too-long", 1),
    ];
    for (frame, expected, left) in cases {
        let mut client = calling(LEGACY);
        let mut framer = Framer::new([0; 64]);
        let mut events = Vec::new();
        let stream = format!("{frame}\n{{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{{}}}}\n");
        let mut out = Sink::new(&mut []);
        for piece in stream.as_bytes().chunks(10) {
            let mut piece = piece;
            while !piece.is_empty() {
                let taken = framer.push(piece);
                piece = &piece[taken..];
                while let Some(incoming) = client.receive(framer.next(), NOW, &mut out) {
                    events.push(show(&incoming));
                }
            }
        }
        events.retain(|event| event != "nothing");
        assert_eq!(events, [expected, "unmatched 9"], "{frame}");
        assert_eq!(client.in_flight(), left);
        assert!(out.is_empty());
    }
}

#[test]
fn lost_bytes_are_told() {
    let mut client = calling(LEGACY);
    let mut framer = Framer::new([0; 64]);
    framer.push(b"{\"jsonrpc\":");
    framer.lost();
    framer.push(b"\n");
    let mut out = Sink::new(&mut []);
    let incoming = client.receive(framer.next(), NOW, &mut out).unwrap();
    assert_eq!(show(&incoming), "lost");
    assert!(client.receive(framer.next(), NOW, &mut out).is_none());
}

#[test]
fn modern_results_say_what_they_are() {
    let input = r#""inputRequests":{"k":{"method":"elicitation/create","params":{"message":"?"}},"r":{"method":"roots/list"}},"requestState":"s\u0031""#;
    let cases = [
        (r#"{"resultType":"complete"}"#.to_owned(), r#"result {"resultType":"complete"}"#.to_owned()),
        (r#"{"resultType":"partial"}"#.to_owned(), "invalid ResultType".to_owned()),
        (r#"{"resultType":1}"#.to_owned(), "invalid ResultType".to_owned()),
        (r#"{"resultType":"task","taskId":"t"}"#.to_owned(), "invalid ResultType".to_owned()),
        (
            format!(r#"{{"resultType":"input_required",{input}}}"#),
            r#"input required [k elicitation/create, r roots/list] Some("s\\u0031")"#.to_owned(),
        ),
        (
            r#"{"resultType":"input_required","requestState":""}"#.to_owned(),
            r#"input required [] Some("")"#.to_owned(),
        ),
        (
            r#"{"resultType":"input_required","inputRequests":{}}"#.to_owned(),
            "input required [] None".to_owned(),
        ),
        (r#"{"resultType":"input_required"}"#.to_owned(), "invalid InputRequired".to_owned()),
        (
            r#"{"resultType":"input_required","requestState":1}"#.to_owned(),
            "invalid InputRequired".to_owned(),
        ),
        (
            r#"{"resultType":"input_required","inputRequests":[]}"#.to_owned(),
            "invalid InputRequired".to_owned(),
        ),
        (
            r#"{"resultType":"input_required","inputRequests":{"k":{}}}"#.to_owned(),
            "invalid InputRequired".to_owned(),
        ),
        (
            r#"{"resultType":"input_required","inputRequests":{"k":{"method":"x","params":1}}}"#.to_owned(),
            "invalid InputRequired".to_owned(),
        ),
    ];
    for (text, expected) in cases {
        let mut client = calling(MODERN);
        let shown = event(&mut client, &result("2", &text));
        assert_eq!(shown, format!("tools/call c: {expected}"));
        // To a legacy client it is a member like any other.
        let shown = event(&mut calling(LEGACY), &result("2", &text));
        assert_eq!(shown, format!("tools/call c: result {text}"));
    }
    // A member that occurs twice is a fault in either era.
    for text in [
        r#"{"resultType":"complete","resultType":"complete"}"#,
        r#"{"resultType":"input_required","requestState":"a","requestState":"a"}"#,
    ] {
        for version in [LEGACY, MODERN] {
            let shown = event(&mut calling(version), &result("2", text));
            assert_eq!(shown, "tools/call c: invalid Repeated", "{text}");
        }
    }
    // A list wants no input.
    let mut client = connected(MODERN);
    sent(&mut client, |client, out| client.list_tools(ask(), None, out));
    assert_eq!(
        event(&mut client, &result("2", r#"{"resultType":"input_required","requestState":"s"}"#)),
        "tools/list c: invalid ResultType"
    );
}

#[test]
fn a_call_becomes_a_task_where_that_was_agreed() {
    // 2025-11-25: the call asks for it.
    let task = r#"{"task":{"taskId":"t","status":"working"}}"#;
    let mut client = connected(LEGACY);
    sent(&mut client, |client, out| client.call_tool(ask().as_task(None), "t", out, |_| {}));
    let shown = event(&mut client, &result("2", task));
    assert!(shown.starts_with("tools/call c: task Some"), "{shown}");
    assert!(shown.ends_with("Some(Working)"), "{shown}");
    let shown = event(&mut calling(LEGACY), &result("2", task));
    assert_eq!(shown, format!("tools/call c: result {task}"));
    // 2026-07-28: the client has declared the extension.
    let host = Host::offering(|offered| offered.insert(ClientCapabilities::TASKS_EXTENSION));
    let mut client = connected_with(host, MODERN);
    sent(&mut client, |client, out| client.call_tool(ask(), "t", out, |_| {}));
    let task = r#"{"resultType":"task","taskId":"t","status":"completed"}"#;
    let shown = event(&mut client, &result("2", task));
    assert!(shown.ends_with("Some(Completed)"), "{shown}");
    // Its later states are results; the examples of the extension call them tasks too.
    for kind in ["task", "complete"] {
        sent(&mut client, |client, out| client.get_task(ask(), "t", out));
        let id = if kind == "task" { "3" } else { "4" };
        let text = format!(r#"{{"resultType":"{kind}","taskId":"t","status":"working"}}"#);
        assert_eq!(event(&mut client, &result(id, &text)), format!("tasks/get c: result {text}"));
    }
    // Only calls become tasks.
    sent(&mut client, |client, out| client.list_tools(ask(), None, out));
    assert_eq!(event(&mut client, &result("5", task)), "tools/list c: invalid ResultType");
}

fn told(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{params}}}"#)
}

#[test]
fn progress_belongs_to_the_request_that_asked_for_it() {
    for version in [LEGACY, MODERN] {
        let mut client = connected(version);
        sent(&mut client, |client, out| client.list_tools(ask().with_progress(), None, out));
        sent(&mut client, |client, out| client.list_prompts(ask(), None, out));
        assert_eq!(
            event(
                &mut client,
                &told("progress", r#"{"progressToken":2,"progress":0.5,"total":1,"message":"m"}"#)
            ),
            r#"progress 0.5 of Some("1") Some("m")"#
        );
        assert_eq!(
            event(&mut client, &told("progress", r#"{"progressToken":2,"progress":1}"#)),
            "progress 1 of None None"
        );
        // Not asked for, unknown, malformed.
        for params in [
            r#"{"progressToken":3,"progress":1}"#,
            r#"{"progressToken":"2","progress":1}"#,
            r#"{"progressToken":9,"progress":1}"#,
            r#"{"progressToken":2,"progress":"1"}"#,
            r#"{"progressToken":2,"progressToken":2,"progress":1}"#,
            r#"{"progressToken":2}"#,
            r#"{"progress":1}"#,
            "{}",
        ] {
            assert_eq!(
                event(&mut client, &told("progress", params)),
                "notification notifications/progress",
                "{params}"
            );
        }
        assert_eq!(client.in_flight(), 2);
    }
}

#[test]
fn log_messages_and_changes() {
    let cases = [
        (
            told("message", r#"{"level":"error","logger":"l","data":{"a":1}}"#),
            r#"log Error Some("l") {"a":1}"#,
        ),
        (told("message", r#"{"level":"info","data":null}"#), "log Info None null"),
        (told("message", r#"{"level":"loud","data":1}"#), "notification notifications/message"),
        (told("message", r#"{"level":"info"}"#), "notification notifications/message"),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/tools\/list_changed"}"#.to_owned(),
            "Tools changed, unsubscribed",
        ),
        (told("prompts/list_changed", "{}"), "Prompts changed, unsubscribed"),
        (told("resources/list_changed", "{}"), "Resources changed, unsubscribed"),
        (told("resources/updated", r#"{"uri":"a:b"}"#), "a:b updated, unsubscribed"),
        (told("resources/updated", r#"{"uri":1}"#), "notification notifications/resources/updated"),
        (
            told("elicitation/complete", r#"{"elicitationId":"e"}"#),
            "notification notifications/elicitation/complete",
        ),
        (told("cancelled", r#"{"requestId":"x"}"#), r#"cancelled "x""#),
        (told("cancelled", r#"{}"#), "notification notifications/cancelled"),
        (told("x", "{}"), "notification notifications/x"),
    ];
    let mut client = connected(LEGACY);
    for (frame, expected) in cases {
        assert_eq!(event(&mut client, &frame), expected, "{frame}");
    }
}

#[test]
fn a_subscription_from_its_acknowledgement_to_its_end() {
    let filter = Subscription { tools: true, resource_uris: &["a:b"], ..Subscription::default() };
    let of = |params: &str, id: &str| {
        format!(r#"{{{params}"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}"#)
    };
    let open = || {
        let mut client = connected(MODERN);
        sent(&mut client, |client, out| client.listen(ask(), &filter, out));
        assert!(client.next_deadline().is_some());
        assert_eq!(
            event(
                &mut client,
                &told(
                    "subscriptions/acknowledged",
                    &of(r#""notifications":{"toolsListChanged":true},"#, "2")
                )
            ),
            r#"acknowledged {"toolsListChanged":true}"#
        );
        // It lasts.
        assert_eq!(client.next_deadline(), None);
        client
    };
    let mut client = open();
    assert_eq!(event(&mut client, &told("tools/list_changed", &of("", "2"))), "Tools changed, subscribed");
    assert_eq!(
        event(&mut client, &told("resources/updated", &of(r#""uri":"a:b","#, "2"))),
        "a:b updated, subscribed"
    );
    // Of another subscription, of another type, of none.
    for params in [of("", "3"), of("", r#""2""#), "{}".to_owned()] {
        assert_eq!(
            event(&mut client, &told("tools/list_changed", &params)),
            "notification notifications/tools/list_changed"
        );
    }
    assert_eq!(
        event(&mut client, &result("2", &of(r#""resultType":"complete","#, "2"))),
        format!("subscriptions/listen c: result {}", of(r#""resultType":"complete","#, "2"))
    );
    assert_eq!(
        event(&mut client, &told("tools/list_changed", &of("", "2"))),
        "notification notifications/tools/list_changed"
    );
    // The server may also end it by a cancellation; that of anything else means nothing.
    let mut client = open();
    sent(&mut client, |client, out| client.list_tools(ask(), None, out));
    assert_eq!(
        event(&mut client, &told("cancelled", r#"{"requestId":3}"#)),
        "notification notifications/cancelled"
    );
    assert_eq!(
        event(&mut client, &told("cancelled", r#"{"requestId":2}"#)),
        "subscriptions/listen c: subscription ended"
    );
    assert_eq!(client.in_flight(), 1);
    assert_eq!(event(&mut client, &result("2", r#"{"resultType":"complete"}"#)), "unmatched 2");
}

#[test]
fn late_requests_end_one_by_one_with_their_cancellations() {
    let mut client = connected(LEGACY);
    for (context, seconds) in [("a", 3), ("b", 1), ("c", 2)] {
        let ask = RequestOptions::at(NOW).with_context(context).with_timeout(Duration::from_secs(seconds));
        sent(&mut client, |client, out| client.ping(ask, out));
    }
    sent(&mut client, |client, out| {
        client.ping(RequestOptions::at(NOW).with_context("d").without_timeout(), out)
    });
    let at = |seconds| NOW + Duration::from_secs(seconds);
    assert_eq!(client.next_deadline(), Some(at(1)));
    let mut memory = [0; 128];
    let mut ends = Vec::new();
    loop {
        let mut out = Sink::new(&mut memory);
        let Some(incoming) = client.expire(at(2), &mut out) else {
            break;
        };
        ends.push(format!(
            "{} {}",
            show(&incoming),
            line(std::str::from_utf8(out.finish().unwrap()).unwrap())
        ));
    }
    ends.sort();
    assert_eq!(
        ends,
        [
            r#"ping b: timed out {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"timeout"}}"#,
            r#"ping c: timed out {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4,"reason":"timeout"}}"#,
        ]
    );
    assert_eq!(client.next_deadline(), Some(at(3)));
    assert_eq!(event(&mut client, &result("3", "{}")), "unmatched 3");
    // Without room nothing is done, but where there never is any.
    let mut small = [0; 8];
    let mut out = Sink::new(&mut small);
    out.write(b"x");
    assert_eq!(show(&client.expire(at(9), &mut out).unwrap()), "no room");
    assert_eq!(client.in_flight(), 2);
    let mut out = Sink::new(&mut small);
    assert_eq!(show(&client.expire(at(9), &mut out).unwrap()), "ping a: timed out");
    assert!(out.is_empty());
    assert_eq!(client.next_deadline(), None);
    assert_eq!(client.in_flight(), 1);
}

#[test]
fn progress_extends_the_time_up_to_a_limit() {
    let mut client = connected(LEGACY);
    let ask = ask().with_timeout(Duration::from_secs(10)).extended_by_progress(Duration::from_secs(25));
    sent(&mut client, |client, out| client.list_tools(ask, None, out));
    let at = |seconds| NOW + Duration::from_secs(seconds);
    assert_eq!(client.next_deadline(), Some(at(10)));
    let progress = told("progress", r#"{"progressToken":2,"progress":1}"#);
    for (now, deadline) in [(4, 14), (12, 22), (20, 25), (24, 25)] {
        let mut out = Sink::new(&mut []);
        let _ = client.handle_frame(progress.as_bytes(), at(now), &mut out);
        assert_eq!(client.next_deadline(), Some(at(deadline)));
    }
}

#[test]
fn a_limit_below_the_timeout_is_the_timeout() {
    let mut client = connected(LEGACY);
    let ask = ask().with_timeout(Duration::from_secs(10)).extended_by_progress(Duration::from_secs(5));
    sent(&mut client, |client, out| client.list_tools(ask, None, out));
    let deadline = NOW + Duration::from_secs(5);
    assert_eq!(client.next_deadline(), Some(deadline));
    let progress = told("progress", r#"{"progressToken":2,"progress":1}"#);
    let _ = client.handle_frame(progress.as_bytes(), NOW, &mut Sink::new(&mut []));
    assert_eq!(client.next_deadline(), Some(deadline));
}

#[test]
fn batches_are_read_in_the_revision_that_has_them() {
    let batch = r#" [{"jsonrpc":"2.0","id":3,"result":{}}, 5 ,{"jsonrpc":"2.0","method":"notifications/tools/list_changed"},{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","id":2,"result":1}]"#;
    let mut client = connected(ProtocolVersion::V2025_03_26);
    for context in ["a", "b"] {
        sent(&mut client, |client, out| client.ping(RequestOptions::at(NOW).with_context(context), out));
    }
    let mut events = Vec::new();
    loop {
        events.push(feed(&mut client, batch));
        if !client.has_more() {
            break;
        }
    }
    let pong = "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n";
    assert_eq!(
        events.iter().map(|(event, written)| (event.as_str(), written.as_str())).collect::<Vec<_>>(),
        [
            ("ping b: result {}", ""),
            ("rejected not-an-object", ""),
            ("Tools changed, unsubscribed", ""),
            ("request ping: Done", pong),
            ("ping a: invalid Envelope(ResultNotAnObject)", ""),
        ]
    );
    assert_eq!(event(&mut client, " [ ] "), "rejected batch");
    assert!(!client.has_more());
    for version in [ProtocolVersion::V2024_11_05, LEGACY, MODERN] {
        let mut client = calling(version);
        assert_eq!(event(&mut client, batch), "rejected batch");
        assert!(!client.has_more());
    }
}

#[test]
fn a_context_can_be_changed_while_its_request_goes_on() {
    let mut client = connected(LEGACY);
    let (_, ticket) = written_and(&mut client, |client, out| client.ping(ask(), out));
    let ticket = ticket.unwrap();
    *client.context_mut(ticket).unwrap() = "changed";
    assert_eq!(event(&mut client, &result("2", "{}")), "ping changed: result {}");
    assert!(client.context(ticket).is_none() && client.context_mut(ticket).is_none());
    assert_eq!(
        unsent(&mut client, |client, out| client.cancel(ticket, None, out)),
        RequestError::NotInFlight
    );
    assert_eq!(written(&mut client, |client, _| client.in_flight()), "");
}

#[test]
fn an_event_is_shown_with_its_message() {
    let notification = r#"{"jsonrpc":"2.0","method":"a"}"#;
    let Ok(Message::Notification(view)) = classify(notification.as_bytes()) else {
        panic!("it has no id");
    };
    let shown = format!("{:?}", Event::Notification(view));
    assert_eq!(shown, format!("Notification(Notification({notification}))"));
}
