//! A server of both eras with one tool, which is asynchronous, and its loop over a stream.
#![no_std]
#![no_main]

use core::convert::Infallible;
use core::future::poll_fn;
use core::pin::pin;
use core::task::{Context, Poll, Waker};

use barewire::engine::{Fixed, Server, ToolsOnly};
use barewire::transport::AsyncLink;
use embedded_io_async::{ErrorType, Read, Write};
use footprint::{AsyncLamp, keep, memory};

type Lines = AsyncLink<AsyncLamp, Buffer<0>, Buffer<1>, Fixed<ToolsOnly, 1, 0, 0, 32>>;

static mut LINK: Lines =
    AsyncLink::with_server(Server::with_storage(Fixed::new()), AsyncLamp::OFF, Buffer, Buffer);
/// The caller's buffers, for input and output.
static mut BUFFERS: [(*mut u8, usize); 2] = [(core::ptr::null_mut(), 0); 2];

/// One of the caller's buffers.
struct Buffer<const PLACE: usize>;

impl<const PLACE: usize> AsRef<[u8]> for Buffer<PLACE> {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: by the caller of `entry`, who has set it.
        unsafe { memory(BUFFERS[PLACE].0, BUFFERS[PLACE].1) }
    }
}

impl<const PLACE: usize> AsMut<[u8]> for Buffer<PLACE> {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { memory(BUFFERS[PLACE].0, BUFFERS[PLACE].1) }
    }
}

/// A stream that is ready at times.
struct Wire;

impl ErrorType for Wire {
    type Error = Infallible;
}

/// Waits for something that happens outside.
async fn event() {
    poll_fn(|_| if core::hint::black_box(true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

impl Read for Wire {
    async fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Infallible> {
        event().await;
        keep(buffer.as_mut_ptr());
        Ok(core::hint::black_box(buffer.len()))
    }
}

impl Write for Wire {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        event().await;
        keep(bytes.as_ptr());
        Ok(core::hint::black_box(bytes.len()))
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// # Safety
/// As [`memory`], for both; never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *mut u8, length: usize, output: *mut u8, room: usize) {
    // SAFETY: by the caller's promise.
    let link = unsafe {
        BUFFERS = [(input, length), (output, room)];
        &mut *(&raw mut LINK)
    };
    let mut wire = Wire;
    let mut run = pin!(link.run_async(&mut wire));
    let mut context = Context::from_waker(Waker::noop());
    while run.as_mut().poll(&mut context).is_pending() {}
}
