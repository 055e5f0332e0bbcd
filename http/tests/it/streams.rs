//! Streams of events.

use std::time::Duration;

use barewire::engine::{List, Progress};
use barewire::mcp::LoggingLevel;
use barewire_http::{HttpLimits, Mcp};

use crate::kit::{
    STREAM, Server, call, chunk, event, json, modern, modern_result, post, post_with, progress, request,
    result,
};

#[tokio::test]
async fn progress_before_the_answer_makes_a_stream() {
    let server = Server::start().await;
    let events = [progress(1, 1), progress(1, 2), modern_result(1, "done")].map(|line| event(&line)).concat();
    let head = STREAM.replace("transfer-encoding: chunked", &format!("content-length: {}", events.len()));
    let steps = modern(1, "tools/call", r#""name":"steps","arguments":{},"#);
    assert_eq!(server.answer(steps).await, head + &events);
}

#[tokio::test]
async fn a_late_answer_alone_is_json() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.send(modern(1, "tools/call", r#""name":"wait","arguments":{},"#)).await;
    let token = server.deferred().await;
    server.handle.complete_tool(token, |result| Ok(result.text("late").done()));
    assert_eq!(client.response().await, json("200 OK", &modern_result(1, "late")));
    // The connection stays usable.
    client.send(post(&call("2", "echo", r#"{"text":"hi"}"#))).await;
    assert_eq!(client.response().await, json("200 OK", &result("2", "hi")));
}

#[tokio::test]
async fn late_progress_makes_a_stream() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.send(modern(1, "tools/call", r#""name":"wait","arguments":{},"#)).await;
    let token = server.deferred().await;
    server.handle.progress(token, 1);
    assert_eq!(client.head().await, STREAM);
    assert_eq!(client.until("}\n\n\r\n").await, chunk(&event(&progress(1, 1))));
    server.handle.progress(token, Progress::new(2).of(3).with_message("more"));
    let text = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2,"total":3,"message":"more"}}"#;
    assert_eq!(client.until("}\n\n\r\n").await, chunk(&event(text)));
    // Progress goes forward only, and the client has not asked for log messages.
    server.handle.progress(token, 1);
    server.handle.log(token, LoggingLevel::Error, "never sent");
    server.handle.complete_tool(token, |result| Ok(result.text("late").done()));
    assert_eq!(client.until("0\r\n\r\n").await, chunk(&event(&modern_result(1, "late"))) + "0\r\n\r\n");
}

#[tokio::test]
async fn a_quiet_response_becomes_a_stream_with_comments() {
    let limits = HttpLimits { keep_alive: Duration::from_millis(50), ..HttpLimits::DEFAULT };
    let server = Server::start_with(Mcp::builder().limits(limits)).await;
    let mut client = server.connect().await;
    client.send(modern(1, "tools/call", r#""name":"wait","arguments":{},"#)).await;
    let token = server.deferred().await;
    assert_eq!(client.head().await, STREAM);
    for _ in 0..3 {
        assert_eq!(client.until(":\n\n\r\n").await, "3\r\n:\n\n\r\n");
    }
    server.handle.complete_tool(token, |result| Ok(result.text("late").done()));
    let rest = client.until("0\r\n\r\n").await;
    assert!(rest.ends_with(&(chunk(&event(&modern_result(1, "late"))) + "0\r\n\r\n")), "{rest}");
}

const LISTEN: &str = r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://clock"]},"#;

#[tokio::test]
async fn a_subscription_gets_the_changes_that_it_wants() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.send(modern(5, "subscriptions/listen", LISTEN)).await;
    assert_eq!(client.head().await, STREAM);
    let acknowledged = client.until("}\n\n\r\n").await;
    assert!(
        acknowledged.contains(r#""method":"notifications/subscriptions/acknowledged""#),
        "{acknowledged}"
    );
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":5}}}"#;
    let updated = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://clock","_meta":{"io.modelcontextprotocol/subscriptionId":5}}}"#;
    server.handle.list_changed(List::Prompts);
    server.handle.resource_updated("test://other");
    server.handle.list_changed(List::Tools);
    assert_eq!(client.until("}\n\n\r\n").await, chunk(&event(changed)));
    server.handle.resource_updated("test://clock");
    assert_eq!(client.until("}\n\n\r\n").await, chunk(&event(updated)));

    // By the application, from a method that another client has called.
    let answer = server.answer(post(&call("1", "change", "{}"))).await;
    assert_eq!(answer, json("200 OK", &result("1", "changed")));
    let both = client.until("updated").await + &client.until("}\n\n\r\n").await;
    assert!(both.contains(&(event(changed) + &event(updated))), "{both}");

    server.mcp.shutdown().await;
    let end = client.until("0\r\n\r\n").await;
    assert!(end.contains(r#""id":5,"result":{"resultType":"complete","#), "{end}");
}

#[tokio::test]
async fn a_legacy_question_goes_on_the_stream_of_its_call() {
    let server = Server::start().await;
    let session = server.open_session().await;
    let mut client = server.connect().await;
    client.send(post_with(&session, &call("3", "ask", "{}"))).await;
    assert_eq!(client.head().await, STREAM);
    let question = client.until("}\n\n\r\n").await;
    assert!(question.contains(r#""method":"elicitation/create""#), "{question}");
    let id = question.split(r#""id":"#).nth(1).unwrap().split(',').next().unwrap();
    let answer =
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"action":"accept","content":{{"agree":true}}}}}}"#);
    // Not in its session: nobody has asked.
    let accepted = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(server.answer(post(&answer)).await, accepted);
    assert_eq!(server.answer(post_with(&session, &answer)).await, accepted);
    assert_eq!(client.until("0\r\n\r\n").await, chunk(&event(&result("3", "answered"))) + "0\r\n\r\n");
}

#[tokio::test]
async fn the_standing_stream_of_a_session() {
    let server = Server::start().await;
    let session = server.open_session().await;
    let subscribe =
        r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://clock"}}"#;
    let subscribed = server.answer(post_with(&session, subscribe)).await;
    assert_eq!(subscribed, json("200 OK", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
    let get = request("GET", &format!("Accept: text/event-stream\r\n{session}"), "");

    // Changes wait for the stream.
    server.handle.list_changed(List::Tools);
    let mut first = server.connect().await;
    first.send(&get).await;
    assert_eq!(first.head().await, STREAM);
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    assert_eq!(first.until("}\n\n\r\n").await, chunk(&event(changed)));
    server.handle.resource_updated("test://clock");
    let updated =
        r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://clock"}}"#;
    assert_eq!(first.until("}\n\n\r\n").await, chunk(&event(updated)));
    server.handle.log_to_sessions(LoggingLevel::Error, "fire");
    assert!(first.until("}\n\n\r\n").await.contains(r#""data":"fire""#));

    // Another one replaces it.
    let mut second = server.connect().await;
    second.send(&get).await;
    assert_eq!(second.head().await, STREAM);
    assert_eq!(first.until("0\r\n\r\n").await, "0\r\n\r\n");
    server.handle.list_changed(List::Tools);
    assert_eq!(second.until("}\n\n\r\n").await, chunk(&event(changed)));

    // The end of the session ends it.
    let deleted = server.answer(request("DELETE", &session, "")).await;
    assert_eq!(deleted, "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    assert_eq!(second.until("0\r\n\r\n").await, "0\r\n\r\n");
    assert_eq!(server.answer(get).await, "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
}
