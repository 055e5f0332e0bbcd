//! Texts that the server keeps: ids, progress tokens, URIs and states of input requests. All of them share one arena. A text that does not fit
//! into what is free has an error of its own, also while a table is full. When its request, stream or task is gone, its bytes are free again.

use barewire::engine::{AskError, CallToken, Fixed, Full, Options, Progress, Server, Storage, TaskEnd};
use barewire::mcp::{
    Capabilities, InputRequest, Parameter, Prompt, PromptArgument, ResourceTemplate, TaskSupport, Tool, Type,
    UriTemplate,
};
use proptest::prelude::{ProptestConfig, any};
use proptest::test_runner::TestRunner;

use crate::engine_kit::{
    App, Hosted, Status, answer, call, cancel, error, given_up, initialize_with, json, modern, modern_of,
    question, reply, request, result, text, tick, written,
};
use crate::support::entropy::Entropy;

type Small<const SLOTS: usize, const BYTES: usize> = Hosted<App, Fixed<Full, SLOTS, SLOTS, SLOTS, BYTES>>;

const ROOTS: &str = r#"{"roots":{}}"#;
const TASKS: &str = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// The tool `t` defers its calls. The tool `ask`, the prompt and the resources ask, and keep a state: their argument or, for a resource, its
/// URI again. The tool `task` becomes a task, which asks too.
fn app() -> App {
    App {
        tools: vec![
            Tool::new("t", "A tool."),
            Tool::new("ask", "A tool.")
                .with_parameters(const { &[Parameter::optional("state", Type::STRING)] }),
            Tool::new("task", "A tool.").with_task_support(TaskSupport::Optional),
        ],
        templates: vec![ResourceTemplate::new(UriTemplate::new("r:{x}"), "r")],
        prompts: vec![Prompt::new("p").with_arguments(const { &[PromptArgument::optional("state")] })],
        offers: |offered| offered.insert(Capabilities::RESOURCES_SUBSCRIBE | Capabilities::TASKS),
        call: |log, call, reply| {
            if call.is("ask") {
                let state = call.string("state").map(|state| state.to_string());
                let questions = reply.ask("k", &InputRequest::Roots);
                return Ok(questions.keep(&state.unwrap_or_default()));
            }
            if call.may_be_task() {
                let (token, outcome) = reply.start_task()?;
                log.tasks.push(token);
                return Ok(outcome);
            }
            let (token, outcome) = reply.defer()?;
            log.tokens.push(token);
            Ok(outcome)
        },
        read: |_, read, reply| {
            let state = read.uri().to_string();
            Ok(reply.ask("k", &InputRequest::Roots).keep(&state))
        },
        prompt: |_, get, reply| {
            let state = get.argument("state").map(|state| state.to_string());
            let questions = reply.ask("k", &InputRequest::Roots);
            Ok(questions.keep(&state.unwrap_or_default()))
        },
        resume: |_, resumed, reply| {
            assert!(resumed.is("ask"));
            assert!(resumed.answer("k").is_some());
            Ok(reply.text(resumed.state()))
        },
        task_result: |_, _, content| Ok(content.text("done").done()),
        task_questions: |_, _, questions| {
            questions.ask("k", &InputRequest::Roots);
        },
        ..App::new()
    }
}

/// A server whose client has opened a session, and can be asked for its roots.
fn server_of<S: Storage>(server: Server<S>) -> Hosted<App, S> {
    let mut server = Hosted::of(server, app());
    answer(&mut server, &initialize_with("2025-11-25", ROOTS));
    answer(&mut server, READY);
    server.handler_mut().log.events.clear();
    server
}

fn small<const SLOTS: usize, const BYTES: usize>() -> Small<SLOTS, BYTES> {
    server_of(Server::with_storage(Fixed::new()))
}

fn uri(length: usize) -> String {
    format!("r:{}", "a".repeat(length - 2))
}

