//! The core never allocates: a global allocator counts what each thread asks for, and nothing may be counted between the
//! first byte of a message and the last byte of its answer.

#[path = "alloc_free/client.rs"]
mod client;
#[path = "alloc_free/counter.rs"]
mod counter;
#[path = "support/hosted.rs"]
pub mod hosted;

#[path = "alloc_free/asking.rs"]
mod asking;
#[cfg(feature = "macros")]
#[path = "alloc_free/macros.rs"]
mod macros;
#[path = "alloc_free/message.rs"]
mod message;
#[path = "alloc_free/server.rs"]
mod server;
