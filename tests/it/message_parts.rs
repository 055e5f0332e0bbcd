//! The parts of a message that no rule of the classifier is about: what it was read from, what it is about, ids and codes.

use barewire::json::Object;
use barewire::rpc::{ErrorCode, Message, RequestId, Stored, StoredId, classify};

fn message(frame: &str) -> Message<'_> {
    classify(frame.as_bytes()).expect("a message")
}

#[test]
fn a_message_knows_its_frame() {
    for text in [
        r#" {"jsonrpc":"2.0","id":1,"method":"x"} "#,
        r#" {"jsonrpc":"2.0","method":"x"} "#,
        r#" {"jsonrpc":"2.0","id":1,"result":{}} "#,
    ] {
        let frame = match message(text) {
            Message::Request(request) => request.frame(),
            Message::Notification(notification) => notification.frame(),
            Message::Response(response) => response.frame(),
        };
        assert_eq!(frame, text.as_bytes());
        let stored: Stored<64> = Stored::new(&message(text)).expect("room");
        assert_eq!(stored.view().frame(), text.as_bytes());
    }
}

/// The members of the params, and the target.
#[test]
fn what_a_message_is_about() {
    let rows = [
        ("", None),
        (r#","params":{}"#, None),
        (r#","params":{"name":"n"}"#, Some("n")),
        (r#","params":{"uri":"u"}"#, Some("u")),
        (r#","params":{"uri":"u","name":"n"}"#, Some("n")),
        (r#","params":{"n\u0061me":"\u006e"}"#, Some("n")),
        (r#","params":{"name":1,"uri":"u"}"#, None),
        (r#","params":{"name":"n","name":"n"}"#, None),
        (r#","params":{"name":"n","uri":"u","uri":"u"}"#, None),
    ];
    for (params, target) in rows {
        let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x"{params}}}"#);
        let notification = format!(r#"{{"jsonrpc":"2.0","method":"x"{params}}}"#);
        let is = |found: Option<barewire::json::JsonStr<'_>>| match (found, target) {
            (Some(found), Some(target)) => found == target,
            (None, None) => true,
            _ => false,
        };
        assert!(is(message(&request).target()), "{params}");
        assert!(is(message(&notification).target()), "{params}");
        let (Message::Request(request), Message::Notification(notification)) =
            (message(&request), message(&notification))
        else {
            panic!("a request and a notification");
        };
        assert!(is(request.target()) && is(notification.target()), "{params}");
    }
    assert!(message(r#"{"jsonrpc":"2.0","id":1,"result":{"name":"n"}}"#).target().is_none());
}

/// A token, the string without escapes, and the integer.
#[test]
fn ids_as_strings_and_integers() {
    let rows: [(&str, Option<&str>, Option<i64>); 8] = [
        (r#""""#, Some(""), None),
        (r#""a""#, Some("a"), None),
        (r#""7""#, Some("7"), None),
        (r#""\u0061""#, None, None),
        ("7", None, Some(7)),
        ("-0", None, Some(0)),
        ("-9223372036854775808", None, Some(i64::MIN)),
        ("9223372036854775808", None, None),
    ];
    for (token, text, integer) in rows {
        let id = RequestId::parse(token.as_bytes()).expect("an id");
        assert_eq!(id.as_str(), text, "{token}");
        assert_eq!(id.to_i64(), integer, "{token}");
        assert_eq!(id.is_string(), token.starts_with('"'), "{token}");
    }
    assert_eq!(RequestId::from("a").as_str(), Some("a"));
    assert_eq!(RequestId::from("a").to_i64(), None);
    assert!(RequestId::from("a").is_string());
    assert_eq!(RequestId::from(7).as_str(), None);
    assert_eq!(RequestId::from(7).to_i64(), Some(7));
    assert!(!RequestId::from(7).is_string());
}

#[test]
fn kept_ids_are_equal_as_their_views_are() {
    let stored =
        |token: &str| StoredId::<16>::new(RequestId::parse(token.as_bytes()).expect("an id")).expect("room");
    assert_eq!(stored(r#""\u0061""#), stored(r#""a""#));
    assert_eq!(stored("-0"), stored("0"));
    assert_ne!(stored("1"), stored(r#""1""#));
    // The text counts, its quotes too.
    assert!(StoredId::<3>::new(RequestId::from("a")).is_ok());
    assert!(StoredId::<2>::new(RequestId::from("a")).is_err());
    assert!(StoredId::<2>::new(RequestId::from(-10)).is_err());
}

/// As JSON-RPC and MCP have them.
#[test]
fn codes() {
    let rows = [
        (ErrorCode::PARSE_ERROR, -32700),
        (ErrorCode::INVALID_REQUEST, -32600),
        (ErrorCode::METHOD_NOT_FOUND, -32601),
        (ErrorCode::INVALID_PARAMS, -32602),
        (ErrorCode::INTERNAL_ERROR, -32603),
        (ErrorCode::RESOURCE_NOT_FOUND, -32002),
        (ErrorCode::URL_ELICITATION_REQUIRED, -32042),
        (ErrorCode::HEADER_MISMATCH, -32020),
        (ErrorCode::MISSING_CLIENT_CAPABILITY, -32021),
        (ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, -32022),
    ];
    for (code, number) in rows {
        assert_eq!(code, ErrorCode(number));
        assert!(code.is_reserved());
    }
}

/// A code, whether JSON-RPC reserves it, whether it is of the range for servers.
#[test]
fn ranges_of_codes() {
    let rows = [
        (-32769, false, false),
        (-32768, true, false),
        (-32700, true, false),
        (-32100, true, false),
        (-32099, true, true),
        (-32000, true, true),
        (-31999, false, false),
        (0, false, false),
        (32000, false, false),
    ];
    for (code, is_reserved, is_server_error) in rows {
        assert_eq!(ErrorCode(code).is_reserved(), is_reserved, "{code}");
        assert_eq!(ErrorCode(code).is_server_error(), is_server_error, "{code}");
    }
}

/// A code on the wire may be longer than an integer here: then its nearest end is shown.
#[test]
fn codes_beyond_the_range() {
    let rows = [
        ("-32700", -32700),
        ("-0", 0),
        ("9223372036854775807", i64::MAX),
        ("9223372036854775808", i64::MAX),
        ("-9223372036854775809", i64::MIN),
    ];
    for (code, shown) in rows {
        let frame =
            format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"m","data":null}}}}"#);
        let Message::Response(response) = message(&frame) else {
            panic!("a response");
        };
        let error = response.outcome().expect_err("an error");
        assert_eq!(error.code(), ErrorCode(shown), "{code}");
        assert!(error.message() == "m");
        assert_eq!(error.data().map(|data| data.as_bytes()), Some(&b"null"[..]));
        assert_eq!(error.object().get("code").map(|code| code.as_bytes()), Some(code.as_bytes()));
    }
    assert!(Object::EMPTY.get("code").is_none());
}
