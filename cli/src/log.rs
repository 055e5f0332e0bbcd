//! The log of `serve`: plain lines on standard error.
//!
//! A client may leave the pipe unread (MCP transports, stdio). So a thread of its own writes the lines; when it cannot go
//! on, lines are left out, and the server is not held up.

use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::terminal::{note, shown};
use crate::threads;

/// Number of lines that may wait to be written.
const WAITING: usize = 256;

/// Number of characters that are shown of one event.
const LONGEST: usize = 2048;

/// Time that the end waits for earlier lines.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Seconds since the start, level, what happened.
pub(crate) struct Log {
    clock: Clock,
    entries: SyncSender<Entry>,
    lost: u64,
}

enum Entry {
    Line(String),
    /// What came before is written.
    End(Sender<()>),
}

impl Log {
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn new() -> io::Result<Self> {
        let (entries, written) = mpsc::sync_channel(WAITING);
        threads::spawn(move || write(&written))?;
        Ok(Self {
            clock: Clock::new(),
            entries,
            lost: 0,
        })
    }

    pub(crate) fn line(&mut self, level: &str, text: &str) {
        let seconds = self.clock.elapsed(Instant::now()).as_secs_f64();
        if self.lost > 0 {
            let lost = format!("{seconds:.3} warning {} lines of the log were lost", self.lost);
            if self.entries.try_send(Entry::Line(lost)).is_ok() {
                self.lost = 0;
            }
        }
        let mut rest = text.chars();
        let shown = shown(&rest.by_ref().take(LONGEST).collect::<String>());
        let more = if rest.next().is_some() { "…" } else { "" };
        let line = format!("{seconds:.3} {level} {shown}{more}");
        if let Err(TrySendError::Full(_)) = self.entries.try_send(Entry::Line(line)) {
            self.lost += 1;
        }
    }

    /// What the end waits with, when the log itself is with the server.
    pub(crate) fn end(&self) -> End {
        End(self.entries.clone())
    }
}

fn write(entries: &Receiver<Entry>) {
    for entry in entries {
        match entry {
            Entry::Line(line) => note!("{line}"),
            // Nobody waits any more if this fails.
            Entry::End(done) => drop(done.send(())),
        }
    }
}

/// The end of a log.
pub(crate) struct End(SyncSender<Entry>);

impl End {
    /// Waits until all lines are written, but not for a reader that never reads.
    pub(crate) fn wait(self) {
        let deadline = Instant::now() + LAST_WAIT;
        let (done, is_done) = mpsc::channel();
        let mut entry = Entry::End(done);
        while let Err(TrySendError::Full(back)) = self.0.try_send(entry) {
            if Instant::now() > deadline {
                return;
            }
            entry = back;
            thread::sleep(Duration::from_millis(5));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        match is_done.recv_timeout(left) {
            Ok(()) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
    }
}
