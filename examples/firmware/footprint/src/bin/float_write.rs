//! Writes a float.
#![no_std]
#![no_main]

use barewire::bytes::Sink;
use barewire::json::Writer;
use footprint::{keep, memory};

/// # Safety
/// As [`memory`].
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(output: *mut u8, room: usize, value: f64) {
    // SAFETY: by the caller's promise.
    let mut out = Sink::new(unsafe { memory(output, room) });
    Writer::new(&mut out).double(value);
    keep(out.finish().is_ok());
}
