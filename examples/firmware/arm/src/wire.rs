//! The UART as a stream for an asynchronous loop. Its interrupt fills a pipe, which the loop reads.

use core::cell::RefCell;
use core::convert::Infallible;
use core::sync::atomic::{AtomicBool, Ordering};

use critical_section::Mutex;
use device::END_OF_TRANSMISSION;
use embassy_futures::yield_now;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::pipe::Pipe;
use embedded_io_async::{ErrorType, Read, Write};

use crate::uart::{Receiver, Sender, Uart};

/// What the interrupt received, and the half of the UART it works with.
static RECEIVED: Pipe<CriticalSectionRawMutex, 512> = Pipe::new();
static RECEIVER: Mutex<RefCell<Option<Receiver>>> = Mutex::new(RefCell::new(None));
/// The pipe was full. From then on bytes are dropped, until the task has emptied it and knows.
static HAS_LOST: AtomicBool = AtomicBool::new(false);

/// Moves received bytes to the pipe: to be called by the interrupt.
pub fn on_interrupt() {
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

/// Whether bytes were lost. True once for each loss, when all bytes before it are read; then bytes are received again.
pub fn take_loss() -> bool {
    let has_lost = HAS_LOST.load(Ordering::Relaxed) && RECEIVED.is_empty();
    if has_lost {
        HAS_LOST.store(false, Ordering::Relaxed);
    }
    has_lost
}

/// The UART as a stream. Dropping a read or a write loses nothing: neither takes a byte before its last await.
#[derive(Debug)]
pub struct Wire {
    sender: Sender,
    has_ended: bool,
}

impl Wire {
    /// Switches the UART on, and gives its receiving half to the interrupt, which must find it there.
    pub fn new(uart: impl FnOnce() -> Uart) -> Self {
        critical_section::with(|token| {
            let (receiver, sender) = uart().split();
            RECEIVER.replace(token, Some(receiver));
            Self { sender, has_ended: false }
        })
    }
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
