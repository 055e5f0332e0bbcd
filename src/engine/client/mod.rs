//! The client: it sends requests and receives responses.
//!
//! [`ClientEngine`] writes requests, notifications and its part of the handshake into a [`Sink`](crate::bytes::Sink), and
//! returns one [`Incoming`] for each line of the server. It keeps the requests in flight in a fixed table, each with a
//! context of the caller, and settles the era with the server. The application, a [`ClientHandler`], answers the server's
//! requests; [`ClientEngine::bind`] lends it to the engine.
//!
//! # A session
//!
//! ```
//! use barewire::bytes::Sink;
//! use barewire::engine::client::{ClientEngine, Incoming, ClientOutcome, Plain, RequestOptions};
//! use barewire::mcp::{Implementation, ProtocolVersion};
//! use core::time::Duration;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let now = Duration::ZERO; // without a clock
//! let (mut engine, mut app) = (ClientEngine::new(), Plain(Implementation::new("probe", "1.0")));
//! let mut client = engine.bind(&mut app);
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
//! let ticket = client.call_tool(RequestOptions::at(now), "read_temp", &mut out, |arguments| {
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
//! assert!(matches!(ended.outcome, ClientOutcome::Result(_)));
//! # Ok(())
//! # }
//! ```

mod bound;
mod engine;
mod error;
mod event;
mod expire;
mod fault;
mod frames;
mod handler;
mod handshake;
mod identity;
mod ids;
mod input;
mod line;
mod notifications;
mod options;
mod parts;
mod pending;
mod repeated;
mod reply;
mod request_options;
mod requests;
mod respond;
mod responses;
mod send;
mod step;
mod storage;

pub use bound::BoundClient;
pub use engine::ClientEngine;
pub use error::RequestError;
pub use event::{Answered, ClientOutcome, ClientProgress, Connected, Ended, Incoming, Incompatible, Log};
pub use fault::ResponseFault;
pub use handler::{ClientAnswer, ClientElicitation, ClientHandler, ClientSampling, Plain, Refusal};
#[cfg(feature = "uuid")]
pub use ids::Uuid;
pub use ids::{Counter, IdSource, StringCounter, Timestamp};
pub use input::{ClientInputRequest, InputRequired};
pub use options::ClientOptions;
pub use parts::ClientParts;
pub use pending::Ticket;
pub use reply::{ElicitReply, MessageReply, ResultReply, RootsReply};
pub use request_options::RequestOptions;
pub use requests::{CompletionFor, Subscription};
pub use storage::{ClientFixed, ClientStorage};
