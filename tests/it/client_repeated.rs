//! Members that occur twice where a client reads: neither the first nor the last one counts.

use barewire::bytes::Sink;
use barewire::engine::client::ClientOptions;
use barewire::json::RawValue;
use barewire::mcp::{ClientCapabilities, Method, ProtocolVersion, check_result};

use crate::client_kit::{
    Host, HostClient, NOW, ask, client, client_of, connect, connected, connected_with, event, feed, line,
    sent, written,
};
use crate::support::results::{self, escaped, with_each_member_twice};

const LEGACY: ProtocolVersion = ProtocolVersion::V2025_11_25;
const MODERN: ProtocolVersion = ProtocolVersion::V2026_07_28;

fn result(result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":2,"result":{result}}}"#)
}

/// The outcome of this result of a method.
fn outcome(version: ProtocolVersion, method: &str, text: &str) -> String {
    let mut client = connected_with(tasks_too(), version);
    sent(&mut client, |client, out| client.request(ask().even_if_not_offered(), method, out, |_| {}));
    let event = event(&mut client, &result(text));
    assert_eq!(client.in_flight(), 0, "{text}");
    event
}

fn tasks_too() -> Host {
    Host::offering(|offered| offered.insert(ClientCapabilities::TASKS_EXTENSION))
}

fn method(name: &str) -> Method {
    Method::all().find(|method| method.name() == name).unwrap()
}

/// Each member at each depth in the schemas. `check_result` checks the members deeper than the engine reads.
#[test]
fn any_member_of_any_result_that_occurs_twice_makes_it_invalid() {
    let mut counts = [0, 0];
    for version in [LEGACY, MODERN] {
        for (name, text) in results::COMPLETE {
            if !method(name).is_in(version) {
                continue;
            }
            let sound = outcome(version, name, text);
            assert_eq!(sound, format!("{name} c: result {text}"));
            for (member, changed) in with_each_member_twice(text) {
                let event = outcome(version, name, &changed);
                if event != format!("{name} c: invalid Repeated") {
                    let object = RawValue::new(changed.as_bytes()).unwrap().as_object().unwrap();
                    let error = check_result(method(name), version, object).expect_err(&changed);
                    assert!(error.to_string().contains('.'), "{member} is not deep: {changed}");
                    counts[1] += 1;
                }
                counts[0] += 1;
            }
        }
    }
    let [all, deep] = counts;
    assert!(all > 600 && deep * 5 < all, "{all}, {deep}");
}

