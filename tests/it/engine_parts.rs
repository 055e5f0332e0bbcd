//! Servers that are built without a part of the protocol.

use barewire::demo::{Demo, NoHost};
use barewire::engine::{Fixed, Full, Handler, LegacyOnly, ModernOnly, Options, Parts, Server, ToolsOnly};
use barewire::mcp::{Capabilities, InputRequest};
use serde_json::{Value, json};

use crate::engine_kit::{
    App, Hosted, answer, call, error, initialize, modern, modern_of, modern_with, request,
};

fn of<P: Parts, A: Handler>(app: A) -> Hosted<A, Fixed<P>> {
    Hosted::of(Server::with_storage(Fixed::new()), app)
}

fn server<P: Parts>() -> Hosted<Demo<NoHost>, Fixed<P>> {
    of(Demo::new(NoHost))
}

fn parsed(answer: &str) -> Value {
    serde_json::from_str(answer).expect("one answer")
}

const UNKNOWN: &str = "Method not found";

#[test]
fn a_modern_server_tells_a_handshake_what_it_speaks() {
    let mut server = server::<ModernOnly>();
    let refused = parsed(&answer(&mut server, &initialize("2025-06-18")));
    assert_eq!(
        refused["error"],
        json!({
            "code": -32022,
            "message": "Unsupported protocol version",
            "data": {"supported": ["2026-07-28"], "requested": "2025-06-18"},
        })
    );
    assert_eq!(server.session(), None);
    let nothing_asked = parsed(&answer(&mut server, &request("1", "initialize", "")));
    assert_eq!(nothing_asked["error"]["data"]["requested"], "");
}

#[test]
fn a_modern_server_serves_no_request_without_metadata() {
    let mut server = server::<ModernOnly>();
    let cases = [
        ("tools/list", -32602, "Invalid params"),
        ("server/discover", -32602, "Invalid params"),
        ("ping", -32601, UNKNOWN),
        ("logging/setLevel", -32601, UNKNOWN),
        ("nonsense", -32601, UNKNOWN),
    ];
    for (method, code, message) in cases {
        let answer = answer(&mut server, &request("1", method, ""));
        assert_eq!(answer, error("1", code, message), "{method}");
    }
    let list = parsed(&answer(&mut server, &modern("1", "tools/list", "")));
    assert_eq!(list["result"]["resultType"], "complete");
}

/// Tools, for modern clients.
struct ModernTools;

impl Parts for ModernTools {
    const LEGACY: bool = false;
    const RESOURCES: bool = false;
    const PROMPTS: bool = false;
    const COMPLETIONS: bool = false;
    const TASKS: bool = false;
}

/// What asks needs to know what the client can do, whatever else is left out.
#[test]
fn a_server_without_tasks_asks() {
    struct NoTasks;
    impl Parts for NoTasks {
        const TASKS: bool = false;
    }
    let app = App::of_tool(|_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).done()));
    let mut server = of::<NoTasks, _>(app);
    let call = modern_of("1", "tools/call", r#""name":"t""#, r#"{"roots":{}}"#);
    assert_eq!(parsed(&answer(&mut server, &call))["result"]["resultType"], "input_required");
}

