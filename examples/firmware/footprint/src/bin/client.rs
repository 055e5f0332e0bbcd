//! A client of both eras: it shakes hands, lists the tools page by page, calls them and keeps the time.
#![no_std]
#![no_main]

use barewire::engine::Full;
use footprint::{OperatorClient, operator_client, work};

/// Four requests in flight.
static mut CLIENT: OperatorClient<Full> = operator_client();

/// # Safety
/// As [`memory`](footprint::memory), for both; never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize, output: *mut u8, room: usize, seconds: u32) {
    // SAFETY: by the caller's promise.
    unsafe { work(&raw mut CLIENT, input, length, output, room, seconds) }
}
