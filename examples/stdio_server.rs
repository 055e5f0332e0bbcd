//! An MCP server on stdio with one tool of one's own.
//!
//! ```sh
//! cargo run -q --features std --example stdio_server < examples/words.jsonl
//! ```

use barewire::engine::{CallError, Disposition, ToolCall, ToolReply};
use barewire::mcp::{Implementation, Parameter, Tool, Type};
use barewire::transport::Stdio;
use barewire::{Handler, Server};

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
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let text = call.string("text").ok_or(CallError::InvalidParams)?;
        let count = text.to_string().split_whitespace().count();
        reply.text_format(format_args!("{count}"));
        Ok(Disposition::Done)
    }
}

fn main() -> std::io::Result<()> {
    Stdio::new().serve(Server::<Words>::new(Words))
}
