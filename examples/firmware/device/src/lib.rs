//! The device's application: what it offers to a client, on whatever chip. Beside it what the chips share.
#![no_std]
#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "registers are memory that Rust does not know of")]
mod register;
mod tables;
mod tools;
mod wire;

use barewire::Handler;
use barewire::engine::{
    CallError, Event, Options, Outcome, PromptGet, PromptReply, ResourceRead, ResourceReply, Role, Server,
    ToolCall, ToolReply,
};
use barewire::mcp::{Capabilities, Implementation, Prompt, Resource, ResourceTemplate, Tool};
use barewire::transport::Link;

pub use register::Register;
pub use tables::STATUS_URI;
pub use wire::{END_OF_TRANSMISSION, Port, Wire};

/// The longest line, its newline included.
pub const INPUT: usize = 1024;
/// The longest answer, its newline included. Longer lists are sent in pages.
pub const OUTPUT: usize = 1024;

/// The server and its buffers, which lie apart: a `static` of zeros costs no flash.
pub type DeviceLink<B> = Link<Device<B>, &'static mut [u8; INPUT], &'static mut [u8; OUTPUT]>;

/// A serial line outlives the clients at its other end: each `initialize` starts a new session.
pub const OPTIONS: Options = Options::DEFAULT.with_restart(true);

/// The server before its first byte: made for a `static`.
pub const fn link<B: Board>(
    board: B,
    options: Options,
    input: &'static mut [u8; INPUT],
    output: &'static mut [u8; OUTPUT],
) -> DeviceLink<B> {
    Link::with_server(Server::new().with_options(options), Device::new(board), input, output)
}

/// What the device needs from the chip.
pub trait Board {
    /// Switches the LED.
    fn set_led(&mut self, on: bool);

    /// Something happened that a device may want to log.
    fn event(&mut self, event: Event<'_>) {
        let _ = event;
    }
}

/// The device: a LED, a sensor and a block of registers.
#[derive(Debug)]
pub struct Device<B> {
    board: B,
    led: bool,
    /// How often the sensor was read: the simulation goes on with it.
    reads: u32,
    /// The status has changed since it was last asked.
    has_news: bool,
}

impl<B: Board> Device<B> {
    /// The device after reset.
    pub const fn new(board: B) -> Self {
        Self { board, led: false, reads: 0, has_news: false }
    }

    /// Whether the status has changed since the last call: then the resource [`STATUS_URI`] has changed.
    pub const fn take_news(&mut self) -> bool {
        core::mem::replace(&mut self.has_news, false)
    }
}

impl<B: Board> Handler for Device<B> {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("barewire-device", env!("CARGO_PKG_VERSION"))
    }

    fn instructions(&self) -> Option<&str> {
        Some("A simulated board: every tool is safe to call.")
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::RESOURCES_SUBSCRIBE);
    }

    fn tools(&self) -> &[Tool<'_>] {
        tables::TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        self.run_tool(&call, reply)
    }

    fn resources(&self) -> &[Resource<'_>] {
        tables::RESOURCES
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        tables::TEMPLATES
    }

    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        if read.is(STATUS_URI) {
            let (led, reads) = (self.led, self.reads);
            return Ok(reply.text_with(Some("application/json"), |json| {
                json.begin_object();
                json.name("led").boolean(led);
                json.name("reads").unsigned(u64::from(reads));
                json.end_object();
            }));
        }
        let number = read
            .decoded(tables::REGISTER, "number")
            .and_then(|number| number.decode(&mut [0; 3]).ok()?.parse::<u8>().ok())
            .filter(|number| *number < tools::REGISTERS)
            .ok_or(CallError::NotFound)?;
        Ok(reply.text(Some("text/plain"), tools::hex(&mut [0; 10], tools::register(number))))
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        tables::PROMPTS
    }

    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: PromptReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let symptom = get.argument("symptom").ok_or(CallError::InvalidParams)?;
        let messages = reply.description("Looks for a fault of the board").text(
            Role::User,
            "Find the fault of the board. Read its sensor and its registers first. What was seen:",
        );
        Ok(messages.text(Role::User, symptom).done())
    }

    fn event(&mut self, event: Event<'_>) {
        self.board.event(event);
    }
}
