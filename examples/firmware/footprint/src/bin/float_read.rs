//! Reads a float.
#![no_std]
#![no_main]

use barewire::json::RawValue;
use footprint::{keep, memory};

/// # Safety
/// As [`memory`].
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize) {
    // SAFETY: by the caller's promise.
    let input = unsafe { memory(input, length) };
    if let Ok(value) = RawValue::new(input) {
        keep(value.as_number().map(|number| number.to_f64()));
    }
}
