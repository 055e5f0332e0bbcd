//! A server of both eras with one tool, which is a method.
#![no_std]
#![no_main]

use barewire::engine::Fixed;
use footprint::{LampServer, MacroLamp, answer};

static mut SERVER: LampServer = LampServer::with_storage(Fixed::new());
static mut LAMP: MacroLamp = MacroLamp::OFF;

/// # Safety
/// As [`memory`](footprint::memory), for both; never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize, output: *mut u8, room: usize) {
    // SAFETY: by the caller's promise.
    unsafe { answer(&raw mut SERVER, &raw mut LAMP, input, length, output, room) }
}
