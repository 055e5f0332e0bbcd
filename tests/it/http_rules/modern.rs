//! Messages of modern clients.

use super::kit::*;
use barewire::transport::http::ReplyBody;

/// The status and the error of a call with these headers and this body.
#[track_caller]
fn is_mismatch(stand: &mut Stand, head: &Request, body: &str, message: &str) {
    stand.send(head, body).is(400, &error("1", -32020, message));
}

#[test]
fn h78_h86_h87_h101_h104_a_request_is_served_by_itself() {
    let mut stand = Stand::new(0);
    let got = stand.send(&Request::call("now"), &modern_call("1", "now"));
    assert_eq!((got.status, got.next), (200, Some(ReplyBody::Json)));
    assert!(got.body.contains(r#""text":"done""#) && got.body.contains("io.modelcontextprotocol/serverInfo"));
    let got = stand.send(&Request::modern("server/discover"), &modern("1", "server/discover", ""));
    assert!(got.status == 200 && got.body.contains(r#""supportedVersions":["2026-07-28"]"#), "{got:?}");
    let read = Request::modern("resources/read").with("Mcp-Name", "r:1");
    assert_eq!(stand.send(&read, &modern("1", "resources/read", r#""uri":"r:1""#)).status, 200);
    let get = Request::modern("prompts/get").with("Mcp-Name", "p");
    assert_eq!(stand.send(&get, &modern("1", "prompts/get", r#""name":"p""#)).status, 200);
    assert_eq!(stand.send(&Request::modern("tools/list"), &modern("1", "tools/list", "")).status, 200);
}

#[test]
fn h12_h80_h85_h89_h97_headers_agree_with_the_body() {
    let mut stand = Stand::new(0);
    let body = modern_call("1", "now");
    let without = |name: &str| Request::call("now").without(name);
    for (head, message) in [
        (without("MCP-Protocol-Version"), "MCP-Protocol-Version header required"),
        (Request::call("now").version(R5), "Repeated MCP-Protocol-Version header"),
        (without("MCP-Protocol-Version").version(R4), "MCP-Protocol-Version header does not match the body"),
        (
            without("MCP-Protocol-Version").version("2030-01-01"),
            "MCP-Protocol-Version header does not match the body",
        ),
        (without("Mcp-Method"), "Mcp-Method header required"),
        (Request::call("now").with("Mcp-Method", "tools/call"), "Repeated Mcp-Method header"),
        (without("Mcp-Method").with("Mcp-Method", "tools/list"), "Mcp-Method header does not match the body"),
        (without("Mcp-Method").with("Mcp-Method", "Tools/Call"), "Mcp-Method header does not match the body"),
        (
            without("Mcp-Method").with("Mcp-Method", "tools/call\u{e9}"),
            "Mcp-Method header does not match the body",
        ),
        (without("Mcp-Name"), "Mcp-Name header required"),
        (Request::call("now").with("Mcp-Name", "now"), "Repeated Mcp-Name header"),
        (without("Mcp-Name").with("Mcp-Name", "Now"), "Mcp-Name header does not match the body"),
        (without("Mcp-Name").with("Mcp-Name", ""), "Mcp-Name header does not match the body"),
        (without("Mcp-Name").with("Mcp-Name", "=?base64?bm93?"), "Mcp-Name header does not match the body"),
        (without("Mcp-Name").with("Mcp-Name", "=?base64?bm9?="), "Mcp-Name header does not match the body"),
    ] {
        is_mismatch(&mut stand, &head, &body, message);
    }
    let twice = Request::modern("tools/list").with("Mcp-Name", "a").with("Mcp-Name", "a");
    is_mismatch(&mut stand, &twice, &modern("1", "tools/list", ""), "Repeated Mcp-Name header");
}

#[test]
fn h90_h91_h92_h93_values_are_compared_after_decoding() {
    let mut stand = Stand::new(0);
    let body = modern("1", "tools/call", r#""name":"n\u006fw""#);
    for name in ["now", " now\t", "=?base64?bm93?="] {
        let head = Request::call("x").without("Mcp-Name").with("MCP-NAME", name);
        assert_eq!(stand.send(&head, &body).status, 200, "{name}");
    }
    let half = modern("1", "tools/call", r#""name":"\ud800""#);
    is_mismatch(&mut stand, &Request::call("?"), &half, "Mcp-Name header does not match the body");
}

#[test]
fn h88_tasks_are_named_by_their_id() {
    let mut stand = Stand::new(0);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let body = modern("1", method, r#""taskId":"a""#);
        is_mismatch(&mut stand, &Request::modern(method), &body, "Mcp-Name header required");
        let got = stand.send(&Request::modern(method).with("Mcp-Name", "a"), &body);
        assert!(!got.body.contains("-32020"), "{got:?}");
    }
}

#[test]
fn h94_a_name_is_judged_where_the_body_has_one() {
    let mut stand = Stand::new(0);
    let listed =
        stand.send(&Request::modern("tools/list").with("Mcp-Name", "x"), &modern("1", "tools/list", ""));
    assert_eq!(listed.status, 200);
    for members in ["", r#""name":5"#, r#""name":"a","name":"a""#] {
        let got = stand.send(&Request::modern("tools/call"), &modern("1", "tools/call", members));
        got.is(200, &error("1", -32602, "Invalid params"));
    }
}

#[test]
fn h82_metadata_is_required() {
    let mut stand = Stand::new(0);
    let key = "io.modelcontextprotocol";
    for params in [
        "{}".to_owned(),
        r#"{"_meta":{}}"#.to_owned(),
        r#"{"_meta":5}"#.to_owned(),
        format!(r#"{{"_meta":{{"{key}/protocolVersion":"{R5}"}}}}"#),
        format!(r#"{{"_meta":{{"{key}/clientCapabilities":{{}}}}}}"#),
        format!(r#"{{"_meta":{{"{key}/protocolVersion":5,"{key}/clientCapabilities":{{}}}}}}"#),
        format!(r#"{{"_meta":{{"{key}/protocolVersion":"{R5}","{key}/clientCapabilities":5}}}}"#),
    ] {
        let got = stand.send(&Request::modern("tools/list"), &legacy("1", "tools/list", &params));
        got.is(400, &error("1", -32602, "Invalid params"));
    }
}

#[test]
fn h81_revisions_that_are_not_served() {
    let mut stand = Stand::new(0);
    let body = modern("1", "tools/list", "").replace(R5, "2030-01-01");
    let head = Request::post().version("2030-01-01").with("Mcp-Method", "tools/list");
    let data = r#","data":{"supported":["2026-07-28"],"requested":"2030-01-01"}}}"#;
    let expected = error("1", -32022, "Unsupported protocol version").replace("}}\n", &format!("{data}\n"));
    stand.send(&head, &body).is(400, &expected);
    // A legacy revision has no metadata of this kind.
    let body = modern("1", "tools/list", "").replace(R5, R4);
    let head = Request::post().version(R4).with("Mcp-Method", "tools/list");
    assert!(stand.send(&head, &body).is_status(400).body.contains("-32022"));
}

#[test]
fn h84_unknown_methods() {
    let mut stand = Stand::new(0);
    for method in
        ["x", "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]
    {
        let got = stand.send(&Request::modern(method), &modern("1", method, ""));
        got.is(404, &error("1", -32601, "Method not found"));
    }
}

#[test]
fn h83_h44_errors_of_the_handler_are_answers_but_for_a_missing_capability() {
    let mut stand = Stand::new(0);
    let got = stand.send(&Request::call("needs"), &modern_call("1", "needs"));
    assert!(got.status == 400 && got.body.contains(r#""code":-32021"#), "{got:?}");
    assert!(got.body.contains(r#""requiredCapabilities":{"sampling":{}}"#), "{got:?}");
    stand.send(&Request::call("x"), &modern_call("1", "x")).is(200, &error("1", -32602, "Unknown tool"));
    stand.send(&Request::call("refuse"), &modern_call("1", "refuse")).is(200, &error("1", 7, "no"));
    let read = Request::modern("resources/read").with("Mcp-Name", "r:2");
    let got = stand.send(&read, &modern("1", "resources/read", r#""uri":"r:2""#));
    assert!(got.status == 200 && got.body.contains("Resource not found"), "{got:?}");
    // The same for an answer that comes later.
    stand.send(&Request::call("later"), &modern_call("1", "later"));
    let token = stand.app.deferred[0];
    let (line, _) = stand
        .write(|server, app, out| {
            let missing = barewire::mcp::ClientCapabilities::SAMPLING;
            let missing = barewire::engine::CallError::MissingCapability(missing);
            server.complete_tool(token, app, out, |_| Err(missing)).unwrap()
        })
        .expect("a line");
    assert_eq!((line.reply().status().code(), line.reply().body()), (400, ReplyBody::Json));
}

#[test]
fn h113_h114_arguments_with_headers() {
    let mut stand = Stand::new(0);
    let body = |arguments: &str| {
        modern("1", "tools/call", &format!(r#""name":"there","arguments":{{{arguments}}}"#))
    };
    let (with, without) = (body(r#""region":"\u00e9u""#), body(""));
    let head = || Request::call("there");
    assert_eq!(stand.send(&head().with("MCP-PARAM-Region", "=?base64?w6l1?="), &with).status, 200);
    assert_eq!(stand.send(&head().with("Mcp-Param-Other", "x"), &without).status, 200);
    let differs = "Mcp-Param header does not match the body";
    is_mismatch(&mut stand, &head(), &with, differs);
    is_mismatch(&mut stand, &head().with("Mcp-Param-Region", "x"), &with, differs);
    is_mismatch(&mut stand, &head().with("Mcp-Param-Region", "x"), &without, differs);
    // A legacy client has no such headers.
    stand.send(&Request::post(), &call("1", "there")).is(200, &text("1", "done"));
}

#[test]
fn h95_the_first_fault_answers() {
    let mut stand = Stand::new(0);
    // Each head or body mends the first fault of the one before.
    let bad = legacy("1", "x", r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01"}}"#);
    let capable = bad.replace("01\"}}", "01\",\"io.modelcontextprotocol/clientCapabilities\":{}}}");
    let known = capable.replace("2030-01-01", R5);
    let steps = [
        (Request::post(), &bad, 400, "MCP-Protocol-Version header required"),
        (Request::post().version(R5), &bad, 400, "MCP-Protocol-Version header does not match"),
        (Request::post().version("2030-01-01"), &bad, 400, "Mcp-Method header required"),
        (Request::post().version("2030-01-01").with("Mcp-Method", "x"), &bad, 400, "Invalid params"),
        (Request::post().version("2030-01-01").with("Mcp-Method", "x"), &capable, 400, "-32022"),
        (Request::post().version(R5).with("Mcp-Method", "x"), &known, 404, "-32601"),
    ];
    for (head, body, status, part) in steps {
        let got = stand.send(&head, body);
        assert!(got.status == status && got.body.contains(part), "{part}: {got:?}");
    }
    // The name before the metadata.
    let named = legacy("1", "tools/call", r#"{"name":"now"}"#);
    is_mismatch(&mut stand, &Request::modern("tools/call"), &named, "Mcp-Name header required");
}

#[test]
fn h96_h99_h100_the_era_of_a_message() {
    let mut stand = Stand::new(2);
    let session = stand.open(R4);
    // A handshake is legacy whatever its headers.
    let head = Request::modern("initialize");
    assert!(stand.send(&head, &initialize(R4)).field("Mcp-Session-Id").is_some());
    // Modern metadata beside a session: the session is ignored, known or not.
    for id in [session.as_str(), "x"] {
        let got = stand.send(&Request::call("later").session(id), &modern_call("1", "later"));
        assert_eq!(
            (got.next, got.field("Mcp-Session-Id")),
            (Some(ReplyBody::Later { may_stream: true }), None)
        );
        stand.close(got.channel);
    }
    // A legacy header, or none, and no metadata: legacy.
    stand.send(&Request::post().session(&session), &call("1", "now")).is(200, &text("1", "done"));
    stand.send(&Request::post().version(R3), &call("1", "now")).is(200, &text("1", "done"));
    stand.send(&Request::post(), &call("1", "now")).is(200, &text("1", "done"));
}

#[test]
fn h19_h22_h121_notifications_and_responses() {
    let mut stand = Stand::new(0);
    let head = Request::post().version(R5);
    stand
        .send(&head, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)
        .is(400, &error("", -32600, "Invalid Request"));
    let got = stand.send(&Request::call("later"), &modern_call("1", "later"));
    let cancel = notification("notifications/cancelled", r#"{"requestId":1}"#);
    stand.send(&head, &cancel).is(202, "");
    assert!(stand.endpoint.is_open(got.channel));
    stand.send(&head.clone().with("Mcp-Method", "notifications/cancelled"), &cancel).is(202, "");
    let wrong = head.clone().with("Mcp-Method", "x");
    stand.send(&wrong, &cancel).is(400, &error("", -32020, "Mcp-Method header does not match the body"));
    stand.send(&head, "{").is(400, &error("", -32700, "Parse error"));
    stand
        .send(&head, r#"{"jsonrpc":"2.0","id":8,"method":5}"#)
        .is(400, &error("8", -32600, "Invalid Request"));
    stand
        .send(&head, r#"[{"jsonrpc":"2.0","id":8,"method":"x"}]"#)
        .is(400, &error("", -32600, "Invalid Request"));
}

#[test]
fn h35_h40_questions_are_results() {
    let mut stand = Stand::new(0);
    let body = modern_call("1", "ask").replace(r#"Capabilities":{}"#, r#"Capabilities":{"elicitation":{}}"#);
    let got = stand.send(&Request::call("ask"), &body);
    assert!(
        got.next == Some(ReplyBody::Json) && got.body.contains(r#""resultType":"input_required""#),
        "{got:?}"
    );
}

#[test]
fn h103_log_messages_only_if_asked_for() {
    let mut stand = Stand::new(0);
    let got = stand.send(&Request::call("log"), &modern_call("1", "log"));
    assert_eq!((got.next, got.ends, got.body.lines().count()), (Some(ReplyBody::Stream), true, 3));
    let quiet = modern_call("1", "log").replace(r#""io.modelcontextprotocol/logLevel":"debug","#, "");
    let got = stand.send(&Request::call("log"), &quiet);
    assert_eq!(got.body.lines().count(), 2);
}

#[test]
fn h105_h119_equal_ids_and_closing() {
    let mut stand = Stand::new(0);
    let first = stand.send(&Request::call("later"), &modern_call("1", "later"));
    let second = stand.send(&Request::call("later"), &modern_call("1", "later"));
    stand.app.events.clear();
    stand.close(first.channel);
    assert_eq!(stand.app.events, ["cancelled"]);
    assert!(!stand.endpoint.is_open(first.channel) && stand.endpoint.is_open(second.channel));
    let (line, body) = stand.complete("late").expect("a line");
    assert!(line.channel() == second.channel && body.contains("late"));
    assert_eq!(stand.poll(), []);
}

#[test]
fn h81_h97_a_server_of_the_modern_era_alone() {
    use barewire::bytes::Sink;
    use barewire::engine::{Channel, Fixed, ModernOnly, Server};
    use barewire::transport::http::{Access, Endpoint, SessionEntry, admit};
    let server = Server::with_storage(Fixed::<ModernOnly>::new());
    let mut endpoint = Endpoint::with_sessions(server, [SessionEntry::FREE]).with_random(|_| {});
    assert!(!endpoint.offers_sessions());
    let mut send = |head: &Request, body: &str| {
        let admitted = admit(&Access::LOCAL, &Names, head, false).expect("admitted");
        let mut memory = [0; 512];
        let mut out = Sink::new(&mut memory);
        let mut app = Desk::default();
        let reply = endpoint.receive(Channel(1), head, &admitted, body.as_bytes(), &mut app, &mut out);
        (reply.status().code(), String::from_utf8_lossy(out.finish().unwrap()).into_owned())
    };
    let required = error("1", -32020, "MCP-Protocol-Version header required");
    assert_eq!(send(&Request::post(), &call("1", "now")), (400, required));
    let (status, body) = send(&Request::post(), &initialize(R4));
    assert!(status == 400 && body.contains("-32022") && body.contains(R5), "{body}");
    assert_eq!(send(&Request::call("now"), &modern_call("1", "now")).0, 200);
}

#[test]
fn h74_a_server_of_the_legacy_era_alone() {
    use barewire::bytes::Sink;
    use barewire::engine::{Channel, Fixed, LegacyOnly, Server};
    use barewire::transport::http::{Access, Endpoint, admit};
    let mut endpoint = Endpoint::new(Server::with_storage(Fixed::<LegacyOnly>::new()));
    let head = Request::call("now");
    let admitted = admit(&Access::LOCAL, &Names, &head, false).expect("admitted");
    let mut memory = [0; 512];
    let mut out = Sink::new(&mut memory);
    let body = modern_call("1", "now");
    let reply =
        endpoint.receive(Channel(1), &head, &admitted, body.as_bytes(), &mut Desk::default(), &mut out);
    assert_eq!(reply.status().code(), 400);
    let expected = error("1", -32600, "Unsupported protocol version");
    assert_eq!(out.finish(), Ok(expected.as_bytes()));
}
