//! Legacy sessions.

use std::time::Duration;

use barewire::engine::{
    CallError, Handler, Outcome, TaskHandler, TaskToken, ToolCall, ToolContent, ToolReply,
};
use barewire::mcp::{Capabilities, Implementation, TaskSupport, Tool};
use barewire_http::{HttpLimits, Mcp};

use crate::kit::{Client, INITIALIZE, Server, call, initialize, json, post, post_with, result, serve};

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

/// Its one tool goes on as a task.
struct Slow;

impl Handler for Slow {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("slow", "1")
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::TASKS);
    }

    fn tools(&self) -> &[Tool<'_>] {
        const { &[Tool::new("slow", "Takes long.").with_task_support(TaskSupport::Required)] }
    }

    fn call_tool<'a>(&mut self, _: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        Ok(reply.start_task()?.1)
    }

    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        Some(self)
    }
}

impl TaskHandler for Slow {
    fn task_result<'a>(
        &mut self,
        _: TaskToken,
        content: ToolContent<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(content.text("done").done())
    }
}

#[tokio::test]
async fn a_task_belongs_to_its_session() {
    let address = serve(Mcp::new(Slow)).await;
    let (mine, other) = (initialize(address).await, initialize(address).await);
    let mut client = Client::connect(address).await;
    let begin =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","task":{"ttl":60000}}}"#;
    client.send(post_with(&mine, begin)).await;
    let response = client.response().await;
    let id = response.split(r#""taskId":""#).nth(1).unwrap().split('"').next().unwrap();
    assert!(id.len() >= 20, "{id}");
    let get = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{{"taskId":"{id}"}}}}"#);
    client.send(post_with(&mine, &get)).await;
    assert!(client.response().await.contains(r#""status":"working""#));
    for fields in [&*other, ""] {
        client.send(post_with(fields, &get)).await;
        let response = client.response().await;
        assert!(response.contains(r#""error":"#), "{response}");
        assert!(!response.contains("working"), "{response}");
    }
}
