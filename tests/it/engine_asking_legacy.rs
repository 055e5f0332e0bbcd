//! Questions to a legacy client: requests of the server's own, and how a call goes on with their answers.

use core::time::Duration;

use barewire::engine::{Fixed, Full, Options, Progress, Role, Server};
use barewire::json::JsonStr;
use barewire::mcp::{
    Capabilities, ClientCapabilities, Elicitation, InputRequest, LoggingLevel, Prompt, Resource, Schema, Tool,
};

use crate::engine_asking::tick_all;
use crate::engine_kit::{
    App, Hosted, Status, answer, answer_in, answer_text, call, cancel, error, given_up, initialize_with,
    json, question, reply, request, result, text, tick, written,
};

const ALL: &str = r#"{"elicitation":{},"sampling":{},"roots":{}}"#;
const FORM: Schema<'_> = Schema::new(r#"{"type":"object","properties":{}}"#);

fn roots(id: u32) -> String {
    question(id, "roots/list", "")
}

fn form(id: u32) -> String {
    question(
        id,
        "elicitation/create",
        r#"{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}"#,
    )
}

fn session_of<const CALLS: usize, const BYTES: usize>(
    app: App,
    version: &str,
) -> Hosted<App, Fixed<Full, CALLS, 2, 2, BYTES>> {
    let mut server = Hosted::of(Server::with_storage(Fixed::new()), app);
    let _ = tick(&mut server, 512, 1000);
    answer(&mut server, &initialize_with(version, ALL));
    server
}

fn session(app: App) -> Hosted<App> {
    session_of::<4, 512>(app, "2025-11-25")
}

/// Asks for the roots, and answers with what came, and with the state.
fn asking() -> App {
    App {
        resume: |_, resumed, reply| {
            let state = resumed.state();
            let content = reply.content().text(answer_text(resumed.answer("k")).as_str());
            Ok(content.text(state).done())
        },
        ..App::of_tool(|_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).keep("kept")))
    }
}

/// What [`asking`] answers.
fn answered(id: &str, with: &str, state: &str) -> String {
    result(
        id,
        &format!(
            r#""content":[{{"type":"text","text":"{}"}},{{"type":"text","text":"{state}"}}],"isError":false"#,
            with.replace('"', "\\\"")
        ),
    )
}

