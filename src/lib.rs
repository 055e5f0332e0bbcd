//! The Model Context Protocol (MCP) message layer for machines without a heap, and a stdio server for machines with one.
//!
//! The bytes of one JSON-RPC 2.0 message go in; its kind, id, method and params come out as views into these bytes, or the
//! error response that its sender must get. A server is a state machine on top: bytes in, bytes out, in memory that the caller owns.
//!
//! ```
//! use barewire::{Message, classify};
//!
//! let line = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#;
//! match classify(line) {
//!     Ok(Message::Request(request)) => {
//!         assert!(request.method() == "tools/call");
//!         assert!(request.target().is_some_and(|tool| tool == "echo"));
//!         assert_eq!(request.id().to_i64(), Some(1));
//!     }
//!     Ok(Message::Notification(_) | Message::Response(_)) => panic!("a request is none of these"),
//!     Err(rejection) => panic!("{rejection}"),
//! }
//!
//! let rejection = classify(br#"{"jsonrpc":"2.0","id":"a","method":"x","params":[]}"#).unwrap_err();
//! let mut memory = [0; 128];
//! assert_eq!(
//!     barewire::rpc::rejection_response(&mut memory, &rejection),
//!     Ok(Some(&br#"{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"Invalid Request"}}"#[..]))
//! );
//! ```
//!
//! # Layers
//!
//! A module uses only those above it in this table.
//!
//! | module | contents | independent of |
//! |---|---|---|
//! | [`bytes`] | [`Sink`](bytes::Sink), [`Framer`](bytes::Framer): output with rollback, lines out of a stream | JSON |
//! | [`json`] | the scanner, [`RawValue`](json::RawValue) and its views, [`Writer`](json::Writer) | JSON-RPC |
//! | [`rpc`] | [`classify`], [`Message`], ids, error codes, writers, [`Rewrite`](rpc::Rewrite) for gateways | the methods of MCP |
//! | [`mcp`] | revisions, methods, tools, resources, prompts, schemas: names and shapes as data | state |
//! | [`engine`] | [`Server`] and its application, the [`Handler`]; [`ClientEngine`](engine::ClientEngine) and its [`ClientHandler`] | I/O, clocks |
//! | [`transport`] | [`Link`](transport::Link): a server with its application and buffers; by feature the loops of stdio and `embedded-io`, and [a client with the process of its server](transport) | |
//! | `client` | with the feature `std`: `Client`, whose calls block | |
//! | [`demo`] | the reference server's tools, resources and prompts; uses the layers up to [`engine`] | |
//!
//! To read or route messages, start at [`classify`]; to write a server, at [`Server`]; a client, at `Client` (feature `std`)
//! or at [`engine::client`]; to write JSON without a heap, at [`json::Writer`].
//!
//! # Guides
//!
//! - [A server](guides::server), [the details of its macro](guides::macros), and [a server by hand](guides::handler)
//! - [Asynchronous tools](guides::asynchronous)
//! - [Firmware](guides::firmware)
//! - [A client](guides::client)
//! - [A gateway](guides::gateway)
//! - [Fuzzing](guides::fuzzing)
//! - [Migration](guides::migrating), and [facts about other implementations](guides::comparison)
//!
//! # Promises
//!
//! - **P1** The core never allocates; it has no `unsafe`, no recursion, no globals, no clock, no random source, no I/O.
//! - **P2** The core cannot panic.
//! - **P3** A request gets exactly one response line; a notification and a response get none. Two exceptions: a cancelled
//!   request gets none, and `subscriptions/listen` gets its response when it ends. An unreadable line gets one error line,
//!   and so does a batch, but in a session of 2025-03-26, where each request in it gets its own line. Every output is a
//!   whole line of valid JSON, or nothing.
//! - **P4** What is echoed is echoed byte for byte: ids, progress tokens, subscription ids, cursors, request state.
//! - **P5** Memory is what the caller gave. A full one is an error value, and on the wire a JSON-RPC error; never a cut
//!   line, never a lost response.
//! - **P6** Time is linear in the length of the input.
//! - **P7** After [`classify`] has accepted a message its whole text is valid JSON in valid UTF-8: no later access meets a
//!   syntax error. Decoding a string with half a surrogate pair (`"\ud800"`) is the one thing that can still fail, as an
//!   error value.
//! - **P8** A feature adds API; it never changes what is accepted or what is written.
//!
//! P2 has one exception, for programs with asynchronous tools: the compiler puts a panic into each `async` function, for a future that is
//! polled after its end.
//!
//! Recursion and panics of P1 and P2 have exceptions that are opted into by calling them:
//! [`RawValue::parse_in`](json::RawValue::parse_in) and `parse`, [`to_json`](json::to_json), and what reads or writes a float
//! ([`Number::to_f64`](json::Number::to_f64), [`Writer::double`](json::Writer::double)). Constructors of tables
//! ([`Tool::new`](mcp::Tool::new) and its like) check their input: in a `const` a broken name or schema does not compile;
//! called at run time they panic, as their documentation says.
//!
//! # Features
//!
//! None is on by default: then the crate needs `core` only.
//!
//! | feature | adds |
//! |---|---|
//! | `macros` | `#[barewire::server]`: tools, resources and prompts as methods of a type, also without a heap |
//! | `seal` | `engine::Seal`, a key with which state that travels through the client cannot be forged |
//! | `uuid` | random UUIDs as the ids of a client's requests |
//! | `std` | the stdio loop with its worker threads, the blocking client, the client engine over a child process, and a [`Sink`](bytes::Sink) over a growing `Vec` |
//! | `embedded-io-v0_7`, `embedded-io-async-v0_7` | the loop over the traits of that name, blocking or asynchronous; asynchronous tools with the latter |
//! | `tokio` | a server with asynchronous tools on tokio |
//! | `defmt` | `defmt::Format` on kinds and errors |
//!
//! Protocol revisions: 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28. Rust 1.88 or later.
#![no_std]
// What needs a feature says so on docs.rs, which builds with nightly.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![warn(clippy::alloc_instead_of_core, clippy::std_instead_of_core)]
// P2: nothing that can panic, but where an `allow` says why that one does not.
#![cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::expect_used,
        clippy::get_unwrap,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable,
        clippy::unwrap_used,
    )
)]

#[cfg(any(feature = "std", test))]
extern crate std;

pub mod bytes;
#[cfg(feature = "std")]
pub mod client;
pub mod demo;
pub mod engine;
#[cfg(doc)]
pub mod guides;
pub mod json;
#[cfg(feature = "macros")]
pub mod macros;
pub mod mcp;
pub mod rpc;
pub mod transport;

#[cfg(feature = "macros")]
#[doc(inline)]
pub use barewire_macros::{Argument, Output, server};
#[cfg(feature = "macros")]
#[doc(inline)]
pub use macros::{Argument, Output};

#[cfg(feature = "std")]
pub use client::{Client, ClientError};
pub use engine::{ClientHandler, Handler, Server};
pub use rpc::{Message, Rejection, classify};

/// The examples of the README are tests. They need these features.
#[cfg(all(doctest, feature = "embedded-io-v0_7", feature = "macros", feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
