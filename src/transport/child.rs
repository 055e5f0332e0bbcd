//! A client with the process of its server.

use core::fmt;
use core::ops::ControlFlow;
use core::time::Duration;
use std::io;
use std::process::{Command, ExitStatus};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use std::vec::Vec;

use super::Limits;
use super::process::{Interrupter, Process, Received, describe_exit};
use crate::bytes::{Framer, Next, Sink};
use crate::engine::client::{
    BoundClient, ClientEngine, ClientHandler, ClientStorage, Incoming, RequestError,
};

/// Time within which a server must read something once too many answers wait for it.
const STALL: Duration = Duration::from_secs(1);

/// Time within which a server must exit after closing its output.
const EXIT: Duration = Duration::from_millis(200);

/// Initial memory for lines; it grows with the longest line.
const FIRST_ROOM: usize = 1 << 16;

/// A client with its application and the process of its server: starts the process, carries the lines, keeps the time,
/// and ends the process.
///
/// ```no_run
/// use std::ops::ControlFlow;
/// use std::process::Command;
/// use std::time::Duration;
///
/// use barewire::engine::client::{ClientEngine, Incoming, Plain};
/// use barewire::mcp::Implementation;
/// use barewire::transport::Child;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = Plain(Implementation::new("probe", "1.0"));
/// let mut child = Child::spawn(&mut Command::new("some-server"), ClientEngine::new(), app)?;
/// child.write(|client, now, out| client.connect(now, out))?;
/// let version = child.run(|_, incoming, _, _| match incoming {
///     Incoming::Connected(server) => ControlFlow::Break(Some(server.version())),
///     Incoming::Incompatible(_) => ControlFlow::Break(None),
///     _ => ControlFlow::Continue(()),
/// });
/// println!("{version:?}"); // `None`: the server has ended
/// child.close(Duration::from_secs(2))?;
/// # Ok(())
/// # }
/// ```
pub struct Child<S: ClientStorage, H: ClientHandler> {
    engine: ClientEngine<S>,
    app: H,
    process: Process,
    framer: Framer<Vec<u8>>,
    /// Received bytes that are not in the framer yet.
    received: Vec<u8>,
    taken: usize,
    /// Lines of one call of the engine.
    line: Vec<u8>,
    max_input: usize,
    max_output: usize,
    /// Time of day at the start; the monotonic clock is added to it.
    epoch: Duration,
    start: Instant,
    /// Time during which the clock stood still.
    held: Duration,
    end: Option<ChildEnd>,
}

/// Reason why a [`Child`] receives nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChildEnd {
    /// The server has exited.
    Exited(ExitStatus),
    /// The server has closed its output but still runs.
    OutputClosed,
    /// The server sends requests and does not read the responses: more than 4 MiB of them are waiting.
    Unread,
    /// The [`Interrupter`] was called.
    Interrupted,
}

impl fmt::Display for ChildEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(status) => write!(f, "the server {}", describe_exit(*status)),
            Self::OutputClosed => f.write_str("the server has closed its output"),
            Self::Unread => f.write_str("the server sends requests and does not read the responses"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl<S: ClientStorage, H: ClientHandler> fmt::Debug for Child<S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child").field("end", &self.end).finish_non_exhaustive()
    }
}

impl<S: ClientStorage, H: ClientHandler> Child<S, H> {
    /// Starts the process, with its input and output connected to the client. Its standard error is as set in
    /// `command`, and inherited by default.
    ///
    /// # Errors
    /// The process or a thread cannot be started.
    pub fn spawn(command: &mut Command, engine: ClientEngine<S>, app: H) -> io::Result<Self> {
        Self::spawn_with(command, engine, app, &Limits::DEFAULT)
    }

    /// [`spawn`](Child::spawn) with limits for the lines. (`drain` only concerns servers.)
    ///
    /// # Errors
    /// As [`spawn`](Child::spawn).
    pub fn spawn_with(
        command: &mut Command,
        engine: ClientEngine<S>,
        app: H,
        limits: &Limits,
    ) -> io::Result<Self> {
        // Allocated before the process starts, so that no process is left running if there is no memory.
        let framer = Framer::new(std::vec![0; limits.max_input.saturating_add(1).min(FIRST_ROOM)]);
        Ok(Self {
            engine,
            app,
            process: Process::spawn(command)?,
            framer,
            max_input: limits.max_input,
            received: Vec::new(),
            taken: 0,
            line: Vec::new(),
            max_output: limits.max_output,
            epoch: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
            start: Instant::now(),
            held: Duration::ZERO,
            end: None,
        })
    }

