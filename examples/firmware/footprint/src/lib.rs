//! What the measured programs share: servers, a client, and a way to keep what they do from being optimised away.
#![no_std]

mod client;
mod servers;
mod wire;

pub use client::{LegacyCaller, ModernCaller, Operator, OperatorClient, operator_client, work};
pub use servers::{
    AsyncLamp, AsyncLampLink, Lamp, LampServer, LegacyTools, MacroLamp, ModernTools, SlowLamp,
    SlowLampServer, SmallDemo, answer, run,
};
pub use wire::{Buffer, Script, Wire, set_buffers};

/// Keeps the optimiser from throwing a value away.
pub fn keep<T>(value: T) {
    core::hint::black_box(value);
}

/// The memory that an `entry` is given.
///
/// # Safety
/// The pointer must be good for the length, for as long as the program runs, and be used by nobody else.
pub const unsafe fn memory(start: *mut u8, length: usize) -> &'static mut [u8] {
    // SAFETY: by the caller's promise.
    unsafe { core::slice::from_raw_parts_mut(start, length) }
}

/// A program that could panic does not link: nobody defines this function.
#[cfg(feature = "proof")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        fn a_panic_path_is_left() -> !;
    }
    // SAFETY: never called, since a program that could call it does not link.
    unsafe { a_panic_path_is_left() }
}

/// The opt-ins bring code that panics.
#[cfg(feature = "panics")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
