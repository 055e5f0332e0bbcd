//! A server on the standard input and output of its process (MCP transports, stdio).

mod clock;
mod connection;
#[cfg(test)]
mod tests;

use core::ops::DerefMut;
use core::time::Duration;
use std::boxed::Box;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Weak};

use self::clock::Clock;
use self::connection::Connection;
use super::jobs::JobQueue;
use super::serving::Serving;
use super::{Ready, threads};
use crate::engine::{Handler, Parts, Server};

/// How much a line may have, and how long calls in flight may take at the end.
///
/// ```
/// use barewire::transport::Limits;
/// use std::time::Duration;
///
/// /// Small lines, and no patience at the end.
/// const TIGHT: Limits = Limits { max_input: 64 << 10, max_output: 64 << 10, drain: Duration::ZERO };
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest line that is read, its newline not counted.
    pub max_input: usize,
    /// The longest line that is written; less than [`Server::MIN_OUTPUT`] counts as that.
    pub max_output: usize,
    /// How long the calls in flight may take at the end of the input.
    pub drain: Duration,
}

impl Limits {
    /// 16 MiB each way, 10 seconds. Memory is only used as far as lines are long.
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

/// The loop of a server on stdio: reads lines, lets the server answer, writes whole lines and nothing else.
///
/// What was written is flushed before each read that may block. At the end of the input a last line without its newline
/// is still served, questions to the client are given up, calls in flight finish (within [`Limits::drain`]), and
/// streams end with their response. When the client closes its end of the output, the loop ends quietly: at the next
/// answer that it writes, or, if a thread failed to write, with the next bytes that come in.
///
/// A panic of the application fails only the call, the task or the event that it was handling: a call is answered with
/// an internal error (-32603), and the server goes on. The panic's message goes to standard error, as always. (A
/// program built with `panic = "abort"` ends.) Deadlines depend on the monotonic clock, and the process sleeps until
/// one is due.
#[derive(Debug)]
pub struct Stdio {
    limits: Limits,
    jobs: Option<(JobQueue, usize)>,
    time_of_day: fn() -> Duration,
}

impl Stdio {
    /// With the default limits, without threads beside the loop.
    pub const fn new() -> Self {
        Self {
            limits: Limits::DEFAULT,
            jobs: None,
            time_of_day: clock::time_of_day,
        }
    }

    /// With these limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// With this number of threads for the work of `queue`.
    pub fn with_jobs(self, queue: JobQueue, threads: usize) -> Self {
        Self {
            jobs: Some((queue, threads)),
            ..self
        }
    }

    /// Serves the standard input and output of the process until the input ends. Non-blocking pipes are waited for
    /// ([`Ready`]).
    ///
    /// # Errors
    /// Reading or writing failed, or a thread could not be started. A closed output is not an error.
    pub fn serve<
        H,
        P,
        const CALLS: usize,
        const SUBSCRIPTIONS: usize,
        const ID: usize,
        const TEXT: usize,
        const TASKS: usize,
    >(
        self,
        server: Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>,
    ) -> io::Result<()>
    where
        H: Handler + Send + 'static,
        P: Parts + 'static,
    {
        self.serve_in_place(Box::new(server))
    }

    /// [`serve`](Stdio::serve) with a server that stays where it is: in a `Box`, or in a `static` as a `&'static mut`.
    ///
    /// A server with large tables does not fit on the stack of a thread: make it in a `static`, and never move it.
    ///
    /// # Errors
    /// As [`serve`](Stdio::serve).
    pub fn serve_in_place<
        S,
        H,
        P,
        const CALLS: usize,
        const SUBSCRIPTIONS: usize,
        const ID: usize,
        const TEXT: usize,
        const TASKS: usize,
    >(
        self,
        server: S,
    ) -> io::Result<()>
    where
        S: DerefMut<Target = Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>> + Send + 'static,
        H: Handler + 'static,
        P: Parts + 'static,
    {
        // Not the standard library's own buffered output: that one flushes at each newline.
        let output = BufWriter::with_capacity(1 << 16, Ready::new(RawStdout(io::stdout())));
        self.run(server, &mut Ready::new(io::stdin().lock()), output)
    }

    /// [`serve`](Stdio::serve) over any input and output. Both must block: wrap a stream that may be set non-blocking
    /// in [`Ready`].
    ///
    /// # Errors
    /// As [`serve`](Stdio::serve).
    pub fn serve_on<
        H,
        W,
        P,
        const CALLS: usize,
        const SUBSCRIPTIONS: usize,
        const ID: usize,
        const TEXT: usize,
        const TASKS: usize,
    >(
        self,
        server: Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>,
        mut input: impl Read,
        output: W,
    ) -> io::Result<()>
    where
        H: Handler + Send + 'static,
        P: Parts + 'static,
        W: Write + Send + 'static,
    {
        self.run(Box::new(server), &mut input, output)
    }

    fn run<
        S,
        H,
        W,
        P,
        const CALLS: usize,
        const SUBSCRIPTIONS: usize,
        const ID: usize,
        const TEXT: usize,
        const TASKS: usize,
    >(
        self,
        server: S,
        input: &mut impl Read,
        output: W,
    ) -> io::Result<()>
    where
        S: DerefMut<Target = Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>> + Send + 'static,
        H: Handler + 'static,
        P: Parts + 'static,
        W: Write + Send + 'static,
    {
        let changes = self.jobs.as_ref().map(|(queue, _)| queue.changes());
        let backlog = self.jobs.as_ref().map(|(queue, _)| queue.backlog());
        // Some answer must fit.
        let least = Server::<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>::MIN_OUTPUT;
        let connection = Arc::new(Connection::new(
            server,
            output,
            self.limits.max_output.max(least),
            Clock::new(self.time_of_day),
            changes.unwrap_or_default(),
            backlog.unwrap_or_default(),
        ));
        if let Some((queue, threads)) = self.jobs {
            let link: Weak<dyn Serving> = Arc::<Connection<_, _>>::downgrade(&connection);
            queue.start(&link, threads)?;
        }
        let time = Arc::clone(&connection);
        let keeper = threads::spawn(move || time.keep_time())?;
        let outcome = connection
            .read_all(input, self.limits.max_input)
            .and_then(|()| connection.drain(self.limits.drain));
        connection.close();
        // The thread ends at once, and the server may be dropped with it.
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
