//! Sinks in too little room: what they say that is needed is enough, and a byte less is not.

use barewire::bytes::{BufferFull, Mark, Sink};
use barewire::json::{SerializeError, Writer, to_json};
use barewire::rpc::{classify, rejection_response};
use serde_json::Value;

use super::writing::exactly;
use crate::support::entropy::Entropy;
use crate::support::generate;

/// What is behind the room that a sink was given.
pub(super) const GUARD: u8 = 0xA5;

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

/// A buffer that grows to so many bytes, where there are such.
#[cfg(feature = "std")]
pub(super) fn in_growable(limit: usize, put: impl FnOnce(&mut Sink<'_>)) {
    let mut memory = vec![GUARD; 3];
    put(&mut Sink::growable(&mut memory, limit));
    assert!(memory.len() <= limit);
}

#[cfg(not(feature = "std"))]
pub(super) fn in_growable(_: usize, _: impl FnOnce(&mut Sink<'_>)) {}

/// A value of the application is written whole or not at all, into a slice of any size and between other values.
pub(super) fn a_typed_value_is_written_whole(entropy: &mut Entropy<'_>) {
    let value: Value = serde_json::from_str(&decodable(entropy)).expect("generated");
    let text = serde_json::to_string(&value).expect("a value");
    let mut memory = vec![GUARD; text.len() + 8];
    let written = to_json(&Shown(&value), &mut memory).map(|value| value.to_string());
    let written = written.expect("room");
    assert_eq!(serde_json::from_str::<Value>(&written).ok(), Some(value.clone()), "{written}");
    for less in 0..written.len() {
        let mut memory = vec![0; less];
        assert_eq!(to_json(&Shown(&value), &mut memory), Err(SerializeError::BufferFull));
    }
    let before = generate::text(entropy);
    let room = entropy.below(60);
    let mut memory = vec![GUARD; room];
    let mut sink = Sink::new(&mut memory);
    let mut json = Writer::new(&mut sink);
    json.begin_array().string(before.as_str());
    assert!(json.serialize(&Shown(&value)).is_ok());
    json.null().end_array();
    let expected = format!("[{},{written},null]", Value::from(before));
    match sink.finish() {
        Ok(text) => assert_eq!(text, expected.as_bytes()),
        Err(BufferFull { needed }) => {
            assert!(needed == expected.len() && needed > room, "{expected} in {room}");
        }
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
    let Some(expected) = rejection_response(&mut large, &rejection).expect("room").map(<[u8]>::to_vec) else {
        assert_eq!(rejection_response(&mut [], &rejection), Ok(None));
        return;
    };
    let written =
        exactly(|memory| rejection_response(memory, &rejection).map(|line| line.expect("as before")));
    assert_eq!(written, expected);
    assert!(serde_json::from_slice::<Value>(&written).is_ok() || frame.contains(&b'\\'));
}
