//! The blocking client of the library, over servers that behave badly: no call hangs, and each error says what is wrong.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use barewire::client::HandshakeError;
use barewire::engine::client::{Incoming, RequestError};
use barewire::mcp::ProtocolVersion;
use barewire::rpc::ErrorCode;
use barewire::transport::ChildEnd;
use barewire::{Client, ClientError};
use serde_json::json;

use crate::client::{FIVE, SECOND, at_a_call, demo, each_era, legacy, modern_at_a_call, shell};
use crate::servers::{DIES_ON_THE_PROBE, LEGACY, SILENT, endless};

#[test]
fn a_call_that_times_out_is_cancelled_and_the_next_one_works() {
    for versions in each_era() {
        let mut server = Client::builder().versions(versions).connect(demo()).expect("the server");
        let start = Instant::now();
        let slow = server.tool("slow").arguments(json!({"ms": 60_000})).timeout(SECOND / 20).call();
        assert!(matches!(slow, Err(ClientError::TimedOut)) && start.elapsed() < 10 * SECOND);
        assert_eq!(server.call_tool("add", json!({"a": 1, "b": 1})).expect("a sum").text(), "2");
        assert!(server.close().expect("its end").success());
    }
}

#[test]
fn late_answers_and_unknown_ids_are_ignored() {
    // Each call is answered twice, a little late, and after answers with wrong ids.
    let server = at_a_call(&format!(
        r#"sleep 1; echo '{{"jsonrpc":"2.0","id":"1","result":{{}}}}'; echo '{{"jsonrpc":"2.0","id":77,"result":{{}}}}'; {FIVE}; {FIVE}"#
    ));
    let unmatched = Arc::new(Mutex::new(0));
    let count = Arc::clone(&unmatched);
    let mut server = legacy()
        .on_event(move |event| {
            if let Incoming::Unmatched(_) = event {
                *count.lock().expect("the count") += 1;
            }
        })
        .connect(shell(&server))
        .expect("the server");
    let early = server.tool("x").timeout(SECOND / 20).call();
    assert!(matches!(early, Err(ClientError::TimedOut)));
    let five: u8 = server.call_tool("x", ()).expect("an answer").parse().expect("a number");
    assert_eq!(five, 5);
    // Four lines for the first call, and two for the second.
    assert_eq!(*unmatched.lock().expect("the count"), 6);
}

