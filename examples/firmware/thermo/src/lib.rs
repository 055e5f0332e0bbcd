//! A server made by `#[barewire::server]`, the same on a chip and on tokio: arguments and answers of each kind, asynchronous tools,
//! resources, a prompt. There is no heap.
#![no_std]

use core::fmt::{self, Write};
use core::sync::atomic::{AtomicU32, Ordering};

use barewire::engine::{CallError, Peer, Progress};
use barewire::macros::{Image, Refused};
use barewire::mcp::{Elicitation, Schema};
use barewire::rpc::ErrorCode;
use barewire::{Argument, Output};
use heapless::{String, Vec};

const YES: Schema<'_> = Schema::new(
    r#"{"type":"object","properties":{"yes":{"type":"boolean","title":"Yes"}},"required":["yes"]}"#,
);

/// Timer of the executor that runs the server.
pub trait Timer {
    /// Waits for this number of milliseconds.
    fn wait(&self, milliseconds: u32) -> impl Future<Output = ()>;
}

#[derive(Clone, Copy, PartialEq, Eq, Argument)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Kelvin,
}

#[derive(Argument)]
struct Alarm {
    /// Limit in degrees.
    #[arg(min = -40, max = 125)]
    limit: i16,
    unit: Option<Unit>,
    #[serde(default)]
    rooms: Vec<String<16>, 4>,
}

#[derive(Output)]
struct Reading {
    /// Tenths of a degree.
    tenths: i32,
    sensor: Option<&'static str>,
}

/// The application.
#[derive(Debug)]
pub struct Thermo<T> {
    timer: T,
    limit: i16,
    /// Number of counts that were dropped before their end.
    dropped: AtomicU32,
}

impl<T> Thermo<T> {
    /// An application with a limit of 85 degrees.
    pub const fn new(timer: T) -> Self {
        Self { timer, limit: 85, dropped: AtomicU32::new(0) }
    }
}

/// Counts itself when it is dropped.
struct Unfinished<'a>(&'a AtomicU32);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[barewire::server(name = "thermo", version = "1.0", title = "Thermo", instructions = "Reads rooms.")]
impl<T: Timer> Thermo<T> {
    /// Says the text.
    #[tool(read_only)]
    fn echo(text: &str) -> &str {
        text
    }

    /// Reads the temperature.
    #[tool(read_only, title = "Read")]
    fn read(unit: Unit) -> Reading {
        match unit {
            Unit::Celsius => Reading { tenths: 215, sensor: Some("north") },
            Unit::Kelvin => Reading { tenths: 2946, sensor: None },
        }
    }

    /// Sets an alarm.
    #[tool(idempotent)]
    fn set_alarm(
        &mut self,
        alarm: Alarm,
        #[arg(default = 3, min = 1, max = 9)] repeats: u8,
    ) -> Result<String<128>, fmt::Error> {
        self.limit = alarm.limit;
        let unit = if alarm.unit == Some(Unit::Kelvin) { "K" } else { "C" };
        let mut text = String::new();
        write!(text, "{} {unit}, {repeats} times: ", alarm.limit)?;
        for (place, room) in alarm.rooms.iter().enumerate() {
            write!(text, "{}{room}", if place > 0 { ", " } else { "" })?;
        }
        Ok(text)
    }

    /// Draws the temperature.
    #[tool(read_only)]
    fn plot() -> (&'static str, Image<'static>) {
        ("Today", Image { mime_type: "image/png", bytes: b"\x89PNG\r\n\x1a\n" })
    }

    /// Fails.
    #[tool]
    fn fail(locked: bool) -> Result<Result<(), &'static str>, Refused> {
        match locked {
            true => Err(Refused::new(ErrorCode(1001), "Device is locked")),
            false => Ok(Err("The sensor is warming up.")),
        }
    }

    /// Counts, a step each 20 ms.
    #[tool]
    async fn count(
        &self,
        #[arg(min = 1, max = 1000)] to: i64,
        peer: &Peer<'_>,
    ) -> Result<String<32>, fmt::Error> {
        let unfinished = Unfinished(&self.dropped);
        for step in 1..=to {
            self.timer.wait(20).await;
            peer.progress(Progress::new(step).of(to));
        }
        core::mem::forget(unfinished);
        let mut text = String::new();
        write!(text, "counted to {to}")?;
        Ok(text)
    }

    /// Says how many counts were dropped before their end.
    #[tool(read_only)]
    fn dropped(&self) -> u32 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Resets the limit, if the user agrees.
    #[tool(destructive)]
    async fn reset(&mut self, peer: &Peer<'_>) -> Result<&'static str, CallError<'static>> {
        let question = Elicitation::form("Really reset?", YES).into();
        let yes = peer.ask("yes", &question, |answer| answer.elicited()?.content.get("yes")?.as_bool());
        if yes.await? != Some(true) {
            return Ok("left alone");
        }
        self.limit = 0;
        Ok("reset")
    }

    /// The limit of the alarm.
    #[resource("thermo://limit", mime_type = "text/plain")]
    fn limit(&self) -> i16 {
        self.limit
    }

    /// The temperature of a room.
    #[resource("thermo://room/{room}")]
    fn room(room: &str) -> Option<i16> {
        (room == "the attic").then_some(28)
    }

    /// Explains the temperature of a room.
    #[prompt]
    fn explain(room: &str, language: Option<&str>) -> Result<String<128>, fmt::Error> {
        let mut text = String::new();
        write!(text, "Explain the temperature of the {room} in {}.", language.unwrap_or("English"))?;
        Ok(text)
    }
}
