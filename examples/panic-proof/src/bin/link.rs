//! The link: a server with its buffers, by hand and in the loop over `embedded-io`.
#![no_std]
#![no_main]

use core::time::Duration;

use barewire::demo::{Demo, Host};
use barewire::engine::{CallError, CallToken, List, Outcome, Server, ToolCall, ToolReply};
use barewire::transport::Link;
use embedded_io::{ErrorKind, ErrorType, Read, Write};
use panic_proof::keep;

/// A machine without floats, which bring panics.
struct Machine;

impl Host for Machine {
    fn start_slow(&mut self, _: CallToken, _: u32) -> Result<(), CallError<'static>> {
        Err(CallError::Busy)
    }

    fn resource_changed(&mut self, _: &'static str) {}

    fn add<'a>(&mut self, call: &ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        barewire::demo::add_integers(call, reply)
    }
}

/// A stream that says what nobody knows.
struct Wire(usize);

impl ErrorType for Wire {
    type Error = ErrorKind;
}

impl Read for Wire {
    fn read(&mut self, memory: &mut [u8]) -> Result<usize, ErrorKind> {
        keep(memory.len());
        core::hint::black_box(self.0.checked_sub(1)).ok_or(ErrorKind::Other)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        keep(bytes.len());
        core::hint::black_box(self.0.checked_sub(1)).ok_or(ErrorKind::Other)
    }

    fn flush(&mut self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

static mut LINK: Link<Demo<Machine>, [u8; 256], [u8; 512]> =
    Link::with_server(Server::new(), Demo::new(Machine), [0; 256], [0; 512]);

/// # Safety
/// Never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(count: usize) {
    // SAFETY: by the caller's promise.
    let link = unsafe { &mut *(&raw mut LINK) };
    keep(link.run(&mut Wire(count)).is_ok());
    keep(link.space().len());
    link.received(count);
    link.lost();
    keep(link.output().len());
    link.sent(count);
    link.tick(Duration::from_secs(count as u64));
    link.server_mut().list_changed(List::Tools);
    keep(link.write(|server, app, out| keep(server.poll(|_| true, app, out))));
    link.end_of_input();
    keep(link.server().next_deadline());
    keep(link.app());
    keep(link.app_mut());
    link.reset();
}
