//! The negative twin: it recurses as deep as its input says, so its stack has no bound, and `.ci/footprint` must say so.
#![no_std]
#![no_main]

use footprint::{keep, memory};

/// # Safety
/// As [`memory`].
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize) {
    // SAFETY: by the caller's promise.
    keep(depth(unsafe { memory(input, length) }));
}

#[inline(never)]
fn depth(text: &[u8]) -> usize {
    match text {
        [b'[', inner @ ..] => {
            let below = depth(inner);
            keep(below);
            below + 1
        }
        _ => 0,
    }
}
