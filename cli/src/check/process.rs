//! The server under test: a process that may do anything without harming this one.

use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use barewire::bytes::{Framer, Next};
use barewire::transport::{self, Received, describe_exit};

use crate::signals;

/// Length of the longest line that is kept, including its newline.
const LONGEST: usize = 16 << 20;

/// Lines and bytes that a server may write unasked. Anything more is a flood.
const MOST_LINES: usize = 10_000;
const MOST_BYTES: usize = 64 << 20;

/// Lines and bytes that a server may write for each message to it.
const LINES: usize = 100;
const BYTES: usize = 1 << 20;

/// Time within which a server must exit after closing its output.
const EXIT: Duration = Duration::from_millis(200);

/// Time within which a server must end when the check is interrupted.
const GRACE: Duration = Duration::from_secs(1);

/// A running server. Its tree is killed when it is dropped.
pub(super) struct Process {
    process: transport::Process,
    framer: Framer<Vec<u8>>,
    /// Received bytes, and the number of them that were passed to the framer.
    received: Vec<u8>,
    taken: usize,
    /// Lines and bytes that the server has written unasked.
    lines: usize,
    bytes: usize,
}

/// A line of the server.
pub(super) enum Line {
    Whole(Vec<u8>),
    /// Longer than [`LONGEST`].
    TooLong,
    /// The last line, without a newline.
    Cut(Vec<u8>),
}

/// Result of waiting for a line.
pub(super) enum Came {
    Line(Line),
    Silence,
    /// The output has ended, or the server floods.
    End,
    /// A signal has asked this program to end.
    Interrupted,
}

impl Process {
    pub(super) fn start(command: &[OsString], shows_stderr: bool) -> Result<Self, String> {
        let [program, rest @ ..] = command else {
            return Err("no command".to_owned());
        };
        if signals::is_caught() {
            return Err("interrupted".to_owned());
        }
        let stderr = match shows_stderr {
            true => Stdio::inherit(),
            false => Stdio::null(),
        };
        let process = transport::Process::spawn(Command::new(program).args(rest).stderr(stderr))
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        signals::interrupts(process.interrupter());
        Ok(Self {
            process,
            framer: Framer::new(vec![0; 1 << 16]),
            received: Vec::new(),
            taken: 0,
            lines: 0,
            bytes: 0,
        })
    }

    /// Only the answers show whether the server reads it.
    pub(super) fn send(&mut self, bytes: &[u8]) {
        if !self.floods() {
            self.lines = self.lines.saturating_sub(LINES);
            self.bytes = self.bytes.saturating_sub(BYTES);
        }
        self.process.send(bytes);
    }

    /// Sends the answer to a request. Returns false if there is no room, because the server does not read.
    pub(super) fn answer(&self, bytes: &[u8]) -> bool {
        let has_room = !self.process.is_full();
        if has_room {
            self.process.send_answers(bytes, bytes.len());
        }
        has_room
    }

    /// A flood never ends: lines after it would be read too late.
    fn floods(&self) -> bool {
        self.lines > MOST_LINES || self.bytes > MOST_BYTES
    }

    pub(super) fn next(&mut self, until: Instant) -> Came {
        self.lines += 1;
        loop {
            if self.floods() {
                return Came::End;
            }
            self.framer.grow(LONGEST);
            match self.framer.next() {
                Next::Line(line) => return Came::Line(Line::Whole(line.to_vec())),
                Next::Part(_) => {}
                Next::TooLong => return Came::Line(Line::TooLong),
                Next::Lost | Next::NeedMore => {
                    let rest = &self.received[self.taken..];
                    if !rest.is_empty() {
                        self.taken += self.framer.push(rest);
                        continue;
                    }
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Came::Silence;
                    }
                    match self.process.receive(Some(left)) {
                        Received::Bytes(bytes) => {
                            self.bytes += bytes.len();
                            (self.received, self.taken) = (bytes, 0);
                        }
                        Received::Silence => return Came::Silence,
                        Received::Interrupted => return Came::Interrupted,
                        Received::End => return self.last(),
                    }
                }
            }
        }
    }

    /// The end of the output, or first a last line without its newline.
    fn last(&mut self) -> Came {
        match self.framer.finish() {
            Next::Line(line) => Came::Line(Line::Cut(line.to_vec())),
            Next::TooLong => Came::Line(Line::TooLong),
            _ => Came::End,
        }
    }

    /// Reason for the end of the output, as the end of a sentence: the exit of the server, for example.
    pub(super) fn exit(&self) -> Option<String> {
        if self.floods() {
            return Some("never stops writing".to_owned());
        }
        self.process.tree().exit_within(EXIT).map(describe_exit)
    }

    /// Closes the input.
    pub(super) fn close(&mut self) {
        self.process.close_input();
    }

    /// Whether the process ends in that time; further output is dropped.
    pub(super) fn ends_in(&mut self, longest: Duration) -> bool {
        let until = Instant::now() + longest;
        let left = || until.saturating_duration_since(Instant::now());
        loop {
            match self.process.receive(Some(left())) {
                Received::Bytes(_) if !left().is_zero() => {}
                Received::End => return self.process.tree().exit_within(left()).is_some(),
                _ => return false,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The server may still have to read the last messages.
        if self.process.is_interrupted() {
            let _ = self.process.close(GRACE);
        }
    }
}
