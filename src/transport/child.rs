//! A client with the process of its server.

use core::ops::ControlFlow;
use core::time::Duration;
use std::io;
use std::process::{Command, ExitStatus};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use std::vec::Vec;

use super::Limits;
use super::process::{Output, Process};
use crate::bytes::{Framer, Next, Sink};
use crate::engine::Full;
use crate::engine::client::{Client, ClientHandler, ClientParts, IdSource, Incoming, RequestError};

/// So many bytes of answers may wait for a server in any case.
const LEAST_UNREAD: usize = 16 << 20;

/// Memory for lines at the start; it grows with the longest line.
const FIRST_ROOM: usize = 1 << 16;

/// A client and the process that it talks to: starts it, carries the lines, keeps the time, ends it.
///
/// ```no_run
/// use std::ops::ControlFlow;
/// use std::process::Command;
/// use std::time::Duration;
///
/// use barewire::engine::client::{Client, Incoming, Plain};
/// use barewire::mcp::Implementation;
/// use barewire::transport::Child;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let client: Client<Plain> = Client::new(Plain(Implementation::new("probe", "1.0")));
/// let mut child = Child::spawn(&mut Command::new("some-server"), client)?;
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
#[derive(Debug)]
pub struct Child<H: ClientHandler, C, const CALLS: usize, I: IdSource, P: ClientParts = Full> {
    client: Client<H, C, CALLS, I, P>,
    process: Process,
    framer: Framer<Vec<u8>>,
    /// What was received and is not in the framer yet.
    received: Vec<u8>,
    taken: usize,
    /// What one call of the engine wrote.
    line: Vec<u8>,
    max_input: usize,
    max_output: usize,
    /// The time of day at the start, and the clock from there on, which nobody sets.
    epoch: Duration,
    start: Instant,
    has_ended: bool,
}

impl<H: ClientHandler, C, const CALLS: usize, I: IdSource, P: ClientParts> Child<H, C, CALLS, I, P> {
    /// Starts the process, with its input and output connected to the client. Its standard error is as `command` has it:
    /// by default that of this program.
    ///
    /// # Errors
    /// Of starting it.
    pub fn spawn(command: &mut Command, client: Client<H, C, CALLS, I, P>) -> io::Result<Self> {
        Self::spawn_with(command, client, &Limits::DEFAULT)
    }

    /// [`spawn`](Child::spawn), with limits for the lines. (`drain` is a server's.)
    ///
    /// # Errors
    /// As [`spawn`](Child::spawn).
    pub fn spawn_with(
        command: &mut Command,
        client: Client<H, C, CALLS, I, P>,
        limits: &Limits,
    ) -> io::Result<Self> {
        Ok(Self {
            client,
            process: Process::spawn(command)?,
            framer: Framer::new(std::vec![0; limits.max_input.saturating_add(1).min(FIRST_ROOM)]),
            max_input: limits.max_input,
            received: Vec::new(),
            taken: 0,
            line: Vec::new(),
            max_output: limits.max_output,
            epoch: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
            start: Instant::now(),
            has_ended: false,
        })
    }

    /// The client.
    pub const fn client(&self) -> &Client<H, C, CALLS, I, P> {
        &self.client
    }

    /// The client.
    pub const fn client_mut(&mut self) -> &mut Client<H, C, CALLS, I, P> {
        &mut self.client
    }

    /// The time that the client's calls are given: since 1970, and never set back.
    pub fn now(&self) -> Duration {
        self.epoch.saturating_add(self.start.elapsed())
    }

    /// Lets the application write: the client, the time, where to.
    ///
    /// # Errors
    /// Those of `write`. That the process does not read shows when its output ends, or by a timeout.
    pub fn write<R>(
        &mut self,
        write: impl FnOnce(&mut Client<H, C, CALLS, I, P>, Duration, &mut Sink<'_>) -> Result<R, RequestError>,
    ) -> Result<R, RequestError> {
        let now = self.now();
        let mut out = Sink::growable(&mut self.line, self.max_output);
        let result = write(&mut self.client, now, &mut out);
        self.process.send(out.finish().unwrap_or_default(), 0);
        result
    }

    /// Waits for what comes, and gives each event to `then`, with the client, the time and where to write, until that
    /// breaks. `None` when the server's output has ended, or when the server asks and asks and does not read the answers
    /// (four times [`Limits::max_output`], and 16 MiB, wait for it): nothing comes any more, and [`Client::disconnect`]
    /// yields the requests that were in flight.
    ///
    /// Requests that time out are events too.
    pub fn run<R>(
        &mut self,
        mut then: impl FnMut(
            &mut Client<H, C, CALLS, I, P>,
            Incoming<'_, C>,
            Duration,
            &mut Sink<'_>,
        ) -> ControlFlow<R>,
    ) -> Option<R> {
        loop {
            // What was received comes before what did not come in time.
            if let Some(found) = self.read(&mut then) {
                return Some(found);
            }
            let most = self.max_output.saturating_mul(4).max(LEAST_UNREAD);
            self.has_ended |= self.process.is_deaf(most);
            if self.has_ended {
                return None;
            }
            if let Some(found) = self.expire(&mut then) {
                return Some(found);
            }
            let now = self.now();
            let longest = self.client.next_deadline().map(|at| at.saturating_sub(now));
            match self.process.receive(longest) {
                Output::Bytes(bytes) => (self.received, self.taken) = (bytes, 0),
                Output::Silence => {}
                Output::End => self.has_ended = true,
            }
        }
    }

    /// Reads the lines that were received.
    fn read<R>(
        &mut self,
        then: &mut impl FnMut(
            &mut Client<H, C, CALLS, I, P>,
            Incoming<'_, C>,
            Duration,
            &mut Sink<'_>,
        ) -> ControlFlow<R>,
    ) -> Option<R> {
        loop {
            let now = self.now();
            let mut next = match self.client.has_more() {
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
                if !self.has_ended {
                    return None;
                }
                // A last line without its newline.
                next = self.framer.finish();
            }
            let mut out = Sink::growable(&mut self.line, self.max_output);
            let incoming = self.client.receive(next, now, &mut out)?;
            let answers = out.len();
            let flow = then(&mut self.client, incoming, now, &mut out);
            self.process.send(out.finish().unwrap_or_default(), answers);
            if let ControlFlow::Break(found) = flow {
                return Some(found);
            }
        }
    }

    fn expire<R>(
        &mut self,
        then: &mut impl FnMut(
            &mut Client<H, C, CALLS, I, P>,
            Incoming<'_, C>,
            Duration,
            &mut Sink<'_>,
        ) -> ControlFlow<R>,
    ) -> Option<R> {
        loop {
            let now = self.now();
            let mut out = Sink::growable(&mut self.line, self.max_output);
            let incoming = self.client.expire(now, &mut out)?;
            let flow = then(&mut self.client, incoming, now, &mut out);
            self.process.send(out.finish().unwrap_or_default(), 0);
            if let ControlFlow::Break(found) = flow {
                return Some(found);
            }
        }
    }

    /// Ends the process: closes its input and waits; then asks it to end (SIGTERM, where there is such) and waits; then
    /// kills it. Each wait takes `grace` at most. A child that is dropped is killed at once.
    ///
    /// # Errors
    /// Of waiting.
    pub fn close(self, grace: Duration) -> io::Result<ExitStatus> {
        self.process.close(grace)
    }
}
