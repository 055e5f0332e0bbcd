#![allow(unused_variables, unused_imports)]

use barewire::engine::{CallError, Outcome, Peer, PromptReply, Resumed, ResumedReply, ToolReply};

struct Wrong;

#[barewire::server]
impl Wrong {
    /// A text is no method.
    #[tool(resume = "continued")]
    fn text(&self, reply: ToolReply<'_, '_>) -> Outcome {
        reply.text("")
    }

    /// Cannot ask.
    #[tool(resume = continued)]
    fn plain(&self) {}

    /// Asks by itself.
    #[tool(resume = continued)]
    async fn waits(&self, peer: &Peer<'_>) {}

    /// Cannot ask either.
    #[prompt(resume = continued)]
    fn greet(&self) -> &str {
        ""
    }
}

struct Twice;

#[barewire::server]
impl Twice {
    /// Asks.
    #[tool(resume = continued)]
    fn ask(&self, reply: ToolReply<'_, '_>) -> Outcome {
        reply.text("")
    }

    fn continued(&self, _: Resumed<'_>, reply: ToolReply<'_, '_>) -> Outcome {
        reply.text("")
    }

    #[handler]
    fn resume<'a>(&mut self, _: Resumed<'a>, _: ResumedReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        Err(CallError::NotFound)
    }
}

struct Missing;

#[barewire::server]
impl Missing {
    /// No such method.
    #[tool(resume = continued)]
    fn ask(&self, reply: ToolReply<'_, '_>) -> Outcome {
        reply.text("")
    }
}

struct Other;

#[barewire::server]
impl Other {
    /// A method for another reply.
    #[tool(resume = continued)]
    fn ask(&self, reply: ToolReply<'_, '_>) -> Outcome {
        reply.text("")
    }

    fn continued(&self, _: Resumed<'_>, reply: PromptReply<'_, '_>) -> Outcome {
        reply.messages().done()
    }
}

fn main() {}
