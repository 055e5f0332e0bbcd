//! A server as a child process: its pipes, each with a thread, and its end (MCP transports, stdio).

mod exit;
mod outbox;
mod pipe;
mod tree;

#[cfg(unix)]
#[path = "process/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "process/windows.rs"]
mod system;
#[cfg(not(any(unix, windows)))]
#[path = "process/elsewhere.rs"]
mod system;

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{self, ErrorKind, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::vec::Vec;

pub use self::exit::describe_exit;
use self::outbox::Outbox;
pub use self::pipe::OutputPipe;
pub use self::tree::{ProcessPipes, ProcessTree};
use super::{Ready, threads};

/// Size of one read, and the number of reads that may wait to be received. Beyond that the process has to wait.
const PIECE: usize = 1 << 16;
const PIECES: usize = 16;

/// Bytes of answers that may wait for a process that does not read.
const MOST_ANSWERS: usize = 4 << 20;

/// A running server, with one thread for its input and one for its output: a server that does not read, or never stops
/// writing, blocks nobody.
///
/// Dropping it kills its [`tree`](ProcessTree).
#[derive(Debug)]
pub struct Process {
    tree: Arc<ProcessTree>,
    outbox: Arc<Outbox>,
    /// `None` once the output is no longer received but discarded.
    output: Option<Receiver<Event>>,
    has_ended: bool,
    interrupter: Interrupter,
}

/// Reports of the two threads.
#[derive(Debug)]
enum Event {
    Bytes(Vec<u8>),
    End,
    /// The flag of the [`Interrupter`] may have changed.
    Wake,
}

/// Result of waiting for the output of a [`Process`].
#[derive(Debug)]
pub enum Received {
    /// The next bytes of the output.
    Bytes(Vec<u8>),
    /// No output in that time.
    Silence,
    /// The output has ended, or the process has exited and all its output was received.
    End,
    /// The [`Interrupter`] of the process was called.
    Interrupted,
}

impl Process {
    /// Starts the process with pipes for its standard input and output. Standard error is as set in `command`, and
    /// inherited by default.
    ///
    /// # Errors
    /// The process or a thread cannot be started. No process is left running.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        let (tree, pipes) = ProcessTree::spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let (Some(stdin), Some(stdout)) = (pipes.stdin, pipes.stdout) else {
            // Both were asked for.
            return Err(io::Error::from(ErrorKind::BrokenPipe));
        };
        let tree = Arc::new(tree);
        let outbox = Arc::<Outbox>::default();
        let (read, output) = mpsc::sync_channel(PIECES);
        let process = Self {
            interrupter: Interrupter {
                tree: Arc::clone(&tree),
                is_called: Arc::default(),
                wake: read.clone(),
            },
            tree,
            outbox: Arc::clone(&outbox),
            output: Some(output),
            has_ended: false,
        };
        threads::spawn(move || write_all(Ready::new(stdin), &outbox))?;
        threads::spawn(move || read_all(stdout, &read))?;
        Ok(process)
    }

    /// The process and those it has started.
    pub fn tree(&self) -> &ProcessTree {
        &self.tree
    }

    /// A handle that ends the waiting for output from another thread.
    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// Whether the [`Interrupter`] of the process was called.
    pub fn is_interrupted(&self) -> bool {
        self.interrupter.is_called.load(Ordering::Acquire)
    }

    /// Queues bytes for the input of the process, without waiting for it to read them.
    pub fn send(&self, bytes: &[u8]) {
        self.outbox.push(bytes, 0);
    }

    /// [`send`](Process::send) for bytes of which `answers` answer requests of the process.
    pub fn send_answers(&self, bytes: &[u8], answers: usize) {
        self.outbox.push(bytes, answers);
    }

    /// Whether more than 4 MiB of answers wait for the process to read them. Reading its next requests would only add to
    /// them.
    pub fn is_full(&self) -> bool {
        self.outbox.answers() > MOST_ANSWERS
    }

    /// Number of bytes that wait for the process to read what was sent before them.
    pub(super) fn waiting(&self) -> usize {
        self.outbox.waiting()
    }

    /// Waits up to `longest` for the process to read something, and returns whether it has.
    pub(super) fn reads_within(&self, longest: Duration) -> bool {
        self.outbox.moves_within(longest)
    }

    /// Waits for output, for at most `longest` if given.
    pub fn receive(&mut self, longest: Option<Duration>) -> Received {
        if self.is_interrupted() {
            return Received::Interrupted;
        }
        let Some(output) = self.output.as_ref().filter(|_| !self.has_ended) else {
            return Received::End;
        };
        let event = match longest {
            Some(longest) => output.recv_timeout(longest),
            None => output.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match event {
            Ok(Event::Bytes(bytes)) => Received::Bytes(bytes),
            Ok(Event::Wake) => Received::Interrupted,
            Err(RecvTimeoutError::Timeout) => Received::Silence,
            Ok(Event::End) | Err(RecvTimeoutError::Disconnected) => {
                self.has_ended = true;
                Received::End
            }
        }
    }

    /// Closes the input of the process once everything that was sent is written.
    pub fn close_input(&self) {
        self.outbox.close();
    }

    /// Closes the input and ends the tree, as [`ProcessTree::end`] does. Further output is discarded.
    ///
    /// # Errors
    /// Waiting for the process failed.
    pub fn close(&mut self, grace: Duration) -> io::Result<ExitStatus> {
        self.close_input();
        self.output = None;
        self.tree.end(grace)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.close_input();
        self.tree.kill();
    }
}

/// A handle that ends [`Process::receive`] from another thread, such as one that handles signals.
#[derive(Clone)]
pub struct Interrupter {
    tree: Arc<ProcessTree>,
    is_called: Arc<AtomicBool>,
    wake: SyncSender<Event>,
}

impl fmt::Debug for Interrupter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupter")
    }
}

impl Interrupter {
    /// Makes [`receive`](Process::receive) return [`Received::Interrupted`] from now on. A second call kills the tree
    /// instead of waiting for its end.
    pub fn interrupt(&self) {
        if self.is_called.swap(true, Ordering::AcqRel) {
            self.tree.kill();
        }
        // A queue that is full wakes the receiver as well.
        let _ = self.wake.try_send(Event::Wake);
    }
}

fn write_all(mut stdin: impl Write, outbox: &Outbox) {
    while let Some(chunk) = outbox.take() {
        if stdin.write_all(&chunk.bytes).is_err() {
            outbox.fail();
            return;
        }
        outbox.written(chunk.answers);
    }
}

/// Reads to the end, even when the output is no longer received: a process that still writes must not be blocked.
fn read_all(mut stdout: impl Read, read: &SyncSender<Event>) {
    let mut piece = std::vec![0; PIECE];
    loop {
        match stdout.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => {
                let bytes = piece.get(..count).unwrap_or_default();
                let _ = read.send(Event::Bytes(bytes.to_vec()));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    let _ = read.send(Event::End);
}
