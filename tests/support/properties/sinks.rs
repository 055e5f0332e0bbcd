//! Sinks and writers in too little room: what they say that they need is enough, and a byte less is not.

use barewire::bytes::{BufferFull, Mark, Sink};
use barewire::json::{RawValue, SerializeError, Writer, to_json, validate};
use barewire::mcp::{Base64, ClientCapabilities, ProtocolVersion};
use barewire::rpc::{classify, rejection_response};
use serde_json::Value;

use super::writing::exactly;
use crate::support::entropy::Entropy;
use crate::support::generate;

/// What is behind the room that a sink was given.
const GUARD: u8 = 0xA5;

/// One thing done to a sink.
#[derive(Debug, Clone)]
enum Action {
    Write(Vec<u8>),
    Mark,
    /// Back to a mark of before.
    Rollback(usize),
    Since(usize),
}

/// Writes, marks and rollbacks in any order, on a slice, a growable buffer and a counter, against a list of bytes.
pub(super) fn a_sink_holds_what_was_written(entropy: &mut Entropy<'_>) {
    let room = entropy.below(24);
    let actions: Vec<Action> = (0..entropy.below(16))
        .map(|at| match entropy.below(6) {
            0 => Action::Mark,
            1 => Action::Rollback(entropy.below(4)),
            2 => Action::Since(entropy.below(4)),
            _ => Action::Write(vec![at as u8; entropy.below(10)]),
        })
        .collect();
    let mut memory = vec![GUARD; room];
    follows(&mut Sink::new(&mut memory), room, &actions);
    in_growable(room, |sink| follows(sink, room, &actions));
    follows(&mut Sink::counting(), 0, &actions);
}

/// What was wanted is in `model`; the sink has it if it fits.
fn follows(sink: &mut Sink<'_>, room: usize, actions: &[Action]) {
    let mut model: Vec<u8> = Vec::new();
    let mut marks: Vec<(Mark, usize)> = Vec::new();
    for action in actions {
        match action {
            Action::Write(bytes) => {
                sink.write(bytes);
                model.extend_from_slice(bytes);
            }
            Action::Mark => marks.push((sink.mark(), model.len())),
            Action::Rollback(at) => {
                if let Some((mark, length)) = marks.get(*at) {
                    sink.rollback(*mark);
                    model.truncate(*length);
                    // A place that is gone is none to come back to.
                    marks.retain(|(_, length)| *length <= model.len());
                }
            }
            Action::Since(at) => {
                if let Some((mark, length)) = marks.get(*at) {
                    let expected = match model.get(*length..) {
                        Some(behind) if model.len() <= room => Ok(behind),
                        _ => Err(BufferFull { needed: model.len() }),
                    };
                    assert_eq!(sink.since(*mark), expected, "{actions:?}");
                }
            }
        }
        let fits = model.len() <= room;
        assert_eq!(sink.len(), model.len());
        assert_eq!(sink.is_empty(), model.is_empty());
        assert_eq!(sink.capacity(), room);
        assert_eq!(sink.is_full(), !fits);
        assert_eq!(sink.remaining(), room.saturating_sub(model.len()));
        let expected = match fits {
            true => Ok(model.as_slice()),
            false => Err(says_what_it_needs(BufferFull { needed: model.len() })),
        };
        assert_eq!(sink.finish(), expected, "{actions:?}");
    }
}

fn says_what_it_needs(full: BufferFull) -> BufferFull {
    let expected = format!("output does not fit, {} bytes are needed", full.needed);
    assert_eq!(full.to_string(), expected);
    assert_eq!(SerializeError::from(full).to_string(), "output does not fit");
    full
}

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
    let small = [
        0,
        1,
        2,
        3,
        needed / 4,
        needed / 2,
        needed.saturating_sub(2),
        needed.saturating_sub(1),
    ];
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

