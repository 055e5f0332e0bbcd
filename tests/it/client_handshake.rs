//! Which era and which revision: what the client sends, and what each answer leads to.

use core::time::Duration;

use barewire::engine::client::{ClientOptions, RequestError};
use barewire::mcp::{Capabilities, ProtocolVersion, Versions};
use barewire::rpc::Rules;

use crate::client_kit::{
    Host, HostClient, MODERN_META, NOW, ask, client, client_of, event, feed, line, sent, show, written,
};

const INITIALIZED: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

fn probe(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"server/discover","params":{{{MODERN_META}}}}}"#)
}

fn initialize(id: u32, version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"host","version":"1"}}}}}}"#
    )
}

fn discovered(id: u32, versions: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","supportedVersions":{versions},"capabilities":{{"tools":{{}}}},"ttlMs":0,"cacheScope":"public","instructions":"Use it.","_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"s","version":"1"}}}}}}}}"#
    )
}

fn initialized(id: u32, version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}},"instructions":"Use it."}}}}"#
    )
}

fn unsupported(id: u32, versions: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32022,"message":"Unsupported protocol version","data":{{"supported":{versions},"requested":"2026-07-28"}}}}}}"#
    )
}

/// A client that has sent its probe, under the id 1.
fn probing() -> HostClient {
    let mut client = client();
    let text = written(&mut client, |client, out| client.connect(NOW, out).unwrap());
    assert_eq!(line(&text), probe(1));
    client
}

/// What a frame makes the client send.
fn goes_on(client: &mut HostClient, frame: &str) -> String {
    let (event, written) = feed(client, frame);
    assert_eq!(event, "nothing", "{frame}");
    line(&written).to_owned()
}

