//! The numbered requirements of the specification that concern a client: one test each, named by its number, as in
//! `spec_rules`, which counts them.
//!
//! (M) is MUST, (N) MUST NOT. L is 2024-11-05 to 2025-11-25, R4 is 2025-11-25, R5 is 2026-07-28.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::client::{ClientOutcome, Incoming, RequestOptions};
use barewire::mcp::{ClientCapabilities, ListResult, ProtocolVersion};

use crate::client_kit::{
    Host, HostClient, MODERN_META, NOW, ask, client, connected, connected_with, event, feed, line, sent,
    show, unsent, written, written_and,
};

const LEGACY: ProtocolVersion = ProtocolVersion::V2025_11_25;
const MODERN: ProtocolVersion = ProtocolVersion::V2026_07_28;

/// What the client sends first.
fn first(client: &mut HostClient) -> String {
    let text = written(client, |client, out| client.connect(NOW, out).unwrap());
    line(&text).to_owned()
}

/// A client whose probe has the id 1.
fn probing() -> HostClient {
    let mut client = client();
    assert!(first(&mut client).contains(r#""id":1,"method":"server/discover""#));
    client
}

fn initializing() -> HostClient {
    let mut client = client();
    written(&mut client, |client, out| client.initialize_with(LEGACY, NOW, out).unwrap());
    client
}

fn calling(version: ProtocolVersion) -> HostClient {
    let mut client = connected(version);
    sent(&mut client, |client, out| client.call_tool(ask(), "t", out, |_| {}));
    client
}

fn result(id: u32, members: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{members}}}}}"#)
}

fn error(id: u32, code: i32, data: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"m","data":{data}}}}}"#)
}

/// 5 L (N) id reused by the same side in a session. R5 (N) id equal to one of its own unanswered requests.
#[test]
fn r05_no_id_is_used_twice() {
    for version in [LEGACY, MODERN] {
        let mut client = connected(version);
        let mut ids = Vec::new();
        for id in 2..20 {
            let text = sent(&mut client, |client, out| client.list_tools(ask(), None, out));
            ids.push(text[..40].to_owned());
            assert!(event(&mut client, &result(id, "")).starts_with("tools/list"));
        }
        ids.dedup();
        assert_eq!(ids.len(), 18);
    }
}

/// 19 R* a response to an unknown id is ignored.
#[test]
fn r19_a_response_to_an_unknown_id_is_ignored() {
    for version in [LEGACY, MODERN] {
        let mut client = calling(version);
        assert_eq!(event(&mut client, &result(3, "")), "unmatched 3");
        assert_eq!(event(&mut client, &error(4, 1, "{}")), "unmatched 4");
        assert_eq!(client.in_flight(), 1);
    }
}

