//! Messages with other ids, for gateways.

use barewire::bytes::BufferFull;
use barewire::json::RawValue;
use barewire::rpc::{Message, RequestId, Rewrite, RewriteError, Stored, classify};

/// One of the methods that put a token in.
type Edit = fn(Rewrite<'static>, RequestId<'static>) -> Result<Rewrite<'static>, RewriteError>;

fn message(frame: &str) -> Message<'_> {
    classify(frame.as_bytes()).unwrap()
}

fn written(rewrite: &Rewrite<'_>) -> String {
    let mut memory = [0; 512];
    String::from_utf8(rewrite.write(&mut memory).unwrap().to_vec()).unwrap()
}

#[test]
fn the_id_of_a_request_and_of_a_response() {
    let rows = [
        (r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, r#"{"jsonrpc":"2.0","id":71,"method":"x"}"#),
        (
            "\t{\"\\u0069d\" : \"a\\u0062\"\r\n, \"method\":\"id\",\"jsonrpc\":\"2.0\"} ",
            "\t{\"\\u0069d\" : 71\r\n, \"method\":\"id\",\"jsonrpc\":\"2.0\"} ",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"x","params":{"id":1,"_meta":{"id":1}},"id":12345678901234567890}"#,
            r#"{"jsonrpc":"2.0","method":"x","params":{"id":1,"_meta":{"id":1}},"id":71}"#,
        ),
        (r#"{"jsonrpc":"2.0","id":-0,"result":{"id":1}}"#, r#"{"jsonrpc":"2.0","id":71,"result":{"id":1}}"#),
        (
            r#"{"error":{"code":1,"message":"m","data":{"id":1}},"id":"","jsonrpc":"2.0"}"#,
            r#"{"error":{"code":1,"message":"m","data":{"id":1}},"id":71,"jsonrpc":"2.0"}"#,
        ),
    ];
    for (frame, expected) in rows {
        let rewrite = Rewrite::new(message(frame)).id(RequestId::from(71)).unwrap();
        assert_eq!(written(&rewrite), expected);
    }
}

#[test]
fn the_tokens_that_refer_to_other_messages() {
    let new = RequestId::from("new");
    let rows = [
        (
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"requestId","requestId":7}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"requestId","requestId":"new"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"progressToken":1,"_meta":{"progressToken":7,"a":1}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"progressToken":1,"_meta":{"progressToken":"new","a":1}}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress\u0054oken":7,"progress":1}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress\u0054oken":"new","progress":1}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","method":"x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}"#,
            r#"{"jsonrpc":"2.0","method":"x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"new"}}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"result":{"_meta":{"io.modelcontextprotocol\/subscriptionId":7}}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"_meta":{"io.modelcontextprotocol\/subscriptionId":"new"}}}"#,
        ),
    ];
    let edits: [Edit; 5] = [
        Rewrite::request_id,
        Rewrite::progress_token,
        Rewrite::progress_token,
        Rewrite::subscription_id,
        Rewrite::subscription_id,
    ];
    for ((frame, expected), edit) in rows.into_iter().zip(edits) {
        assert_eq!(written(&edit(Rewrite::new(message(frame)), new).unwrap()), expected);
    }
}

#[test]
fn several_tokens_in_any_order_and_the_last_word_counts() {
    let frame = concat!(
        r#"{"jsonrpc":"2.0","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1,"progressToken":2},"#,
        r#""requestId":3},"id":4,"method":"x"}"#
    );
    let rewrite = Rewrite::new(message(frame))
        .id(RequestId::from(40))
        .and_then(|rewrite| rewrite.progress_token(RequestId::from("20")))
        .and_then(|rewrite| rewrite.request_id(RequestId::from(30)))
        .and_then(|rewrite| rewrite.subscription_id(RequestId::from(10)))
        .and_then(|rewrite| rewrite.progress_token(RequestId::from(-20)))
        .unwrap();
    let expected = concat!(
        r#"{"jsonrpc":"2.0","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":10,"progressToken":-20},"#,
        r#""requestId":30},"id":40,"method":"x"}"#
    );
    assert_eq!(written(&rewrite), expected);
    let needed = expected.len();
    assert_eq!(rewrite.write(&mut vec![0; needed]).map(<[u8]>::len), Ok(needed));
    assert_eq!(rewrite.write(&mut vec![0; needed - 1]), Err(BufferFull { needed }));
}

