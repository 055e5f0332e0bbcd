//! The UARTs of the board (CMSDK APB UART): UART0, and UART1 for logs or for a second line.

use core::fmt;

use device::{Port, Register};

/// A register of a UART or of the interrupt controller.
const fn at(address: usize) -> Register {
    // SAFETY: all addresses in this file are registers of this chip, and no more than that.
    unsafe { Register::at(address) }
}

/// Of the interrupt controller, for the first 32 interrupts.
const ENABLE: Register = at(0xE000_E100);
const CLEAR_PENDING: Register = at(0xE000_E280);

const TRANSMIT_FULL: u32 = 1 << 0;
const RECEIVE_FULL: u32 = 1 << 1;
const TRANSMITTER: u32 = 1 << 0;
const RECEIVER: u32 = 1 << 1;
const RECEIVE_INTERRUPT_ENABLE: u32 = 1 << 3;
const RECEIVE_INTERRUPT: u32 = 1 << 1;

/// The registers of one UART.
#[derive(Debug)]
struct Block {
    data: Register,
    state: Register,
    control: Register,
    interrupt: Register,
    baud_divisor: Register,
    /// Its receiver's interrupt, as a bit of the interrupt controller's.
    receiver: u32,
}

impl Block {
    const fn new(base: usize, receiver: u32) -> Self {
        Self {
            data: at(base),
            state: at(base + 0x4),
            control: at(base + 0x8),
            interrupt: at(base + 0xC),
            baud_divisor: at(base + 0x10),
            receiver: 1 << receiver,
        }
    }

    fn put(&self, byte: u8) {
        while self.state.read() & TRANSMIT_FULL != 0 {}
        self.data.write(u32::from(byte));
    }
}

const UART0: &Block = &Block::new(0x4000_4000, 0);
const UART1: &Block = &Block::new(0x4000_5000, 2);

/// A UART, polled, with interrupts masked. There are two, so make each once only.
#[derive(Debug)]
pub struct Uart {
    receiver: Receiver,
    sender: Sender,
}

/// Its receiving half.
#[derive(Debug)]
pub struct Receiver {
    block: &'static Block,
    /// A byte that had come before the receiver was ready.
    first: Option<u8>,
}

/// Its sending half.
#[derive(Debug)]
pub struct Sender(&'static Block);

impl Uart {
    /// Switches UART0 on.
    pub fn new() -> Self {
        Self::of(UART0)
    }

    /// Switches UART1 on.
    pub fn second() -> Self {
        Self::of(UART1)
    }

    fn of(block: &'static Block) -> Self {
        block.baud_divisor.write(16);
        block.control.write(TRANSMITTER | RECEIVER | RECEIVE_INTERRUPT_ENABLE);
        ENABLE.write(block.receiver);
        // QEMU looks for input when the data are read; else only a second later. A client may have sent something already: then this is
        // its first byte, and not the 0 of the reset.
        let first = Some(block.data.read() as u8).filter(|byte| *byte != 0);
        Self { receiver: Receiver { block, first }, sender: Sender(block) }
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
        if self.first.is_some() {
            return self.first.take();
        }
        let block = self.block;
        (block.state.read() & RECEIVE_FULL != 0).then(|| block.data.read() as u8)
    }

    /// The interrupt is done with.
    pub fn acknowledge(&mut self) {
        self.block.interrupt.write(RECEIVE_INTERRUPT);
    }
}

impl Sender {
    /// Sends a byte, once there is room for it.
    pub fn put(&mut self, byte: u8) {
        self.0.put(byte);
    }
}

impl fmt::Write for Sender {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| self.put(byte));
        Ok(())
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
        CLEAR_PENDING.write(self.receiver.block.receiver);
    }
}

/// UART1, which only sends. A log must not go to the line that speaks MCP.
#[derive(Debug)]
pub enum LogPort {}

impl LogPort {
    /// Switches it on.
    pub fn start() {
        UART1.baud_divisor.write(16);
        UART1.control.write(TRANSMITTER);
    }

    /// Sends these bytes.
    pub fn write(bytes: &[u8]) {
        bytes.iter().for_each(|byte| UART1.put(*byte));
    }
}
