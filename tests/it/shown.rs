//! What values and errors of the lower layers look like in a message to people: exact texts. (The debug forms of views
//! have them too: they are what a failed assertion and a log show.)

use barewire::bytes::{BufferFull, Sink};
use barewire::json::{
    JsonStr, LoneSurrogate, NumberError, ParseError, RawValue, Repeated, SerializeError, UnescapeError,
    Writer, validate,
};
use barewire::rpc::{
    ErrorCode, IdTooLong, Message, MessageTooLong, Reason, RequestId, RewriteError, StoredId, classify,
};

fn value(text: &str) -> RawValue<'_> {
    RawValue::new(text.as_bytes()).expect("a value")
}

fn string(text: &str) -> JsonStr<'_> {
    value(text).as_string().expect("a string")
}

#[test]
fn errors() {
    let parse_errors = [
        (ParseError::TooDeep, "nested too deep"),
        (ParseError::WrongKind, "another kind of value is wanted"),
        (ParseError::InvalidNumber, "the number does not fit"),
        (ParseError::MissingMember, "a member is missing"),
        (ParseError::RepeatedMember, "a member occurs twice"),
        (ParseError::UnknownMember, "a member is not known"),
        (ParseError::LoneSurrogate, "half a surrogate pair stands for no character"),
        (ParseError::EscapedString, "a string with escapes cannot be borrowed"),
        (
            ParseError::ScratchFull { needed: 3 },
            "the strings with escapes do not fit the scratch memory, 3 bytes are needed",
        ),
        (ParseError::Refused, "the value does not fit the type"),
    ];
    for (error, text) in parse_errors {
        assert_eq!(error.to_string(), text);
    }
    let rows = [
        (BufferFull { needed: 20 }.to_string(), "output does not fit, 20 bytes are needed"),
        (NumberError::NotAnInteger.to_string(), "the number is not an integer"),
        (NumberError::OutOfRange.to_string(), "the number is out of range"),
        (NumberError::Inexact.to_string(), "the number has too many decimals"),
        (LoneSurrogate.to_string(), "half a surrogate pair stands for no character"),
        (UnescapeError::LoneSurrogate.to_string(), "half a surrogate pair stands for no character"),
        (UnescapeError::BufferFull { needed: 3 }.to_string(), "the string needs 3 bytes"),
        (Repeated.to_string(), "a member occurs twice"),
        (SerializeError::BufferFull.to_string(), "output does not fit"),
        (SerializeError::from(BufferFull { needed: 1 }).to_string(), "output does not fit"),
        (SerializeError::NotJson.to_string(), "the value has no JSON form"),
        (IdTooLong.to_string(), "the id is too long to be kept"),
        (MessageTooLong.to_string(), "the message is too long to be kept"),
        (RewriteError::Absent.to_string(), "the message has no such id"),
        (RewriteError::Repeated.to_string(), "the id occurs twice"),
        (ErrorCode::PARSE_ERROR.to_string(), "-32700"),
    ];
    for (found, text) in rows {
        assert_eq!(found, text);
    }
}

#[test]
fn faults_of_a_text() {
    let rows: [(&[u8], &str); 9] = [
        (b"[1", "unexpected end of text at byte 2"),
        (b"[}", "unexpected byte at byte 1"),
        (b"\"\n\"", "control character in string at byte 1"),
        (br#""\x""#, "invalid escape in string at byte 2"),
        (b"01", "invalid number at byte 1"),
        (b"nul ", "invalid literal at byte 3"),
        (b"1 1", "bytes after the value at byte 2"),
        (b"\"\xFF\"", "invalid UTF-8 at byte 1"),
        (&[b'['; 129], "nested too deep at byte 128"),
    ];
    for (text, fault) in rows {
        assert_eq!(validate(text).expect_err("a fault").to_string(), fault);
    }
}

#[test]
fn rejections() {
    let rows: [(&[u8], Reason, &str); 4] = [
        (
            b"{\"a\":}",
            Reason::NotJson(barewire::json::ErrorKind::UnexpectedByte),
            "-32700 not-json, unexpected byte at byte 5",
        ),
        (&[b'['; 129], Reason::TooDeep, "-32700 too-deep at byte 128"),
        (b"[]", Reason::Batch, "-32600 batch at byte 0"),
        (br#"{"id":1,"method":"x"}"#, Reason::MissingVersion, "-32600 missing-version"),
    ];
    for (frame, reason, text) in rows {
        let rejection = classify(frame).expect_err("no message");
        assert_eq!(rejection.reason(), reason);
        assert_eq!(rejection.to_string(), text);
    }
}

#[test]
fn views() {
    let escaped = string(r#""a\"\ud83d\ude00\ud800b""#);
    let error = br#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}"#;
    let Ok(Message::Response(response)) = classify(error) else { panic!("a response") };
    let rows = [
        (value("[1, {}]").to_string(), "[1, {}]"),
        (format!("{:?}", value("[1, {}]")), "RawValue([1, {}])"),
        (format!("{:?}", value("[1, {}]").as_array()), "Some(Array([1, {}]))"),
        (format!("{:?}", value(r#"{"a":1}"#).as_object()), r#"Some(Object({"a":1}))"#),
        (format!("{:?}", value("1.50").as_number()), "Some(Number(1.50))"),
        // What it stands for, and its text.
        (escaped.to_string(), "a\"\u{1F600}\u{FFFD}b"),
        (format!("{escaped:?}"), r#""a\"\ud83d\ude00\ud800b""#),
        (format!("{:?}", response.outcome().map(drop)), r#"Err(ErrorObject({"code":1,"message":"m"}))"#),
    ];
    for (found, text) in rows {
        assert_eq!(found, text);
    }
}

/// `"` and `\` and what JSON writes with a backslash: the text that a writer has for it.
#[test]
fn ids_as_they_are_written() {
    let all: String = (0..0x80).map(char::from).chain(['\u{E9}', '\u{1F600}']).collect();
    let own = [RequestId::from(i64::MIN), RequestId::from(""), RequestId::from(&*all)];
    let received = [r#""\u0061/\/""#, "12345678901234567890", "-0"];
    let received = received.map(|token| RequestId::parse(token.as_bytes()).expect("an id"));
    for id in own.into_iter().chain(received) {
        let mut memory = [0; 512];
        let mut sink = Sink::new(&mut memory);
        id.write(&mut Writer::new(&mut sink));
        let written = std::str::from_utf8(sink.finish().expect("room")).expect("text");
        assert_eq!(id.to_string(), written);
        assert_eq!(id.text_len(), written.len());
        assert_eq!(format!("{id:?}"), format!("RequestId({written})"));
        let stored = StoredId::<512>::new(id).expect("room");
        assert_eq!(format!("{stored:?}"), format!("StoredId({written})"));
    }
}
