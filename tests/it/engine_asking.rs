//! Questions to the client: which client can be asked what, and how it reads.

use barewire::engine::{AskError, Handler, Storage, ToolCall, ToolReply};
use barewire::json::RawValue;
use barewire::mcp::{
    Elicitation, InputRequest, ProtocolVersion, Sampling, SamplingMessage, Schema, Tool, ToolChoice,
};

use crate::engine_kit::{
    App, Hosted, Log, Replied, Status, answer, answer_text, call, given_up, initialize, initialize_with,
    json, modern_of, question, reply, request, text, tick, written,
};

const FORM: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"yes":{"type":"boolean"}}}"#);
const TOOL_LIST: &[u8] = br#"[{"name":"look","inputSchema":{"type":"object"}}]"#;
const MESSAGES: &[SamplingMessage<'_>] = &[SamplingMessage::user("hi"), SamplingMessage::assistant("ho")];

/// Every kind of question, by the name of the tool that asks it.
const KINDS: [&str; 5] = ["form", "url", "sampling", "sampling_tools", "roots"];

/// Lets `ask` see a question of this kind.
pub(crate) fn with_kind<R>(kind: &str, ask: impl FnOnce(&InputRequest<'_>) -> R) -> R {
    match kind {
        "form" => ask(&Elicitation::form("Sure?", FORM).into()),
        "url" => ask(&Elicitation::url("Go there.", "https://example.com/", "e-1").into()),
        "sampling" => ask(&Sampling::new(MESSAGES, 5).into()),
        "sampling_tools" => {
            let tools = RawValue::new(TOOL_LIST).expect("JSON").as_array().expect("an array");
            ask(&Sampling::new(MESSAGES, 5).with_tools(tools, ToolChoice::Auto).into())
        }
        "roots" => ask(&InputRequest::Roots),
        other => panic!("no such kind: {other}"),
    }
}

/// What the server writes until nothing is due, in outputs of `room` bytes, at this time in milliseconds.
pub(crate) fn tick_all<A: Handler, S: Storage>(server: &mut Hosted<A, S>, room: usize, now: u64) -> String {
    let mut all = String::new();
    loop {
        let (lines, status) = tick(server, room, now);
        all += &lines;
        if status == Status::Done {
            return all;
        }
    }
}

/// The method, and the params in this revision; empty for none.
fn expected(kind: &str, version: ProtocolVersion) -> (&'static str, &'static str) {
    match kind {
        "form" => (
            "elicitation/create",
            r#"{"message":"Sure?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}}}}"#,
        ),
        // The id of a page's question is gone in 2026-07-28.
        "url" if version == ProtocolVersion::V2026_07_28 => {
            ("elicitation/create", r#"{"mode":"url","message":"Go there.","url":"https://example.com/"}"#)
        }
        "url" => (
            "elicitation/create",
            r#"{"mode":"url","message":"Go there.","url":"https://example.com/","elicitationId":"e-1"}"#,
        ),
        "sampling" => (
            "sampling/createMessage",
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"hi"}},{"role":"assistant","content":{"type":"text","text":"ho"}}],"maxTokens":5}"#,
        ),
        "sampling_tools" => (
            "sampling/createMessage",
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"hi"}},{"role":"assistant","content":{"type":"text","text":"ho"}}],"maxTokens":5,"tools":[{"name":"look","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"auto"}}"#,
        ),
        _ => ("roots/list", ""),
    }
}

