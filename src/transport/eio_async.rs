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
    /// its bytes when a read or a write of it is dropped. So a task that has something to write of its own waits for that
    /// and for this future at a time, and drops the latter:
    ///
    /// ```
    /// # use barewire::demo::{Demo, NoHost};
    /// # use barewire::mcp::LoggingLevel;
    /// # use barewire::transport::Link;
    /// # use embedded_io_async_v0_7::{Read, Write};
    /// # type Device = Link<Demo<NoHost>, [u8; 256], [u8; 256]>;
    /// # enum Either { First, Second }
    /// # async fn select(_: impl Future, _: impl Future) -> Either { Either::First }
    /// # async fn door_opens() {}
    /// async fn serve(link: &mut Device, uart: &mut (impl Read + Write)) {
    ///     // `select` is of the executor's library.
    ///     while let Either::Second = select(link.run_async(uart), door_opens()).await {
    ///         // Nothing while an answer is on its way, which the next future sends.
    ///         link.write(|server, out| {
    ///             server.log(LoggingLevel::Warning, None, "the door is open", out);
    ///         });
    ///     }
    /// }
    /// ```
    ///
    /// The firmware in `examples/firmware/arm/src/bin/async.rs` does that.
    ///
    /// # Errors
    /// An error of `io`. The link keeps its state, as in the blocking loop.
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