/// 24 L (M) client sends `notifications/initialized` after a good result and before normal requests.
#[test]
fn r24_initialized_comes_after_a_good_result_and_before_requests() {
    let mut client = initializing();
    unsent(&mut client, |client, out| client.ping(ask(), out));
    let (shown, text) = feed(&mut client, &result(1, r#""protocolVersion":"2025-11-25","capabilities":{}"#));
    assert!(shown.starts_with("connected"));
    assert_eq!(line(&text), r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    sent(&mut client, |client, out| client.ping(ask(), out));
    // No other result is good.
    for members in ["", r#""protocolVersion":"x""#] {
        assert!(event(&mut initializing(), &result(1, members)).starts_with("incompatible"));
    }
    assert!(event(&mut initializing(), &error(1, -32603, "{}")).starts_with("incompatible"));
}

/// 25 L client disconnects if it does not know the answered version.
#[test]
fn r25_an_unknown_answered_version_ends_the_connection() {
    let mut client = initializing();
    let answer = result(1, r#""protocolVersion":"2031-01-01","capabilities":{"tools":{}}"#);
    assert_eq!(event(&mut client, &answer), "incompatible: version 2031-01-01");
    assert!(client.version().is_none() && !client.is_connecting());
    unsent(&mut client, |client, out| client.ping(ask(), out));
}

/// 27 L (M) `ping` is answered with `{}` at any time, both sides (no member except perhaps `_meta`).
#[test]
fn r27_a_ping_is_answered_with_nothing_in_it() {
    let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
    let pong = r#"{"jsonrpc":"2.0","id":"p","result":{}}"#;
    assert_eq!(line(&feed(&mut initializing(), ping).1), pong);
    for version in ProtocolVersion::ALL.into_iter().filter(|version| *version != MODERN) {
        assert_eq!(line(&feed(&mut calling(version), ping).1), pong);
    }
}

/// 28 L (N) client cancels `initialize`.
#[test]
fn r28_initialize_is_never_cancelled() {
    let mut client = initializing();
    let text = written(&mut client, |client, out| {
        let late = NOW + Duration::from_secs(1000);
        assert_eq!(show(&client.expire(late, out).unwrap()), "incompatible: timed out");
        assert!(client.disconnect().is_none());
    });
    assert_eq!(text, "");
}

/// 38 R5 (M) client reads a missing `resultType` as complete; an unknown one is an invalid response.
#[test]
fn r38_a_missing_result_type_is_complete_and_an_unknown_one_invalid() {
    assert_eq!(
        event(&mut calling(MODERN), &result(2, r#""content":[]"#)),
        r#"tools/call c: result {"content":[]}"#
    );
    assert_eq!(
        event(&mut calling(MODERN), &result(2, r#""resultType":"new","content":[]"#)),
        "tools/call c: invalid ResultType"
    );
}

/// 41 R5 (N) server writes a JSON-RPC request. (N) client writes a response.
/// 42 R5 client ignores an incoming request without writing anything; server ignores an incoming response.
#[test]
fn r42_a_modern_client_ignores_requests() {
    let mut client =
        connected_with(Host::offering(|offered| offered.insert(ClientCapabilities::ROOTS)), MODERN);
    for method in ["ping", "roots/list", "x"] {
        let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
        assert_eq!(event(&mut client, &request), format!("request {method}: Ignored"));
    }
    assert!(client.app.asked.is_empty());
}

/// 45 R5 (M) InputRequiredResult has `inputRequests` or `requestState`; client treats one with neither as invalid.
#[test]
fn r45_input_that_is_required_must_be_described() {
    let required = r#""resultType":"input_required""#;
    assert_eq!(event(&mut calling(MODERN), &result(2, required)), "tools/call c: invalid InputRequired");
    let state = format!(r#"{required},"requestState":"s""#);
    assert!(event(&mut calling(MODERN), &result(2, &state)).contains("input required"));
}

/// The retry after a result with these members.
fn retry(host: Host, members: &str) -> String {
    let mut client = connected_with(host, MODERN);
    let text = sent(&mut client, |client, out| {
        client.call_tool(ask(), "t", out, |arguments| {
            arguments.name("max").integer(30);
        })
    });
    assert!(
        text.contains(r#""id":2,"method":"tools/call","params":{"name":"t","arguments":{"max":30},"_meta""#)
    );
    let frame = result(2, &format!(r#""resultType":"input_required",{members}"#));
    let mut nothing = Sink::new(&mut []);
    let Incoming::Ended(ended) = client.handle_frame(frame.as_bytes(), NOW, &mut nothing) else {
        panic!("{frame}");
    };
    let ClientOutcome::InputRequired(input) = ended.outcome else {
        panic!("{frame}");
    };
    sent(&mut client, |client, out| {
        client.call_tool(ask().answering(input), "t", out, |arguments| {
            arguments.name("max").integer(30);
        })
    })
}

/// 48 R5 (M) retry has a different id, repeats method and params, answers all keys.
#[test]
fn r48_a_retry_repeats_its_request_and_answers_all_keys() {
    let host = Host::offering(|offered| {
        offered.insert(ClientCapabilities::ELICITATION_FORM | ClientCapabilities::ROOTS);
    });
    let form = r#"{"method":"elicitation/create","params":{"message":"?","requestedSchema":{}}}"#;
    let members = format!(r#""inputRequests":{{"a":{form},"b":{{"method":"roots/list"}},"c":{form}}}"#);
    let text = retry(host, &members);
    let accepted = r#"{"action":"accept","content":{"yes":true}}"#;
    let roots = r#"{"roots":[{"uri":"file:///a","name":"a"},{"uri":"file:///b"}]}"#;
    assert!(
        text.starts_with(&format!(
            r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"t","arguments":{{"max":30}},"inputResponses":{{"a":{accepted},"b":{roots},"c":{accepted}}},"_meta":"#
        )),
        "{text}"
    );
}

/// 49 R5 (M) `requestState` is echoed exactly (bytes after unescaping); (N) invented when none was given; (N) used on
/// another request.
#[test]
fn r49_the_request_state_goes_back_as_it_came_and_once() {
    for state in [r#""""#, r#""a\u0062\/\ud800""#, "\"\u{1F600}\""] {
        let text = retry(Host::default(), &format!(r#""requestState":{state}"#));
        assert!(text.contains(&format!(r#","requestState":{state},"_meta""#)), "{text}");
    }
    let text = retry(Host::default(), r#""inputRequests":{}"#);
    assert!(!text.contains("requestState"), "{text}");
    let mut client = calling(MODERN);
    event(&mut client, &result(2, r#""resultType":"input_required","requestState":"s""#));
    let text = sent(&mut client, |client, out| client.call_tool(ask(), "t", out, |_| {}));
    assert!(!text.contains("requestState"), "{text}");
}

/// 56 R5 (M) every listen notification carries `subscriptionId` with the type of the request id, and the client sorts by
/// it; two matching subscriptions get one copy each.
#[test]
fn r56_notifications_are_sorted_by_their_subscription() {
    let mut client = connected(MODERN);
    let mut tickets = Vec::new();
    for _ in 0..2 {
        let (_, ticket) = written_and(&mut client, |client, out| {
            client.listen(ask(), &barewire::engine::client::Subscription::default(), out)
        });
        tickets.push(ticket.unwrap());
    }
    for (id, expected) in [("3", Some(tickets[1])), ("2", Some(tickets[0])), (r#""2""#, None)] {
        let frame = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}}}"#
        );
        let mut nothing = Sink::new(&mut []);
        let found = match client.handle_frame(frame.as_bytes(), NOW, &mut nothing) {
            Incoming::ListChanged { subscription, .. } => subscription,
            Incoming::Notification(_) => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(found, expected, "{id}");
    }
}

/// 59 R5 (S) server-side end sends the listen response with `_meta.subscriptionId` equal to its id; client accepts result
/// or `cancelled` as the end.
#[test]
fn r59_a_subscription_ends_by_a_result_or_a_cancellation() {
    let ends = [
        (
            result(2, r#""resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":2}"#),
            "result",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#.to_owned(),
            "subscription ended",
        ),
    ];
    for (frame, expected) in ends {
        let mut client = connected(MODERN);
        sent(&mut client, |client, out| {
            client.listen(ask(), &barewire::engine::client::Subscription::default(), out)
        });
        let shown = event(&mut client, &frame);
        assert!(shown.contains(expected), "{shown}");
        assert_eq!(client.in_flight(), 0);
    }
}

/// 68 R* response that arrives after the own cancellation is ignored.
#[test]
fn r68_a_response_after_the_cancellation_is_ignored() {
    for version in ProtocolVersion::ALL {
        let mut client = connected(version);
        let (_, ticket) = written_and(&mut client, |client, out| client.list_tools(ask(), None, out));
        let ticket = ticket.unwrap();
        sent(&mut client, |client, out| client.cancel(ticket, None, out));
        assert_eq!(event(&mut client, &result(2, r#""tools":[]"#)), "unmatched 2");
        // One that has timed out is cancelled too.
        sent(&mut client, |client, out| client.list_tools(ask(), None, out));
        let text = written(&mut client, |client, out| {
            let late = NOW + Duration::from_secs(1000);
            assert_eq!(show(&client.expire(late, out).unwrap()), "tools/list c: timed out");
        });
        assert!(line(&text).contains(r#""method":"notifications/cancelled","params":{"requestId":3"#));
        assert_eq!(event(&mut client, &result(3, r#""tools":[]"#)), "unmatched 3");
    }
}

/// 69 R* cursor is opaque: sent back unchanged; missing `nextCursor` ends; R5 empty string does not end.
#[test]
fn r69_a_cursor_goes_back_unchanged() {
    for (version, meta) in [(LEGACY, String::new()), (MODERN, format!(",{MODERN_META}"))] {
        for cursor in [r#""""#, r#""p\u0032\/\ud800""#, r#""12""#] {
            let mut client = connected(version);
            sent(&mut client, |client, out| client.list_tools(ask(), None, out));
            let frame = result(2, &format!(r#""tools":[],"nextCursor":{cursor}"#));
            let mut nothing = Sink::new(&mut []);
            let Incoming::Ended(ended) = client.handle_frame(frame.as_bytes(), NOW, &mut nothing) else {
                panic!("{frame}");
            };
            let ClientOutcome::Result(page) = ended.outcome else {
                panic!("{frame}");
            };
            let next = ListResult::of(page).next_cursor();
            assert!(next.is_some());
            assert_eq!(
                sent(&mut client, |client, out| client.list_tools(ask(), next, out)),
                format!(
                    r#"{{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{{"cursor":{cursor}{meta}}}}}"#
                )
            );
        }
    }
    let last = result(2, r#""tools":[]"#);
    let page = barewire::json::RawValue::new(last.as_bytes()).unwrap();
    let page = page.as_object().unwrap().get("result").unwrap().as_object().unwrap();
    assert!(ListResult::of(page).next_cursor().is_none());
}

/// 78 … R5 client accepts -32002.
#[test]
fn r78_both_codes_of_a_missing_resource_are_accepted() {
    for version in ProtocolVersion::ALL {
        for code in [-32002, -32602] {
            let mut client = connected(version);
            sent(&mut client, |client, out| client.read_resource(ask(), "a:b", out));
            assert_eq!(
                event(&mut client, &error(2, code, r#"{"uri":"a:b"}"#)),
                format!(r#"resources/read c: protocol error {code} m {{"uri":"a:b"}}"#)
            );
        }
    }
}

/// 80 R4+ elicitation without `mode` is form; undeclared mode: R4 client -32602.
#[test]
fn r80_an_undeclared_mode_is_refused() {
    let ask = |params: &str| {
        let mut client = connected_with(
            Host::offering(|offered| offered.insert(ClientCapabilities::ELICITATION_FORM)),
            LEGACY,
        );
        let frame =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{{{params}}}}}"#);
        line(&feed(&mut client, &frame).1).to_owned()
    };
    let accepted = r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"yes":true}}}"#;
    let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params"}}"#;
    assert_eq!(ask(r#""message":"?","requestedSchema":{}"#), accepted);
    assert_eq!(ask(r#""mode":"form","message":"?","requestedSchema":{}"#), accepted);
    assert_eq!(ask(r#""mode":"url","message":"?","url":"https://x","elicitationId":"e""#), refused);
}

/// 81 R4 -32042 only for URL elicitation, with `data.elicitations`; R5 (N).
#[test]
fn r81_a_url_that_must_be_visited_is_an_error_with_its_data() {
    let data = r#"{"elicitations":[{"mode":"url","message":"?","url":"https://x","elicitationId":"e"}]}"#;
    assert_eq!(
        event(&mut calling(LEGACY), &error(2, -32042, data)),
        format!("tools/call c: protocol error -32042 m {data}")
    );
}

/// 85 dual (r) `server/discover` first, then `initialize`, works.
#[test]
fn r85_initialize_follows_a_probe_on_the_same_connection() {
    let mut client = probing();
    let (shown, text) = feed(&mut client, &error(1, -32601, "{}"));
    assert_eq!(shown, "nothing");
    assert!(line(&text).contains(r#""id":2,"method":"initialize""#));
    let (shown, _) = feed(&mut client, &result(2, r#""protocolVersion":"2025-11-25","capabilities":{}"#));
    assert_eq!(shown, "connected 2025-11-25 to None None");
}

/// 86 dual (N) a malformed modern `_meta` is treated as legacy. For a client: each of its requests has a whole one, and
/// none in the legacy era.
#[test]
fn r86_metadata_are_whole_or_absent() {
    let mut modern = connected(MODERN);
    let mut legacy = connected(LEGACY);
    for method in ["tools/list", "prompts/list", "x"] {
        let text = sent(&mut modern, |client, out| client.request(ask(), method, out, |_| {}));
        assert!(text.ends_with(&format!(r#""params":{{{MODERN_META}}}}}"#)), "{text}");
        let text = sent(&mut legacy, |client, out| client.request(ask(), method, out, |_| {}));
        assert!(!text.contains("_meta"), "{text}");
    }
    assert!(first(&mut client()).contains(MODERN_META));
}

/// 87 dual client (N) decides on one error code; (N) falls back to `initialize` after -32022 that lists a common modern
/// version.
#[test]
fn r87_a_modern_server_that_refuses_is_not_asked_to_initialize() {
    for list in [r#"["2026-07-28"]"#, r#"["2025-11-25","2026-07-28","2031-01-01"]"#] {
        let mut client = probing();
        let mut id = 1;
        loop {
            let (shown, text) = feed(&mut client, &error(id, -32022, &format!(r#"{{"supported":{list}}}"#)));
            assert!(!text.contains("initialize"), "{text}");
            if shown != "nothing" {
                assert!(shown.starts_with("incompatible"), "{shown}");
                break;
            }
            id += 1;
        }
        assert!(id > 1);
    }
    // Not on one code: see the next.
    let (_, text) = feed(&mut probing(), &error(1, -32022, "{}"));
    assert!(text.contains("initialize"));
}

/// 88 dual client falls back on timeout and on any other error.
#[test]
fn r88_any_other_error_and_silence_mean_the_legacy_era() {
    for code in [-32700, -32600, -32601, -32602, -32603, -32000, -32020, -32021, 0, 1, 404] {
        let (shown, text) = feed(&mut probing(), &error(1, code, "{}"));
        assert_eq!(shown, "nothing");
        assert!(line(&text).contains(r#""method":"initialize""#), "{code}");
    }
    let mut client = probing();
    let text = written(&mut client, |client, out| {
        let late = NOW + Duration::from_secs(5);
        assert_eq!(show(&client.expire(late, out).unwrap()), "nothing");
    });
    assert!(line(&text).contains(r#""method":"initialize""#));
}

/// 91 R5 ext (N) `resultType:"task"` without the extension in this request; (M) `tasks/get` result says complete.
#[test]
fn r91_a_task_needs_the_extension() {
    let task = r#""resultType":"task","taskId":"t","status":"working""#;
    assert_eq!(event(&mut calling(MODERN), &result(2, task)), "tools/call c: invalid ResultType");
    let mut client =
        connected_with(Host::offering(|offered| offered.insert(ClientCapabilities::TASKS_EXTENSION)), MODERN);
    let text = sent(&mut client, |client, out| client.call_tool(ask(), "t", out, |_| {}));
    assert!(text.contains(r#""extensions":{"io.modelcontextprotocol/tasks":{}}"#));
    assert!(event(&mut client, &result(2, task)).contains("task Some"));
    let (_, ticket) = written_and(&mut client, |client, out| {
        client.get_task(RequestOptions::at(NOW).with_context("g"), "t", out)
    });
    assert!(ticket.is_ok());
    let complete = r#""resultType":"complete","taskId":"t","status":"working""#;
    assert!(event(&mut client, &result(3, complete)).starts_with("tasks/get g: result"));
}
