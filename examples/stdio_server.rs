//! An MCP server on stdio with one tool.
//!
//! ```sh
//! cargo run -q --features std --example stdio_server < examples/words.jsonl
//! ```

use barewire::engine::{CallError, Handler, Outcome, ToolCall, ToolReply};
use barewire::mcp::{Implementation, Parameter, Tool, Type};
use barewire::transport::Stdio;

struct Words;

const TOOLS: &[Tool<'_>] = &[Tool::new("count_words", "Counts the words of a text.")
    .with_parameters(&[Parameter::required("text", Type::STRING)])];

impl Handler for Words {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("words", "1.0")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let text = call.string("text").ok_or(CallError::InvalidParams)?;
        Ok(reply.text(text.to_string().split_whitespace().count()))
    }
}

fn main() -> std::io::Result<()> {
    Stdio::new().serve(Words)
}