#[test]
fn an_answer_with_an_id_of_another_type_is_ignored() {
    let server = at_a_call(r#"id=\"$id\"; answer '"result":{"content":[]}'"#);
    let mut server = legacy().timeout(SECOND / 5).connect(shell(&server)).expect("the server");
    assert!(matches!(server.call_tool("x", ()), Err(ClientError::TimedOut)));
}

#[test]
fn garbage_and_floods_end_at_the_timeout() {
    for (flood, answers) in [
        ("echo garbage; echo; echo '{'; echo '[]'", true),
        ("yes garbage", false),
        (r#"yes '{"jsonrpc":"2.0","method":"notifications/x"}'"#, false),
        (r#"yes '{"jsonrpc":"2.0","id":9,"result":{}}'"#, false),
        (r#"yes '{"jsonrpc":"2.0","id":9,"method":"ping"}'"#, false),
        // A line without an end.
        (r"yes a | tr -d '\n'", false),
    ] {
        let server = at_a_call(&format!("{flood}; {FIVE}"));
        let mut server = legacy().longest_line(1 << 16).connect(shell(&server)).expect("the server");
        let start = Instant::now();
        let result = server.tool("x").timeout(SECOND).call();
        match answers {
            true => assert_eq!(result.expect("an answer").text(), "5", "{flood}"),
            // A server that sends requests and does not read the answers may be given up earlier.
            false => assert!(matches!(result, Err(ClientError::TimedOut | ClientError::Ended(_))), "{flood}"),
        }
        assert!(start.elapsed() < 20 * SECOND, "{flood}: {:?}", start.elapsed());
    }
}

#[test]
fn a_long_response_fails_its_call_alone() {
    let server = at_a_call(&format!(
        r#"case $line in *long*) answer "\"result\":{{\"content\":[],\"x\":\"$(printf '%05000d' 0)\"}}" ;; *) {FIVE} ;; esac"#
    ));
    let mut server = legacy().longest_line(4096).connect(shell(&server)).expect("the server");
    let error = server.call_tool("long", ()).expect_err("a long line");
    assert!(matches!(error, ClientError::Response(_)), "{error}");
    assert_eq!(server.call_tool("short", ()).expect("an answer").text(), "5");
}

#[test]
fn a_server_that_ends_says_how() {
    let mut server = legacy().connect(shell(&at_a_call("exit 3"))).expect("the server");
    for _ in 0..8 {
        let error = server.call_tool("x", ()).expect_err("no answer");
        let ClientError::Ended(ChildEnd::Exited(status)) = &error else { panic!("{error}") };
        assert_eq!((status.code(), error.to_string().contains('3')), (Some(3), true), "{error}");
    }
    assert!(server.end().is_some());
    assert!(matches!(server.receive(SECOND), Err(ClientError::Ended(_))));
    assert_eq!(server.close().expect("its end").code(), Some(3));
}

#[test]
fn a_server_that_does_not_read_is_noticed() {
    let server = at_a_call("exec sleep 600");
    let mut server = legacy().longest_line(1 << 16).connect(shell(&server)).expect("the server");
    let arguments = json!({"a": "a".repeat(60_000)});
    let mut errors = (0..20)
        .map(|_| server.tool("x").arguments(&arguments).timeout(SECOND / 100).call().expect_err("no answer"));
    assert!(errors.any(|error| matches!(error, ClientError::NotReading)));
}

#[test]
fn endless_input_requests_end_at_the_timeout() {
    let ask = r#"answer '"result":{"resultType":"input_required","requestState":"s"}'"#;
    let mut server = Client::connect(shell(&modern_at_a_call(ask))).expect("the server");
    let start = Instant::now();
    assert!(matches!(server.tool("x").timeout(SECOND / 2).call(), Err(ClientError::TimedOut)));
    assert!(start.elapsed() < 20 * SECOND);

    let request = r#"{"method":"roots/list"}"#;
    let ask = format!(
        r#"answer '"result":{{"resultType":"input_required","inputRequests":{{"q":{request}}},"requestState":"s"}}'"#
    );
    let mut server = Client::connect(shell(&modern_at_a_call(&ask))).expect("the server");
    // The client has no roots.
    let error = server.call_tool("x", ()).expect_err("no answer");
    assert!(matches!(error, ClientError::NotSent(RequestError::Refused(_))), "{error}");
}

#[test]
fn a_handshake_that_fails_says_why() {
    let connect = |server: &str| {
        Client::builder()
            .connect_timeout(SECOND / 5)
            .probe_timeout(SECOND / 5)
            .connect(shell(server))
            .expect_err("no connection")
    };
    let handshake = |server: &str| match connect(server) {
        ClientError::Handshake(error) => error,
        other => panic!("{other}"),
    };
    assert_eq!(handshake(SILENT), HandshakeError::TimedOut);
    assert_eq!(handshake("cat"), HandshakeError::Echo);
    let refuses = r#"read -r line; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}'; read -r line; echo '{"jsonrpc":"2.0","id":2,"error":{"code":-2,"message":"y","data":[1]}}'; cat >/dev/null"#;
    let HandshakeError::Refused(error) = handshake(refuses) else { panic!("a refusal") };
    assert_eq!((error.code(), error.message()), (ErrorCode(-2), "y"));
    assert!(error.data().is_some_and(|data| data.as_json() == "[1]"));
    let old = r#"read -r line; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}'; read -r line; echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2023-01-01","capabilities":{}}}'; cat >/dev/null"#;
    assert_eq!(handshake(old), HandshakeError::Version("2023-01-01".to_owned()));
    let ended = connect("exit 4");
    assert!(matches!(ended, ClientError::Ended(ChildEnd::Exited(status)) if status.code() == Some(4)));
    let missing = Client::connect(Command::new("/nonexistent/server")).expect_err("no program");
    assert!(matches!(missing, ClientError::Io(_)));
}

#[test]
fn old_servers_are_found() {
    let server = Client::connect(shell(LEGACY)).expect("the server");
    assert_eq!(server.protocol_version(), ProtocolVersion::V2025_03_26);
    let server = Client::connect(shell(DIES_ON_THE_PROBE)).expect("the second start");
    assert_eq!(server.protocol_version(), ProtocolVersion::V2024_11_05);
}

#[test]
fn a_list_without_an_end_is_an_error() {
    let mut server = legacy().connect(shell(&endless("c"))).expect("the server");
    let mut tools = server.tools();
    assert!(tools.by_ref().take(2).all(|tool| tool.is_ok()));
    assert!(matches!(tools.next(), Some(Err(ClientError::EndlessList))));
    assert!(tools.next().is_none());
    let mut server = legacy().connect(shell(&endless("$page"))).expect("the server");
    assert_eq!(server.tools().take(30).filter(Result::is_ok).count(), 30);
}

/// The server with faults, which cargo builds beside the tests.
fn fault_server() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_barewire")).with_file_name("examples").join("fault_server")
}

/// A session with every request. Its results do not matter.
fn talk(fault: &str) -> Result<(), ClientError> {
    let builder = Client::builder().connect_timeout(SECOND).probe_timeout(SECOND / 2).timeout(SECOND / 2);
    let mut server = builder.connect(Command::new(fault_server()).arg(fault).stderr(Stdio::null()))?;
    let _ = server.tools().count();
    let _ = server.call_tool("add", json!({"a": 1, "b": 2})).and_then(|sum| sum.parse::<i64>());
    let _ = server.call_tool("measure", ()).and_then(|value| value.parse::<serde_json::Value>());
    let _ = server.resources().count() + server.resource_templates().count() + server.prompts().count();
    let _ = server.read_resource("demo://readme").map(|result| result.text());
    let _ = server.get_prompt("greet", json!({"name": "Ada"})).map(|result| result.messages().count());
    let _ = server.ping();
    server.close().map(drop)
}

#[test]
fn no_fault_makes_a_client_hang_or_panic() {
    let list = Command::new(fault_server()).arg("--list").output();
    let list = list.expect("the example, built by `cargo build -p barewire-cli --examples`").stdout;
    let list = String::from_utf8(list).expect("UTF-8");
    let names: Vec<&str> = list.lines().filter_map(|line| line.split('\t').next()).collect();
    assert!(names.len() > 100, "{list}");
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let _ = talk(name);
                    assert!(start.elapsed() < 60 * SECOND, "{name}: {:?}", start.elapsed());
                }
            });
        }
    });
}
