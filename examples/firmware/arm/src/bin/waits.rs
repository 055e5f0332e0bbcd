//! The application of `thermo/` under an asynchronous executor (Embassy), without a heap. While a tool waits for the timer, the
//! server answers everything else, and a cancellation drops the tool.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

use core::future::poll_fn;
use core::sync::atomic::{AtomicU32, Ordering};
use core::task::Poll;
use core::time::Duration;

use barewire::engine::{Options, Server};
use barewire::transport::{AsyncLink, Change, Outside};
use embassy_executor::Spawner;
use embassy_sync::waitqueue::AtomicWaker;
use firmware_arm::Uart;
use firmware_arm::wire::{self, Wire};
use thermo::{Thermo, Timer};

/// The longest call and the longest other line.
const INPUT: usize = 2048;
const OUTPUT: usize = 1024;
const OPTIONS: Options = Options::DEFAULT.with_restart(true);

type ThermoLink = AsyncLink<Thermo<Board>, &'static mut [u8; INPUT], &'static mut [u8; OUTPUT]>;

// Apart from the link: a `static` of zeros costs no flash.
static mut INPUT_MEMORY: [u8; INPUT] = [0; INPUT];
static mut OUTPUT_MEMORY: [u8; OUTPUT] = [0; OUTPUT];
// SAFETY: nothing else uses these two.
static mut LINK: ThermoLink = unsafe {
    let (input, output) = (&mut *(&raw mut INPUT_MEMORY), &mut *(&raw mut OUTPUT_MEMORY));
    AsyncLink::with_server(Server::new().with_options(OPTIONS), Thermo::new(Board), input, output)
};

/// Ticks since the start.
static NOW: AtomicU32 = AtomicU32::new(0);
/// The task, which is the only one that waits for the time.
static TASK: AtomicWaker = AtomicWaker::new();
/// Of the processor, between two ticks: a millisecond.
const CYCLES: u32 = 25_000;

/// Without a description of the chip all interrupts come here; only the receiver's is enabled.
#[cortex_m_rt::exception]
unsafe fn DefaultHandler(_: i16) {
    wire::on_interrupt();
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

/// The time, and the overruns of the receiver.
struct Board;

impl Timer for Board {
    async fn wait(&self, milliseconds: u32) {
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
}

impl Outside for Board {
    fn now(&self) -> Option<Duration> {
        Some(Duration::from_millis(u64::from(now())))
    }

    async fn wait(&self, until: Option<Duration>) -> Change<'_> {
        poll_fn(|context| {
            TASK.register(context.waker());
            if wire::take_loss() {
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

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    // SAFETY: `main` runs once, and nothing else uses it.
    let link = unsafe { &mut *(&raw mut LINK) };
    let mut wire = Wire::new(Uart::new);
    firmware_arm::start_ticks(CYCLES);
    let Ok(()) = link.run_async_with(&mut wire, &Board).await;
    firmware_arm::leave()
}
