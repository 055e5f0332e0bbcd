//! The end of a server.

use std::time::Duration;

use barewire_http::{HttpLimits, Mcp};

use crate::kit::{Seen, Server, build, call, json, modern, modern_result, post, request};

#[tokio::test]
async fn calls_in_flight_may_end_and_new_requests_are_refused() {
    let server = Server::start().await;
    let session = server.open_session().await;
    let mut stream = server.connect().await;
    stream.send(request("GET", &format!("Accept: text/event-stream\r\n{session}"), "")).await;
    stream.head().await;
    let mut client = server.connect().await;
    client.send(modern(1, "tools/call", r#""name":"wait","arguments":{},"#)).await;
    let token = server.deferred().await;

    let mcp = server.mcp.clone();
    let shutdown = tokio::spawn(async move { mcp.shutdown().await });
    tokio::time::sleep(Duration::from_millis(20)).await;
    let closing = r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Server is shutting down"}}"#;
    let answer = server.answer(post(&call("1", "echo", r#"{"text":"hi"}"#))).await;
    assert_eq!(answer.replace("retry-after: 1\r\n", ""), json("503 Service Unavailable", closing));
    assert!(!shutdown.is_finished());
    server.handle.complete_tool(token, |result| Ok(result.text("last").done()));
    assert_eq!(client.response().await, json("200 OK", &modern_result(1, "last")));
    assert_eq!(stream.until("0\r\n\r\n").await, "0\r\n\r\n");
    shutdown.await.unwrap();
}

#[tokio::test]
async fn calls_that_do_not_end_are_cut_off() {
    let limits = HttpLimits { drain: Duration::from_millis(50), ..HttpLimits::DEFAULT };
    let server = Server::start_with(Mcp::builder().limits(limits)).await;
    let mut client = server.connect().await;
    client.send(modern(1, "tools/call", r#""name":"wait","arguments":{},"#)).await;
    let token = server.deferred().await;
    server.mcp.shutdown().await;
    assert_eq!(server.seen().await, Seen::Cancelled(token));
    assert!(client.response().await.ends_with("\r\n\r\n0\r\n\r\n"));
}

#[tokio::test]
async fn nothing_stays_after_the_last_clone() {
    use http_body_util::Empty;
    use tower_service::Service;

    let (mcp, seen) = build(Mcp::builder());
    let handle = mcp.handle();
    let request = http::Request::get("http://localhost/mcp").body(Empty::<bytes::Bytes>::new()).unwrap();
    let response = mcp.clone().call(request).await.unwrap();
    assert_eq!(response.status(), 405);
    let metrics = tokio::runtime::Handle::current().metrics();
    assert_eq!(metrics.num_alive_tasks(), 1);
    drop(mcp);
    assert_eq!(seen.lock().unwrap().recv_timeout(Duration::from_secs(5)), Ok(Seen::Dropped));
    while metrics.num_alive_tasks() > 0 {
        tokio::task::yield_now().await;
    }
    // The handle has no server any more.
    handle.list_changed(barewire::engine::List::Tools);
}
