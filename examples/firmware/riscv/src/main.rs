//! An MCP server on the UART.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

mod board;
mod semihosting;
mod uart;

use board::Fe310;
use device::{DeviceLink, INPUT, OUTPUT, Wire};
use uart::Uart;

static mut INPUT_MEMORY: [u8; INPUT] = [0; INPUT];
static mut OUTPUT_MEMORY: [u8; OUTPUT] = [0; OUTPUT];
// SAFETY: nothing else uses these two.
static mut LINK: DeviceLink<Fe310> = unsafe {
    let (input, output) = (&mut *(&raw mut INPUT_MEMORY), &mut *(&raw mut OUTPUT_MEMORY));
    device::link(Fe310, device::OPTIONS, input, output)
};

#[riscv_rt::entry]
fn main() -> ! {
    // SAFETY: `main` runs once, on the only hart, and nothing else uses it.
    let link = unsafe { &mut *(&raw mut LINK) };
    let Ok(()) = link.run(&mut Wire::new(Uart::new()));
    semihosting::exit(0)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    semihosting::exit(1)
}
