//! The tools.

use barewire::demo;
use barewire::engine::{CallError, Outcome, ToolCall, ToolReply};
use barewire::json::Writer;

use crate::{Board, Device};

/// How many registers there are.
pub(crate) const REGISTERS: u8 = 64;
/// How many of them go into one answer.
const PAGE: u8 = 16;

impl<B: Board> Device<B> {
    pub(crate) fn run_tool<'a>(
        &mut self,
        call: &ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        if call.is("set_led") {
            self.led = call.boolean("on").ok_or(CallError::Internal)?;
            self.board.set_led(self.led);
            self.has_news = true;
            Ok(reply.text(if self.led { "on" } else { "off" }))
        } else if call.is("read_sensor") {
            let is_kelvin = call.string("unit").is_some_and(|unit| unit == "kelvin");
            let value = self.hundredths() + if is_kelvin { 27_315 } else { 0 };
            Ok(reply.structured_with(|json| measurement(json, value, is_kelvin)))
        } else if call.is("dump_registers") {
            let from = call.integer("from").and_then(|from| u8::try_from(from).ok());
            let from = from.unwrap_or(0);
            Ok(reply.structured_with(|json| page(json, from)))
        } else if call.is("echo") {
            demo::echo(call, reply)
        } else if call.is("add") {
            add(call, reply)
        } else {
            Err(CallError::NotFound)
        }
    }

    /// The temperature in hundredths of a degree: the sensor's own unit. It goes up and down between 21.5 and 23.25.
    fn hundredths(&mut self) -> i64 {
        self.reads = self.reads.wrapping_add(1);
        self.has_news = true;
        let step = i64::from(self.reads % 14);
        2150 + 25 * step.min(14 - step)
    }
}

#[cfg(feature = "floats")]
use demo::add;
#[cfg(not(feature = "floats"))]
use demo::add_integers as add;

fn measurement(json: &mut Writer<'_, '_>, value: i64, is_kelvin: bool) {
    json.begin_object();
    json.name("value").fixed(value, 2);
    json.name("unit").string(if is_kelvin { "kelvin" } else { "celsius" });
    json.end_object();
}

/// A page of registers, and the cursor of the next one.
fn page(json: &mut Writer<'_, '_>, from: u8) {
    let end = from.saturating_add(PAGE).min(REGISTERS);
    json.begin_object();
    json.name("from").unsigned(u64::from(from));
    json.name("values").begin_array();
    for number in from..end {
        json.string(hex(&mut [0; 10], register(number)));
    }
    json.end_array();
    if end < REGISTERS {
        json.name("next").unsigned(u64::from(end));
    }
    json.end_object();
}

/// A register of a block that is not there: each has a value of its own.
pub(crate) const fn register(number: u8) -> u32 {
    0x9E37_79B9_u32.wrapping_mul(number as u32 + 1)
}

/// `0x` and eight digits, without the formatting code of `core`.
pub(crate) fn hex(memory: &mut [u8; 10], value: u32) -> &str {
    *memory = *b"0x00000000";
    let (_, digits) = memory.split_at_mut(2);
    for (place, digit) in digits.iter_mut().enumerate() {
        let nibble = (value >> (28 - 4 * place)) as u8 & 0xF;
        *digit = if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
    }
    core::str::from_utf8(memory).unwrap_or_default()
}
