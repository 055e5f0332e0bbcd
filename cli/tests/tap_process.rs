//! `barewire tap` as a process, between a client that is the test and servers that are real programs.
//!
//! No test can hang: every wait ends after [`tap::LONGEST`].
#![cfg(unix)]

#[path = "tap_process/tap.rs"]
mod tap;

#[path = "tap_process/play.rs"]
mod play;

#[path = "tap_process/ends.rs"]
mod ends;
#[path = "tap_process/log.rs"]
mod log;
#[path = "tap_process/sessions.rs"]
mod sessions;
#[path = "tap_process/stream.rs"]
mod stream;
#[path = "tap_process/volume.rs"]
mod volume;
