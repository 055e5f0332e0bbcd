//! The commands with real servers that end, stay, exit or flood.
//!
//! No test can hang: every wait ends after [`program::LONGEST`].
#![cfg(unix)]

#[path = "server_process/program.rs"]
mod program;

#[path = "server_process/exits.rs"]
mod exits;
#[path = "server_process/floods.rs"]
mod floods;
#[path = "server_process/trees.rs"]
mod trees;
