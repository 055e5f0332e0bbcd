//! The queue from the streams to the inspection, for which no stream waits.
//!
//! The stream comes first: when the inspection is slower, because of the volume or because the log is not read, up to
//! [`ROOM`] bytes wait in memory. Bytes beyond that are counted, not inspected.

use std::io;
use std::mem;
use std::process::ExitStatus;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Number of bytes that may wait for inspection; the same number may be in it.
pub(super) const ROOM: usize = 4 << 20;

/// Number of pieces that may wait.
const PIECES: usize = 1 << 16;

/// The writer of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Client,
    Server,
}

impl Side {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

/// One thing to inspect.
pub(super) struct Item {
    pub(super) at: Instant,
    pub(super) side: Side,
    pub(super) what: What,
}

pub(super) enum What {
    /// This number of bytes of the batch comes next.
    Bytes(usize),
    /// Bytes that were forwarded and not inspected.
    Gap(Gap),
    /// This number of bytes, which the server wrote to standard error, comes next.
    Diagnostics(usize),
    /// This side writes no more.
    Closed(Option<io::Error>),
    /// The other side no longer reads the output of this one.
    Refused(io::Error),
    /// The server has ended. Anything that the client writes after that is ignored.
    Exit(ExitStatus),
}

/// Forwarded bytes that were not inspected.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Gap {
    pub(super) bytes: u64,
    /// Whether they are of several lines: one of them follows a newline.
    pub(super) is_several: bool,
    /// Whether the last of them is a newline.
    pub(super) ends_line: bool,
}

impl Gap {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if let Some((last, before)) = bytes.split_last() {
            self.is_several |= self.ends_line || before.contains(&b'\n');
            self.ends_line = *last == b'\n';
        }
    }
}

/// Waiting pieces, in the order in which they came. The memory is reused, so that nothing is allocated in the long run.
#[derive(Default)]
pub(super) struct Batch {
    items: Vec<Item>,
    bytes: Vec<u8>,
    /// Whether the end of the server is among the items.
    has_exit: bool,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether something was left out for lack of room.
    pub(super) fn has_gaps(&self) -> bool {
        self.items.iter().any(|item| matches!(item.what, What::Gap(_)))
    }

    /// Iterates over the items with their bytes.
    pub(super) fn items(&self) -> impl Iterator<Item = (&Item, &[u8])> {
        let mut rest = self.bytes.as_slice();
        self.items.iter().map(move |item| {
            let own;
            (own, rest) = match item.what {
                What::Bytes(count) | What::Diagnostics(count) => rest.split_at(count),
                _ => rest.split_at(0),
            };
            (item, own)
        })
    }

    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.bytes.clear();
        self.has_exit = false;
    }

    /// Returns false if there is no room.
    fn push(&mut self, side: Side, bytes: &[u8], what: What) -> bool {
        let has_room = self.items.len() < PIECES && self.bytes.len() + bytes.len() <= ROOM;
        if has_room {
            self.bytes.extend_from_slice(bytes);
            self.event(side, what);
        }
        has_room
    }

    fn event(&mut self, side: Side, what: What) {
        self.has_exit |= matches!(what, What::Exit(_));
        self.items.push(Item {
            at: Instant::now(),
            side,
            what,
        });
    }
}

/// The waiting pieces, and the gaps of those that did not fit.
#[derive(Default)]
struct Waiting {
    batch: Batch,
    /// The gap of each writer since its last item.
    gaps: Vec<(Side, Gap)>,
}

impl Waiting {
    fn has_gaps(&self) -> bool {
        self.gaps.iter().any(|(_, gap)| gap.bytes > 0)
    }

    /// Adds the gaps of all writers, the client's first: it may be silent for a long time, and the server may answer a
    /// message that was left out.
    fn tell_gaps(&mut self) {
        for (side, gap) in &mut self.gaps {
            if gap.bytes > 0 {
                self.batch.event(*side, What::Gap(mem::take(gap)));
            }
        }
    }
}

/// State shared by both ends of the queue. It is locked only to copy bytes in, and to take them out.
#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(self: &Arc<Self>, side: Side) -> Handoff {
        let mut waiting = self.lock();
        waiting.gaps.push((side, Gap::default()));
        Handoff {
            side,
            number: waiting.gaps.len() - 1,
            shared: Arc::clone(self),
        }
    }
}

/// One writer's end of the queue.
pub(super) struct Handoff {
    side: Side,
    /// Index among the writers.
    number: usize,
    shared: Arc<Shared>,
}

/// The inspection's end.
pub(super) struct Arrivals(Arc<Shared>);

/// The queue, empty: the ends of the client and of the server.
pub(super) fn queue() -> (Handoff, Handoff, Arrivals) {
    let shared = Arc::new(Shared::default());
    let client = shared.writer(Side::Client);
    let server = shared.writer(Side::Server);
    (client, server, Arrivals(shared))
}

impl Handoff {
    /// Another end for what the same side writes.
    pub(super) fn another(&self) -> Self {
        self.shared.writer(self.side)
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.put(bytes, What::Bytes(bytes.len()));
    }

    /// The end for standard error, which is kept apart from the messages.
    pub(super) fn diagnostics(&mut self, bytes: &[u8]) {
        self.put(bytes, What::Diagnostics(bytes.len()));
    }

