//! Loops that carry bytes between a stream and an engine.
//!
//! [`Link`] is a server with its application and buffers, for a loop that you write, for example on a UART. The feature `std` adds
//! `Stdio`, a server on the standard streams; `Child`, a client with the process of its server; and `Process`, such a process
//! alone. `embedded-io-v0_7` and `embedded-io-async-v0_7` add loops over the traits of these names.

#[cfg(feature = "embedded-io-async-v0_7")]
mod async_link;
#[cfg(feature = "tokio")]
mod async_stdio;
#[cfg(feature = "std")]
mod call;
#[cfg(feature = "std")]
mod child;
#[cfg(feature = "embedded-io-v0_7")]
mod eio;
#[cfg(feature = "embedded-io-async-v0_7")]
mod eio_async;
#[cfg(feature = "std")]
mod faults;
#[cfg(feature = "std")]
mod hosted;
pub mod http;
#[cfg(feature = "std")]
mod inbox;
#[cfg(feature = "std")]
mod job_host;
#[cfg(feature = "std")]
mod jobs;
mod link;
#[cfg(feature = "std")]
mod process;
#[cfg(feature = "std")]
mod question;
#[cfg(feature = "std")]
mod ready;
#[cfg(feature = "std")]
mod stdio;
#[cfg(feature = "std")]
mod threads;

#[cfg(feature = "embedded-io-async-v0_7")]
pub use async_link::{AsyncLink, Change, Outside, Still};
#[cfg(feature = "tokio")]
pub use async_stdio::AsyncStdio;
#[cfg(feature = "std")]
pub use call::JobReply;
#[cfg(feature = "std")]
pub use child::{Child, ChildEnd};
#[cfg(feature = "std")]
pub use faults::print_faults;
#[cfg(feature = "std")]
pub use job_host::{JobCall, JobHost};
#[cfg(feature = "std")]
pub use jobs::{Job, JobQueue, Jobs, jobs};
pub use link::Link;
#[cfg(feature = "std")]
pub use process::{Interrupter, OutputPipe, Process, ProcessPipes, ProcessTree, Received, describe_exit};
#[cfg(feature = "std")]
pub use ready::Ready;
#[cfg(feature = "std")]
pub use stdio::{Limits, Stdio};
