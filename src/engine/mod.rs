//! The protocol as two state machines: a server and a client. No clock, no I/O, no globals.
//!
//! [`Server`] takes the bytes of one frame and writes whole lines into a [`Sink`](crate::bytes::Sink). The application is a
//! [`Handler`]; the calls that may need it take it as an argument. After each frame, and whenever the application has reported a change,
//! [`Server::poll`] writes the lines that have become due.
//!
//! [`ClientEngine`] is the client; see [`client`]. The rest of this page is about the server.
//!
//! # A legacy session
//!
//! Revisions up to 2025-11-25 start with a handshake, which settles the revision and the capabilities for the connection.
//!
//! ```
//! # use barewire::{bytes::Sink, demo::{Demo, NoHost}, engine::{Frame, Origin, Server}};
//! let (mut server, mut app, mut memory) = (Server::new(), Demo::new(NoHost), [0; 512]);
//! let mut answer = |line: &str| {
//!     let mut out = Sink::new(&mut memory);
//!     let sent = server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), &mut app, &mut out);
//!     assert!(sent.fitted());
//!     String::from_utf8_lossy(out.finish().unwrap_or_default()).into_owned()
//! };
//! assert_eq!(
//!     answer(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#),
//!     concat!(r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"logging":{},"completions":{},"prompts":{},"resources":{"subscribe":true},"tools":{}},"serverInfo":{"name":"barewire-demo","title":"Barewire demo","version":"0.1.0"},"instructions":"A demo: every tool is safe to call."}}"#, "\n")
//! );
//! assert_eq!(answer(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), "");
//! assert_eq!(
//!     answer(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}"#),
//!     concat!(r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"hi"}],"isError":false}}"#, "\n")
//! );
//! ```
//!
//! # A modern session
//!
//! Requests of 2026-07-28 need no session: each one names its revision and the capabilities of its client. One server serves both eras,
//! also on the same stream.
//!
//! ```
//! # use barewire::{bytes::Sink, demo::{Demo, NoHost}, engine::{Frame, Origin, Server}};
//! let (mut server, mut app, mut memory) = (Server::new(), Demo::new(NoHost), [0; 512]);
//! let mut out = Sink::new(&mut memory);
//! let line = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
//! assert!(server.receive(Origin::ONLY, &mut Frame::new(line), &mut app, &mut out).fitted());
//! assert_eq!(
//!     String::from_utf8_lossy(out.finish().unwrap_or_default()),
//!     concat!(r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"hi"}],"isError":false,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"barewire-demo","title":"Barewire demo","version":"0.1.0"}}}}"#, "\n")
//! );
//! ```

pub mod client;
mod server;

pub use client::{ClientEngine, ClientHandler, ClientParts};
#[cfg(feature = "std")]
pub use server::Heap;
pub use server::{
    Address, Answer, Answers, AskError, CallError, CallSlot, CallToken, Channel, Completion, CompletionReply,
    CompletionValues, Context, Decimal, Event, Fixed, Frame, Full, Handler, LegacyOnly, Lifecycle, List,
    MIN_OUTPUT, ModernOnly, NotInFlight, Options, Origin, Outcome, Parts, Principal, Progress, PromptGet,
    PromptMessages, PromptReply, Questions, Reference, ResourceContents, ResourceRead, ResourceReply,
    Resumed, ResumedReply, Sent, Server, SessionSlot, Storage, StreamSlot, Tables, TaskEnd, TaskHandler,
    TaskQuestions, TaskSlot, TaskToken, ToolAnswer, ToolCall, ToolContent, ToolReply, ToolsOnly,
    UnreadableId, Used, WatchSlot,
};
pub(crate) use server::{Allowed, Served, Way, milliseconds};
#[cfg(any(feature = "embedded-io-async-v0_7", feature = "tokio"))]
pub(crate) use server::{Answered, Desk, Lent, Question, Queued, Shared, Started, Starting};
#[cfg(any(feature = "embedded-io-async-v0_7", feature = "tokio"))]
pub use server::{AsyncCall, AsyncHandler, Peer, ToolMode};
#[cfg(feature = "std")]
pub(crate) use server::{Fault, can_ask, forward_tables, refusal};

pub use crate::mcp::Role;