#[test]
fn each_member_that_is_read_may_occur_once() {
    let rows = [
        ("tools/call", r#""content":[],"content":[{"type":"text","text":"a"}]"#),
        ("tools/call", r#""content":[],"isError":false,"isError":true"#),
        ("tools/call", r#""isError":true,"content":[],"is\u0045rror":false"#),
        ("tools/call", r#""content":[],"structuredContent":{},"structuredContent":{"a":1}"#),
        ("tools/call", r#""content":[{"type":"text","text":"a","text":"b"}]"#),
        ("tools/call", r#""content":[{"type":"text","type":"image","text":"a"}]"#),
        ("tools/call", r#""content":[],"_meta":{},"_meta":{"a":1}"#),
        ("tools/call", r#""content":[],"_meta":{"a":1,"\u0061":2}"#),
        // Unknown members too: another parser may know them.
        ("tools/call", r#""content":[],"x":1,"x":1"#),
        ("tools/list", r#""tools":[],"nextCursor":"a","nextCursor":"b""#),
        ("tools/list", r#""tools":[],"tools":[{"name":"a","inputSchema":{}}]"#),
        ("tools/list", r#""tools":[{"name":"a","name":"b","inputSchema":{}}]"#),
        ("tools/list", r#""tools":[{"name":"a","inputSchema":{},"input\u0053chema":{"type":"object"}}]"#),
        ("resources/read", r#""contents":[],"contents":[{"uri":"a:b","text":""}]"#),
        ("resources/read", r#""contents":[{"uri":"a:b","uri":"a:c","text":""}]"#),
        ("prompts/get", r#""messages":[],"m\u0065ssages":[]"#),
        ("completion/complete", r#""completion":{"values":[],"values":["a"]}"#),
        ("tasks/get", r#""taskId":"t","taskId":"u","status":"working""#),
        ("tasks/get", r#""taskId":"t","status":"working","status":"failed""#),
        ("tasks/get", r#""taskId":"t","status":"working","pollInterval":1,"pollInterval":2"#),
        ("tasks/cancel", r#""taskId":"t","status":"cancelled","\u0073tatus":"failed""#),
    ];
    for version in [LEGACY, MODERN] {
        for (name, members) in rows {
            let expected = format!("{name} c: invalid Repeated");
            assert_eq!(outcome(version, name, &format!("{{{members}}}")), expected, "{members}");
        }
    }
}

#[test]
fn a_task_in_the_place_of_a_result_has_each_member_once() {
    let task = r#""taskId":"t","status":"working","pollInterval":5,"ttl":null"#;
    for (member, changed) in with_each_member_twice(&format!(r#"{{"task":{{{task}}}}}"#)) {
        let mut client = connected(LEGACY);
        sent(&mut client, |client, out| client.call_tool(ask().as_task(None), "t", out, |_| {}));
        assert_eq!(event(&mut client, &result(&changed)), "tools/call c: invalid Repeated", "{member}");
    }
    for (member, changed) in with_each_member_twice(&format!(r#"{{"resultType":"task",{task}}}"#)) {
        assert_eq!(outcome(MODERN, "tools/call", &changed), "tools/call c: invalid Repeated", "{member}");
    }
}

#[test]
fn a_question_in_the_place_of_a_result_has_each_member_once() {
    let text = concat!(
        r#"{"resultType":"input_required","inputRequests":{"#,
        r#""k":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a","elicitationId":"e"}},"#,
        r#""l":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{},"required":[]}}},"#,
        r#""s":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{}}],"maxTokens":1,"systemPrompt":"p"}},"#,
        r#""r":{"method":"roots/list"}},"requestState":"s"}"#
    );
    assert!(outcome(MODERN, "tools/call", text).contains("input required [k elicitation/create, l"));
    let mut count = 0;
    for (member, changed) in with_each_member_twice(text) {
        let event = outcome(MODERN, "tools/call", &changed);
        let allowed = ["ResultType", "InputRequired", "Repeated"];
        let is_invalid = allowed.iter().any(|fault| event == format!("tools/call c: invalid {fault}"));
        assert!(is_invalid, "{member} in {changed}: {event}");
        count += 1;
    }
    assert!(count > 100, "{count}");
}

/// The client passes these on unchanged.
#[test]
fn an_applications_own_members_are_its_own() {
    let structured = r#"{"content":[],"structuredContent":{"a":1,"a":2,"b":{"c":1,"c":2}}}"#;
    let schema =
        r#"{"tools":[{"name":"a","inputSchema":{"properties":{"x":{"type":"string","type":"number"}}}}]}"#;
    for version in [LEGACY, MODERN] {
        for (name, text) in [("tools/call", structured), ("tools/list", schema)] {
            assert_eq!(outcome(version, name, text), format!("{name} c: result {text}"));
        }
        let extension = r#"{"a":1,"a":2}"#;
        assert_eq!(outcome(version, "x/other", extension), format!("other c: result {extension}"));
    }
}

/// Each name costs a pass over the rest, so there is a limit. The maps of the application have none.
#[test]
fn objects_of_very_many_members_are_not_compared() {
    let many = |count: usize| {
        let members: Vec<String> = (0..count).map(|at| format!(r#""x{at}":{at}"#)).collect();
        members.join(",")
    };
    let of = |count: usize| format!(r#"{{"content":[],{}}}"#, many(count - 1));
    assert_eq!(outcome(LEGACY, "tools/call", &of(64)), format!("tools/call c: result {}", of(64)));
    assert_eq!(outcome(LEGACY, "tools/call", &of(65)), "tools/call c: invalid Repeated");
    let structured = format!(r#"{{"content":[],"structuredContent":{{{}}}}}"#, many(1000));
    assert_eq!(outcome(LEGACY, "tools/call", &structured), format!("tools/call c: result {structured}"));
}

#[test]
fn the_answer_to_initialize_has_each_member_once() {
    let text = concat!(
        r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"#,
        r#""resources":{"subscribe":true,"listChanged":false},"prompts":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},"#,
        r#""serverInfo":{"name":"s","version":"1","title":"t"},"instructions":"i"}"#
    );
    for (member, changed) in twice_at_any_depth(text) {
        let mut client = client();
        written(&mut client, |client, out| client.initialize_with(LEGACY, NOW, out).unwrap());
        let line = result(&changed).replace(r#""id":2"#, r#""id":1"#);
        assert_eq!(event(&mut client, &line), "incompatible: invalid Repeated", "{member} in {changed}");
        assert_eq!(client.version(), None);
    }
}

#[test]
fn the_answer_to_the_probe_has_each_member_once() {
    let text = concat!(
        r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"#,
        r#""extensions":{"io.modelcontextprotocol/tasks":{}}},"ttlMs":0,"cacheScope":"private","instructions":"i","#,
        r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}"#
    );
    for (member, changed) in twice_at_any_depth(text) {
        // A client of the modern era has nothing to fall back to.
        let mut client =
            client_of(Host::default(), ClientOptions::DEFAULT.with_versions(barewire::mcp::Versions::MODERN));
        written(&mut client, |client, out| client.connect(NOW, out).unwrap());
        let line = result(&changed).replace(r#""id":2"#, r#""id":1"#);
        let event = event(&mut client, &line);
        let allowed = ["Repeated", "Result"];
        let is_invalid = allowed.iter().any(|fault| event == format!("incompatible: invalid {fault}"));
        assert!(is_invalid, "{member} in {changed}: {event}");
    }
}

/// `with_each_member_twice`, and also inside values that are opaque in other results.
fn twice_at_any_depth(text: &str) -> Vec<(String, String)> {
    // Renames opaque members, and back.
    let hidden = text.replace("\"capabilities\"", "\"~capabilities\"").replace("\"_meta\"", "\"~_meta\"");
    let back = |text: String| {
        text.replace("\"~", "\"")
            .replace("\"\\u007Ecapabilities\"", "\"\\u0063apabilities\"")
            .replace("\"\\u007E_meta\"", "\"\\u005Fmeta\"")
    };
    with_each_member_twice(&hidden).into_iter().map(|(name, changed)| (name, back(changed))).collect()
}

#[test]
fn a_list_of_revisions_that_occurs_twice_is_not_taken() {
    let error = |data: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32022,"message":"m","data":{data}}}}}"#)
    };
    let twice = [
        r#"{"supported":["2025-06-18"],"supported":["2025-03-26"]}"#,
        r#"{"supported":["2025-06-18"],"\u0073upported":["2025-03-26"]}"#,
        r#"{"supported":["2025-06-18"],"requested":"a","requested":"b"}"#,
    ];
    for data in twice {
        // As on any error that is not a modern server's: `initialize` with the newest revision.
        let mut client = client();
        written(&mut client, |client, out| client.connect(NOW, out).unwrap());
        let (event, text) = feed(&mut client, &error(data));
        assert_eq!(event, "nothing");
        assert!(text.contains(r#""protocolVersion":"2025-11-25""#), "{text}");
        let mut client = crate::client_kit::client();
        written(&mut client, |client, out| client.initialize_with(LEGACY, NOW, out).unwrap());
        assert_eq!(self::event(&mut client, &error(data)), "incompatible: refused -32022 m");
    }
}

#[test]
fn a_request_of_a_server_has_each_member_once() {
    fn all(offered: &mut ClientCapabilities) {
        offered.insert(
            ClientCapabilities::ROOTS
                | ClientCapabilities::SAMPLING_TOOLS
                | ClientCapabilities::ELICITATION_FORM
                | ClientCapabilities::ELICITATION_URL,
        );
    }
    let rows = [
        ("elicitation/create", r#"{"mode":"url","message":"m","url":"https://a","elicitationId":"e"}"#),
        (
            "elicitation/create",
            r#"{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}"#,
        ),
        (
            "sampling/createMessage",
            r#"{"messages":[{"role":"user","content":{}}],"maxTokens":1,"systemPrompt":"p","tools":[],"toolChoice":{}}"#,
        ),
        ("roots/list", r#"{"_meta":{"a":1}}"#),
    ];
    let request = |name: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":"q","method":"{name}","params":{params}}}"#)
    };
    let refused = r#"{"jsonrpc":"2.0","id":"q","error":{"code":-32602,"message":"Invalid params"}}"#;
    for (name, params) in rows {
        let mut client = connected_with(Host::offering(all), LEGACY);
        let (event, _) = feed(&mut client, &request(name, params));
        assert_eq!(event, format!("request {name}: Done"));
        for (member, changed) in with_each_member_twice(params) {
            let (event, text) = feed(&mut client, &request(name, &changed));
            assert_eq!(event, format!("request {name}: Refused(ErrorCode(-32602))"), "{member} in {changed}");
            assert_eq!(line(&text), refused);
        }
        assert_eq!(client.app.asked.len(), 1, "{name}");
    }
}

/// A malformed one is passed on unchanged, and changes nothing.
#[test]
fn a_notification_has_each_member_once() {
    let mut client: HostClient = connect(Host::default(), LEGACY, crate::client_kit::OFFERS_ALL);
    sent(&mut client, |client, out| client.ping(ask().with_progress(), out));
    let rows = [
        (
            "notifications/progress",
            r#"{"progressToken":2,"progress":1,"total":2,"message":"m"}"#,
            "progress 1",
        ),
        ("notifications/message", r#"{"level":"error","logger":"l","data":1}"#, "log Error"),
        ("notifications/resources/updated", r#"{"uri":"a:b"}"#, "a:b updated"),
        ("notifications/cancelled", r#"{"requestId":7}"#, "cancelled 7"),
    ];
    for (name, params, sound) in rows {
        let notification =
            |params: &str| format!(r#"{{"jsonrpc":"2.0","method":"{name}","params":{params}}}"#);
        assert!(event(&mut client, &notification(params)).starts_with(sound), "{name}");
        for (member, changed) in with_each_member_twice(params) {
            let event = event(&mut client, &notification(&changed));
            assert_eq!(event, format!("notification {name}"), "{member} in {changed}");
        }
    }
}

/// Without a heap and in linear time, whatever a server sends.
#[test]
fn hostile_results_take_no_more_time_than_others() {
    let wide: Vec<String> = (0..4_000).map(|at| format!(r#""m{at}":[{{}}]"#)).collect();
    let rows = [
        format!(r#"{{"content":[],{}}}"#, wide.join(",")),
        format!(r#"{{"content":[{}{{}}]}}"#, r#"{"type":"text"},"#.repeat(4_000)),
        format!(r#"{{"content":[{{{}}}]}}"#, wide.join(",")),
        format!(r#"{{"{}":1,"content":[]}}"#, escaped(&"a".repeat(100_000)).trim_matches('"')),
    ];
    let mut memory = [0; 256];
    for text in rows {
        let mut client = connected(LEGACY);
        sent(&mut client, |client, out| client.call_tool(ask(), "t", out, |_| {}));
        let start = std::time::Instant::now();
        let line = result(&text);
        let _ = client.handle_frame(line.as_bytes(), NOW, &mut Sink::new(&mut memory));
        assert_eq!(client.in_flight(), 0);
        assert!(start.elapsed() < std::time::Duration::from_secs(5));
    }
}
