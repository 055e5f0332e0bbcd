//! The server, over every method of both eras, and between the frames.

use barewire::bytes::{Framer, Sink};
use barewire::demo::{COUNTER_URI, Demo, Host};
use barewire::engine::{CallError, CallToken, Event, List, MIN_OUTPUT, Progress};
use barewire::mcp::LoggingLevel;
use barewire::transport::Link;

use crate::counter::without_allocating;
use crate::hosted::{Hosted, Status};

/// Keeps the last call of `slow`.
#[derive(Default)]
struct Desk {
    token: Option<CallToken>,
    events: usize,
}

impl Host for Desk {
    fn start_slow(&mut self, token: CallToken, _: u32) -> Result<(), CallError<'static>> {
        self.token = Some(token);
        Ok(())
    }

    fn resource_changed(&mut self, _: &'static str) {}

    fn event(&mut self, _: Event<'_>) {
        self.events += 1;
    }
}

type DemoServer = Hosted<Demo<Desk>>;

/// A method, and params that it may have.
const REQUESTS: &[(&str, &str)] = &[
    ("initialize", r#""protocolVersion":"2025-06-18","capabilities":{}"#),
    ("ping", ""),
    ("server/discover", ""),
    ("tools/list", ""),
    ("tools/list", r#""cursor":"2""#),
    ("tools/list", r#""cursor":"x""#),
    ("tools/call", r#""name":"echo","arguments":{"text":"a\ud83d\ude00\ud800\n"}"#),
    ("tools/call", r#""name":"echo","arguments":{"text":1}"#),
    ("tools/call", r#""name":"add","arguments":{"a":1,"b":2}"#),
    ("tools/call", r#""name":"add","arguments":{"a":0.1,"b":0.2}"#),
    ("tools/call", r#""name":"add","arguments":{"a":1e400,"b":0.2}"#),
    ("tools/call", r#""name":"measure","arguments":{"unit":"kelvin"}"#),
    ("tools/call", r#""name":"measure","arguments":{"unit":"rankine"}"#),
    ("tools/call", r#""name":"pixel""#),
    ("tools/call", r#""name":"count","arguments":null"#),
    ("tools/call", r#""name":"nope""#),
    ("tools/call", ""),
    ("resources/list", ""),
    ("resources/templates/list", ""),
    ("resources/read", r#""uri":"demo://readme""#),
    ("resources/read", r#""uri":"demo://pixel.png""#),
    ("resources/read", r#""uri":"demo:\/\/square\/12""#),
    ("resources/read", r#""uri":"nope://x""#),
    ("resources/subscribe", r#""uri":"demo://counter""#),
    ("resources/unsubscribe", r#""uri":"demo://counter""#),
    ("prompts/list", ""),
    ("prompts/get", r#""name":"greet","arguments":{"name":"a","language":"b"}"#),
    ("prompts/get", r#""name":"greet""#),
    ("prompts/get", r#""name":"nope""#),
    (
        "completion/complete",
        r#""ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"language","value":"g"}"#,
    ),
    ("completion/complete", ""),
    ("logging/setLevel", r#""level":"debug""#),
    ("logging/setLevel", r#""level":"loud""#),
    ("roots/list", ""),
    ("tasks/get", r#""taskId":"a""#),
    ("nope", r#""a":[1,{"b":"c"}]"#),
];

const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"debug","progressToken":7}"#;
const UNKNOWN_VERSION: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn frame(id: usize, method: &str, members: &[&str]) -> String {
    let members: Vec<&str> = members.iter().copied().filter(|part| !part.is_empty()).collect();
    let params = members.join(",");
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}}}"#)
}

/// Every request, in the legacy era, in the modern one, and in one that does not exist.
fn frames() -> Vec<String> {
    ["", MODERN, UNKNOWN_VERSION]
        .iter()
        .flat_map(|meta| REQUESTS.iter().map(move |(method, params)| (*method, *params, *meta)))
        .enumerate()
        .map(|(id, (method, params, meta))| frame(id, method, &[params, meta]))
        .collect()
}

#[test]
fn every_method_in_both_eras_with_much_room_and_with_little() {
    let frames = frames();
    for room in [4096, 300, MIN_OUTPUT, 10, 0] {
        let mut memory = vec![0; room];
        let mut server = DemoServer::new(Demo::new(Desk::default()));
        for frame in &frames {
            let answer = without_allocating(frame, || {
                let mut out = Sink::new(&mut memory);
                assert_eq!(server.handle_frame(frame.as_bytes(), &mut out), Status::Done);
                out.len()
            });
            assert_eq!(answer > 0, room >= MIN_OUTPUT, "{frame}");
        }
    }
}

#[test]
fn what_is_no_request() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{}{}}}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    let frames = [
        "",
        "not-json",
        "[]",
        "{}",
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"count"}}"#,
        &deep,
    ];
    let mut server = DemoServer::new(Demo::new(Desk::default()));
    let mut memory = [0; 256];
    for frame in frames {
        without_allocating(frame, || {
            assert_eq!(server.handle_frame(frame.as_bytes(), &mut Sink::new(&mut memory)), Status::Done);
        });
    }
}

#[test]
fn a_call_that_is_answered_later() {
    let mut server = DemoServer::new(Demo::new(Desk::default()));
    let mut memory = [0; 512];
    for meta in [r#""_meta":{"progressToken":"t"}"#, MODERN] {
        let call = frame(1, "tools/call", &[r#""name":"slow","arguments":{"ms":5}"#, meta]);
        let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        without_allocating("a deferred call", || {
            let mut out = Sink::new(&mut memory);
            assert_eq!(server.handle_frame(call.as_bytes(), &mut out), Status::Done);
            let token = server.handler_mut().host_mut().token.expect("a call");
            assert_eq!(server.progress(token, Progress::new(1).of(2).with_message("m"), &mut out), Ok(true));
            assert_eq!(server.log_for(token, LoggingLevel::Error, Some("l"), "text", &mut out), Ok(true));
            assert!(server.is_in_flight(token));
            let completed = server.complete_tool(token, &mut out, |content| {
                Ok(content.text("done").text(format_args!("{}", 7)).done())
            });
            assert_eq!(completed, Ok(Status::Done));
            let again = server.complete_tool(token, &mut out, |content| Ok(content.done()));
            assert!(again.is_err());
            assert!(out.finish().is_ok_and(|lines| !lines.is_empty()));
        });
        without_allocating("a cancelled call", || {
            let mut out = Sink::new(&mut memory);
            assert_eq!(server.handle_frame(call.as_bytes(), &mut out), Status::Done);
            assert_eq!(server.handle_frame(call.as_bytes(), &mut out), Status::Done);
            assert_eq!(server.handle_frame(cancel.as_bytes(), &mut out), Status::Done);
            assert_eq!(server.in_flight(), 0);
        });
        without_allocating("a failed call", || {
            let mut out = Sink::new(&mut memory);
            assert_eq!(server.handle_frame(call.as_bytes(), &mut out), Status::Done);
            let token = server.handler_mut().host_mut().token.expect("a call");
            let failed = server.complete_tool(token, &mut out, |_| Err(CallError::Failed("no")));
            assert_eq!(failed, Ok(Status::Done));
        });
    }
}

#[test]
fn subscriptions_changes_and_log_messages() {
    let mut server = DemoServer::new(Demo::new(Desk::default()));
    let mut memory = [0; 1024];
    let frames = [
        frame(0, "initialize", &[r#""protocolVersion":"2025-11-25""#]),
        frame(1, "resources/subscribe", &[r#""uri":"demo://counter""#]),
        frame(
            2,
            "subscriptions/listen",
            &[
                r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["demo://counter"]}"#,
                MODERN,
            ],
        ),
        frame(3, "subscriptions/listen", &[r#""notifications":{}"#, MODERN]),
        frame(4, "subscriptions/listen", &[r#""notifications":{}"#, MODERN]),
    ];
    for frame in &frames {
        without_allocating(frame, || {
            assert_eq!(server.handle_frame(frame.as_bytes(), &mut Sink::new(&mut memory)), Status::Done);
        });
    }
    without_allocating("changes", || {
        let mut out = Sink::new(&mut memory);
        assert_eq!(server.resource_updated(COUNTER_URI, &mut out), Status::Done);
        assert_eq!(server.list_changed(List::Tools, &mut out), Status::Done);
        assert!(server.log(LoggingLevel::Error, None, "text", &mut out));
        assert_eq!(server.end_streams(&mut out), Status::Done);
        assert!(out.finish().is_ok_and(|lines| lines.iter().filter(|byte| **byte == b'\n').count() == 5));
        server.reset();
    });
}

#[test]
fn lines_out_of_a_stream() {
    let mut server = DemoServer::new(Demo::new(Desk::default()));
    let (mut input, mut output) = ([0; 64], [0; 256]);
    let stream = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"},\"id\":2}\n";
    without_allocating("a stream", || {
        let mut framer = Framer::new(input.as_mut_slice());
        let mut written = 0;
        for piece in stream.chunks(7) {
            let mut piece = piece;
            while !piece.is_empty() {
                let taken = framer.push(piece);
                piece = &piece[taken..];
                loop {
                    let mut out = Sink::new(&mut output);
                    let status = server.receive(framer.next(), &mut out);
                    written += out.len();
                    match status {
                        Some(status) => assert_eq!(status, Status::Done),
                        None => break,
                    }
                }
            }
        }
        server.lost();
        assert!(written > 0);
    });
}

#[test]
fn bytes_through_a_link() {
    let mut link = Link::new(Demo::new(Desk::default()), [0; 128], [0; 512]);
    let stream = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\nnot-json\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}";
    without_allocating("a link", || {
        let mut rest = stream.as_slice();
        let mut sent = 0;
        loop {
            let count = link.output().len().min(50);
            if count > 0 {
                link.sent(count);
                sent += count;
            } else if rest.is_empty() {
                break;
            } else {
                let count = link.space().len().min(7).min(rest.len());
                link.space()[..count].copy_from_slice(&rest[..count]);
                link.received(count);
                rest = &rest[count..];
            }
        }
        link.end_of_input();
        assert!(sent > 200 && !link.output().is_empty());
        link.lost();
        link.reset();
    });
}
