extern crate std;
use super::*;
use std::string::{String, ToString};
use std::vec::Vec;
#[cfg(feature = "std")]
use std::{borrow::Cow, boxed::Box, sync::Arc};

fn written(write: impl FnOnce(&mut Writer<'_, '_>)) -> String {
    let mut memory = [0; 2048];
    let mut sink = Sink::new(&mut memory);
    write(&mut Writer::new(&mut sink));
    core::str::from_utf8(sink.finish().unwrap()).unwrap().to_string()
}

#[test]
fn a_writer_begins_again_where_its_sink_was_rolled_back() {
    let text = written(|json| {
        let before = json.sink().mark();
        json.begin_array().integer(1);
        json.sink().rollback(before);
        json.restart();
        json.integer(2);
    });
    assert_eq!(text, "2");
}

#[test]
fn integers_and_fixed_point() {
    let cases = [
        (0, 0, "0"),
        (7, 0, "7"),
        (-7, 0, "-7"),
        (i64::MAX, 0, "9223372036854775807"),
        (i64::MIN, 0, "-9223372036854775808"),
        (2375, 2, "23.75"),
        (-5, 2, "-0.05"),
        (0, 3, "0.000"),
        (100, 2, "1.00"),
        (10, 1, "1.0"),
    ];
    for (value, decimals, expected) in cases {
        assert_eq!(
            written(|json| {
                json.fixed(value, decimals);
            }),
            expected
        );
    }
    assert_eq!(
        written(|json| {
            json.unsigned(u64::MAX);
        }),
        u64::MAX.to_string()
    );
    let long = written(|json| {
        json.fixed(i64::MIN, 255);
    });
    assert_eq!(long.len(), 1 + 1 + 1 + 255);
    assert!(long.starts_with("-0.000") && long.ends_with("9223372036854775808"));
}

#[test]
fn doubles_as_ecmascript_prints_them() {
    let cases = [
        (0.1 + 0.2, "0.30000000000000004"),
        (3.5, "3.5"),
        (1e21, "1e+21"),
        (123456789012345680000.0, "123456789012345680000"),
        (-0.0, "0"),
        (1e-7, "1e-7"),
        (f64::NAN, "null"),
        (f64::INFINITY, "null"),
    ];
    for (value, expected) in cases {
        assert_eq!(
            written(|json| {
                json.double(value);
            }),
            expected
        );
    }
}

#[test]
fn control_characters_are_escaped_and_nothing_else_is() {
    let all: String = (0u8..0x80).map(char::from).chain("é😀\u{2028}".chars()).collect();
    let text = written(|json| {
        json.string(all.as_str());
    });
    assert_eq!(serde_json::from_str::<String>(&text).unwrap(), all);
    assert!(text.contains(r"\u0000") && text.contains(r"\u001f") && text.contains("\u{7f}é😀\u{2028}"));
    assert_eq!(
        written(|json| {
            json.string(["a\"", "b"]);
        }),
        r#""a\"b""#
    );
}

#[test]
fn texts_are_those_that_display_gives() {
    let mut expected = Vec::new();
    let text = written(|json| {
        json.begin_array();
        macro_rules! each {
            ($($value:expr),* $(,)?) => {$(
                json.string($value).string(&$value);
                expected.extend([$value.to_string(), $value.to_string()]);
            )*};
        }
        each![i8::MIN, i16::MIN, i32::MIN, i64::MIN, isize::MIN, i128::MIN, 0_i64, i64::MAX];
        each![u8::MAX, u16::MAX, u32::MAX, u64::MAX, usize::MAX, u128::MAX];
        each![0.1_f32, 21.5_f64, f64::NAN, true, false, 'a', '"', '\n', '😀'];
        each!["a\"b", "long enough for the slow way", "c"];
        each![format_args!("{:?}", Some("e")), heapless::String::<4>::try_from("f").unwrap()];
        #[cfg(feature = "std")]
        each![String::from("g"), Cow::Borrowed("h"), Box::<str>::from("i"), Arc::<str>::from("j")];
        json.end_array();
    });
    assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), expected);
}

#[test]
fn decoded_strings_keep_no_escape_but_those_they_need() {
    let cases = [
        (r"plain 日本", r#""plain 日本""#),
        (r"\u0061\/\ud83d\ude00z", r#""a/😀z""#),
        (r#"\"\\\n\u0001"#, r#""\"\\\n\u0001""#),
        (r"a\ud83db\uDE00", r#""a\ud83db\uDE00""#),
        ("", r#""""#),
    ];
    for (escaped, expected) in cases {
        let found = written(|json| {
            json.string(JsonStr::from_escaped(escaped).unwrap());
        });
        assert_eq!(found, expected);
    }
}

#[test]
fn quoted_text_is_the_json_text_as_a_string() {
    let text = written(|json| {
        json.begin_array();
        json.quoted(|json| {
            json.begin_object().name("a\"").string("b\\n\n");
            json.name("plain").string("as it is").end_object();
        });
        json.quoted(|json| {
            json.integer(5);
        });
        json.string(format_args!("{}\"{}", 1, '\n'));
        json.end_array();
    });
    let found: [String; 3] = serde_json::from_str(&text).unwrap();
    let object = r#"{"a\"":"b\\n\n","plain":"as it is"}"#;
    assert_eq!(found, [object, "5", "1\"\n"]);
}

#[test]
fn raw_values_lose_the_white_space_between_their_tokens() {
    let value = RawValue::new(b"{ \"a b\" :\n[ 1 ,\t\"\\\" \", true\r] , \"c\":{ } }").unwrap();
    let expected = r#"{"a b":[1,"\" ",true],"c":{}}"#;
    assert_eq!(
        written(|json| {
            json.raw(value);
        }),
        expected
    );
    let quoted = written(|json| {
        json.quoted(|json| {
            json.raw(value);
        });
    });
    assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), expected);
}

#[test]
fn serialized_values_can_be_quoted_too() {
    #[derive(Serialize)]
    struct Reading<'a> {
        label: &'a str,
        level: u8,
    }
    let reading = Reading { label: "q\"\\\n", level: 7 };
    let text = written(|json| {
        json.begin_array().boolean(true);
        json.quoted(|json| {
            json.begin_array().serialize(&reading).unwrap().end_array();
        });
        json.serialize(&reading).unwrap().end_array();
    });
    let (_, quoted, plain): (bool, String, serde_json::Value) = serde_json::from_str(&text).unwrap();
    let inner: [serde_json::Value; 1] = serde_json::from_str(&quoted).unwrap();
    assert_eq!(inner[0], plain);
    assert_eq!(plain["label"], "q\"\\\n");
}

#[test]
fn commas_stand_between_values_only() {
    let text = written(|json| {
        json.begin_object();
        json.name("a").begin_array().end_array();
        json.name("b").begin_array();
        json.null().boolean(true).begin_object().end_object();
        json.end_array();
        json.name("c").string("x");
        json.end_object();
    });
    assert_eq!(text, r#"{"a":[],"b":[null,true,{}],"c":"x"}"#);
}
