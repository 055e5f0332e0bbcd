//! `barewire call`, and the clients of the library over a child process: real pipes, real processes. The servers are
//! `barewire serve`, and scripts that behave badly in one way each.
//!
//! No test can hang: the client gives up after a minute at most.
#![cfg(unix)]

#[path = "call_process/arguments.rs"]
mod arguments;
#[path = "call_process/child.rs"]
mod child;
#[path = "call_process/client.rs"]
mod client;
#[path = "call_process/client_faults.rs"]
mod client_faults;
#[path = "call_process/command.rs"]
mod command;
#[path = "call_process/results.rs"]
mod results;
#[path = "call_process/servers.rs"]
mod servers;
