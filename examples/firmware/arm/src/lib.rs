//! The board: a UART, a LED, and a way to leave the emulator.
#![no_std]

mod clock;
mod uart;
#[cfg(feature = "async")]
pub mod wire;

use cortex_m_semihosting::debug::{self, EXIT_FAILURE, EXIT_SUCCESS};
use device::{Board, Register};

pub use clock::Clock;
pub use uart::{LogPort, Receiver, Sender, Uart};

/// The two LEDs of the FPGA's own block.
// SAFETY: it is a register of this chip, and no more than that.
const LEDS: Register = unsafe { Register::at(0x4002_8000) };

/// The board of this chip.
#[derive(Debug)]
pub struct Mps2;

impl Board for Mps2 {
    fn set_led(&mut self, on: bool) {
        LEDS.write(u32::from(on));
    }
}

/// Has `SysTick` called again and again, so many cycles apart.
pub fn start_ticks(cycles: u32) {
    if let Some(cortex_m::Peripherals { mut SYST, .. }) = cortex_m::Peripherals::take() {
        SYST.set_clock_source(cortex_m::peripheral::syst::SystClkSource::Core);
        SYST.set_reload(cycles);
        SYST.clear_current();
        SYST.enable_counter();
        SYST.enable_interrupt();
    }
}

/// Leaves the emulator with the exit status 0. A device would go on.
pub fn leave() -> ! {
    loop {
        debug::exit(EXIT_SUCCESS);
    }
}

/// Leaves it with the status 1.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        debug::exit(EXIT_FAILURE);
    }
}

/// A stack that ran into the end of the memory ends here.
#[cortex_m_rt::exception]
unsafe fn HardFault(_: &cortex_m_rt::ExceptionFrame) -> ! {
    loop {
        debug::exit(EXIT_FAILURE);
    }
}
