//! The server under test: a process that may do anything, and must not take this one with it.

use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use barewire::bytes::{Framer, Next};

/// The longest line that is kept, its newline included.
const LONGEST: usize = 16 << 20;

/// How many lines wait to be judged: then a server that floods has to wait.
const WAITING: usize = 64;

/// A running server. It is killed when it is dropped.
pub(super) struct Process {
    child: Child,
    /// To a thread of its own: a server that does not read must not block the check.
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<Line>,
}

/// What the server has written.
pub(super) enum Line {
    Whole(Vec<u8>),
    /// Longer than [`LONGEST`].
    TooLong,
    /// Ended with the stream, without a newline.
    Cut(Vec<u8>),
}

/// What came in time.
pub(super) enum Came {
    Line(Line),
    Silence,
    End,
}

impl Process {
    pub(super) fn start(command: &[OsString], shows_stderr: bool) -> Result<Self, String> {
        let [program, rest @ ..] = command else {
            return Err("no command".to_owned());
        };
        let mut child = Command::new(program)
            .args(rest)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(if shows_stderr {
                Stdio::inherit()
            } else {
                Stdio::null()
            })
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("no pipes to the server".to_owned());
        };
        let (input, to_write) = mpsc::channel();
        let (found, lines) = mpsc::sync_channel(WAITING);
        thread::spawn(move || write_all(stdin, &to_write));
        thread::spawn(move || read_lines(stdout, &found));
        Ok(Self {
            child,
            input: Some(input),
            lines,
        })
    }

    /// Whether it is read is known only by what comes back.
    pub(super) fn send(&self, bytes: Vec<u8>) {
        if let Some(input) = &self.input {
            let _ = input.send(bytes);
        }
    }

    pub(super) fn next(&self, until: Instant) -> Came {
        let longest = until.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(longest) {
            Ok(line) => Came::Line(line),
            Err(RecvTimeoutError::Timeout) => Came::Silence,
            Err(RecvTimeoutError::Disconnected) => Came::End,
        }
    }

    /// Closes the input.
    pub(super) fn close(&mut self) {
        self.input = None;
    }

    /// Whether the process ends in that time; what it still writes is dropped.
    pub(super) fn ends_in(&mut self, longest: Duration) -> bool {
        let until = Instant::now() + longest;
        loop {
            match self.child.try_wait() {
                Ok(Some(_)) | Err(_) => return true,
                Ok(None) if Instant::now() >= until => return false,
                Ok(None) => {}
            }
            if let Came::End = self.next(Instant::now() + Duration::from_millis(5)) {
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended, or it ends now.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_all(mut stdin: ChildStdin, to_write: &Receiver<Vec<u8>>) {
    for bytes in to_write {
        if stdin.write_all(&bytes).is_err() {
            return;
        }
    }
}

fn read_lines(mut stdout: ChildStdout, found: &SyncSender<Line>) {
    let mut framer = Framer::new(vec![0; 1 << 16]);
    let mut long: Vec<u8> = Vec::new();
    let mut is_too_long = false;
    loop {
        let count = match stdout.read(framer.space()) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        framer.commit(count);
        loop {
            let line = match framer.next() {
                Next::Line(line) => Line::Whole(line.to_vec()),
                Next::Part(part) => {
                    // Memory as far as lines are long.
                    is_too_long |= long.len() + part.len() > LONGEST;
                    if !is_too_long {
                        long.extend_from_slice(part);
                    }
                    continue;
                }
                Next::TooLong => finished(&mut long, &mut is_too_long),
                Next::Lost | Next::NeedMore => break,
            };
            if found.send(line).is_err() {
                return;
            }
        }
    }
    let rest = match framer.finish() {
        Next::Line(line) => Line::Cut(line.to_vec()),
        Next::TooLong => Line::Cut(long),
        _ => return,
    };
    // Nobody may wait any more.
    let _ = found.send(rest);
}

fn finished(long: &mut Vec<u8>, is_too_long: &mut bool) -> Line {
    let bytes = std::mem::take(long);
    if std::mem::take(is_too_long) {
        Line::TooLong
    } else {
        Line::Whole(bytes)
    }
}