/// A buffer that grows to so many bytes, where there are such.
#[cfg(feature = "std")]
pub(super) fn in_growable(limit: usize, put: impl FnOnce(&mut Sink<'_>)) {
    let mut memory = vec![GUARD; 3];
    put(&mut Sink::growable(&mut memory, limit));
    assert!(memory.len() <= limit);
}

#[cfg(not(feature = "std"))]
pub(super) fn in_growable(_: usize, _: impl FnOnce(&mut Sink<'_>)) {}

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
            json.fixed(
                entropy.number().cast_signed() >> entropy.below(64),
                entropy.byte() % 40,
            );
        }
        5 => {
            json.double(f64::from_bits(entropy.number()));
        }
        6 => {
            json.string(&generate::text(entropy));
        }
        7 => {
            json.format(format_args!("{}{}", generate::text(entropy), entropy.byte()));
        }
        8 => {
            let bytes: Vec<u8> = (0..entropy.below(9)).map(|_| entropy.byte()).collect();
            Base64(&bytes).write(json);
        }
        9 => {
            let token = generate::string(entropy);
            let string = RawValue::new(token.as_bytes()).expect("generated").as_string();
            match entropy.once_in(2) {
                true => json.decoded_string(string.expect("a string")),
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

/// A value of the application is written whole or not at all, into a slice of any size and between other values.
pub(super) fn a_typed_value_is_written_whole(entropy: &mut Entropy<'_>) {
    let value: Value = serde_json::from_str(&decodable(entropy)).expect("generated");
    let text = serde_json::to_string(&value).expect("a value");
    let mut memory = vec![GUARD; text.len() + 8];
    let written = to_json(&Shown(&value), &mut memory).map(|value| value.to_string());
    let written = written.expect("room");
    assert_eq!(
        serde_json::from_str::<Value>(&written).ok(),
        Some(value.clone()),
        "{written}"
    );
    for less in 0..written.len() {
        let mut memory = vec![0; less];
        assert_eq!(
            to_json(&Shown(&value), &mut memory),
            Err(SerializeError::BufferFull)
        );
    }
    let before = generate::text(entropy);
    let room = entropy.below(60);
    let mut memory = vec![GUARD; room];
    let mut sink = Sink::new(&mut memory);
    let mut json = Writer::new(&mut sink);
    json.begin_array().string(&before);
    assert!(json.serialize(&Shown(&value)).is_ok());
    json.null().end_array();
    let expected = format!("[{},{written},null]", Value::from(before));
    match sink.finish() {
        Ok(text) => assert_eq!(text, expected.as_bytes()),
        Err(BufferFull { needed }) => assert!(needed > room && expected.len() > room, "{expected} in {room}"),
    }
    in_growable(1 << 16, |sink| {
        let mut json = Writer::new(sink);
        assert!(json.begin_array().serialize(&Shown(&value)).is_ok());
        json.end_array();
        assert_eq!(sink.finish(), Ok(format!("[{written}]").as_bytes()));
    });
}

/// A value without floats and without numbers beyond 64 bits, whose text is not defined by one format alone.
fn decodable(entropy: &mut Entropy<'_>) -> String {
    let name = Value::from(generate::text(entropy));
    let text = Value::from(generate::text(entropy));
    let number = entropy.number().cast_signed() >> entropy.below(64);
    match entropy.below(4) {
        0 => number.to_string(),
        1 => text.to_string(),
        2 => format!("[{number},{text},[],{{}},null,true]"),
        _ => format!("{{{name}:{{\"x\":[{text}]}},\"y\":{number}}}"),
    }
}

/// A tree as the types of an application are: maps and sequences, no tricks of serde_json's own.
struct Shown<'v>(&'v Value);

impl serde::Serialize for Shown<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_none(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(number) => serializer.serialize_i64(number.as_i64().unwrap_or_default()),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(elements) => serializer.collect_seq(elements.iter().map(Shown)),
            Value::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, Shown(value))))
            }
        }
    }
}

/// The answer that a frame is owed that is no message, in room of any size.
pub(super) fn a_rejection_says_what_it_needs(entropy: &mut Entropy<'_>) {
    let frame = generate::message(entropy);
    let Err(rejection) = classify(&frame) else {
        return;
    };
    let mut large = vec![0; frame.len() + 200];
    let Some(expected) = rejection_response(&mut large, &rejection)
        .expect("room")
        .map(<[u8]>::to_vec)
    else {
        assert_eq!(rejection_response(&mut [], &rejection), Ok(None));
        return;
    };
    let written =
        exactly(|memory| rejection_response(memory, &rejection).map(|line| line.expect("as before")));
    assert_eq!(written, expected);
    assert!(serde_json::from_slice::<Value>(&written).is_ok() || frame.contains(&b'\\'));
}
