//! A server as a child process: its pipes, each with a thread, and its end (MCP transports, stdio).

use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::io::{self, ErrorKind, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::Instant;
use std::vec::Vec;

use super::{Ready, threads};

/// How much is read at a time, and how many such pieces wait to be taken: then the process has to wait.
const PIECE: usize = 1 << 16;
const PIECES: usize = 16;

/// How often the end of the process is looked for.
const PAUSE: Duration = Duration::from_millis(5);

/// A running process. It is killed when it is dropped.
#[derive(Debug)]
pub(super) struct Process {
    process: std::process::Child,
    /// To the thread that writes, so that a process that does not read blocks nobody. `None` once it is closed.
    input: Option<Sender<ToWrite>>,
    /// How many bytes of answers wait to be written.
    unread: Arc<AtomicUsize>,
    output: Receiver<Vec<u8>>,
}

/// Whole lines, and how many bytes of them answer the process.
struct ToWrite {
    bytes: Vec<u8>,
    answers: usize,
}

/// What the process has written.
pub(super) enum Output {
    Bytes(Vec<u8>),
    /// Nothing in that time.
    Silence,
    /// Nothing comes any more.
    End,
}

impl Process {
    pub(super) fn spawn(command: &mut Command) -> io::Result<Self> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = (process.stdin.take(), process.stdout.take());
        let (input, to_write) = mpsc::channel();
        let (read, output) = mpsc::sync_channel(PIECES);
        // From here on an error ends the process.
        let started = Self {
            process,
            input: Some(input),
            unread: Arc::default(),
            output,
        };
        let (Some(stdin), Some(stdout)) = pipes else {
            // Both were asked for.
            return Err(io::Error::from(ErrorKind::BrokenPipe));
        };
        let waiting = Arc::clone(&started.unread);
        threads::spawn(move || write_all(Ready::new(stdin), &to_write, &waiting))?;
        threads::spawn(move || read_all(Ready::new(stdout), &read))?;
        Ok(started)
    }

    /// Whether somebody reads is known only by what comes back. So many of the bytes answer what the process has asked.
    pub(super) fn send(&self, bytes: &[u8], answers: usize) {
        if let Some(input) = &self.input
            && !bytes.is_empty()
        {
            self.unread.fetch_add(answers, Ordering::AcqRel);
            let bytes = bytes.to_vec();
            if input.send(ToWrite { bytes, answers }).is_err() {
                self.unread.fetch_sub(answers, Ordering::AcqRel);
            }
        }
    }

    /// Whether more than so many bytes of answers wait: it asks without end and does not read. (What the application has
    /// sent is no matter of this: a process may be slow.)
    pub(super) fn is_deaf(&self, most: usize) -> bool {
        self.unread.load(Ordering::Acquire) > most
    }

    /// Waits so long for output, or without an end.
    pub(super) fn receive(&self, longest: Option<Duration>) -> Output {
        let received = match longest {
            Some(longest) => self.output.recv_timeout(longest),
            None => self.output.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match received {
            Ok(bytes) => Output::Bytes(bytes),
            Err(RecvTimeoutError::Timeout) => Output::Silence,
            Err(RecvTimeoutError::Disconnected) => Output::End,
        }
    }

    /// Closes the input of the process and waits; then asks it to end (SIGTERM) and waits; then kills it. Each wait takes
    /// `grace` at most.
    pub(super) fn close(mut self, grace: Duration) -> io::Result<ExitStatus> {
        self.input = None;
        if let Some(status) = self.wait(grace)? {
            return Ok(status);
        }
        if ask_to_end(&self.process)
            && let Some(status) = self.wait(grace)?
        {
            return Ok(status);
        }
        self.process.kill()?;
        self.process.wait()
    }

    fn wait(&mut self, longest: Duration) -> io::Result<Option<ExitStatus>> {
        let end = Instant::now().checked_add(longest);
        loop {
            if let Some(status) = self.process.try_wait()? {
                return Ok(Some(status));
            }
            if end.is_some_and(|end| Instant::now() >= end) {
                return Ok(None);
            }
            // A process that still writes must not wait for a reader.
            if let Output::End = self.receive(Some(PAUSE)) {
                thread::sleep(PAUSE);
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended, or it ends now.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn write_all(mut stdin: impl Write, to_write: &Receiver<ToWrite>, unread: &AtomicUsize) {
    for ToWrite { bytes, answers } in to_write {
        if stdin.write_all(&bytes).is_err() {
            return;
        }
        unread.fetch_sub(answers, Ordering::AcqRel);
    }
}

fn read_all(mut stdout: impl Read, read: &SyncSender<Vec<u8>>) {
    let mut piece = std::vec![0; PIECE];
    loop {
        match stdout.read(&mut piece) {
            Ok(0) => return,
            Ok(count) => {
                let bytes = piece.get(..count).unwrap_or_default();
                if read.send(bytes.to_vec()).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// False where that cannot be asked.
#[cfg(unix)]
fn ask_to_end(process: &std::process::Child) -> bool {
    use rustix::process::{Pid, Signal, kill_process};
    // It was not waited for: its id is still its own.
    kill_process(Pid::from_child(process), Signal::TERM).is_ok()
}

#[cfg(not(unix))]
fn ask_to_end(_: &std::process::Child) -> bool {
    false
}
