//! A stream, and the buffers of a link.

use core::convert::Infallible;
use core::future::poll_fn;
use core::hint::black_box;
use core::task::Poll;

use crate::{keep, memory};

/// The caller's buffers, for input and output.
static mut BUFFERS: [(*mut u8, usize); 2] = [(core::ptr::null_mut(), 0); 2];

/// Sets the caller's buffers.
///
/// # Safety
/// As [`memory`], for both; not while a link uses the buffers of before.
pub const unsafe fn set_buffers(input: (*mut u8, usize), output: (*mut u8, usize)) {
    // SAFETY: by the caller's promise.
    unsafe { BUFFERS = [input, output] };
}

/// One of the caller's buffers: 0 is the input, 1 the output.
#[derive(Debug)]
pub struct Buffer<const PLACE: usize>;

impl<const PLACE: usize> AsRef<[u8]> for Buffer<PLACE> {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: by the caller of `set_buffers`.
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
#[derive(Debug)]
pub struct Wire;

impl embedded_io::ErrorType for Wire {
    type Error = Infallible;
}

impl embedded_io::Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Infallible> {
        keep(buffer.as_mut_ptr());
        Ok(black_box(buffer.len()))
    }
}

impl embedded_io::Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        keep(bytes.as_ptr());
        Ok(black_box(bytes.len()))
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Waits for something that happens outside.
pub(crate) async fn event() {
    poll_fn(|_| if black_box(true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

impl embedded_io_async::Read for Wire {
    async fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Infallible> {
        event().await;
        embedded_io::Read::read(self, buffer)
    }
}

impl embedded_io_async::Write for Wire {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        event().await;
        embedded_io::Write::write(self, bytes)
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// A stream with these lines, for one run. What is written to it is dropped.
#[derive(Debug)]
pub struct Script<'a>(pub &'a [u8]);

impl embedded_io::ErrorType for Script<'_> {
    type Error = Infallible;
}

impl embedded_io_async::Read for Script<'_> {
    async fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Infallible> {
        let count = buffer.len().min(self.0.len());
        if let Some(((read, rest), buffer)) = self.0.split_at_checked(count).zip(buffer.get_mut(..count)) {
            buffer.copy_from_slice(read);
            self.0 = rest;
        }
        Ok(count)
    }
}

impl embedded_io_async::Write for Script<'_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        keep(bytes.as_ptr());
        Ok(bytes.len())
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
