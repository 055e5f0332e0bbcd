//! A pipe from a process, which ends with the process at the latest.

use std::io::{self, Read};

#[cfg(unix)]
use std::io::{ErrorKind, PipeReader};
#[cfg(unix)]
use std::os::fd::AsFd;

#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Longest pause in the output that is waited for once the process has exited: a filter that it has started may still
/// pass on its last output.
#[cfg(unix)]
const LINGER: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// The standard output or standard error of a process.
///
/// The pipe ends when its last writer closes it. It also ends once the process has exited and nothing has come for 0.2
/// seconds, even if a process that it has left running holds the pipe open. Nothing that the process itself has written
/// is lost. (On Windows, the processes that it leaves running are ended 0.2 seconds after its exit, and the pipe with
/// them.)
#[derive(Debug)]
pub struct OutputPipe<R> {
    stream: R,
    /// Ends when the process exits.
    #[cfg(unix)]
    exit: PipeReader,
    #[cfg(unix)]
    has_exited: bool,
}

impl<R> OutputPipe<R> {
    #[cfg(unix)]
    pub(super) fn new(stream: R, exit: PipeReader) -> Self {
        Self { stream, exit, has_exited: false }
    }

    #[cfg(not(unix))]
    pub(super) fn new(stream: R) -> Self {
        Self { stream }
    }
}

#[cfg(unix)]
impl<R: Read + AsFd> Read for OutputPipe<R> {
    fn read(&mut self, memory: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut stream = [PollFd::new(&self.stream, PollFlags::IN)];
            let is_ready = if self.has_exited {
                if poll(&mut stream, Some(&LINGER))? == 0 {
                    return Ok(0);
                }
                true
            } else {
                let [stream] = stream;
                let mut both = [stream, PollFd::new(&self.exit, PollFlags::IN)];
                poll(&mut both, None)?;
                let [stream, exit] = both;
                self.has_exited = !exit.revents().is_empty();
                !stream.revents().is_empty()
            };
            if is_ready {
                match self.stream.read(memory) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    result => return result,
                }
            }
        }
    }
}

#[cfg(not(unix))]
impl<R: Read> Read for OutputPipe<R> {
    fn read(&mut self, memory: &mut [u8]) -> io::Result<usize> {
        self.stream.read(memory)
    }
}
