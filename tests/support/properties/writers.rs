//! Writers in too little room: what they say that they need is enough, and a byte less is not.

use barewire::bytes::{BufferFull, Sink};
use barewire::json::{RawValue, Writer, validate};
use barewire::mcp::{Base64, ClientCapabilities, ProtocolVersion};

use super::sinks::{GUARD, in_growable};
use crate::support::entropy::Entropy;
use crate::support::generate;

/// A tree of values of any kind, each by another method of the writer.
pub(super) fn a_writer_says_what_it_needs(entropy: &mut Entropy<'_>) {
    let choices = entropy.clone();
    let text = in_any_room(|json| {
        let mut entropy = choices.clone();
        write_any(json, &mut entropy, 3);
    });
    // Nothing else was asked of the writer the second time.
    let mut twin = entropy.clone();
    let mut memory = vec![0; text.len()];
    let mut sink = Sink::new(&mut memory);
    write_any(&mut Writer::new(&mut sink), &mut twin, 3);
    *entropy = twin;
    assert_eq!(validate(&text), Ok(()), "{}", text.escape_ascii());
    assert!(serde_json::from_slice::<&serde_json::value::RawValue>(&text).is_ok());
}

/// What `write` writes. In each room up to a few bytes more than it needs, it says the same; and nothing is touched
/// behind what was written.
fn in_any_room(write: impl Fn(&mut Writer<'_, '_>)) -> Vec<u8> {
    let mut counter = Sink::counting();
    write(&mut Writer::new(&mut counter));
    let needed = counter.len();
    let mut text = Vec::new();
    // A few rooms of the many that are too small.
    let small = [0, 1, 2, 3, needed / 4, needed / 2, needed.saturating_sub(2), needed.saturating_sub(1)];
    for room in small.into_iter().filter(|room| *room < needed) {
        let mut memory = vec![GUARD; room];
        let mut sink = Sink::new(&mut memory);
        write(&mut Writer::new(&mut sink));
        assert_eq!(sink.finish(), Err(BufferFull { needed }));
    }
    for room in [needed, needed + 1, needed + 40] {
        let mut memory = vec![GUARD; room];
        let mut sink = Sink::new(&mut memory);
        write(&mut Writer::new(&mut sink));
        assert_eq!(sink.finish().map(<[u8]>::len), Ok(needed));
        assert!(memory[needed..].iter().all(|byte| *byte == GUARD));
        memory.truncate(needed);
        text = memory;
    }
    in_growable(needed, |sink| {
        write(&mut Writer::new(sink));
        assert_eq!(sink.finish(), Ok(text.as_slice()));
    });
    text
}

/// One value. Typed values are not among them: what they need is not known before they fit.
fn write_any(json: &mut Writer<'_, '_>, entropy: &mut Entropy<'_>, depth: usize) {
    match entropy.below(if depth == 0 { 11 } else { 14 }) {
        0 => {
            json.null();
        }
        1 => {
            json.boolean(entropy.once_in(2));
        }
        2 => {
            json.integer(entropy.number().cast_signed() >> entropy.below(64));
        }
        3 => {
            json.unsigned(entropy.number() >> entropy.below(64));
        }
        4 => {
            json.fixed(entropy.number().cast_signed() >> entropy.below(64), entropy.byte() % 40);
        }
        5 => {
            json.double(f64::from_bits(entropy.number()));
        }
        6 => {
            json.string(generate::text(entropy).as_str());
        }
        7 => {
            json.string(format_args!("{}{}", generate::text(entropy), entropy.byte()));
        }
        8 => {
            let bytes: Vec<u8> = (0..entropy.below(9)).map(|_| entropy.byte()).collect();
            Base64(&bytes).write(json);
        }
        9 => {
            let token = generate::string(entropy);
            let string = RawValue::new(token.as_bytes()).expect("generated").as_string();
            match entropy.once_in(2) {
                true => json.string(string.expect("a string")),
                false => json.json_string(string.expect("a string")),
            };
        }
        10 => {
            let text = generate::value(entropy, 2);
            json.raw(RawValue::new(text.as_bytes()).expect("generated"));
        }
        11 => {
            json.begin_array();
            for _ in 0..entropy.below(4) {
                write_any(json, entropy, depth - 1);
            }
            json.end_array();
        }
        12 => {
            let version = entropy.pick(&ProtocolVersion::ALL);
            let text = generate::object(entropy, 3);
            let object = RawValue::new(text.as_bytes()).expect("generated").as_object();
            ClientCapabilities::from_object(object.expect("an object")).write(json, version);
        }
        _ => {
            json.begin_object();
            for _ in 0..entropy.below(4) {
                match entropy.below(3) {
                    0 => json.name(&generate::text(entropy)),
                    1 => {
                        let name = generate::string(entropy);
                        let name = RawValue::new(name.as_bytes()).expect("generated").as_string();
                        json.json_name(name.expect("a string"))
                    }
                    _ => json.name("x"),
                };
                write_any(json, entropy, depth - 1);
            }
            json.end_object();
        }
    }
}
