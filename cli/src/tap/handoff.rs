//! The queue from the streams to the inspection, for which no stream waits.
//!
//! The stream comes first: when the inspection is slower, because of the volume or because the log is not read, up to
//! [`ROOM`] bytes wait in memory. Bytes beyond that are counted, not inspected.

use std::convert::Infallible;
use std::io;
use std::mem;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

/// Number of bytes that may wait for inspection.
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
    pub(super) content: Content,
}

pub(super) enum Content {
    Bytes(Vec<u8>),
    /// Bytes that were forwarded and not inspected.
    Gap(Gap),
    /// Bytes that the server wrote to standard error.
    Diagnostics(Vec<u8>),
    /// This side writes no more.
    Closed(Option<io::Error>),
    /// The other side no longer reads the output of this one.
    Refused(io::Error),
    /// The server has ended. Anything that the client writes after that is ignored.
    Exit(ExitStatus),
}

impl Content {
    const fn size(&self) -> usize {
        match self {
            Self::Bytes(bytes) | Self::Diagnostics(bytes) => bytes.len(),
            _ => 0,
        }
    }
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

/// State of all writers.
struct Writers {
    items: Sender<Item>,
    /// The gap of each writer since its last item.
    gaps: Vec<(Side, Gap)>,
    /// Present until the server has ended.
    running: Option<Sender<Infallible>>,
}

impl Writers {
    fn send(&self, side: Side, content: Content) {
        let at = Instant::now();
        // The inspection has ended if this fails.
        let _ = self.items.send(Item { at, side, content });
    }

    /// Sends the gaps of all writers, the client's first: it may be silent for a long time, and the server may answer a
    /// message that was left out.
    fn send_gaps(&mut self) {
        for index in 0..self.gaps.len() {
            let (side, gap) = &mut self.gaps[index];
            if gap.bytes > 0 {
                let (side, gap) = (*side, mem::take(gap));
                self.send(side, Content::Gap(gap));
            }
        }
    }
}

/// State shared by both ends of the queue.
struct Shared {
    writers: Mutex<Writers>,
    /// Number of waiting bytes.
    waiting: AtomicUsize,
}

/// One writer's end of the queue.
pub(super) struct Handoff {
    side: Side,
    /// Index among the writers.
    number: usize,
    shared: Arc<Shared>,
}

/// The inspection's end.
pub(super) struct Arrivals {
    items: Receiver<Item>,
    /// Disconnected when the server has ended.
    running: Receiver<Infallible>,
    shared: Arc<Shared>,
}

/// The queue, empty: the ends of the client and of the server.
pub(super) fn queue() -> (Handoff, Handoff, Arrivals) {
    let (sender, items) = unbounded();
    let (alive, running) = bounded(0);
    let writers = Writers { items: sender, gaps: Vec::new(), running: Some(alive) };
    let shared = Arc::new(Shared { writers: Mutex::new(writers), waiting: AtomicUsize::new(0) });
    let client = Handoff::new(&shared, Side::Client);
    let server = Handoff::new(&shared, Side::Server);
    let arrivals = Arrivals { items, running, shared };
    (client, server, arrivals)
}

impl Shared {
    fn writers(&self) -> MutexGuard<'_, Writers> {
        self.writers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Handoff {
    fn new(shared: &Arc<Shared>, side: Side) -> Self {
        let mut writers = shared.writers();
        let number = writers.gaps.len();
        writers.gaps.push((side, Gap::default()));
        let shared = Arc::clone(shared);
        Self { side, number, shared }
    }

    /// Another end, for output of the same side.
    pub(super) fn another(&self) -> Self {
        Self::new(&self.shared, self.side)
    }

    /// Sends bytes as the content of an item, or adds them to the gap of this writer.
    pub(super) fn bytes(&self, bytes: &[u8], content: fn(Vec<u8>) -> Content) {
        let mut writers = self.shared.writers();
        // New pieces come after the gaps, which are sent only when there is much room again.
        let share = match writers.gaps.iter().any(|(_, gap)| gap.bytes > 0) {
            false => 1,
            true => 2,
        };
        let waiting = self.shared.waiting.load(Ordering::Acquire);
        if waiting + bytes.len() > ROOM / share || writers.items.len() >= PIECES / share {
            writers.gaps[self.number].1.add(bytes);
            return;
        }
        self.shared.waiting.fetch_add(bytes.len(), Ordering::AcqRel);
        writers.send_gaps();
        writers.send(self.side, content(bytes.to_vec()));
    }

    /// There is always room for an event.
    pub(super) fn event(&self, content: Content) {
        let mut writers = self.shared.writers();
        writers.send_gaps();
        if let Content::Exit(_) = content {
            writers.running = None;
        }
        writers.send(self.side, content);
    }
}

impl Arrivals {
    /// The next item; `None` if nothing has arrived.
    pub(super) fn take(&self) -> Option<Item> {
        self.items.try_recv().ok().inspect(|item| self.taken(item))
    }

