//! A server on the standard input and output of its process (MCP transports, stdio).

mod connection;
#[cfg(test)]
mod tests;

use core::time::Duration;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::sync::{Arc, Weak};
use std::thread;

use self::connection::Connection;
use super::jobs::JobQueue;
use super::serving::Serving;
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
/// is still served, questions to the client are given up, calls in flight finish (at most [`Limits::drain`]), streams end
/// with their response. When the client
/// closes its end of the output, the loop ends quietly: as soon as it is to write an answer, or, where it was a thread that
/// could not write, with the next bytes that come in.
#[derive(Debug, Default)]
pub struct Stdio {
    limits: Limits,
    jobs: Option<(JobQueue, usize)>,
}

impl Stdio {
    /// With the default limits, without threads beside the loop.
    pub const fn new() -> Self {
        Self {
            limits: Limits::DEFAULT,
            jobs: None,
        }
    }

    /// With these limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// With so many threads for the work of `queue`.
    pub fn with_jobs(self, queue: JobQueue, threads: usize) -> Self {
        Self {
            jobs: Some((queue, threads)),
            ..self
        }
    }

    /// Serves the standard input and output of the process until the input ends.
    ///
    /// # Errors
    /// Of reading and writing; a closed output is none.
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
        // Not the standard library's own buffered output: that one flushes at each newline.
        self.serve_on(
            server,
            io::stdin().lock(),
            BufWriter::with_capacity(1 << 16, RawStdout),
        )
    }

    /// Serves any input and output, as [`serve`](Stdio::serve).
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
        let changes = self.jobs.as_ref().map(|(queue, _)| queue.changes());
        let backlog = self.jobs.as_ref().map(|(queue, _)| queue.backlog());
        // Some answer must fit.
        let least = Server::<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>::MIN_OUTPUT;
        let connection = Arc::new(Connection::new(
            server,
            output,
            self.limits.max_output.max(least),
            changes.unwrap_or_default(),
            backlog.unwrap_or_default(),
        ));
        if let Some((queue, threads)) = self.jobs {
            let link: Weak<dyn Serving> = Arc::<Connection<_, _>>::downgrade(&connection);
            queue.start(&link, threads);
        }
        let clock: Weak<dyn Serving> = Arc::<Connection<_, _>>::downgrade(&connection);
        thread::spawn(move || {
            const SECOND: Duration = Duration::from_secs(1);
            while let Some(link) = clock.upgrade() {
                link.tick();
                drop(link);
                thread::sleep(SECOND);
            }
        });
        let outcome = connection
            .read_all(&mut input, self.limits.max_input)
            .and_then(|()| connection.drain(self.limits.drain));
        connection.close();
        match outcome {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}

/// The process's standard output, unbuffered.
struct RawStdout;

impl Write for RawStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stdout().lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().lock().flush()
    }
}
