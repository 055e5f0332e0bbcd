//! The client: requests out, what became of them in.
//!
//! [`Client`] writes requests, notifications and its part of the handshake into a [`Sink`](crate::bytes::Sink) and makes
//! one [`Incoming`] of each line that the server sends. It keeps what is in flight in a fixed table, each request with the
//! caller's own context; it settles the era with the server; what a server asks for goes to a [`ClientHandler`].
//!
//! # A session
//!
//! ```
//! use barewire::bytes::Sink;
//! use barewire::engine::client::{Ask, Client, Incoming, Outcome, Plain};
//! use barewire::mcp::{Implementation, ProtocolVersion};
//! use core::time::Duration;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let now = Duration::ZERO; // of a clock, where there is one
//! let mut client: Client<Plain> = Client::new(Plain(Implementation::new("probe", "1.0")));
//! let mut memory = [0; 512];
//!
//! let mut out = Sink::new(&mut memory);
//! client.initialize_with(ProtocolVersion::V2025_11_25, now, &mut out)?;
//! assert_eq!(
//!     String::from_utf8_lossy(out.finish()?),
//!     concat!(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"probe","version":"1.0"}}}"#, "\n")
//! );
//!
//! let mut out = Sink::new(&mut memory);
//! let line = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"thermo","version":"2.0"}}}"#;
//! let Incoming::Connected(server) = client.handle_frame(line, now, &mut out) else { unreachable!() };
//! assert!(server.server_name().is_some_and(|name| name == "thermo"));
//! assert_eq!(out.finish()?, b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
//!
//! let mut out = Sink::new(&mut memory);
//! let ticket = client.call_tool(Ask::at(now), "read_temp", &mut out, |arguments| {
//!     arguments.name("pin").integer(4);
//! })?;
//! assert_eq!(
//!     String::from_utf8_lossy(out.finish()?),
//!     concat!(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_temp","arguments":{"pin":4}}}"#, "\n")
//! );
//!
//! let mut out = Sink::new(&mut memory);
//! let line = br#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"21.5"}],"isError":false}}"#;
//! let Incoming::Ended(ended) = client.handle_frame(line, now, &mut out) else { unreachable!() };
//! assert_eq!(ended.ticket, ticket);
//! assert!(matches!(ended.outcome, Outcome::Result(_)));
//! # Ok(())
//! # }
//! ```

mod ask;
mod error;
mod event;
mod handler;
mod handshake;
mod ids;
mod input;
mod methods;
mod notifications;
mod options;
mod parts;
mod pending;
mod repeated;
mod reply;
mod respond;
mod responses;
mod send;
mod state;
mod time;

pub use ask::Ask;
pub use error::RequestError;
pub use event::{Answered, Connected, Ended, Fault, Incoming, Incompatible, Log, Outcome, Progress};
pub use handler::{Answer, ClientHandler, Elicitation, Plain, Refusal, Sampling};
#[cfg(feature = "uuid")]
pub use ids::Uuid;
pub use ids::{Counter, IdSource, StringCounter, Timestamp};
pub use input::{InputRequest, InputRequired};
pub use methods::{CompletionFor, Subscription};
pub use options::Options;
pub use parts::ClientParts;
pub use pending::Ticket;
pub use reply::{ElicitReply, MessageReply, ResultReply, RootsReply};
pub use state::Client;
