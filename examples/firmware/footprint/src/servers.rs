//! The servers that are measured.

use barewire::demo::{Host, add_integers};
use barewire::engine::{CallError, CallToken, Disposition, Handler, ToolCall, ToolReply};
use barewire::mcp::{Implementation, Parameter, Tool, Type};

/// The smallest server of use: one tool.
#[derive(Debug)]
pub struct Lamp {
    is_on: bool,
}

impl Lamp {
    /// A lamp that is off.
    pub const OFF: Self = Self { is_on: false };
}

const TOOLS: &[Tool<'_>] =
    &[Tool::new("set_lamp", "Switches the lamp.")
        .with_parameters(&[Parameter::required("on", Type::Boolean)])];

impl Handler for Lamp {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("lamp", "1.0")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        self.is_on = call.boolean("on") == Some(true);
        reply.text(if self.is_on { "on" } else { "off" });
        Ok(Disposition::Done)
    }
}

/// The machine of the demo server: no floats; it keeps the call that waits, to answer it later.
#[derive(Debug)]
pub struct SmallDemo {
    waiting: Option<CallToken>,
    changed: Option<&'static str>,
}

impl SmallDemo {
    /// Nothing waits.
    pub const IDLE: Self = Self {
        waiting: None,
        changed: None,
    };

    /// The call that is to be answered.
    pub const fn take_waiting(&mut self) -> Option<CallToken> {
        self.waiting.take()
    }

    /// The resource that has changed.
    pub const fn take_changed(&mut self) -> Option<&'static str> {
        self.changed.take()
    }
}

impl Host for SmallDemo {
    fn start_slow(&mut self, token: CallToken, _: u32) -> Result<(), CallError<'static>> {
        self.waiting = Some(token);
        Ok(())
    }

    fn resource_changed(&mut self, uri: &'static str) {
        self.changed = Some(uri);
    }

    fn add<'a>(&mut self, call: &ToolCall<'a>, reply: &mut ToolReply<'_, '_>) -> Result<(), CallError<'a>> {
        add_integers(call, reply)
    }
}
