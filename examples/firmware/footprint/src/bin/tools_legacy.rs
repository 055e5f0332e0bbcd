//! A server of the legacy era alone with one tool.
#![no_std]
#![no_main]
#![allow(
    clippy::deref_addrof,
    reason = "a `static mut` is better not referred to by its name"
)]

use footprint::{Lamp, LampServer, LegacyTools, answer, memory};

static mut SERVER: LampServer<LegacyTools> = LampServer::new(Lamp::OFF);

/// # Safety
/// As [`memory`], for both; never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize, output: *mut u8, room: usize) {
    // SAFETY: by the caller's promise.
    let (server, input, output) = unsafe {
        (
            &mut *(&raw mut SERVER),
            memory(input, length),
            memory(output, room),
        )
    };
    answer(server, input, output);
}
