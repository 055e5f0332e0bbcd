//! What every UART of the examples shares.

use core::convert::Infallible;

use embedded_io::{ErrorType, Read, Write};

/// Ends the input: the script that starts the emulator sends it when its own input ends. On a device there is no end.
pub const END_OF_TRANSMISSION: u8 = 4;

/// The registers of a UART.
pub trait Port {
    /// The next byte that was received, if there is one.
    fn take(&mut self) -> Option<u8>;

    /// Sends a byte, once there is room for it.
    fn put(&mut self, byte: u8);

    /// Sleeps until a byte was received; not at all if that was since the last [`take`](Port::take).
    fn sleep(&mut self);
}

/// A UART as a stream of `embedded-io`: a read waits for the first byte and takes what has come with it.
#[derive(Debug)]
pub struct Wire<P> {
    port: P,
    has_ended: bool,
}

impl<P: Port> Wire<P> {
    /// The stream of this UART.
    pub const fn new(port: P) -> Self {
        Self { port, has_ended: false }
    }
}

impl<P> ErrorType for Wire<P> {
    type Error = Infallible;
}

impl<P: Port> Read for Wire<P> {
    fn read(&mut self, memory: &mut [u8]) -> Result<usize, Infallible> {
        let mut count = 0;
        while !self.has_ended
            && let Some(place) = memory.get_mut(count)
        {
            match self.port.take() {
                Some(END_OF_TRANSMISSION) => self.has_ended = true,
                Some(byte) => {
                    *place = byte;
                    count += 1;
                }
                None if count > 0 => break,
                None => self.port.sleep(),
            }
        }
        Ok(count)
    }
}

impl<P: Port> Write for Wire<P> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        for byte in bytes {
            self.port.put(*byte);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
