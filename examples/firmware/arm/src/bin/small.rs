//! A complete server of one tool in a small chip of 8 KiB of RAM, its two buffers of 1 KiB included:
//! `small.x` says how much there is, and puts the stack where it would be.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

use barewire::engine::{Fixed, ToolsOnly};
use barewire::transport::Link;
use device::Wire;
use firmware_arm::Uart;
use footprint::{Lamp, LampServer};

type Memory = &'static mut [u8; 1024];

static mut INPUT_MEMORY: [u8; 1024] = [0; 1024];
static mut OUTPUT_MEMORY: [u8; 1024] = [0; 1024];
// SAFETY: nothing else uses these two.
static mut LINK: Link<Lamp, Memory, Memory, Fixed<ToolsOnly, 0, 0, 0, 0>> = unsafe {
    let (input, output) = (&mut *(&raw mut INPUT_MEMORY), &mut *(&raw mut OUTPUT_MEMORY));
    let server = LampServer::with_storage(Fixed::new()).with_options(device::OPTIONS);
    Link::with_server(server, Lamp::OFF, input, output)
};

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: `main` runs once, and nothing else uses it.
    let link = unsafe { &mut *(&raw mut LINK) };
    cortex_m::interrupt::disable();
    let Ok(()) = link.run(&mut Wire::new(Uart::new()));
    firmware_arm::leave()
}
