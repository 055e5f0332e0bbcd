//! A host that declares everything, and does nothing of its own.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::ClientHandler;
use barewire::engine::client::{Answered, ClientEngine, Incoming};
use barewire::mcp::{ClientCapabilities, Implementation, ProtocolVersion};
use barewire::rpc::ErrorCode;

use crate::support::entropy::Entropy;

struct Silent(bool);

impl ClientHandler for Silent {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("silent", "0")
    }

    fn capabilities(&self) -> ClientCapabilities {
        let mut offered = ClientCapabilities::NONE;
        if self.0 {
            offered.insert(
                ClientCapabilities::ROOTS
                    | ClientCapabilities::SAMPLING
                    | ClientCapabilities::ELICITATION_FORM,
            );
        }
        offered
    }
}

/// Declared or not, nothing that a server asks for is there, but that the client is.
pub(in super::super) fn a_host_of_nothing_refuses(entropy: &mut Entropy<'_>) {
    let (mut engine, mut app) = (ClientEngine::new(), Silent(entropy.once_in(2)));
    let mut client = engine.bind(&mut app);
    let mut memory = [0; 512];
    let now = Duration::ZERO;
    let begun = client.initialize_with(ProtocolVersion::V2025_11_25, now, &mut Sink::new(&mut memory));
    assert_eq!(begun, Ok(()));
    for (method, is_there) in [
        ("roots/list", false),
        ("sampling/createMessage", false),
        ("elicitation/create", false),
        ("tasks/get", false),
        ("ping", true),
    ] {
        let frame = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"{method}\",\"params\":{{\"message\":\"m\"}}}}"
        );
        let mut out = Sink::new(&mut memory);
        let incoming = client.handle_frame(frame.as_bytes(), now, &mut out);
        let (answered, line) = match is_there {
            true => (Answered::Done, "\"result\":{}"),
            false => (
                Answered::Refused(ErrorCode::METHOD_NOT_FOUND),
                "\"error\":{\"code\":-32601,\"message\":\"Method not found\"}",
            ),
        };
        assert!(matches!(incoming, Incoming::Request(_, found) if found == answered), "{incoming:?}");
        let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":7,{line}}}\n");
        assert_eq!(out.finish(), Ok(expected.as_bytes()));
    }
}