    /// The next item, as soon as it arrives; `None` if none can arrive any more.
    pub(super) fn wait(&self) -> Option<Item> {
        self.items.recv().ok().inspect(|item| self.taken(item))
    }

    fn taken(&self, item: &Item) {
        self.shared.waiting.fetch_sub(item.content.size(), Ordering::AcqRel);
    }

    /// Number of items that have arrived.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Leaves the processor to the stream for that long, or until the end of the server.
    pub(super) fn rest(&self, longest: Duration) {
        let _ = self.running.recv_timeout(longest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrived(arrivals: &Arrivals) -> Vec<String> {
        let items = std::iter::from_fn(|| arrivals.take());
        let names = items.map(|item| match item.content {
            Content::Bytes(bytes) => format!("{} bytes", bytes.len()),
            Content::Gap(gap) => format!("gap of {}", gap.bytes),
            _ => "an event".to_owned(),
        });
        names.collect()
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
    fn a_gap_comes_before_the_bytes_that_fit_again() {
        let (_, handoff, arrivals) = queue();
        let piece = vec![b'x'; ROOM / 2];
        for _ in 0..3 {
            handoff.bytes(&piece, Content::Bytes);
        }
        // There is room for it, but the order must stay.
        handoff.bytes(b"a\nb", Content::Bytes);
        let half = format!("{} bytes", piece.len());
        assert_eq!(arrived(&arrivals), [half.as_str(), half.as_str()]);
        handoff.bytes(b"c", Content::Bytes);
        assert_eq!(arrived(&arrivals), [format!("gap of {}", piece.len() + 3), "1 bytes".to_owned()]);
        assert!(arrivals.take().is_none());
    }

    #[test]
    fn small_pieces_do_not_fill_the_memory() {
        let (_, handoff, arrivals) = queue();
        let count = 3 * PIECES;
        for _ in 0..count {
            handoff.bytes(b"x", Content::Bytes);
        }
        assert_eq!(arrived(&arrivals).len(), PIECES);
        handoff.event(Content::Closed(None));
        let gap = format!("gap of {}", count - PIECES);
        assert_eq!(arrived(&arrivals), [gap, "an event".to_owned()]);
    }

    #[test]
    fn an_event_always_fits() {
        let (_, handoff, arrivals) = queue();
        handoff.bytes(&vec![b'x'; ROOM], Content::Bytes);
        handoff.bytes(b"a", Content::Bytes);
        handoff.event(Content::Closed(None));
        let whole = format!("{ROOM} bytes");
        assert_eq!(arrived(&arrivals), [whole.as_str(), "gap of 1", "an event"]);
    }

    #[test]
    fn the_end_of_the_server_ends_a_rest_even_if_an_event_follows() {
        let (client, server, arrivals) = queue();
        server.event(Content::Exit(ExitStatus::default()));
        // Nobody waits for the thread of the client's side, so its items may come last.
        client.event(Content::Closed(None));
        let start = Instant::now();
        for _ in 0..2 {
            arrivals.rest(Duration::from_secs(60));
        }
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn the_gap_of_the_client_comes_before_that_of_the_server() {
        let (client, server, arrivals) = queue();
        server.bytes(&vec![b'x'; ROOM], Content::Bytes);
        client.bytes(b"ask", Content::Bytes);
        server.bytes(b"answer", Content::Bytes);
        assert_eq!(arrived(&arrivals).len(), 1);
        // The client writes nothing more.
        server.bytes(b"y", Content::Bytes);
        assert_eq!(arrived(&arrivals), ["gap of 3", "gap of 6", "1 bytes"]);
    }
}
