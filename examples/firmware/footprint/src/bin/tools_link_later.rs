//! A server of both eras with one tool, whose call it answers later, and its loop over a stream.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

use barewire::engine::{Fixed, Server, ToolsOnly};
use barewire::transport::Link;
use footprint::{Buffer, SlowLamp, Wire, keep, set_buffers};

static mut LINK: Link<SlowLamp, Buffer<0>, Buffer<1>, Fixed<ToolsOnly, 1, 0, 0, 32>> =
    Link::with_server(Server::with_storage(Fixed::new()), SlowLamp::IDLE, Buffer, Buffer);

/// # Safety
/// As [`memory`](footprint::memory), for both; never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize, output: *mut u8, room: usize) {
    // SAFETY: by the caller's promise.
    let link = unsafe {
        set_buffers((input, length), (output, room));
        &mut *(&raw mut LINK)
    };
    keep(link.run(&mut Wire).is_ok());
    if let Some(token) = link.app_mut().take_switched() {
        link.write(|server, lamp, out| {
            keep(server.complete_tool(token, lamp, out, |result| Ok(result.text("on").done())));
        });
    }
}
