//! An MCP server that logs with `defmt`, on a UART of its own: on the line that speaks MCP a log would be noise.
//!
//! `defmt-print -e FIRMWARE` reads the log.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

use barewire::engine::Event;
use defmt::Encoder;
use device::{Board, DeviceLink, INPUT, OUTPUT, Wire};
use firmware_arm::{LogPort, Mps2, Uart};

/// The board, with a log.
struct Logged(Mps2);

impl Board for Logged {
    fn set_led(&mut self, on: bool) {
        defmt::debug!("led {}", on);
        self.0.set_led(on);
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Rejected(_) | Event::NoRoom | Event::Misuse(_) => defmt::warn!("{}", event),
            _ => defmt::info!("{}", event),
        }
    }
}

static mut INPUT_MEMORY: [u8; INPUT] = [0; INPUT];
static mut OUTPUT_MEMORY: [u8; OUTPUT] = [0; OUTPUT];
// SAFETY: nothing else uses these two.
static mut LINK: DeviceLink<Logged> = unsafe {
    let (input, output) = (&mut *(&raw mut INPUT_MEMORY), &mut *(&raw mut OUTPUT_MEMORY));
    device::link(Logged(Mps2), device::OPTIONS, input, output)
};

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: `main` runs once, and nothing else uses it.
    let link = unsafe { &mut *(&raw mut LINK) };
    cortex_m::interrupt::disable();
    LogPort::start();
    let Ok(()) = link.run(&mut Wire::new(Uart::new()));
    firmware_arm::leave()
}

/// The log goes to UART1.
#[defmt::global_logger]
struct Log;

static mut ENCODER: Encoder = Encoder::new();

// SAFETY: interrupts are masked for good, so nobody can log while somebody does.
unsafe impl defmt::Logger for Log {
    fn acquire() {
        // SAFETY: as above; so it is in the functions below.
        unsafe { (*(&raw mut ENCODER)).start_frame(LogPort::write) };
    }

    unsafe fn flush() {}

    unsafe fn release() {
        // SAFETY: as above.
        unsafe { (*(&raw mut ENCODER)).end_frame(LogPort::write) };
    }

    unsafe fn write(bytes: &[u8]) {
        // SAFETY: as above.
        unsafe { (*(&raw mut ENCODER)).write(bytes, LogPort::write) };
    }
}
