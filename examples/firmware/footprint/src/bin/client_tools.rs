//! The same client, built with nothing else.
#![no_std]
#![no_main]
#![allow(
    clippy::deref_addrof,
    reason = "a `static mut` is better not referred to by its name"
)]

use barewire::engine::ToolsOnly;
use footprint::{OperatorClient, memory, operator_client, work};

/// Four requests in flight.
static mut CLIENT: OperatorClient<ToolsOnly> = operator_client();

/// # Safety
/// As [`memory`], for both; never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize, output: *mut u8, room: usize, seconds: u32) {
    // SAFETY: by the caller's promise.
    let (client, input, output) = unsafe {
        (
            &mut *(&raw mut CLIENT),
            memory(input, length),
            memory(output, room),
        )
    };
    work(client, input, output, seconds);
}