fn with_token(id: &str, tool: &str, members: &str, token: &str) -> String {
    let params = format!(r#"{{"name":"{tool}"{members},"_meta":{{"progressToken":{token}}}}}"#);
    request(id, "tools/call", &params)
}

fn listen(id: &str, uris: &[&str]) -> String {
    let uris: Vec<String> = uris.iter().map(|uri| format!(r#""{uri}""#)).collect();
    let members = format!(r#""notifications":{{"resourceSubscriptions":[{}]}}"#, uris.join(","));
    modern(id, "subscriptions/listen", &members)
}

fn subscribe(uri: &str) -> String {
    request("1", "resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#))
}

fn unsubscribe(uri: &str) -> String {
    request("1", "resources/unsubscribe", &format!(r#"{{"uri":"{uri}"}}"#))
}

fn ask(id: &str, state: &str) -> String {
    let params = format!(r#"{{"name":"ask","arguments":{{"state":"{state}"}}}}"#);
    request(id, "tools/call", &params)
}

/// Length of what is kept of a question of the tool `ask`.
fn kept_of(state: &str) -> usize {
    format!(r#"["k","ask","{state}"]"#).len()
}

fn busy(id: &str) -> String {
    error(id, -32603, "Server busy")
}

fn id_too_long(id: &str) -> String {
    error(id, -32603, "Request id too long")
}

fn token_too_long(id: &str) -> String {
    error(id, -32603, "Progress token too long")
}

fn state_too_long(id: &str) -> String {
    error(id, -32603, "State too long")
}

fn uri_too_long(id: &str) -> String {
    error(id, -32602, "Resource URI too long")
}

/// Checks by ids that exactly this number of bytes is free.
fn assert_free<S: Storage>(server: &mut Hosted<App, S>, count: usize) {
    let (fits, long) = ("9".repeat(count), "9".repeat(count + 1));
    assert_eq!(answer(server, &call(&long)), id_too_long(&long), "{count} are free");
    if count > 0 {
        let answered = answer(server, &call(&fits));
        assert!(answered.is_empty() || answered == busy(&fits), "{count} are free: {answered}");
        if answered.is_empty() {
            server.handler_mut().log.tokens.pop();
        }
        answer(server, &cancel(&fits));
    }
}

#[test]
fn an_id_takes_room_while_its_request_is_open() {
    let mut server = small::<2, 16>();
    for long in [r#""123456789012345""#, "12345678901234567"] {
        for line in
            [call(long), modern(long, "tools/call", r#""name":"t""#), ask(long, ""), listen(long, &[])]
        {
            assert_eq!(answer(&mut server, &line), id_too_long(long), "{line}");
        }
        // A request that is answered at once keeps nothing.
        assert_eq!(answer(&mut server, &request(long, "ping", "")), result(long, ""));
    }
    for fits in [r#""12345678901234""#, "1234567890123456", r#""\u0061\u0062""#] {
        assert_free(&mut server, 16);
        assert_eq!(answer(&mut server, &call(fits)), "");
        assert_free(&mut server, 16 - fits.len());
        answer(&mut server, &cancel(fits));
        assert_free(&mut server, 16);
        assert!(answer(&mut server, &listen(fits, &[])).contains("acknowledged"));
        assert_free(&mut server, 16 - fits.len());
        answer(&mut server, &cancel(fits));
    }
    assert_free(&mut server, 16);
}

#[test]
fn a_progress_token_takes_room_unless_it_is_the_id() {
    let mut server = small::<2, 32>();
    let long = r#""12345678901234567890123456789""#;
    assert_eq!(answer(&mut server, &with_token(long, "t", "", "77")), token_too_long(long));
    assert_eq!(answer(&mut server, &with_token("7", "t", "", &"8".repeat(32))), token_too_long("7"));
    assert_free(&mut server, 32);
    assert_eq!(answer(&mut server, &with_token(long, "t", "", long)), "");
    assert_free(&mut server, 1);
    answer(&mut server, &cancel(long));
    assert_eq!(answer(&mut server, &with_token("7", "t", "", &"8".repeat(31))), "");
    assert_free(&mut server, 0);
    let deferred = *server.handler().log.tokens.last().expect("a token");
    let (line, _) = written(&mut server, 512, |server, out| server.progress(deferred, Progress::new(1), out));
    assert!(line.contains(&format!(r#""progressToken":{},"#, "8".repeat(31))), "{line}");
    answer(&mut server, &cancel("7"));
    assert_free(&mut server, 32);
    // A call that is answered at once keeps nothing.
    let mut server = Hosted::of(
        Server::with_storage(Fixed::<Full, 1, 1, 1, 8>::new()),
        App::of_tool(|_, _, mut reply| {
            reply.progress(Progress::new(1));
            Ok(reply.text("x"))
        }),
    );
    let answered = answer(&mut server, &with_token("7", "t", "", &"8".repeat(100)));
    assert!(answered.ends_with(&text("7", "x", false)));
}

#[test]
fn a_text_that_does_not_fit_is_named_before_a_full_table() {
    let (long_id, long_token) = ("1".repeat(15), "2".repeat(14));
    let mut server = small::<1, 16>();
    for is_full in [false, true] {
        assert_eq!(answer(&mut server, &call(&"1".repeat(17))), id_too_long(&"1".repeat(17)), "{is_full}");
        assert_eq!(
            answer(&mut server, &listen(&"1".repeat(17), &[])),
            id_too_long(&"1".repeat(17)),
            "{is_full}"
        );
        assert_eq!(
            answer(&mut server, &with_token("77", "t", "", &"2".repeat(15))),
            token_too_long("77"),
            "{is_full}"
        );
        assert_eq!(answer(&mut server, &subscribe(&uri(17))), uri_too_long("1"), "{is_full}");
        if !is_full {
            assert_eq!(answer(&mut server, &call("4")), "");
            assert!(answer(&mut server, &listen("5", &["r:3"])).contains("acknowledged"));
            assert_free(&mut server, 11);
        }
    }
    // Now they do not fit into what is left.
    assert_eq!(answer(&mut server, &call(&long_id)), id_too_long(&long_id));
    assert_eq!(answer(&mut server, &with_token("3", "t", "", &long_token)), token_too_long("3"));
    // These would fit, if there were a place.
    assert_eq!(answer(&mut server, &call("3")), busy("3"));
    assert_eq!(answer(&mut server, &listen("3", &[])), busy("3"));
    assert_eq!(answer(&mut server, &subscribe("r:4")), busy("1"));
    for id in ["4", "5"] {
        answer(&mut server, &cancel(id));
    }
    assert_free(&mut server, 16);
}

#[test]
fn a_uri_that_is_too_long_to_be_watched() {
    let mut server = small::<2, 32>();
    for length in [33, 34, 100, 5000] {
        assert_eq!(answer(&mut server, &subscribe(&uri(length))), uri_too_long("1"), "{length}");
    }
    assert_free(&mut server, 32);
    for taken in [uri(29), uri(3), uri(29)] {
        assert_eq!(answer(&mut server, &subscribe(&taken)), result("1", ""));
    }
    assert_free(&mut server, 0);
    assert_eq!(answer(&mut server, &unsubscribe(&uri(29))), result("1", ""));
    assert_free(&mut server, 29);
    // As it is written: an escape takes six bytes.
    let escaped = r"r:\u0061\u0061\u0061\u0061\u0061";
    assert_eq!(answer(&mut server, &subscribe(escaped)), uri_too_long("1"));
    let escaped = r"r:\u0061\u0061\u0061\u0061";
    assert_eq!(answer(&mut server, &subscribe(escaped)), result("1", ""));
    assert_free(&mut server, 3);
    // An unknown resource is not found, however long its URI.
    assert_eq!(answer(&mut server, &subscribe(&"x".repeat(100))), error("1", -32002, "Resource not found"));
    // A resource that cannot be watched can still be unsubscribed from.
    assert_eq!(answer(&mut server, &unsubscribe(&uri(100))), result("1", ""));
    // However the client spells it.
    for watched in ["r:aaaa", r"r:\u0061"] {
        assert_eq!(answer(&mut server, &unsubscribe(watched)), result("1", ""));
    }
    assert_free(&mut server, 32);
}

#[test]
fn a_uri_that_is_too_long_for_a_stream() {
    let mut server = small::<3, 32>();
    for uris in
        [vec![uri(32)], vec!["r:1".to_owned(), uri(32)], vec!["r:1".to_owned(), "r:2".to_owned(), uri(5000)]]
    {
        let uris: Vec<&str> = uris.iter().map(String::as_str).collect();
        assert_eq!(answer(&mut server, &listen("1", &uris)), uri_too_long("1"), "{uris:?}");
        // No stream is open, and nothing is watched.
        assert_free(&mut server, 32);
    }
    let fits = uri(31);
    assert!(answer(&mut server, &listen("1", &[&fits])).contains(&fits));
    assert_free(&mut server, 0);
    answer(&mut server, &cancel("1"));
    let (first, second) = (uri(20), uri(11));
    let acknowledged = answer(&mut server, &listen("1", &[&first, &second, &first]));
    assert!(acknowledged.contains(&format!(r#""resourceSubscriptions":["{first}","{second}"]"#)));
    assert_free(&mut server, 0);
    let (line, _) = written(&mut server, 512, |server, out| server.resource_updated(&second, out));
    assert!(line.contains(&second), "{line}");
    let (line, _) = written(&mut server, 512, |server, out| server.end_streams(out));
    assert_eq!(json(&line)["id"], 1);
    assert_free(&mut server, 32);
    // A server whose resources cannot be watched keeps no URI.
    let mut server =
        Hosted::of(Server::with_storage(Fixed::<Full, 2, 2, 2, 32>::new()), App { offers: |_| {}, ..app() });
    assert!(answer(&mut server, &listen("1", &[&uri(33)])).contains("acknowledged"));
    assert_free(&mut server, 31);
}

#[test]
fn a_token_that_is_too_long_for_a_task() {
    let options = Options::DEFAULT.with_task_ttl(core::time::Duration::from_secs(1));
    let server = Server::with_storage(Fixed::<Full, 1, 2, 1, 48>::new()).with_options(options);
    let mut server = server_of(server);
    let long = "2".repeat(49);
    let asked = |token: &str| with_token("1", "task", r#","task":{}"#, token);
    for _ in 0..3 {
        assert_eq!(answer(&mut server, &asked(&long)), token_too_long("1"));
    }
    assert!(server.handler().log.tasks.is_empty(), "the tool does not run");
    let _ = tick(&mut server, 512, 0);
    assert!(answer(&mut server, &asked(&long[..48])).contains("taskId"));
    assert_free(&mut server, 0);
    let token = server.handler().log.tasks[0];
    let (line, _) =
        written(&mut server, 512, |server, out| server.task_progress(token, Progress::new(1), out));
    assert!(line.contains(&long[..48]));
    // It is kept as long as the task.
    assert!(
        written(&mut server, 512, |server, out| { server.finish_task(token, TaskEnd::Completed, out) })
            .0
            .contains("completed")
    );
    assert_free(&mut server, 0);
    let _ = tick(&mut server, 512, 1000);
    assert_eq!(server.handler().log.events.last().map(String::as_str), Some("task forgotten"));
    assert_free(&mut server, 48);
    // A modern task reports no progress after its response, so it keeps no token.
    let modern = modern_of("2", "tools/call", r#""name":"task""#, TASKS)
        .replace(r#""_meta":{"#, &format!(r#""_meta":{{"progressToken":{long},"#));
    assert!(answer(&mut server, &modern).contains("taskId"));
    assert_free(&mut server, 48);
}

#[test]
fn a_request_for_the_result_of_a_task_keeps_its_id_only() {
    let mut server = small::<1, 24>();
    let started = answer(&mut server, &request("1", "tools/call", r#"{"name":"task","task":{}}"#));
    let task = json(&started)["result"]["task"]["taskId"].to_string();
    let wait =
        |id: &str, members: &str| request(id, "tasks/result", &format!(r#"{{"taskId":{task}{members}}}"#));
    let long = "1".repeat(25);
    assert_eq!(answer(&mut server, &wait(&long, "")), id_too_long(&long));
    // No progress is reported under its token.
    let token = format!(r#","_meta":{{"progressToken":{long}}}"#);
    assert_eq!(answer(&mut server, &wait("22", &token)), "");
    assert_free(&mut server, 22);
    assert_eq!(answer(&mut server, &wait("3", "")), busy("3"));
    let token = server.handler().log.tasks[0];
    let (lines, _) =
        written(&mut server, 1024, |server, out| server.finish_task(token, TaskEnd::Completed, out));
    assert!(lines.contains(r#""id":22,"#), "{lines}");
    assert_free(&mut server, 24);
}

/// The place of the task is kept, not its id.
#[test]
fn a_task_that_is_watched_takes_no_room() {
    let mut server = small::<2, 1>();
    let started = answer(&mut server, &modern_of("1", "tools/call", r#""name":"task""#, TASKS));
    let id = json(&started)["result"]["taskId"].as_str().expect("a task").to_owned();
    let escaped: String = id.chars().map(|digit| format!("\\u{:04x}", u32::from(digit))).collect();
    let members = format!(r#""notifications":{{"taskIds":["{escaped}"]}}"#);
    let listen = modern_of("2", "subscriptions/listen", &members, TASKS);
    assert!(answer(&mut server, &listen).contains(&format!(r#""taskIds":["{escaped}"]"#)));
    assert_free(&mut server, 0);
    let token = server.handler().log.tasks[0];
    let (line, _) =
        written(&mut server, 1024, |server, out| server.finish_task(token, TaskEnd::Completed, out));
    assert!(line.contains(&id) && line.contains("notifications/tasks"), "{line}");
}

#[test]
fn a_state_that_is_too_long() {
    type Params = fn(&str) -> String;
    // Beside the id, `["k","ask","…"]` in 32 bytes; for a prompt `["k","p","…"]`, however the client spells a declared name.
    let cases: [(&str, Params, usize); 4] = [
        ("tools/call", |state| format!(r#"{{"name":"ask","arguments":{{"state":"{state}"}}}}"#), 16),
        ("tools/call", |state| format!(r#"{{"name":"\u0061sk","arguments":{{"state":"{state}"}}}}"#), 16),
        ("prompts/get", |state| format!(r#"{{"name":"p","arguments":{{"state":"{state}"}}}}"#), 18),
        ("prompts/get", |state| format!(r#"{{"name":"\u0070","arguments":{{"state":"{state}"}}}}"#), 18),
    ];
    for (method, params, most) in cases {
        for length in [0, most, most + 1, most + 2, 100] {
            let mut server = small::<2, 32>();
            let line = request("22", method, &params(&"s".repeat(length)));
            let answered = answer(&mut server, &line);
            let events = &server.handler().log.events;
            if length <= most {
                assert_eq!(answered, question(1, "roots/list", ""), "{method} {length}");
                assert!(events.is_empty(), "{events:?}");
                assert_free(&mut server, most - length);
                // The call is cancelled, and its question withdrawn.
                assert_eq!(answer(&mut server, &cancel("22")), given_up(1));
            } else {
                assert_eq!(answered, state_too_long("22"), "{method} {length}");
                assert_eq!(
                    *events,
                    ["misuse: an input request and its state do not fit the `BYTES` of the storage"]
                );
                // The call is not in flight.
                assert_eq!(server.next_deadline(), None);
                assert_eq!(answer(&mut server, &request("22", "ping", "")), result("22", ""));
            }
            assert_free(&mut server, 32);
        }
    }
    // A modern client keeps it.
    let mut server = small::<2, 32>();
    let members = format!(r#""name":"ask","arguments":{{"state":"{}"}}"#, "s".repeat(100));
    let line = modern_of("1", "tools/call", &members, ROOTS);
    assert!(answer(&mut server, &line).contains(&"s".repeat(100)));
    assert_free(&mut server, 32);
}

/// The next question is kept before the one that is answered is dropped.
#[test]
fn a_call_that_asks_again_keeps_the_state_of_its_last_question() {
    let app = App {
        resume: |_, resumed, reply| match resumed.state().to_string().as_str() {
            "first" => Ok(reply.ask("k", &InputRequest::Roots).keep("second")),
            state => Ok(reply.text(state)),
        },
        call: |_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).keep("first")),
        ..app()
    };
    let mut server = Hosted::of(Server::with_storage(Fixed::<Full, 2, 2, 2, 64>::new()), app);
    answer(&mut server, &initialize_with("2025-11-25", ROOTS));
    let roots = r#""roots":[]"#;
    for number in [1, 3] {
        assert_eq!(answer(&mut server, &call("7")), question(number, "roots/list", ""));
        assert_eq!(
            answer(&mut server, &reply(&number.to_string(), roots)),
            question(number + 1, "roots/list", "")
        );
        assert_eq!(answer(&mut server, &reply(&(number + 1).to_string(), roots)), text("7", "second", false));
    }
    // Nothing is left of them: a state takes as much as there was at first.
    server.handler_mut().call = |_, call, reply| {
        let length = call.context().id().to_i64().unwrap_or_default();
        let state = "s".repeat(usize::try_from(length).unwrap_or_default());
        Ok(reply.ask("k", &InputRequest::Roots).keep(&state))
    };
    let most = 64 - r#"["k","t",""]"#.len() - "50".len();
    assert_eq!(most, 50);
    assert_eq!(answer(&mut server, &call("51")), state_too_long("51"));
    assert_eq!(answer(&mut server, &call("50")), question(5, "roots/list", ""));
    assert_eq!(answer(&mut server, &reply("5", roots)), text("50", &"s".repeat(50), false));
}

#[test]
fn a_uri_that_is_too_long_to_ask_about() {
    let read = |length: usize| request("0", "resources/read", &format!(r#"{{"uri":"{}"}}"#, uri(length)));
    // `0` and `["k","…",""]` in 32 bytes: without a state.
    for (length, events) in [(21, 0), (22, 0), (32, 0), (33, 0), (5000, 0), (11, 1), (20, 1)] {
        let mut server = small::<2, 32>();
        for _ in 0..2 {
            let wanted = match events {
                0 => uri_too_long("0"),
                _ => state_too_long("0"),
            };
            assert_eq!(answer(&mut server, &read(length)), wanted, "{length}");
        }
        // A long URI is not the handler's fault, a long state is.
        assert_eq!(server.handler().log.events.len(), 2 * events, "{length}");
        assert_eq!(server.next_deadline(), None);
        assert_free(&mut server, 32);
    }
    // With the URI as the state.
    let mut server = small::<2, 32>();
    assert_eq!(answer(&mut server, &read(10)), question(1, "roots/list", ""));
    assert_free(&mut server, 0);
}

#[test]
fn a_task_whose_question_is_too_long() {
    let mut server = small::<4, 10>();
    let start = request("1", "tools/call", r#"{"name":"task","task":{}}"#);
    answer(&mut server, &start);
    let token = server.handler().log.tasks[0];
    // `["k","",""]` takes 11 bytes.
    for _ in 0..2 {
        let (line, asked) = written(&mut server, 512, |server, out| server.task_needs_input(token, out));
        assert_eq!((line.as_str(), asked), ("", Err(AskError::TooLong)));
        assert_free(&mut server, 10);
    }
    let mut server = small::<4, 11>();
    answer(&mut server, &start);
    let token = server.handler().log.tasks[0];
    let (_, asked) = written(&mut server, 512, |server, out| server.task_needs_input(token, out));
    assert!(asked.is_ok());
    assert_free(&mut server, 0);
    answer(&mut server, &reply("1", r#""roots":[]"#));
    assert_free(&mut server, 11);
}

/// One text of each kind, freed in many orders: whatever moves in the arena, the other texts stay as they are.
#[test]
fn texts_of_every_kind_share_the_arena() {
    const BYTES: usize = 128;
    for first in 0..8 {
        for step in [1, 3, 5, 7] {
            let options = Options::DEFAULT.with_task_ttl(core::time::Duration::from_secs(10));
            let server = Server::with_storage(Fixed::<Full, 6, 6, 6, BYTES>::new());
            let mut server = server_of(server.with_options(options));
            let _ = tick(&mut server, 512, 0);
            let mut free = BYTES;
            assert_free(&mut server, free);

            let watched = uri(10);
            assert_eq!(answer(&mut server, &subscribe(&watched)), result("1", ""));
            let listened = uri(6);
            assert!(answer(&mut server, &listen("55", &[&listened])).contains("acknowledged"));
            assert_eq!(answer(&mut server, &with_token("777", "t", "", "8888")), "");
            assert_eq!(answer(&mut server, &ask("66", "state")), question(1, "roots/list", ""));
            assert_eq!(answer(&mut server, &ask("67", "other")), question(2, "roots/list", ""));
            let started = answer(&mut server, &with_token("1", "task", r#","task":{}"#, "12345"));
            let task = json(&started)["result"]["task"]["taskId"].to_string();
            let asks = answer(&mut server, &with_token("1", "task", r#","task":{}"#, r#""token""#));
            assert!(asks.contains("taskId"));
            let [waits, asks] = server.handler().log.tasks[..] else { panic!("two tasks") };
            let wait = request("99", "tasks/result", &format!(r#"{{"taskId":{task}}}"#));
            assert_eq!(answer(&mut server, &wait), "");
            let (_, asked) = written(&mut server, 1024, |server, out| server.task_needs_input(asks, out));
            assert!(asked.is_ok());
            free -= 10 + 2 + 6 + 7 + 2 + kept_of("state") + 2 + kept_of("other") + 5 + 7 + 2 + 11;
            assert_free(&mut server, free);

            for turn in 0..8 {
                let call = server.handler().log.tokens[0];
                let server = &mut server;
                free += match (first + turn * step) % 8 {
                    0 => {
                        let (line, _) =
                            written(server, 512, |server, out| server.resource_updated(&watched, out));
                        assert!(line.contains(&watched), "{line}");
                        answer(server, &unsubscribe(&watched));
                        10
                    }
                    1 => {
                        let (line, _) =
                            written(server, 512, |server, out| server.resource_updated(&listened, out));
                        assert!(line.contains(&listened) && line.contains(":55"), "{line}");
                        let (line, _) = written(server, 512, |server, out| server.end_streams(out));
                        assert_eq!(json(&line)["id"], 55);
                        8
                    }
                    2 => {
                        let (line, _) =
                            written(server, 512, |server, out| server.progress(call, Progress::new(1), out));
                        assert!(line.contains(r#""progressToken":8888,"#), "{line}");
                        let (line, _) = written(server, 512, |server, out| {
                            server.complete_tool(call, out, |result| Ok(result.text("x").done()))
                        });
                        assert_eq!(line, text("777", "x", false));
                        7
                    }
                    3 => {
                        let answered = answer(server, &reply("1", r#""roots":[]"#));
                        assert_eq!(answered, text("66", "state", false));
                        2 + kept_of("state")
                    }
                    4 => {
                        assert_eq!(answer(server, &cancel("67")), given_up(2));
                        2 + kept_of("other")
                    }
                    5 => {
                        let (lines, _) = written(server, 1024, |server, out| {
                            server.finish_task(waits, TaskEnd::Completed, out)
                        });
                        assert!(lines.contains(r#""id":99,"#), "{lines}");
                        2
                    }
                    6 => {
                        assert!(server.is_task_running(asks));
                        answer(server, &reply("3", r#""roots":[]"#));
                        11
                    }
                    _ => {
                        let (line, _) = written(server, 512, |server, out| {
                            server.task_progress(asks, Progress::new(1), out)
                        });
                        assert!(line.contains(r#""progressToken":"token","#), "{line}");
                        0
                    }
                };
                assert_free(server, free);
            }
            assert_eq!(free, BYTES - 12, "the tokens of the tasks are left");
            let _ = tick(&mut server, 1024, 10_000);
            assert_free(&mut server, BYTES);
        }
    }
}

/// Each way in which all of it ends at once.
#[test]
fn everything_is_free_again_when_all_is_over() {
    const BYTES: usize = 160;
    type Large = Small<8, BYTES>;
    type End = fn(&mut Large);
    let ways: [(&str, End); 4] = [
        ("another peer", |server| server.reset()),
        ("another handshake", |server| {
            answer(server, &initialize_with("2025-11-25", ROOTS));
        }),
        ("the end of the session", |server| {
            server.server.end_session(0, &mut server.app);
            for id in ["6", "55"] {
                answer(server, &cancel(id));
            }
        }),
        ("time, and shutdown", |server| {
            while tick(server, 4096, 400_000).1 == Status::More {}
            let _ = written(server, 4096, |server, out| server.end_streams(out));
            for id in ["6", "777"] {
                answer(server, &cancel(id));
            }
            answer(server, &unsubscribe(&uri(10)));
        }),
    ];
    for (name, end) in ways {
        let options = Options::DEFAULT.with_restart(true);
        let mut server: Large = server_of(Server::with_storage(Fixed::new()).with_options(options));
        let _ = tick(&mut server, 512, 0);
        answer(&mut server, &subscribe(&uri(10)));
        answer(&mut server, &listen("55", &[&uri(5), &uri(6)]));
        answer(&mut server, &with_token("777", "t", "", "8888"));
        answer(&mut server, &modern("6", "tools/call", r#""name":"t""#));
        answer(&mut server, &ask("66", "state"));
        let started = answer(&mut server, &with_token("1", "task", r#","task":{}"#, "12345"));
        let task = json(&started)["result"]["task"]["taskId"].to_string();
        answer(&mut server, &request("99", "tasks/result", &format!(r#"{{"taskId":{task}}}"#)));
        let asks = server.handler().log.tasks[0];
        let (_, asked) = written(&mut server, 1024, |server, out| server.task_needs_input(asks, out));
        assert!(asked.is_ok());
        let (_, asked) = written(&mut server, 1024, |server, out| server.ping(out));
        assert!(asked.is_ok());
        let left = BYTES - (10 + 2 + 11 + 7 + 1 + 2 + kept_of("state") + 5 + 2 + 11);
        assert_free(&mut server, left);
        end(&mut server);
        assert_eq!(server.in_flight(), 0, "{name}");
        assert_free(&mut server, BYTES);
    }
}

#[test]
fn no_table_is_lost_when_all_of_them_were_full() {
    const SLOTS: usize = 3;
    let mut server = small::<SLOTS, 64>();
    for round in 0..3 {
        for slot in 0..SLOTS {
            let id = format!("1{slot}");
            assert_eq!(answer(&mut server, &call(&id)), "", "{round}");
            let id = format!("2{slot}");
            assert!(answer(&mut server, &listen(&id, &[])).contains("acknowledged"));
            assert_eq!(answer(&mut server, &subscribe(&format!("r:{slot}"))), result("1", ""));
        }
        assert_eq!(answer(&mut server, &call("3")), busy("3"));
        assert_eq!(answer(&mut server, &ask("3", "")), busy("3"));
        assert_eq!(answer(&mut server, &listen("3", &[])), busy("3"));
        assert_eq!(answer(&mut server, &subscribe("r:9")), busy("1"));
        assert_free(&mut server, 64 - SLOTS * 7);
        for slot in 0..SLOTS {
            answer(&mut server, &cancel(&format!("1{slot}")));
            answer(&mut server, &cancel(&format!("2{slot}")));
            answer(&mut server, &unsubscribe(&format!("r:{slot}")));
        }
        assert_free(&mut server, 64);
    }
}

/// Something that the server keeps texts of.
#[derive(Debug, Clone)]
enum Kept {
    Call { id: String, progress_token: Option<String>, token: CallToken },
    Question { number: u64, id: String, state: String },
    Watch(String),
    Stream { id: String, uris: Vec<String> },
}

impl Kept {
    fn len(&self) -> usize {
        match self {
            Self::Call { id, progress_token, .. } => {
                let token = progress_token.as_ref().filter(|token| *token != id);
                id.len() + token.map_or(0, String::len)
            }
            Self::Question { id, state, .. } => id.len() + kept_of(state),
            Self::Watch(uri) => uri.len(),
            Self::Stream { id, uris } => id.len() + uris.iter().map(String::len).sum::<usize>(),
        }
    }
}

/// A server, and what it must keep.
struct Model {
    server: Small<{ Model::SLOTS }, { Model::BYTES }>,
    kept: Vec<Kept>,
    /// Makes each id another one.
    count: usize,
    progress: i64,
}

impl Model {
    const SLOTS: usize = 4;
    const BYTES: usize = 96;

    fn new() -> Self {
        Self { server: small(), kept: Vec::new(), count: 1000, progress: 0 }
    }

    fn free(&self) -> usize {
        Self::BYTES - self.kept.iter().map(Kept::len).sum::<usize>()
    }

    fn has_call_slot(&self) -> bool {
        let calls = self.kept.iter();
        let calls = calls.filter(|kept| matches!(kept, Kept::Call { .. } | Kept::Question { .. }));
        calls.count() < Self::SLOTS
    }

    fn watches(&self) -> usize {
        let counts = self.kept.iter().map(|kept| match kept {
            Kept::Watch(_) => 1,
            Kept::Stream { uris, .. } => uris.len(),
            _ => 0,
        });
        counts.sum()
    }

    fn id(&mut self, entropy: &mut Entropy<'_>) -> String {
        self.count += 1;
        let padding = "i".repeat(entropy.below(12));
        match entropy.once_in(2) {
            true => self.count.to_string(),
            false => format!(r#""{}{padding}""#, self.count),
        }
    }

    fn step(&mut self, entropy: &mut Entropy<'_>) {
        match entropy.below(7) {
            0 => self.defer(entropy),
            1 => self.ask(entropy),
            2 => self.watch(entropy),
            3 => self.listen(entropy),
            4 => self.report(),
            _ => self.end(entropy),
        }
        let free = self.free();
        assert_free(&mut self.server, free);
    }

    fn defer(&mut self, entropy: &mut Entropy<'_>) {
        let id = self.id(entropy);
        let progress_token = match entropy.below(3) {
            0 => None,
            1 => Some(id.clone()),
            _ => Some(format!(r#""t{}""#, "t".repeat(entropy.below(20)))),
        };
        let line = match &progress_token {
            None => call(&id),
            Some(token) => with_token(&id, "t", "", token),
        };
        let answered = answer(&mut self.server, &line);
        let token_len = match &progress_token {
            Some(token) if *token != id => token.len(),
            _ => 0,
        };
        let free = self.free();
        let wanted = match free.checked_sub(id.len()) {
            None => id_too_long(&id),
            Some(free) if token_len > free => token_too_long(&id),
            Some(_) if !self.has_call_slot() => busy(&id),
            Some(_) => String::new(),
        };
        assert_eq!(answered, wanted, "{free} {id} {token_len}");
        if answered.is_empty() {
            let token = *self.server.handler().log.tokens.last().expect("a token");
            self.kept.push(Kept::Call { id, progress_token, token });
        }
    }

    fn ask(&mut self, entropy: &mut Entropy<'_>) {
        let (id, state) = (self.id(entropy), "s".repeat(entropy.below(24)));
        let answered = answer(&mut self.server, &ask(&id, &state));
        let refused = match self.free().checked_sub(id.len()) {
            None => Some(id_too_long(&id)),
            Some(_) if !self.has_call_slot() => Some(busy(&id)),
            Some(free) if kept_of(&state) > free => Some(state_too_long(&id)),
            Some(_) => None,
        };
        match refused {
            Some(refused) => assert_eq!(answered, refused),
            None => {
                let asked = json(&answered);
                assert_eq!(asked["method"], "roots/list");
                let number = asked["id"].as_u64().expect("a number");
                self.kept.push(Kept::Question { number, id, state });
            }
        }
    }

    fn watch(&mut self, entropy: &mut Entropy<'_>) {
        let uri = uri(3 + entropy.below(20));
        let answered = answer(&mut self.server, &subscribe(&uri));
        let is_watched = self.kept.iter().any(|kept| matches!(kept, Kept::Watch(watched) if *watched == uri));
        if is_watched {
            assert_eq!(answered, result("1", ""));
        } else if uri.len() > self.free() {
            assert_eq!(answered, uri_too_long("1"));
        } else if self.watches() == Self::SLOTS {
            assert_eq!(answered, busy("1"));
        } else {
            assert_eq!(answered, result("1", ""));
            self.kept.push(Kept::Watch(uri));
        }
    }

    fn listen(&mut self, entropy: &mut Entropy<'_>) {
        let id = self.id(entropy);
        let uris: Vec<String> = (0..entropy.below(3)).map(|_| uri(3 + entropy.below(20))).collect();
        let texts: Vec<&str> = uris.iter().map(String::as_str).collect();
        let answered = answer(&mut self.server, &listen(&id, &texts));
        let streams = self.kept.iter().filter(|kept| matches!(kept, Kept::Stream { .. }));
        let Some(mut free) = self.free().checked_sub(id.len()) else {
            return assert_eq!(answered, id_too_long(&id));
        };
        if streams.count() == Self::SLOTS {
            return assert_eq!(answered, busy(&id));
        }
        let slots = Self::SLOTS - self.watches();
        let mut is_too_long = false;
        let mut watched: Vec<String> = Vec::new();
        for uri in uris {
            if watched.len() == slots {
                // The others are left out.
                break;
            }
            if watched.contains(&uri) {
                continue;
            }
            is_too_long |= uri.len() > free;
            if uri.len() <= free {
                free -= uri.len();
                watched.push(uri);
            }
        }
        if is_too_long {
            return assert_eq!(answered, uri_too_long(&id));
        }
        let acknowledged = json(&answered);
        assert_eq!(
            acknowledged["params"]["notifications"]["resourceSubscriptions"],
            serde_json::json!(watched)
        );
        self.kept.push(Kept::Stream { id, uris: watched });
    }

    /// Progress of each call, and a change of each resource: each has the texts that it came with.
    fn report(&mut self) {
        self.progress += 1;
        for kept in self.kept.clone() {
            match kept {
                Kept::Call { progress_token, token, .. } => {
                    let progress = Progress::new(self.progress);
                    let (line, _) =
                        written(&mut self.server, 512, |server, out| server.progress(token, progress, out));
                    match progress_token {
                        Some(token) => assert!(line.contains(&format!(r#""progressToken":{token},"#))),
                        None => assert_eq!(line, ""),
                    }
                }
                Kept::Question { .. } => {}
                Kept::Watch(uri) => {
                    let (lines, _) =
                        written(&mut self.server, 4096, |server, out| server.resource_updated(&uri, out));
                    assert!(lines.contains(&format!(r#""uri":"{uri}"}}"#)), "{lines}");
                }
                Kept::Stream { id, uris } => {
                    for uri in uris {
                        let (lines, _) =
                            written(&mut self.server, 4096, |server, out| server.resource_updated(&uri, out));
                        assert!(
                            lines.contains(&format!(r#""uri":"{uri}""#)) && lines.contains(&id),
                            "{lines}"
                        );
                    }
                }
            }
        }
    }

    /// Ends one of them, in one of its ways.
    fn end(&mut self, entropy: &mut Entropy<'_>) {
        if self.kept.is_empty() {
            return;
        }
        let kept = self.kept.remove(entropy.below(self.kept.len()));
        let is_cancelled = entropy.once_in(3);
        match kept {
            Kept::Call { id, .. } if is_cancelled => assert_eq!(answer(&mut self.server, &cancel(&id)), ""),
            Kept::Call { id, token, .. } => {
                let (line, _) = written(&mut self.server, 512, |server, out| {
                    server.complete_tool(token, out, |result| Ok(result.text("x").done()))
                });
                assert_eq!(line, text(&id, "x", false));
            }
            Kept::Question { number, id, .. } if is_cancelled => {
                let given_up = given_up(u32::try_from(number).expect("a small number"));
                assert_eq!(answer(&mut self.server, &cancel(&id)), given_up);
            }
            Kept::Question { number, id, state } => {
                let roots = reply(&number.to_string(), r#""roots":[]"#);
                assert_eq!(answer(&mut self.server, &roots), text(&id, &state, false));
            }
            Kept::Watch(uri) => {
                assert_eq!(answer(&mut self.server, &unsubscribe(&uri)), result("1", ""));
            }
            Kept::Stream { id, .. } => assert_eq!(answer(&mut self.server, &cancel(&id)), ""),
        }
    }
}

#[test]
fn texts_come_and_go_and_none_is_lost_or_left() {
    let config = ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() };
    let choices = proptest::collection::vec(any::<u8>(), 100..600);
    let result = TestRunner::new(config).run(&choices, |choices| {
        let mut entropy = Entropy::new(&choices);
        let mut model = Model::new();
        while !entropy.is_used_up() {
            model.step(&mut entropy);
        }
        model.report();
        while !model.kept.is_empty() {
            model.end(&mut entropy);
            let free = model.free();
            assert_free(&mut model.server, free);
        }
        assert_free(&mut model.server, Model::BYTES);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

/// Storage that grows has room for each element, not for each frame only.
#[cfg(feature = "std")]
#[test]
fn storage_on_the_heap_has_room_for_each_element_of_a_batch() {
    let mut server =
        Hosted::of(Server::with_storage(barewire::engine::Heap::<Full>::new()), App::deferring());
    answer(&mut server, &initialize_with("2025-03-26", "{}"));
    let calls: Vec<String> = (0..20).map(|id| call(&id.to_string())).collect();
    assert_eq!(answer(&mut server, &format!("[{}]", calls.join(","))), "");
    assert_eq!((server.in_flight(), server.handler().log.tokens.len()), (20, 20));
}

/// Storage that grows keeps any text of a frame, and any state up to its limit.
#[cfg(feature = "std")]
#[test]
fn storage_on_the_heap_grows_with_its_texts() {
    const LONG: usize = 100_000;
    let mut server = server_of(Server::with_storage(barewire::engine::Heap::<Full>::new()));
    let (id, token, resource) = ("1".repeat(LONG), "2".repeat(LONG), uri(LONG));
    assert_eq!(answer(&mut server, &with_token(&id, "t", "", &token)), "");
    assert_eq!(answer(&mut server, &subscribe(&resource)), result("1", ""));
    assert!(
        crate::engine_kit::answer_in(&mut server, 1 << 18, &listen("2", &[&resource]))
            .contains("acknowledged")
    );
    let deferred = server.handler().log.tokens[0];
    let (line, _) =
        written(&mut server, 1 << 18, |server, out| server.progress(deferred, Progress::new(1), out));
    assert!(line.contains(&token));
    // The frames are short, and the states are not: of the call, of the call that continues, and again after a timeout.
    let app = App {
        call: |_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).keep(&"s".repeat(10_000))),
        resume: |_, resumed, reply| match resumed.state().to_string() {
            state if state.len() < 12_000 => {
                Ok(reply.ask("k", &InputRequest::Roots).keep(&(state + &"s".repeat(1000))))
            }
            state => Ok(reply.text(&state)),
        },
        ..app()
    };
    let mut server = Hosted::of(Server::with_storage(barewire::engine::Heap::<Full>::new()), app);
    answer(&mut server, &initialize_with("2025-11-25", ROOTS));
    assert_eq!(answer(&mut server, &call("7")), question(1, "roots/list", ""));
    let roots = r#""roots":[]"#;
    assert_eq!(answer(&mut server, &reply("1", roots)), question(2, "roots/list", ""));
    let _ = tick(&mut server, 1 << 14, 0);
    let mut lines = String::new();
    loop {
        let (more, status) = tick(&mut server, 1 << 14, 400_000);
        lines += &more;
        if status == Status::Done {
            break;
        }
    }
    assert_eq!(lines, given_up(2) + &question(3, "roots/list", ""));
    assert_eq!(answer(&mut server, &reply("3", roots)), text("7", &"s".repeat(12_000), false));
}
