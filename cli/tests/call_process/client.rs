//! The blocking client of the library.

use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use barewire::client::{ArgumentsError, ClientBuilder, HandshakeError};
use barewire::engine::client::{
    ClientAnswer, ClientElicitation, ClientHandler, ClientSampling, CompletionFor, ElicitReply, MessageReply,
    Refusal, RequestError, RootsReply,
};
use barewire::json::SerializeError;
use barewire::mcp::{
    ClientCapabilities, Implementation, LoggingLevel, ProtocolVersion, Role, Text, Versions,
};
use barewire::rpc::ErrorCode;
use barewire::transport::ChildEnd;
use barewire::{Client, ClientError};
use serde_json::json;

use crate::servers::{answering, script};

pub(crate) const SECOND: Duration = Duration::from_secs(1);

pub(crate) fn demo() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_barewire"));
    command.arg("serve");
    command
}

pub(crate) fn shell(text: &str) -> Command {
    let [shell, flag, text] = script(text);
    let mut command = Command::new(shell);
    command.args([flag, text]).stderr(Stdio::null());
    command
}

/// A client that speaks 2025-06-18 only, as the scripted servers do.
pub(crate) fn legacy() -> ClientBuilder {
    Client::builder().versions(Versions::only(ProtocolVersion::V2025_06_18))
}

pub(crate) fn each_era() -> [Versions; 2] {
    [ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28].map(Versions::only)
}

/// A server of 2025-06-18 with tools, which does `call` at a call. `$id` is the id of the call.
pub(crate) fn at_a_call(call: &str) -> String {
    format!(
        r#"
answer() {{ printf '%s\n' "{{\"jsonrpc\":\"2.0\",\"id\":$id,$1}}"; }}
while read -r line; do
    id=${{line#*\"id\":}}; id=${{id%%,*}}
    case $line in
        *'"initialize"'*) answer '"result":{{"protocolVersion":"2025-06-18","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"sh","version":"1"}}}}' ;;
        *'"tools/call"'*) {call} ;;
    esac
done
"#
    )
}

/// A server of 2026-07-28 with tools and log messages, which does `call` at a call.
pub(crate) fn modern_at_a_call(call: &str) -> String {
    format!(
        r#"
answer() {{ printf '%s\n' "{{\"jsonrpc\":\"2.0\",\"id\":$id,$1}}"; }}
while read -r line; do
    id=${{line#*\"id\":}}; id=${{id%%,*}}
    case $line in
        *'"server/discover"'*) answer '"result":{{"supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}},"logging":{{}}}}}}' ;;
        *'"tools/call"'*) {call} ;;
    esac
done
"#
    )
}

pub(crate) const FIVE: &str = r#"answer '"result":{"content":[{"type":"text","text":"5"}]}'"#;

#[test]
fn three_lines() {
    let mut server = Client::connect(demo()).expect("the server");
    let sum: i64 =
        server.call_tool("add", json!({"a": 2, "b": 3})).expect("a sum").parse().expect("an integer");
    assert_eq!(sum, 5);
    let names: Result<Vec<String>, ClientError> =
        server.tools().map(|tool| Ok(tool?.name().to_owned())).collect();
    let names = names.expect("the tools").join(" ");
    assert_eq!(names, "echo add slow measure pixel count set_limit summarize list_roots simulate");
}

