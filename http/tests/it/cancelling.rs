//! Clients that go away, and clients that cancel.

use crate::kit::{STREAM, Seen, Server, call, json, modern, post, post_with, result};

const WAIT: &str = r#""name":"wait","arguments":{},"#;

#[tokio::test]
async fn a_modern_request_is_cancelled_when_its_client_is_gone() {
    let server = Server::start().await;
    // Before the head of the response, and after it.
    for has_head in [false, true] {
        let mut client = server.connect().await;
        client.send(modern(1, "tools/call", WAIT)).await;
        let token = server.deferred().await;
        if has_head {
            server.handle.progress(token, 1);
            assert_eq!(client.head().await, STREAM);
        }
        assert!(server.handle.is_in_flight(token));
        drop(client);
        assert_eq!(server.seen().await, Seen::Cancelled(token));
        assert!(!server.handle.is_in_flight(token));
    }
}

#[tokio::test]
async fn a_legacy_request_of_a_session_continues() {
    let server = Server::start().await;
    let session = server.open_session().await;
    let mut client = server.connect().await;
    client.send(post_with(&session, &call("1", "wait", "{}"))).await;
    let token = server.deferred().await;
    drop(client);
    // One without a session is cancelled.
    let mut other = server.connect().await;
    other.send(post(&call("1", "wait", "{}"))).await;
    let sessionless = server.deferred().await;
    drop(other);
    assert_eq!(server.seen().await, Seen::Cancelled(sessionless));
    assert!(server.handle.is_in_flight(token));
    server.handle.complete_tool(token, |result| Ok(result.text("nobody hears it").done()));
    assert!(!server.handle.is_in_flight(token));
}

#[tokio::test]
async fn a_cancelled_request_gets_an_empty_stream() {
    let server = Server::start().await;
    let session = server.open_session().await;
    let mut client = server.connect().await;
    client.send(post_with(&session, &call("1", "wait", "{}"))).await;
    let token = server.deferred().await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    // Only in its session.
    let accepted = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(server.answer(post(cancel)).await, accepted);
    assert!(server.handle.is_in_flight(token));
    assert_eq!(server.answer(post_with(&session, cancel)).await, accepted);
    assert_eq!(server.seen().await, Seen::Cancelled(token));
    assert_eq!(client.response().await, format!("{STREAM}0\r\n\r\n"));
    // The connection stays usable.
    client.send(post(&call("2", "echo", r#"{"text":"hi"}"#))).await;
    assert_eq!(client.response().await, json("200 OK", &result("2", "hi")));
}
