//! Many clients at the same time.

use barewire::engine::{CallError, Handler, Outcome, ToolCall, ToolReply};
use barewire::mcp::{Implementation, Tool};
use barewire::transport::{Jobs, jobs};
use barewire_http::Mcp;

use crate::kit::{Client, Server, json, modern, modern_result, serve};

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

/// An application whose work is done by threads.
struct Sums(Jobs);

impl Handler for Sums {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("test", "1.0")
    }

    fn tools(&self) -> &[Tool<'_>] {
        const { &[Tool::new("sum", "Adds up.")] }
    }

    fn call_tool<'a>(&mut self, _: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        let (token, outcome) = reply.defer()?;
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
                assert!(response.contains(&crate::kit::event(&crate::kit::progress(id, step))), "{response}");
            }
            assert!(response.contains(&modern_result(id, "5050")), "{response}");
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
}
