//! Full tables, ids that are in use, errors and notifications that want more room than there is. For texts that do not fit see
//! `engine_kept`.

use barewire::engine::{
    Address, CallError, Channel, Fixed, Frame, Full, MIN_OUTPUT, Origin, Progress, Sent, Server,
};
use barewire::mcp::{Capabilities, LoggingLevel, Prompt, Resource};
use barewire::rpc::ErrorCode;

use crate::engine_kit::{
    App, Hosted, Status, answer, answer_in, call, cancel, error, initialize, json, modern, modern_with,
    request, result, text, written,
};

type Small = Hosted<App, Fixed<Full, 2, 2, 2, 64>>;

fn small(app: App) -> Small {
    Hosted::of(Server::with_storage(Fixed::new()), app)
}

#[test]
fn a_full_table_answers_busy_until_a_call_leaves_it() {
    let mut server = small(App::deferring());
    assert_eq!(answer(&mut server, &call("1")), "");
    assert_eq!(answer(&mut server, &call("2")), "");
    assert_eq!(server.in_flight(), 2);
    let busy = error("3", -32603, "Server busy");
    assert_eq!(answer(&mut server, &call("3")), busy);
    assert_eq!(answer(&mut server, &modern("3", "tools/call", r#""name":"t""#)), busy);
    // What needs no place in it is served.
    assert_eq!(answer(&mut server, &request("4", "ping", "")), result("4", ""));
    assert_eq!(answer(&mut server, &cancel("1")), "");
    assert_eq!(answer(&mut server, &call("3")), "");
    assert_eq!(server.in_flight(), 2);
}

#[test]
fn a_server_without_places_never_defers() {
    let server = Server::with_storage(Fixed::<Full, 0, 0, 0, 16>::new());
    let mut server = Hosted::of(server, App::deferring());
    assert_eq!(answer(&mut server, &call("1")), error("1", -32603, "Server busy"));
    let listen = modern("2", "subscriptions/listen", r#""notifications":{}"#);
    assert_eq!(answer(&mut server, &listen), error("2", -32601, "Method not found"));
}

#[test]
fn a_part_whose_tables_have_no_place_is_left_out() {
    let mut server = Hosted::of(
        Server::with_storage(Fixed::<Full, 4, 0, 0, 64>::new()),
        App {
            offers: |offered| {
                *offered = offered
                    .with(Capabilities::TASKS)
                    .with(Capabilities::RESOURCES_SUBSCRIBE)
                    .with(Capabilities::TASKS_EXTENSION);
            },
            resources: vec![Resource::new("r:1", "r")],
            ..App::of_tasks()
        },
    );
    let found = json(&answer(&mut server, &initialize("2025-11-25")));
    assert_eq!(found["result"]["capabilities"], serde_json::json!({"resources": {}, "tools": {}}));
    let found = json(&answer(&mut server, &modern("1", "server/discover", "")));
    assert_eq!(found["result"]["capabilities"], serde_json::json!({"resources": {}, "tools": {}}));
    let as_task = request("2", "tools/call", r#"{"name":"optional","task":{}}"#);
    assert_eq!(answer(&mut server, &as_task), text("2", "direct", false));
    for (method, params) in [("tasks/list", ""), ("resources/subscribe", r#"{"uri":"r:1"}"#)] {
        assert_eq!(
            answer(&mut server, &request("3", method, params)),
            error("3", -32601, "Method not found")
        );
    }
}

#[test]
fn a_server_without_places_for_sessions_keeps_nothing_for_one() {
    let mut server = Hosted::of(
        Server::with_storage(Fixed::<Full, 2, 2, 2, 64, 0>::new()),
        App {
            resources: vec![Resource::new("r:1", "r")],
            offers: |offered| offered.insert(Capabilities::RESOURCES_SUBSCRIBE),
            ..App::new()
        },
    );
    let busy = |id| error(id, -32603, "Server busy");
    assert_eq!(answer(&mut server, &initialize("2025-11-25")), busy("\"init\""));
    assert_eq!(server.session(), None);
    let subscribe = request("1", "resources/subscribe", r#"{"uri":"r:1"}"#);
    assert_eq!(answer(&mut server, &subscribe), error("1", -32603, "Server busy"));
    assert_eq!(
        written(&mut server, 512, |server, out| server.resource_updated("r:1", out)),
        (String::new(), Status::Done)
    );
}

#[test]
fn an_id_in_flight_is_in_use_for_every_request() {
    let mut server = small(App::deferring());
    answer(&mut server, &call(r#""a""#));
    let listen = modern("5", "subscriptions/listen", r#""notifications":{}"#);
    answer(&mut server, &listen);
    let in_use = |id| error(id, -32600, "Request id in use");
    for id in [r#""a""#, r#""\u0061""#, "5"] {
        for line in [
            call(id),
            request(id, "ping", ""),
            request(id, "nope", ""),
            modern(id, "tools/list", ""),
            modern(id, "subscriptions/listen", r#""notifications":{}"#),
            request(id, "initialize", r#"{"protocolVersion":"2025-11-25"}"#),
        ] {
            assert_eq!(answer(&mut server, &line), in_use(id), "{line}");
        }
    }
    // Another type or value is another id.
    for id in [r#""5""#, r#""A""#, "-5", "50"] {
        assert_eq!(answer(&mut server, &request(id, "ping", "")), result(id, ""));
    }
    let token = server.handler().log.tokens[0];
    let (line, _) =
        written(&mut server, 512, |server, out| server.complete_tool(token, out, |result| Ok(result.done())));
    assert_eq!(line, result(r#""a""#, r#""content":[],"isError":false"#));
    assert_eq!(answer(&mut server, &request(r#""a""#, "ping", "")), result(r#""a""#, ""));
}

#[test]
fn minus_zero_and_zero_are_one_id() {
    let mut server = small(App::deferring());
    answer(&mut server, &call("-0"));
    assert_eq!(answer(&mut server, &request("0", "ping", "")), error("0", -32600, "Request id in use"));
    answer(&mut server, &cancel("0"));
    assert_eq!(server.in_flight(), 0);
}

/// Each of the two is echoed as it was sent, however alike they are.
#[test]
fn a_progress_token_is_echoed_byte_for_byte_beside_an_equal_id() {
    for (id, progress_token) in
        [(r#""a""#, r#""\u0061""#), (r#""\u0061""#, r#""a""#), ("0", "-0"), ("7", r#""7""#), ("7", "7")]
    {
        let mut server = small(App::deferring());
        let line = request(
            id,
            "tools/call",
            &format!(r#"{{"name":"t","_meta":{{"progressToken":{progress_token}}}}}"#),
        );
        assert_eq!(answer(&mut server, &line), "");
        let token = server.handler().log.tokens[0];
        let (line, _) =
            written(&mut server, 512, |server, out| server.progress(token, Progress::new(1), out));
        assert!(line.contains(&format!(r#""progressToken":{progress_token},"#)), "{line}");
        let (line, _) = written(&mut server, 512, |server, out| {
            server.complete_tool(token, out, |result| Ok(result.text("x").done()))
        });
        assert_eq!(line, text(id, "x", false));
    }
}

#[test]
fn an_error_whose_id_does_not_fit_has_none() {
    let mut server: Hosted<App> = Hosted::new(App::deferring());
    let long = format!("\"{}\"", "i".repeat(100));
    for (line, code, message) in [
        (request(&long, "nope", ""), -32601, "Method not found"),
        (request(&long, "tools/list", r#"{"cursor":"x"}"#), -32602, "Invalid cursor"),
        (request(&long, "ping", ""), -32603, "Response too large"),
        (request(&long, "ping", "7"), -32600, "Invalid Request"),
    ] {
        assert_eq!(answer_in(&mut server, MIN_OUTPUT, &line), error("null", code, message));
    }
}

/// The output is smaller than [`MIN_OUTPUT`].
#[test]
fn a_request_for_which_not_even_an_error_fits_has_no_answer() {
    let mut server: Hosted<App> = Hosted::new(App::of_tool(|_, _, reply| Ok(reply.text("hello"))));
    let line = call("1");
    let least = error("1", -32603, "Response too large").len();
    let answered = Sent::To(Address::Request(Channel::ONLY));
    for (room, expected) in [(0, Sent::NoRoom), (least - 1, Sent::NoRoom), (least, answered)] {
        let (_, sent) = written(&mut server, room, |Hosted { server, app, .. }, out| {
            server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), app, out)
        });
        assert_eq!(sent, expected, "{room}");
    }
    assert_eq!(server.handler().log.events, ["no room", "no room"]);
}

#[test]
fn a_tool_error_takes_the_place_of_a_result_and_a_protocol_error_its() {
    let mut server: Hosted<App> =
        Hosted::new(App::of_tool(|_, _, reply| Ok(reply.text("x".repeat(1000).as_str()))));
    assert_eq!(answer_in(&mut server, 500, &call("1")), text("1", "Result too large", true));
    let least = text("1", "Result too large", true).len();
    assert_eq!(answer_in(&mut server, least, &call("1")), text("1", "Result too large", true));
    assert_eq!(answer_in(&mut server, least - 1, &call("1")), error("1", -32603, "Response too large"));
    // Not for what is no tool.
    let mut server: Hosted<App> = Hosted::new(App {
        resources: vec![Resource::new("r:", "r")],
        prompts: vec![Prompt::new("p")],
        read: |_, _, reply| Ok(reply.text(None, "x".repeat(1000).as_str())),
        prompt: |_, _, reply| Ok(reply.text(barewire::engine::Role::User, "x".repeat(1000).as_str())),
        ..App::new()
    });
    for line in
        [request("1", "resources/read", r#"{"uri":"r:"}"#), request("1", "prompts/get", r#"{"name":"p"}"#)]
    {
        assert_eq!(answer_in(&mut server, 500, &line), error("1", -32603, "Response too large"));
    }
}

#[test]
fn a_refusal_in_long_words_is_still_an_answer() {
    const LONG: &str =
        "This is refused for a reason that takes many words to say, more than there is room for here.";
    let mut server: Hosted<App> = Hosted::new(App::of_tool(|_, _, _| {
        Err(CallError::Refused { code: ErrorCode(7), message: LONG, data: None })
    }));
    assert_eq!(answer(&mut server, &call("1")), error("1", 7, LONG));
    for room in MIN_OUTPUT..error("1", 7, LONG).len() {
        let answer = answer_in(&mut server, room, &call("1"));
        assert!(
            answer == error("1", -32603, "Response too large") || answer == error("null", 7, LONG),
            "{room}: {answer}"
        );
    }
    assert!(!server.handler().log.events.contains(&"no room".to_string()));
}

#[test]
fn notifications_leave_room_for_the_answer() {
    let mut server: Hosted<App> = Hosted::new(App {
        offers: |offered| offered.insert(Capabilities::LOGGING),
        ..App::of_tool(|log, _, mut reply| {
            for step in 1..100 {
                let written = reply.progress(Progress::new(step).of(100));
                let logged = reply.log(LoggingLevel::Error, None, "a line for the log");
                log.notes.push(format!("{written} {logged}"));
            }
            Ok(reply.text("x".repeat(100).as_str()))
        })
    });
    let line = request("1", "tools/call", r#"{"name":"t","_meta":{"progressToken":1}}"#);
    for room in MIN_OUTPUT..1500 {
        let written = answer_in(&mut server, room, &line);
        let lines: Vec<&str> = written.split_inclusive('\n').collect();
        let (last, notifications) = lines.split_last().expect("an answer");
        assert!(last.contains(r#""id":1,"#), "{room}: {last}");
        assert!(notifications.iter().all(|line| line.contains(r#""method":"notifications/"#)));
    }
    // What was not written was told to be.
    assert!(server.handler().log.notes.iter().any(|note| note == "false false"));
    assert!(server.handler().log.notes.iter().any(|note| note == "true true"));
    assert!(!server.handler().log.events.contains(&"no room".to_string()));
}

#[test]
fn notifications_of_a_call_that_is_kept_are_all_that_it_writes() {
    let mut server: Hosted<App> = Hosted::new(App::of_tool(|log, _, mut reply| {
        reply.progress(Progress::new(1));
        let (token, outcome) = reply.defer()?;
        log.tokens.push(token);
        Ok(outcome)
    }));
    let line = modern_with("1", "tools/call", r#""name":"t""#, r#""progressToken":"p""#);
    assert_eq!(
        answer(&mut server, &line),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"p\",\"progress\":1}}\n"
    );
    let token = server.handler().log.tokens[0];
    let (line, known) =
        written(&mut server, 512, |server, out| server.progress(token, Progress::new(1), out));
    assert_eq!((line.as_str(), known), ("", Ok(false)));
}

#[test]
fn resources_that_are_watched_have_a_table() {
    let mut server = small(App {
        resources: ["r:1", "r:2", "r:3"].map(|uri| Resource::new(uri, "r")).to_vec(),
        offers: |offered| offered.insert(Capabilities::RESOURCES_SUBSCRIBE),
        ..App::new()
    });
    let subscribe = |uri: &str| request("1", "resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#));
    let unsubscribe = |uri: &str| request("1", "resources/unsubscribe", &format!(r#"{{"uri":"{uri}"}}"#));
    let (done, busy) = (result("1", ""), error("1", -32603, "Server busy"));
    assert_eq!(answer(&mut server, &subscribe("r:1")), done);
    assert_eq!(answer(&mut server, &subscribe("r:2")), done);
    assert_eq!(answer(&mut server, &subscribe("r:3")), busy);
    // What is watched already needs no place.
    assert_eq!(answer(&mut server, &subscribe(r"r\u003a1")), done);
    assert_eq!(answer(&mut server, &unsubscribe("r:1")), done);
    assert_eq!(answer(&mut server, &subscribe("r:3")), done);
    assert_eq!(answer(&mut server, &subscribe("r:1")), busy);
    assert_eq!(answer(&mut server, &unsubscribe(r"r:\u0033")), done);
    assert_eq!(answer(&mut server, &subscribe("r:1")), done);
}

#[test]
fn the_table_of_streams_has_an_end() {
    let mut server = small(App::deferring());
    let listen = |id| modern(id, "subscriptions/listen", r#""notifications":{}"#);
    for id in ["1", "2"] {
        assert!(answer(&mut server, &listen(id)).contains("acknowledged"));
    }
    assert_eq!(answer(&mut server, &listen("3")), error("3", -32603, "Server busy"));
    answer(&mut server, &cancel("1"));
    assert!(answer(&mut server, &listen("3")).contains("acknowledged"));
}

#[test]
fn an_acknowledgement_without_room_opens_no_stream() {
    let mut server: Hosted<App> = Hosted::new(App::deferring());
    let listen = modern("1", "subscriptions/listen", r#""notifications":{}"#);
    let least = answer(&mut server, &listen).len();
    answer(&mut server, &cancel("1"));
    assert_eq!(answer_in(&mut server, least - 1, &listen), error("1", -32603, "Response too large"));
    // The id is free, and so is the place.
    assert_eq!(answer_in(&mut server, least, &listen).len(), least);
    let (line, status) = written(&mut server, 512, |server, out| server.end_streams(out));
    assert_eq!((line.matches('\n').count(), status), (1, Status::Done));
}

#[test]
fn a_late_answer_without_room_stays_in_flight() {
    let mut server: Hosted<App> = Hosted::new(App::deferring());
    answer(&mut server, &call("1"));
    let token = server.handler().log.tokens[0];
    for room in 0..60 {
        let (line, status) = written(&mut server, room, |server, out| {
            server.complete_tool(token, out, |result| Ok(result.text("done").done()))
        });
        assert_eq!((line.as_str(), status), ("", Ok(Status::More)), "{room}");
        assert!(server.is_in_flight(token));
    }
    assert!(server.handler().log.events.iter().all(|event| event == "no room"));
    let (line, status) = written(&mut server, 512, |server, out| {
        server.complete_tool(token, out, |result| Ok(result.text("done").done()))
    });
    assert_eq!((line, status), (text("1", "done", false), Ok(Status::Done)));
    assert!(!server.is_in_flight(token));
}
