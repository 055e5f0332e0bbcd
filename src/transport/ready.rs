//! Streams that wait until their descriptor is ready, even if it is non-blocking.

#[cfg(unix)]
use std::io::ErrorKind;
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};

#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, poll};

/// A stream that waits until its descriptor is ready, instead of failing with
/// [`WouldBlock`](std::io::ErrorKind::WouldBlock).
///
/// `O_NONBLOCK` belongs to the open pipe, not to one process: the parent, or any other process that shares the pipe,
/// can set it at any time. A read or write then fails where it would have waited, and [`write_all`](Write::write_all)
/// loses the rest of its bytes. A call that was interrupted by a signal is repeated too.
///
/// [`Stdio::serve`](super::Stdio::serve) and [`Child`](super::Child) wrap their pipes in it. On Windows every call is
/// passed on unchanged.
///
/// ```
/// use std::io::{self, Write};
///
/// use barewire::transport::Ready;
///
/// # fn main() -> io::Result<()> {
/// let mut output = Ready::new(io::stdout().lock());
/// output.write_all(b"a line that is never cut\n")?;
/// output.flush()
/// # }
/// ```
#[derive(Debug)]
pub struct Ready<T>(T);

impl<T> Ready<T> {
    /// Wraps a stream.
    pub const fn new(stream: T) -> Self {
        Self(stream)
    }
}

#[cfg(unix)]
impl<T: AsFd> Ready<T> {
    fn retry<R>(
        &mut self,
        wanted: PollFlags,
        mut call: impl FnMut(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        loop {
            match call(&mut self.0) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => wait(self.0.as_fd(), wanted)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

#[cfg(unix)]
impl<T: Read + AsFd> Read for Ready<T> {
    fn read(&mut self, memory: &mut [u8]) -> io::Result<usize> {
        self.retry(PollFlags::IN, |stream| stream.read(memory))
    }
}

#[cfg(unix)]
impl<T: Write + AsFd> Write for Ready<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.retry(PollFlags::OUT, |stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.retry(PollFlags::OUT, T::flush)
    }
}

/// Waits without a limit; the next call sees whatever the other side has done.
#[cfg(unix)]
fn wait(descriptor: BorrowedFd<'_>, wanted: PollFlags) -> io::Result<()> {
    match poll(&mut [PollFd::from_borrowed_fd(descriptor, wanted)], None) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
impl<T: Read> Read for Ready<T> {
    fn read(&mut self, memory: &mut [u8]) -> io::Result<usize> {
        self.0.read(memory)
    }
}

#[cfg(not(unix))]
impl<T: Write> Write for Ready<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use core::time::Duration;
    use std::io::{self, BufWriter, Read, Write};
    use std::os::fd::AsFd;
    use std::thread;
    use std::vec::Vec;

    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    use super::Ready;

    fn set_non_blocking(stream: &impl AsFd) {
        let flags = fcntl_getfl(stream).unwrap();
        fcntl_setfl(stream, flags | OFlags::NONBLOCK).unwrap();
    }

    /// More than a pipe holds, and no byte like its neighbours.
    fn bytes() -> Vec<u8> {
        (0..1_000_000_u32).map(|n| n.to_le_bytes()[(n % 3) as usize]).collect()
    }

    #[test]
    fn a_writer_waits_for_a_slow_reader() {
        let (mut reader, writer) = io::pipe().unwrap();
        set_non_blocking(&writer);
        let writing = thread::spawn(move || {
            let mut writer = BufWriter::with_capacity(1 << 16, Ready::new(writer));
            writer.write_all(&bytes()).unwrap();
            writer.flush().unwrap();
        });
        thread::sleep(Duration::from_millis(20));
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        writing.join().unwrap();
        assert!(read == bytes(), "{} bytes", read.len());
    }

    #[test]
    fn a_reader_waits_for_a_slow_writer() {
        let (reader, mut writer) = io::pipe().unwrap();
        set_non_blocking(&reader);
        let writing = thread::spawn(move || {
            for piece in bytes().chunks(200_000) {
                thread::sleep(Duration::from_millis(2));
                writer.write_all(piece).unwrap();
            }
        });
        let mut read = Vec::new();
        Ready::new(reader).read_to_end(&mut read).unwrap();
        writing.join().unwrap();
        assert!(read == bytes(), "{} bytes", read.len());
    }

    #[test]
    fn a_closed_end_is_an_error_and_not_a_wait() {
        let (reader, writer) = io::pipe().unwrap();
        set_non_blocking(&writer);
        let mut writer = Ready::new(writer);
        let writing = thread::spawn(move || writer.write_all(&bytes()));
        thread::sleep(Duration::from_millis(20));
        drop(reader);
        let error = writing.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