/// Nobody needs it there.
#[test]
fn a_server_of_tools_alone_does_not_know_what_the_client_can() {
    fn roots<P: Parts>() -> Vec<String> {
        let app = App::of_tool(|log, call, reply| {
            log.notes.push(format!("{:?}", call.context().client()));
            Ok(reply.text(""))
        });
        let mut server = of::<P, _>(app);
        let call = modern_of("1", "tools/call", r#""name":"t""#, r#"{"roots":{}}"#);
        answer(&mut server, &call);
        server.handler().log.notes.clone()
    }
    assert_eq!(roots::<Full>(), ["{ROOTS}"]);
    assert_eq!(roots::<ToolsOnly>(), ["{}"]);
}

/// With metadata or without: it is as if the revision had no such methods.
#[test]
fn what_is_left_out_is_not_known() {
    let mut server = server::<ModernTools>();
    for method in ["resources/list", "prompts/get", "completion/complete", "tasks/get"] {
        for line in [request("1", method, ""), modern("1", method, "")] {
            assert_eq!(answer(&mut server, &line), error("1", -32601, UNKNOWN), "{line}");
        }
    }
    let line = request("1", "tools/call", "");
    assert_eq!(answer(&mut server, &line), error("1", -32602, "Invalid params"));
}

#[test]
fn without_log_messages_a_level_means_nothing() {
    let level = r#""io.modelcontextprotocol/logLevel":"loud""#;
    let line = modern_with("1", "tools/list", "", level);
    let list = parsed(&answer(&mut server::<ToolsOnly>(), &line));
    assert!(list["result"]["tools"].is_array());
    assert_eq!(answer(&mut server::<Full>(), &line), error("1", -32602, "Invalid params"));
}

#[test]
fn a_legacy_server_does_not_know_modern_metadata() {
    let mut server = server::<LegacyOnly>();
    for method in ["server/discover", "subscriptions/listen"] {
        let line = modern("1", method, r#""notifications":{}"#);
        assert_eq!(answer(&mut server, &line), error("1", -32601, UNKNOWN));
    }
    let list = parsed(&answer(&mut server, &modern("1", "tools/list", "")));
    assert!(list["result"]["tools"].is_array());
    assert_eq!(list["result"].get("resultType"), None);
    let opened = parsed(&answer(&mut server, &initialize("2025-06-18")));
    assert_eq!(opened["result"]["protocolVersion"], "2025-06-18");
    // Nor do they keep a new peer from starting anew, with the id of a call of the old one.
    let options = Options::DEFAULT.with_restart(true);
    let server = Server::with_storage(Fixed::<LegacyOnly>::new()).with_options(options);
    let mut server = Hosted::of(server, App::deferring());
    assert_eq!(answer(&mut server, &call("1")), "");
    let line = modern("1", "initialize", r#""protocolVersion":"2025-06-18""#);
    let opened = parsed(&answer(&mut server, &line));
    assert_eq!(opened["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(server.in_flight(), 0);
}

/// In the modern era a change is told of in a subscription only, in the legacy one to the session.
#[test]
fn without_subscriptions_a_modern_client_is_promised_no_change() {
    struct NoSubscriptions;
    impl Parts for NoSubscriptions {
        const SUBSCRIPTIONS: bool = false;
    }
    let app = || App {
        offers: |offered| {
            offered.insert(
                Capabilities::RESOURCES
                    | Capabilities::PROMPTS
                    | Capabilities::TOOLS_LIST_CHANGED
                    | Capabilities::RESOURCES_LIST_CHANGED
                    | Capabilities::PROMPTS_LIST_CHANGED
                    | Capabilities::RESOURCES_SUBSCRIBE,
            );
        },
        ..App::deferring()
    };
    let mut server = of::<NoSubscriptions, _>(app());
    let discovered = parsed(&answer(&mut server, &modern("1", "server/discover", "")));
    assert_eq!(discovered["result"]["capabilities"], json!({"tools": {}, "resources": {}, "prompts": {}}));
    let opened = parsed(&answer(&mut server, &initialize("2025-11-25")));
    let changes = json!({"listChanged": true});
    assert_eq!(
        opened["result"]["capabilities"],
        json!({"tools": changes, "resources": changes, "prompts": changes})
    );
}

#[test]
fn tools_alone_are_all_that_is_offered_and_served() {
    let mut server = server::<ToolsOnly>();
    let opened = parsed(&answer(&mut server, &initialize("2025-11-25")));
    assert_eq!(opened["result"]["capabilities"], json!({"tools": {}}));
    let discovered = parsed(&answer(&mut server, &modern("1", "server/discover", "")));
    assert_eq!(discovered["result"]["capabilities"], json!({"tools": {}}));
    let others = [
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
    ];
    for method in others {
        let params = r#"{"uri":"demo://readme","name":"greet","level":"info"}"#;
        assert_eq!(answer(&mut server, &request("1", method, params)), error("1", -32601, UNKNOWN));
    }
    let listen = modern("1", "subscriptions/listen", r#""notifications":{}"#);
    assert_eq!(answer(&mut server, &listen), error("1", -32601, UNKNOWN));
    let called = request("1", "tools/call", r#"{"name":"echo","arguments":{"text":"hi"}}"#);
    assert_eq!(parsed(&answer(&mut server, &called))["result"]["content"][0]["text"], "hi");
}
