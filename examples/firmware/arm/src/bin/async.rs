//! An MCP server under an asynchronous executor (Embassy). The UART's interrupt fills a pipe, a task serves it.
//!
//! The task also has to tell whoever watches the status when that changes. For that it drops the future that serves, at
//! whatever await it stands, at every tick of a timer, and starts another: nothing is lost.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

use core::cell::RefCell;
use core::convert::Infallible;
use core::sync::atomic::{AtomicBool, Ordering};

use critical_section::Mutex;
use device::{DeviceLink, END_OF_TRANSMISSION, INPUT, OUTPUT, STATUS_URI};
use embassy_executor::Spawner;
use embassy_futures::select::{Either, select};
use embassy_futures::yield_now;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::pipe::Pipe;
use embassy_sync::signal::Signal;
use embedded_io_async::{ErrorType, Read, Write};
use firmware_arm::{Mps2, Receiver, Sender, Uart};

static mut INPUT_MEMORY: [u8; INPUT] = [0; INPUT];
static mut OUTPUT_MEMORY: [u8; OUTPUT] = [0; OUTPUT];
// SAFETY: nothing else uses these two.
static mut LINK: DeviceLink<Mps2> = unsafe {
    let (input, output) = (&mut *(&raw mut INPUT_MEMORY), &mut *(&raw mut OUTPUT_MEMORY));
    device::link(Mps2, device::OPTIONS, input, output)
};

/// What the interrupt received, and the half of the UART it works with.
static RECEIVED: Pipe<CriticalSectionRawMutex, 512> = Pipe::new();
static RECEIVER: Mutex<RefCell<Option<Receiver>>> = Mutex::new(RefCell::new(None));
/// The pipe was full. From then on bytes are dropped, until the task has emptied it and knows.
static HAS_LOST: AtomicBool = AtomicBool::new(false);
static TICK: Signal<CriticalSectionRawMutex, ()> = Signal::new();
/// Of the processor, between two ticks.
const CYCLES: u32 = 25_000;

/// Without a description of the chip all interrupts come here; only the receiver's is enabled.
#[cortex_m_rt::exception]
unsafe fn DefaultHandler(_: i16) {
    critical_section::with(|token| {
        let mut receiver = RECEIVER.borrow_ref_mut(token);
        let Some(receiver) = receiver.as_mut() else {
            return;
        };
        receiver.acknowledge();
        while let Some(byte) = receiver.take() {
            if HAS_LOST.load(Ordering::Relaxed) || RECEIVED.try_write(&[byte]).is_err() {
                HAS_LOST.store(true, Ordering::Relaxed);
            }
        }
    });
}

#[cortex_m_rt::exception]
fn SysTick() {
    TICK.signal(());
}

/// The UART as a stream. Dropping a read or a write loses nothing: neither takes a byte before its last await.
struct Wire {
    sender: Sender,
    has_ended: bool,
}

impl ErrorType for Wire {
    type Error = Infallible;
}

impl Read for Wire {
    async fn read(&mut self, memory: &mut [u8]) -> Result<usize, Infallible> {
        if self.has_ended {
            return Ok(0);
        }
        let count = RECEIVED.read(memory).await;
        // Ends the emulator, once what came before is answered. A device has no such byte.
        self.has_ended = memory[..count].ends_with(&[END_OF_TRANSMISSION]);
        Ok(count - usize::from(self.has_ended))
    }
}

impl Write for Wire {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        yield_now().await;
        let count = bytes.len().min(16);
        for byte in bytes.iter().take(count) {
            self.sender.put(*byte);
        }
        Ok(count)
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    // SAFETY: `main` runs once, and nothing else uses it.
    let link = unsafe { &mut *(&raw mut LINK) };
    let (receiver, sender) = Uart::new().split();
    critical_section::with(|token| RECEIVER.replace(token, Some(receiver)));
    firmware_arm::start_ticks(CYCLES);
    let mut wire = Wire { sender, has_ended: false };
    while let Either::Second(()) = select(link.run_async(&mut wire), TICK.wait()).await {
        tell_news(link);
        if HAS_LOST.load(Ordering::Relaxed) && RECEIVED.is_empty() {
            link.lost();
            HAS_LOST.store(false, Ordering::Relaxed);
        }
    }
    firmware_arm::leave()
}

/// Notifies the clients that watch the status, if it has changed. The next future sends the notifications.
fn tell_news(link: &mut DeviceLink<Mps2>) {
    if link.app_mut().take_news() {
        link.server_mut().resource_updated(STATUS_URI);
    }
}
