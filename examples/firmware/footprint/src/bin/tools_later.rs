//! A server of both eras with one tool, which keeps its calls and answers them later.
#![no_std]
#![no_main]
#![allow(
    clippy::deref_addrof,
    reason = "a `static mut` is better not referred to by its name"
)]

use barewire::bytes::Sink;
use footprint::{SlowLamp, SlowLampServer, keep, memory};

static mut SERVER: SlowLampServer = SlowLampServer::new(SlowLamp::IDLE);

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
    if let Some(token) = server.handler_mut().take_switched() {
        keep(server.complete_tool(token, &mut out, |reply| {
            reply.text("on");
            Ok(())
        }));
    }
    keep(out.finish().is_ok());
}
