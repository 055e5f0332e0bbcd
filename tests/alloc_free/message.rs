//! Classifier, views, writers, ids, framing.

use std::fmt::Write as _;

use barewire::bytes::{Framer, Next, Sink};
use barewire::json::{JsonStr, Kind, RawValue, Writer, to_json, validate};
use barewire::mcp::{Base64, Method, UriTemplate};
use barewire::rpc::{
    ErrorCode, Message, Reply, RequestId, Rewrite, Rules, Skipper, Stored, StoredId, classify,
    classify_value, classify_with, error_response, error_response_with_data, notification,
    rejection_response, request, result_response,
};
use serde::{Deserialize, Serialize};

use crate::counter::without_allocating;

const FRAMES: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"\ud83d\ude00"}}}"#,
    r#"{"\u006asonrpc":"2.0","id":"a\u0062","m\u0065thod":"tools\/list"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":123456789012345678901234567890}}"#,
    r#"{"jsonrpc":"2.0","id":"x","result":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse \"error\"","data":[1,{"a":null}]}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"x","params":null}"#,
    r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"x"}]"#,
    r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":01}}"#,
    "not-json",
    "42",
    "",
];

/// Reads everything that a message has.
fn read(message: &Message<'_>) -> usize {
    let mut seen = message.frame().len();
    seen += usize::from(message.id().is_some_and(RequestId::is_string));
    seen += message.method().map_or(0, |method| method.chars().count());
    seen += usize::from(message.method().and_then(Method::from_name).is_some());
    seen += message.params().map_or(0, |params| params.members().count());
    for token in [message.request_id(), message.progress_token(), message.subscription_id()] {
        seen += usize::from(token.is_ok_and(|token| token.is_some()));
    }
    match message {
        Message::Request(request) => seen += usize::from(request.target().is_some()),
        Message::Notification(notification) => seen += usize::from(notification.target().is_some()),
        Message::Response(response) => match response.outcome() {
            Ok(result) => seen += result.members().count(),
            Err(error) => {
                seen += usize::from(error.code().is_reserved());
                seen += error.message().chars().count();
                seen += usize::from(error.data().is_some());
            }
        },
    }
    seen
}

