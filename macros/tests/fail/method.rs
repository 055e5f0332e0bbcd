#![allow(unused_variables)]

use barewire::engine::ToolReply;

struct App;

#[barewire::server]
impl App {
    /// Awaits.
    #[prompt]
    async fn wait(&self) {}

    /// Consumes the server.
    #[tool]
    fn consume(self) {}

    /// Generic.
    #[tool]
    fn generic<T>(&self) {}

    /// Conditional.
    #[cfg(unix)]
    #[tool]
    fn conditional(&self) {}

    /// Both.
    #[tool]
    #[prompt]
    fn both(&self) {}

    /// A task without the reply.
    #[tool(task = "optional")]
    fn task(&self) {}

    /// Neither optional nor required.
    #[tool(task = "sometimes")]
    fn sometimes(&self, reply: ToolReply<'_, '_>) {}

    /// A reply that cannot be used.
    #[tool]
    fn shared(&self, reply: &ToolReply<'_, '_>) {}

    /// Not an argument.
    #[tool]
    fn argument(&self, #[arg(max = 1)] reply: &mut ToolReply<'_, '_>) {}

    /// No URI.
    #[resource]
    fn page(&self) {}

    /// No such variable.
    #[resource("app:///{room}")]
    fn room(&self, rom: &str) {}

    /// A range of a text.
    #[prompt]
    fn greet(&self, #[arg(max = 10)] name: &str) -> &'static str {
        "hi"
    }

    #[handler]
    fn call_tool(&mut self) {}
}

struct Other;

#[barewire::server]
impl Clone for Other {
    fn clone(&self) -> Self {
        Other
    }
}

#[barewire::server]
struct NoImpl;

fn main() {}
