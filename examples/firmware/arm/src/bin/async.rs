//! An MCP server under an asynchronous executor (Embassy). The UART's interrupt fills a pipe, a task serves it.
//!
//! The task also notifies the clients that watch the status when it changes. At every tick of a timer it drops the future that serves, at
//! any await, and starts another: nothing is lost.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

use device::{DeviceLink, INPUT, OUTPUT, STATUS_URI};
use embassy_executor::Spawner;
use embassy_futures::select::{Either, select};
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::signal::Signal;
use firmware_arm::wire::{self, Wire};
use firmware_arm::{Mps2, Uart};

static mut INPUT_MEMORY: [u8; INPUT] = [0; INPUT];
static mut OUTPUT_MEMORY: [u8; OUTPUT] = [0; OUTPUT];
// SAFETY: nothing else uses these two.
static mut LINK: DeviceLink<Mps2> = unsafe {
    let (input, output) = (&mut *(&raw mut INPUT_MEMORY), &mut *(&raw mut OUTPUT_MEMORY));
    device::link(Mps2, device::OPTIONS, input, output)
};

static TICK: Signal<CriticalSectionRawMutex, ()> = Signal::new();
/// Of the processor, between two ticks.
const CYCLES: u32 = 25_000;

/// Without a description of the chip all interrupts come here; only the receiver's is enabled.
#[cortex_m_rt::exception]
unsafe fn DefaultHandler(_: i16) {
    wire::on_interrupt();
}

#[cortex_m_rt::exception]
fn SysTick() {
    TICK.signal(());
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    // SAFETY: `main` runs once, and nothing else uses it.
    let link = unsafe { &mut *(&raw mut LINK) };
    let mut wire = Wire::new(Uart::new);
    firmware_arm::start_ticks(CYCLES);
    while let Either::Second(()) = select(link.run_async(&mut wire), TICK.wait()).await {
        tell_news(link);
        if wire::take_loss() {
            link.lost();
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
