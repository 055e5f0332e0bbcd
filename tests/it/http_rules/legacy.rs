//! Messages of legacy clients.

use super::kit::*;
use barewire::transport::http::ReplyBody;

#[test]
fn h18_h20_h30_a_body_is_one_message() {
    let mut stand = Stand::new(2);
    let id = stand.open(R3);
    let post = || Request::post().session(&id);
    let cases = [
        ("", "null", -32700, "Parse error"),
        ("  ", "null", -32700, "Parse error"),
        ("{", "null", -32700, "Parse error"),
        ("[]", "null", -32600, "Invalid Request"),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "null", -32600, "Invalid Request"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":5}"#, "1", -32600, "Invalid Request"),
        (r#"{"jsonrpc":"1.0","id":"a\u0062","method":"ping"}"#, r#""a\u0062""#, -32600, "Invalid Request"),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "null", -32600, "Invalid Request"),
    ];
    for (body, id, code, message) in cases {
        stand.app.events.clear();
        stand.send(&post(), body).is(400, &error(id, code, message));
        assert_eq!(stand.app.events.len(), 1, "{body}");
    }
    stand.send(&post(), &legacy("1", "ping", "{}")).is(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
}

#[test]
fn h102_an_unreadable_id_has_the_form_of_the_revision() {
    let mut stand = Stand::new(4);
    for (version, id) in [(R2, "null"), (R3, "null"), (R4, "")] {
        let session = stand.open(version);
        stand.send(&Request::post().session(&session), "{").is(400, &error(id, -32700, "Parse error"));
        stand.send(&Request::post().version(version), "{").is(400, &error(id, -32700, "Parse error"));
    }
    stand.send(&Request::post(), "{").is(400, &error("null", -32700, "Parse error"));
    stand.send(&Request::post().version(R5), "{").is(400, &error("", -32700, "Parse error"));
}

#[test]
fn h21_h23_notifications_and_responses() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    stand.app.events.clear();
    let post = || Request::post().session(&id);
    let got = stand.send(&post(), &notification("notifications/x", "{}"));
    got.is(202, "");
    assert_eq!((got.fields.len(), got.next), (0, Some(ReplyBody::Empty)));
    // Nobody has asked.
    stand.send(&post(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).is(202, "");
    stand.send(&post(), r#"{"jsonrpc":"2.0","id":1,"result":5}"#).is(400, "");
    stand.send(&post(), r#"{"jsonrpc":"2.0","method":"x","params":5}"#).is(400, "");
    assert_eq!(
        stand.app.events,
        [
            "notification notifications/x",
            "response",
            "rejected result-not-an-object",
            "rejected params-not-an-object"
        ]
    );
}

#[test]
fn h24_h31_h32_h34_h36_h38_json_unless_something_precedes_the_response() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    let got = stand.send(&Request::post().session(&id), &call("1", "now"));
    got.is(200, &text("1", "done"));
    assert_eq!(got.fields, ["Content-Type: application/json"]);
    let got = stand.send(&Request::post().session(&id), &call("1", "log"));
    assert_eq!((got.status, got.next, got.ends), (200, Some(ReplyBody::Stream), true));
    assert_eq!(got.body.lines().count(), 3);
    assert!(got.body.ends_with(&text("1", "done")));
    assert_eq!(
        got.fields,
        ["Content-Type: text/event-stream", "Cache-Control: no-cache", "X-Accel-Buffering: no"]
    );
}

#[test]
fn h15_a_client_that_accepts_json_alone_gets_the_response_alone() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    let json = |request: Request| request.without("Accept").with("Accept", "application/json");
    let post = || json(Request::post().session(&id));
    stand.send(&post(), &call("1", "log")).is(200, &text("1", "done"));
    let got = stand.send(&post(), &call("2", "ask"));
    assert!(got.body.contains(r#""isError":true"#) && got.next == Some(ReplyBody::Json), "{got:?}");
    let got = stand.send(&post(), &call("3", "later"));
    assert_eq!(got.next, Some(ReplyBody::Later { may_stream: false }));
    let token = stand.app.deferred[0];
    assert!(stand.write(|server, _, out| server.progress(token, 1, out).unwrap()).is_none());
    let (line, body) = stand.complete("late").expect("a line");
    assert_eq!((line.channel(), line.ends(), body), (got.channel, true, text("3", "late")));
    let listen = modern("4", "subscriptions/listen", r#""notifications":{"toolsListChanged":true}"#);
    let got = stand.send(&json(Request::modern("subscriptions/listen")), &listen);
    got.is(406, &error("4", -32600, "Accept must allow text/event-stream"));
}

#[test]
fn h31_h37_the_first_line_of_a_deferred_call_decides() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    let first = stand.send(&Request::post().session(&id), &call("1", "later"));
    let second = stand.send(&Request::post().session(&id), &call("2", "later"));
    assert_eq!(first.next, Some(ReplyBody::Later { may_stream: true }));
    assert!(!first.ends && first.fields.is_empty());
    let (line, body) = stand.complete("late").expect("a line");
    assert_eq!((line.channel(), line.ends(), body), (first.channel, true, text("1", "late")));
    assert_eq!((line.reply().body(), line.reply().status().code()), (ReplyBody::Json, 200));
    let token = stand.app.deferred[0];
    let (line, body) = stand.write(|server, _, out| server.progress(token, 1, out).unwrap()).expect("a line");
    assert_eq!(
        (line.channel(), line.ends(), line.reply().body()),
        (second.channel, false, ReplyBody::Stream)
    );
    assert!(body.contains(r#""progressToken":"t""#));
    let (line, body) = stand.complete("late").expect("a line");
    assert_eq!((line.channel(), line.ends(), body), (second.channel, true, text("2", "late")));
    assert!(!stand.endpoint.is_open(second.channel));
}

#[test]
fn h43_other_errors_are_answers() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    let post = || Request::post().session(&id);
    stand.send(&post(), &legacy("1", "x", "{}")).is(200, &error("1", -32601, "Method not found"));
    stand.send(&post(), &call("1", "none")).is(200, &error("1", -32602, "Unknown tool"));
    stand.send(&post(), &call("1", "refuse")).is(200, &error("1", 7, "no"));
    let got = stand.send(&post(), &call("1", "needs"));
    assert!(got.status == 200 && got.body.contains(r#""isError":true"#), "{got:?}");
    stand.send(&post(), &call("1", "later"));
    stand.send(&post(), &call("1", "now")).is(400, &error("1", -32600, "Request id in use"));
}

#[test]
fn h75_h98_without_a_session_the_header_has_the_revision() {
    let mut stand = Stand::new(0);
    // 2025-03-26 has no titles, 2025-11-25 has.
    let mut app_version = |head: &Request| {
        let got = stand.send(head, &legacy("1", "resources/read", r#"{"uri":"r:2"}"#));
        got.is(200, &error("1", -32002, "Resource not found"));
        let got = stand.send(head, &initialize("x"));
        assert_eq!(got.field("Mcp-Session-Id"), None);
        got.body
    };
    let latest = format!(r#""protocolVersion":"{R4}""#);
    for head in [Request::post(), Request::post().version(R2), Request::post().version(R3)] {
        assert!(app_version(&head).contains(&latest));
    }
}

#[test]
fn h74_an_unknown_revision_is_refused() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    for version in ["2030-01-01", "x", ""] {
        let got = stand.send(&Request::post().session(&id).version(version), &legacy("1", "ping", "{}"));
        assert_eq!((got.status, got.next), (400, Some(ReplyBody::Json)), "{version:?}");
        stand.send(&Request::new("GET").session(&id).version(version), "").is(400, "");
        stand.send(&Request::new("DELETE").session(&id).version(version), "").is(400, "");
    }
    // Of a handshake the body decides.
    let got = stand.send(&Request::post().version("2030-01-01"), &initialize("2030-01-01"));
    assert!(got.status == 200 && got.body.contains(R4), "{got:?}");
}

#[test]
fn h76_without_a_session_nothing_is_kept() {
    let mut stand = Stand::new(2);
    let got = stand.send(&Request::post(), &call("1", "later"));
    assert_eq!(got.next, Some(ReplyBody::Later { may_stream: true }));
    let cancel = notification("notifications/cancelled", r#"{"requestId":1}"#);
    stand.send(&Request::post(), &cancel).is(202, "");
    stand.send(&Request::post(), &notification("notifications/initialized", "{}")).is(202, "");
    assert!(stand.endpoint.is_open(got.channel) && !stand.endpoint.has_ended());
    let asked = stand.send(&Request::post(), &call("1", "ask"));
    assert!(asked.body.contains(r#""isError":true"#), "{asked:?}");
    let subscribed = stand.send(&Request::post(), &legacy("1", "resources/subscribe", r#"{"uri":"r:1"}"#));
    assert!(subscribed.status == 200 && subscribed.body.contains("error"), "{subscribed:?}");
    // The log level is the default.
    let logged = stand.send(&Request::post(), &call("1", "log"));
    assert_eq!(logged.body.lines().count(), 3);
    // A client that goes away has given up its request.
    stand.close(got.channel);
    assert_eq!(stand.app.events.last().map(String::as_str), Some("cancelled"));
}

#[test]
fn h77_questions_go_on_the_stream_of_their_call() {
    let mut stand = Stand::new(2);
    let (one, two) = (stand.open(R4), stand.open(R4));
    let asked = stand.send(&Request::post().session(&one), &call("1", "ask"));
    assert_eq!((asked.next, asked.ends), (Some(ReplyBody::Stream), false));
    assert!(asked.body.contains(r#""id":1,"method":"elicitation/create""#), "{}", asked.body);
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{}}}"#;
    // Another session, or none, cannot answer.
    stand.send(&Request::post().session(&two), answer).is(202, "");
    stand.send(&Request::post(), answer).is(202, "");
    assert!(stand.endpoint.is_open(asked.channel));
    let got = stand.send(&Request::post().session(&one), answer);
    got.is(202, "");
    assert_eq!(got.other, Some((asked.channel, text("1", "answered"), true)));
    assert!(!stand.endpoint.is_open(asked.channel));
    // An unreadable answer continues the call, too.
    let asked = stand.send(&Request::post().session(&two), &call("1", "ask"));
    let got = stand.send(&Request::post().session(&two), r#"{"jsonrpc":"2.0","id":2,"result":5}"#);
    got.is(400, "");
    assert_eq!(got.other, Some((asked.channel, text("1", "malformed"), true)));
}

#[test]
fn h120_a_disconnect_does_not_cancel() {
    let mut stand = Stand::new(2);
    let id = stand.open(R4);
    let got = stand.send(&Request::post().session(&id), &call("1", "later"));
    stand.app.events.clear();
    stand.close(got.channel);
    assert!(stand.app.events.is_empty() && !stand.endpoint.is_open(got.channel));
    let stream = stand.send(&Request::new("GET").session(&id), "");
    // The response is dropped: a standing stream carries none.
    assert_eq!(stand.complete("late"), None);
    assert!(stand.endpoint.is_open(stream.channel));
    // Within the session a notification cancels; the exchange then ends without a response.
    let got = stand.send(&Request::post().session(&id), &call("2", "later"));
    assert!(!stand.endpoint.has_ended());
    let cancel = notification("notifications/cancelled", r#"{"requestId":2}"#);
    stand.send(&Request::post().session(&id), &cancel).is(202, "");
    assert_eq!(stand.app.events, ["cancelled"]);
    assert!(stand.endpoint.has_ended() && !stand.endpoint.is_open(got.channel));
    // A call that has asked withdraws its question on the same stream.
    let got = stand.send(&Request::post().session(&id), &call("3", "ask"));
    let cancel = notification("notifications/cancelled", r#"{"requestId":3}"#);
    stand.send(&Request::post().session(&id), &cancel).is(202, "");
    let [(channel, line, ends)] = stand.poll().try_into().expect("one line");
    assert!(channel == got.channel && ends && line.contains("notifications/cancelled"));
}

#[test]
fn h28_a_body_that_is_too_long() {
    use barewire::bytes::Sink;
    use barewire::rpc::Skipper;
    use barewire::transport::http::{Access, admit};
    let mut stand = Stand::new(1);
    let session = stand.open(R4);
    let asked = stand.send(&Request::post().session(&session), &call("1", "ask"));
    let head = Request::post().session(&session);
    let admitted = admit(&Access::LOCAL, &Names, &head, true).expect("admitted");
    let mut refuse = |body: Option<&str>| {
        let mut memory = [0; 256];
        let mut out = Sink::new(&mut memory);
        let mut skipper = Skipper::<16>::new();
        skipper.feed(body.unwrap_or_default().as_bytes());
        let rejection = skipper.finish();
        let found = body.map(|_| (&rejection, skipper.response_id()));
        let reply = stand.endpoint.receive_oversized(&admitted, found, &mut stand.app, &mut out);
        let line = reply.line().map(|line| (line.channel(), line.ends()));
        (reply.status().code(), line, String::from_utf8_lossy(out.finish().unwrap()).into_owned())
    };
    let too_long = |id: &str| (413, None, error(id, -32700, "Message too long"));
    assert_eq!(refuse(Some(&call("7", "now"))), too_long("7"));
    assert_eq!(refuse(Some("{")), too_long(""));
    assert_eq!(refuse(Some(&notification("x", "{}"))), too_long(""));
    assert_eq!(refuse(None), too_long(""));
    // The call that waits for a response continues without it.
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert_eq!(refuse(Some(answer)), (413, Some((asked.channel, true)), text("1", "malformed")));
    assert_eq!(refuse(Some(answer)), too_long(""));
}
