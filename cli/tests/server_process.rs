//! Servers that end, stay, exit or flood: what the commands make of them, over real processes.
//!
//! No test can hang: what waits gives up after [`program::LONGEST`].
#![cfg(unix)]

#[path = "server_process/program.rs"]
mod program;

#[path = "server_process/exits.rs"]
mod exits;
#[path = "server_process/floods.rs"]
mod floods;
#[path = "server_process/trees.rs"]
mod trees;
