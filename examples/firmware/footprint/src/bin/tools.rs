//! A server of both eras with one tool.
#![no_std]
#![no_main]

use footprint::{Lamp, LampServer, answer};

static mut SERVER: LampServer = LampServer::new(Lamp::OFF);

/// # Safety
/// As [`memory`](footprint::memory), for both; never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize, output: *mut u8, room: usize) {
    // SAFETY: by the caller's promise.
    unsafe { answer(&raw mut SERVER, input, length, output, room) }
}
