//! A small server: its tools, and that its tables are those that one would write by hand.

use barewire::engine::{Handler, Progress, ToolReply};
use barewire::macros::Refused;
use barewire::mcp::{Implementation, Parameter, Tool, ToolAnnotations, Type};
use barewire::rpc::ErrorCode;

use crate::kit::{answers, call, failure, request, text};

struct Thermo {
    limit: i16,
    locked: bool,
}

const LOCKED: Refused = Refused::new(ErrorCode(1001), "Device is locked");

#[barewire::server(name = "thermo", version = "1.0", title = "Thermometer", instructions = "Reads a room.")]
impl Thermo {
    const START: i16 = 85;

    /// Reads the temperature.
    #[tool(read_only)]
    fn read_temp(&self) -> i16 {
        21
    }

    /// Sets the limit
    /// of the alarm.
    #[tool(idempotent, destructive = false, title = "Set limit")]
    fn set_limit(
        &mut self,
        #[arg(min = -40, max = 125, doc = "Degrees Celsius")] degrees: i16,
        /// Reason for the log.
        why: Option<&str>,
    ) -> Result<&'static str, Refused> {
        if self.locked {
            return Err(LOCKED);
        }
        self.limit = degrees;
        Ok(if why.is_some() { "logged" } else { "set" })
    }

    /// Waits.
    #[tool(name = "wait-a-bit")]
    fn wait(reply: &mut ToolReply<'_, '_>, #[arg(default = 2)] steps: u8) -> Result<(), String> {
        for step in 1..=i64::from(steps) {
            reply.progress(Progress::new(step).of(i64::from(steps)));
        }
        if steps > 3 { Err(format!("{steps} steps are too many")) } else { Ok(()) }
    }

    fn helper(&self) -> i16 {
        self.limit + Self::START
    }
}

const TOOLS: &[Tool<'_>] = &[
    Tool::new("read_temp", "Reads the temperature.").with_annotations(ToolAnnotations::READ_ONLY),
    Tool::new("set_limit", "Sets the limit of the alarm.")
        .with_title("Set limit")
        .with_parameters(&[
            Parameter::required("degrees", Type::integer_in(-40, 125)).with_description("Degrees Celsius"),
            Parameter::optional("why", Type::STRING).with_description("Reason for the log."),
        ])
        .with_annotations({
            let mut hints = ToolAnnotations::NONE;
            hints.idempotent = Some(true);
            hints.destructive = Some(false);
            hints
        }),
    Tool::new("wait-a-bit", "Waits.").with_parameters(&[Parameter::optional(
        "steps",
        Type::integer_in(0, 255),
    )
    .with_default(&barewire::macros::json("2"))]),
];

fn thermo() -> Thermo {
    Thermo { limit: 0, locked: false }
}

#[test]
fn the_tables_are_those_written_by_hand() {
    assert_eq!(thermo().tools(), TOOLS);
    assert_eq!(thermo().info(), Implementation::new("thermo", "1.0").with_title("Thermometer"));
    assert_eq!(thermo().instructions(), Some("Reads a room."));
    assert_eq!(thermo().helper(), 85);
}

#[test]
fn tools_answer() {
    assert_eq!(call(&mut thermo(), "read_temp", "{}"), text("21"));
    assert_eq!(call(&mut thermo(), "set_limit", r#"{"degrees":-40}"#), text("set"));
    assert_eq!(call(&mut thermo(), "set_limit", r#"{"degrees":1e1,"why":"a\nb"}"#), text("logged"));
    assert_eq!(call(&mut thermo(), "wait-a-bit", "{}"), r#""result":{"content":[],"isError":false}"#);
    let mut app = thermo();
    let _ = call(&mut app, "set_limit", r#"{"degrees":30}"#);
    assert_eq!(app.limit, 30);
}

#[test]
fn errors_are_errors_of_the_right_kind() {
    assert_eq!(
        call(&mut thermo(), "set_limit", r#"{"degrees":126}"#),
        failure("Invalid arguments for set_limit: degrees: is out of range: -40 to 125")
    );
    let mut locked = Thermo { limit: 0, locked: true };
    assert_eq!(
        call(&mut locked, "set_limit", r#"{"degrees":1}"#),
        r#""error":{"code":1001,"message":"Device is locked"}"#
    );
    assert_eq!(call(&mut thermo(), "wait-a-bit", r#"{"steps":4}"#), failure("4 steps are too many"));
    assert_eq!(
        request(&mut thermo(), "tools/call", r#"{"name":"helper"}"#),
        r#""error":{"code":-32602,"message":"Unknown tool"}"#
    );
}

#[test]
fn progress_precedes_the_answer() {
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait-a-bit","_meta":{"progressToken":7}}}"#;
    let expected = concat!(
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":2}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":2,"total":2}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":false}}"#
    );
    assert_eq!(answers(&mut thermo(), &[line]), [expected]);
}
