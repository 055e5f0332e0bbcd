//! The blocking loop over `embedded-io`.

use embedded_io_v0_7::{ErrorType, Read, Write};

use super::Link;
use crate::engine::{Handler, Parts};

impl<
    H,
    B,
    O,
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const ID: usize,
    const TEXT: usize,
    const TASKS: usize,
> Link<H, B, O, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>
where
    H: Handler,
    B: AsRef<[u8]> + AsMut<[u8]>,
    O: AsRef<[u8]> + AsMut<[u8]>,
{
    /// Serves `io` until its input ends. Output is flushed before each read, which may block.
    ///
    /// # Errors
    /// Of `io`. The link keeps its state: what was not sent is sent when the loop is run again.
    pub fn run<T: Read + Write>(&mut self, io: &mut T) -> Result<(), <T as ErrorType>::Error> {
        loop {
            self.send(io)?;
            let count = io.read(self.space())?;
            if count == 0 {
                self.end_of_input();
                return self.send(io);
            }
            self.received(count);
        }
    }

    fn send<T: Read + Write>(&mut self, io: &mut T) -> Result<(), <T as ErrorType>::Error> {
        loop {
            let output = self.output();
            if output.is_empty() {
                return io.flush();
            }
            let count = io.write(output)?;
            self.sent(count);
        }
    }
}
