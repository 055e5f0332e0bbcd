//! The client over a child process, from the library.

use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::{Duration, Instant};

use barewire::engine::client::{
    ClientEngine, ClientFixed, ClientOptions, ClientOutcome, Counter, Incoming, Plain, RequestOptions,
};
use barewire::mcp::{Implementation, ProtocolVersion, Text};
use barewire::transport::{Child, ChildEnd, Limits};

use crate::servers::{LEGACY, SILENT, script};

type Storage = ClientFixed<u32, 8>;
type Tested = Child<Storage, Plain>;

const TEST: Plain = Plain(Implementation::new("test", "1"));

fn client() -> ClientEngine<Storage> {
    ClientEngine::with(Storage::new(), ClientOptions::DEFAULT, Counter::new())
}

fn run(server: &[&str]) -> Tested {
    let mut command = Command::new(server[0]);
    Child::spawn(command.args(&server[1..]), client(), TEST).expect("the server")
}

fn serve() -> Tested {
    run(&[env!("CARGO_BIN_EXE_barewire"), "serve"])
}

fn connect(child: &mut Tested) -> ProtocolVersion {
    child.write(|client, now, out| client.connect(now, out)).expect("room");
    child
        .run(|_, incoming, _, _| match incoming {
            Incoming::Connected(server) => ControlFlow::Break(server.version()),
            _ => ControlFlow::Continue(()),
        })
        .expect("a server that goes on")
}