#[test]
fn every_request_in_both_eras() {
    #[derive(serde::Deserialize)]
    struct Measurement {
        value: f64,
        unit: String,
    }

    for versions in each_era() {
        let mut server = Client::builder().versions(versions).connect(demo()).expect("the server");
        assert!(versions.contains(server.protocol_version()));
        assert_eq!(server.server_info().name(), "barewire-demo");
        assert_eq!(server.server_info().instructions(), Some("A demo: every tool is safe to call."));

        let measured = server.call_tool("measure", ()).expect("a measurement");
        let measured: Measurement = measured.parse().expect("its type");
        assert_eq!((measured.value, measured.unit.as_str()), (21.5, "celsius"));
        let echo: String =
            server.call_tool("echo", json!({"text": "12\n"})).expect("a text").parse().expect("it");
        assert_eq!(echo, "12\n");
        let pixel = server.call_tool("pixel", ()).expect("a picture");
        assert_eq!((pixel.content().count(), pixel.text().as_str()), (2, ""));

        let readme = server.read_resource("demo://readme").expect("a text").text();
        assert!(readme.starts_with("The demo server"), "{readme}");
        let picture = server.read_resource("demo://pixel.png").expect("bytes");
        let contents = picture.contents().next().expect("one");
        assert!(contents.blob().is_some() && contents.text().is_none());
        assert!(contents.mime_type().is_some_and(|kind| kind == "image/png"));

        let prompt = server.get_prompt("greet", json!({"name": "Ada"})).expect("a prompt");
        let messages: Vec<_> = prompt.messages().collect();
        assert_eq!((messages.len(), messages[1].role()), (2, Some(Role::User)));
        assert!(messages[1].text().is_some_and(|text| text == "Ada"));
        let completion =
            server.complete(CompletionFor::Prompt(Text::Plain("greet")), "language", "g").expect("values");
        assert!(completion.values().eq(["german", "greek"]) && !completion.has_more());

        let resources: Vec<_> = server.resources().collect::<Result<_, _>>().expect("the resources");
        assert_eq!((resources.len(), resources[0].uri()), (3, "demo://readme"));
        let templates: Vec<_> = server.resource_templates().collect::<Result<_, _>>().expect("the templates");
        assert_eq!(templates[0].uri_template(), "demo://square/{number}");
        let prompts: Vec<_> = server.prompts().collect::<Result<_, _>>().expect("the prompts");
        assert_eq!((prompts[0].title(), prompts[0].arguments().count()), (Some("Greet somebody"), 2));

        match server.ping() {
            Ok(()) => assert_eq!(server.protocol_version(), ProtocolVersion::V2025_11_25),
            Err(ClientError::NotSent(RequestError::NotInRevision)) => {}
            Err(other) => panic!("{other}"),
        }
        assert!(server.close().expect("its end").success());
    }
}

