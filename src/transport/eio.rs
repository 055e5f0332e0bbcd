//! The blocking loop over `embedded-io`.

use embedded_io_v0_7::{ErrorType, Read, Write};

use super::Link;
use crate::engine::{Handler, Storage};

impl<A, B, O, S> Link<A, B, O, S>
where
    A: Handler,
    B: AsRef<[u8]> + AsMut<[u8]>,
    O: AsRef<[u8]> + AsMut<[u8]>,
    S: Storage,
{
    /// Serves `io` until its input ends. Output is flushed before each read, which may block.
    ///
    /// ```
    /// # use barewire::demo::{Demo, NoHost};
    /// # use barewire::transport::Link;
    /// # use embedded_io_v0_7::{ErrorKind, ErrorType, Read, Write};
    /// # struct Uart { reads: Vec<Result<&'static [u8], ErrorKind>>, sent: Vec<u8> }
    /// # impl ErrorType for Uart { type Error = ErrorKind; }
    /// # impl Read for Uart {
    /// #     fn read(&mut self, memory: &mut [u8]) -> Result<usize, ErrorKind> {
    /// #         let bytes = if self.reads.is_empty() { &[] } else { self.reads.remove(0)? };
    /// #         memory[..bytes.len()].copy_from_slice(bytes);
    /// #         Ok(bytes.len())
    /// #     }
    /// # }
    /// # impl Write for Uart {
    /// #     fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> { self.sent.extend(bytes); Ok(bytes.len()) }
    /// #     fn flush(&mut self) -> Result<(), ErrorKind> { Ok(()) }
    /// # }
    /// # let mut uart = Uart {
    /// #     reads: vec![Ok(b"{\"jsonrpc\":\"2.0\",\"id\":1,"), Err(ErrorKind::Other), Ok(b"ping\"}\n"),
    /// #         Ok(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n")],
    /// #     sent: Vec::new(),
    /// # };
    /// let mut link = Link::new(Demo::new(NoHost), [0; 256], [0; 256]);
    /// // An error of this UART means that it has lost bytes: the line that they belong to is dropped.
    /// while let Err(_overrun) = link.run(&mut uart) {
    ///     link.lost();
    /// }
    /// # assert_eq!(uart.sent, b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
    /// ```
    ///
    /// # Errors
    /// An error of `io`. The link keeps its state: unsent output is sent when the loop is run again. If the error means that bytes were
    /// lost, call [`lost`](Link::lost) first.
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