#[test]
fn received_ids_are_put_in_as_they_are() {
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#;
    for token in ["-0", "123456789012345678901234567890", r#""\ud800\/""#] {
        let id = RequestId::parse(token.as_bytes()).unwrap();
        let rewrite = Rewrite::new(message(frame)).id(id).unwrap();
        assert_eq!(written(&rewrite), frame.replace('1', token));
    }
}

#[test]
fn tokens_that_are_not_there_or_there_twice() {
    use RewriteError::{Absent, Repeated};
    let new = RequestId::from(1);
    let call = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{params}}}"#);
    let rows = [
        (call("{}"), Absent, Absent, Absent),
        (call(r#"{"requestId":null,"progressToken":1}"#), Absent, Absent, Absent),
        (call(r#"{"requestId":1.5,"_meta":{"progressToken":true}}"#), Absent, Absent, Absent),
        (call(r#"{"_meta":null}"#), Absent, Absent, Absent),
        (call(r#"{"_meta":[{"progressToken":1}]}"#), Absent, Absent, Absent),
        (
            call(r#"{"requestId":1,"requestId":1,"_meta":{},"_meta":{"progressToken":1}}"#),
            Repeated,
            Repeated,
            Repeated,
        ),
        (call(r#"{"_meta":{"progressToken":1,"progress\u0054oken":1}}"#), Absent, Repeated, Absent),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#.to_string(), Absent, Absent, Absent),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"requestId":1,"progressToken":1}}"#.to_string(),
            Absent,
            Absent,
            Absent,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","_meta":{}}}"#.to_string(),
            Absent,
            Absent,
            Absent,
        ),
    ];
    for (frame, request_id, progress_token, subscription_id) in &rows {
        let rewrite = Rewrite::new(message(frame));
        assert_eq!(rewrite.clone().request_id(new).err(), Some(*request_id), "{frame}");
        assert_eq!(rewrite.clone().progress_token(new).err(), Some(*progress_token), "{frame}");
        assert_eq!(rewrite.clone().subscription_id(new).err(), Some(*subscription_id), "{frame}");
        // Nothing was changed.
        assert_eq!(written(&rewrite), *frame);
    }
    let notification = r#"{"jsonrpc":"2.0","method":"x","params":{"id":1}}"#;
    assert_eq!(Rewrite::new(message(notification)).id(new).err(), Some(Absent));
    let error = r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#;
    assert_eq!(Rewrite::new(message(error)).id(new).err(), Some(Absent));
}

#[test]
fn a_stored_message_is_rewritten_as_the_frame_is() {
    let frame = r#"{"jsonrpc":"2.0","id":"c1","method":"x","params":{"_meta":{"progressToken":5}}}"#;
    let stored = Stored::<96>::new(&message(frame)).unwrap();
    let rewrite = Rewrite::new(stored.view())
        .progress_token(RequestId::from(6))
        .and_then(|rewrite| rewrite.id(RequestId::from(7)))
        .unwrap();
    let expected = frame.replace(r#""c1""#, "7").replace(":5", ":6");
    assert_eq!(written(&rewrite), expected);
}

#[test]
fn tokens_are_read_as_they_stand() {
    let frame = r#"{"jsonrpc":"2.0","method":"x","params":{"requestId":"\u0061","progressToken":-0}}"#;
    let message = message(frame);
    let token = |text: &'static str| Ok(Some(RawValue::new(text.as_bytes()).unwrap()));
    assert_eq!(message.request_id(), token(r#""\u0061""#));
    assert_eq!(message.progress_token(), token("-0"));
    assert_eq!(message.subscription_id(), Ok(None));
}
