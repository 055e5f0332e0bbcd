//! The framer against a splitter that has the whole stream.

use barewire::bytes::{Framer, Next};
use barewire::rpc::Skipper;

use crate::support::lines::{Event, Item, events};
use crate::support::texts;

/// `data` is the size of the buffer, how the stream is split, and the stream.
pub(super) fn cuts_as_with_the_whole_stream_at_hand(data: &[u8]) {
    let [capacity, split, stream @ ..] = data else {
        return;
    };
    let capacity = usize::from(*capacity).max(1);
    let stream: Vec<Item> = stream
        .iter()
        .map(|byte| match byte {
            0xFF => Item::Loss,
            byte => Item::Byte(*byte),
        })
        .collect();
    let expected = events(&stream, capacity);
    let mut framer = Framer::new(vec![0; capacity]);
    // One framer for all: at the end of a stream it is as new.
    for split in [*split, 1, 0] {
        let pieces = pieces(&stream, split);
        assert_eq!(run(&mut framer, &pieces, push), expected, "split {split}");
        assert_eq!(run(&mut framer, &pieces, read), expected, "split {split}, read into");
        unattended(&mut framer, &pieces, &expected);
    }
}

/// Pieces of `split` items; 0 is all at once, from 128 on they differ in size.
fn pieces(stream: &[Item], split: u8) -> Vec<&[Item]> {
    let mut pieces = Vec::new();
    let mut rest = stream;
    let mut state = usize::from(split);
    while !rest.is_empty() {
        state = (state * 5 + 3) % 0x1_0000;
        let size = match split {
            0 => rest.len(),
            1..128 => usize::from(split),
            _ => 1 + state / 16 % 24,
        };
        let (piece, behind) = rest.split_at(size.min(rest.len()));
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

type Buffer = Framer<Vec<u8>>;

fn push(framer: &mut Buffer, bytes: &[u8]) -> usize {
    framer.push(bytes)
}

fn read(framer: &mut Buffer, bytes: &[u8]) -> usize {
    let space = framer.space();
    let count = space.len().min(bytes.len());
    space[..count].copy_from_slice(&bytes[..count]);
    framer.commit(count);
    count
}

/// The events of a stream when each piece is looked at as it comes.
fn run(framer: &mut Buffer, pieces: &[&[Item]], put: fn(&mut Buffer, &[u8]) -> usize) -> Vec<Event> {
    let mut seen = Seen::default();
    for piece in pieces {
        for run in piece.split_inclusive(|item| *item == Item::Loss) {
            let bytes = bytes_of(run);
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let count = put(framer, rest);
                assert!(count > 0, "no room after all was handed out");
                rest = &rest[count..];
                seen.drain(framer);
            }
            if run.contains(&Item::Loss) {
                framer.lost();
                seen.drain(framer);
            }
        }
    }
    seen.note(framer.finish());
    assert_eq!(framer.finish(), Next::NeedMore);
    seen.events
}

/// When nobody looks before the buffer is full, several losses may be one; no line may differ.
fn unattended(framer: &mut Buffer, pieces: &[&[Item]], expected: &[Event]) {
    let mut seen = Seen::default();
    for run in pieces.iter().flat_map(|piece| piece.split_inclusive(|item| *item == Item::Loss)) {
        let bytes = bytes_of(run);
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let count = framer.push(rest);
            rest = &rest[count..];
            if !rest.is_empty() {
                seen.drain(framer);
            }
        }
        if run.contains(&Item::Loss) {
            framer.lost();
        }
    }
    seen.drain(framer);
    seen.note(framer.finish());
    let lines =
        |events: &[Event]| events.iter().filter(|event| **event != Event::Lost).cloned().collect::<Vec<_>>();
    assert_eq!(lines(&seen.events), lines(expected));
    let losses = |events: &[Event]| events.iter().filter(|event| **event == Event::Lost).count();
    assert!(losses(&seen.events) <= losses(expected));
    assert_eq!(losses(&seen.events) == 0, losses(expected) == 0);
}

fn bytes_of(run: &[Item]) -> Vec<u8> {
    run.iter()
        .filter_map(|item| match item {
            Item::Byte(byte) => Some(*byte),
            Item::Loss => None,
        })
        .collect()
}

/// What came out of a framer, the parts of a line joined and read by the skipper as they came.
#[derive(Default)]
struct Seen {
    events: Vec<Event>,
    parts: Vec<u8>,
    skipper: Skipper<16>,
}

impl Seen {
    fn drain(&mut self, framer: &mut Buffer) {
        while self.note(framer.next()) {}
        assert!(!framer.space().is_empty());
    }

    fn note(&mut self, next: Next<'_>) -> bool {
        let shown = match next {
            Next::Line(line) => format!("Line({})", texts::beginning(line)),
            Next::Part(part) => format!("Part({})", texts::beginning(part)),
            Next::TooLong => "TooLong".to_owned(),
            Next::Lost => "Lost".to_owned(),
            Next::NeedMore => "NeedMore".to_owned(),
        };
        assert_eq!(format!("{next:?}"), shown);
        match next {
            Next::Line(line) => {
                assert!(self.parts.is_empty(), "a line between the parts of another");
                self.events.push(Event::Line(line.to_vec()));
            }
            Next::Part(part) => {
                assert!(!part.is_empty());
                self.parts.extend_from_slice(part);
                self.skipper.feed(part);
            }
            Next::TooLong => {
                let mut whole = Skipper::<16>::new();
                whole.feed(&self.parts);
                assert_eq!(self.skipper.finish(), whole.finish());
                self.skipper.reset();
                self.events.push(Event::TooLong(core::mem::take(&mut self.parts)));
            }
            Next::Lost => {
                self.skipper.reset();
                self.parts.clear();
                self.events.push(Event::Lost);
            }
            Next::NeedMore => return false,
        }
        true
    }
}
