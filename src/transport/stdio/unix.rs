//! The standard streams on Unix: the input is awaited with `poll`.

use core::time::Duration;
use std::io::{self, BufRead, ErrorKind, PipeReader, Read, StdinLock, Stdout, Write};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::bytes;
use crate::transport::inbox::Inbox;

/// The standard input of the process, and the pipe by which the inbox wakes the loop.
pub(super) struct PolledStdin {
    stdin: StdinLock<'static>,
    woken: PipeReader,
    /// The standard library may hold bytes that no `poll` reports, since the program may have read before it serves.
    is_ahead: bool,
}

impl PolledStdin {
    pub(super) fn new(inbox: &Inbox) -> io::Result<Self> {
        Ok(Self { stdin: io::stdin().lock(), woken: inbox.pipe()?, is_ahead: true })
    }

    /// Waits for bytes and reads them. `None` if `longest` has passed or something was left in the inbox.
    pub(super) fn receive(
        &mut self,
        room: &mut [u8],
        inbox: &Inbox,
        longest: Duration,
    ) -> io::Result<Option<usize>> {
        if !self.is_ahead && !self.wait(inbox, longest)? {
            return Ok(None);
        }
        match self.read(room) {
            // Another process may have read the bytes from the same pipe.
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            outcome => outcome.map(Some),
        }
    }

    fn wait(&mut self, inbox: &Inbox, longest: Duration) -> io::Result<bool> {
        let mut ends = [PollFd::new(&self.stdin, PollFlags::IN), PollFd::new(&self.woken, PollFlags::IN)];
        inbox.poll(longest, |longest| {
            let longest = Timespec::try_from(longest).ok();
            poll(&mut ends, longest.as_ref())
        })?;
        let [has_input, is_woken] = ends.map(|end| !end.revents().is_empty());
        if is_woken {
            let _ = self.woken.read(&mut [0])?;
        }
        Ok(has_input)
    }

    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if !core::mem::take(&mut self.is_ahead) {
            return Ok(rustix::io::read(&self.stdin, room)?);
        }
        let ahead = self.stdin.fill_buf()?;
        let count = ahead.len().min(room.len());
        bytes::copy(room, ahead);
        self.is_ahead = count < ahead.len();
        self.stdin.consume(count);
        Ok(count)
    }
}

/// The standard output of the process, unbuffered.
pub(super) struct RawStdout(pub(super) Stdout);

impl Write for RawStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(&self.0, bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for RawStdout {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
