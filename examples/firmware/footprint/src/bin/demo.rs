//! The demo server without floats: every chapter, with deferred answers, progress, changes and the framer.
#![no_std]
#![no_main]
#![allow(
    clippy::deref_addrof,
    reason = "a `static mut` is better not referred to by its name"
)]

use barewire::Server;
use barewire::bytes::{Framer, Sink};
use barewire::demo::Demo;
use barewire::engine::{List, Progress};
use footprint::{SmallDemo, keep, memory};

static mut SERVER: Server<Demo<SmallDemo>> = Server::new(Demo::new(SmallDemo::IDLE));

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
    let mut framer = Framer::new(input);
    framer.commit(length);
    loop {
        let mut out = Sink::new(output);
        if server.receive(framer.next(), &mut out).is_none() {
            break;
        }
        keep(out.finish().is_ok());
    }
    let mut out = Sink::new(output);
    if let Some(token) = server.handler_mut().host_mut().take_waiting() {
        keep(server.progress(token, &Progress::new(1).of(2), &mut out));
        keep(server.complete_tool(token, &mut out, |reply| {
            reply.text("done");
            Ok(())
        }));
    }
    if let Some(uri) = server.handler_mut().host_mut().take_changed() {
        keep(server.resource_updated(uri, &mut out));
    }
    keep(server.list_changed(List::Tools, &mut out));
    keep(out.finish().is_ok());
}
