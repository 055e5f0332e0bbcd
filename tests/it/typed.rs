//! Typed access: values into derived types, and out of them.

#[cfg(feature = "std")]
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use barewire::bytes::{BufferFull, Sink};
use barewire::json::{JsonStr, ParseError, RawValue, SerializeError, Writer, to_json};
use serde::{Deserialize, Serialize};

fn value(text: &str) -> RawValue<'_> {
    RawValue::new(text.as_bytes()).unwrap()
}

#[cfg(feature = "std")]
fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ParseError> {
    value(text).parse()
}

#[cfg(not(feature = "std"))]
fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ParseError> {
    value(text).parse_in(vec![0; text.len()].leak())
}

#[derive(Debug, PartialEq, Deserialize)]
struct Blink<'a> {
    pin: u8,
    #[serde(borrow)]
    label: JsonStr<'a>,
    times: Option<u16>,
    #[serde(default)]
    fast: bool,
}

#[test]
fn a_struct_with_borrowed_strings() {
    let blink: Blink<'_> = parse(r#"{"pin":4,"label":"desk \ud83d\udca1","times":3,"fast":true}"#).unwrap();
    assert_eq!((blink.pin, blink.times, blink.fast), (4, Some(3), true));
    assert_eq!(blink.label, "desk 💡");
    let blink: Blink<'_> = parse(r#" { "label" : "" , "pin" : 255 } "#).unwrap();
    assert_eq!((blink.pin, blink.times, blink.fast), (255, None, false));
    assert!(parse::<Blink<'_>>(r#"{"pin":1,"label":"x","times":null}"#).unwrap().times.is_none());
}

#[test]
fn names_are_compared_after_unescaping() {
    let blink: Blink<'_> = parse(r#"{"p\u0069n":4,"\u006Cabel":"a\/b","f\u0061st":true}"#).unwrap();
    assert_eq!((blink.pin, blink.fast), (4, true));
    assert_eq!(blink.label, "a/b");
    assert_eq!(parse::<Blink<'_>>(r#"{"pin":4,"p\u0069n":5,"label":""}"#), Err(ParseError::RepeatedMember));
}

#[test]
fn what_does_not_fit_says_why() {
    use ParseError::{InvalidNumber, MissingMember, RepeatedMember, WrongKind};
    let rows = [
        (r#"{"label":""}"#, MissingMember),
        (r#"{"pin":1}"#, MissingMember),
        (r#"{"pin":1,"label":"","pin":1}"#, RepeatedMember),
        (r#"{"pin":"1","label":""}"#, WrongKind),
        (r#"{"pin":true,"label":""}"#, WrongKind),
        (r#"{"pin":null,"label":""}"#, WrongKind),
        (r#"{"pin":[1],"label":""}"#, WrongKind),
        (r#"{"pin":1,"label":1}"#, WrongKind),
        (r#"{"pin":1,"label":null}"#, WrongKind),
        (r#"{"pin":1,"label":"","fast":1}"#, WrongKind),
        (r#"{"pin":1,"label":"","fast":"true"}"#, WrongKind),
        (r#"{"pin":1,"label":"","times":"3"}"#, WrongKind),
        (r#"{"pin":256,"label":""}"#, InvalidNumber),
        (r#"{"pin":-1,"label":""}"#, InvalidNumber),
        (r#"{"pin":1.5,"label":""}"#, InvalidNumber),
        (r#"{"pin":1e-1,"label":""}"#, InvalidNumber),
        (r#"{"pin":256.0,"label":""}"#, InvalidNumber),
        (r#"{"pin":-1e0,"label":""}"#, InvalidNumber),
        (r#"{"pin":1,"label":"","times":65536}"#, InvalidNumber),
        (r#"[1,"x"]"#, WrongKind),
        ("7", WrongKind),
        ("null", WrongKind),
    ];
    for (text, error) in rows {
        assert_eq!(parse::<Blink<'_>>(text), Err(error), "{text}");
    }
}

#[test]
fn integers_at_their_limits() {
    assert_eq!(parse("-128"), Ok(i8::MIN));
    assert_eq!(parse::<i8>("-129"), Err(ParseError::InvalidNumber));
    assert_eq!(parse("18446744073709551615"), Ok(u64::MAX));
    assert_eq!(parse::<u64>("18446744073709551616"), Err(ParseError::InvalidNumber));
    assert_eq!(parse("-9223372036854775808"), Ok(i64::MIN));
    assert_eq!(parse::<i64>("-9223372036854775809"), Err(ParseError::InvalidNumber));
    assert_eq!(parse::<i64>("123456789012345678901234567890"), Err(ParseError::InvalidNumber));
    assert_eq!(parse("-0"), Ok(0i32));
    assert_eq!(parse("0.0"), Ok(0i32));
    assert_eq!(parse("-1.28e2"), Ok(i8::MIN));
    assert_eq!(parse::<i8>("1.28e2"), Err(ParseError::InvalidNumber));
    assert_eq!(parse("65535.0"), Ok(u16::MAX));
    assert_eq!(parse::<u16>("65536.0"), Err(ParseError::InvalidNumber));
    assert_eq!(parse("-3276.80e1"), Ok(i16::MIN));
    assert_eq!(parse("4294967295e0"), Ok(u32::MAX));
    assert_eq!(parse("9007199254740993.0"), Ok(9_007_199_254_740_993_i64));
    assert_eq!(parse("1844674407370955161.5e1"), Ok(u64::MAX));
    assert_eq!(parse::<u64>("1844674407370955161.51e1"), Err(ParseError::InvalidNumber));
    assert_eq!(parse::<i64>("1e-99999999999999999999"), Err(ParseError::InvalidNumber));
    assert_eq!(parse::<i64>("1e99999999999999999999"), Err(ParseError::InvalidNumber));
    assert_eq!(parse("-5.0"), Ok(-5_i128));
    assert_eq!(parse("18446744073709551615"), Ok(i128::from(u64::MAX)));
    assert_eq!(parse("18446744073709551615"), Ok(u128::from(u64::MAX)));
    assert_eq!(parse::<u128>("18446744073709551616"), Err(ParseError::InvalidNumber));
    assert_eq!(parse::<i128>("-9223372036854775809"), Err(ParseError::InvalidNumber));
    assert_eq!(parse::<i128>("\"1\""), Err(ParseError::WrongKind));
}

#[test]
fn floats_take_numbers_alone() {
    assert_eq!(parse("0.1"), Ok(0.1));
    assert_eq!(parse("-1E3"), Ok(-1000.0f32));
    assert_eq!(parse("7"), Ok(7.0));
    assert_eq!(parse("1e400"), Ok(f64::INFINITY));
    assert_eq!(parse::<Option<f64>>("null"), Ok(None));
    for other in [r#""1.5""#, "null", "true", "[]", "{}"] {
        assert_eq!(parse::<f64>(other), Err(ParseError::WrongKind), "{other}");
        assert_eq!(parse::<f32>(other), Err(ParseError::WrongKind), "{other}");
    }
}

#[test]
fn strings_into_memory_of_their_own() {
    let nine_bytes = r#""t\u0065xt \ud83d\ude00""#;
    let text: heapless::String<9> = parse(nine_bytes).unwrap();
    assert_eq!(text, "text 😀");
    assert_eq!(parse::<heapless::String<8>>(nine_bytes), Err(ParseError::Refused));
    assert_eq!(parse::<heapless::String<4>>(r#""12345""#), Err(ParseError::Refused));
    assert_eq!(parse::<String>(r#""\ud83d""#), Err(ParseError::LoneSurrogate));
    assert_eq!(parse::<char>(r#""\u00e9""#), Ok('é'));
    assert_eq!(parse::<char>(r#""ab""#), Err(ParseError::Refused));

    for (name, piece, decoded) in [
        ("without escapes", "a", "a"),
        ("with one escape", "\\n", "\n"),
        ("with a pair of escapes", "\\ud83d\\ude00", "😀"),
    ] {
        for count in [1, 256, 257, 10_000] {
            let text = format!(r#""{}""#, piece.repeat(count));
            let expected = decoded.repeat(count);
            assert_eq!(parse::<String>(&text).as_deref(), Ok(&*expected), "{count} {name}");
            assert_eq!(parse::<Box<str>>(&text).as_deref(), Ok(&*expected), "{count} {name}");
            let named = parse::<BTreeMap<String, u8>>(&format!("{{{text}:1}}")).expect("a map");
            assert_eq!(named, BTreeMap::from([(expected, 1)]), "{count} {name}");
        }
    }
}

/// `&str` borrows from the scratch, and a `String` only uses it.
#[test]
fn strings_with_escapes_are_decoded_into_the_scratch() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Arguments<'a> {
        a: &'a str,
        b: Option<&'a str>,
        c: Option<String>,
        d: Option<heapless::String<9>>,
        e: Option<char>,
        f: Option<heapless::String<8>>,
        #[serde(borrow)]
        g: Option<JsonStr<'a>>,
    }
    let full = |needed| Err(ParseError::ScratchFull { needed });
    let read = |text: &str, size: usize| {
        let mut scratch = vec![0; size];
        let arguments = value(text).parse_in::<Arguments<'_>>(&mut scratch)?;
        let rest = [
            arguments.b.map(str::to_owned),
            arguments.c,
            arguments.d.map(|d| d.to_string()),
            arguments.e.map(String::from),
            arguments.f.map(|f| f.to_string()),
            arguments.g.map(|g| g.to_string()),
        ];
        Ok([Some(arguments.a.to_owned())].into_iter().chain(rest).flatten().collect::<Vec<_>>().join("|"))
    };
    for (name, text, size, expected) in [
        ("nothing is escaped", r#"{"a":"x","c":"y","e":"z","f":"w"}"#, 0, Ok("x|y|z|w")),
        ("a string", r#"{"a":"\n"}"#, 1, Ok("\n")),
        ("a string that does not fit", r#"{"a":"x\ny"}"#, 2, full(3)),
        ("no scratch at all", r#"{"a":"\n"}"#, 0, full(1)),
        ("two strings", r#"{"a":"\n1","b":"\n23"}"#, 5, Ok("\n1|\n23")),
        ("two strings, the second too long", r#"{"a":"\n1","b":"\n23"}"#, 4, full(5)),
        (
            "an owned string gives its memory back",
            r#"{"c":"\n234","a":"\n2","d":"\n2","f":"\n"}"#,
            5,
            Ok("\n2|\n234|\n2|\n"),
        ),
        ("an owned string that does not fit", r#"{"a":"\n2","c":"\n234"}"#, 5, full(6)),
        ("a character needs none", r#"{"a":"","e":"\u00e9"}"#, 0, Ok("|é")),
        ("the escaped form needs none", r#"{"a":"","g":"\n\t"}"#, 0, Ok("|\n\t")),
        ("several bytes each", r#"{"a":"\ud83d\ude00\u00e9"}"#, 6, Ok("😀é")),
        ("an escaped name that is known", r#"{"\u0061":"x"}"#, 0, Ok("x")),
        ("an escaped name that is not", r#"{"a":"x","\n\n":1}"#, 0, Ok("x")),
        ("half a pair", r#"{"a":"\ud800"}"#, 9, Err(ParseError::LoneSurrogate)),
    ] {
        assert_eq!(read(text, size).as_deref(), expected.as_ref().map(|text| &**text), "{name}");
        // The length of the text is always enough.
        if expected != Err(ParseError::LoneSurrogate) {
            assert!(read(text, text.len()).is_ok(), "{name}");
        }
    }
    let long = format!(r#"{{"a":"{}"}}"#, r"\n".repeat(10_000));
    assert_eq!(read(&long, 10_000), Ok("\n".repeat(10_000)));
    assert_eq!(read(&long, 9_999), full(10_000).map(str::to_owned));

    // Names that a map borrows, and its values.
    let mut scratch = [0; 8];
    let map: BTreeMap<&str, &str> = value(r#"{"\u0061":"\n1","b":"\t2"}"#).parse_in(&mut scratch).unwrap();
    assert_eq!(map, BTreeMap::from([("a", "\n1"), ("b", "\t2")]));
    assert_eq!(
        value(r#"{"\u0061":"\n1"}"#).parse_in::<BTreeMap<&str, &str>>(&mut [0; 2]),
        full(3).map(|_: &str| BTreeMap::new())
    );
    assert_eq!(value("[[]]").parse_in_with_depth::<Vec<Vec<u8>>>(&mut [], 1), Err(ParseError::TooDeep));
}

/// Values that serde reads before it knows the type are borrowed from the scratch too.
#[cfg(feature = "std")]
#[test]
fn a_buffered_string_is_borrowed_from_the_scratch() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Either<'a> {
        Number(i64),
        Text(&'a str),
    }
    let mut scratch = [0; 4];
    assert_eq!(value(r#""\n12""#).parse_in(&mut scratch), Ok(Either::Text("\n12")));
    assert_eq!(value("1.0").parse_in(&mut []), Ok(Either::Number(1)));

    #[derive(Deserialize)]
    struct Copied<'a> {
        #[serde(borrow)]
        text: Cow<'a, str>,
    }
    let note = value(r#"{"text":"\n12"}"#);
    let copied: Copied<'_> = note.parse_in(&mut scratch).unwrap();
    assert!(matches!(copied.text, Cow::Borrowed("\n12")));
    let copied: Copied<'_> = note.parse().unwrap();
    assert!(matches!(copied.text, Cow::Owned(text) if text == "\n12"));
}

#[test]
fn borrowed_strings_take_no_escape_but_json_strings_do() {
    assert_eq!(parse(r#""plain é""#), Ok("plain é"));
    #[cfg(feature = "std")]
    {
        assert_eq!(parse::<&str>(r#""\n""#), Err(ParseError::EscapedString));
        assert_eq!(parse::<BTreeMap<&str, u8>>(r#"{"\n":1}"#), Err(ParseError::EscapedString));
        assert_eq!(parse::<Option<&str>>(r#""\n""#), Err(ParseError::EscapedString));
        // Another kind of value is no matter of escapes.
        assert_eq!(parse::<&str>("1"), Err(ParseError::WrongKind));
        assert_eq!(parse::<u8>(r#""\n""#), Err(ParseError::WrongKind));
        assert_eq!(parse::<Cow<'_, str>>(r#""\n""#), Ok(Cow::Borrowed("\n")));
    }
    assert_eq!(parse::<JsonStr<'_>>(r#""\n""#).unwrap(), "\n");
    let long = format!(r#""\ud800{}""#, "\\n".repeat(1000));
    assert_eq!(parse::<JsonStr<'_>>(&long).unwrap().chars().count(), 1001);
    assert_eq!(parse::<Option<JsonStr<'_>>>("null"), Ok(None));
    assert_eq!(parse::<JsonStr<'_>>("1"), Err(ParseError::WrongKind));
}

#[test]
fn members_that_the_type_does_not_have() {
    let long = "\\u00e9".repeat(1000);
    let text = format!(r#"{{"pin":1,"{long}":"{long}","\ud800":[[{{}}]],"x":1e999,"label":"l","x":2}}"#);
    let blink: Blink<'_> = parse(&text).unwrap();
    assert_eq!(blink.pin, 1);

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        a: u8,
    }
    assert_eq!(parse(r#"{"\u0061":1}"#), Ok(Strict { a: 1 }));
    assert_eq!(parse::<Strict>(r#"{"a":1,"b":2}"#), Err(ParseError::UnknownMember));
    assert_eq!(parse::<Strict>(r#"{"a":1,"\u0062":2}"#), Err(ParseError::UnknownMember));
    // What cannot be decoded is no member of the type either.
    assert!(parse::<Strict>(r#"{"a":1,"\ud800":2}"#).is_err());
    assert!(parse::<Strict>(&format!(r#"{{"a":1,"{long}":2}}"#)).is_err());
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Action<'a> {
    Stop,
    Wait(u16),
    #[serde(borrow)]
    Say(JsonStr<'a>),
    Move(i8, i8),
    Set {
        pin: u8,
        name: String,
    },
    SwitchOff,
}

#[test]
fn enums_with_and_without_content() {
    let say = value(r#""\ud83d\ude00""#).as_string().unwrap();
    let rows = [
        (r#""stop""#, Action::Stop),
        (r#""switch\u002doff""#, Action::SwitchOff),
        (r#"{"stop":null}"#, Action::Stop),
        (r#"{"wait":7}"#, Action::Wait(7)),
        (r#"{ "w\u0061it" : 7 }"#, Action::Wait(7)),
        (r#"{"say":"\ud83d\ude00"}"#, Action::Say(say)),
        (r#"{"move":[-1,1]}"#, Action::Move(-1, 1)),
        (
            r#"{"set":{"p\u0069n":1,"unknown":"\ud800","name":"\ud83d\ude00"}}"#,
            Action::Set { pin: 1, name: "😀".to_string() },
        ),
    ];
    for (text, action) in rows {
        assert_eq!(parse(text), Ok(action), "{text}");
    }
    let long = format!(r#"{{"set":{{"x":"{}","pin":1,"name":""}}}}"#, "\\n".repeat(1000));
    assert_eq!(parse(&long), Ok(Action::Set { pin: 1, name: String::new() }));
}

#[test]
fn enums_that_do_not_fit() {
    use ParseError::{InvalidNumber, MissingMember, Refused, RepeatedMember, WrongKind};
    let rows = [
        (r#""Stop""#, Refused),
        (r#""""#, Refused),
        (r#""\ud800""#, Refused),
        (r#""wait""#, WrongKind),
        (r#"{"wait":7,"stop":null}"#, Refused),
        (r#"{}"#, Refused),
        (r#"{"halt":1}"#, Refused),
        (r#"{"\ud800":1}"#, Refused),
        (r#"{"stop":1}"#, WrongKind),
        (r#"{"wait":"7"}"#, WrongKind),
        (r#"{"wait":70000}"#, InvalidNumber),
        (r#"{"move":[1]}"#, Refused),
        (r#"{"move":[1,2,3]}"#, Refused),
        (r#"{"move":{}}"#, WrongKind),
        (r#"{"set":{"pin":1}}"#, MissingMember),
        (r#"{"set":{"pin":1,"name":"","pin":2}}"#, RepeatedMember),
        (r#"{"set":[1,""]}"#, WrongKind),
        ("7", WrongKind),
        ("null", WrongKind),
        (r#"["stop"]"#, WrongKind),
    ];
    for (text, error) in rows {
        assert_eq!(parse::<Action<'_>>(text), Err(error), "{text}");
    }
}

#[test]
fn arrays_tuples_and_maps() {
    assert_eq!(parse("[1, 2 ,3]"), Ok([1u8, 2, 3]));
    assert_eq!(parse::<[u8; 3]>("[1,2]"), Err(ParseError::Refused));
    assert_eq!(parse::<[u8; 3]>("[1,2,3,4]"), Err(ParseError::Refused));
    assert_eq!(parse(r#"[1,"a",null]"#), Ok((1u8, "a", None::<u8>)));
    assert_eq!(parse("[]"), Ok(Vec::<u8>::new()));
    let pins: heapless::Vec<u8, 2> = parse("[4,5]").unwrap();
    assert_eq!(pins, [4, 5]);
    assert!(parse::<heapless::Vec<u8, 2>>("[4,5,6]").is_err());
    assert_eq!(parse("[[1],[],[2,3]]"), Ok(vec![vec![1u8], vec![], vec![2, 3]]));
    assert_eq!(parse("null"), Ok(()));

    let map: BTreeMap<String, u8> = parse(r#"{"a":1,"\u0062":2}"#).unwrap();
    assert_eq!(map, BTreeMap::from([("a".to_string(), 1), ("b".to_string(), 2)]));
    // To compare all names of a map takes memory that this crate does not have.
    assert_eq!(parse(r#"{"a":1,"\u0061":2}"#), Ok(BTreeMap::from([("a".to_string(), 2u8)])));
    assert_eq!(parse::<HashMap<String, u8>>(r#"{"\ud800":1}"#), Err(ParseError::LoneSurrogate));
    assert_eq!(parse::<HashMap<u8, u8>>(r#"{"1":1}"#), Err(ParseError::WrongKind));
}

#[test]
fn nested_types_and_newtypes() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Celsius(f64);
    #[derive(Debug, PartialEq, Deserialize)]
    struct Label(String);
    #[derive(Debug, PartialEq, Deserialize)]
    struct Marker;
    #[derive(Debug, PartialEq, Deserialize)]
    struct Plan<'a> {
        #[serde(borrow)]
        steps: Vec<Action<'a>>,
        limit: Option<Celsius>,
        inner: Option<Box<Plan<'a>>>,
        marker: Option<Marker>,
    }
    let text =
        r#"{"steps":["stop",{"wait":1}],"limit":23.5,"inner":{"steps":[],"inner":null},"marker":null}"#;
    let inner = Plan { steps: vec![], limit: None, inner: None, marker: None };
    let plan = Plan {
        steps: vec![Action::Stop, Action::Wait(1)],
        limit: Some(Celsius(23.5)),
        inner: Some(Box::new(inner)),
        marker: None,
    };
    assert_eq!(parse(text), Ok(plan));
    assert_eq!(parse("null"), Ok(Marker));
    assert_eq!(parse(r#""a\n\u0062""#), Ok(Label("a\nb".to_string())));
}

#[test]
fn names_of_a_map_as_strings_of_any_type() {
    #[derive(Debug, PartialEq, Eq, Hash, Deserialize)]
    struct Name(String);
    #[derive(Debug, PartialEq, Eq, Hash, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Level {
        Low,
        High(u8),
        #[serde(other)]
        Other,
    }
    let text = r#"{"l\u006fw":1}"#;
    assert_eq!(parse(text), Ok(HashMap::from([(Name("low".to_string()), 1)])));
    assert_eq!(parse(text), Ok(HashMap::from([(Level::Low, 1)])));
    assert_eq!(parse(text), Ok(HashMap::from([(Some("low".to_string()), 1)])));
    assert_eq!(parse(r#"{"x":1}"#), Ok(HashMap::from([(Level::Other, 1)])));
    assert_eq!(parse(r#""x""#), Ok(Level::Other));
    assert_eq!(parse(r#""\ud800""#), Ok(Level::Other));
    assert_eq!(parse::<HashMap<Level, u8>>(r#"{"high":1}"#), Err(ParseError::WrongKind));
    // The one that takes every name.
    let odd = value(r#""\ud800\n""#).as_string().unwrap();
    assert_eq!(parse(r#"{"\ud800\n":1}"#), Ok(HashMap::from([(odd, 1)])));
}

#[test]
fn depth_is_limited_to_sixteen_unless_asked_for() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Nested(Vec<Nested>);
    let arrays = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(parse::<Nested>(&arrays(16)).is_ok());
    assert_eq!(parse::<Nested>(&arrays(17)), Err(ParseError::TooDeep));
    // What the type skips counts too: the limit is of the text.
    let text = format!(r#"{{"pin":1,"label":"","x":{}}}"#, arrays(16));
    assert_eq!(parse::<Blink<'_>>(&text), Err(ParseError::TooDeep));
    assert_eq!(value(&text).parse_in_with_depth::<Blink<'_>>(&mut [], 17).map(|blink| blink.pin), Ok(1));
    assert_eq!(value("[]").parse_in_with_depth::<Nested>(&mut [], 0), Err(ParseError::TooDeep));
    #[cfg(feature = "std")]
    {
        assert!(value(&arrays(17)).parse_with_depth::<Nested>(17).is_ok());
        assert_eq!(value(&arrays(17)).parse_with_depth::<Nested>(16), Err(ParseError::TooDeep));
    }
    assert_eq!(value("1").parse_in_with_depth::<u8>(&mut [], 0), Ok(1));
    assert!(value(&arrays(128)).parse_in_with_depth::<Nested>(&mut [], 255).is_ok());
}

#[test]
fn an_integer_where_the_type_takes_anything() {
    let any: serde_json::Value = parse(r#"{"a":[1,-2,true,null,"\u0062",{}]}"#).unwrap();
    assert_eq!(any, serde_json::json!({"a": [1, -2, true, null, "b", {}]}));
    let large: serde_json::Value = parse("18446744073709551615").unwrap();
    assert_eq!(large.as_u64(), Some(u64::MAX));
    for (text, float) in [("1.5", 1.5), ("18446744073709551616", 18446744073709551616.0)] {
        // No float code unless the type asks for a float.
        let refused = value(text).parse_in::<serde_json::Value>(&mut []);
        assert_eq!(refused, Err(ParseError::InvalidNumber));
        #[cfg(feature = "std")]
        assert_eq!(value(text).parse(), Ok(serde_json::json!(float)));
        let _ = float;
    }
}

#[derive(Serialize)]
struct Reading<'a> {
    pin: u8,
    celsius: f64,
    label: &'a str,
    raw: JsonStr<'a>,
    history: [Option<i16>; 3],
    mode: Mode,
}

#[derive(Serialize)]
enum Mode {
    Idle,
    Every(u16),
    Between { from: u8, to: u8 },
}

#[test]
fn a_value_of_the_application_as_json() {
    let mut memory = [0; 256];
    let reading = |mode| Reading {
        pin: 4,
        celsius: 23.75,
        label: "a\"\n\u{1}é",
        raw: value(r#""\ud800\/""#).as_string().unwrap(),
        history: [Some(-1), None, Some(2)],
        mode,
    };
    let rows = [
        (Mode::Idle, r#""Idle""#),
        (Mode::Every(5), r#"{"Every":5}"#),
        (Mode::Between { from: 1, to: 2 }, r#"{"Between":{"from":1,"to":2}}"#),
    ];
    for (mode, expected) in rows {
        let text = to_json(&reading(mode), &mut memory).unwrap();
        let start = r#"{"pin":4,"celsius":23.75,"label":"a\"\n\u0001é","raw":"\ud800\/","history":[-1,null,2],"mode":"#;
        assert_eq!(text.as_json(), format!("{start}{expected}}}"));
        let length = text.as_bytes().len();
        assert!(to_json(&reading(Mode::Idle), &mut memory[..length.min(20)]).is_err());
    }
    assert_eq!(to_json(&f64::NAN, &mut memory).unwrap().as_json(), "null");
    assert_eq!(to_json(&(1, "x"), &mut memory).unwrap().as_json(), r#"[1,"x"]"#);
    assert_eq!(to_json("x", &mut []).map(|_| ()), Err(SerializeError::BufferFull));
}

#[test]
fn what_would_not_be_json_is_refused() {
    let mut memory = [0; 64];
    let by_number = BTreeMap::from([(1u8, 2u8)]);
    assert_eq!(to_json(&by_number, &mut memory).map(|_| ()), Err(SerializeError::NotJson));
    let by_name = BTreeMap::from([("a\"b", 2u8)]);
    assert_eq!(to_json(&by_name, &mut memory).unwrap().as_json(), r#"{"a\"b":2}"#);

    let mut memory = [0; 64];
    let mut sink = Sink::new(&mut memory);
    let mut json = Writer::new(&mut sink);
    json.begin_object().name("a");
    assert!(json.serialize(&by_number).is_err());
    json.serialize(&by_name).unwrap();
    json.end_object();
    assert_eq!(sink.finish(), Ok(&br#"{"a":{"a\"b":2}}"#[..]));
}

#[test]
fn a_value_that_does_not_fit_leaves_the_sink_full() {
    let mut memory = [0; 8];
    let mut sink = Sink::new(&mut memory);
    let mark = sink.mark();
    assert!(Writer::new(&mut sink).serialize("longer than eight").is_ok());
    assert!(matches!(sink.finish(), Err(BufferFull { needed }) if needed > 8));
    sink.rollback(mark);
    assert!(Writer::new(&mut sink).serialize("six").is_ok());
    assert_eq!(sink.finish(), Ok(&br#""six""#[..]));
}

#[test]
fn a_json_string_made_of_escaped_text() {
    for escaped in ["", "a", r"\n", r"\ud800", r"\u0041", "é/'"] {
        assert!(
            JsonStr::from_escaped(escaped).is_some_and(|string| string.as_escaped() == escaped),
            "{escaped}"
        );
    }
    for no_string in ["\"", "\\", r"\q", r"\u12", r"\u12G4", "\n", "a\u{0}", r#"a"b"#] {
        assert_eq!(JsonStr::from_escaped(no_string), None, "{no_string}");
    }
    // Another format hands over the string itself; what is no escaped form is refused.
    assert_eq!(serde_json::from_str::<JsonStr<'_>>(r#""plain""#).unwrap(), "plain");
    assert!(serde_json::from_str::<JsonStr<'_>>(r#""a\"b""#).is_err());
}
