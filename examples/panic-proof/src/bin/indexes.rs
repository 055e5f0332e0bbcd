//! The negative twin: it indexes, so it must not link, and for exactly that reason.
#![no_std]
#![no_main]

#[unsafe(no_mangle)]
extern "C" fn entry(index: usize) -> u8 {
    panic_proof::keep(());
    let bytes = core::hint::black_box([1u8, 2, 3]);
    bytes[index]
}
