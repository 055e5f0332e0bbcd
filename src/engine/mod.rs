//! L4: the protocol as a state machine. No clock, no I/O, no globals.
//!
//! [`Server`] takes the bytes of one frame and writes whole lines into a [`Sink`](crate::bytes::Sink); what the
//! application has to say goes through a [`Handler`]. The rule of every call: give it an empty sink, send what it wrote,
//! and when it says [`Status::More`], call it again with an emptied sink.
//!
//! [`Client`] is the other side; [`client`] tells of it. Time enters it as a parameter. The rest of this page is about the
//! server.
//!
//! # A legacy session
//!
//! Revisions up to 2025-11-25 start with a handshake; what it settles holds for the connection.
//!
//! ```
//! # use barewire::{bytes::Sink, demo::{Demo, NoHost}, engine::{Server, Status}};
//! let mut server: Server<Demo<NoHost>> = Server::new(Demo::new(NoHost));
//! let mut memory = [0; 512];
//! let mut answer = |line: &str| {
//!     let mut out = Sink::new(&mut memory);
//!     assert_eq!(server.handle_frame(line.as_bytes(), &mut out), Status::Done);
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
//! There is none: a request of 2026-07-28 stands alone and says its revision and what its client can do. Both eras may use
//! one link.
//!
//! ```
//! # use barewire::{bytes::Sink, demo::{Demo, NoHost}, engine::{Server, Status}};
//! let mut server: Server<Demo<NoHost>> = Server::new(Demo::new(NoHost));
//! let mut memory = [0; 512];
//! let mut out = Sink::new(&mut memory);
//! let line = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
//! assert_eq!(server.handle_frame(line, &mut out), Status::Done);
//! assert_eq!(
//!     String::from_utf8_lossy(out.finish().unwrap_or_default()),
//!     concat!(r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"hi"}],"isError":false,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"barewire-demo","title":"Barewire demo","version":"0.1.0"}}}}"#, "\n")
//! );
//! ```

pub mod client;
mod server;
mod table;

pub use client::{Client, ClientHandler, ClientParts};
pub use server::{
    Answer, Answers, AskError, CallError, CallToken, Completion, CompletionReply, Context, Disposition,
    Event, Full, Handler, LegacyOnly, Lifecycle, List, ModernOnly, NotInFlight, Options, Parts, Progress,
    PromptGet, PromptReply, Questions, Reference, ResourceRead, ResourceReply, Resumed, Server, Status,
    TaskEnd, TaskToken, ToolCall, ToolReply, ToolsOnly, UnreadableId,
};

pub use crate::mcp::Role;
