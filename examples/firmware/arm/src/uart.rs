//! UART0 of the board (CMSDK APB UART).

use device::{Port, Register};

/// A register of UART0 or of the interrupt controller.
const fn at(address: usize) -> Register {
    // SAFETY: all addresses in this file are registers of this chip, and no more than that.
    unsafe { Register::at(address) }
}

const DATA: Register = at(0x4000_4000);
const STATE: Register = at(0x4000_4004);
const CONTROL: Register = at(0x4000_4008);
const INTERRUPT: Register = at(0x4000_400C);
const BAUD_DIVISOR: Register = at(0x4000_4010);
/// Of the interrupt controller, for the first 32 interrupts.
const ENABLE: Register = at(0xE000_E100);
const CLEAR_PENDING: Register = at(0xE000_E280);

const TRANSMIT_FULL: u32 = 1 << 0;
const RECEIVE_FULL: u32 = 1 << 1;
/// Transmitter, receiver, and the interrupt of the latter.
const ENABLED: u32 = 1 << 0 | 1 << 1 | 1 << 3;
const RECEIVE_INTERRUPT: u32 = 1 << 1;
/// The receiver's interrupt is the first of the chip.
const INTERRUPT_0: u32 = 1 << 0;

/// The UART, polled, with interrupts masked. There is one, so make one only.
#[derive(Debug)]
pub struct Uart(());

impl Uart {
    /// Switches the UART on.
    pub fn new() -> Self {
        BAUD_DIVISOR.write(16);
        CONTROL.write(ENABLED);
        ENABLE.write(INTERRUPT_0);
        // QEMU looks for input when the data are read; else only a second later.
        DATA.read();
        Self(())
    }
}

impl Default for Uart {
    fn default() -> Self {
        Self::new()
    }
}

impl Port for Uart {
    fn take(&mut self) -> Option<u8> {
        (STATE.read() & RECEIVE_FULL != 0).then(|| DATA.read() as u8)
    }

    fn put(&mut self, byte: u8) {
        while STATE.read() & TRANSMIT_FULL != 0 {}
        DATA.write(u32::from(byte));
    }

    /// Interrupts are masked, so the receiver's only wakes the processor, and stays pending until then.
    fn sleep(&mut self) {
        cortex_m::asm::wfi();
        INTERRUPT.write(RECEIVE_INTERRUPT);
        CLEAR_PENDING.write(INTERRUPT_0);
    }
}
