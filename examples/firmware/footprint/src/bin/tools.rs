//! A server of both eras with one tool.
#![no_std]
#![no_main]
#![allow(
    clippy::deref_addrof,
    reason = "a `static mut` is better not referred to by its name"
)]

use barewire::Server;
use barewire::bytes::Sink;
use barewire::engine::ToolsOnly;
use footprint::{Lamp, keep, memory};

/// Four calls in flight, and nothing to subscribe to.
static mut SERVER: Server<Lamp, ToolsOnly, 4, 0> = Server::new(Lamp::OFF);

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
    let mut out = Sink::new(output);
    keep(server.handle_frame(input, &mut out));
    keep(out.finish().is_ok());
}