#[test]
fn each_error_has_its_variant_and_the_next_call_works() {
    let server = answering(
        r#"{"tools":{}}"#,
        &[
            ("tools/call", r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#),
            ("tools/list", r#"{"tools":[{"inputSchema":{}}]}"#),
            ("ping", r#"{}"#),
        ],
    );
    let mut server = legacy().longest_line(4096).connect(shell(&server)).expect("the server");
    let failed = server.call_tool("x", ()).expect_err("a tool that fails");
    assert!(matches!(&failed, ClientError::Tool(text) if text == "no"), "{failed}");
    let unusable = server.tools().next().expect("an item").expect_err("a result that cannot be used");
    assert!(matches!(unusable, ClientError::Result(_)));
    assert_eq!(
        unusable.to_string(),
        "the result cannot be used: `tools[0].name` is missing: it must be a string"
    );
    let not_offered = server.prompts().next().expect("an item").expect_err("not offered");
    assert!(matches!(not_offered, ClientError::NotSent(RequestError::NotOffered)));
    for (arguments, expected) in [
        (json!([1]), ArgumentsError::NotAnObject),
        (json!({"a": "a".repeat(5000)}), ArgumentsError::Serialize(SerializeError::BufferFull)),
    ] {
        let error = server.call_tool("x", arguments).expect_err("bad arguments");
        assert!(matches!(error, ClientError::Arguments(found) if found == expected), "{error}");
    }
    let too_long = server.call_tool("x", json!({"a": "a".repeat(4080)})).expect_err("a long line");
    assert!(matches!(too_long, ClientError::NotSent(RequestError::NoRoom(_))), "{too_long}");
    server.ping().expect("an answer");

    let mut server = Client::connect(demo()).expect("the server");
    let Err(ClientError::Protocol(error)) = server.call_tool("nothing", ()) else {
        panic!("an unknown tool")
    };
    assert_eq!(error.code(), ErrorCode::INVALID_PARAMS);
    assert!(error.message().starts_with("Unknown tool"), "{error}");
    let error = server.get_prompt("greet", json!({"name": 1})).expect_err("a number");
    assert!(matches!(error, ClientError::Arguments(ArgumentsError::NotAString)));
    let error = server.call_tool("add", json!({"a": 1, "b": 2})).expect("3").parse::<bool>();
    assert!(matches!(error, Err(ClientError::Parse(_))));
}

#[test]
fn numbers_are_sent_as_numbers() {
    // The feature `arbitrary_precision` of `serde_json` is on in these tests.
    let mut server = Client::connect(demo()).expect("the server");
    let arguments: serde_json::Value = serde_json::from_str(r#"{"a":9007199254740993,"b":2}"#).expect("JSON");
    let sum: u64 = server.call_tool("add", &arguments).expect("a sum").parse().expect("an integer");
    assert_eq!(sum, 9_007_199_254_740_995);
}

#[test]
fn extreme_settings_do_not_panic() {
    for (timeout, line) in [(Duration::MAX, usize::MAX), (Duration::MAX, 4096)] {
        let builder = Client::builder().timeout(timeout).connect_timeout(timeout).probe_timeout(timeout);
        let builder = builder.longest_line(line).grace(timeout);
        let mut server = builder.connect(demo()).expect("the server");
        assert_eq!(server.call_tool("add", json!({"a": 2, "b": 3})).expect("a sum").text(), "5");
        let slow = server.tool("slow").arguments(json!({"ms": 1})).extended_by_progress(timeout).call();
        assert_eq!(slow.expect("an answer").text(), "done");
        assert!(matches!(server.tool("slow").timeout(Duration::ZERO).call(), Err(ClientError::TimedOut)));
        server.receive(Duration::ZERO).expect("a server that runs");
        assert!(server.close().expect("its end").success());
    }
    let error = Client::builder().longest_line(0).connect(demo()).expect_err("no room");
    assert!(matches!(error, ClientError::Handshake(HandshakeError::NotSent(_))), "{error}");
    let error =
        Client::builder().connect_timeout(Duration::ZERO).probe_timeout(Duration::ZERO).connect(demo());
    assert!(matches!(error, Err(ClientError::Handshake(HandshakeError::TimedOut))), "{error:?}");
}

/// Answers all input requests, slowly.
struct Person;

impl ClientHandler for Person {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("person", "1.0")
    }

    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::ELICITATION_FORM | ClientCapabilities::SAMPLING | ClientCapabilities::ROOTS
    }

    fn elicit(
        &mut self,
        question: ClientElicitation<'_>,
        reply: &mut ElicitReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        assert_eq!(question.message(), "Really change the limit?");
        thread::sleep(2 * SECOND);
        reply.accept(|content| {
            content.name("yes").boolean(true);
        });
        Ok(ClientAnswer::Done)
    }

    fn create_message(
        &mut self,
        _: ClientSampling<'_>,
        reply: &mut MessageReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        reply.text("model", "short");
        Ok(ClientAnswer::Done)
    }

    fn list_roots(&mut self, reply: &mut RootsReply<'_, '_>) -> Result<ClientAnswer, Refusal> {
        reply.root("file:///src", None);
        Ok(ClientAnswer::Done)
    }
}

#[test]
fn input_requests_are_answered_in_both_eras_and_their_time_does_not_count() {
    for versions in each_era() {
        let builder = Client::builder().versions(versions).timeout(SECOND * 3 / 2);
        let mut server = builder.handler(Person).connect(demo()).expect("the server");
        let limit: u16 =
            server.call_tool("set_limit", json!({"max": 7})).expect("a limit").parse().expect("7");
        assert_eq!(limit, 7);
        assert_eq!(
            server.call_tool("summarize", json!({"text": "long"})).expect("a summary").text(),
            "short"
        );
        assert_eq!(server.call_tool("list_roots", ()).expect("the roots").text(), "file:///src");
    }
    // Without a handler there are no capabilities.
    for versions in each_era() {
        let mut server = Client::builder().versions(versions).connect(demo()).expect("the server");
        let error = server.call_tool("set_limit", json!({"max": 7})).expect_err("nobody");
        assert!(matches!(error, ClientError::Protocol(_) | ClientError::Tool(_)), "{error}");
    }
}

#[test]
fn progress_comes_to_its_call() {
    let mut server = Client::connect(demo()).expect("the server");
    let mut steps = Vec::new();
    let slow = server.tool("slow").arguments(json!({"ms": 600}));
    let slow = slow.on_progress(|progress| steps.push(progress.progress.to_string())).call();
    slow.expect("an answer");
    assert!(!steps.is_empty());
    // Each notification restarts the timeout.
    let slow = server.tool("slow").arguments(json!({"ms": 3000})).timeout(2 * SECOND);
    slow.extended_by_progress(60 * SECOND).call().expect("an answer");
    // The longest wait is a timeout of its own.
    for timeout in [Some(30 * SECOND), None] {
        server.set_timeout(timeout);
        let start = Instant::now();
        let slow = server.tool("slow").arguments(json!({"ms": 60_000}));
        let slow = slow.extended_by_progress(SECOND / 5).call();
        assert!(matches!(slow, Err(ClientError::TimedOut)) && start.elapsed() < 10 * SECOND);
    }
}

#[test]
fn log_messages_come_in_both_eras() {
    const LOG: &str = r#"echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"hot"}}'"#;
    // Each server logs only if the level was requested: by a request of its own, or in the call.
    let old = at_a_call(&format!(r#"[ "$level" = 1 ] && {LOG}; {FIVE}"#))
        .replace(r#""tools":{}"#, r#""tools":{},"logging":{}"#)
        .replace(
            "    esac",
            r#"        *'"logging/setLevel","params":{"level":"warning"}'*) level=1; answer '"result":{}' ;;
    esac"#,
        );
    let modern =
        modern_at_a_call(&format!(r#"case $line in *'logLevel":"warning"'*) {LOG}; {FIVE} ;; esac"#));
    for (server, versions) in [(old, ProtocolVersion::V2025_06_18), (modern, ProtocolVersion::V2026_07_28)] {
        let messages = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&messages);
        let mut server = Client::builder()
            .versions(Versions::only(versions))
            .timeout(10 * SECOND)
            .on_log(LoggingLevel::Warning, move |log| {
                received.lock().expect("the list").push(format!("{} {}", log.level.as_str(), log.data));
            })
            .connect(shell(&server))
            .expect("the server");
        server.call_tool("x", ()).expect("an answer");
        assert_eq!(*messages.lock().expect("the list"), [r#"error "hot""#]);
    }
}

#[test]
fn receive_handles_messages_between_calls() {
    let ping = r#"answer '"result":{"content":[]}'; echo '{"jsonrpc":"2.0","id":"p","method":"ping"}'; read -r line; case $line in *'"id":"p","result"'*) exit 7 ;; esac"#;
    let mut server = legacy().connect(shell(&at_a_call(ping))).expect("the server");
    server.call_tool("x", ()).expect("an answer");
    let start = Instant::now();
    let error = server.receive(60 * SECOND).expect_err("the end of the server");
    assert!(matches!(error, ClientError::Ended(ChildEnd::Exited(status)) if status.code() == Some(7)));
    assert!(start.elapsed() < 30 * SECOND);

    let mut server = Client::connect(demo()).expect("the server");
    let start = Instant::now();
    server.receive(SECOND / 5).expect("a server that goes on");
    assert!((SECOND / 5..10 * SECOND).contains(&start.elapsed()));
}

#[test]
fn another_thread_can_end_a_call() {
    let mut server = Client::builder().without_timeout().connect(demo()).expect("the server");
    let interrupter = server.interrupter();
    let other = thread::spawn(move || {
        thread::sleep(SECOND / 5);
        interrupter.interrupt();
    });
    let error = server.call_tool("slow", json!({"ms": 60_000})).expect_err("no answer");
    assert!(matches!(error, ClientError::Ended(ChildEnd::Interrupted)), "{error}");
    other.join().expect("the other thread");
    // The call was cancelled, so the server has nothing to wait for.
    assert!(server.close().expect("its end").success());
}

#[test]
fn dropping_a_client_ends_its_server() {
    let answers = r#"answer "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$$\"}]}""#;
    let mut server = legacy().connect(shell(&at_a_call(answers))).expect("the server");
    let pid = server.call_tool("x", ()).expect("an answer").text();
    let is_running = || {
        let status = Command::new("/bin/sh").args(["-c", &format!("kill -0 {pid} 2>/dev/null")]).status();
        status.expect("a shell").success()
    };
    assert!(is_running());
    drop(server);
    let start = Instant::now();
    while is_running() {
        assert!(start.elapsed() < 20 * SECOND, "{pid} still runs");
        thread::sleep(SECOND / 50);
    }
}

#[test]
fn a_client_can_move_to_another_thread() {
    fn is_send<T: Send>(_: &T) {}
    let mut server = Client::connect(demo()).expect("the server");
    is_send(&server);
    let text = thread::spawn(move || server.call_tool("echo", json!({"text": "a"})).expect("a text").text());
    assert_eq!(text.join().expect("the other thread"), "a");
}