#[test]
fn an_answer_is_matched_by_the_type_and_the_value_of_its_id() {
    let mut server = session(asking());
    assert_eq!(answer(&mut server, &call("1")), roots(1));
    // Another id, the same digits as a string, another spelling of no integer, nothing.
    for id in [r#""1""#, "2", "0", "-1", "10", r#""""#, "18446744073709551617", "1.0", "1e0", "null"] {
        assert_eq!(answer(&mut server, &reply(id, "")), "", "{id}");
    }
    // What is no response and names no question answers nothing.
    for line in [
        r#"{"jsonrpc":"2.0","id":2,"result":3}"#,
        r#"{"jsonrpc":"2.0","id":"1","result":3}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#,
    ] {
        assert_eq!(answer(&mut server, line), "", "{line}");
    }
    assert_eq!(answer(&mut server, &reply("1", r#""a":"b""#)), answered("1", r#"{"a":"b"}"#, "kept"));
    // The second answer is one too many.
    assert_eq!(answer(&mut server, &reply("1", r#""a":2"#)), "");
    assert_eq!(server.handler().log.events.last().map(String::as_str), Some("response"));
}

#[test]
fn errors_and_malformed_answers_reach_the_handler() {
    let mut server = session(asking());
    for (id, line, seen) in [
        (1, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#, "error -1"),
        (2, r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"","data":[1]}}"#, "error -32601"),
        // An answer is whatever the client says.
        (3, r#"{"jsonrpc":"2.0","id":3,"result":{}}"#, "{}"),
        (4, r#"{"result":{"roots":7},"id":4,"jsonrpc":"2.0","x":1}"#, r#"{"roots":7}"#),
    ] {
        assert_eq!(answer(&mut server, &call("1")), roots(id));
        assert_eq!(answer(&mut server, line), answered("1", seen, "kept"), "{line}");
    }
}

#[test]
fn the_id_of_the_call_is_echoed_as_it_was_sent_and_is_in_use_meanwhile() {
    for id in ["1", r#""1""#, "-0", r#""a\u0062""#, "12345678901234567890", r#""ü""#] {
        let mut server = session(asking());
        assert_eq!(answer(&mut server, &call(id)), roots(1));
        assert_eq!(answer(&mut server, &call(id)), error(id, -32600, "Request id in use"));
        assert_eq!(server.in_flight(), 0);
        assert_eq!(answer(&mut server, &reply("1", "")), answered(id, "{}", "kept"));
        assert_eq!(answer(&mut server, &call(id)), roots(2));
    }
}

#[test]
fn calls_that_ask_go_on_in_any_order() {
    let mut server = session(asking());
    for id in 1..=4 {
        assert_eq!(answer(&mut server, &call(&format!("\"{id}\""))), roots(id));
    }
    // The table is full: for a question, not for what needs none.
    assert_eq!(answer(&mut server, &call("5")), error("5", -32603, "Server busy"));
    assert_eq!(answer(&mut server, &request("5", "ping", "")), result("5", ""));
    for id in [3, 1, 4, 2] {
        assert_eq!(
            answer(&mut server, &reply(&id.to_string(), "")),
            answered(&format!("\"{id}\""), "{}", "kept")
        );
    }
    // A call that was refused used no id.
    assert_eq!(answer(&mut server, &call("5")), roots(5));
}

/// Asks for the roots, then for a form, and answers with both; the state says what is known.
fn in_sequence() -> App {
    App {
        resume: |log, resumed, reply| {
            log.notes.push(format!(
                "{} {} {}",
                resumed.state().as_str().unwrap_or("?"),
                answer_text(resumed.answer("r")),
                answer_text(resumed.answer("f"))
            ));
            if resumed.answer("f").is_some() {
                return Ok(reply.text("both"));
            }
            let questions = reply.ask("f", &Elicitation::form("Sure?", FORM).into());
            Ok(questions.keep("roots known"))
        },
        ..App::of_tool(|_, _, reply| {
            let questions = reply.ask("r", &InputRequest::Roots);
            Ok(questions.ask("f", &Elicitation::form("Sure?", FORM).into()).done())
        })
    }
}

#[test]
fn several_questions_are_asked_one_after_the_other() {
    let mut server = session_of::<1, 512>(in_sequence(), "2025-06-18");
    assert_eq!(answer(&mut server, &call(r#""c""#)), roots(1));
    assert_eq!(answer(&mut server, &reply("1", r#""roots":[]"#)), form(2));
    assert_eq!(answer(&mut server, &call(r#""c""#)), error(r#""c""#, -32600, "Request id in use"));
    assert_eq!(answer(&mut server, &reply("2", r#""action":"cancel""#)), text(r#""c""#, "both", false));
    assert_eq!(
        server.handler().log.notes,
        [r#" {"roots":[]} nothing"#, r#"roots known nothing {"action":"cancel"}"#]
    );
}

#[test]
fn progress_and_log_messages_stand_before_the_question_and_progress_goes_on() {
    let app = App {
        offers: |offered| offered.insert(Capabilities::LOGGING),
        resume: |log, _, mut reply| {
            for step in [2, 3, 3, 4] {
                let is_told = reply.progress(Progress::new(step));
                log.notes.push(format!("{step} {is_told}"));
            }
            reply.log(LoggingLevel::Info, None, "after");
            Ok(reply.text("done"))
        },
        ..App::of_tool(|_, _, mut reply| {
            reply.progress(Progress::new(2).of(9));
            reply.log(LoggingLevel::Info, Some("l"), "before");
            Ok(reply.ask("k", &InputRequest::Roots).done())
        })
    };
    let mut server = session(app);
    let progress = |step: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":\"p\",\"progress\":{step}}}}}\n"
        )
    };
    let line = request("1", "tools/call", r#"{"name":"t","_meta":{"progressToken":"p"}}"#);
    let log = |members: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{\"level\":\"info\",{members}}}}}\n"
        )
    };
    assert_eq!(
        answer(&mut server, &line),
        [&progress(r#"2,"total":9"#), &log(r#""logger":"l","data":"before""#), &roots(1)]
            .map(String::as_str)
            .concat()
    );
    assert_eq!(
        answer(&mut server, &reply("1", "")),
        [&progress("3"), &progress("4"), &log(r#""data":"after""#), &text("1", "done", false)]
            .map(String::as_str)
            .concat()
    );
    assert_eq!(server.handler().log.notes, ["2 false", "3 true", "3 false", "4 true"]);
}

/// Nobody will send another.
#[test]
fn a_broken_response_to_a_question_ends_it() {
    for broken in [
        r#""result":3"#,
        r#""result":{},"error":{"code":1,"message":""}"#,
        r#""error":{"code":"1","message":""}"#,
        r#""error":3"#,
    ] {
        let mut server = session(asking());
        answer(&mut server, &call("7"));
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,{broken}}}"#);
        assert_eq!(answer(&mut server, &line), answered("7", "malformed", "kept"), "{line}");
        assert_eq!(tick_all(&mut server, 512, 301_000), "");
        assert_eq!(server.next_deadline(), None);
    }
    let mut server = session(asking());
    answer(&mut server, &call("7"));
    let line = r#"{"jsonrpc":"1.0","id":1,"result":{}}"#;
    assert_eq!(answer(&mut server, line), answered("7", "malformed", "kept"));
    // One that is too long to be kept too.
    answer(&mut server, &call("8"));
    server.skip(br#"{"jsonrpc":"2.0","result":{"a":"#);
    server.skip(br#""a long text"},"id":2}"#);
    let (lines, ()) = written(&mut server, 512, |server, out| server.skipped(out));
    assert_eq!(lines, answered("8", "malformed", "kept"));
}

#[test]
fn a_question_that_nobody_answers_is_given_up() {
    let mut server: Hosted<App> =
        Hosted::with_options(asking(), Options::DEFAULT.with_question_timeout(Duration::from_secs(1)));
    answer(&mut server, &initialize_with("2025-06-18", ALL));
    let tick = |server: &mut Hosted<App>, now: u64| tick(server, 512, now);
    assert_eq!(server.next_deadline(), None);
    assert_eq!(tick(&mut server, 5000), (String::new(), Status::Done));
    answer(&mut server, &call("1"));
    assert_eq!(server.next_deadline(), Some(Duration::from_millis(6000)));
    // Time does not go back.
    assert_eq!(tick(&mut server, 5400), (String::new(), Status::Done));
    assert_eq!(tick(&mut server, 0), (String::new(), Status::Done));
    answer(&mut server, &call("2"));
    assert_eq!(tick(&mut server, 5999), (String::new(), Status::Done));
    let lines = tick_all(&mut server, 512, 6000);
    assert_eq!(lines, given_up(1) + &answered("1", "timed out", "kept"));
    assert_eq!(server.next_deadline(), Some(Duration::from_millis(6400)));
    // The answer that was on its way is nobody's.
    assert_eq!(answer(&mut server, &reply("1", "")), "");
    assert_eq!(answer(&mut server, &reply("2", "")), answered("2", "{}", "kept"));
    assert_eq!(tick(&mut server, u64::MAX), (String::new(), Status::Done));
    assert_eq!(server.next_deadline(), None);
    // At the end of time too nothing overflows.
    answer(&mut server, &call("3"));
    assert_eq!(server.next_deadline(), Some(Duration::from_millis(u64::MAX)));
}

#[test]
fn questions_that_are_given_up_together_have_an_output_each() {
    let app = App { resume: |_, _, reply| Ok(reply.text("x".repeat(60).as_str())), ..asking() };
    let mut server = session(app);
    for id in 1..=3 {
        answer(&mut server, &call(&id.to_string()));
    }
    // Room for one answer, and for nothing besides.
    let answer = |id: &str| text(id, &"x".repeat(60), false);
    let lines = tick_all(&mut server, answer("1").len(), 301_000);
    let expected = (1..=3).map(given_up).chain(["1", "2", "3"].map(answer));
    assert_eq!(lines, expected.collect::<String>());
}

#[test]
fn a_question_that_times_out_may_be_asked_again() {
    let app = App {
        resume: |_, resumed, reply| {
            if resumed.state() == "again" {
                return Ok(reply.text(answer_text(resumed.answer("k")).as_str()));
            }
            Ok(reply.ask("k", &InputRequest::Roots).keep("again"))
        },
        ..asking()
    };
    let mut server = session_of::<1, 512>(app, "2025-11-25");
    answer(&mut server, &call("1"));
    assert_eq!(tick_all(&mut server, 512, 301_000), given_up(1) + &roots(2));
    assert_eq!(server.next_deadline(), Some(Duration::from_millis(601_000)));
    assert_eq!(answer(&mut server, &reply("1", "")), "");
    assert_eq!(answer(&mut server, &reply("2", "")), text("1", "{}", false));
}

#[test]
fn a_tick_ends_though_a_handler_always_asks_again() {
    for timeout in [Duration::ZERO, Duration::from_millis(1), Duration::from_secs(1)] {
        let app = App { resume: |_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).done()), ..asking() };
        let options = Options::DEFAULT.with_question_timeout(timeout);
        let mut server: Hosted<App> = Hosted::with_options(app, options);
        answer(&mut server, &initialize_with("2025-06-18", ALL));
        let _ = tick(&mut server, 512, 0);
        answer(&mut server, &call("1"));
        for (round, now) in (1..).zip([1000, 2000, u64::MAX - 1, u64::MAX]) {
            let lines = tick_all(&mut server, 512, now);
            // At the end of time nothing is late.
            let expected = match now {
                u64::MAX => String::new(),
                _ => given_up(round) + &roots(round + 1),
            };
            assert_eq!(lines, expected, "{timeout:?}, {now}");
            assert_eq!(tick(&mut server, 512, now), (String::new(), Status::Done));
        }
    }
}

#[test]
fn a_long_line_that_is_no_response_leaves_the_question_open() {
    let mut server = session(asking());
    answer(&mut server, &call("7"));
    server.skip(br#"{"jsonrpc":"2.0","id":1,"params":{"a":"a long text"}}"#);
    let (lines, ()) = written(&mut server, 512, |server, out| server.skipped(out));
    assert_eq!(
        lines,
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Message too long\"}}\n"
    );
    assert_eq!(answer(&mut server, &reply("1", "")), answered("7", "{}", "kept"));
}

#[test]
fn a_call_that_is_cancelled_takes_its_question_with_it() {
    let mut server = session(asking());
    answer(&mut server, &call("7"));
    answer(&mut server, &call("8"));
    // The numbers of the server's own requests are none of the client's.
    assert_eq!(answer(&mut server, &cancel("1")), "");
    assert_eq!(answer(&mut server, &cancel("7")), given_up(1));
    assert_eq!(answer(&mut server, &cancel("7")), "");
    assert_eq!(answer(&mut server, &reply("1", "")), "");
    assert_eq!(answer(&mut server, &reply("2", "")), answered("8", "{}", "kept"));
    // In no room at all it is cancelled too; nothing is owed.
    answer(&mut server, &call("9"));
    assert_eq!(answer_in(&mut server, 0, &cancel("9")), "");
    assert_eq!(answer(&mut server, &reply("3", "")), "");
    assert_eq!(answer(&mut server, &call("9")), roots(4));
}

#[test]
fn what_does_not_look_like_a_response_ends_no_question() {
    let mut server = session(asking());
    assert_eq!(answer(&mut server, &call("9")), roots(1));
    assert_eq!(answer(&mut server, r#"{"jsonrpc":"2.0","id":1}"#), error("1", -32600, "Invalid Request"));
    assert_eq!(answer(&mut server, &reply("1", "")), answered("9", "{}", "kept"));
}

#[test]
fn another_peer_is_not_taken_for_the_one_that_was_asked() {
    let mut server = session(asking());
    answer(&mut server, &call("1"));
    server.reset();
    assert_eq!(tick_all(&mut server, 512, 301_000), "");
    assert_eq!(server.next_deadline(), None);
    // The question was the call's, and not the application's.
    assert_eq!(server.handler().log.answered, []);
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    assert_eq!(answer(&mut server, &reply("1", "")), "");
    // Nor does the id come again.
    assert_eq!(answer(&mut server, &call("1")), roots(2));
    assert_eq!(answer(&mut server, &reply("1", "")), "");
    assert_eq!(answer(&mut server, &reply("2", "")), answered("1", "{}", "kept"));
}

#[test]
fn a_second_handshake_forgets_the_questions_and_what_the_client_could() {
    let mut server: Hosted<App> = Hosted::with_options(asking(), Options::DEFAULT.with_restart(true));
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    assert_eq!(answer(&mut server, &call("1")), roots(1));
    answer(&mut server, &initialize_with("2025-06-18", r#"{"sampling":{}}"#));
    assert_eq!(answer(&mut server, &reply("1", "")), "");
    assert_eq!(answer(&mut server, &call("1")), text("1", "Missing required client capability: roots", true));
    // Without that option the second one is refused, and the call goes on.
    let mut server = session(asking());
    answer(&mut server, &call("1"));
    let refused = answer(&mut server, &initialize_with("2025-06-18", "{}"));
    assert_eq!(json(&refused)["error"]["message"], "Already initialized");
    assert_eq!(answer(&mut server, &reply("1", "")), answered("1", "{}", "kept"));
    assert_eq!(answer(&mut server, &call("1")), roots(2));
}

#[test]
fn questions_and_answers_in_batches() {
    let mut server = session_of::<4, 512>(asking(), "2025-03-26");
    let batch = format!("[{},{},{}]", call("1"), request("2", "ping", ""), call("3"));
    assert_eq!(answer(&mut server, &batch), [roots(1), result("2", ""), roots(2)].concat());
    let batch = format!("[{},{},{},{}]", reply("2", ""), reply("9", ""), reply("1", ""), reply("1", ""));
    assert_eq!(
        answer(&mut server, &batch),
        [answered("3", "{}", "kept"), answered("1", "{}", "kept")].concat()
    );
}

#[test]
fn resources_and_prompts_ask_too() {
    let app = App {
        resources: vec![Resource::new("r:1", "r")],
        prompts: vec![Prompt::new("p")],
        read: |_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).keep("of a read")),
        prompt: |_, _, reply| {
            let questions = reply.ask("k", &InputRequest::Roots);
            Ok(questions.keep_with(|json| {
                json.integer(-7);
            }))
        },
        resume_read: |log, resumed, reply| {
            log.notes.push(format!(
                "{} {} {}",
                resumed.is("r:1"),
                resumed.state().as_str().unwrap_or("?"),
                answer_text(resumed.answer("k"))
            ));
            if answer_text(resumed.answer("k")) == "{}" {
                return Err(barewire::engine::CallError::NotFound);
            }
            Ok(reply.text(None, "read"))
        },
        resume_prompt: |log, resumed, reply| {
            log.notes.push(format!(
                "{} {} {}",
                resumed.is("p"),
                resumed.state().as_str().unwrap_or("?"),
                answer_text(resumed.answer("k"))
            ));
            Ok(reply.text(Role::User, "got"))
        },
        ..App::new()
    };
    let mut server = session(app);
    let read = |id: &str, uri: &str| request(id, "resources/read", &format!(r#"{{"uri":"{uri}"}}"#));
    assert_eq!(answer(&mut server, &read("1", "r:1")), roots(1));
    assert_eq!(
        answer(&mut server, &reply("1", r#""roots":[]"#)),
        result("1", r#""contents":[{"uri":"r:1","text":"read"}]"#)
    );
    // The URI comes back as it was sent.
    assert_eq!(answer(&mut server, &read("1", r"r:\u0031")), roots(2));
    assert_eq!(
        answer(&mut server, &reply("2", r#""roots":[]"#)),
        result("1", r#""contents":[{"uri":"r:\u0031","text":"read"}]"#)
    );
    assert_eq!(answer(&mut server, &read("1", "r:2")), roots(3));
    assert_eq!(answer(&mut server, &reply("3", "")), error("1", -32002, "Resource not found"));
    assert_eq!(answer(&mut server, &request("2", "prompts/get", r#"{"name":"p"}"#)), roots(4));
    assert_eq!(
        answer(&mut server, &reply("4", "")),
        result("2", r#""messages":[{"role":"user","content":{"type":"text","text":"got"}}]"#)
    );
    assert_eq!(
        server.handler().log.notes,
        [
            r#"true of a read {"roots":[]}"#,
            r#"true of a read {"roots":[]}"#,
            "false of a read {}",
            "true -7 {}"
        ]
    );
    // Without the capability they have no tool error to say so with.
    answer(&mut server, &request("9", "ping", ""));
    let mut server: Hosted<App> = Hosted::new(App {
        prompts: vec![Prompt::new("p")],
        prompt: |_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).done()),
        ..App::new()
    });
    assert_eq!(
        answer(&mut server, &request("2", "prompts/get", r#"{"name":"p"}"#)),
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":\"Missing required client capability\",\"data\":{\"requiredCapabilities\":{\"roots\":{}}}}}\n"
    );
}

#[test]
fn what_is_kept_comes_back_unchanged() {
    for state in ["", "a", "\"\\/\u{8}\n\u{1}", "ü€😀", "\u{7f}\u{2028}"] {
        // The state is an argument: handlers have no memory in this test.
        let app = App {
            tools: vec![Tool::new("t", "A tool.").with_schema(Schema::new(r#"{"type":"object"}"#))],
            call: |_, call, reply| {
                let state = call.string("s").expect("a string").as_str().map(str::to_string);
                let state = state.unwrap_or_else(|| {
                    let escaped = call.string("s").expect("a string").as_escaped().to_string();
                    serde_json::from_str(&format!("\"{escaped}\"")).expect("a string")
                });
                Ok(reply.ask("k", &InputRequest::Roots).keep(&state))
            },
            ..asking()
        };
        let mut server = session(app);
        let quoted = serde_json::to_string(state).expect("JSON");
        let line = request("1", "tools/call", &format!(r#"{{"name":"t","arguments":{{"s":{quoted}}}}}"#));
        assert_eq!(answer(&mut server, &line), roots(1), "{state:?}");
        let found = json(&answer(&mut server, &reply("1", "")));
        assert_eq!(found["result"]["content"][1]["text"], state, "{state:?}");
    }
}

#[test]
fn what_is_too_long_to_be_kept_is_refused_before_the_client_is_asked() {
    // `["k","t","…"]` and the id within 25 bytes.
    for (length, is_asked) in [(0, true), (12, true), (13, false), (14, false), (100, false)] {
        let app = App {
            call: |_, call, reply| {
                let length = usize::try_from(call.integer("n").expect("n")).expect("n");
                Ok(reply.ask("k", &InputRequest::Roots).keep(&"s".repeat(length)))
            },
            tools: vec![Tool::new("t", "A tool.").with_schema(Schema::new(r#"{"type":"object"}"#))],
            ..asking()
        };
        let mut server = session_of::<4, 25>(app, "2025-11-25");
        let line = request("1", "tools/call", &format!(r#"{{"name":"t","arguments":{{"n":{length}}}}}"#));
        let wanted = match is_asked {
            true => roots(1),
            false => error("1", -32603, "State too long"),
        };
        assert_eq!(answer(&mut server, &line), wanted, "{length}");
        // What was refused is not in flight, and has used no id.
        if !is_asked {
            assert_eq!(server.next_deadline(), None);
            let events = &server.handler().log.events;
            assert!(events.iter().any(|event| event.contains("`BYTES`")), "{events:?}");
        }
    }
}

#[test]
fn an_id_that_is_too_long_to_be_kept_is_refused_before_the_client_is_asked() {
    // With `["k","t","kept"]`, 16 bytes, the storage has room for 8 more.
    let mut server = session_of::<4, 24>(asking(), "2025-11-25");
    assert_eq!(answer(&mut server, &call("12345678")), roots(1));
    assert_eq!(answer(&mut server, &cancel("12345678")), given_up(1));
    let long = "1".repeat(25);
    assert_eq!(answer(&mut server, &call(&long)), error(&long, -32603, "Request id too long"));
    let with_token = |token: &str| {
        let params = format!(r#"{{"name":"t","_meta":{{"progressToken":"{token}"}}}}"#);
        request("1234", "tools/call", &params)
    };
    assert_eq!(
        answer(&mut server, &with_token(&"a".repeat(19))),
        error("1234", -32603, "Progress token too long")
    );
    // Each fits by itself, and not with the question.
    for line in [call("123456789"), with_token("abc")] {
        let refused = json(&answer(&mut server, &line));
        assert_eq!(refused["error"]["message"], "State too long");
    }
    assert_eq!(answer(&mut server, &with_token("ab")), roots(2));
}

#[test]
fn an_answer_for_another_key_is_no_answer() {
    let app = App {
        resume: |log, resumed, reply| {
            for key in ["k", "K", "", "kk"] {
                log.notes.push(answer_text(resumed.answer(key)));
            }
            assert_eq!(resumed.subject(), JsonStr::from_escaped("t").expect("a string"));
            assert!(resumed.context().params().is_none());
            assert!(resumed.context().client().has(ClientCapabilities::ROOTS));
            Ok(reply.text("done"))
        },
        ..asking()
    };
    let mut server = session(app);
    answer(&mut server, &call("1"));
    answer(&mut server, &reply("1", r#""k":1"#));
    assert_eq!(server.handler().log.notes, [r#"{"k":1}"#, "nothing", "nothing", "nothing"]);
}

#[test]
fn what_was_asked_before_any_time_was_told_counts_from_then() {
    const NOW: u64 = 1_785_231_000_000;
    let mut server: Hosted<App> = Hosted::new(asking());
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    answer(&mut server, &call("1"));
    assert_eq!(tick(&mut server, 512, NOW), (String::new(), Status::Done));
    let deadline = Duration::from_millis(NOW + 300_000);
    assert_eq!(server.next_deadline(), Some(deadline));
    assert_eq!(tick(&mut server, 512, NOW + 299_999), (String::new(), Status::Done));
    let lines = tick_all(&mut server, 512, NOW + 300_000);
    assert_eq!(lines, given_up(1) + &answered("1", "timed out", "kept"));
}

/// Writes one line that is due, to a client that is writable or not.
fn poll_once(server: &mut Hosted<App>, is_writable: bool) -> String {
    let (line, _) = written(server, 512, |hosted, out| {
        let Hosted { server, app, .. } = hosted;
        server.poll(|_| is_writable, app, out)
    });
    line
}

#[test]
fn what_comes_between_the_withdrawal_of_a_question_and_the_answer_of_its_call() {
    let withdrawing = || {
        let mut server = session(asking());
        answer(&mut server, &call("7"));
        let late = Duration::from_millis(301_000);
        server.server.set_time(late, late);
        assert_eq!(poll_once(&mut server, true), given_up(1));
        server
    };
    // No response belongs to it.
    for id in ["0", "1"] {
        let mut server = withdrawing();
        assert_eq!(answer(&mut server, &reply(id, "")), answered("7", "timed out", "kept"));
        assert_eq!(server.handler().log.events.last().map(String::as_str), Some("response"));
    }
    // A cancellation ends the call.
    let mut server = withdrawing();
    assert_eq!(answer(&mut server, &cancel("7")), "");
    assert_eq!(server.handler().log.answered, []);
    assert_eq!(answer(&mut server, &call("7")), roots(2));
}

#[test]
fn an_answer_that_comes_before_the_withdrawal_counts() {
    let mut server = session(App {
        resume: |log, resumed, reply| {
            log.notes.push(answer_text(resumed.answer("k")));
            let (token, outcome) = reply.defer()?;
            log.tokens.push(token);
            Ok(outcome)
        },
        ..asking()
    });
    answer(&mut server, &call("7"));
    let late = Duration::from_millis(301_000);
    server.server.set_time(late, late);
    assert_eq!(poll_once(&mut server, false), "");
    assert_eq!(answer(&mut server, &reply("1", "")), "");
    assert_eq!(server.handler().log.notes, ["{}"]);
    assert_eq!(server.in_flight(), 1);
}

#[test]
fn a_call_that_has_asked_may_be_answered_later() {
    let mut server = session(App {
        resume: |log, _, mut reply| {
            reply.progress(Progress::new(2));
            let (token, outcome) = reply.defer()?;
            log.tokens.push(token);
            Ok(outcome)
        },
        ..asking()
    });
    let line = request("7", "tools/call", r#"{"name":"t","_meta":{"progressToken":"p"}}"#);
    assert_eq!(answer(&mut server, &line), roots(1));
    assert!(answer(&mut server, &reply("1", "")).contains(r#""progress":2"#));
    // The question is over.
    assert_eq!(answer(&mut server, &reply("1", "")), "");
    assert_eq!(tick_all(&mut server, 512, 301_000), "");
    assert_eq!(server.in_flight(), 1);
    assert_eq!(answer(&mut server, &call("7")), error("7", -32600, "Request id in use"));
    let token = server.handler().log.tokens[0];
    for (step, is_told) in [(2, false), (3, true)] {
        let (line, told) =
            written(&mut server, 512, |server, out| server.progress(token, Progress::new(step), out));
        assert_eq!((!line.is_empty(), told), (is_told, Ok(is_told)));
    }
    let (line, _) = written(&mut server, 512, |server, out| {
        server.complete_tool(token, out, |result| Ok(result.text("done").done()))
    });
    assert_eq!(line, text("7", "done", false));
    assert_eq!(server.in_flight(), 0);
}

/// Without any patience too, a question that is asked again waits for the next moment.
#[test]
fn a_handler_that_asks_again_does_not_hold_up_the_time() {
    let mut server: Hosted<App> = Hosted::with_options(
        App { resume: |_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).done()), ..asking() },
        Options::DEFAULT.with_question_timeout(Duration::ZERO),
    );
    let _ = tick(&mut server, 512, 1000);
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    assert_eq!(answer(&mut server, &call("1")), roots(1));
    for (moment, id) in [(2000, 2), (2001, 3)] {
        let lines = tick_all(&mut server, 512, moment);
        assert_eq!(lines, given_up(id - 1) + &roots(id));
    }
}

/// A handler that would always ask again gets no answer, and its calls end.
#[test]
fn all_questions_end_where_the_client_is_gone() {
    let mut server =
        session(App { resume: |_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).done()), ..asking() });
    for id in ["1", "2"] {
        answer(&mut server, &call(id));
    }
    let end = |server: &mut Hosted<App>| written(server, 512, Hosted::end_questions);
    let missing = |id| text(id, "Missing required client capability: roots", true);
    // An answer may need the whole output.
    assert_eq!(end(&mut server), (given_up(1) + &given_up(2), Status::More));
    assert_eq!(end(&mut server), (missing("1"), Status::More));
    assert_eq!(end(&mut server), (missing("2"), Status::Done));
    assert_eq!(end(&mut server), (String::new(), Status::Done));
    assert_eq!(tick_all(&mut server, 512, 301_000), "");
    assert_eq!(server.next_deadline(), None);
}
