//! UART0 of the board (CMSDK APB UART), and UART1 for logs.

use device::{Port, Register};

/// A register of a UART or of the interrupt controller.
const fn at(address: usize) -> Register {
    // SAFETY: all addresses in this file are registers of this chip, and no more than that.
    unsafe { Register::at(address) }
}

const DATA: Register = at(0x4000_4000);
const STATE: Register = at(0x4000_4004);
const CONTROL: Register = at(0x4000_4008);
const INTERRUPT: Register = at(0x4000_400C);
const BAUD_DIVISOR: Register = at(0x4000_4010);
const LOG_DATA: Register = at(0x4000_5000);
const LOG_STATE: Register = at(0x4000_5004);
const LOG_CONTROL: Register = at(0x4000_5008);
const LOG_BAUD_DIVISOR: Register = at(0x4000_5010);
/// Of the interrupt controller, for the first 32 interrupts.
const ENABLE: Register = at(0xE000_E100);
const CLEAR_PENDING: Register = at(0xE000_E280);

const TRANSMIT_FULL: u32 = 1 << 0;
const RECEIVE_FULL: u32 = 1 << 1;
const TRANSMITTER: u32 = 1 << 0;
const RECEIVER: u32 = 1 << 1;
const RECEIVE_INTERRUPT_ENABLE: u32 = 1 << 3;
const RECEIVE_INTERRUPT: u32 = 1 << 1;
/// The receiver's interrupt is the first of the chip.
const INTERRUPT_0: u32 = 1 << 0;

/// The UART, polled, with interrupts masked. There is one, so make one only.
#[derive(Debug)]
pub struct Uart {
    receiver: Receiver,
    sender: Sender,
}

/// Its receiving half.
#[derive(Debug)]
pub struct Receiver(());

/// Its sending half.
#[derive(Debug)]
pub struct Sender(());

impl Uart {
    /// Switches the UART on.
    pub fn new() -> Self {
        BAUD_DIVISOR.write(16);
        CONTROL.write(TRANSMITTER | RECEIVER | RECEIVE_INTERRUPT_ENABLE);
        ENABLE.write(INTERRUPT_0);
        // QEMU looks for input when the data are read; else only a second later.
        DATA.read();
        Self {
            receiver: Receiver(()),
            sender: Sender(()),
        }
    }

    /// One half for the interrupt, the other for the application.
    pub fn split(self) -> (Receiver, Sender) {
        (self.receiver, self.sender)
    }
}

impl Default for Uart {
    fn default() -> Self {
        Self::new()
    }
}

impl Receiver {
    /// The next byte that was received, if there is one.
    pub fn take(&mut self) -> Option<u8> {
        (STATE.read() & RECEIVE_FULL != 0).then(|| DATA.read() as u8)
    }

    /// The interrupt is done with.
    pub fn acknowledge(&mut self) {
        INTERRUPT.write(RECEIVE_INTERRUPT);
    }
}

impl Sender {
    /// Sends a byte, once there is room for it.
    pub fn put(&mut self, byte: u8) {
        while STATE.read() & TRANSMIT_FULL != 0 {}
        DATA.write(u32::from(byte));
    }
}

impl Port for Uart {
    fn take(&mut self) -> Option<u8> {
        self.receiver.take()
    }

    fn put(&mut self, byte: u8) {
        self.sender.put(byte);
    }

    /// Interrupts are masked, so the receiver's only wakes the processor, and stays pending until then.
    fn sleep(&mut self) {
        cortex_m::asm::wfi();
        self.receiver.acknowledge();
        CLEAR_PENDING.write(INTERRUPT_0);
    }
}

/// UART1, which only sends. A log must not go to the line that speaks MCP.
#[derive(Debug)]
pub enum LogPort {}

impl LogPort {
    /// Switches it on.
    pub fn start() {
        LOG_BAUD_DIVISOR.write(16);
        LOG_CONTROL.write(TRANSMITTER);
    }

    /// Sends these bytes.
    pub fn write(bytes: &[u8]) {
        for byte in bytes {
            while LOG_STATE.read() & TRANSMIT_FULL != 0 {}
            LOG_DATA.write(u32::from(*byte));
        }
    }
}
