//! An MCP server with asynchronous tools under an asynchronous executor (Embassy), without a heap. While a tool waits for the timer, the
//! server answers everything else, and a cancellation drops the tool.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

use core::cell::RefCell;
use core::convert::Infallible;
use core::future::poll_fn;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use core::task::Poll;
use core::time::Duration;

use barewire::engine::{CallError, Options, Peer, Progress, Server};
use barewire::mcp::{Elicitation, Schema};
use barewire::transport::{AsyncLink, Change, Outside};
use critical_section::Mutex;
use device::END_OF_TRANSMISSION;
use embassy_executor::Spawner;
use embassy_futures::yield_now;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::pipe::Pipe;
use embassy_sync::waitqueue::AtomicWaker;
use embedded_io_async::{ErrorType, Read, Write};
use firmware_arm::{Receiver, Sender, Uart};

/// The longest call and the longest other line.
const INPUT: usize = 1024;
const OUTPUT: usize = 512;
const OPTIONS: Options = Options::DEFAULT.with_restart(true);

type CounterLink = AsyncLink<Counter, &'static mut [u8; INPUT], &'static mut [u8; OUTPUT]>;

// Apart from the link: a `static` of zeros costs no flash.
static mut INPUT_MEMORY: [u8; INPUT] = [0; INPUT];
static mut OUTPUT_MEMORY: [u8; OUTPUT] = [0; OUTPUT];
// SAFETY: nothing else uses these two.
static mut LINK: CounterLink = unsafe {
    let (input, output) = (&mut *(&raw mut INPUT_MEMORY), &mut *(&raw mut OUTPUT_MEMORY));
    AsyncLink::with_server(Server::new().with_options(OPTIONS), Counter { runs: 0 }, input, output)
};

/// What the interrupt received, and the half of the UART it works with.
static RECEIVED: Pipe<CriticalSectionRawMutex, 512> = Pipe::new();
static RECEIVER: Mutex<RefCell<Option<Receiver>>> = Mutex::new(RefCell::new(None));
/// The pipe was full. From then on bytes are dropped, until the task has emptied it and knows.
static HAS_LOST: AtomicBool = AtomicBool::new(false);
/// Ticks since the start.
static NOW: AtomicU32 = AtomicU32::new(0);
/// The task, which is the only one that waits for the time.
static TASK: AtomicWaker = AtomicWaker::new();
/// Of the processor, between two ticks: a millisecond.
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
    // The only place that writes it.
    NOW.store(NOW.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    TASK.wake();
}

/// Milliseconds since the start.
fn now() -> u32 {
    NOW.load(Ordering::Relaxed)
}

/// Waits for this number of milliseconds.
async fn wait(milliseconds: u32) {
    let start = now();
    poll_fn(|context| {
        TASK.register(context.waker());
        match now().wrapping_sub(start) >= milliseconds {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
}

const AGREE: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"agree":{"type":"boolean"}}}"#);

/// The application counts the tools that have run.
struct Counter {
    runs: u32,
}

#[barewire::server(name = "barewire-waits")]
impl Counter {
    /// Counts to a number, a step each ten milliseconds.
    #[tool]
    async fn count(&mut self, #[arg(min = 1, max = 1000)] to: i64, peer: &Peer<'_>) -> u32 {
        for step in 1..=to {
            wait(10).await;
            peer.progress(Progress::new(step).of(to));
        }
        self.runs += 1;
        self.runs
    }

    /// Blinks, if the user agrees.
    #[tool]
    async fn blink(&mut self, peer: &Peer<'_>) -> Result<u32, CallError<'static>> {
        let question = Elicitation::form("Blink?", AGREE).into();
        let agrees =
            peer.ask("agree", &question, |answer| answer.elicited()?.content.get("agree")?.as_bool());
        if agrees.await? != Some(true) {
            return Err(CallError::Failed("the user does not agree"));
        }
        self.runs += 1;
        Ok(self.runs)
    }
}

/// The time, and the overruns of the receiver.
struct Board;

impl Outside for Board {
    fn now(&self) -> Option<Duration> {
        Some(Duration::from_millis(u64::from(now())))
    }

    async fn wait(&self, until: Option<Duration>) -> Change<'_> {
        poll_fn(|context| {
            TASK.register(context.waker());
            if HAS_LOST.load(Ordering::Relaxed) && RECEIVED.is_empty() {
                HAS_LOST.store(false, Ordering::Relaxed);
                return Poll::Ready(Change::Lost);
            }
            match until {
                Some(until) if self.now() >= Some(until) => Poll::Ready(Change::Nothing),
                _ => Poll::Pending,
            }
        })
        .await
    }
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
    let Ok(()) = link.run_async_with(&mut wire, &Board).await;
    firmware_arm::leave()
}
