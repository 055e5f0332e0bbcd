//! Tasks that ask, and sealed state.

use std::net::SocketAddr;

use barewire::engine::{
    Answers, CallError, Outcome, Resumed, TaskEnd, TaskHandler, TaskQuestions, TaskToken, ToolContent,
    ToolReply,
};
use barewire::mcp::{Elicitation, InputRequest, Schema};
use barewire_http::{Builder, Handle, Mcp};
use serde_json::{Value, json};

use crate::kit::{Client, post_with, serve};

const AGREE: InputRequest<'_> = InputRequest::Elicitation(Elicitation::form(
    "Agree?",
    Schema::new(r#"{"type":"object","properties":{"agree":{"type":"boolean"}}}"#),
));

/// An application that asks.
struct Oven {
    handle: Handle,
}

#[barewire::server(name = "oven", version = "1.0")]
impl Oven {
    /// Bakes, if the user agrees.
    #[tool(task = "required")]
    fn bake(&self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        let (task, outcome) = reply.start_task()?;
        self.handle.task_needs_input(task);
        Ok(outcome)
    }

    /// Cleans the oven, if the user agrees.
    #[tool(resume = agreed)]
    fn clean(reply: ToolReply<'_, '_>) -> Outcome {
        reply.ask("agree", &AGREE).keep("500 degrees")
    }

    fn agreed(&self, call: Resumed<'_>, reply: ToolReply<'_, '_>) -> Outcome {
        reply.text(call.state())
    }

    #[handler]
    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        Some(self)
    }
}

impl TaskHandler for Oven {
    fn task_result<'a>(
        &mut self,
        _: TaskToken,
        content: ToolContent<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(content.text("a cake").done())
    }

    fn task_questions(&mut self, _: TaskToken, questions: &mut TaskQuestions<'_, '_>) {
        questions.ask("agree", &AGREE);
    }

    fn task_answered(&mut self, task: TaskToken, _: Answers<'_>) {
        self.handle.finish_task(task, TaskEnd::Completed);
    }
}

async fn start(builder: Builder) -> SocketAddr {
    serve(builder.build_with(|handle| Oven { handle })).await
}

/// The answer to a modern request about this name.
async fn send(
    address: SocketAddr,
    method: &str,
    name: &str,
    mut params: Value,
    capabilities: Value,
) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let fields = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n");
    let mut client = Client::connect(address).await;
    client.send(post_with(&fields, &body)).await;
    let response = client.response().await;
    let (_, body) = response.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap_or_else(|_| panic!("{response}"))
}

#[tokio::test]
async fn a_task_asks_its_client() {
    let address = start(Mcp::builder()).await;
    let capabilities = json!({ "elicitation": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let about_task = async |method: &str, id: &str, mut params: Value| {
        params["taskId"] = json!(id);
        send(address, method, id, params, capabilities.clone()).await["result"].clone()
    };
    let made = send(address, "tools/call", "bake", json!({ "name": "bake" }), capabilities.clone()).await;
    let id = made["result"]["taskId"].as_str().unwrap();

    let asked = about_task("tasks/get", id, json!({})).await;
    assert_eq!(asked["status"], "input_required");
    assert_eq!(asked["inputRequests"]["agree"]["params"]["message"], "Agree?");

    let answers =
        json!({ "inputResponses": { "agree": { "action": "accept", "content": { "agree": true } } } });
    about_task("tasks/update", id, answers).await;
    let ended = about_task("tasks/get", id, json!({})).await;
    assert_eq!(ended["status"], "completed");
    assert_eq!(ended["result"]["content"][0]["text"], "a cake");
}

#[tokio::test]
async fn a_task_whose_client_cannot_be_asked_ends_with_an_error() {
    let address = start(Mcp::builder()).await;
    let capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let made = send(address, "tools/call", "bake", json!({ "name": "bake" }), capabilities.clone()).await;
    let id = made["result"]["taskId"].as_str().unwrap();
    let ended = send(address, "tasks/get", id, json!({ "taskId": id }), capabilities).await;
    assert_eq!(ended["result"]["status"], "failed");
}

#[cfg(feature = "seal")]
#[tokio::test]
async fn a_seal_protects_the_state_of_a_question() {
    let address = start(Mcp::builder().seal(barewire::engine::Seal::new([7; 32]))).await;
    let call = async |more: Value| {
        let mut params = json!({ "name": "clean" });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        send(address, "tools/call", "clean", params, json!({ "elicitation": {} })).await
    };
    let asked = call(json!({})).await;
    let state = asked["result"]["requestState"].as_str().unwrap();
    assert_eq!(state.split_once('.').unwrap().0, "500 degrees");

    let answers = json!({ "agree": { "action": "accept", "content": {} } });
    let cleaned = call(json!({ "inputResponses": answers, "requestState": state })).await;
    assert_eq!(cleaned["result"]["content"][0]["text"], "500 degrees");
    let forged = state.replace("500", "900");
    let refused = call(json!({ "inputResponses": answers, "requestState": forged })).await;
    assert_eq!(refused["error"]["code"], -32602);
    assert_eq!(refused["error"]["message"], "Invalid request state");
}
