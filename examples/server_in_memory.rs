//! Two sessions with the demo server in memory, one of each era: bytes in, bytes out, no I/O in between.
//!
//! ```sh
//! cargo run -q --example server_in_memory
//! ```
//!
//! `>` is what a client would send, `<` what the server writes.

use barewire::bytes::Sink;
use barewire::demo::{Demo, NoHost};
use barewire::engine::{Frame, Origin, Server};

/// A handshake first, then requests that rely on it.
const LEGACY: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"sample","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3}}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add","arguments":{"a":"2","b":3}}}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"nope"}}"#,
    "not-json",
];

/// No handshake: each request names its revision.
const MODERN: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
];

fn main() {
    let (mut server, mut app) = (Server::new(), Demo::new(NoHost));
    println!("legacy");
    session(&mut server, &mut app, LEGACY);
    println!("\nmodern");
    session(&mut server, &mut app, MODERN);
}

fn session(server: &mut Server, app: &mut Demo<NoHost>, frames: &[&str]) {
    // One line has to fit; the server cuts a list that does not fit into pages.
    let mut memory = [0; 1024];
    for frame in frames {
        println!("> {frame}");
        let mut out = Sink::new(&mut memory);
        let sent = server.receive(Origin::ONLY, &mut Frame::new(frame.as_bytes()), app, &mut out);
        assert!(sent.fitted());
        // The server takes back what does not fit, so there is always a whole line or nothing.
        let written = out.finish().unwrap_or_default();
        for line in String::from_utf8_lossy(written).lines() {
            println!("< {line}");
        }
    }
    server.reset(Origin::ONLY, app);
}
