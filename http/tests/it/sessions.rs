//! Legacy sessions.

use std::time::Duration;

use barewire_http::{HttpLimits, Mcp};

use crate::kit::{INITIALIZE, Server, call, json, post, post_with, result};

const ECHO: &str = r#"{"text":"hi"}"#;

#[tokio::test]
async fn a_full_table_drops_the_session_that_was_idle_for_the_longest_time() {
    let server = Server::start_with(Mcp::builder().sessions(2)).await;
    let first = server.open_session().await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    let second = server.open_session().await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    let third = server.open_session().await;
    let echo = call("1", "echo", ECHO);
    assert!(server.answer(post_with(&first, &echo)).await.starts_with("HTTP/1.1 404 Not Found\r\n"));
    for session in [second, third] {
        assert_eq!(server.answer(post_with(&session, &echo)).await, json("200 OK", &result("1", "hi")));
    }
}

#[tokio::test]
async fn a_session_that_nothing_uses_ends() {
    let limits = HttpLimits { idle: Duration::from_millis(60), ..HttpLimits::DEFAULT };
    let server = Server::start_with(Mcp::builder().limits(limits)).await;
    let session = server.open_session().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let answer = server.answer(post_with(&session, &call("1", "echo", ECHO))).await;
    assert!(answer.starts_with("HTTP/1.1 404 Not Found\r\n"), "{answer}");
}

#[tokio::test]
async fn sessions_can_be_left_out_or_required() {
    let without = Server::start_with(Mcp::builder().sessions(0)).await;
    assert!(!without.answer(post(INITIALIZE)).await.contains("mcp-session-id"));
    assert_eq!(
        without.answer(crate::kit::request("DELETE", "", "")).await,
        "HTTP/1.1 405 Method Not Allowed\r\nallow: POST\r\ncontent-length: 0\r\n\r\n"
    );
    let required = Server::start_with(Mcp::builder().require_sessions(true)).await;
    let answer = required.answer(post(&call("1", "echo", ECHO))).await;
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
    let session = required.open_session().await;
    assert_eq!(
        required.answer(post_with(&session, &call("1", "echo", ECHO))).await,
        json("200 OK", &result("1", "hi"))
    );
}
