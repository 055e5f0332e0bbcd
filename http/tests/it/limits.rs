//! Limits of memory and time.

use std::time::Duration;

use barewire_http::{HttpLimits, Mcp};

use crate::kit::{Seen, Server, call, json, modern, modern_result, post, result};

const TOO_LONG: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Message too long"}}"#;

async fn start(limits: HttpLimits) -> Server {
    Server::start_with(Mcp::builder().limits(limits)).await
}

fn head(length: &str) -> String {
    format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{length}\r\n\r\n")
}

#[tokio::test]
async fn a_long_body_is_refused_by_its_length() {
    let server = start(HttpLimits { body: 1000, ..HttpLimits::DEFAULT }).await;
    let too_long = json("413 Payload Too Large", TOO_LONG);
    // Nothing of it was sent.
    assert_eq!(server.answer(head("Content-Length: 1001")).await, too_long);
    // A client that sends it gets the answer too, and may go on.
    let mut client = server.connect().await;
    client.send(head("Content-Length: 1500") + &" ".repeat(1500)).await;
    assert_eq!(client.response().await, too_long);
    client.send(post(&call("1", "echo", r#"{"text":"hi"}"#))).await;
    assert_eq!(client.response().await, json("200 OK", &result("1", "hi")));
    // The longest body that is served.
    let text = "x".repeat(1000 - call("1", "echo", r#"{"text":""}"#).len());
    let echo = call("1", "echo", &format!(r#"{{"text":"{text}"}}"#));
    assert_eq!(echo.len(), 1000);
    assert_eq!(server.answer(post(&echo)).await, json("200 OK", &result("1", &text)));
}

#[tokio::test]
async fn a_long_chunked_body_is_refused() {
    let server = start(HttpLimits { body: 1000, ..HttpLimits::DEFAULT }).await;
    let mut client = server.connect().await;
    client.send(head("Transfer-Encoding: chunked")).await;
    for _ in 0..11 {
        client.send(format!("64\r\n{}\r\n", " ".repeat(100))).await;
    }
    assert_eq!(client.response().await, json("413 Payload Too Large", TOO_LONG));
}

#[tokio::test]
async fn a_slow_body_is_refused() {
    let server = start(HttpLimits { body_time: Duration::from_millis(50), ..HttpLimits::DEFAULT }).await;
    let mut client = server.connect().await;
    client.send(head("Content-Length: 10") + "{").await;
    let late = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Body too slow"}}"#;
    assert_eq!(client.response().await, json("408 Request Timeout", late));
}

#[tokio::test]
async fn a_broken_body_is_refused() {
    let server = Server::start().await;
    let broken = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Body broken off"}}"#;
    let answer = server.answer(head("Transfer-Encoding: chunked") + "2\r\n{}x").await;
    assert_eq!(answer.replace("connection: close\r\n", ""), json("400 Bad Request", broken));
}

#[tokio::test]
async fn all_bodies_together_have_a_limit() {
    let server = start(HttpLimits { bodies: 1000, ..HttpLimits::DEFAULT }).await;
    let mut first = server.connect().await;
    let echo = post(&call("1", "echo", &format!(r#"{{"text":"{}"}}"#, "x".repeat(700))));
    let (start, end) = echo.split_at(echo.len() - 10);
    first.send(start).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let busy = server.answer(&echo).await;
    assert!(busy.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{busy}");
    assert!(busy.contains("retry-after: 1\r\n"), "{busy}");
    first.send(end).await;
    assert!(first.response().await.starts_with("HTTP/1.1 200 OK\r\n"));
    assert!(server.answer(&echo).await.starts_with("HTTP/1.1 200 OK\r\n"));
}

#[tokio::test]
async fn open_responses_have_a_limit() {
    let server = start(HttpLimits { exchanges: 2, ..HttpLimits::DEFAULT }).await;
    let wait = |id| modern(id, "tools/call", r#""name":"wait","arguments":{},"#);
    let mut first = server.connect().await;
    first.send(wait(1)).await;
    let token = server.deferred().await;
    let mut second = server.connect().await;
    second.send(wait(1)).await;
    let cancelled = server.deferred().await;
    let busy = r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Server busy"}}"#;
    let answer = server.answer(wait(3)).await.replace("retry-after: 1\r\n", "");
    assert_eq!(answer, json("503 Service Unavailable", busy));
    drop(second);
    assert_eq!(server.seen().await, Seen::Cancelled(cancelled));
    let mut third = server.connect().await;
    third.send(wait(1)).await;
    let third_token = server.deferred().await;
    server.handle.complete_tool(token, |result| Ok(result.text("first").done()));
    server.handle.complete_tool(third_token, |result| Ok(result.text("third").done()));
    assert_eq!(first.response().await, json("200 OK", &modern_result(1, "first")));
    assert_eq!(third.response().await, json("200 OK", &modern_result(1, "third")));
}

#[tokio::test]
async fn a_slow_reader_gets_its_answer_and_costs_little() {
    let limits = HttpLimits { queue: 4096, ..HttpLimits::DEFAULT };
    let server = start(limits).await;
    let mut client = server.connect().await;
    client.send(modern(1, "tools/call", r#""name":"wait","arguments":{},"#)).await;
    let token = server.deferred().await;
    // Far more than fits the buffers of a connection.
    const COUNT: u32 = 200_000;
    let handle = server.handle.clone();
    let flood = move || (1..=COUNT).for_each(|step| handle.progress(token, step));
    tokio::task::spawn_blocking(flood).await.unwrap();
    // Nobody else waits for it.
    let echo = call("1", "echo", r#"{"text":"hi"}"#);
    assert_eq!(server.answer(post(&echo)).await, json("200 OK", &result("1", "hi")));
    server.handle.complete_tool(token, |result| Ok(result.text("done").done()));
    let response = client.response().await;
    assert!(response.contains(&modern_result(1, "done")));
    let steps: Vec<u32> = response
        .split(r#""progress":"#)
        .skip(1)
        .map(|rest| rest.split('}').next().unwrap().parse().unwrap())
        .collect();
    assert!(steps.is_sorted(), "{steps:?}");
    assert!((1..COUNT as usize / 2).contains(&steps.len()), "{}", steps.len());
}

#[tokio::test]
async fn a_stream_that_nobody_reads_ends() {
    let limits = HttpLimits {
        queue: 1 << 20,
        stall: Duration::from_millis(100),
        keep_alive: Duration::from_millis(50),
        ..HttpLimits::DEFAULT
    };
    let server = start(limits).await;
    let mut client = server.connect().await;
    client.send(modern(1, "tools/call", r#""name":"wait","arguments":{},"#)).await;
    let token = server.deferred().await;
    let handle = server.handle.clone();
    let flood = move || {
        let mut step = 0;
        while handle.is_in_flight(token) {
            step += 1;
            handle.progress(token, step);
        }
    };
    tokio::task::spawn_blocking(flood).await.unwrap();
    assert_eq!(server.seen().await, Seen::Cancelled(token));
    drop(client);
}
