//! The log of `serve`: plain lines on standard error.
//!
//! A client may leave the pipe unread (MCP transports, stdio). So a separate thread writes the lines; when it cannot go on,
//! lines are left out, and the server is not delayed.

use std::io;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded};

use crate::clock::Clock;
use crate::terminal::{beginning, note};
use crate::threads;

/// Number of lines that may wait to be written.
const WAITING: usize = 256;

/// Number of characters that are shown of one event.
const LONGEST: usize = 2048;

/// Time that the end waits for earlier lines.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Writer of log lines: seconds since the start, level, event.
pub(crate) struct Log {
    clock: Clock,
    entries: Sender<Entry>,
    lost: u64,
}

enum Entry {
    Line(String),
    /// Everything before it is written.
    End(Sender<()>),
}

impl Log {
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn new() -> io::Result<Self> {
        let (entries, received) = bounded(WAITING);
        threads::spawn(move || {
            for entry in received {
                match entry {
                    Entry::Line(line) => note!("{line}"),
                    // The end no longer waits if this fails.
                    Entry::End(done) => drop(done.send(())),
                }
            }
        })?;
        Ok(Self { clock: Clock::new(), entries, lost: 0 })
    }

    pub(crate) fn line(&mut self, level: &str, text: &str) {
        let seconds = self.clock.elapsed(Instant::now()).as_secs_f64();
        if self.lost > 0 {
            let lost = format!("{seconds:.3} warning {} lines of the log were lost", self.lost);
            if self.entries.try_send(Entry::Line(lost)).is_ok() {
                self.lost = 0;
            }
        }
        let line = format!("{seconds:.3} {level} {}", beginning(text.as_bytes(), LONGEST));
        if self.entries.try_send(Entry::Line(line)).is_err() {
            self.lost += 1;
        }
    }

    /// The handle to wait for the end, while the server has the log itself.
    pub(crate) fn end(&self) -> End {
        End(self.entries.clone())
    }
}

/// The end of a log.
pub(crate) struct End(Sender<Entry>);

impl End {
    /// Waits until all lines are written, but not for a reader that never reads.
    pub(crate) fn wait(self) {
        let deadline = Instant::now() + LAST_WAIT;
        let (done, is_done) = bounded(1);
        if self.0.send_deadline(Entry::End(done), deadline).is_ok() {
            let _ = is_done.recv_deadline(deadline);
        }
    }
}
