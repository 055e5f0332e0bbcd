//! The JSON writer: what it writes is valid, and read back as it was meant.

use barewire::bytes::{BufferFull, Sink};
use barewire::json::{RawValue, Writer, validate};

use super::numbers;
use super::writing::exactly;
use crate::support::entropy::Entropy;
use crate::support::strings::units;
use crate::support::{generate, tree};

/// One value, written into memory of any size.
fn written(write: impl Fn(&mut Writer<'_, '_>)) -> String {
    let text = exactly(|memory| {
        let mut sink = Sink::new(memory);
        write(&mut Writer::new(&mut sink));
        sink.into_written()
    });
    let mut counter = Sink::counting();
    write(&mut Writer::new(&mut counter));
    assert_eq!(counter.finish(), Err(BufferFull { needed: text.len() }));
    assert_eq!(validate(&text), Ok(()));
    String::from_utf8(text).expect("valid")
}

/// Numbers and strings.
pub(super) fn scalars_are_read_as_written(entropy: &mut Entropy<'_>) {
    let (unsigned, decimals) = (entropy.number() >> entropy.below(64), entropy.byte());
    let integer = unsigned.cast_signed().wrapping_mul(entropy.pick(&[1, -1]));
    assert_eq!(
        written(|json| {
            json.integer(integer);
        }),
        integer.to_string()
    );
    assert_eq!(
        written(|json| {
            json.unsigned(unsigned);
        }),
        unsigned.to_string()
    );
    let fixed = written(|json| {
        json.fixed(integer, decimals);
    });
    let number = RawValue::new(fixed.as_bytes()).expect("valid").as_number().expect("a number");
    assert_eq!(number.to_fixed(decimals), Ok(integer), "{fixed}");

    let double = f64::from_bits(entropy.number());
    let text = written(|json| {
        json.double(double);
    });
    match double.is_finite() {
        // Minus zero is written as zero.
        true => assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok((double + 0.0).to_bits()), "{text}"),
        false => assert_eq!(text, "null"),
    }

    let (one, other) = (generate::number(entropy), generate::number(entropy));
    for other in [&other, &format!("{one}0"), &format!("{other}1")] {
        if let (Ok(a), Ok(b)) = (RawValue::new(one.as_bytes()), RawValue::new(other.as_bytes())) {
            let [a, b] = [a, b].map(|value| value.as_number().expect("a number"));
            numbers::are_in_order((a, &one), (b, other));
        }
    }

    let (one, other) = (generate::text(entropy), generate::text(entropy));
    let string = written(|json| {
        json.string([one.as_str(), other.as_str()]);
    });
    assert_eq!(serde_json::from_str::<String>(&string).expect("a string"), [one.as_str(), &other].concat());
    assert_eq!(
        written(|json| {
            json.string([one.as_str(), &other].concat().as_str());
        }),
        string
    );
    assert_eq!(
        written(|json| {
            json.string(format_args!("{one}{other}"));
        }),
        string
    );

    let received = generate::string(entropy);
    let view = RawValue::new(received.as_bytes()).expect("generated").as_string().expect("a string");
    let decoded = written(|json| {
        json.string(view);
    });
    match serde_json::from_str::<String>(&received) {
        Ok(plain) => assert_eq!(decoded, serde_json::to_string(&plain).expect("a string")),
        Err(_) => assert_eq!(units(&decoded), units(&received)),
    }
}

/// Any value, member by member.
pub(super) fn a_value_written_again_is_the_same(entropy: &mut Entropy<'_>) {
    let text = generate::value(entropy, 4);
    let value = RawValue::new(text.as_bytes()).expect("generated");
    let raw = written(|json| {
        json.raw(value);
    });
    assert_eq!(raw, tree::compact(&text));
    let Some(expected) = compact(&text) else {
        return;
    };
    assert_eq!(written(|json| write_again(json, value)), expected);
}

fn write_again(json: &mut Writer<'_, '_>, value: RawValue<'_>) {
    if let Some(object) = value.as_object() {
        json.begin_object();
        for member in object.members() {
            json.name(&member.name.to_string());
            write_again(json, member.value);
        }
        json.end_object();
    } else if let Some(array) = value.as_array() {
        json.begin_array();
        for element in array.elements() {
            write_again(json, element);
        }
        json.end_array();
    } else if let Some(string) = value.as_string() {
        json.json_string(string);
    } else if let Some(boolean) = value.as_bool() {
        json.boolean(boolean);
    } else if value.is_null() {
        json.null();
    } else {
        json.raw(value);
    }
}

/// Without white space, and names in the writer's spelling; `None` when a name has none.
fn compact(text: &str) -> Option<String> {
    if let Some(members) = tree::members(text) {
        let members: Option<Vec<String>> = members.into_iter().map(compact_member).collect();
        return Some(format!("{{{}}}", members?.join(",")));
    }
    let Some(elements) = tree::elements(text) else {
        return Some(text.to_string());
    };
    let elements: Option<Vec<String>> = elements.into_iter().map(compact).collect();
    Some(format!("[{}]", elements?.join(",")))
}

fn compact_member((name, value): tree::Member<'_>) -> Option<String> {
    let name: String = serde_json::from_str(name).ok()?;
    Some(format!("{}:{}", serde_json::to_string(&name).ok()?, compact(value)?))
}
