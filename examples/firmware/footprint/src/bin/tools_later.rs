//! A server of both eras with one tool, which keeps its calls and answers them later.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

use barewire::bytes::Sink;
use barewire::engine::{Fixed, Frame, Origin};
use footprint::{SlowLamp, SlowLampServer, keep, memory};

static mut SERVER: SlowLampServer = SlowLampServer::with_storage(Fixed::new());
static mut LAMP: SlowLamp = SlowLamp::IDLE;

/// # Safety
/// As [`memory`], for both; never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize, output: *mut u8, room: usize) {
    // SAFETY: by the caller's promise.
    let (server, lamp, input, output) = unsafe {
        (&mut *(&raw mut SERVER), &mut *(&raw mut LAMP), memory(input, length), memory(output, room))
    };
    let mut out = Sink::new(output);
    keep(server.receive(Origin::ONLY, &mut Frame::new(input), lamp, &mut out));
    if let Some(token) = lamp.take_switched() {
        keep(server.complete_tool(token, lamp, &mut out, |result| Ok(result.text("on").done())));
    }
    keep(out.finish().is_ok());
}
