//! An MCP server that is fed from the UART's interrupt through a queue, on a noisy line: what is no message gets no
//! answer, and a line of which bytes were lost is dropped. It tells whoever watches the status when that changes.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

use core::cell::RefCell;
use core::sync::atomic::{AtomicBool, Ordering};

use barewire::engine::UnreadableId;
use critical_section::Mutex;
use device::{DeviceLink, END_OF_TRANSMISSION, INPUT, OUTPUT, STATUS_URI};
use firmware_arm::{Mps2, Receiver, Sender, Uart};
use heapless::spsc::{Consumer, Producer, Queue};

/// Bytes that wait for the application.
const QUEUE: usize = 512;

static mut INPUT_MEMORY: [u8; INPUT] = [0; INPUT];
static mut OUTPUT_MEMORY: [u8; OUTPUT] = [0; OUTPUT];
// SAFETY: nothing else uses these two.
static mut LINK: DeviceLink<Mps2> = unsafe {
    let (input, output) = (&mut *(&raw mut INPUT_MEMORY), &mut *(&raw mut OUTPUT_MEMORY));
    let options = device::OPTIONS.with_unreadable_id(UnreadableId::Silent);
    device::link(Mps2, options, input, output)
};

/// What the interrupt works with.
struct Feed {
    receiver: Receiver,
    queue: Producer<'static, u8>,
}

static FEED: Mutex<RefCell<Option<Feed>>> = Mutex::new(RefCell::new(None));

/// The queue was full. From then on bytes are dropped, until the application has emptied it and knows.
static HAS_LOST: AtomicBool = AtomicBool::new(false);

/// Without a description of the chip all interrupts come here; only the receiver's is enabled.
#[cortex_m_rt::exception]
unsafe fn DefaultHandler(_: i16) {
    critical_section::with(|token| {
        let mut feed = FEED.borrow_ref_mut(token);
        let Some(feed) = feed.as_mut() else {
            return;
        };
        feed.receiver.acknowledge();
        while let Some(byte) = feed.receiver.take() {
            if HAS_LOST.load(Ordering::Relaxed) || feed.queue.enqueue(byte).is_err() {
                HAS_LOST.store(true, Ordering::Relaxed);
            }
        }
    });
}

#[cortex_m_rt::entry]
fn main() -> ! {
    static mut QUEUE_MEMORY: Queue<u8, QUEUE> = Queue::new();
    // SAFETY: `main` runs once, and nothing else uses it.
    let link = unsafe { &mut *(&raw mut LINK) };
    let (producer, mut consumer) = QUEUE_MEMORY.split();
    let mut sender = critical_section::with(|token| {
        let (receiver, sender) = Uart::new().split();
        let queue = producer;
        FEED.replace(token, Some(Feed { receiver, queue }));
        sender
    });
    loop {
        send(link, &mut sender);
        tell_news(link, &mut sender);
        if receive(link, &mut consumer) == Input::Ended {
            send(link, &mut sender);
            firmware_arm::leave();
        }
    }
}

/// Lets the server work, and sends what it has to say.
fn send(link: &mut DeviceLink<Mps2>, sender: &mut Sender) {
    loop {
        let output = link.output();
        if output.is_empty() {
            return;
        }
        for byte in output {
            sender.put(*byte);
        }
        let count = output.len();
        link.sent(count);
    }
}

/// Notifies the clients that watch the status, if it has changed.
fn tell_news(link: &mut DeviceLink<Mps2>, sender: &mut Sender) {
    if link.app_mut().take_news() {
        link.server_mut().resource_updated(STATUS_URI);
        send(link, sender);
    }
}

/// Whether there will be more.
#[derive(PartialEq, Eq)]
enum Input {
    GoesOn,
    Ended,
}

/// Takes over what came in, and sleeps while that is nothing.
fn receive(link: &mut DeviceLink<Mps2>, queue: &mut Consumer<'_, u8>) -> Input {
    let mut count = 0;
    let mut input = Input::GoesOn;
    for place in link.space() {
        match queue.dequeue() {
            Some(END_OF_TRANSMISSION) => input = Input::Ended,
            Some(byte) => {
                *place = byte;
                count += 1;
                continue;
            }
            None => {}
        }
        break;
    }
    link.received(count);
    critical_section::with(|_| {
        if queue.ready() || count > 0 || input == Input::Ended {
            return;
        }
        if HAS_LOST.swap(false, Ordering::Relaxed) {
            link.lost();
        } else {
            // Interrupts are masked: one that is pending ends the wait, and is handled behind this block.
            cortex_m::asm::wfi();
        }
    });
    input
}