    fn put(&mut self, bytes: &[u8], what: What) {
        let mut waiting = self.shared.lock();
        // New pieces come after the gaps, so the gaps must fit too.
        let (most, pieces) = match waiting.has_gaps() {
            false => (ROOM, PIECES),
            true => (ROOM / 2, PIECES / 2),
        };
        let has_room = waiting.batch.bytes.len() <= most && waiting.batch.items.len() <= pieces;
        if has_room {
            waiting.tell_gaps();
        }
        if !has_room || !waiting.batch.push(self.side, bytes, what) {
            waiting.gaps[self.number].1.add(bytes);
        }
        drop(waiting);
        self.shared.arrived.notify_one();
    }

    /// There is always room for these.
    pub(super) fn event(&mut self, what: What) {
        let mut waiting = self.shared.lock();
        waiting.tell_gaps();
        waiting.batch.event(self.side, what);
        drop(waiting);
        self.shared.arrived.notify_one();
    }
}

impl Arrivals {
    /// Takes what has arrived in exchange for an empty batch.
    pub(super) fn take(&self, batch: &mut Batch) {
        batch.clear();
        mem::swap(batch, &mut self.0.lock().batch);
    }

    /// The same, as soon as something is there.
    pub(super) fn wait(&self, batch: &mut Batch) {
        batch.clear();
        let mut waiting = self.0.lock();
        while waiting.batch.is_empty() {
            waiting = self
                .0
                .arrived
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
        mem::swap(batch, &mut waiting.batch);
    }

    /// Leaves the processor to the stream for that long, or until the end.
    pub(super) fn rest(&self, longest: Duration) {
        let waiting = self.0.lock();
        drop(
            self.0
                .arrived
                .wait_timeout_while(waiting, longest, |waiting| !waiting.batch.has_exit),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(batch: &Batch) -> Vec<String> {
        batch
            .items()
            .map(|(item, bytes)| match item.what {
                What::Bytes(_) => format!("{} bytes", bytes.len()),
                What::Gap(gap) => format!("gap of {}", gap.bytes),
                _ => "an event".to_owned(),
            })
            .collect()
    }

    #[test]
    fn a_gap_is_measured_however_it_is_cut() {
        for text in ["", "ab", "ab\n", "a\nb\ncd", "\n\n", "abc\nd"] {
            for at in 0..=text.len() {
                let mut gap = Gap::default();
                gap.add(&text.as_bytes()[..at]);
                gap.add(&text.as_bytes()[at..]);
                let expected = Gap {
                    bytes: text.len() as u64,
                    is_several: text.lines().count() > 1,
                    ends_line: text.ends_with('\n'),
                };
                assert_eq!(gap, expected, "{text:?} at {at}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_measured_and_comes_before_what_fits_again() {
        let (_, mut handoff, arrivals) = queue();
        let piece = vec![b'x'; ROOM / 2];
        for _ in 0..3 {
            handoff.bytes(&piece);
        }
        // There is room for it, but the order must stay.
        handoff.bytes(b"a\nb");
        let mut batch = Batch::default();
        arrivals.wait(&mut batch);
        let half = format!("{} bytes", piece.len());
        assert_eq!(told(&batch), [half.as_str(), half.as_str()]);
        handoff.bytes(b"c");
        arrivals.take(&mut batch);
        assert_eq!(
            told(&batch),
            [format!("gap of {}", piece.len() + 3), "1 bytes".to_owned()]
        );
        assert!(batch.has_gaps());
        arrivals.take(&mut batch);
        assert!(batch.is_empty());
    }

    #[test]
    fn small_pieces_do_not_fill_the_memory() {
        let (_, mut handoff, arrivals) = queue();
        let count = 3 * PIECES;
        for _ in 0..count {
            handoff.bytes(b"x");
        }
        let mut batch = Batch::default();
        arrivals.wait(&mut batch);
        assert_eq!(batch.items.len(), PIECES);
        handoff.event(What::Closed(None));
        arrivals.take(&mut batch);
        let gap = format!("gap of {}", count - PIECES);
        assert_eq!(told(&batch), [gap, "an event".to_owned()]);
    }

    #[test]
    fn an_event_always_fits() {
        let (_, mut handoff, arrivals) = queue();
        handoff.bytes(&vec![b'x'; ROOM]);
        handoff.bytes(b"a");
        handoff.event(What::Closed(None));
        let mut batch = Batch::default();
        arrivals.wait(&mut batch);
        assert_eq!(
            told(&batch),
            [
                format!("{ROOM} bytes"),
                "gap of 1".to_owned(),
                "an event".to_owned()
            ]
        );
    }

    #[test]
    fn the_end_of_the_server_ends_a_rest_whatever_comes_after_it() {
        let (mut client, mut server, arrivals) = queue();
        server.event(What::Exit(ExitStatus::default()));
        // Nobody waits for the thread of the client's side, so its items may come last.
        client.event(What::Closed(None));
        let start = Instant::now();
        arrivals.rest(Duration::from_secs(60));
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn what_did_not_fit_of_the_client_comes_before_what_did_not_of_the_server() {
        let (mut client, mut server, arrivals) = queue();
        server.bytes(&vec![b'x'; ROOM]);
        client.bytes(b"ask");
        server.bytes(b"answer");
        let mut batch = Batch::default();
        arrivals.take(&mut batch);
        // The client writes nothing more.
        server.bytes(b"y");
        arrivals.take(&mut batch);
        assert_eq!(told(&batch), ["gap of 3", "gap of 6", "1 bytes"]);
    }
}
