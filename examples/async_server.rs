//! Asynchronous tools on tokio: several run at the same time, one reports its progress, one asks the user.
//!
//! ```sh
//! cargo run -q --features macros,tokio --example async_server < examples/async.jsonl
//! ```

use std::io;
use std::time::Duration;

use barewire::engine::{CallError, Peer, Progress};
use barewire::mcp::{Elicitation, Schema};
use barewire::transport::AsyncStdio;

const NAME: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#);

struct Counter {
    name: String,
}

#[barewire::server(name = "async", version = "1.0")]
impl Counter {
    /// Counts to a number, a step each ten milliseconds.
    #[tool]
    async fn count(&self, #[arg(min = 1, max = 100)] to: i64, peer: &Peer<'_>) -> String {
        for step in 1..=to {
            tokio::time::sleep(Duration::from_millis(10)).await;
            peer.progress(Progress::new(step).of(to));
        }
        format!("{} has counted to {to}.", self.name)
    }

    /// Renames the server, if the user agrees.
    // It takes `&mut self`, so it runs alone.
    #[tool]
    async fn rename(&mut self, peer: &Peer<'_>) -> Result<String, CallError<'static>> {
        // To a modern client this question ends the call, which then runs again: so it comes first.
        let question = Elicitation::form("What is my name?", NAME).into();
        let name = peer.ask("name", &question, |answer| {
            let elicited = answer.elicited()?;
            elicited.content.get("name")?.as_string().map(|name| name.to_string())
        });
        self.name = name.await?.ok_or(CallError::Failed("the user gave no name"))?;
        Ok(format!("The name is {} now.", self.name))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    AsyncStdio::new().serve(Counter { name: "Nobody".into() }).await
}
