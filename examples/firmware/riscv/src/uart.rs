//! UART0 of the board (SiFive).

use device::{Port, Register};

/// A register of UART0 or of the interrupt controller.
const fn at(address: usize) -> Register {
    // SAFETY: all addresses in this file are registers of this chip, and no more than that.
    unsafe { Register::at(address) }
}

const TRANSMIT: Register = at(0x1001_3000);
const RECEIVE: Register = at(0x1001_3004);
const TRANSMIT_CONTROL: Register = at(0x1001_3008);
const RECEIVE_CONTROL: Register = at(0x1001_300C);
const INTERRUPT_ENABLE: Register = at(0x1001_3010);
/// Of the interrupt controller: UART0 is its source 3.
const PRIORITY: Register = at(0x0C00_000C);
const ENABLE: Register = at(0x0C00_2000);
const THRESHOLD: Register = at(0x0C20_0000);
const CLAIM: Register = at(0x0C20_0004);

/// The transmitter is full, or there is nothing to receive.
const NOT_NOW: u32 = 1 << 31;

/// The UART, polled, with interrupts masked. There is one, so make one only.
#[derive(Debug)]
pub(crate) struct Uart(());

impl Uart {
    /// Switches the UART on.
    pub(crate) fn new() -> Self {
        TRANSMIT_CONTROL.write(1);
        RECEIVE_CONTROL.write(1);
        INTERRUPT_ENABLE.write(1 << 1);
        PRIORITY.write(1);
        ENABLE.write(1 << 3);
        THRESHOLD.write(0);
        // SAFETY: interrupts stay masked, so this one only wakes the hart.
        unsafe { riscv::register::mie::set_mext() };
        Self(())
    }
}

impl Port for Uart {
    fn take(&mut self) -> Option<u8> {
        let received = RECEIVE.read();
        (received & NOT_NOW == 0).then_some(received as u8)
    }

    fn put(&mut self, byte: u8) {
        while TRANSMIT.read() & NOT_NOW != 0 {}
        TRANSMIT.write(u32::from(byte));
    }

    /// Interrupts are masked, so the receiver's only wakes the hart, and stays pending until then.
    fn sleep(&mut self) {
        riscv::asm::wfi();
        let source = CLAIM.read();
        if source != 0 {
            CLAIM.write(source);
        }
    }
}
