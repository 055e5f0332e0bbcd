//! A server made by the macros: every kind of argument and answer that needs neither floats nor a heap.
#![no_std]
#![no_main]

use core::fmt;

use barewire::bytes::Sink;
use barewire::engine::{
    CallError, CallToken, Context, Frame, Origin, Outcome, Progress, ResourceRead, Resumed, Role, Server,
    ToolCall, ToolReply,
};
use barewire::json::JsonStr;
use barewire::macros::{Audio, Image, Refused, ResourceLink};
use barewire::mcp::{Capabilities, Elicitation, LoggingLevel, PercentDecoded, Resource, Schema};
use barewire::rpc::ErrorCode;
use barewire::{Argument, Output};
use panic_proof::keep;

#[derive(Clone, Copy, Argument, Output)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Kelvin,
}

#[derive(Argument)]
struct Alarm<'a> {
    #[arg(min = -400, max = 1250)]
    limit: i16,
    unit: Option<Unit>,
    name: &'a str,
    rooms: heapless::Vec<heapless::String<8>, 4>,
    #[serde(default)]
    is_silent: bool,
}

#[derive(Output)]
struct Reading<'a> {
    tenths: i16,
    unit: Unit,
    name: Option<&'a str>,
    history: [u32; 2],
}

/// An error with a text of its own.
struct TooHot(i16);

impl fmt::Display for TooHot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tenths are too hot", self.0)
    }
}

struct Thermo {
    tenths: i16,
    deferred: Option<CallToken>,
}

const SURE: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"yes":{"type":"boolean"}}}"#);

#[barewire::server(name = "thermo", version = "1.0", title = "Thermometer", instructions = "Reads a room.")]
impl Thermo {
    /// Reads the temperature.
    #[tool(read_only)]
    fn read_temp(&self, unit: Unit, name: Option<&str>) -> Reading<'static> {
        keep(name);
        Reading { tenths: self.tenths, unit, name: Some("attic"), history: [1, 2] }
    }

    /// Sets an alarm.
    #[tool(idempotent, destructive = false)]
    fn set_alarm(&mut self, alarm: Alarm<'_>, times: heapless::Vec<u8, 4>) -> Result<&'static str, Refused> {
        keep((alarm.unit.is_some(), alarm.name, alarm.rooms.len(), alarm.is_silent, times.len()));
        if alarm.limit < self.tenths {
            return Err(Refused::new(ErrorCode(1001), "Too late"));
        }
        self.tenths = alarm.limit;
        Ok("set")
    }

    /// Repeats a text.
    #[tool]
    fn repeat<'t>(
        &self,
        reply: &mut ToolReply<'_, '_>,
        context: &Context<'_>,
        text: &'t str,
        raw: JsonStr<'t>,
        #[arg(default = 1, min = 1, max = 8)] times: u32,
        large: Option<u64>,
    ) -> Result<(&'t str, JsonStr<'t>, Option<u64>), &'t str> {
        for time in 0..times {
            keep(reply.progress(Progress::new(i64::from(time)).of(i64::from(times))));
        }
        keep(reply.log(LoggingLevel::Info, None, "repeated"));
        keep(context.version());
        if text.is_empty() { Err("nothing to repeat") } else { Ok((text, raw, large)) }
    }

    /// Draws.
    #[tool]
    fn draw(&self) -> (Image<'_>, Audio<'_>, ResourceLink<'_>, bool, [i8; 2]) {
        let image = Image { mime_type: "image/png", bytes: b"bytes" };
        let audio = Audio { mime_type: "audio/wav", bytes: b"bytes" };
        (image, audio, ResourceLink(Resource::new("thermo://limit", "limit")), true, [1, 2])
    }

    /// Asks first.
    #[tool(destructive, resume = erased)]
    fn erase(&mut self, call: ToolCall<'_>, reply: ToolReply<'_, '_>) -> Outcome {
        keep(call.index());
        reply.ask("sure", &Elicitation::form("Erase?", SURE).into()).done()
    }

    /// Checks the limit.
    #[tool]
    fn check(&self) -> Result<(), TooHot> {
        if self.tenths > 1000 { Err(TooHot(self.tenths)) } else { Ok(()) }
    }

    /// Answers later.
    #[tool]
    fn later(&mut self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        let (token, outcome) = reply.defer()?;
        self.deferred = Some(token);
        Ok(outcome)
    }

    /// The limit.
    #[resource("thermo://limit", mime_type = "text/plain")]
    fn limit(&self) -> i16 {
        self.tenths
    }

    /// A room.
    #[resource("thermo://room/{room}")]
    fn room(&self, room: &str, read: ResourceRead<'_>) -> Option<&'static [u8]> {
        keep(read.uri());
        (room == "attic").then_some(b"28")
    }

    /// A drawer.
    #[resource("thermo://drawer/{number}/{label}")]
    fn drawer(&self, number: u8, label: PercentDecoded<'_>) -> Result<&'static str, Refused> {
        keep((number, label.as_sent()));
        Ok("empty")
    }

    /// Explains.
    #[prompt]
    fn explain<'t>(&self, room: &'t str, language: Option<JsonStr<'t>>) -> [(Role, &'t str); 2] {
        keep(language);
        [(Role::User, room), (Role::Assistant, "It is warm.")]
    }

    fn erased(&mut self, call: Resumed<'_>, reply: ToolReply<'_, '_>) -> Outcome {
        reply.text(if call.answer("sure").is_some() { "erased" } else { "left" })
    }

    #[handler]
    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::LOGGING);
    }
}

static mut SERVER: Server = Server::new();
static mut THERMO: Thermo = Thermo { tenths: 215, deferred: None };

/// # Safety
/// The pointers must be good for their lengths; never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *const u8, input_length: usize, output: *mut u8, output_length: usize) {
    // SAFETY: by the caller's promise.
    let (input, output, server, thermo) = unsafe {
        (
            core::slice::from_raw_parts(input, input_length),
            core::slice::from_raw_parts_mut(output, output_length),
            &mut *(&raw mut SERVER),
            &mut *(&raw mut THERMO),
        )
    };
    let mut out = Sink::new(output);
    keep(server.receive(Origin::ONLY, &mut Frame::new(input), thermo, &mut out));
    if let Some(token) = thermo.deferred.take() {
        keep(server.complete_tool(token, thermo, &mut out, |content| Ok(content.text("done").done())));
    }
    keep(out.finish().map(<[u8]>::len));
}
