//! A server made by the macros.

use std::fmt;

use barewire::bytes::Sink;
use barewire::engine::{MIN_OUTPUT, ToolReply};
use barewire::macros::{Image, Refused, Structured};
use barewire::rpc::ErrorCode;
use barewire::{Argument, Output};

use crate::counter::without_allocating;
use crate::hosted::{Hosted, Status};

#[derive(Clone, Copy, Argument, Output)]
enum Unit {
    Celsius,
    Kelvin,
}

#[derive(Argument)]
struct Alarm<'a> {
    #[arg(min = -400, max = 1250)]
    limit: i16,
    name: &'a str,
    rooms: heapless::Vec<heapless::String<8>, 4>,
    factor: Option<f32>,
}

#[derive(Output, serde::Serialize)]
struct Reading {
    tenths: i16,
    name: Option<&'static str>,
}

struct TooHot(i16);

impl fmt::Display for TooHot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tenths are too hot", self.0)
    }
}

struct Thermo;

#[barewire::server(scratch = 16)]
impl Thermo {
    /// Reads.
    #[tool(read_only)]
    fn read(&self, unit: Unit) -> (&str, Unit, Option<f64>, Reading) {
        ("a\n\"b\"", unit, Some(0.5), Reading { tenths: 215, name: None })
    }

    /// Sets an alarm.
    #[tool]
    fn set_alarm(
        &self,
        alarm: Alarm<'_>,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Structured<Reading>, TooHot> {
        reply.progress(1);
        let is_far = alarm.name.is_empty() || alarm.rooms.is_empty() || alarm.factor.is_some();
        if alarm.limit > 1000 || is_far {
            return Err(TooHot(alarm.limit));
        }
        Ok(Structured(Reading { tenths: alarm.limit, name: Some("attic") }))
    }

    /// Fails.
    #[tool]
    fn fail(&self, text: &str) -> Result<Image<'_>, &'static str> {
        if text.is_empty() { Ok(Image { mime_type: "image/png", bytes: b"bytes" }) } else { Err("failed") }
    }

    /// A room.
    #[resource("thermo://room/{room}")]
    fn room(&self, room: &str) -> Option<i16> {
        (room == "the attic").then_some(28)
    }

    /// Explains.
    #[prompt]
    fn explain<'t>(&self, room: &'t str) -> Result<&'t str, Refused> {
        if room.is_empty() { Err(Refused::new(ErrorCode(1), "no room")) } else { Ok(room) }
    }
}

const REQUESTS: [(&str, &str); 15] = [
    ("tools/list", ""),
    ("resources/templates/list", ""),
    ("prompts/list", ""),
    ("tools/call", r#""name":"read","arguments":{"unit":"Kelvin"}"#),
    ("tools/call", r#""name":"read","arguments":{"unit":"kelvin"}"#),
    ("tools/call", r#""name":"set_alarm","arguments":{"alarm":{"limit":5,"name":"\ta","rooms":["\n"]}}"#),
    (
        "tools/call",
        r#""name":"set_alarm","arguments":{"alarm":{"limit":5,"name":"a","rooms":["1"],"factor":1e9}}"#,
    ),
    (
        "tools/call",
        r#""name":"set_alarm","arguments":{"alarm":{"limit":5,"name":"\t1234567890123456","rooms":["1"]}}"#,
    ),
    ("tools/call", r#""name":"fail","arguments":{"text":""}"#),
    ("tools/call", r#""name":"fail","arguments":{"text":"\u00e4"}"#),
    ("tools/call", r#""name":"fail","arguments":{"text":"\ud800"}"#),
    ("resources/read", r#""uri":"thermo://room/the%20attic""#),
    ("resources/read", r#""uri":"thermo://room/cellar""#),
    ("prompts/get", r#""name":"explain","arguments":{"room":"\n"}"#),
    ("prompts/get", r#""name":"explain","arguments":{"room":""}"#),
];

#[test]
fn tools_resources_and_prompts_with_much_room_and_with_little() {
    for room in [4096, 300, MIN_OUTPUT] {
        let mut memory = vec![0; room];
        let mut server = Hosted::new(Thermo);
        for (id, (method, params)) in REQUESTS.iter().enumerate() {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}}}"#);
            let length = without_allocating(&frame, || {
                let mut out = Sink::new(&mut memory);
                assert_eq!(server.handle_frame(frame.as_bytes(), &mut out), Status::Done);
                out.len()
            });
            assert!(length > 0, "{frame}");
        }
    }
}
