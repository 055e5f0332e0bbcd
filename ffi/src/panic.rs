//! What a panic is on bare metal. None is left (the proof in `.ci/ffi`), but the language asks for a handler.

#[cfg(not(feature = "panic-proof"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        /// Of the C library, or of the firmware.
        fn abort() -> !;
    }
    // SAFETY: `abort` takes nothing and does not return.
    unsafe { abort() }
}

#[cfg(feature = "panic-proof")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        fn a_panic_path_is_left() -> !;
    }
    // SAFETY: never called, since a program that could call it does not link.
    unsafe { a_panic_path_is_left() }
}

/// The negative twin of the proof: a program that calls this must not link.
///
/// # Safety
/// `bytes` is good for `length` bytes.
#[cfg(feature = "panic-proof")]
#[allow(clippy::indexing_slicing, reason = "to have a panic path")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_indexes(bytes: *const u8, length: usize, at: usize) -> u8 {
    // SAFETY: by the caller's promise.
    let bytes = unsafe { core::slice::from_raw_parts(bytes, length) };
    bytes[at]
}
