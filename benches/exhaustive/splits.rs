//! Every way to receive a session in two or three chunks, through the framer, and in two through a server.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use barewire::bytes::{Framer, Next, Sink};
use barewire::demo::{Demo, NoHost};

use crate::support::hosted::{Hosted, Status};
use crate::support::lines::{Event, Item, events};
use crate::{Form, Tried, in_parallel};

/// Up to here every split into three is tried, beyond it a share.
const ALL_SPLITS: usize = 2048;

/// Where all splits are too many.
const SEEDED: usize = 100_000;

/// Sizes of the buffer: most lines do not fit, some do, all do.
const CAPACITIES: [usize; 3] = [64, 240, 1 << 15];

pub(crate) fn run(form: Form) -> Vec<Tried> {
    let sessions = sessions();
    let in_two: u64 = sessions.iter().map(|session| in_two(session)).sum();
    let in_three: u64 = sessions.iter().map(|session| in_three(session, form)).sum();
    vec![
        Tried {
            what: format!(
                "splits in two of {} sessions, over {} buffers and through a server",
                sessions.len(),
                CAPACITIES.len()
            ),
            count: in_two,
        },
        Tried { what: format!("splits in three, over {} buffers", CAPACITIES.len()), count: in_three },
    ]
}

/// What the client sends in each of `tests/transcripts`, and how that begins, up to the length of which all is tried.
fn sessions() -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let mut sessions = Vec::new();
    for entry in fs::read_dir(directory).expect("transcripts") {
        let text = fs::read_to_string(entry.expect("an entry").path()).expect("a transcript");
        let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("> ")).collect();
        let session = format!("\u{feff}{}\r\n\n{}\n", lines[0], lines[1..].join("\n")).into_bytes();
        let beginning = session[..session.len().min(ALL_SPLITS)].to_vec();
        sessions.push(session);
        sessions.push(beginning);
    }
    assert_eq!(sessions.len(), 14);
    sessions
}

fn in_two(session: &[u8]) -> u64 {
    let expected = CAPACITIES.map(|capacity| events_of(session, capacity));
    let whole = served(&[session]);
    assert!(!whole.is_empty());
    in_parallel(session.len() + 1, |at| {
        let (first, second) = session.split_at(at);
        for (capacity, expected) in CAPACITIES.iter().zip(&expected) {
            assert_eq!(framed(&[first, second], *capacity), *expected, "split at {at}");
        }
        assert_eq!(served(&[first, second]), whole, "split at {at}");
    });
    session.len() as u64 + 1
}

fn in_three(session: &[u8], form: Form) -> u64 {
    let expected = CAPACITIES.map(|capacity| events_of(session, capacity));
    let check = |first: usize, second: usize| {
        let chunks = [&session[..first], &session[first..second], &session[second..]];
        for (capacity, expected) in CAPACITIES.iter().zip(&expected) {
            assert_eq!(framed(&chunks, *capacity), *expected, "split at {first}, {second}");
        }
    };
    let is_all = session.len() <= ALL_SPLITS && form == Form::Long;
    if !is_all {
        let seeded = match form {
            Form::Short => SEEDED / 50,
            Form::Long => SEEDED,
        };
        in_parallel(seeded, |seed| {
            let [a, b] = [mixed(seed as u64 * 2), mixed(seed as u64 * 2 + 1)]
                .map(|number| (number % (session.len() as u64 + 1)) as usize);
            check(a.min(b), a.max(b));
        });
        return seeded as u64;
    }
    let count = AtomicU64::new(0);
    in_parallel(session.len() + 1, |first| {
        for second in first..=session.len() {
            check(first, second);
        }
        count.fetch_add((session.len() + 1 - first) as u64, Ordering::Relaxed);
    });
    count.into_inner()
}

/// The same number for the same seed, every bit of it depending on every one of the seed (SplitMix64).
fn mixed(seed: u64) -> u64 {
    let mut number = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

fn events_of(session: &[u8], capacity: usize) -> Vec<Event> {
    let items: Vec<Item> = session.iter().copied().map(Item::Byte).collect();
    events(&items, capacity)
}

/// What a framer makes of these chunks.
fn framed(chunks: &[&[u8]], capacity: usize) -> Vec<Event> {
    let mut framer = Framer::new(vec![0; capacity]);
    let mut seen = Vec::new();
    let mut parts = Vec::new();
    let mut note = |next: Next<'_>| {
        match next {
            Next::Line(line) => seen.push(Event::Line(line.to_vec())),
            Next::Part(part) => parts.extend_from_slice(part),
            Next::TooLong => seen.push(Event::TooLong(core::mem::take(&mut parts))),
            Next::Lost => panic!("nothing was lost"),
            Next::NeedMore => return false,
        }
        true
    };
    for chunk in chunks {
        let mut rest = *chunk;
        while !rest.is_empty() {
            rest = &rest[framer.push(rest)..];
            while note(framer.next()) {}
        }
    }
    note(framer.finish());
    seen
}

/// What the demo server answers to these chunks.
fn served(chunks: &[&[u8]]) -> Vec<u8> {
    let mut server = Hosted::new(Demo::new(NoHost));
    let mut framer = Framer::new(vec![0; 1 << 15]);
    let mut output = Vec::new();
    let mut memory = vec![0; 1 << 15];
    let mut serve = |next: Next<'_>| {
        loop {
            let mut out = Sink::new(&mut memory);
            let status = server.receive(next, &mut out);
            output.extend_from_slice(out.finish().expect("room"));
            match status {
                None => return false,
                Some(Status::Done) => return true,
                Some(Status::More) => {}
            }
        }
    };
    for chunk in chunks {
        let mut rest = *chunk;
        while !rest.is_empty() {
            rest = &rest[framer.push(rest)..];
            while serve(framer.next()) {}
        }
    }
    serve(framer.finish());
    output
}
