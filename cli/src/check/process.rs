//! The server under test: a process that may do anything without harming this one.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::process::Stdio;
use std::time::{Duration, Instant};

use barewire::transport::{self, Received as Output, describe_exit};

use crate::lines::{Lines, Piece};
use crate::signals;
use crate::start::start;

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
    framer: Lines,
    received: VecDeque<Line>,
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
pub(super) enum Received {
    Line(Line),
    Nothing,
    /// The output has ended, or the server floods.
    End,
    /// A signal has ended the check.
    Interrupted,
}

impl Process {
    pub(super) fn start(command: &[OsString], shows_stderr: bool) -> Result<Self, String> {
        if signals::is_caught() {
            return Err("interrupted".to_owned());
        }
        let stderr = match shows_stderr {
            true => Stdio::inherit(),
            false => Stdio::null(),
        };
        let process = start(command, |command| transport::Process::spawn(command.stderr(stderr)))?;
        signals::interrupts(process.interrupter());
        Ok(Self { process, framer: Lines::new(LONGEST - 1), received: VecDeque::new(), lines: 0, bytes: 0 })
    }

    /// Sends a message. Only the answers show whether the server reads it.
    pub(super) fn send(&mut self, bytes: &[u8]) {
        if !self.floods() {
            self.lines = self.lines.saturating_sub(LINES);
            self.bytes = self.bytes.saturating_sub(BYTES);
        }
        self.process.send(bytes);
    }

    /// Sends the answer to a request, unless there is no room because the server does not read.
    pub(super) fn answer(&self, bytes: &[u8]) {
        if !self.process.is_full() {
            self.process.send_answers(bytes, bytes.len());
        }
    }

    /// A flood never ends: lines after it would be read too late.
    const fn floods(&self) -> bool {
        self.lines > MOST_LINES || self.bytes > MOST_BYTES
    }

    pub(super) fn receive(&mut self, until: Instant) -> Received {
        self.lines += 1;
        loop {
            if self.floods() {
                return Received::End;
            }
            let received = &mut self.received;
            if let Some(line) = received.pop_front() {
                return Received::Line(line);
            }
            let left = left(until);
            if left.is_zero() {
                return Received::Nothing;
            }
            match self.process.receive(Some(left)) {
                Output::Bytes(bytes) => {
                    self.bytes += bytes.len();
                    self.framer.feed(&bytes, &mut |piece| received.push_back(line(&piece, Line::Whole)));
                }
                Output::Silence => return Received::Nothing,
                Output::Interrupted => return Received::Interrupted,
                Output::End => {
                    self.framer.finish(&mut |piece| received.push_back(line(&piece, Line::Cut)));
                    return received.pop_front().map_or(Received::End, Received::Line);
                }
            }
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
        loop {
            match self.process.receive(Some(left(until))) {
                Output::Bytes(_) if !left(until).is_zero() => {}
                Output::End => return self.process.tree().exit_within(left(until)).is_some(),
                _ => return false,
            }
        }
    }
}

fn line(piece: &Piece<'_>, line: fn(Vec<u8>) -> Line) -> Line {
    match piece {
        Piece::Line(bytes) => line(bytes.to_vec()),
        _ => Line::TooLong,
    }
}

fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

impl Drop for Process {
    fn drop(&mut self) {
        // The server may still have to read the last messages.
        if self.process.is_interrupted() {
            let _ = self.process.close(GRACE);
        }
    }
}
