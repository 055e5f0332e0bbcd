//! Batches: element by element, in a session of 2025-03-26 and nowhere else.

use barewire::demo::{Demo, NoHost};
use barewire::engine::MIN_OUTPUT;
use barewire::mcp::ProtocolVersion;
use barewire::transport::Link;

use crate::engine_kit::{Hosted, Status, answer, answer_in, error, request, result, written};

type DemoServer = Hosted<Demo<NoHost>>;

const INVALID: &str =
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid Request\"}}\n";

fn initialize(version: &str) -> String {
    request("0", "initialize", &format!("{{\"protocolVersion\":\"{version}\"}}"))
}

fn session() -> DemoServer {
    let mut server = Hosted::new(Demo::new(NoHost));
    answer(&mut server, &initialize("2025-03-26"));
    assert_eq!(server.session(), Some(ProtocolVersion::V2025_03_26));
    server
}

fn ping(id: &str) -> String {
    request(id, "ping", "")
}

#[test]
fn each_element_is_answered_on_its_own_line() {
    let pong = |id: &str| result(id, "");
    let cases = [
        ("one", format!("[{}]", ping("1")), pong("1")),
        ("white space", format!(" [ {} , {} ] ", ping("1"), ping("2")), pong("1") + &pong("2")),
        ("one id twice", format!("[{},{}]", ping("1"), ping("1")), pong("1") + &pong("1")),
        ("no element", "[]".to_string(), INVALID.to_string()),
        ("no element but white space", " [ \t ] ".to_string(), INVALID.to_string()),
        ("no messages", "[1,[],null]".to_string(), INVALID.repeat(3)),
        ("a batch in a batch", format!("[[{}]]", ping("1")), INVALID.to_string()),
        (
            "an invalid one with an id",
            r#"[{"jsonrpc":"1.0","id":"i","method":"ping"}]"#.to_string(),
            error("\"i\"", -32600, "Invalid Request"),
        ),
        (
            "responses and notifications",
            r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"x"},{"id":2,"error":3}]"#.to_string(),
            String::new(),
        ),
        (
            "an unanswered one at the end",
            format!(r#"[{},{{"jsonrpc":"2.0","method":"x"}}]"#, ping("1")),
            pong("1"),
        ),
        (
            "initialize",
            format!("[{},{}]", initialize("2025-06-18"), ping("1")),
            error("0", -32600, "Invalid Request") + &pong("1"),
        ),
        (
            "a modern request",
            r#"[{"jsonrpc":"2.0","id":3,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}]"#.to_string(),
            error("3", -32601, "Method not found"),
        ),
        (
            "no JSON",
            format!("[{},]", ping("1")),
            error("null", -32700, "Parse error"),
        ),
    ];
    for (name, batch, expected) in cases {
        let mut server = session();
        assert_eq!(answer(&mut server, &batch), expected, "{name}");
        assert_eq!(answer(&mut server, &ping("\"next\"")), pong("\"next\""), "{name}");
        assert_eq!(server.session(), Some(ProtocolVersion::V2025_03_26), "{name}");
    }
}

#[test]
fn elsewhere_a_batch_is_no_message() {
    let batch = format!("[{}]", ping("1"));
    let mut server: DemoServer = Hosted::new(Demo::new(NoHost));
    assert_eq!(answer(&mut server, &batch), INVALID, "without a session");
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let mut server: DemoServer = Hosted::new(Demo::new(NoHost));
        answer(&mut server, &initialize(version));
        assert_eq!(answer(&mut server, &batch), INVALID, "{version}");
    }
}

#[test]
fn a_batch_goes_on_where_it_stopped_however_small_the_output() {
    let elements: Vec<String> = (0..20).map(|id| ping(&id.to_string())).collect();
    let batch = format!("[{}]", elements.join(","));
    let expected: String = (0..20).map(|id| result(&id.to_string(), "")).collect();
    for room in [MIN_OUTPUT, 200, 1 << 16] {
        assert_eq!(answer_in(&mut session(), room, &batch), expected, "{room}");
    }
    // One answer a call, so that each has all of the room.
    let mut server = session();
    let (line, status) =
        written(&mut server, 1 << 16, |server, out| server.handle_frame(batch.as_bytes(), out));
    assert_eq!((line, status), (result("0", ""), Status::More));
    server.reset();
    assert_eq!(answer(&mut server, &ping("1")), result("1", ""), "a reset forgets the batch");
}

#[test]
fn a_large_batch_is_answered_through_a_link_of_any_cut() {
    let batch = format!("[{},{},7,{}]", ping("1"), r#"{"jsonrpc":"2.0","method":"x"}"#, ping("2"));
    let input = format!("{}\n{batch}\n{}", initialize("2025-03-26"), ping("3"));
    let expected = [result("1", ""), INVALID.to_string(), result("2", ""), result("3", "")].concat();
    for cut in [1, 3, 50, 1000] {
        let mut link = Link::new(Demo::new(NoHost), [0; 256], [0; 512]);
        let mut sent = Vec::new();
        let mut rest = input.as_bytes();
        let mut ended = false;
        loop {
            let output = link.output();
            if !output.is_empty() {
                let count = output.len().min(cut);
                sent.extend_from_slice(&output[..count]);
                link.sent(count);
            } else if ended {
                break;
            } else if rest.is_empty() {
                link.end_of_input();
                ended = true;
            } else {
                let space = link.space();
                let count = space.len().min(cut).min(rest.len());
                space[..count].copy_from_slice(&rest[..count]);
                rest = &rest[count..];
                link.received(count);
            }
        }
        let sent = String::from_utf8(sent).expect("UTF-8");
        let (_, answers) = sent.split_once('\n').expect("the handshake");
        assert_eq!(answers, expected, "cut into {cut}");
    }
}

#[test]
fn bytes_lost_while_a_batch_is_answered_damage_what_comes_after_it() {
    let Hosted { server, app, .. } = session();
    let mut link = Link::with_server(server, app, [0; 256], [0; 128]);
    let receive = |link: &mut Link<Demo<NoHost>, [u8; 256], [u8; 128]>, bytes: &str| {
        link.space()[..bytes.len()].copy_from_slice(bytes.as_bytes());
        link.received(bytes.len());
    };
    receive(&mut link, &format!("[{},{}]\n", ping("1"), ping("2")));
    assert_eq!(link.output(), result("1", "").as_bytes());
    assert!(link.space().is_empty());
    link.lost();
    link.sent(1000);
    assert_eq!(link.output(), result("2", "").as_bytes());
    link.sent(1000);
    assert!(link.output().is_empty());
    receive(&mut link, &format!("{}\n{}\n", ping("3"), ping("4")));
    assert_eq!(link.output(), result("4", "").as_bytes());
}
