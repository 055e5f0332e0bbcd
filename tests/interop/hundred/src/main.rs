//! A server as a device has it: a hundred tools, one KiB for what it writes, nothing on the heap but the standard
//! library's own input.

use std::io::{Read, Write};

use barewire::engine::{CallError, Handler, Outcome, ToolCall, ToolReply};
use barewire::mcp::{Implementation, Parameter, Tool, Type};
use barewire::transport::Link;

const COUNT: usize = 100;
const INPUT: usize = 2048;
const OUTPUT: usize = 1024;

const PARAMETERS: &[Parameter<'_>] = &[Parameter::optional("times", Type::integer_in(1, 3))];
static NAMES: [[u8; 8]; COUNT] = names();
static TOOLS: [Tool<'static>; COUNT] = tools();

/// `tool_000` to `tool_099`.
const fn names() -> [[u8; 8]; COUNT] {
    let mut names = [*b"tool_000"; COUNT];
    let mut number = 0;
    while number < COUNT {
        names[number][6] += (number / 10) as u8;
        names[number][7] += (number % 10) as u8;
        number += 1;
    }
    names
}

const fn tools() -> [Tool<'static>; COUNT] {
    let mut tools = [tool(0); COUNT];
    let mut number = 1;
    while number < COUNT {
        tools[number] = tool(number);
        number += 1;
    }
    tools
}

const fn tool(number: usize) -> Tool<'static> {
    let Ok(name) = core::str::from_utf8(&NAMES[number]) else {
        panic!("the names are ASCII");
    };
    Tool::new(name, "Answers its name.").with_parameters(PARAMETERS)
}

struct Device;

impl Handler for Device {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("hundred", "1")
    }

    fn tools(&self) -> &[Tool<'_>] {
        &TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let name = TOOLS
            .iter()
            .map(|tool| tool.name())
            .find(|name| call.is(name))
            .ok_or(CallError::NotFound)?;
        let mut content = reply.content();
        for _ in 0..call.integer("times").unwrap_or(1) {
            content = content.text(name);
        }
        Ok(content.done())
    }
}

fn main() -> std::io::Result<()> {
    let mut link = Link::new(Device, [0; INPUT], [0; OUTPUT]);
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    loop {
        loop {
            let lines = link.output();
            if lines.is_empty() {
                break;
            }
            let count = lines.len();
            output.write_all(lines)?;
            output.flush()?;
            link.sent(count);
        }
        let count = input.read(link.space())?;
        if count == 0 {
            return Ok(());
        }
        link.received(count);
    }
}
