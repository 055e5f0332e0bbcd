//! A server made by `#[barewire::server]`: arguments and answers of each kind, asynchronous tools, a resource, a template, a prompt.

use std::time::Duration;

use barewire::engine::{CallError, Peer, Progress};
use barewire::macros::{Image, Refused};
use barewire::mcp::{Elicitation, Schema};
use barewire::rpc::ErrorCode;
use barewire::transport::AsyncStdio;
use barewire::{Argument, Output};

const YES: Schema<'_> = Schema::new(
    r#"{"type":"object","properties":{"yes":{"type":"boolean","title":"Yes"}},"required":["yes"]}"#,
);

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
    rooms: Vec<String>,
}

#[derive(Output)]
struct Reading {
    /// Tenths of a degree.
    tenths: i32,
    sensor: Option<&'static str>,
}

struct Thermo {
    limit: i16,
}

#[barewire::server(name = "methods", version = "1.0", title = "Methods", instructions = "Reads rooms.")]
impl Thermo {
    /// Says the text.
    #[tool(read_only)]
    fn echo<'t>(text: &'t str) -> &'t str {
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
    fn set_alarm(&mut self, alarm: Alarm, #[arg(default = 3, min = 1, max = 9)] repeats: u8) -> String {
        self.limit = alarm.limit;
        let unit = if alarm.unit == Some(Unit::Kelvin) { "K" } else { "C" };
        format!("{} {unit}, {repeats} times: {}", alarm.limit, alarm.rooms.join(", "))
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
    async fn count(#[arg(min = 1, max = 1000)] to: i64, peer: &Peer<'_>) -> String {
        for step in 1..=to {
            tokio::time::sleep(Duration::from_millis(20)).await;
            peer.progress(Progress::new(step).of(to));
        }
        format!("counted to {to}")
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
    fn explain(room: &str, language: Option<&str>) -> String {
        format!("Explain the temperature of the {room} in {}.", language.unwrap_or("English"))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    AsyncStdio::new().serve(Thermo { limit: 85 }).await
}
