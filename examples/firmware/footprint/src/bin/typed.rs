//! Typed arguments through serde: integers and text.
#![no_std]
#![no_main]

use barewire::json::{JsonStr, RawValue};
use footprint::{keep, memory};
use serde::Deserialize;

#[derive(Deserialize)]
struct Arguments<'a> {
    pin: u8,
    #[serde(borrow)]
    label: JsonStr<'a>,
}

/// # Safety
/// As [`memory`].
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize) {
    // SAFETY: by the caller's promise.
    let input = unsafe { memory(input, length) };
    if let Ok(value) = RawValue::new(input) {
        keep(
            value
                .parse_in::<Arguments<'_>>(&mut [])
                .map(|arguments| (arguments.pin, arguments.label.is_empty())),
        );
    }
}
