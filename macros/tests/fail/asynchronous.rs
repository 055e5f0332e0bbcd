#![allow(unused_variables)]

use barewire::engine::{AsyncCall, Context, Peer, ToolReply};

struct App;

#[barewire::server]
impl App {
    /// A reply that cannot be used.
    #[tool]
    async fn reply(&self, reply: &mut ToolReply<'_, '_>) {}

    /// The context of a synchronous method.
    #[tool]
    async fn context(&self, context: &Context<'_>) {}

    /// A peer by value.
    #[tool]
    async fn peer(&self, peer: Peer<'_>) {}

    /// A call by reference.
    #[tool]
    async fn call(&self, call: &AsyncCall<'_>) {}

    /// Not asynchronous.
    #[tool]
    fn blocking(&self, peer: &Peer<'_>) {}

    /// A task.
    #[tool(task = "optional")]
    async fn task(&self) {}

    /// Not an argument.
    #[tool]
    async fn argument(&self, #[arg(name = "p")] peer: &Peer<'_>) {}

    /// Awaits.
    #[resource("app:///page")]
    async fn page(&self) -> &str {
        "page"
    }
}

struct Opaque;

struct Answers;

#[barewire::server]
impl Answers {
    /// Not an answer.
    #[tool]
    async fn opaque(&self) -> Opaque {
        Opaque
    }

    /// Not an argument.
    #[tool]
    async fn take(&self, opaque: &Opaque) {}
}

fn main() {}
