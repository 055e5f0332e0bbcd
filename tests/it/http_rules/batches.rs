//! Batches of 2025-03-26.

use super::kit::*;

const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

fn batch(elements: &[String]) -> String {
    format!("[{}]", elements.join(", "))
}

fn ping() -> String {
    legacy("1", "ping", "{}")
}

#[test]
fn h17_h25_the_answers_are_one_array_in_the_order_of_the_requests() {
    let mut stand = Stand::new(2);
    let id = stand.open(R2);
    let heads = [Request::post().session(&id), Request::post().version(R2), Request::post()];
    for head in heads {
        let body = batch(&[
            ping(),
            notification("x", "{}"),
            call("2", "log"),
            r#"{"jsonrpc":"2.0","id":3,"method":5}"#.to_owned(),
            "5".to_owned(),
            call("4", "later"),
            call("5", "ask"),
            ping(),
        ]);
        let answers = [
            PONG.to_owned(),
            text("2", "done").trim_end().to_owned(),
            error("3", -32600, "Invalid Request").trim_end().to_owned(),
            error("null", -32600, "Invalid Request").trim_end().to_owned(),
            error("4", -32603, "Server busy").trim_end().to_owned(),
        ];
        let got = stand.send(&head, &body);
        assert!(got.body.starts_with(&format!("[{},", answers.join(","))), "{got:?}");
        assert!(got.body.ends_with(&format!(",{PONG}]\n")), "{got:?}");
        assert_eq!((got.status, got.ends), (200, true));
        assert_eq!(
            serde_json::from_str::<Vec<serde_json::Value>>(&got.body).map(|answers| answers.len()).ok(),
            Some(7)
        );
        // Nothing was begun.
        assert!(stand.app.deferred.is_empty());
        assert_eq!(stand.endpoint.server().in_flight(), 0);
    }
}

#[test]
fn h21_an_array_without_requests() {
    let mut stand = Stand::new(2);
    let id = stand.open(R2);
    let head = Request::post().session(&id);
    stand.send(&head, &batch(&[notification("x", "{}"), notification("y", "{}")])).is(202, "");
    stand.send(&head, "[]").is(400, &error("null", -32600, "Invalid Request"));
    stand.send(&head, "[1").is(400, &error("null", -32700, "Parse error"));
    let response = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned();
    stand.send(&head, &batch(std::slice::from_ref(&response))).is(202, "");
    // More than one could continue calls on several exchanges.
    let both = batch(&[response.clone(), ping()]);
    stand.send(&head, &both).is(400, &error("null", -32600, "Invalid Request"));
    stand
        .send(&head, &batch(&[response.clone(), response]))
        .is(400, &error("null", -32600, "Invalid Request"));
}

#[test]
fn h26_a_handshake_stands_alone() {
    let mut stand = Stand::new(2);
    let got = stand.send(&Request::post(), &batch(&[initialize(R2), ping()]));
    let refused = error("0", -32600, "Invalid Request");
    got.is(200, &format!("[{},{PONG}]\n", refused.trim_end()));
    assert_eq!(got.field("Mcp-Session-Id"), None);
}

#[test]
fn h25_an_array_of_answers_that_does_not_fit() {
    let mut stand = Stand::new(2);
    let body = batch(&[ping(), ping(), ping(), ping()]);
    let whole = format!("[{PONG},{PONG},{PONG},{PONG}]\n");
    for room in 96..whole.len() + 4 {
        let got = stand.send_bytes(&Request::post(), body.as_bytes(), room);
        match room < whole.len() {
            true => got.is(200, &error("null", -32603, "Response too large")),
            false => got.is(200, &whole),
        };
    }
}

#[test]
fn h25_an_element_cancels_a_request_of_its_session() {
    let mut stand = Stand::new(2);
    let id = stand.open(R2);
    let head = Request::post().session(&id);
    let later = stand.send(&head, &call("7", "later"));
    let cancel = notification("notifications/cancelled", r#"{"requestId":7}"#);
    stand.send(&head, &batch(&[cancel, ping()])).is(200, &format!("[{PONG}]\n"));
    assert!(stand.endpoint.has_ended() && !stand.endpoint.is_open(later.channel));
}
