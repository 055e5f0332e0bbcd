//! Values of the application written as JSON: each type of serde's data model, and types that break its rules. None
//! makes the writer panic; values without a JSON form are errors.

use std::collections::BTreeMap;
use std::fmt;

use barewire::bytes::Sink;
use barewire::json::{JsonStr, SerializeError, Writer, to_json, validate};
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde::{Serialize, Serializer};

/// Writes a value in both ways, which must agree: into memory, and between other values, also inside a string.
fn written<T: Serialize + ?Sized>(value: &T) -> Result<String, SerializeError> {
    let mut memory = vec![0; 1 << 16];
    let written = to_json(value, &mut memory).map(|value| value.as_json().to_owned());

    let mut room = vec![0; 1 << 16];
    let mut sink = Sink::new(&mut room);
    let mut json = Writer::new(&mut sink);
    json.begin_array().integer(1);
    let error = json.serialize(value).err();
    json.integer(2).end_array();
    let whole = String::from_utf8(sink.finish().expect("room").to_vec()).expect("UTF-8");
    match &written {
        Ok(text) => {
            assert_eq!(error, None);
            assert_eq!(whole, format!("[1,{text},2]"));
            assert_eq!(validate(text.as_bytes()), Ok(()), "{text}");
            for size in [0, text.len() - 1] {
                assert_eq!(to_json(value, &mut vec![0; size]).err(), Some(SerializeError::BufferFull));
            }
        }
        Err(reason) => {
            assert_eq!(error, Some(*reason));
            assert_eq!(whole, "[1,2]");
        }
    }
    written
}

/// A name, the written text, and the expected one.
type Row<'a> = (&'a str, Result<String, SerializeError>, Result<&'a str, SerializeError>);

