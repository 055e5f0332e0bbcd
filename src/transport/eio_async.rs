//! The asynchronous loop over `embedded-io-async`.

use embedded_io_async_v0_7::{ErrorType, Read, Write};

use super::Link;
use crate::engine::{Handler, Storage};

impl<A, B, O, S> Link<A, B, O, S>
where
    A: Handler,
    B: AsRef<[u8]> + AsMut<[u8]>,
    O: AsRef<[u8]> + AsMut<[u8]>,
    S: Storage,
{
    /// Serves `io` until its input ends. Output is flushed before each read.
    ///
    /// The future may be dropped at any await and a new one started: nothing is lost or sent twice, if `io` itself keeps
    /// its bytes when a read or a write of it is dropped. So a task that has to write something else waits for that event and for this
    /// future at the same time, and drops the future:
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
    ///     // `select` belongs to the executor's library.
    ///     while let Either::Second = select(link.run_async(uart), door_opens()).await {
    ///         // Does nothing while there is output to send, which the next future sends.
    ///         link.write(|server, app, out| {
    ///             let _ = server.log(0, LoggingLevel::Warning, None, "the door is open", app, out);
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