#[test]
fn classifying_and_reading() {
    let deep = format!("{}{}", r#"{"a":"#.repeat(200), r#","id":1,"method":"x"}"#);
    let frames = FRAMES.iter().copied().chain([deep.as_str()]);
    for frame in frames {
        without_allocating(frame, || {
            let mut memory = [0; 128];
            let mut seen = 0;
            for rules in [Rules::STRICT, Rules::LENIENT, Rules::STRICT.with_max_depth(2)] {
                match classify_with(frame.as_bytes(), &rules) {
                    Ok(message) => seen += read(&message),
                    Err(rejection) => {
                        seen += rejection.offset().unwrap_or(0);
                        seen +=
                            rejection_response(&mut memory, &rejection).expect("room").map_or(0, <[u8]>::len);
                    }
                }
            }
            if let Ok(value) = RawValue::new(frame.as_bytes()) {
                seen += usize::from(classify_value(value, &Rules::STRICT).is_ok());
            }
            seen += usize::from(validate(frame.as_bytes()).is_ok());
            assert!(seen < usize::MAX);
        });
    }
}

#[test]
fn strings() {
    let texts = ["", "plain", r"a\u0062c\n\/", r"\ud83d\ude00", r"\ud800x", "\u{e9}\u{1F600}"];
    for text in texts {
        without_allocating(text, || {
            let string = JsonStr::from_escaped(text).expect("a string");
            let mut memory = [0; 16];
            let found = [
                string == "abc\n/",
                string == JsonStr::from_escaped(text).expect("a string"),
                string.as_str().is_some(),
                string.has_escapes(),
                string.starts_with("a"),
                string.is_prefix_of("plain text"),
                string.chars().all(|character| character.is_ok()),
                string.unescape(&mut memory).is_ok(),
            ];
            assert!(found[1]);
        });
    }
}

#[test]
fn numbers() {
    let numbers = [
        "0",
        "-0",
        "9223372036854775808",
        "-1.50e-3",
        "1e400",
        "0.1",
        "5e-324",
        "1.7976931348623157e308",
        "123456789012345678901234567890.123456789012345678901234567890",
    ];
    for text in numbers {
        without_allocating(text, || {
            let number = RawValue::new(text.as_bytes()).ok().and_then(RawValue::as_number).expect("a number");
            let found = [
                number.is_integer(),
                number.to_i64().is_ok(),
                number.to_u64().is_ok(),
                number.to_fixed(2).is_ok(),
                number.to_f64().is_finite(),
                number.compare(number).is_eq(),
            ];
            assert!(found[5]);
        });
    }
}

#[test]
fn members_and_elements() {
    let text = br#"{"a":[1,[2,{"b":3}],"c"],"\u0061":null,"d":{"e":true},"f":1.5}"#;
    without_allocating("a walk", || {
        let object = RawValue::new(text).ok().and_then(RawValue::as_object).expect("an object");
        assert_eq!(object.members().count(), 4);
        assert!(object.get("a").is_some_and(|value| value.kind() == Kind::Array));
        assert!(object.get_once("a").is_err());
        assert!(
            object.get_each(["d", "f", "g"]).is_ok_and(|[d, f, g]| d.is_some() && f.is_some() && g.is_none())
        );
        let elements = object.get("a").and_then(RawValue::as_array).expect("an array");
        assert_eq!(elements.elements().count(), 3);
        assert!(!elements.is_empty() && !object.is_empty());
    });
}

#[derive(Deserialize, Serialize, PartialEq, Debug)]
struct Reading<'a> {
    #[serde(borrow)]
    name: &'a str,
    celsius: f64,
    pins: [u8; 2],
    unit: Option<Unit>,
}

#[derive(Deserialize, Serialize, PartialEq, Debug)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
}

