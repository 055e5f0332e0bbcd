//! What a client sends: every request in every revision, byte for byte, and what it refuses to send.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::client::{
    ClientEngine, ClientFixed, ClientOptions, CompletionFor, Counter, IdSource, RequestError, RequestOptions,
    Subscription, Ticket, Timestamp,
};
use barewire::json::JsonStr;
use barewire::mcp::{ClientCapabilities, LoggingLevel, ProtocolVersion, Text};
use barewire::rpc::RequestId;

use crate::client_kit::{
    Bound, Host, MODERN_META, NOW, ask, client, connect, connected, connected_with, event, feed, line, sent,
    unsent, written, written_and,
};

type Sent = Result<Ticket, RequestError>;
type Call = fn(&mut Bound<'_>, &mut Sink<'_>) -> Sent;

fn cursor() -> Option<JsonStr<'static>> {
    JsonStr::from_escaped(r"p\u0032")
}

/// Each request, its method, and the members of its params.
const REQUESTS: &[(Call, &str, &str)] = &[
    (|client, out| client.ping(ask(), out), "ping", ""),
    (|client, out| client.list_tools(ask(), None, out), "tools/list", ""),
    (|client, out| client.list_tools(ask(), cursor(), out), "tools/list", r#""cursor":"p\u0032""#),
    (|client, out| client.list_resources(ask(), None, out), "resources/list", ""),
    (|client, out| client.list_resource_templates(ask(), None, out), "resources/templates/list", ""),
    (|client, out| client.list_prompts(ask(), None, out), "prompts/list", ""),
    (|client, out| client.list_tasks(ask(), None, out), "tasks/list", ""),
    (
        |client, out| client.call_tool(ask(), "a\"b", out, |_| {}),
        "tools/call",
        r#""name":"a\"b","arguments":{}"#,
    ),
    (
        |client, out| {
            client.call_tool(ask(), "t", out, |arguments| {
                arguments.name("pin").integer(4);
            })
        },
        "tools/call",
        r#""name":"t","arguments":{"pin":4}"#,
    ),
    (
        |client, out| {
            client.get_prompt(ask(), "p", out, |arguments| {
                arguments.name("name").string("x");
            })
        },
        "prompts/get",
        r#""name":"p","arguments":{"name":"x"}"#,
    ),
    (|client, out| client.read_resource(ask(), "file:///a", out), "resources/read", r#""uri":"file:///a""#),
    (|client, out| client.subscribe(ask(), "file:///a", out), "resources/subscribe", r#""uri":"file:///a""#),
    (
        |client, out| client.unsubscribe(ask(), "file:///a", out),
        "resources/unsubscribe",
        r#""uri":"file:///a""#,
    ),
    (
        |client, out| {
            let filter = Subscription {
                tools: true,
                prompts: true,
                resources: true,
                resource_uris: &["a:1", "a:2"],
                task_ids: &["t"],
            };
            client.listen(ask(), &filter, out)
        },
        "subscriptions/listen",
        r#""notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a:1","a:2"],"taskIds":["t"]}"#,
    ),
    (
        |client, out| client.listen(ask(), &Subscription::default(), out),
        "subscriptions/listen",
        r#""notifications":{}"#,
    ),
    (
        |client, out| {
            let of = CompletionFor::Prompt(Text::from("greet"));
            client.complete(ask(), of, "language", "g", out, |_| {})
        },
        "completion/complete",
        r#""ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"language","value":"g"}"#,
    ),
    (
        |client, out| client.set_level(ask(), LoggingLevel::Warning, out),
        "logging/setLevel",
        r#""level":"warning""#,
    ),
    (|client, out| client.get_task(ask(), "t", out), "tasks/get", r#""taskId":"t""#),
    (|client, out| client.task_result(ask(), "t", out), "tasks/result", r#""taskId":"t""#),
    (|client, out| client.cancel_task(ask(), "t", out), "tasks/cancel", r#""taskId":"t""#),
    (
        |client, out| {
            client.update_task(ask(), "t", out, |responses| {
                responses.name("k").begin_object();
                responses.name("action").string("decline").end_object();
            })
        },
        "tasks/update",
        r#""taskId":"t","inputResponses":{"k":{"action":"decline"}}"#,
    ),
    (
        |client, out| {
            client.request(ask(), "x/y", out, |params| {
                params.name("z").null();
            })
        },
        "x/y",
        r#""z":null"#,
    ),
    (|client, out| client.request(ask(), "x/y", out, |_| {}), "x/y", ""),
    (|client, out| client.request(ask(), "tools/list", out, |_| {}), "tools/list", ""),
];

/// The revisions that have a method; all of them have one that is not of MCP.
fn is_in(method: &str, version: ProtocolVersion) -> bool {
    use ProtocolVersion as V;
    match method {
        "ping" | "resources/subscribe" | "resources/unsubscribe" | "logging/setLevel" => {
            version < V::V2026_07_28
        }
        "subscriptions/listen" | "tasks/update" => version == V::V2026_07_28,
        "tasks/list" | "tasks/result" => version == V::V2025_11_25,
        "tasks/get" | "tasks/cancel" => version >= V::V2025_11_25,
        _ => true,
    }
}

#[test]
fn every_request_in_every_revision() {
    let mut counts = (0, 0);
    for version in ProtocolVersion::ALL {
        for (call, method, members) in REQUESTS {
            let host = Host::offering(|offered| offered.insert(ClientCapabilities::TASKS_EXTENSION));
            let mut client = connected_with(host, version);
            if !is_in(method, version) {
                assert_eq!(unsent(&mut client, call), RequestError::NotInRevision, "{method} in {version}");
                counts.1 += 1;
                continue;
            }
            let meta = MODERN_META.replace(
                r#""io.modelcontextprotocol/clientCapabilities":{}"#,
                r#""io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#,
            );
            let params = match (version == ProtocolVersion::V2026_07_28, members.is_empty()) {
                (true, true) => format!(r#","params":{{{meta}}}"#),
                (true, false) => format!(r#","params":{{{members},{meta}}}"#),
                (false, true) => String::new(),
                (false, false) => format!(r#","params":{{{members}}}"#),
            };
            assert_eq!(
                sent(&mut client, call),
                format!(r#"{{"jsonrpc":"2.0","id":2,"method":"{method}"{params}}}"#)
            );
            assert_eq!(client.in_flight(), 1);
            counts.0 += 1;
        }
    }
    assert_eq!(counts, (90, 30));
}

#[test]
fn a_completion_tells_what_is_chosen_where_the_revision_has_it() {
    let sent_in = |version| {
        sent(&mut connected(version), |client, out| {
            let of = CompletionFor::Resource(Text::from("a:{x}{y}"));
            client.complete(ask(), of, "x", "1", out, |known| {
                known.name("y").string("2");
            })
        })
    };
    let reference = r#"{"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"a:{x}{y}"},"argument":{"name":"x","value":"1"}"#;
    assert_eq!(
        sent_in(ProtocolVersion::V2025_06_18),
        format!(r#"{reference},"context":{{"arguments":{{"y":"2"}}}}}}}}"#)
    );
    assert_eq!(sent_in(ProtocolVersion::V2025_03_26), format!("{reference}}}}}"));
}

#[test]
fn what_was_asked_for_stands_in_the_metadata() {
    let asked = || ask().with_progress().with_log_level(LoggingLevel::Debug);
    let mut client = connected(ProtocolVersion::V2025_11_25);
    assert_eq!(
        sent(&mut client, |client, out| client.list_tools(asked(), None, out)),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"progressToken":2}}}"#
    );
    assert_eq!(
        sent(&mut client, |client, out| client.call_tool(asked().as_task(Some(60_000)), "t", out, |_| {})),
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t","arguments":{},"task":{"ttl":60000},"_meta":{"progressToken":3}}}"#
    );
    assert_eq!(
        sent(&mut client, |client, out| client.call_tool(ask().as_task(None), "t", out, |_| {})),
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"t","arguments":{},"task":{}}}"#
    );
    let mut client = connected(ProtocolVersion::V2026_07_28);
    let meta = MODERN_META.strip_suffix('}').unwrap();
    assert_eq!(
        sent(&mut client, |client, out| client.list_tools(asked(), None, out)),
        format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{{{meta},"io.modelcontextprotocol/logLevel":"debug","progressToken":2}}}}}}"#
        )
    );
}

#[test]
fn nothing_is_sent_outside_a_connection() {
    for (call, _, _) in REQUESTS {
        assert_eq!(unsent(&mut client(), call), RequestError::NotConnected);
    }
    assert_eq!(
        unsent(&mut client(), |client, out| client.notify("x", out, |_| {})),
        RequestError::NotConnected
    );
    let mut connecting = client();
    written(&mut connecting, |client, out| client.connect(NOW, out).unwrap());
    assert!(connecting.is_connecting());
    assert_eq!(unsent(&mut connecting, |client, out| client.ping(ask(), out)), RequestError::NotConnected);
}

#[test]
fn the_handshake_is_no_request_of_the_application() {
    let mut legacy = connected(ProtocolVersion::V2025_11_25);
    assert_eq!(
        unsent(&mut legacy, |client, out| client.request(ask(), "initialize", out, |_| {})),
        RequestError::AlreadyConnected
    );
    assert_eq!(unsent(&mut legacy, |client, out| client.connect(NOW, out)), RequestError::AlreadyConnected);
    let mut modern = connected(ProtocolVersion::V2026_07_28);
    assert_eq!(
        unsent(&mut modern, |client, out| client.request(ask(), "server/discover", out, |_| {})),
        RequestError::AlreadyConnected
    );
}

#[test]
fn what_is_not_offered_is_not_sent_unless_told() {
    let cases: [(Call, Call, ProtocolVersion); 6] = [
        (
            |client, out| client.list_tools(ask(), None, out),
            |client, out| client.list_tools(ask().even_if_not_offered(), None, out),
            ProtocolVersion::V2025_11_25,
        ),
        (
            |client, out| client.subscribe(ask(), "a:b", out),
            |client, out| client.subscribe(ask().even_if_not_offered(), "a:b", out),
            ProtocolVersion::V2024_11_05,
        ),
        (
            |client, out| client.set_level(ask(), LoggingLevel::Info, out),
            |client, out| client.set_level(ask().even_if_not_offered(), LoggingLevel::Info, out),
            ProtocolVersion::V2025_06_18,
        ),
        (
            |client, out| client.list_prompts(ask(), None, out),
            |client, out| client.list_prompts(ask().even_if_not_offered(), None, out),
            ProtocolVersion::V2026_07_28,
        ),
        (
            |client, out| client.get_task(ask(), "t", out),
            |client, out| client.get_task(ask().even_if_not_offered(), "t", out),
            ProtocolVersion::V2025_11_25,
        ),
        (
            |client, out| client.get_task(ask(), "t", out),
            |client, out| client.get_task(ask().even_if_not_offered(), "t", out),
            ProtocolVersion::V2026_07_28,
        ),
    ];
    for (call, forced, version) in cases {
        let mut client = connect(Host::default(), version, "{}");
        assert_eq!(unsent(&mut client, call), RequestError::NotOffered);
        sent(&mut client, forced);
    }
    // A call as a task needs a capability of its own, and a client's.
    let mut client = connect(Host::default(), ProtocolVersion::V2025_11_25, r#"{"tools":{},"tasks":{}}"#);
    assert_eq!(
        unsent(&mut client, |client, out| client.call_tool(ask().as_task(None), "t", out, |_| {})),
        RequestError::NotOffered
    );
    let mut client = connected(ProtocolVersion::V2026_07_28);
    assert_eq!(unsent(&mut client, |client, out| client.get_task(ask(), "t", out)), RequestError::NotOffered);
    // The oldest revision has no capability for completions.
    let complete: Call = |client, out| {
        let of = CompletionFor::Prompt(Text::from("p"));
        client.complete(ask(), of, "a", "", out, |_| {})
    };
    sent(&mut connect(Host::default(), ProtocolVersion::V2024_11_05, "{}"), complete);
    assert_eq!(
        unsent(&mut connect(Host::default(), ProtocolVersion::V2025_03_26, "{}"), complete),
        RequestError::NotOffered
    );
}

#[test]
fn only_tools_are_tasks_and_only_in_one_revision() {
    for version in ProtocolVersion::ALL {
        let mut client = connected(version);
        let task = |client: &mut Bound<'_>, out: &mut Sink<'_>| {
            client.call_tool(ask().as_task(None), "t", out, |_| {})
        };
        if version == ProtocolVersion::V2025_11_25 {
            sent(&mut client, task);
        } else {
            assert_eq!(unsent(&mut client, task), RequestError::NotInRevision);
        }
        assert_eq!(
            unsent(&mut client, |client, out| client.list_tools(ask().as_task(None), None, out)),
            RequestError::NotInRevision
        );
    }
}

#[test]
fn what_only_servers_send_is_not_sent() {
    let mut client = connected(ProtocolVersion::V2025_11_25);
    for method in ["roots/list", "sampling/createMessage", "notifications/initialized"] {
        assert_eq!(
            unsent(&mut client, |client, out| client.request(ask(), method, out, |_| {})),
            RequestError::NotInRevision,
            "{method}"
        );
    }
    // What only servers send; and a request, which without an id nobody would answer.
    for method in ["notifications/message", "tools/call", "ping"] {
        assert_eq!(
            unsent(&mut client, |client, out| client.notify(method, out, |_| {})),
            RequestError::NotInRevision,
            "{method}"
        );
    }
    // A modern server asks nothing of which there could be progress.
    let progress =
        |client: &mut Bound<'_>, out: &mut Sink<'_>| client.notify("notifications/progress", out, |_| {});
    assert!(!sent(&mut client, progress).is_empty());
    let mut modern = connected(ProtocolVersion::V2026_07_28);
    assert_eq!(unsent(&mut modern, progress), RequestError::NotInRevision);
}

#[test]
fn a_full_table_is_an_error_before_a_byte_is_written() {
    let mut client = connected(ProtocolVersion::V2025_11_25);
    for _ in 0..4 {
        sent(&mut client, |client, out| client.ping(ask(), out));
    }
    assert_eq!(unsent(&mut client, |client, out| client.ping(ask(), out)), RequestError::TableFull);
    assert_eq!(event(&mut client, r#"{"jsonrpc":"2.0","id":4,"result":{}}"#), "ping c: result {}");
    assert!(sent(&mut client, |client, out| client.ping(ask(), out)).contains(r#""id":6"#));
}

#[test]
fn no_room_is_an_error_that_says_how_much_is_needed() {
    let mut client = connected(ProtocolVersion::V2025_11_25);
    let whole = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#.len() + 1;
    for room in 0..whole {
        let mut memory = vec![0; room];
        let mut out = Sink::new(&mut memory);
        match client.bind().ping(ask(), &mut out) {
            // An id that was not sent is not given again, so they grow.
            Err(RequestError::NoRoom(full)) => assert!(full.needed >= whole && full.needed > room),
            other => panic!("{other:?}"),
        }
        assert_eq!(out.finish(), Ok(&b""[..]));
        assert_eq!(client.in_flight(), 0);
    }
    // What stands in the output stays.
    let mut memory = [0; 64];
    let mut out = Sink::new(&mut memory);
    client.bind().ping(ask(), &mut out).unwrap();
    let first = out.finish().unwrap().to_vec();
    assert!(client.bind().ping(ask(), &mut out).is_err());
    assert_eq!(out.finish().unwrap(), first);
}

#[test]
fn ids_in_flight_are_not_given_again() {
    /// Gives each id three times.
    #[derive(Debug)]
    struct Stutter(u64);
    impl IdSource for Stutter {
        type Id = u64;

        fn next_id(&mut self, _: Duration) -> u64 {
            self.0 += 1;
            self.0 / 3 + 10
        }

        fn with_id<R>(kept: &u64, then: impl FnOnce(RequestId<'_>) -> R) -> R {
            Counter::with_id(kept, then)
        }
    }
    let storage = ClientFixed::<(), 4, Stutter>::new();
    let mut engine = ClientEngine::with(storage, ClientOptions::DEFAULT, Stutter(0));
    let mut host = Host::default();
    let mut client = engine.bind(&mut host);
    let mut memory = [0; 512];
    let mut out = Sink::new(&mut memory);
    client.initialize_with(ProtocolVersion::V2025_11_25, NOW, &mut out).unwrap();
    let line = br#"{"jsonrpc":"2.0","id":10,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
    let _ = client.handle_frame(line, NOW, &mut out);
    let mut ids = Vec::new();
    for _ in 0..4 {
        let mut out = Sink::new(&mut memory);
        let ticket = client.ping(RequestOptions::at(NOW), &mut out).unwrap();
        ids.push(client.with_id(ticket, |id| id.to_i64()).flatten());
    }
    assert_eq!(ids, [Some(10), Some(11), Some(12), Some(13)]);

    /// Gives the same one always.
    #[derive(Debug)]
    struct Stuck;
    impl IdSource for Stuck {
        type Id = ();

        fn next_id(&mut self, _: Duration) {}

        fn with_id<R>(_: &(), then: impl FnOnce(RequestId<'_>) -> R) -> R {
            then(RequestId::from("only"))
        }
    }
    let storage = ClientFixed::<(), 4, Stuck>::new();
    let mut engine = ClientEngine::with(storage, ClientOptions::DEFAULT, Stuck);
    let mut client = engine.bind(&mut host);
    let mut out = Sink::new(&mut memory);
    client.initialize_with(ProtocolVersion::V2025_11_25, NOW, &mut out).unwrap();
    let line =
        br#"{"jsonrpc":"2.0","id":"only","result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
    let _ = client.handle_frame(line, NOW, &mut out);
    client.ping(RequestOptions::at(NOW), &mut out).unwrap();
    assert_eq!(client.ping(RequestOptions::at(NOW), &mut out), Err(RequestError::NoId));
}

#[test]
fn timestamps_are_the_times_of_the_requests() {
    let storage = ClientFixed::<(), 4, Timestamp>::new();
    let mut engine = ClientEngine::with(storage, ClientOptions::DEFAULT, Timestamp::new());
    let mut host = Host::default();
    let mut client = engine.bind(&mut host);
    let mut memory = [0; 512];
    let mut out = Sink::new(&mut memory);
    let now = Duration::from_micros(1_790_000_000_000_000);
    client.initialize_with(ProtocolVersion::V2025_11_25, now, &mut out).unwrap();
    assert!(out.finish().unwrap().starts_with(br#"{"jsonrpc":"2.0","id":"1790000000000000","method""#));
    let line = br#"{"jsonrpc":"2.0","id":"17900000\u00300000000","result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
    let mut out = Sink::new(&mut memory);
    let _ = client.handle_frame(line, now, &mut out);
    assert!(client.version().is_some());
    let mut out = Sink::new(&mut memory);
    client.ping(RequestOptions::at(now), &mut out).unwrap();
    assert_eq!(
        out.finish().unwrap(),
        b"{\"jsonrpc\":\"2.0\",\"id\":\"1790000000000001\",\"method\":\"ping\"}\n"
    );
}

#[test]
fn a_cancelled_request_is_over() {
    for version in ProtocolVersion::ALL {
        let mut client = connected(version);
        let (_, ticket) = written_and(&mut client, |client, out| client.list_tools(ask(), None, out));
        let ticket = ticket.unwrap();
        assert_eq!(client.context(ticket), Some(&"c"));
        let mut full = Sink::new(&mut []);
        assert!(matches!(client.cancel(ticket, None, &mut full), Err(RequestError::NoRoom(_))));
        assert_eq!(client.in_flight(), 1);
        let (text, context) =
            written_and(&mut client, |client, out| client.cancel(ticket, Some("not \"needed\""), out));
        assert_eq!(context, Ok("c"));
        assert_eq!(
            line(&text),
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"not \"needed\""}}"#
        );
        assert_eq!(client.in_flight(), 0);
        assert_eq!(
            unsent(&mut client, |client, out| client.cancel(ticket, None, out)),
            RequestError::NotInFlight
        );
        assert_eq!(event(&mut client, r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#), "unmatched 2");
    }
}

#[test]
fn notifications_are_sent_as_they_are() {
    let mut client = connected(ProtocolVersion::V2025_11_25);
    assert_eq!(
        sent(&mut client, |client, out| client.notify("notifications/x", out, |params| {
            params.name("a").integer(1);
        })),
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}"#
    );
    assert_eq!(unsent(&mut client, |client, out| client.roots_changed(out)), RequestError::NotOffered);
    let host = || Host::offering(|offered| offered.insert(ClientCapabilities::ROOTS_LIST_CHANGED));
    let mut client = connected_with(host(), ProtocolVersion::V2025_11_25);
    assert_eq!(
        sent(&mut client, |client, out| client.roots_changed(out)),
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#
    );
    let mut client = connected_with(host(), ProtocolVersion::V2026_07_28);
    assert_eq!(unsent(&mut client, |client, out| client.roots_changed(out)), RequestError::NotInRevision);
}

#[test]
fn a_connection_that_is_given_up_yields_what_is_in_flight() {
    let mut client = connected(ProtocolVersion::V2025_11_25);
    for context in ["a", "b", "c"] {
        sent(&mut client, |client, out| client.ping(RequestOptions::at(NOW).with_context(context), out));
    }
    let mut contexts = Vec::new();
    while let Some(ended) = client.disconnect() {
        assert!(matches!(ended.outcome, barewire::engine::client::ClientOutcome::Disconnected));
        contexts.push(ended.context);
    }
    contexts.sort_unstable();
    assert_eq!(contexts, ["a", "b", "c"]);
    assert_eq!(client.version(), None);
    // Afresh, and no id is used again.
    let text = written(&mut client, |client, out| client.connect(NOW, out).unwrap());
    assert!(text.contains(r#""id":5,"method":"server/discover""#));
    let (shown, _) = feed(&mut client, r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
    assert_eq!(shown, "unmatched 3");
}
