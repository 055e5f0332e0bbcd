//! A client of both eras: it shakes hands, lists the tools page by page, calls them and keeps the time.
#![no_std]
#![no_main]
#![allow(
    clippy::deref_addrof,
    reason = "a `static mut` is better not referred to by its name"
)]

use core::time::Duration;

use barewire::bytes::Sink;
use footprint::{Operator, OperatorClient, keep, memory};

/// Four requests in flight.
static mut CLIENT: OperatorClient = OperatorClient::new(Operator);

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
    let now = Duration::from_secs(u64::from(seconds));
    let mut out = Sink::new(output);
    if input.is_empty() {
        keep(client.connect(now, &mut out).is_ok());
    } else {
        let incoming = client.handle_frame(input, now, &mut out);
        Operator::react(client, incoming, now, &mut out);
    }
    while let Some(incoming) = client.expire(now, &mut out) {
        Operator::react(client, incoming, now, &mut out);
    }
    keep(client.next_deadline());
    keep(out.finish().is_ok());
}
