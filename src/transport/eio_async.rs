//! The asynchronous loop over `embedded-io-async`.

use embedded_io_async_v0_7::{ErrorType, Read, Write};

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
    /// Serves `io` until its input ends. Output is flushed before each read.
    ///
    /// The future may be dropped at any await and a new one started: nothing is lost or sent twice, if `io` itself keeps
    /// its bytes when a read or a write of it is dropped.
    ///
    /// # Errors
    /// Of `io`. The link keeps its state.
    pub async fn run_async<T: Read + Write>(&mut self, io: &mut T) -> Result<(), <T as ErrorType>::Error> {
        loop {
            self.send_async(io).await?;
            let count = io.read(self.space()).await?;
            if count == 0 {
                self.end_of_input();
                return self.send_async(io).await;
            }
            self.received(count);
        }
    }

    async fn send_async<T: Read + Write>(&mut self, io: &mut T) -> Result<(), <T as ErrorType>::Error> {
        loop {
            let output = self.output();
            if output.is_empty() {
                return io.flush().await;
            }
            let count = io.write(output).await?;
            self.sent(count);
        }
    }
}
