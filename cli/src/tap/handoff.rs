//! From the streams to the inspection, by a queue that nobody waits for.
//!
//! The stream comes first: when the inspection is slower than the stream, because there is much or because the log is
//! not taken, up to [`ROOM`] bytes wait in memory. What comes on top is not inspected, only measured.

use std::io;
use std::mem;
use std::process::ExitStatus;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many bytes wait for inspection; as many may be in it.
pub(super) const ROOM: usize = 4 << 20;

/// How many pieces they may have.
const PIECES: usize = 1 << 16;

/// Who has written something.
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
    /// The next so many bytes of the batch.
    Bytes(usize),
    /// So much was forwarded and not inspected.
    Gap(Gap),
    /// The next so many bytes, which the server wrote to its standard error.
    Diagnostics(usize),
    /// This side writes no more.
    Closed(Option<io::Error>),
    /// The other side does not read what this one writes.
    Refused(io::Error),
    /// The server has ended. What the client still says comes after it, and is of no interest any more.
    Exit(ExitStatus),
}

/// Forwarded bytes that were not inspected.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Gap {
    pub(super) bytes: u64,
    /// They are of several lines: one of them follows a newline.
    pub(super) is_several: bool,
    /// The last of them is a newline.
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

/// What waits, in the order in which it came. Its memory is used again, so that nothing is allocated in the long run.
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

    /// Whether something was left out for want of room.
    pub(super) fn has_gaps(&self) -> bool {
        self.items.iter().any(|item| matches!(item.what, What::Gap(_)))
    }

    /// Each item with its bytes.
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

    /// False when there is no room.
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

/// What waits, and what did not fit.
#[derive(Default)]
struct Waiting {
    batch: Batch,
    /// Of each writer, since its last item.
    gaps: Vec<(Side, Gap)>,
}

impl Waiting {
    fn has_gaps(&self) -> bool {
        self.gaps.iter().any(|(_, gap)| gap.bytes > 0)
    }

    /// Those of all writers, and the client's first: it may not speak again for a long time, and what the server says may
    /// be the answer to what was left out.
    fn tell_gaps(&mut self) {
        for (side, gap) in &mut self.gaps {
            if gap.bytes > 0 {
                self.batch.event(*side, What::Gap(mem::take(gap)));
            }
        }
    }
}

/// What the two sides of the queue share. It is locked to copy bytes into it and to take them away, never for longer.
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
    /// Among the writers.
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

    /// Of standard error, which is told from the messages.
    pub(super) fn diagnostics(&mut self, bytes: &[u8]) {
        self.put(bytes, What::Diagnostics(bytes.len()));
    }

    fn put(&mut self, bytes: &[u8], what: What) {
        let mut waiting = self.shared.lock();
        // What fits again comes behind what did not: the gaps must fit as well.
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

    /// Leaves the processor to the stream for so long, or until the end.
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
        // The thread of the client's side is not waited for: it may be the last to say something.
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
        // The client says no more.
        server.bytes(b"y");
        arrivals.take(&mut batch);
        assert_eq!(told(&batch), ["gap of 3", "gap of 6", "1 bytes"]);
    }
}
