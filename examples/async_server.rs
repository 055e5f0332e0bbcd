//! Asynchronous tools on tokio: several run at the same time, one reports its progress, one asks the user.
//!
//! ```sh
//! cargo run -q --features tokio --example async_server < examples/async.jsonl
//! ```

use std::io;
use std::time::Duration;

use barewire::engine::{
    AsyncCall, AsyncHandler, CallError, Handler, Outcome, Peer, Progress, ToolAnswer, ToolMode, ToolReply,
};
use barewire::mcp::{Elicitation, Implementation, Parameter, Schema, Tool, Type};
use barewire::transport::AsyncStdio;

const TOOLS: &[Tool<'_>] = &[
    Tool::new("count", "Counts to a number, a step each ten milliseconds.")
        .with_parameters(&[Parameter::required("to", Type::integer_in(1, 100))]),
    Tool::new("rename", "Renames the server, if the user agrees."),
];

const NAME: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#);

/// The tables alone: they are served while the application is lent to a tool.
struct Tables;

impl Handler for Tables {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("async", "1.0")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }
}

struct Counter {
    name: String,
}

impl Handler for Counter {
    fn info(&self) -> Implementation<'_> {
        Tables.info()
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }
}

/// What the tools answer.
enum Text {
    Counted(i64, String),
    Renamed(String),
}

impl ToolAnswer for Text {
    fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        Ok(match self {
            Self::Counted(to, name) => reply.text(format_args!("{name} has counted to {to}.")),
            Self::Renamed(name) => reply.text(format_args!("The name is {name} now.")),
        })
    }
}

impl AsyncHandler for Counter {
    type Tables = Tables;
    const TABLES: Tables = Tables;

    /// Only the second tool changes the application.
    fn mode(tool: usize) -> ToolMode {
        if tool == 0 { ToolMode::Shared } else { ToolMode::Exclusive }
    }

    async fn call_shared(&self, call: AsyncCall<'_>, peer: &Peer<'_>) -> impl ToolAnswer {
        let to = call.integer("to").unwrap_or(1);
        for step in 1..=to {
            tokio::time::sleep(Duration::from_millis(10)).await;
            peer.progress(Progress::new(step).of(to));
        }
        Text::Counted(to, self.name.clone())
    }

    async fn call_async(&mut self, _: AsyncCall<'_>, peer: &Peer<'_>) -> impl ToolAnswer {
        // To a modern client this question ends the call, which then runs again: so it comes first.
        let question = Elicitation::form("What is my name?", NAME).into();
        let name = peer.ask("name", &question, |answer| {
            let elicited = answer.elicited()?;
            elicited.content.get("name")?.as_string().map(|name| name.to_string())
        });
        match name.await? {
            Some(name) => {
                self.name.clone_from(&name);
                Ok(Text::Renamed(name))
            }
            None => Err(CallError::Failed("the user gave no name")),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    AsyncStdio::new().serve(Counter { name: "Nobody".into() }).await
}
