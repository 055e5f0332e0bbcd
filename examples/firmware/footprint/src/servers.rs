//! The servers that are measured.

use core::pin::pin;
use core::task::{Context, Waker};

use barewire::Server;
use barewire::bytes::Sink;
use barewire::demo::{Host, add_integers};
use barewire::engine::{
    AsyncCall, AsyncHandler, CallError, CallToken, Fixed, Frame, Handler, Origin, Outcome, Parts, Peer,
    ToolAnswer, ToolCall, ToolReply, ToolsOnly,
};
use barewire::mcp::{Implementation, Parameter, Tool, Type};
use barewire::transport::AsyncLink;
use embedded_io_async::{Read, Write};

use crate::wire::event;
use crate::{keep, memory};

/// The smallest server of use: one tool.
#[derive(Debug)]
pub struct Lamp {
    is_on: bool,
}

impl Lamp {
    /// A lamp that is off.
    pub const OFF: Self = Self { is_on: false };
}

/// Its server: each call is answered at once, and there is nothing to subscribe to, to ask the client or to run as a task.
pub type LampServer<P = ToolsOnly> = Server<Fixed<P, 0, 0, 0, 0>>;

/// The same lamp, its tool as a method.
#[derive(Debug)]
pub struct MacroLamp {
    is_on: bool,
}

impl MacroLamp {
    /// A lamp that is off.
    pub const OFF: Self = Self { is_on: false };
}

#[barewire::server(name = "lamp", version = "1.0")]
impl MacroLamp {
    /// Switches the lamp.
    #[tool]
    const fn set_lamp(&mut self, on: bool) -> &'static str {
        self.is_on = on;
        if on { "on" } else { "off" }
    }
}

/// The same lamp, whose tool waits.
#[derive(Debug)]
pub struct AsyncLamp {
    is_on: bool,
}

impl AsyncLamp {
    /// A lamp that is off.
    pub const OFF: Self = Self { is_on: false };
}

impl Handler for AsyncLamp {
    fn info(&self) -> Implementation<'_> {
        LampTables.info()
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }
}

/// Its tables.
#[derive(Debug)]
pub struct LampTables;

impl Handler for LampTables {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("lamp", "1.0")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }
}

impl AsyncHandler for AsyncLamp {
    type Tables = LampTables;
    const TABLES: LampTables = LampTables;

    async fn call_async(&mut self, call: AsyncCall<'_>, _: &Peer<'_>) -> impl ToolAnswer {
        event().await;
        self.is_on = call.boolean("on") == Some(true);
        if self.is_on { "on" } else { "off" }
    }
}

/// Its server, with a stream's lines.
pub type AsyncLampLink<B, O> = AsyncLink<AsyncLamp, B, O, Fixed<ToolsOnly, 1, 0, 0, 32>>;

/// Runs a link until the end of a stream, without an executor.
pub fn run<B: AsMut<[u8]>, O: AsMut<[u8]>>(link: &mut AsyncLampLink<B, O>, wire: &mut (impl Read + Write)) {
    let mut run = pin!(link.run_async(wire));
    let mut context = Context::from_waker(Waker::noop());
    while run.as_mut().poll(&mut context).is_pending() {}
}

/// A lamp that takes its time: a call is answered once the lamp has switched.
#[derive(Debug)]
pub struct SlowLamp {
    switching: Option<CallToken>,
}

/// Its server: four calls in flight.
pub type SlowLampServer = Server<Fixed<ToolsOnly, 4, 0, 0, 96>>;

impl SlowLamp {
    /// A lamp that does not switch.
    pub const IDLE: Self = Self { switching: None };

    /// The call that waits for the lamp, which has switched.
    pub const fn take_switched(&mut self) -> Option<CallToken> {
        self.switching.take()
    }
}

impl Handler for SlowLamp {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("lamp", "1.0")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(&mut self, _: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        let (token, outcome) = reply.defer()?;
        self.switching = Some(token);
        Ok(outcome)
    }
}

/// What [`ToolsOnly`] leaves out, and 2026-07-28.
#[derive(Debug)]
pub struct LegacyTools;

impl Parts for LegacyTools {
    const MODERN: bool = false;
    const RESOURCES: bool = ToolsOnly::RESOURCES;
    const PROMPTS: bool = ToolsOnly::PROMPTS;
    const COMPLETIONS: bool = ToolsOnly::COMPLETIONS;
    const LOGGING: bool = ToolsOnly::LOGGING;
    const SUBSCRIPTIONS: bool = ToolsOnly::SUBSCRIPTIONS;
    const ASKING: bool = ToolsOnly::ASKING;
    const TASKS: bool = ToolsOnly::TASKS;
}

/// What [`ToolsOnly`] leaves out, and the revisions before.
#[derive(Debug)]
pub struct ModernTools;

impl Parts for ModernTools {
    const LEGACY: bool = false;
    const RESOURCES: bool = ToolsOnly::RESOURCES;
    const PROMPTS: bool = ToolsOnly::PROMPTS;
    const COMPLETIONS: bool = ToolsOnly::COMPLETIONS;
    const LOGGING: bool = ToolsOnly::LOGGING;
    const SUBSCRIPTIONS: bool = ToolsOnly::SUBSCRIPTIONS;
    const ASKING: bool = ToolsOnly::ASKING;
    const TASKS: bool = ToolsOnly::TASKS;
}

/// Answers one line: all that an `entry` of these servers does.
///
/// # Safety
/// As [`memory`], for the line and for the output; nobody else uses the server and the lamp.
pub unsafe fn answer<P: Parts, A: Handler>(
    server: *mut LampServer<P>,
    lamp: *mut A,
    input: *mut u8,
    length: usize,
    output: *mut u8,
    room: usize,
) {
    // SAFETY: by the caller's promise.
    let (server, lamp) = unsafe { (&mut *server, &mut *lamp) };
    // SAFETY: by the caller's promise.
    let (line, output) = unsafe { (memory(input, length), memory(output, room)) };
    let mut out = Sink::new(output);
    keep(server.receive(Origin::ONLY, &mut Frame::new(line), lamp, &mut out));
    keep(out.finish().is_ok());
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
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        self.is_on = call.boolean("on") == Some(true);
        Ok(reply.text(if self.is_on { "on" } else { "off" }))
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
    pub const IDLE: Self = Self { waiting: None, changed: None };

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

    fn add<'a>(&mut self, call: &ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        add_integers(call, reply)
    }
}
