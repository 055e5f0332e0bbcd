//! A server on the standard input and output of its process (MCP transports, stdio).

mod event_loop;
mod limits;
#[cfg(test)]
mod tests;
#[cfg(unix)]
mod unix;

use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::panic::{catch_unwind, resume_unwind};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};
use std::vec::Vec;

use self::event_loop::{EventLoop, Lines};
pub use self::limits::Limits;
#[cfg(unix)]
use self::unix::{PolledStdin, RawStdout};
use super::{JobHost, JobQueue, Ready, faults, jobs, threads};
use crate::bytes::Framer;
use crate::engine::{Handler, Heap, Options, Server, Storage};

/// Loop of a server on stdio: it reads lines, lets the server answer, and writes only whole lines.
///
/// One loop has the server, the application and the output; it sleeps until input, a call of a thread of the pool, or a deadline. Output is
/// flushed before each sleep. At the end of the input a last line without its newline is served, input requests time out, calls in
/// flight may finish (within [`Limits::drain`]), and subscription streams end with their response. When the client closes its
/// end of the output, the loop ends without an error at the next line that it writes.
///
/// A panic of the application fails only the call, the task or the event that it was handling: a call is answered with an internal error
/// (-32603), and the server continues. The panic's message goes to standard error, as always. (A program built with `panic = "abort"`
/// ends.) Deadlines depend on the monotonic clock.
///
/// Other faults of the application are printed to standard error too: a rule that the handler broke, equal names in a table, an answer that
/// does not fit, progress that does not increase, an answer to a call that is answered already. Of many faults some are only counted.
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

impl<S: Storage + Send> Stdio<S> {
    /// A loop of this server, with its storage and options.
    pub const fn with_server(server: Server<S>) -> Self {
        Self { server, limits: Limits::DEFAULT, jobs: None, time_of_day }
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
        Self { jobs: Some((queue, threads.max(1))), ..self }
    }

    /// Starts the threads of the pool.
    fn start<A: Handler, W: Write>(self, app: A, output: W) -> io::Result<EventLoop<A, S, W>> {
        faults::check_tables(&app);
        let (queue, threads) = self.jobs.unwrap_or_else(|| (jobs().1, 0));
        let jobs = JobHost::start(queue, threads)?;
        Ok(EventLoop::new(jobs, self.server, app, output, self.limits, self.time_of_day))
    }

    /// Serves the standard input and output of the process until the input ends. Pipes may be non-blocking (see [`Ready`]).
    ///
    /// On Unix the loop runs on the calling thread; elsewhere as with [`serve_on`](Stdio::serve_on).
    ///
    /// # Errors
    /// Reading or writing failed, or a thread could not be started. A closed output is not an error.
    pub fn serve<A: Handler + Send>(self, app: A) -> io::Result<()> {
        #[cfg(unix)]
        {
            let output = BufWriter::with_capacity(1 << 16, Ready::new(RawStdout(io::stdout())));
            let mut serving = self.start(app, output)?;
            let inbox = Arc::clone(serving.inbox());
            let mut input = PolledStdin::new(&inbox)?;
            unless_closed(serving.run(|lines, longest| input.receive(lines.space(), &inbox, longest)))
        }
        #[cfg(not(unix))]
        {
            // The buffer of the standard library is flushed at each newline.
            let output = BufWriter::with_capacity(1 << 16, Ready::new(io::stdout()));
            self.serve_on(app, io::stdin().lock(), output)
        }
    }

    /// [`serve`](Stdio::serve) over any input and output. Both must block: wrap a stream that may be set non-blocking in [`Ready`].
    ///
    /// The calling thread reads, and the loop runs on a thread of its own. When the loop ends first, this function returns after the read that
    /// was waiting.
    ///
    /// # Errors
    /// As [`serve`](Stdio::serve).
    pub fn serve_on<A, W>(self, app: A, mut input: impl Read, output: W) -> io::Result<()>
    where
        A: Handler + Send,
        W: Write + Send,
    {
        let mut serving = self.start(app, output)?;
        let inbox = &*Arc::clone(serving.inbox());
        // The reader borrows the framer of the loop, so that no bytes are copied.
        let (to_reader, framers) = mpsc::sync_channel::<Lines>(1);
        let (to_loop, reads) = mpsc::sync_channel(1);
        let mut is_lent = false;
        let receive = move |lines: &mut Lines, longest: Duration| {
            if !is_lent {
                let lent = core::mem::replace(lines, Framer::new(Vec::new()));
                is_lent = to_reader.send(lent).is_ok();
            }
            inbox.wait(longest);
            let Ok((returned, outcome)) = reads.try_recv() else {
                return Ok(None);
            };
            (*lines, is_lent) = (returned, false);
            io::Result::map(outcome, Some)
        };
        thread::scope(|scope| {
            let serving = thread::Builder::new()
                .spawn_scoped(scope, move || unless_closed(serving.run(receive)))
                .map_err(threads::in_words)?;
            for mut lines in framers {
                let outcome = catch_unwind(AssertUnwindSafe(|| input.read(lines.space())));
                let outcome = outcome.unwrap_or_else(|_| Err(io::Error::other("the input has panicked")));
                if to_loop.send((lines, outcome)).is_err() {
                    break;
                }
                inbox.wake();
            }
            serving.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }
}

/// The outcome of a loop. A closed output is not an error.
fn unless_closed(outcome: io::Result<()>) -> io::Result<()> {
    outcome.or_else(|error| match error.kind() {
        ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    })
}

/// Time since 1970-01-01T00:00:00Z by the clock of the system.
fn time_of_day() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

impl Default for Stdio {
    fn default() -> Self {
        Self::new()
    }
}
