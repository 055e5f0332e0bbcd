//! The demo server without floats: every chapter, with deferred answers, progress, changes and the framer.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

use barewire::Server;
use barewire::bytes::{Framer, Next, Sink};
use barewire::demo::Demo;
use barewire::engine::{Frame, List, Origin, Progress, Sent};
use barewire::rpc::Skipper;
use footprint::{SmallDemo, keep, memory};

static mut SERVER: Server = Server::new();
static mut DEMO: Demo<SmallDemo> = Demo::new(SmallDemo::IDLE);

/// # Safety
/// As [`memory`], for both; never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize, output: *mut u8, room: usize) {
    // SAFETY: by the caller's promise.
    let (server, demo, input, output) = unsafe {
        (&mut *(&raw mut SERVER), &mut *(&raw mut DEMO), memory(input, length), memory(output, room))
    };
    let mut framer = Framer::new(input);
    framer.commit(length);
    let mut skipper = Skipper::<64>::new();
    loop {
        let mut out = Sink::new(output);
        match framer.next() {
            Next::Line(line) => {
                keep(server.receive(Origin::ONLY, &mut Frame::new(line), demo, &mut out));
            }
            Next::Part(part) => skipper.feed(part),
            Next::TooLong => {
                let (rejection, response) = (skipper.finish(), skipper.response_id());
                keep(server.receive_oversized(Origin::ONLY, &rejection, response, demo, &mut out));
            }
            Next::Lost => server.lost(demo),
            Next::NeedMore => break,
        }
        keep(out.finish().is_ok());
    }
    let mut out = Sink::new(output);
    if let Some(token) = demo.host_mut().take_waiting() {
        keep(server.progress(token, Progress::new(1).of(2), &mut out));
        keep(server.complete_tool(token, demo, &mut out, |result| Ok(result.text("done").done())));
    }
    if let Some(uri) = demo.host_mut().take_changed() {
        server.resource_updated(uri);
    }
    server.list_changed(List::Tools);
    while server.poll(|_| true, demo, &mut out) != Sent::Nothing {
        keep(out.finish().is_ok());
        out = Sink::new(output);
    }
}
