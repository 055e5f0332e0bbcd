//! A server on the standard input and output of its process (MCP transports, stdio).

mod clock;
mod connection;
#[cfg(test)]
mod tests;

use core::time::Duration;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Weak};

use self::clock::Clock;
use self::connection::Connection;
use super::jobs::JobQueue;
use super::serving::Serving;
use super::{Ready, threads};
use crate::engine::{Handler, Heap, MIN_OUTPUT, Options, Server, Storage};

/// Limits of the length of lines, and of the time for calls in flight at the end of the input.
///
/// ```
/// use barewire::transport::Limits;
/// use std::time::Duration;
///
/// /// Short lines, and no time for calls in flight at the end.
/// const TIGHT: Limits = Limits { max_input: 64 << 10, max_output: 64 << 10, drain: Duration::ZERO };
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest line that is read, its newline not counted.
    pub max_input: usize,
    /// The longest line that is written; less than [`MIN_OUTPUT`] counts as that.
    pub max_output: usize,
    /// Time that the calls in flight may take at the end of the input.
    pub drain: Duration,
}

impl Limits {
    /// 16 MiB each way, 10 seconds. Memory grows only as far as lines are long.
    pub const DEFAULT: Self = Self {
        max_input: 16 << 20,
        max_output: 16 << 20,
        drain: Duration::from_secs(10),
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Loop of a server on stdio: it reads lines, lets the server answer, and writes only whole lines.
///
/// Output is flushed before each read that may block. At the end of the input a last line without its newline is served, input requests
/// time out, calls in flight may finish (within [`Limits::drain`]), and subscription streams end with their response. When the
/// client closes its end of the output, the loop ends without an error: at the next answer that it writes, or, if a thread failed to
/// write, at the next bytes that it reads.
///
/// A panic of the application fails only the call, the task or the event that it was handling: a call is answered with an internal error
/// (-32603), and the server continues. The panic's message goes to standard error, as always. (A program built with `panic = "abort"`
/// ends.) Deadlines depend on the monotonic clock, and the process sleeps until one is due.
///
/// The storage is the [`Heap`] unless [`with_server`](Stdio::with_server) gives another.
#[derive(Debug)]
pub struct Stdio<S = Heap> {
    server: Server<S>,
    limits: Limits,
    jobs: Option<(JobQueue, usize)>,
    time_of_day: fn() -> Duration,
}

impl Stdio {
    /// A loop with the default limits and options, and without a pool of threads.
    pub const fn new() -> Self {
        Self::with_server(Server::with_storage(Heap::new()))
    }
}

impl<S: Storage + Send + 'static> Stdio<S> {
    /// A loop of this server, with its storage and options.
    pub const fn with_server(server: Server<S>) -> Self {
        Self {
            server,
            limits: Limits::DEFAULT,
            jobs: None,
            time_of_day: clock::time_of_day,
        }
    }

    /// The same with these options.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        *self.server.options_mut() = options;
        self
    }

    /// The same with these limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The same with this number of threads for the work of `queue`.
    #[must_use]
    pub fn with_jobs(self, queue: JobQueue, threads: usize) -> Self {
        Self {
            jobs: Some((queue, threads)),
            ..self
        }
    }

    /// Serves the standard input and output of the process until the input ends. Pipes may be non-blocking (see [`Ready`]).
    ///
    /// # Errors
    /// Reading or writing failed, or a thread could not be started. A closed output is not an error.
    pub fn serve<A: Handler + Send + 'static>(self, app: A) -> io::Result<()> {
        // The standard library's buffered output would flush at each newline.
        let output = BufWriter::with_capacity(1 << 16, Ready::new(RawStdout(io::stdout())));
        self.serve_on(app, Ready::new(io::stdin().lock()), output)
    }

    /// [`serve`](Stdio::serve) over any input and output. Both must block: wrap a stream that may be set non-blocking in [`Ready`].
    ///
    /// # Errors
    /// As [`serve`](Stdio::serve).
    pub fn serve_on<A, W>(self, app: A, mut input: impl Read, output: W) -> io::Result<()>
    where
        A: Handler + Send + 'static,
        W: Write + Send + 'static,
    {
        let changes = self.jobs.as_ref().map(|(queue, _)| queue.changes());
        let backlog = self.jobs.as_ref().map(|(queue, _)| queue.backlog());
        let connection = Arc::new(Connection::new(
            self.server,
            app,
            output,
            // At least an error must fit.
            self.limits.max_output.max(MIN_OUTPUT),
            Clock::new(self.time_of_day),
            changes.unwrap_or_default(),
            backlog.unwrap_or_default(),
        ));
        if let Some((queue, threads)) = self.jobs {
            let link: Weak<dyn Serving> = Arc::<Connection<_, _, _>>::downgrade(&connection);
            queue.start(&link, threads)?;
        }
        let time = Arc::clone(&connection);
        let keeper = threads::spawn(move || time.keep_time())?;
        let outcome = connection
            .read_all(&mut input, self.limits.max_input)
            .and_then(|()| connection.drain(self.limits.drain));
        connection.close();
        // The thread ends at once, and the application may be dropped with it.
        let _ = keeper.join();
        match outcome {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}

impl Default for Stdio {
    fn default() -> Self {
        Self::new()
    }
}

/// The process's standard output, unbuffered.
struct RawStdout(io::Stdout);

impl Write for RawStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().flush()
    }
}

#[cfg(unix)]
impl AsFd for RawStdout {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
