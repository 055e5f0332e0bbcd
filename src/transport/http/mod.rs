//! Streamable HTTP without the syntax of HTTP: access, headers, statuses, sessions and the framing of streams.
//!
//! [`Endpoint`] is a server with its legacy sessions. A transport, for example over `hyper`, reads requests and writes responses:
//!
//! 1. It shows the head of a request as a [`Head`]. [`admit`] judges the head alone: host, origin, path, method, authorization and media
//!    types. A request that it denies is answered at once, and nothing of its body is read.
//! 2. It passes the body to [`Endpoint::receive`]; a GET is [`Endpoint::open_stream`], a DELETE [`Endpoint::end_session`]. The [`HttpReply`] has
//!    status and fields, and says what the body is: nothing, one line of JSON, or a stream of [`events`]. A deferred call
//!    has no reply yet; the first [`Line`] for its exchange brings it.
//! 3. It calls [`Endpoint::poll`] until there are no lines, and again when the application has reported a change, and at
//!    [`Endpoint::next_deadline`]. Lines that the application sends go through [`Endpoint::route`].
//! 4. When a client goes away it calls [`Endpoint::closed`]. When [`Endpoint::has_ended`] it ends the exchanges that are not open.
//!
//! Every response has also the fields of [`Access::cors_fields`].
//!
//! ```
//! use barewire::bytes::Sink;
//! use barewire::demo::{Demo, NoHost};
//! use barewire::engine::{Channel, Server};
//! use barewire::transport::http::{Access, Endpoint, Head, NoAuthorization, ReplyBody, admit};
//!
//! /// A request, as a transport has read it.
//! struct Request {
//!     method: &'static str,
//!     path: &'static str,
//!     fields: &'static [(&'static str, &'static str)],
//! }
//!
//! impl Head for Request {
//!     fn method(&self) -> &str {
//!         self.method
//!     }
//!
//!     fn path(&self) -> &str {
//!         self.path
//!     }
//!
//!     fn authority(&self) -> Option<&str> {
//!         None
//!     }
//!
//!     fn values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
//!         let fields = self.fields.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name));
//!         fields.map(|(_, value)| value.as_bytes())
//!     }
//! }
//!
//! const ACCESS: Access<'_> = Access::LOCAL;
//! let (mut endpoint, mut app) = (Endpoint::new(Server::new()), Demo::new(NoHost));
//!
//! let head = Request {
//!     method: "POST",
//!     path: "/mcp",
//!     fields: &[
//!         ("Host", "localhost:8080"),
//!         ("Content-Type", "application/json"),
//!         ("Accept", "application/json, text/event-stream"),
//!         ("MCP-Protocol-Version", "2025-11-25"),
//!     ],
//! };
//! let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}"#;
//!
//! let admitted = admit(&ACCESS, &NoAuthorization, &head, endpoint.offers_sessions()).expect("it is allowed");
//! let mut memory = [0; 512];
//! let mut out = Sink::new(&mut memory);
//! let reply = endpoint.receive(Channel(1), &head, &admitted, body, &mut app, &mut out);
//! assert_eq!((reply.status().code(), reply.body(), reply.ends()), (200, ReplyBody::Json, true));
//! let mut fields = Vec::new();
//! reply.fields(|name, value| fields.push(format!("{name}: {value}")));
//! assert_eq!(fields, ["Content-Type: application/json"]);
//! let line = out.finish().expect("it fits");
//! assert!(line.starts_with(br#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"}]"#));
//! ```

mod access;
mod admission;
mod authority;
mod authorizer;
mod batch;
mod endpoint;
mod fault;
mod field;
mod head;
mod header_value;
mod ladder;
mod media;
mod metadata;
mod parameters;
mod reply;
mod secret;
mod sessions;
mod sse;
mod status;

pub use access::{Access, Hosts};
pub use admission::{Admitted, Denial, DenialReason, Purpose, SessionHeader, VersionHeader, admit};
pub use authorizer::{Authorization, Authorizer, BearerToken, NoAuthorization, bearer_token};
pub use endpoint::Endpoint;
pub use field::FieldValue;
pub use head::Head;
pub use media::Accepts;
pub use metadata::ResourceMetadata;
pub use reply::{HttpReply, Line, ReplyBody};
pub use sessions::SessionEntry;
pub use sse::{COMMENT, EVENT_END, EVENT_START, events};
pub use status::Status;

pub use crate::engine::Principal;