#[derive(Serialize)]
struct Unit;
#[derive(Serialize)]
struct Newtype(u8);
#[derive(Serialize)]
struct Pair(u8, &'static str);
#[derive(Serialize)]
struct Empty {}
#[derive(Serialize)]
struct Named {
    #[serde(rename = "a\"\\\n")]
    a: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<u8>,
}
#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
enum Variant {
    #[serde(rename = "a\"")]
    Unit,
    #[serde(rename = "n\\")]
    Newtype(u8),
    #[serde(rename = "t\t")]
    Tuple(i8, char),
    #[serde(rename = "s\"")]
    Struct {
        x: u8,
    },
    None(),
    Nothing {},
}
struct Bytes(&'static [u8]);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Shown by the formatting code, which may fail.
struct Shown(Option<&'static str>);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<\"")?;
        f.write_str(self.0.ok_or(fmt::Error)?)
    }
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A type that serializes by a function.
struct By<F>(F);

/// What these types do with a serializer.
trait Act {
    fn act<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

impl<A: Act> Serialize for By<A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.act(serializer)
    }
}

#[test]
fn each_type_of_the_data_model() {
    use SerializeError::NotJson;
    let rows: &[Row<'_>] = &[
        ("bool", written(&true), Ok("true")),
        ("i8", written(&i8::MIN), Ok("-128")),
        ("i16", written(&i16::MIN), Ok("-32768")),
        ("i32", written(&i32::MIN), Ok("-2147483648")),
        ("i64", written(&i64::MIN), Ok("-9223372036854775808")),
        ("i128 of 64 bits", written(&i128::from(i64::MIN)), Ok("-9223372036854775808")),
        ("i128 of 64 bits without a sign", written(&i128::from(u64::MAX)), Ok("18446744073709551615")),
        ("i128 that is too small", written(&i128::MIN), Err(NotJson)),
        ("i128 that is too large", written(&(i128::from(u64::MAX) + 1)), Err(NotJson)),
        ("u8", written(&u8::MAX), Ok("255")),
        ("u16", written(&u16::MAX), Ok("65535")),
        ("u32", written(&u32::MAX), Ok("4294967295")),
        ("u64", written(&u64::MAX), Ok("18446744073709551615")),
        ("u128 of 64 bits", written(&u128::from(u64::MAX)), Ok("18446744073709551615")),
        ("u128 that is too large", written(&u128::MAX), Err(NotJson)),
        ("f32", written(&0.1_f32), Ok("0.1")),
        ("f64", written(&-23.75), Ok("-23.75")),
        ("the largest f64", written(&f64::MAX), Ok("1.7976931348623157e308")),
        ("the smallest f64", written(&-5e-324), Ok("-5e-324")),
        ("f32 that is no number", written(&f32::NAN), Ok("null")),
        ("f64 that is infinite", written(&f64::NEG_INFINITY), Ok("null")),
        ("char", written(&'é'), Ok("\"é\"")),
        ("char that is escaped", written(&'"'), Ok(r#""\"""#)),
        ("str", written("a\"\\\n\u{1}é😀"), Ok("\"a\\\"\\\\\\n\\u0001é😀\"")),
        ("bytes", written(&Bytes(b"abc")), Err(NotJson)),
        ("bytes that are JSON", written(&Bytes(b"1")), Err(NotJson)),
        ("no bytes", written(&Bytes(b"")), Err(NotJson)),
        ("none", written(&None::<u8>), Ok("null")),
        ("some", written(&Some(Some(1))), Ok("1")),
        ("unit", written(&()), Ok("null")),
        ("unit struct", written(&Unit), Ok("null")),
        ("unit variant", written(&Variant::Unit), Ok(r#""a\"""#)),
        ("newtype struct", written(&Newtype(1)), Ok("1")),
        ("newtype variant", written(&Variant::Newtype(1)), Ok(r#"{"n\\":1}"#)),
        ("seq", written(&vec![vec![1], vec![]]), Ok("[[1],[]]")),
        ("tuple", written(&(1, "x", ())), Ok(r#"[1,"x",null]"#)),
        ("tuple struct", written(&Pair(1, "x")), Ok(r#"[1,"x"]"#)),
        ("tuple variant", written(&Variant::Tuple(-1, 'x')), Ok(r#"{"t\t":[-1,"x"]}"#)),
        ("tuple variant of nothing", written(&Variant::None()), Ok(r#"{"None":[]}"#)),
        ("map", written(&BTreeMap::from([("a\"", 1), ("b", 2)])), Ok(r#"{"a\"":1,"b":2}"#)),
        ("struct", written(&Named { a: 1, b: None }), Ok(r#"{"a\"\\\n":1}"#)),
        ("struct, whole", written(&Named { a: 1, b: Some(2) }), Ok(r#"{"a\"\\\n":1,"b":2}"#)),
        ("struct of nothing", written(&Empty {}), Ok("{}")),
        ("struct variant", written(&Variant::Struct { x: 1 }), Ok(r#"{"s\"":{"x":1}}"#)),
        ("struct variant of nothing", written(&Variant::Nothing {}), Ok(r#"{"Nothing":{}}"#)),
        ("shown", written(&Shown(Some("x"))), Ok(r#""<\"x""#)),
        ("shown, and fails", written(&Shown(None)), Err(NotJson)),
        ("shown in a list, and fails", written(&[Shown(Some("x")), Shown(None)]), Err(NotJson)),
        (
            "escaped string",
            written(&JsonStr::from_escaped(r"\ud800\/").expect("escaped")),
            Ok(r#""\ud800\/""#),
        ),
        ("escaped string that is none", written(&serde_json_core_str("\"")), Err(NotJson)),
    ];
    for (name, found, expected) in rows {
        assert_eq!(found.as_deref(), expected.as_ref().map(|text| &**text), "{name}");
    }
}

/// As `serde_json_core::str::EscapedStr`, whose content nobody has checked.
fn serde_json_core_str(text: &'static str) -> impl Serialize {
    struct Escaped(&'static str);
    impl Act for Escaped {
        fn act<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_newtype_struct("__serde_json_core_escaped_string__", self.0)
        }
    }
    By(Escaped(text))
}

#[test]
fn names_of_a_map_are_strings() {
    use SerializeError::NotJson;
    fn of<K: Serialize>(key: K) -> Result<String, SerializeError> {
        struct Map<K>(K);
        impl<K: Serialize> Act for Map<K> {
            fn act<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry(&self.0, &1)?;
                map.serialize_entry(&self.0, &2)?;
                map.end()
            }
        }
        written(&By(Map(key)))
    }
    #[derive(Serialize)]
    struct Name(&'static str);
    let rows: &[Row<'_>] = &[
        ("str", of("a\""), Ok(r#"{"a\"":1,"a\"":2}"#)),
        ("char", of('\n'), Ok(r#"{"\n":1,"\n":2}"#)),
        ("newtype struct", of(Name("x")), Ok(r#"{"x":1,"x":2}"#)),
        ("some", of(Some("x")), Ok(r#"{"x":1,"x":2}"#)),
        ("unit variant", of(Variant::Unit), Ok(r#"{"a\"":1,"a\"":2}"#)),
        ("shown", of(Shown(Some("x"))), Ok(r#"{"<\"x":1,"<\"x":2}"#)),
        ("escaped string", of(JsonStr::from_escaped(r"\/").expect("escaped")), Ok(r#"{"\/":1,"\/":2}"#)),
        ("escaped string that is none", of(serde_json_core_str("\"")), Err(NotJson)),
        ("shown, and fails", of(Shown(None)), Err(NotJson)),
        ("bool", of(true), Err(NotJson)),
        ("integer", of(1_u8), Err(NotJson)),
        ("large integer", of(1_u128), Err(NotJson)),
        ("float", of(0.5), Err(NotJson)),
        ("bytes", of(Bytes(b"\"a\"")), Err(NotJson)),
        ("none", of(None::<&str>), Err(NotJson)),
        ("unit", of(()), Err(NotJson)),
        ("unit struct", of(Unit), Err(NotJson)),
        ("newtype struct of an integer", of(Newtype(1)), Err(NotJson)),
        ("newtype variant", of(Variant::Newtype(1)), Err(NotJson)),
        ("tuple variant", of(Variant::Tuple(1, 'a')), Err(NotJson)),
        ("struct variant", of(Variant::Struct { x: 1 }), Err(NotJson)),
        ("seq", of(vec!["a"]), Err(NotJson)),
        ("tuple", of(("a", "b")), Err(NotJson)),
        ("tuple struct", of(Pair(1, "x")), Err(NotJson)),
        ("map", of(BTreeMap::from([("a", 1)])), Err(NotJson)),
        ("struct", of(Empty {}), Err(NotJson)),
    ];
    for (name, found, expected) in rows {
        assert_eq!(found.as_deref(), expected.as_ref().map(|text| &**text), "{name}");
    }
}

/// Gives up.
struct Refuses;

impl Serialize for Refuses {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("not today"))
    }
}

/// Opens an object and gives up.
struct GivesUp;

impl Serialize for GivesUp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut open = serializer.serialize_struct("", 1)?;
        open.serialize_field("a", &1)?;
        Err(S::Error::custom("not the rest"))
    }
}

/// Goes on after its member has failed, in each kind of container.
struct GoesOn<T>(u8, T);

impl<T: Serialize> Act for GoesOn<T> {
    fn act<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(kind, inner) = self;
        match kind {
            0 => {
                let mut open = serializer.serialize_seq(None)?;
                let _ = open.serialize_element(inner);
                open.end()
            }
            1 => {
                let mut open = serializer.serialize_tuple(1)?;
                let _ = open.serialize_element(inner);
                open.end()
            }
            2 => {
                let mut open = serializer.serialize_tuple_struct("", 1)?;
                let _ = open.serialize_field(inner);
                open.end()
            }
            3 => {
                let mut open = serializer.serialize_tuple_variant("", 0, "v", 1)?;
                let _ = open.serialize_field(inner);
                open.end()
            }
            4 => {
                let mut open = serializer.serialize_map(None)?;
                open.serialize_key("a")?;
                let _ = open.serialize_value(inner);
                open.end()
            }
            5 => {
                let mut open = serializer.serialize_map(None)?;
                let _ = open.serialize_key(inner);
                open.serialize_value(&1)?;
                open.end()
            }
            6 => {
                let mut open = serializer.serialize_struct("", 1)?;
                let _ = open.serialize_field("a", inner);
                open.end()
            }
            _ => {
                let mut open = serializer.serialize_struct_variant("", 0, "v", 1)?;
                let _ = open.serialize_field("a", inner);
                open.end()
            }
        }
    }
}

/// Calls the methods of a map in this order: a name, a value.
struct Calls(&'static str);

impl Act for Calls {
    fn act<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(7))?;
        for call in self.0.chars() {
            let _ = match call {
                'n' => map.serialize_key("n"),
                _ => map.serialize_value(&1),
            };
        }
        map.end()
    }
}

#[test]
fn types_that_break_the_rules() {
    use SerializeError::NotJson;
    assert_eq!(written(&Refuses), Err(NotJson));
    assert_eq!(written(&[GivesUp]), Err(NotJson));
    assert_eq!(written(&Some(GivesUp)), Err(NotJson));
    for kind in 0..8 {
        assert_eq!(written(&By(GoesOn(kind, Refuses))), Err(NotJson), "{kind}");
        assert_eq!(written(&By(GoesOn(kind, GivesUp))), Err(NotJson), "{kind}");
        assert_eq!(written(&By(GoesOn(kind, Bytes(b"\"a\"")))), Err(NotJson), "{kind}");
        assert_eq!(written(&vec![By(GoesOn(kind, Refuses))]), Err(NotJson), "{kind}");
        assert!(written(&By(GoesOn(kind, "a"))).is_ok(), "{kind}");
    }
    for (calls, expected) in [
        ("", Ok("{}")),
        ("nv", Ok(r#"{"n":1}"#)),
        ("nvnv", Ok(r#"{"n":1,"n":1}"#)),
        ("n", Err(NotJson)),
        ("v", Err(NotJson)),
        ("nvn", Err(NotJson)),
        ("nn", Err(NotJson)),
        ("nnv", Err(NotJson)),
        ("nvv", Err(NotJson)),
        ("vnv", Err(NotJson)),
    ] {
        let found = written(&By(Calls(calls)));
        assert_eq!(found.as_deref(), expected.as_ref().map(|text| &**text), "{calls}");
    }
}

/// This number of nested arrays.
struct Arrays(usize);

impl Serialize for Arrays {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.checked_sub(1) {
            Some(inner) => serializer.collect_seq([Arrays(inner)]),
            None => serializer.collect_seq::<[u8; 0]>([]),
        }
    }
}

/// An endless chain of wrappers that leave no trace in the text.
struct Endless(u8);

impl Serialize for Endless {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            0 => serializer.serialize_some(self),
            1 => serializer.serialize_newtype_struct("", self),
            2 => serializer.serialize_newtype_variant("", 0, "v", self),
            3 => serializer.collect_seq([self]),
            4 => serializer.collect_map([("a", self)]),
            _ => serializer.collect_map([(self, 1)]),
        }
    }
}

#[test]
fn depth_is_limited() {
    assert_eq!(written(&Arrays(127)), Ok("[".repeat(128) + &"]".repeat(128)));
    assert_eq!(written(&Arrays(128)), Err(SerializeError::TooDeep));
    for kind in 0..5 {
        assert_eq!(written(&Endless(kind)), Err(SerializeError::TooDeep), "{kind}");
    }
    assert_eq!(written(&Endless(5)), Err(SerializeError::NotJson));
    struct Name(u8);
    impl Serialize for Name {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self.0 {
                0 => serializer.serialize_some(self),
                _ => serializer.serialize_newtype_struct("", self),
            }
        }
    }
    for kind in 0..2 {
        let map = By(GoesOn(5, Name(kind)));
        assert_eq!(written(&map), Err(SerializeError::TooDeep), "{kind}");
    }
}

/// The same value stands in the structured content and, as text, in a block of content.
#[test]
fn inside_a_string_of_a_reply_quotes_are_escaped() {
    use barewire::mcp::Tool;

    use crate::engine_kit::{App, Hosted, answer, request};

    let mut server: Hosted<App> = Hosted::new(App {
        tools: vec![Tool::new("t", "d")],
        ..App::of_tool(|_, _, reply| Ok(reply.structured(&Variant::Tuple(1, '"'))))
    });
    let found = answer(&mut server, &request("1", "tools/call", r#"{"name":"t"}"#));
    let expected = r#""content":[{"type":"text","text":"{\"t\\t\":[1,\"\\\"\"]}"}],"isError":false,"structuredContent":{"t\t":[1,"\""]}"#;
    assert!(found.contains(expected), "{found}");
}

/// With `arbitrary_precision`, `serde_json` hands its numbers over as a struct with a text.
#[test]
fn numbers_of_serde_json_are_numbers() {
    let text = r#"{"a":[1,-2,2.5,1e+400,123456789012345678901234567890],"b":{"c":0.1}}"#;
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(written(&value).as_deref(), Ok(text));
    assert_eq!(written(&serde_json::json!({"a": 2, "b": -3.5})).as_deref(), Ok(r#"{"a":2,"b":-3.5}"#));
    assert_eq!(written(&serde_json::Number::from(7)).as_deref(), Ok("7"));

    /// The struct that marks a number, with any fields.
    struct Marked(&'static [&'static str]);
    impl Serialize for Marked {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            const NAME: &str = "$serde_json::private::Number";
            let mut number = serializer.serialize_struct(NAME, self.0.len())?;
            for text in self.0 {
                number.serialize_field(NAME, text)?;
            }
            number.end()
        }
    }
    assert_eq!(written(&[Marked(&["1e5"]), Marked(&["-0.0"])]).as_deref(), Ok("[1e5,-0.0]"));
    for fields in [&[][..], &["1", "2"], &["01"], &["\"a\""], &["1,2"], &["{}"], &[""]] {
        assert_eq!(written(&Marked(fields)), Err(SerializeError::NotJson), "{fields:?}");
        assert_eq!(written(&[Marked(fields)]), Err(SerializeError::NotJson), "{fields:?}");
    }
}
