//! Many clients at the same time.

use barewire::engine::{CallError, Handler, Outcome, ToolCall, ToolReply};
use barewire::mcp::{Elicitation, Implementation, Schema, Tool};
use barewire::transport::{Jobs, jobs};
use barewire_http::Mcp;

use crate::kit::{
    Client, STREAM, Server, chunk, event, initialize, json, modern, modern_result, post_with, progress,
    result, serve,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_ids_of_two_clients_are_two_requests() {
    let server = Server::start().await;
    let mut clients = Vec::new();
    let mut tokens = Vec::new();
    for id in 0..50 {
        for name in ["a", "b"] {
            let mut client = server.connect().await;
            client.send(modern(id, "tools/call", r#""name":"wait","arguments":{},"#)).await;
            tokens.push((server.deferred().await, format!("{name}{id}")));
            clients.push((client, id, format!("{name}{id}")));
        }
    }
    for (token, text) in tokens.into_iter().rev() {
        let handle = server.handle.clone();
        std::thread::spawn(move || handle.complete_tool(token, move |result| Ok(result.text(&text).done())));
    }
    for (mut client, id, text) in clients {
        assert_eq!(client.response().await, json("200 OK", &modern_result(id, &text)));
    }
}

const AGREE: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"agree":{"type":"boolean"}}}"#);

/// An application whose work is done by threads.
struct Sums(Jobs);

impl Handler for Sums {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("test", "1.0")
    }

    fn tools(&self) -> &[Tool<'_>] {
        const { &[Tool::new("sum", "Adds up."), Tool::new("erase", "Erases, if the user agrees.")] }
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let (token, outcome) = reply.defer()?;
        if call.is("erase") {
            self.0.answer(token, |job| {
                let question = Elicitation::form("Erase everything?", AGREE).into();
                let agrees = job.ask("agree", &question, |answer| {
                    let form = answer.elicited()?.accepted()?;
                    form.get("agree")?.as_bool()
                })?;
                Ok::<_, CallError<'static>>(if agrees == Some(true) { "erased" } else { "kept" })
            });
            return Ok(outcome);
        }
        self.0.run(token, |job| {
            for step in 1..=3 {
                job.progress(step);
            }
            let sum: u32 = (1..=100).sum();
            move |result| Ok(result.text(sum).done())
        });
        Ok(outcome)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_on_threads() {
    let (sender, queue) = jobs();
    let address = serve(Mcp::builder().jobs(queue, 3).unwrap().build(Sums(sender))).await;
    let calls = (0..100).map(|id| {
        tokio::spawn(async move {
            let mut client = Client::connect(address).await;
            client.send(modern(id, "tools/call", r#""name":"sum","#)).await;
            let response = client.response().await;
            for step in 1..=3 {
                assert!(response.contains(&event(&progress(id, step))), "{response}");
            }
            assert!(response.contains(&modern_result(id, "5050")), "{response}");
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_on_threads_may_ask_a_legacy_client() {
    let (sender, queue) = jobs();
    let address = serve(Mcp::builder().jobs(queue, 1).unwrap().build(Sums(sender))).await;
    let session = initialize(address).await;
    let mut client = Client::connect(address).await;
    client.send(post_with(&session, &crate::kit::call("1", "erase", "{}"))).await;
    assert_eq!(client.head().await, STREAM);
    let question = client.until("}\n\n\r\n").await;
    assert!(question.contains(r#""method":"elicitation/create""#), "{question}");
    let id = question.split(r#""id":"#).nth(1).unwrap().split(',').next().unwrap();
    let answer =
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"action":"accept","content":{{"agree":true}}}}}}"#);
    let mut other = Client::connect(address).await;
    other.send(post_with(&session, &answer)).await;
    assert_eq!(other.response().await, "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
    assert_eq!(client.until("0\r\n\r\n").await, chunk(&event(&result("1", "erased"))) + "0\r\n\r\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_on_threads_may_ask_a_modern_client() {
    let (sender, queue) = jobs();
    let address = serve(Mcp::builder().jobs(queue, 1).unwrap().build(Sums(sender))).await;
    let mut client = Client::connect(address).await;
    client.send(modern(1, "tools/call", r#""name":"erase","#)).await;
    let response = client.response().await;
    let body: serde_json::Value = serde_json::from_str(response.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(body["result"]["resultType"], "input_required", "{response}");
    let state = &body["result"]["requestState"];
    let answers = r#"{"agree":{"action":"accept","content":{"agree":true}}}"#;
    let again = format!(r#""name":"erase","inputResponses":{answers},"requestState":{state},"#);
    client.send(modern(2, "tools/call", &again)).await;
    assert_eq!(client.response().await, json("200 OK", &modern_result(2, "erased")));
}
