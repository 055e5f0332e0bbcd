//! Lines that are written and not sent yet.

use embedded_io_async_v0_7::{ErrorType, Write};

use crate::bytes::Sink;

/// Place of the unsent lines in the output.
#[derive(Debug)]
pub(super) struct Unsent {
    start: usize,
    end: usize,
}

impl Unsent {
    pub(super) const NOTHING: Self = Self { start: 0, end: 0 };
}

/// The output of a link.
pub(super) struct Outgoing<'a> {
    pub(super) memory: &'a mut [u8],
    pub(super) unsent: &'a mut Unsent,
}

impl Outgoing<'_> {
    pub(super) const fn is_sent(&self) -> bool {
        self.unsent.start == self.unsent.end
    }

    /// Writes lines into the output, which is free.
    pub(super) fn write<R>(&mut self, write: impl FnOnce(&mut Sink<'_>) -> R) -> R {
        let mut out = Sink::new(self.memory);
        let result = write(&mut out);
        *self.unsent = Unsent { start: 0, end: out.finish().map_or(0, <[u8]>::len) };
        result
    }

    /// Sends what is not sent. May be dropped at any await: each byte is sent once.
    pub(super) async fn send<T: Write>(&mut self, io: &mut T) -> Result<(), <T as ErrorType>::Error> {
        if self.is_sent() {
            return Ok(());
        }
        while let Some(bytes) =
            self.memory.get(self.unsent.start..self.unsent.end).filter(|it| !it.is_empty())
        {
            let count = io.write(bytes).await?;
            self.unsent.start = self.unsent.start.saturating_add(count).min(self.unsent.end);
        }
        io.flush().await
    }
}
