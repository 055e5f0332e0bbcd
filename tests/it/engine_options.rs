//! What a server does where it has a choice.

use barewire::engine::{Lifecycle, Options, UnreadableId};
use barewire::mcp::{Capabilities, ProtocolVersion};
use barewire::rpc::Rules;

use crate::engine_kit::{
    App, Hosted, answer, call, cancel, error, initialize, modern, request, result, text,
};

fn server(options: Options) -> Hosted<App> {
    Hosted::with_options(
        App {
            offers: |offered| offered.insert(Capabilities::LOGGING),
            ..App::of_tool(|_, _, reply| Ok(reply.text("x")))
        },
        options,
    )
}

#[test]
fn a_strict_lifecycle_serves_only_ping_before_the_handshake() {
    let mut server = server(Options::DEFAULT.with_lifecycle(Lifecycle::Strict));
    assert_eq!(answer(&mut server, &request("1", "ping", "")), result("1", ""));
    for method in ["tools/list", "tools/call", "logging/setLevel", "nope", "notifications/initialized"] {
        assert_eq!(
            answer(&mut server, &request("1", method, "")),
            error("1", -32600, "Not initialized"),
            "{method}"
        );
    }
    // The other era has no handshake.
    assert!(answer(&mut server, &modern("1", "tools/call", r#""name":"t""#)).contains(r#""text":"x""#));
    // A handshake that failed is none.
    answer(&mut server, &request("1", "initialize", "{}"));
    assert_eq!(answer(&mut server, &call("1")), error("1", -32600, "Not initialized"));
    answer(&mut server, &initialize("2025-06-18"));
    assert_eq!(answer(&mut server, &call("1")), text("1", "x", false));
    server.reset();
    assert_eq!(answer(&mut server, &call("1")), error("1", -32600, "Not initialized"));
}

#[test]
fn a_lenient_lifecycle_serves_as_the_newest_revision_with_a_handshake() {
    let mut server = server(Options::DEFAULT);
    assert_eq!(answer(&mut server, &call("1")), text("1", "x", false));
    assert_eq!(server.session(), None);
    assert_eq!(Options::DEFAULT, Options::default());
}

#[test]
fn a_second_handshake_is_refused_and_changes_nothing() {
    let mut server = server(Options::DEFAULT);
    answer(&mut server, &initialize("2024-11-05"));
    assert_eq!(
        answer(&mut server, &initialize("2025-11-25")),
        error(r#""init""#, -32600, "Already initialized")
    );
    assert_eq!(server.session(), Some(ProtocolVersion::V2024_11_05));
    assert_eq!(server.handler().log.events, ["initialized 2024-11-05"]);
}

/// It needs no more than a version; but what is read of it must not be there twice, as another parser may take the other.
#[test]
fn a_handshake_says_once_what_the_client_can_do() {
    for (capabilities, is_served) in [
        ("", true),
        (r#","capabilities":7"#, true),
        (r#","clientInfo":7,"clientInfo":8"#, true),
        (r#","capabilities":{},"capabilities":{"roots":{}}"#, false),
        (r#","capabilities":{},"c\u0061pabilities":{}"#, false),
    ] {
        let mut server = server(Options::DEFAULT);
        let params = format!(r#"{{"protocolVersion":"2025-11-25"{capabilities}}}"#);
        let found = answer(&mut server, &request("1", "initialize", &params));
        assert_eq!(server.session().is_some(), is_served, "{capabilities}");
        if !is_served {
            assert_eq!(found, error("1", -32602, "Invalid params"), "{capabilities}");
        }
    }
}

#[test]
fn where_a_link_outlives_its_peers_a_second_handshake_starts_anew() {
    let options = Options::DEFAULT.with_restart(true);
    let mut server: Hosted<App> = Hosted::with_options(App::deferring(), options);
    answer(&mut server, &initialize("2024-11-05"));
    answer(&mut server, &call(r#""init""#));
    answer(&mut server, &call("1"));
    // The new peer counts its ids from where the old one did.
    let answered = answer(&mut server, &initialize("2025-06-18"));
    assert!(answered.contains(r#""protocolVersion":"2025-06-18""#), "{answered}");
    assert_eq!(server.session(), Some(ProtocolVersion::V2025_06_18));
    assert_eq!(server.in_flight(), 0);
    assert_eq!(server.handler().log.cancelled.len(), 2);
    assert_eq!(answer(&mut server, &call("1")), "");
    // One that is refused starts nothing.
    let invalid = request("2", "initialize", "{}");
    assert_eq!(answer(&mut server, &invalid), error("2", -32602, "Invalid params"));
    assert_eq!((server.in_flight(), server.session()), (1, Some(ProtocolVersion::V2025_06_18)));
    // One of the other era does not exist.
    assert_eq!(
        answer(&mut server, &modern("1", "initialize", r#""protocolVersion":"2025-06-18""#)),
        error("1", -32600, "Request id in use")
    );
    assert_eq!(server.in_flight(), 1);
}

#[test]
fn an_unreadable_id_is_null_or_left_out_or_not_answered() {
    let lines = ["not-json", "[]", r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#];
    let codes = [(-32700, "Parse error"), (-32600, "Invalid Request"), (-32600, "Invalid Request")];
    for (line, (code, message)) in lines.into_iter().zip(codes) {
        let mut null = server(Options::DEFAULT);
        assert_eq!(answer(&mut null, line), error("null", code, message));
        let mut omit = server(Options::DEFAULT.with_unreadable_id(UnreadableId::Omit));
        assert_eq!(
            answer(&mut omit, line),
            format!("{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":{code},\"message\":\"{message}\"}}}}\n")
        );
        let mut silent = server(Options::DEFAULT.with_unreadable_id(UnreadableId::Silent));
        assert_eq!(answer(&mut silent, line), "");
        assert_eq!(silent.handler().log.events.len(), 1);
        // A readable one is answered whatever is wrong.
        for server in [&mut null, &mut omit, &mut silent] {
            assert_eq!(
                answer(server, r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#),
                error("7", -32600, "Invalid Request")
            );
        }
    }
}

#[test]
fn leniencies_are_those_of_the_rules() {
    let null = request("1", "ping", "null");
    let array = request("1", "ping", "[]");
    let invalid = error("1", -32600, "Invalid Request");
    let pong = result("1", "");
    let cases = [
        (Rules::STRICT, &invalid, &invalid),
        (Rules::STRICT.with_null_params(true), &pong, &invalid),
        (Rules::STRICT.with_empty_array_params(true), &invalid, &pong),
        (Rules::LENIENT, &pong, &pong),
    ];
    for (rules, for_null, for_array) in cases {
        let mut server = server(Options::DEFAULT.with_rules(rules));
        assert_eq!(&answer(&mut server, &null), for_null, "{rules:?}");
        assert_eq!(&answer(&mut server, &array), for_array, "{rules:?}");
    }
    let mut flat = server(Options::DEFAULT.with_rules(Rules::STRICT.with_max_depth(2)));
    assert_eq!(answer(&mut flat, &request("1", "ping", "{}")), pong);
    assert_eq!(
        answer(&mut flat, &request("1", "ping", r#"{"a":[]}"#)),
        error("1", -32700, "Message too deep")
    );
}

#[test]
fn what_needs_no_answer_is_told_to_the_application() {
    let mut server = server(Options::DEFAULT.with_rules(Rules::LENIENT));
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/nope"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t"}}"#,
        r#"{"jsonrpc":"2.0","method":"x","params":7}"#,
        &cancel("7"),
        "",
        " \r\n",
    ] {
        assert_eq!(answer(&mut server, line), "", "{line}");
    }
    server.lost();
    assert_eq!(
        server.handler().log.events,
        [
            "response",
            "response",
            "rejected result-without-id",
            "notification notifications/nope",
            "notification tools/call",
            "rejected params-not-an-object",
            "lost",
        ]
    );
}