    /// The client engine.
    pub const fn client(&self) -> &ClientEngine<S> {
        &self.engine
    }

    /// The client engine with its application.
    pub const fn client_mut(&mut self) -> BoundClient<'_, S, H> {
        self.engine.bind(&mut self.app)
    }

    /// Current time for calls of the client: since 1970, and never set back.
    pub fn now(&self) -> Duration {
        self.epoch.saturating_add(self.start.elapsed().saturating_sub(self.held))
    }

    /// Sets the clock back by `time`, so that it counts towards no timeout: a time in which the application has worked, and
    /// in which there was no other call of the client.
    pub(crate) fn hold_clock(&mut self, time: Duration) {
        self.held = self.held.saturating_add(time);
    }

    /// Number of bytes that wait for the process to read what was sent before them.
    pub(crate) fn waiting(&self) -> usize {
        self.process.waiting()
    }

    /// Kills the process, and returns the application.
    pub(crate) fn into_app(self) -> H {
        self.app
    }

    /// Calls `write` with the client, the time and the output, and sends the output.
    ///
    /// # Errors
    /// Those of `write`. If the process does not read, its output ends or the request times out.
    pub fn write<R>(
        &mut self,
        write: impl FnOnce(&mut BoundClient<'_, S, H>, Duration, &mut Sink<'_>) -> Result<R, RequestError>,
    ) -> Result<R, RequestError> {
        let now = self.now();
        let mut out = Sink::growable(&mut self.line, self.max_output);
        let result = write(&mut self.engine.bind(&mut self.app), now, &mut out);
        self.process.send(out.finish().unwrap_or_default());
        result
    }

    /// Waits for messages and passes each event to `then`, with the client, the time and the output, until `then`
    /// breaks. Returns `None` when nothing more can come: [`end`](Child::end) has the reason, and [`ClientEngine::disconnect`]
    /// yields the requests that were in flight.
    ///
    /// Requests that time out are events too. While more than 4 MiB of responses wait for a server that does not read them,
    /// none of its messages are read.
    pub fn run<R>(
        &mut self,
        then: impl FnMut(
            &mut BoundClient<'_, S, H>,
            Incoming<'_, S::Context>,
            Duration,
            &mut Sink<'_>,
        ) -> ControlFlow<R>,
    ) -> Option<R> {
        self.run_until(None, then)
    }

    /// [`run`](Child::run) that also returns `None` at the time `until`; then there is no [`end`](Child::end).
    pub(crate) fn run_until<R>(
        &mut self,
        until: Option<Duration>,
        mut then: impl FnMut(
            &mut BoundClient<'_, S, H>,
            Incoming<'_, S::Context>,
            Duration,
            &mut Sink<'_>,
        ) -> ControlFlow<R>,
    ) -> Option<R> {
        self.carry(until, &mut |client, incoming, _, now, out| then(client, incoming, now, out))
    }

    /// [`run`](Child::run) that also passes the line of each event, without its newline, so that a program can show
    /// lines that are not messages. The line is empty for a timeout, and for a line longer than [`Limits::max_input`].
    pub fn run_with_lines<R>(
        &mut self,
        mut then: impl FnMut(
            &mut BoundClient<'_, S, H>,
            Incoming<'_, S::Context>,
            &[u8],
            Duration,
            &mut Sink<'_>,
        ) -> ControlFlow<R>,
    ) -> Option<R> {
        self.carry(None, &mut then)
    }

    fn carry<R>(
        &mut self,
        until: Option<Duration>,
        then: &mut impl FnMut(
            &mut BoundClient<'_, S, H>,
            Incoming<'_, S::Context>,
            &[u8],
            Duration,
            &mut Sink<'_>,
        ) -> ControlFlow<R>,
    ) -> Option<R> {
        loop {
            // Received lines come before timeouts.
            if let Some(found) = self.read(then) {
                return Some(found);
            }
            if self.end.is_some() {
                return None;
            }
            if let Some(found) = self.expire(then) {
                return Some(found);
            }
            if until.is_some_and(|until| until <= self.now()) {
                return None;
            }
            if self.process.is_full() && !self.process.is_interrupted() {
                if !self.process.reads_within(STALL) && self.process.is_full() {
                    self.end = Some(ChildEnd::Unread);
                }
                continue;
            }
            let now = self.now();
            let next = self.engine.next_deadline().into_iter().chain(until).min();
            let longest = next.map(|at| at.saturating_sub(now));
            match self.process.receive(longest) {
                Received::Bytes(bytes) => (self.received, self.taken) = (bytes, 0),
                Received::Silence => {}
                Received::Interrupted => self.end = Some(ChildEnd::Interrupted),
                Received::End => {
                    let status = self.process.tree().exit_within(EXIT);
                    self.end = Some(status.map_or(ChildEnd::OutputClosed, ChildEnd::Exited));
                }
            }
        }
    }

    /// Reason why [`run`](Child::run) returned `None`.
    pub const fn end(&self) -> Option<ChildEnd> {
        self.end
    }

    /// A handle that ends [`run`](Child::run) from another thread. Requests in flight can still be cancelled:
    /// [`write`](Child::write) and [`close`](Child::close) work as before.
    pub fn interrupter(&self) -> Interrupter {
        self.process.interrupter()
    }

    /// Reads the lines that were received.
    fn read<R>(
        &mut self,
        then: &mut impl FnMut(
            &mut BoundClient<'_, S, H>,
            Incoming<'_, S::Context>,
            &[u8],
            Duration,
            &mut Sink<'_>,
        ) -> ControlFlow<R>,
    ) -> Option<R> {
        loop {
            let now = self.now();
            let mut next = match self.engine.has_more() {
                true => self.framer.again(),
                false => {
                    self.framer.grow(self.max_input.saturating_add(1));
                    self.framer.next()
                }
            };
            if next == Next::NeedMore {
                let rest = self.received.get(self.taken..).unwrap_or_default();
                if !rest.is_empty() {
                    let taken = self.framer.push(rest);
                    self.taken = self.taken.saturating_add(taken);
                    continue;
                }
                if !matches!(self.end, Some(ChildEnd::Exited(_) | ChildEnd::OutputClosed)) {
                    return None;
                }
                // A last line without its newline.
                next = self.framer.finish();
            }
            let mut out = Sink::growable(&mut self.line, self.max_output);
            let line = match next {
                Next::Line(line) => line,
                _ => &[],
            };
            let mut client = self.engine.bind(&mut self.app);
            let incoming = client.receive(next, now, &mut out)?;
            let answers = out.len();
            let flow = then(&mut client, incoming, line, now, &mut out);
            self.process.send_answers(out.finish().unwrap_or_default(), answers);
            if let ControlFlow::Break(found) = flow {
                return Some(found);
            }
        }
    }

    fn expire<R>(
        &mut self,
        then: &mut impl FnMut(
            &mut BoundClient<'_, S, H>,
            Incoming<'_, S::Context>,
            &[u8],
            Duration,
            &mut Sink<'_>,
        ) -> ControlFlow<R>,
    ) -> Option<R> {
        loop {
            let now = self.now();
            let mut out = Sink::growable(&mut self.line, self.max_output);
            let mut client = self.engine.bind(&mut self.app);
            let incoming = client.expire(now, &mut out)?;
            let flow = then(&mut client, incoming, &[], now, &mut out);
            self.process.send(out.finish().unwrap_or_default());
            if let ControlFlow::Break(found) = flow {
                return Some(found);
            }
        }
    }

    /// Ends the server: closes its input and waits; then asks every process of its [tree](super::ProcessTree) to end
    /// (SIGTERM, where that exists) and waits; then kills them. Each wait takes at most `grace`. A child that is
    /// dropped is killed at once.
    ///
    /// # Errors
    /// Waiting for the process failed.
    pub fn close(mut self, grace: Duration) -> io::Result<ExitStatus> {
        self.process.close(grace)
    }
}