#[test]
fn a_modern_server_is_found_by_the_probe() {
    let mut client = probing();
    assert_eq!(
        event(&mut client, &discovered(1, r#"["2031-01-01","2026-07-28"]"#)),
        r#"connected 2026-07-28 to Some("s") Some("Use it.")"#
    );
    assert_eq!(client.version(), Some(ProtocolVersion::V2026_07_28));
    assert!(
        client.server_capabilities().has(Capabilities::TOOLS)
            && !client.server_capabilities().has(Capabilities::PROMPTS)
    );
    // A second answer to the probe is one that nobody waits for.
    assert_eq!(event(&mut client, &discovered(1, "[]")), "unmatched 1");
}

#[test]
fn a_legacy_server_is_found_by_any_other_answer() {
    let others = [
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Not initialized"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"what?"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"x","data":{"requiredCapabilities":{}}}}"#
            .to_owned(),
        // The error of a modern server, without what it must say.
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"x"}}"#.to_owned(),
        unsupported(1, "[]"),
        unsupported(1, "{}"),
        // Another error with such a list.
        unsupported(1, r#"["2026-07-28"]"#).replace("-32022", "-32602"),
        // No discovery.
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(),
        discovered(1, r#""2026-07-28""#),
        discovered(1, r#"["2026-07-28"]"#).replace(r#""complete""#, r#""partial""#),
        // No response.
        r#"{"jsonrpc":"2.0","id":1,"result":null}"#.to_owned(),
        r#"{"jsonrpc":"1.0","id":1,"result":{}}"#.to_owned(),
        r#"{"id":1}"#.to_owned(),
    ];
    for answer in others {
        let mut client = probing();
        assert_eq!(goes_on(&mut client, &answer), initialize(2, "2025-11-25"), "{answer}");
        assert_eq!(client.version(), None);
    }
    // A list with legacy revisions only: the newest of them.
    for answer in
        [unsupported(1, r#"["2024-11-05","2025-06-18"]"#), discovered(1, r#"["2025-06-18","2025-03-26"]"#)]
    {
        assert_eq!(goes_on(&mut probing(), &answer), initialize(2, "2025-06-18"));
    }
}

#[test]
fn silence_means_a_legacy_server() {
    let mut client = probing();
    assert_eq!(client.next_deadline(), Some(NOW + Duration::from_secs(5)));
    let early = written(&mut client, |client, out| {
        assert!(client.expire(NOW + Duration::from_millis(4999), out).is_none());
    });
    assert_eq!(early, "");
    let late = NOW + Duration::from_secs(5);
    let text = written(&mut client, |client, out| {
        assert_eq!(show(&client.expire(late, out).unwrap()), "nothing");
        assert!(client.expire(late, out).is_none());
    });
    assert_eq!(line(&text), initialize(2, "2025-11-25"));
    // What comes late is ignored.
    assert_eq!(event(&mut client, &discovered(1, r#"["2026-07-28"]"#)), "unmatched 1");
    let (shown, text) = feed(&mut client, &initialized(2, "2025-11-25"));
    assert_eq!(shown, r#"connected 2025-11-25 to Some("s") Some("Use it.")"#);
    assert_eq!(text, INITIALIZED);
}

#[test]
fn a_modern_server_that_was_slow_to_start_is_asked_again() {
    let refusal = |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"x"}}}}"#);
    let mut client = probing();
    let late = NOW + Duration::from_secs(5);
    let text = written(&mut client, |client, out| {
        assert_eq!(show(&client.expire(late, out).unwrap()), "nothing");
    });
    assert_eq!(line(&text), initialize(2, "2025-11-25"));
    assert_eq!(event(&mut client, &discovered(1, r#"["2026-07-28"]"#)), "unmatched 1");
    assert_eq!(goes_on(&mut client, &refusal(2)), probe(3));
    let shown = event(&mut client, &discovered(3, r#"["2026-07-28"]"#));
    assert!(shown.starts_with("connected 2026-07-28"), "{shown}");
    // One that has answered the probe with an error is not.
    let mut client = probing();
    assert_eq!(goes_on(&mut client, &refusal(1)), initialize(2, "2025-11-25"));
    assert_eq!(event(&mut client, &refusal(2)), "incompatible: refused -32601 x");
}

#[test]
fn a_modern_server_that_refuses_is_asked_again_and_then_left() {
    let refusal = |id| unsupported(id, r#"["2026-07-28"]"#);
    let mut client = probing();
    for id in 2..=4 {
        assert_eq!(goes_on(&mut client, &refusal(id - 1)), probe(id));
    }
    assert_eq!(event(&mut client, &refusal(4)), "incompatible: refused -32022 Unsupported protocol version");
    assert!(!client.is_connecting());
    // Afresh, with as many tries.
    let text = written(&mut client, |client, out| client.connect(NOW, out).unwrap());
    assert_eq!(line(&text), probe(5));
    assert_eq!(goes_on(&mut client, &refusal(5)), probe(6));
}

#[test]
fn no_common_revision_is_the_end() {
    let list = r#"["2031-01-01"]"#;
    for answer in [unsupported(1, list), discovered(1, list), discovered(1, "[]")] {
        let mut client = probing();
        let shown = event(&mut client, &answer);
        assert!(shown.starts_with("incompatible: no common version {"), "{shown}");
        assert!(!client.is_connecting() && client.version().is_none());
    }
}

#[test]
fn a_legacy_server_may_answer_any_known_revision() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = probing();
        goes_on(
            &mut client,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#,
        );
        let (shown, text) = feed(&mut client, &initialized(2, version));
        assert_eq!(shown, format!(r#"connected {version} to Some("s") Some("Use it.")"#));
        assert_eq!(text, INITIALIZED);
        assert_eq!(client.version().map(ProtocolVersion::as_str), Some(version));
    }
}

/// A client that has sent `initialize` with this revision, under the id 1.
fn initializing(version: ProtocolVersion) -> HostClient {
    let mut client = client();
    let text = written(&mut client, |client, out| {
        client.initialize_with(version, NOW, out).unwrap();
    });
    assert_eq!(line(&text), initialize(1, version.as_str()));
    client
}

#[test]
fn an_answer_that_cannot_be_used_ends_the_handshake() {
    let cases = [
        (initialized(1, "2031-01-01"), "version 2031-01-01"),
        (initialized(1, "2026-07-28"), "version 2026-07-28"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(), "invalid Result"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":20251125}}"#.to_owned(), "invalid Result"),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}"#.to_owned(),
            "refused -32603 Internal error",
        ),
        // The same revision again.
        (unsupported(1, r#"["2025-06-18"]"#), "refused -32022 Unsupported protocol version"),
        (r#"{"jsonrpc":"2.0","id":1,"result":[]}"#.to_owned(), "invalid Envelope(ResultNotAnObject)"),
    ];
    for (answer, why) in cases {
        let mut client = initializing(ProtocolVersion::V2025_06_18);
        assert_eq!(event(&mut client, &answer), format!("incompatible: {why}"));
        assert!(!client.is_connecting() && client.version().is_none());
    }
}

#[test]
fn a_server_that_names_another_revision_is_asked_in_that() {
    let mut client = initializing(ProtocolVersion::V2025_06_18);
    let refusal = unsupported(1, r#"["2024-11-05"]"#).replace("-32022", "-32602");
    assert_eq!(goes_on(&mut client, &refusal), initialize(2, "2024-11-05"));
    // A modern server that was too slow for the probe.
    let mut client = initializing(ProtocolVersion::V2025_06_18);
    let refusal = unsupported(1, r#"["2026-07-28"]"#);
    assert_eq!(goes_on(&mut client, &refusal), probe(2));
}

#[test]
fn initialize_times_out_without_a_cancellation() {
    let mut client = initializing(ProtocolVersion::V2025_11_25);
    assert_eq!(client.next_deadline(), Some(NOW + Duration::from_secs(60)));
    let text = written(&mut client, |client, out| {
        let late = NOW + Duration::from_secs(60);
        assert_eq!(show(&client.expire(late, out).unwrap()), "incompatible: timed out");
        assert!(client.expire(late, out).is_none());
    });
    assert_eq!(text, "");
    assert_eq!(client.next_deadline(), None);
}

#[test]
fn a_client_of_one_era_starts_with_it() {
    let only = |versions| client_of(Host::default(), ClientOptions::DEFAULT.with_versions(versions));
    let mut legacy = only(Versions::LEGACY);
    let text = written(&mut legacy, |client, out| client.connect(NOW, out).unwrap());
    assert_eq!(line(&text), initialize(1, "2025-11-25"));

    let mut old = only(Versions::only(ProtocolVersion::V2024_11_05));
    let text = written(&mut old, |client, out| client.connect(NOW, out).unwrap());
    assert_eq!(line(&text), initialize(1, "2024-11-05"));
    assert_eq!(event(&mut old, &initialized(1, "2025-11-25")), "incompatible: version 2025-11-25");

    let mut modern = only(Versions::MODERN);
    let text = written(&mut modern, |client, out| client.connect(NOW, out).unwrap());
    assert_eq!(line(&text), probe(1));
    // There is nothing to fall back to: it waits as for any request.
    assert_eq!(modern.next_deadline(), Some(NOW + Duration::from_secs(60)));
    assert_eq!(
        event(
            &mut modern,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#
        ),
        "incompatible: refused -32601 Method not found"
    );
    // It never proposes the modern revision to `initialize`.
    let mut client = client();
    let text = written(&mut client, |client, out| {
        client.initialize_with(ProtocolVersion::V2026_07_28, NOW, out).unwrap();
    });
    assert_eq!(line(&text), initialize(1, "2025-11-25"));
}

#[test]
fn a_handshake_without_room_ends() {
    let mut client = client();
    let mut none = barewire::bytes::Sink::new(&mut []);
    assert!(matches!(client.bind().connect(NOW, &mut none), Err(RequestError::NoRoom(_))));
    assert!(!client.is_connecting());
    let mut client = probing();
    let refusal = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}"#;
    let shown = show(&client.handle_frame(refusal.as_bytes(), NOW, &mut none));
    assert_eq!(shown, "incompatible: no room");
    let mut client = initializing(ProtocolVersion::V2025_11_25);
    let answer = initialized(1, "2025-11-25");
    let shown = show(&client.handle_frame(answer.as_bytes(), NOW, &mut none));
    assert_eq!(shown, "incompatible: no room");
    assert_eq!(client.version(), None);
}

#[test]
fn capabilities_that_are_missing_are_none() {
    let mut client = initializing(ProtocolVersion::V2025_11_25);
    let (shown, _) = feed(
        &mut client,
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":null,"x":1}}"#,
    );
    assert_eq!(shown, "connected 2025-11-25 to None None");
    assert!(!client.server_capabilities().has(Capabilities::TOOLS));
}

#[test]
fn no_time_to_wait_is_the_least_there_is() {
    let least = Duration::from_nanos(1);
    let options = ClientOptions::DEFAULT.with_probe_timeout(Duration::ZERO).with_timeout(Duration::ZERO);
    let mut client = client_of(Host::default(), options);
    written(&mut client, |client, out| client.connect(NOW, out).unwrap());
    assert_eq!(client.next_deadline(), Some(NOW + least));
    written(&mut client, |client, out| {
        assert_eq!(show(&client.expire(NOW + least, out).unwrap()), "nothing");
    });
    assert_eq!(client.next_deadline(), Some(NOW + least + least));
}

#[test]
fn the_options_say_how_long_to_wait_and_what_is_read() {
    let seconds = Duration::from_secs;
    let options = ClientOptions::DEFAULT
        .with_rules(Rules::STRICT.with_null_params(true))
        .with_probe_timeout(seconds(2))
        .with_timeout(seconds(7));
    let ping = r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":null}"#;
    let error_without_id = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#;
    for (options, probe, handshake, answer) in [
        (options, 2, 7, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\n"),
        (ClientOptions::default(), 5, 60, ""),
    ] {
        let mut client = client_of(Host::default(), options);
        written(&mut client, |client, out| client.connect(NOW, out).unwrap());
        let late = NOW + seconds(probe);
        assert_eq!(client.next_deadline(), Some(late));
        let text = written(&mut client, |client, out| {
            assert_eq!(show(&client.expire(late, out).unwrap()), "nothing");
        });
        assert_eq!(line(&text), initialize(2, "2025-11-25"));
        assert_eq!(client.next_deadline(), Some(late + seconds(handshake)));
        feed(&mut client, &initialized(2, "2025-11-25"));
        assert_eq!(client.next_deadline(), None);
        sent(&mut client, |client, out| client.ping(ask(), out));
        assert_eq!(client.next_deadline(), Some(NOW + seconds(handshake)));
        assert_eq!(feed(&mut client, ping).1, answer);
        // Read as a response with any rules.
        assert_eq!(event(&mut client, error_without_id), "unmatched without id");
    }
}
