//! An MCP server on the UART.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

use device::{DeviceLink, INPUT, OUTPUT, Wire};
use firmware_arm::{Mps2, Uart};

static mut INPUT_MEMORY: [u8; INPUT] = [0; INPUT];
static mut OUTPUT_MEMORY: [u8; OUTPUT] = [0; OUTPUT];
// SAFETY: nothing else uses these two.
static mut LINK: DeviceLink<Mps2> = unsafe {
    let (input, output) = (&mut *(&raw mut INPUT_MEMORY), &mut *(&raw mut OUTPUT_MEMORY));
    device::link(Mps2, device::OPTIONS, input, output)
};

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: `main` runs once, and nothing else uses it.
    let link = unsafe { &mut *(&raw mut LINK) };
    cortex_m::interrupt::disable();
    let Ok(()) = link.run(&mut Wire::new(Uart::new()));
    firmware_arm::leave()
}
