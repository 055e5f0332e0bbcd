//! One direction of the stream: bytes in, the same bytes out, at once. Nothing here looks into them.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// As much as a pipe holds on most systems.
const MOST: usize = 1 << 16;

/// Why a direction has ended.
pub(super) enum End {
    /// No more input.
    Input,
    /// Reading failed.
    Broken(io::Error),
    /// The receiver does not read any more.
    Output(io::Error),
}

/// Copies until one end is closed. What is read is shown to `seen` before it is written, so that a request is inspected
/// before its answer: it must not wait.
pub(super) fn forward(
    from: &mut impl Read,
    to: &mut impl Write,
    pulse: &Pulse,
    mut seen: impl FnMut(&[u8]),
) -> End {
    let mut memory = vec![0; MOST];
    loop {
        pulse.waits(true);
        let read = from.read(&mut memory);
        pulse.waits(false);
        let bytes = match read {
            Ok(0) => return End::Input,
            Ok(count) => &memory[..count],
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return End::Broken(error),
        };
        seen(bytes);
        if let Err(error) = to.write_all(bytes) {
            return End::Output(error);
        }
    }
}

/// Whether a direction still moves: for whoever waits for its end.
#[derive(Default)]
pub(super) struct Pulse {
    reads: AtomicU64,
    waiting: AtomicBool,
}

impl Pulse {
    fn waits(&self, waiting: bool) {
        self.waiting.store(waiting, Ordering::Release);
        self.reads.fetch_add(1, Ordering::AcqRel);
    }

    /// How often it has moved, if it waits for input now; `None` while it works.
    pub(super) fn waits_since(&self) -> Option<u64> {
        let reads = self.reads.load(Ordering::Acquire);
        self.waiting.load(Ordering::Acquire).then_some(reads)
    }
}