#[test]
fn calls_end_out_of_order_each_with_its_context() {
    let mut child = serve();
    assert_eq!(connect(&mut child), ProtocolVersion::V2026_07_28);
    for (context, ms) in [(0, 400), (1, 10), (2, 200)] {
        child
            .write(|client, now, out| {
                client.call_tool(RequestOptions::at(now).with_context(context), "slow", out, |arguments| {
                    arguments.name("ms").integer(ms);
                })
            })
            .expect("a request");
    }
    let mut ends = Vec::new();
    let all = child.run(|client, incoming, _, _| {
        if let Incoming::Ended(ended) = incoming {
            assert!(matches!(ended.outcome, ClientOutcome::Result(_)));
            ends.push(ended.context);
        }
        match client.in_flight() {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    assert_eq!(all, Some(()));
    assert_eq!(ends, [1, 2, 0]);
    let status = child.close(Duration::from_secs(5)).expect("an end");
    assert_eq!(status.code(), Some(0));
}

#[test]
fn large_messages_pass_both_ways() {
    let mut child = serve();
    connect(&mut child);
    let text = "0123456789abcdef".repeat(1 << 15);
    child
        .write(|client, now, out| {
            client.call_tool(RequestOptions::at(now).with_context(0), "echo", out, |arguments| {
                arguments.name("text").string(&text);
            })
        })
        .expect("a request");
    let echoed = child.run(|_, incoming, _, _| match incoming {
        Incoming::Ended(ended) => match ended.outcome {
            ClientOutcome::Result(result) => ControlFlow::Break(result.as_bytes().len()),
            other => panic!("{other:?}"),
        },
        _ => ControlFlow::Continue(()),
    });
    assert!(echoed.is_some_and(|length| length > text.len()));
    // Longer than the client reads: the request ends all the same.
    let limits = Limits { max_input: 4096, ..Limits::DEFAULT };
    let mut command = Command::new(env!("CARGO_BIN_EXE_barewire"));
    let mut child = Child::spawn_with(command.arg("serve"), client(), TEST, &limits).expect("the server");
    connect(&mut child);
    child
        .write(|client, now, out| {
            client.call_tool(RequestOptions::at(now).with_context(0), "echo", out, |arguments| {
                arguments.name("text").string(&text);
            })
        })
        .expect("a request");
    let outcome = child.run(|_, incoming, _, _| match incoming {
        Incoming::Ended(ended) => ControlFlow::Break(format!("{:?}", ended.outcome)),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!(outcome.as_deref(), Some("Invalid(Envelope(TooLong))"));
}

#[test]
fn subscriptions_receive_changes() {
    let mut child = serve();
    connect(&mut child);
    let mut seen = Vec::new();
    child
        .write(|client, now, out| {
            let filter = barewire::engine::client::Subscription {
                resource_uris: &["demo://counter"],
                ..Default::default()
            };
            client.listen(RequestOptions::at(now).with_context(0), &filter, out)
        })
        .expect("a request");
    let done = child.run(|client, incoming, now, out| {
        match incoming {
            Incoming::Acknowledged { subscription, .. } => {
                seen.push("acknowledged".to_owned());
                assert_eq!(client.context(subscription), Some(&0));
                client
                    .call_tool(RequestOptions::at(now).with_context(1), "count", out, |_| {})
                    .expect("a request");
            }
            Incoming::ResourceUpdated { uri, subscription } => {
                seen.push(format!("{uri} updated"));
                client.cancel(subscription.expect("one"), None, out).expect("in flight");
            }
            Incoming::Ended(ended) => {
                assert_eq!(ended.context, 1);
                seen.push("counted".to_owned());
            }
            other => panic!("{other:?}"),
        }
        match client.in_flight() {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    assert_eq!(done, Some(()));
    seen.sort();
    assert_eq!(seen, ["acknowledged", "counted", "demo://counter updated"]);
}

#[test]
fn a_server_that_ends_leaves_its_requests_to_be_yielded() {
    let mut child = run(&script(
        r#"read -r line
        echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}'
        read -r line; read -r line"#,
    ));
    child
        .write(|client, now, out| client.initialize_with(ProtocolVersion::V2025_11_25, now, out))
        .expect("room");
    let mut was_connected = false;
    let ended = child.run(|client, incoming, now, out| {
        if let Incoming::Connected(_) = incoming {
            was_connected = true;
            client.ping(RequestOptions::at(now).with_context(5), out).expect("a request");
        }
        ControlFlow::<()>::Continue(())
    });
    assert!(was_connected && ended.is_none());
    let lost = child.client_mut().disconnect().expect("the ping");
    assert_eq!(lost.context, 5);
    assert!(matches!(lost.outcome, ClientOutcome::Disconnected));
    assert!(child.client_mut().disconnect().is_none());
}

#[test]
fn a_last_line_without_its_newline_counts() {
    let mut child = run(&script(
        r#"read -r line; printf '%s' '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}'"#,
    ));
    child
        .write(|client, now, out| client.initialize_with(ProtocolVersion::V2025_11_25, now, out))
        .expect("room");
    let connected = child.run(|_, incoming, _, _| match incoming {
        Incoming::Connected(_) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!(connected, Some(()));
    assert_eq!(child.run(|_, _, _, _| ControlFlow::Break(())), None);
}

/// Answers to its requests must not fill the memory.
#[test]
fn a_server_that_sends_requests_and_does_not_read_is_given_up() {
    let long = "x".repeat(4000);
    let server = format!(
        r#"
read -r line
echo '{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"2025-06-18","capabilities":{{}},"serverInfo":{{"name":"sh","version":"1"}}}}}}'
exec yes '{{"jsonrpc":"2.0","id":"{long}","method":"ping"}}'
"#
    );
    let limits = Limits { max_output: 1 << 13, ..Limits::DEFAULT };
    let mut command = Command::new("/bin/sh");
    let mut child =
        Child::spawn_with(command.args(["-c", &server]), client(), TEST, &limits).expect("the server");
    child
        .write(|client, now, out| client.initialize_with(ProtocolVersion::V2025_06_18, now, out))
        .expect("room");
    let mut asked = 0;
    let end: Option<()> = child.run(|_, incoming, _, _| {
        asked += usize::from(matches!(incoming, Incoming::Request(..)));
        ControlFlow::Continue(())
    });
    assert_eq!((end, child.end()), (None, Some(ChildEnd::Unread)));
    assert!((1000..1500).contains(&asked), "{asked} requests");
}

#[test]
fn each_event_comes_with_its_line() {
    let connected = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
    let server = format!(
        "echo hello; read -r line; printf '%01000d\\n' 7; printf '\\377\\r\\n'; echo '{connected}'; cat >/dev/null"
    );
    let limits = Limits { max_input: 500, ..Limits::DEFAULT };
    let [shell, option, text] = script(&server);
    let mut command = Command::new(shell);
    let mut child =
        Child::spawn_with(command.args([option, text]), client(), TEST, &limits).expect("the server");
    child
        .write(|client, now, out| client.initialize_with(ProtocolVersion::V2025_11_25, now, out))
        .expect("room");
    let mut lines = Vec::new();
    let done = child.run_with_lines(|_, incoming, line, _, _| {
        match incoming {
            Incoming::Rejected(_) => lines.push(line.to_vec()),
            Incoming::Connected(_) => {
                lines.push(line.to_vec());
                return ControlFlow::Break(());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    });
    assert_eq!(done, Some(()));
    // The second one is too long.
    assert_eq!(lines, [&b"hello"[..], b"", b"\xff\r", connected.as_bytes()]);
}

#[test]
fn time_passes_while_nothing_comes() {
    let mut child = run(&script(LEGACY));
    assert_eq!(connect(&mut child), ProtocolVersion::V2025_03_26);
    child
        .write(|client, now, out| {
            let ask = RequestOptions::at(now).with_context(7).with_timeout(Duration::from_millis(150));
            client.notify("notifications/x", out, |_| {})?;
            client.read_resource(ask.even_if_not_offered(), Text::Plain("a:b"), out)
        })
        .expect("a request");
    // The script does not know the method.
    let outcome = child.run(|_, incoming, _, _| match incoming {
        Incoming::Ended(ended) => ControlFlow::Break((ended.context, format!("{:?}", ended.outcome))),
        _ => ControlFlow::Continue(()),
    });
    assert!(outcome.is_some_and(|(context, outcome)| context == 7 && outcome.contains("-32601")));

    let mut child = run(&script(SILENT));
    child
        .write(|client, now, out| client.initialize_with(ProtocolVersion::V2025_11_25, now, out))
        .expect("room");
    assert!(child.client().next_deadline().is_some_and(|at| at > child.now()));
}

#[test]
fn a_process_ends_by_itself_by_a_signal_or_by_force() {
    let grace = Duration::from_millis(300);
    let status = run(&script(SILENT)).close(Duration::from_secs(10)).expect("an end");
    assert_eq!((status.code(), status.signal()), (Some(0), None));
    // Ignores the end of its input, and never stops writing.
    let status = run(&["/bin/sh", "-c", "exec yes x"]).close(grace).expect("an end");
    assert_eq!(status.signal(), Some(15));
    let start = Instant::now();
    let status = run(&script("trap '' TERM; while :; do sleep 0.05; done")).close(grace).expect("an end");
    assert_eq!(status.signal(), Some(9));
    assert!(start.elapsed() >= grace * 2);
}
