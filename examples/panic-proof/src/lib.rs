//! A panic handler that calls a function which nobody defines: a program with a panic path does not link.
#![no_std]

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        fn a_panic_path_is_left() -> !;
    }
    // SAFETY: never called, since a program that could call it does not link.
    unsafe { a_panic_path_is_left() }
}

/// Keeps the optimiser from throwing away what a proof is about.
pub fn keep<T>(value: T) {
    core::hint::black_box(value);
}