/// What clients may declare, and which kinds they can be asked then, each with the first revision that has it.
const DECLARED: [(&str, &[(&str, &str)]); 13] = [
    ("{}", &[]),
    (r#"{"elicitation":{}}"#, &[("form", "2025-06-18")]),
    (r#"{"elicitation":{"form":{}}}"#, &[("form", "2025-06-18")]),
    (r#"{"elicitation":{"url":{}}}"#, &[("url", "2025-11-25")]),
    (r#"{"elicitation":{"url":{},"form":{}}}"#, &[("form", "2025-06-18"), ("url", "2025-11-25")]),
    // A mode that nobody knows is no mode: then it is forms.
    (r#"{"elicitation":{"smell":{}}}"#, &[("form", "2025-06-18")]),
    (r#"{"sampling":{}}"#, &[("sampling", "2024-11-05")]),
    (r#"{"sampling":{"context":{}}}"#, &[("sampling", "2024-11-05")]),
    (r#"{"sampling":{"tools":{}}}"#, &[("sampling", "2024-11-05"), ("sampling_tools", "2025-11-25")]),
    (r#"{"roots":{}}"#, &[("roots", "2024-11-05")]),
    (r#"{"roots":{"listChanged":true}}"#, &[("roots", "2024-11-05")]),
    (r#"{"roots":null,"sampling":true,"elicitation":[]}"#, &[]),
    (r#"{"Roots":{},"experimental":{"sampling":{}}}"#, &[]),
];

/// A tool for each kind, under its name; it answers with the answer.
fn app() -> App {
    App {
        tools: KINDS.map(|kind| Tool::new(kind, "Asks.")).to_vec(),
        call: |_, call, reply| {
            let name = call.name().as_str().expect("no escapes");
            Ok(with_kind(name, |request| reply.ask("k", request).done()))
        },
        resume: |_, resumed, reply| Ok(reply.text(answer_text(resumed.answer("k")).as_str())),
        ..App::new()
    }
}

fn legacy_session(version: ProtocolVersion, capabilities: &str) -> Hosted<App> {
    let mut server: Hosted<App> = Hosted::new(app());
    answer(&mut server, &initialize_with(version.as_str(), capabilities));
    server
}

fn tool_call(id: &str, tool: &str) -> String {
    request(id, "tools/call", &format!(r#"{{"name":"{tool}"}}"#))
}

/// What a tool of a legacy client fails with that wanted to ask that.
fn missing(kind: &str) -> String {
    let name = match kind {
        "form" => "elicitation",
        "url" => "elicitation.url",
        "sampling_tools" => "sampling.tools",
        name => name,
    };
    format!("Missing required client capability: {name}")
}

#[test]
fn a_legacy_client_is_asked_what_it_has_declared_and_its_revision_knows() {
    let mut asked = 0;
    for version in ProtocolVersion::ALL {
        if version == ProtocolVersion::V2026_07_28 {
            continue;
        }
        for (capabilities, kinds) in DECLARED {
            for kind in KINDS {
                // What a client of 2025-06-18 means that names a mode of a later revision is anybody's guess.
                if version < ProtocolVersion::V2025_11_25
                    && kind == "form"
                    && capabilities.contains("\"url\"")
                {
                    continue;
                }
                let mut server = legacy_session(version, capabilities);
                let row = format!("{version} {capabilities} {kind}");
                let found = answer(&mut server, &tool_call("7", kind));
                let can = kinds.iter().any(|(name, since)| *name == kind && *since <= version.as_str());
                if !can {
                    let refused = text("7", &missing(kind), true);
                    assert_eq!(found, refused, "{row}");
                    assert_eq!(server.next_deadline(), None, "{row}");
                    continue;
                }
                let (method, params) = expected(kind, version);
                assert_eq!(found, question(1, method, params), "{row}");
                let found = answer(&mut server, &reply("1", r#""a":1"#));
                assert_eq!(found, text("7", r#"{\"a\":1}"#, false), "{row}");
                asked += 1;
            }
        }
    }
    assert_eq!(asked, 30);
}

#[test]
fn a_modern_client_is_asked_what_this_request_declares() {
    let mut server: Hosted<App> = Hosted::new(app());
    let mut asked = 0;
    for (capabilities, kinds) in DECLARED {
        for kind in KINDS {
            let row = format!("{capabilities} {kind}");
            let members = format!(r#""name":"{kind}""#);
            let found = json(&answer(&mut server, &modern_of("7", "tools/call", &members, capabilities)));
            if kinds.iter().all(|(name, _)| *name != kind) {
                let needed = match kind {
                    "form" => r#"{"elicitation":{}}"#,
                    "url" => r#"{"elicitation":{"url":{}}}"#,
                    "sampling" => r#"{"sampling":{}}"#,
                    "sampling_tools" => r#"{"sampling":{"tools":{}}}"#,
                    _ => r#"{"roots":{}}"#,
                };
                let data = format!(r#"{{"requiredCapabilities":{needed}}}"#);
                assert_eq!(found["error"]["code"], -32021, "{row}");
                assert_eq!(found["error"]["message"], "Missing required client capability", "{row}");
                assert_eq!(found["error"]["data"].to_string(), data, "{row}");
                continue;
            }
            let (method, params) = expected(kind, ProtocolVersion::V2026_07_28);
            let question = match params {
                "" => format!(r#"{{"k":{{"method":"{method}"}}}}"#),
                _ => format!(r#"{{"k":{{"method":"{method}","params":{params}}}}}"#),
            };
            let question: serde_json::Value = serde_json::from_str(&question).expect("JSON");
            assert_eq!(found["result"]["resultType"], "input_required", "{row}");
            assert_eq!(found["result"]["inputRequests"], question, "{row}");
            // An empty state is not sent: a client may drop it.
            assert_eq!(found["result"].get("requestState"), None, "{row}");
            asked += 1;
        }
    }
    assert_eq!(asked, 12);
    // Nothing of it is kept.
    assert_eq!(server.next_deadline(), None);
    assert!(server.handler().log.events.is_empty());
}

#[test]
fn a_modern_question_byte_for_byte() {
    let mut server: Hosted<App> = Hosted::new(app());
    assert_eq!(
        answer(&mut server, &modern_of("7", "tools/call", r#""name":"roots""#, r#"{"roots":{}}"#)),
        concat!(
            r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}},"#,
            r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"app","version":"1"}}}}"#,
            "\n"
        )
    );
}

#[test]
fn without_a_session_there_is_nobody_to_ask() {
    let mut server: Hosted<App> = Hosted::new(app());
    for kind in KINDS {
        assert_eq!(answer(&mut server, &tool_call("7", kind)), text("7", &missing(kind), true));
    }
}

/// Asks whatever it is told to.
fn ask_twice<'a>(_: &mut Log, _: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Replied<'a> {
    let questions = with_kind("roots", |request| reply.ask("r", request));
    Ok(with_kind("form", |request| questions.ask("f", request)).done())
}

#[test]
fn of_several_questions_all_must_be_possible() {
    let app = || App::of_tool(ask_twice);
    for (capabilities, needed, name) in [
        (r#"{"roots":{}}"#, r#"{"elicitation":{}}"#, "form"),
        (r#"{"elicitation":{}}"#, r#"{"roots":{}}"#, "roots"),
        // The first that is missing is named.
        ("{}", r#"{"roots":{}}"#, "roots"),
    ] {
        let mut server: Hosted<App> = Hosted::new(app());
        let found = answer(&mut server, &modern_of("1", "tools/call", r#""name":"t""#, capabilities));
        assert_eq!(json(&found)["error"]["data"]["requiredCapabilities"].to_string(), needed);
        let mut server: Hosted<App> = Hosted::new(app());
        answer(&mut server, &initialize_with("2025-11-25", capabilities));
        assert_eq!(answer(&mut server, &call("1")), text("1", &missing(name), true));
        assert_eq!(server.next_deadline(), None);
    }
}

const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

#[test]
fn outside_of_a_call_the_client_is_asked_once_it_is_ready() {
    let all = r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}"#;
    let ask = |server: &mut Hosted<App>, kind: &str| {
        with_kind(kind, |request| written(server, 512, |server, out| server.ask(request, out).map(drop)))
    };
    let mut server: Hosted<App> = Hosted::new(app());
    for kind in KINDS {
        assert_eq!(ask(&mut server, kind), (String::new(), Err(AskError::NoSession)));
    }
    let ping = |server: &mut Hosted<App>| written(server, 512, |server, out| server.ping(out).map(drop));
    assert_eq!(ping(&mut server), (String::new(), Err(AskError::NoSession)));
    answer(&mut server, &initialize_with("2025-11-25", all));
    for kind in KINDS {
        assert_eq!(ask(&mut server, kind), (String::new(), Err(AskError::NoSession)));
    }
    // Only a ping is allowed before (MCP lifecycle).
    assert_eq!(ping(&mut server), (question(1, "ping", ""), Ok(())));
    // The client's own ping does not make it ready, any other request does, and so does its word.
    answer(&mut server, &request("1", "ping", ""));
    assert_eq!(ask(&mut server, "roots").1, Err(AskError::NoSession));
    answer(&mut server, READY);
    for (kind, id) in [("roots", 2), ("form", 3), ("url", 4)] {
        let (method, params) = expected(kind, ProtocolVersion::V2025_11_25);
        assert_eq!(ask(&mut server, kind), (question(id, method, params), Ok(())));
    }
    // Four wait.
    assert_eq!(ask(&mut server, "roots"), (String::new(), Err(AskError::Busy)));
    assert_eq!(ping(&mut server), (String::new(), Err(AskError::Busy)));
    assert_eq!(server.in_flight(), 0);
}

#[test]
fn outside_of_a_call_too_only_what_is_declared_and_known_is_asked() {
    for (version, capabilities, kind, is_asked) in [
        ("2025-11-25", "{}", "roots", false),
        ("2025-11-25", r#"{"elicitation":{"url":{}}}"#, "form", false),
        ("2025-11-25", r#"{"elicitation":{}}"#, "url", false),
        ("2025-11-25", r#"{"sampling":{}}"#, "sampling_tools", false),
        ("2025-03-26", r#"{"elicitation":{}}"#, "form", false),
        ("2025-06-18", r#"{"elicitation":{"url":{}}}"#, "url", false),
        ("2025-06-18", r#"{"elicitation":{}}"#, "form", true),
        ("2024-11-05", r#"{"roots":{}}"#, "roots", true),
    ] {
        let mut server: Hosted<App> = Hosted::new(app());
        answer(&mut server, &initialize_with(version, capabilities));
        answer(&mut server, READY);
        let (line, asked) = with_kind(kind, |request| {
            written(&mut server, 512, |server, out| server.ask(request, out).map(drop))
        });
        let wanted = if is_asked { Ok(()) } else { Err(AskError::MissingCapability) };
        assert_eq!(asked, wanted, "{version} {capabilities} {kind}");
        assert_eq!(line.is_empty(), !is_asked, "{version} {capabilities} {kind}");
    }
}

#[test]
fn a_modern_client_is_never_sent_a_request() {
    let mut server: Hosted<App> = Hosted::new(app());
    let all = r#"{"elicitation":{},"sampling":{},"roots":{}}"#;
    answer(&mut server, &modern_of("1", "server/discover", "", all));
    answer(&mut server, &modern_of("1", "tools/call", r#""name":"roots""#, all));
    let (line, asked) =
        written(&mut server, 512, |server, out| server.ask(&InputRequest::Roots, out).map(drop));
    assert_eq!((line.as_str(), asked), ("", Err(AskError::NoSession)));
    let (line, asked) = written(&mut server, 512, |server, out| server.ping(out).map(drop));
    assert_eq!((line.as_str(), asked), ("", Err(AskError::NoSession)));
}

#[test]
fn the_application_hears_the_answers_to_its_own_questions() {
    let mut server: Hosted<App> = Hosted::new(app());
    let _ = tick(&mut server, 512, 1000);
    answer(&mut server, &initialize_with("2025-06-18", r#"{"roots":{}}"#));
    answer(&mut server, READY);
    let ask = |server: &mut Hosted<App>| {
        let (_, token) = written(server, 512, |server, out| server.ask(&InputRequest::Roots, out));
        token.expect("a question")
    };
    let tokens = [ask(&mut server), ask(&mut server), ask(&mut server)];
    let pinged = written(&mut server, 512, |server, out| server.ping(out)).1;
    // In any order.
    assert_eq!(answer(&mut server, &reply("2", r#""roots":[]"#)), "");
    assert_eq!(answer(&mut server, r#"{"jsonrpc":"2.0","id":3,"error":{"code":-7,"message":"no"}}"#), "");
    assert_eq!(answer(&mut server, &reply("4", "")), "");
    assert_eq!(tick_all(&mut server, 512, 301_000), given_up(1));
    assert_eq!(
        server.handler().log.answered,
        [
            (tokens[1], r#"{"roots":[]}"#.to_string()),
            (tokens[2], "error -7".to_string()),
            (pinged.expect("a ping"), "{}".to_string()),
            (tokens[0], "timed out".to_string()),
        ]
    );
    // Once each.
    assert_eq!(answer(&mut server, &reply("2", r#""roots":[]"#)), "");
    assert_eq!(server.handler().log.answered.len(), 4);
    assert_eq!(server.handler().log.events.last().map(String::as_str), Some("response"));
}

#[test]
fn what_has_no_room_is_not_asked_and_may_be_asked_again() {
    let mut server: Hosted<App> = Hosted::new(app());
    answer(&mut server, &initialize("2025-06-18"));
    let line = question(1, "ping", "");
    for room in 0..line.len() {
        let (text, asked) = written(&mut server, room, |server, out| server.ping(out).map(drop));
        assert_eq!((text.as_str(), asked), ("", Err(AskError::NoRoom)), "{room}");
    }
    let (text, asked) = written(&mut server, line.len(), |server, out| server.ping(out).map(drop));
    assert_eq!((text, asked), (line, Ok(())));
    assert_eq!(answer(&mut server, &reply(r#""1""#, "")), "");
    assert!(server.handler().log.answered.is_empty());
}

#[test]
fn the_end_of_a_page_is_told_where_the_revision_has_a_message_for_it() {
    for version in ProtocolVersion::ALL {
        let mut server: Hosted<App> = Hosted::new(app());
        answer(&mut server, &initialize_with(version.as_str(), "{}"));
        let (line, is_told) =
            written(&mut server, 512, |server, out| server.elicitation_complete("e-1", out));
        assert_eq!(is_told, server.session() == Some(ProtocolVersion::V2025_11_25));
        let told = r#"{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e-1"}}"#;
        assert_eq!(line, if is_told { format!("{told}\n") } else { String::new() });
    }
}

#[test]
fn the_application_hears_that_its_question_is_void_after_a_reset() {
    let mut server: Hosted<App> = Hosted::new(app());
    answer(&mut server, &initialize_with("2025-11-25", "{}"));
    let (_, token) = written(&mut server, 512, |server, out| server.ping(out));
    server.reset();
    let expected = [(token.expect("a question"), "timed out".to_string())];
    assert_eq!(server.handler().log.answered, expected);
}