#[test]
fn typed_access() {
    let text = br#"{"name":"oven","celsius":21.5,"pins":[4,5],"unit":"celsius","other":[{}]}"#;
    without_allocating("typed access", || {
        let reading: Reading<'_> = RawValue::new(text).expect("JSON").parse_in(&mut []).expect("a reading");
        let mut memory = [0; 128];
        let written = to_json(&reading, &mut memory).expect("room");
        assert_eq!(written.as_json(), r#"{"name":"oven","celsius":21.5,"pins":[4,5],"unit":"celsius"}"#);
        let wrong: Result<Reading<'_>, _> = RawValue::new(br#"{"name":7}"#).expect("JSON").parse_in(&mut []);
        assert!(wrong.is_err());
    });
}

#[test]
fn writers() {
    without_allocating("writers", || {
        let mut memory = [0; 256];
        let params = RawValue::new(br#"{"a":[1,2]}"#).ok().and_then(RawValue::as_object);
        let id = RequestId::from("a\"b");
        assert!(request(&mut memory, id, "tools/list", params).is_ok());
        assert!(request(&mut memory[..8], id, "tools/list", params).is_err());
        assert!(notification(&mut memory, "notifications/progress", params).is_ok());
        assert!(result_response(&mut memory, RequestId::from(-7), params.expect("an object")).is_ok());
        assert!(error_response(&mut memory, None, ErrorCode::PARSE_ERROR, "Parse error").is_ok());
        let data = params.expect("an object").as_value();
        assert!(error_response_with_data(&mut memory, id, ErrorCode(1), "m\u{1}", data).is_ok());

        let mut sink = Sink::new(&mut memory);
        let mut json = Writer::new(&mut sink);
        json.begin_object();
        json.name("text").string("a\"\\\n\u{1F600}");
        json.name("pieces").string(["a", "b"]);
        json.name("format").string(format_args!("{:>5} {:?}", 7, "x"));
        json.name("double").double(0.1 + 0.2);
        json.name("fixed").fixed(-5, 3);
        json.name("unsigned").unsigned(u64::MAX);
        json.name("bytes");
        Base64(b"wire").write(&mut json);
        json.name("typed");
        assert!(json.serialize(&[1, 2]).is_ok());
        json.end_object();
        assert!(sink.finish().is_ok());

        let mut counting = Sink::counting();
        Writer::new(&mut counting).boolean(true).null();
        assert_eq!(counting.len(), 9);
    });
}

#[test]
fn rewriting() {
    let frame =
        br#"{"jsonrpc":"2.0","id":"c1","method":"tools/call","params":{"_meta":{"progressToken":5}}}"#;
    without_allocating("a rewrite", || {
        let message = classify(frame).expect("a message");
        let mut memory = [0; 128];
        let rewritten = Rewrite::new(message)
            .id(RequestId::from(71))
            .and_then(|rewrite| rewrite.progress_token(RequestId::from("t")))
            .expect("both are there")
            .write(&mut memory)
            .expect("room");
        assert!(classify(rewritten).is_ok_and(|message| message.id() == Some(RequestId::from(71))));
        assert!(Rewrite::new(message).request_id(RequestId::from(1)).is_err());
    });
}

#[test]
fn what_is_kept() {
    without_allocating("stored ids and messages", || {
        for frame in FRAMES {
            if let Ok(message) = classify(frame.as_bytes()) {
                let stored = Stored::<160>::new(&message).expect("room");
                assert_eq!(read(&stored.view()), read(&message));
                assert!(Stored::<8>::new(&message).is_err());
                if let Some(id) = message.id() {
                    assert!(StoredId::<40>::new(id).is_ok_and(|stored| stored.view() == id));
                }
            }
        }
    });
}

#[test]
fn framing_and_skipping() {
    let stream = b"\xEF\xBB\xBF{\"id\":1}\r\n\n{\"method\":\"x\",\"params\":{\"a\":\"bbbbbbbbbbbbbbbbbbb\"},\"id\":7}\nrest";
    for chunk in 1..stream.len() {
        without_allocating("framing", || {
            let mut memory = [0; 24];
            let mut framer = Framer::new(memory.as_mut_slice());
            let mut skipper = Skipper::<8>::new();
            let (mut lines, mut long) = (0, 0);
            for piece in stream.chunks(chunk) {
                let mut piece = piece;
                while !piece.is_empty() {
                    let taken = framer.push(piece);
                    piece = &piece[taken..];
                    loop {
                        match framer.next() {
                            Next::Line(_) => lines += 1,
                            Next::Part(part) => skipper.feed(part),
                            Next::TooLong => {
                                long += 1;
                                assert_eq!(skipper.finish().reply(), Reply::To(RequestId::from(7)));
                                skipper.reset();
                            }
                            Next::Lost => {}
                            Next::NeedMore => break,
                        }
                    }
                }
            }
            assert_eq!(framer.finish(), Next::Line(b"rest"));
            framer.lost();
            assert_eq!(framer.finish(), Next::Lost);
            assert_eq!((lines, long), (2, 1));
        });
    }
}

#[test]
fn what_is_shown_to_people() {
    /// Counts what is written to it.
    struct Count(usize);

    impl std::fmt::Write for Count {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }

    for frame in FRAMES {
        without_allocating(frame, || {
            let mut count = Count(0);
            match classify(frame.as_bytes()) {
                Ok(message) => write!(count, "{message:?}"),
                Err(rejection) => write!(count, "{rejection}"),
            }
            .expect("a count");
            assert!(count.0 > 0);
        });
    }
}

#[test]
fn templates() {
    without_allocating("a template", || {
        let template = UriTemplate::new("a:///{x}/{y}.json");
        let uri = JsonStr::from_escaped(r"a:\/\/\/b/c.json").expect("a string");
        assert!(template.variable(uri, "y").is_some_and(|value| value == "c"));
        assert!(!template.matches(JsonStr::EMPTY));
    });
}
