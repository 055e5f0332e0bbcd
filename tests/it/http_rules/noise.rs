//! Random heads and bodies: every request has one whole reply.

use barewire::transport::http::ReplyBody;
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any};
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use serde_json::Value;

use super::kit::*;

const FIELDS: [(&str, &str); 22] = [
    ("Accept", "application/json"),
    ("Accept", "text/event-stream"),
    ("Accept", "*/*;q=0"),
    ("Content-Type", "text/plain"),
    ("Host", "example.com"),
    ("Origin", "null"),
    ("MCP-Protocol-Version", R2),
    ("MCP-Protocol-Version", R4),
    ("MCP-Protocol-Version", R5),
    ("MCP-Protocol-Version", "x"),
    ("MCP-Protocol-Version", "\u{e9}"),
    ("Mcp-Method", "tools/call"),
    ("Mcp-Method", "subscriptions/listen"),
    ("Mcp-Name", "now"),
    ("Mcp-Name", "later"),
    ("Mcp-Name", "=?base64?bm93?="),
    ("Mcp-Name", "=?base64?"),
    ("Mcp-Param-Region", "x"),
    ("Mcp-Session-Id", "x"),
    ("Mcp-Session-Id", "00000000000000000000000000000000"),
    ("Authorization", "Bearer x"),
    ("Content-Encoding", "gzip"),
];

const STATUSES: [u16; 10] = [200, 202, 400, 403, 404, 405, 406, 413, 415, 503];

/// Bodies before they are damaged.
fn bodies() -> Vec<String> {
    let one = [call("1", "now"), call("1", "log"), call("1", "later"), call("1", "ask"), initialize(R2)];
    let mut bodies = one.to_vec();
    bodies.push(format!("[{}]", one.join(",")));
    bodies.extend(["now", "later", "needs", "log"].map(|tool| modern_call("7", tool)));
    bodies.push(modern("7", "subscriptions/listen", r#""notifications":{"toolsListChanged":true}"#));
    bodies.push(notification("notifications/cancelled", r#"{"requestId":1}"#));
    bodies.push(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned());
    bodies
}

#[test]
fn every_request_has_one_whole_reply() {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let head =
        (select(&["POST", "POST", "POST", "GET", "DELETE", "PUT"][..]), vec(select(&FIELDS[..]), 0..4));
    let body = (select(bodies()), vec((any::<u16>(), select(&b"{}[]\",:1x\\\xFF"[..])), 0..3));
    let requests = vec((head, body, any::<bool>()), 1..12);
    TestRunner::new(config)
        .run(&requests, |requests| {
            let mut stand = Stand::new(2);
            let session = stand.open(R2);
            for ((method, fields), (body, damages), in_session) in requests {
                let mut head = Request::new(method);
                if in_session {
                    head = head.session(&session);
                }
                for (name, value) in fields {
                    head = head.with(name, value);
                }
                let mut body = body.into_bytes();
                for (place, byte) in damages {
                    let place = usize::from(place) % body.len();
                    body[place] = byte;
                }
                let got = stand.send_bytes(&head, &body, 4096);
                assert!(STATUSES.contains(&got.status), "{got:?}");
                assert!(got.ends || got.status == 200, "{got:?}");
                for line in got.body.lines() {
                    let message: Value = serde_json::from_str(line).expect("JSON");
                    let is_answer =
                        |message: &Value| message["result"].is_object() || message["error"].is_object();
                    match message.as_array() {
                        Some(answers) => assert!(!answers.is_empty() && answers.iter().all(is_answer)),
                        None if got.next == Some(ReplyBody::Json) => assert!(is_answer(&message), "{got:?}"),
                        None => {}
                    }
                }
                if got.next == Some(ReplyBody::Empty) {
                    assert!(got.status != 200 || method == "DELETE", "{got:?}");
                }
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}
