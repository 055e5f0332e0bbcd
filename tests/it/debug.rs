//! What `{:?}` shows of messages: their text, bounded.

use barewire::bytes::{Framer, Next};
use barewire::rpc::{Message, Stored, classify};

fn message(frame: &str) -> Message<'_> {
    classify(frame.as_bytes()).expect("a message")
}

#[test]
fn a_message_is_shown_as_its_text() {
    let request = r#"{"jsonrpc":"2.0","id":7,"method":"a/é"}"#;
    assert_eq!(format!("{:?}", message(request)), format!("Request(Request({request}))"));
    let notification = r#"{"jsonrpc":"2.0","method":"a"}"#;
    assert_eq!(format!("{:?}", message(notification)), format!("Notification(Notification({notification}))"));
    let response = r#"{"jsonrpc":"2.0","id":"x","result":{}}"#;
    assert_eq!(format!("{:?}", message(response)), format!("Response(Response({response}))"));
    let stored: Stored<64> = Stored::new(&message(request)).expect("it fits");
    assert_eq!(format!("{stored:?}"), format!("Stored(Request(Request({request})))"));
}

#[test]
fn of_a_long_message_the_beginning_is_shown() {
    let long =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{"text":"{}"}}}}"#, "b".repeat(1 << 20));
    let shown = format!("{:?}", message(&long));
    assert!(shown.starts_with(r#"Request(Request({"jsonrpc":"2.0","id":1,"#), "{shown}");
    assert!(shown.ends_with(&format!("b… ({} bytes)))", long.len())), "{shown}");
    assert!(shown.len() < 320, "{}", shown.len());
}

#[test]
fn a_line_is_shown_as_text_whatever_is_in_it() {
    let mut framer = Framer::new([0; 8]);
    framer.push(b"a\xff\x1b\r\n");
    assert_eq!(format!("{:?}", framer.next()), "Line(a\\xff\\u{1b}\\r)");
    assert_eq!(format!("{:?}", framer.next()), "NeedMore");
    framer.push(b"12345678");
    assert_eq!(format!("{:?}", framer.next()), "Part(12345678)");
    framer.push(b"\n");
    assert_eq!(format!("{:?} {:?}", framer.next(), Next::Lost), "TooLong Lost");
}
