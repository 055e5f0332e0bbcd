//! Every string over an alphabet of JSON's tokens, through the scanner and serde_json.

use barewire::json::validate;
use barewire::rpc::{Reason, classify};
use serde::de::IgnoredAny;

use crate::support::fault;
use crate::{Form, Tried, in_parallel};

/// One of each kind of byte that the grammar tells apart, as far as 17 go.
const ALPHABET: &[u8; 17] = b"{}[]\":,0-.1e\\u t\x01";

/// The longest string of which all are tried, the longest of which kind and place of the fault are compared too, and the
/// longest that is put into every place of a long text.
struct Lengths {
    judged: u32,
    explained: u32,
    embedded: u32,
}

pub(crate) fn run(form: Form) -> Vec<Tried> {
    let lengths = match form {
        Form::Short => Lengths { judged: 6, explained: 5, embedded: 3 },
        Form::Long => Lengths { judged: 8, explained: 6, embedded: 4 },
    };
    let judged = every(lengths.judged, is_judged_alike);
    let explained = every(lengths.explained, is_explained_alike);
    let mut places = 0;
    for around in &FILLERS {
        places += every(lengths.embedded, |text| {
            for before in 0..=FILLED {
                is_judged_alike(&around.embed(text, before));
            }
        }) * (FILLED as u64 + 1);
    }
    vec![
        Tried { what: format!("strings up to length {}: accepted or not", lengths.judged), count: judged },
        Tried {
            what: format!("strings up to length {}: kind and place of the fault", lengths.explained),
            count: explained,
        },
        Tried {
            what: format!("strings up to length {} in each place of a long text", lengths.embedded),
            count: places,
        },
    ]
}

/// Calls `check` with every string up to this length, the empty one included, and counts them.
fn every(longest: u32, check: impl Fn(&[u8]) + Sync) -> u64 {
    let size = ALPHABET.len();
    let mut count = 0;
    for length in 0..=longest {
        // The first two bytes share the work out.
        let heads = size.pow(length.min(2));
        let tails = size.pow(length.saturating_sub(2));
        in_parallel(heads, |head| {
            let mut text = vec![0; length as usize];
            for tail in 0..tails {
                let mut rest = head * tails + tail;
                for byte in text.iter_mut().rev() {
                    *byte = ALPHABET[rest % size];
                    rest /= size;
                }
                check(&text);
            }
        });
        count += heads as u64 * tails as u64;
    }
    count
}

fn is_judged_alike(text: &[u8]) {
    let is_json = serde_json::from_slice::<IgnoredAny>(text).is_ok() && core::str::from_utf8(text).is_ok();
    assert_eq!(validate(text).is_ok(), is_json, "{}", text.escape_ascii());
    let is_not_json = match classify(text) {
        Ok(_) => false,
        Err(rejection) => matches!(rejection.reason(), Reason::NotJson(_)),
    };
    assert_eq!(is_not_json, !is_json, "{} as a frame", text.escape_ascii());
}

fn is_explained_alike(text: &[u8]) {
    let found = validate(text).err().map(|error| (error.kind(), error.offset()));
    assert_eq!(found, fault::first(text, 128), "{}", text.escape_ascii());
}

/// How many times a filler stands around a string: more than a scanner takes in one step.
const FILLED: usize = 80;

/// What stands around a string.
struct Filler {
    open: &'static str,
    fill: &'static str,
    close: &'static str,
}

const FILLERS: [Filler; 5] = [
    Filler::new("\"", "a", "\""),
    Filler::new("\"", "\u{e9}", "\""),
    Filler::new("\"", r"\n", "\""),
    Filler::new("[", " ", "]"),
    Filler::new("1", "1", "1"),
];

impl Filler {
    const fn new(open: &'static str, fill: &'static str, close: &'static str) -> Self {
        Self { open, fill, close }
    }

    /// `text` behind the opening and `before` fillers, and before the rest of them.
    fn embed(&self, text: &[u8], before: usize) -> Vec<u8> {
        let fill = |count| self.fill.repeat(count).into_bytes();
        [self.open.as_bytes(), &fill(before), text, &fill(FILLED - before), self.close.as_bytes()].concat()
    }
}
