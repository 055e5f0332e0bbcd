//! The end of the input, and of the output.

use std::io::Write;
use std::time::{Duration, Instant};

use crate::program::{Session, done, run, serve_into_a_closed_pipe, slow};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

#[test]
fn without_input_there_is_no_output() {
    let outcome = run(&["serve"], b"");
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn a_last_line_without_a_newline_is_served() {
    let cases = [
        (PING.to_string(), format!("{PONG}\n")),
        (format!("\n{PING} "), format!("{PONG}\n")),
        (
            format!("{PING}\n{{\"jsonrpc\":"),
            format!(
                "{PONG}\n{}\n",
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#
            ),
        ),
        (format!("{PING}\n\r"), format!("{PONG}\n")),
    ];
    for (input, expected) in cases {
        let outcome = run(&["serve"], input.as_bytes());
        assert_eq!(outcome.stdout, expected, "{input:?}");
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    }
    let too_long = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"{}"}}"#, "a".repeat(100));
    let outcome = run(&["serve", "--max-input", "60"], too_long.as_bytes());
    assert_eq!(
        outcome.stdout,
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32700,\"message\":\"Message too long\"}}\n"
    );
}

#[test]
fn what_was_written_is_flushed_before_the_next_read() {
    let mut session = Session::serve(&[]);
    for id in 0..200 {
        let answer = session.ask(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        assert_eq!(answer, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
    // Half a line blocks the read too.
    session.send_bytes(format!("{PING}\n{{\"jsonrpc\"").as_bytes());
    assert_eq!(session.line(), PONG);
}

#[test]
fn calls_in_flight_finish_at_the_end_of_the_input() {
    let input = format!("{}\n{}", slow("1", 300), slow("2", 400));
    let outcome = run(&["serve"], input.as_bytes());
    let mut answers: Vec<&str> = outcome.stdout.lines().collect();
    answers.sort_unstable();
    assert_eq!(answers, [done("1"), done("2")]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
}

#[test]
fn calls_in_flight_have_so_many_seconds_and_no_more() {
    for seconds in ["0", "1"] {
        let start = Instant::now();
        let input = format!("{}\n{PING}\n", slow("9", 600_000));
        let outcome = run(&["serve", "--drain", seconds], input.as_bytes());
        assert_eq!(outcome.stdout, format!("{PONG}\n"));
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }
}

#[test]
fn streams_end_with_their_response() {
    let listen = r#"{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let outcome = run(&["serve"], listen.as_bytes());
    let expected = [
        r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}"#.to_string(),
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"result":{{"resultType":"complete","_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"barewire-demo","title":"Barewire demo","version":"{}"}},"io.modelcontextprotocol/subscriptionId":7}}}}}}"#,
            env!("CARGO_PKG_VERSION")
        ),
        String::new(),
    ];
    assert_eq!(outcome.stdout, expected.join("\n"));
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_closed_output_ends_the_server_quietly() {
    let (mut stdin, wait) = serve_into_a_closed_pipe();
    // The input stays open: the server ends of itself.
    stdin.write_all(format!("{PING}\n").as_bytes()).expect("the process reads");
    let outcome = wait();
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
}

#[test]
fn an_output_closed_while_a_call_runs_ends_the_server_quietly() {
    let (mut stdin, wait) = serve_into_a_closed_pipe();
    stdin.write_all(format!("{}\n", slow("1", 100)).as_bytes()).expect("the process reads");
    drop(stdin);
    let outcome = wait();
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
}
