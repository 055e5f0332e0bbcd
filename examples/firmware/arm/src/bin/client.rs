//! An MCP client: it lists the tools of the server on UART1 and calls some, well and badly, and tells on UART0 what came of
//! it. `SysTick` keeps the time, so a server that does not answer is given up; what is no message is passed over.
//!
//! The server may be of either era, and is to have the tool `add` of the demo.
#![no_std]
#![no_main]
#![allow(clippy::deref_addrof, reason = "a `static mut` is better not referred to by its name")]

use core::fmt::Write;
use core::time::Duration;

use barewire::bytes::{Framer, Sink};
use barewire::engine::client::{
    BoundClient, ClientEngine, ClientFixed, ClientOptions, ClientOutcome, Connected, Counter, Ended,
    Incoming, Plain, RequestError, RequestOptions, Ticket,
};
use barewire::json::{JsonStr, RawValue};
use barewire::mcp::{Implementation, ListResult, ToolResult};
use device::{INPUT, OUTPUT, Port};
use firmware_arm::{Clock, Sender, Uart};

/// What a request is for.
#[derive(Debug, Clone, Copy)]
enum Purpose {
    /// The next page of the list.
    List,
    /// A call as it should be.
    Call,
    /// One whose arguments are wrong.
    Misuse,
    /// One of a tool that there is not.
    Unknown,
}

const CALLS: [Purpose; 3] = [Purpose::Call, Purpose::Misuse, Purpose::Unknown];

type Storage = ClientFixed<Purpose>;

/// The client with its application.
type DeviceClient<'a> = BoundClient<'a, Storage, Plain>;

/// Who waits for a device waits no longer.
const OPTIONS: ClientOptions =
    ClientOptions::DEFAULT.with_probe_timeout(Duration::from_secs(3)).with_timeout(Duration::from_secs(6));

static mut INPUT_MEMORY: [u8; INPUT] = [0; INPUT];
static mut OUTPUT_MEMORY: [u8; OUTPUT] = [0; OUTPUT];
static mut CLIENT: ClientEngine<Storage> = ClientEngine::with(Storage::new(), OPTIONS, Counter::new());

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: `main` runs once, and nothing else uses these.
    let (engine, input, output) =
        unsafe { (&mut *(&raw mut CLIENT), &mut *(&raw mut INPUT_MEMORY), &mut *(&raw mut OUTPUT_MEMORY)) };
    let mut app = Plain(Implementation::new("barewire-device", env!("CARGO_PKG_VERSION")));
    let client = &mut engine.bind(&mut app);
    cortex_m::interrupt::disable();
    let (_, mut report) = Uart::new().split();
    let mut line = Uart::second();
    let mut clock = Clock::start();
    let mut framer = Framer::new(&mut input[..]);

    let mut out = Sink::new(output);
    let _ = client.connect(clock.now(), &mut out);
    send(&mut line, out);
    while client.is_connecting() || client.in_flight() > 0 {
        let count = receive(&mut line, framer.space());
        framer.commit(count);
        loop {
            let next = match client.has_more() {
                true => framer.again(),
                false => framer.next(),
            };
            let mut out = Sink::new(output);
            let now = clock.now();
            let Some(incoming) = client.receive(next, now, &mut out) else {
                break;
            };
            react(client, incoming, now, &mut out, &mut report);
            send(&mut line, out);
        }
        // What was received comes before what did not come in time.
        loop {
            let mut out = Sink::new(output);
            let now = clock.now();
            let Some(incoming) = client.expire(now, &mut out) else {
                break;
            };
            react(client, incoming, now, &mut out, &mut report);
            send(&mut line, out);
        }
        if count == 0 {
            line.sleep();
        }
    }
    tell(&mut report, format_args!("done"));
    firmware_arm::leave()
}

/// What has come in, as far as there is room.
fn receive(line: &mut Uart, space: &mut [u8]) -> usize {
    let mut count = 0;
    for place in space {
        let Some(byte) = line.take() else {
            break;
        };
        *place = byte;
        count += 1;
    }
    count
}

fn send(line: &mut Uart, out: Sink<'_>) {
    // What has no room is not written at all, and the client says so.
    for byte in out.finish().unwrap_or_default() {
        line.put(*byte);
    }
}

fn tell(report: &mut Sender, what: core::fmt::Arguments<'_>) {
    // A UART does not fail.
    let _ = report.write_fmt(what);
    let _ = report.write_str("\n");
}

/// Tells what came in, and asks for what is next.
fn react(
    client: &mut DeviceClient<'_>,
    incoming: Incoming<'_, Purpose>,
    now: Duration,
    out: &mut Sink<'_>,
    report: &mut Sender,
) {
    match incoming {
        Incoming::Connected(server) => {
            greet(&server, report);
            let asked = client.list_tools(RequestOptions::at(now).with_context(Purpose::List), None, out);
            check(Purpose::List, asked, report);
        }
        Incoming::Incompatible(why) => tell(report, format_args!("no connection: {why:?}")),
        Incoming::Ended(ended) => end(client, &ended, now, out, report),
        Incoming::Rejected(rejection) => tell(report, format_args!("noise: {rejection}")),
        Incoming::Unmatched(_) => tell(report, format_args!("unasked answer")),
        _ => {}
    }
}

fn greet(server: &Connected<'_>, report: &mut Sender) {
    let name = server.server_name().unwrap_or(JsonStr::EMPTY);
    tell(report, format_args!("connected: {} {name:?}", server.version()));
}

/// A request has ended. Names and texts of the server's are told as JSON: so they stay in their line.
fn end(
    client: &mut DeviceClient<'_>,
    ended: &Ended<'_, Purpose>,
    now: Duration,
    out: &mut Sink<'_>,
    report: &mut Sender,
) {
    let purpose = ended.context;
    match ended.outcome {
        ClientOutcome::Result(result) if matches!(purpose, Purpose::List) => {
            let page = ListResult::of(result);
            for tool in page.entries("tools") {
                let name = tool.get("name").and_then(RawValue::as_string).unwrap_or(JsonStr::EMPTY);
                tell(report, format_args!("tool: {name:?}"));
            }
            match page.next_cursor() {
                Some(cursor) => {
                    let ask = RequestOptions::at(now).with_context(Purpose::List);
                    check(Purpose::List, client.list_tools(ask, Some(cursor), out), report);
                }
                None => call_all(client, now, out, report),
            }
        }
        ClientOutcome::Result(result) => {
            let text = text(ToolResult::of(result));
            tell(report, format_args!("{purpose:?}: {text:?}"));
        }
        ClientOutcome::ToolError(result) => {
            let text = text(result);
            tell(report, format_args!("{purpose:?}: failed {text:?}"));
        }
        ClientOutcome::ProtocolError(error) => {
            let (code, message) = (error.code(), error.message());
            tell(report, format_args!("{purpose:?}: refused {code} {message:?}"));
        }
        ClientOutcome::Invalid(fault) => {
            tell(report, format_args!("{purpose:?}: unusable {fault:?}"));
            if matches!(purpose, Purpose::List) {
                // A page that is too long for the buffer, say: what to call is known without it.
                call_all(client, now, out, report);
            }
        }
        other => tell(report, format_args!("{purpose:?}: {other:?}")),
    }
}

/// The first text of a result.
fn text(result: ToolResult<'_>) -> JsonStr<'_> {
    let mut texts = result.content().filter_map(|block| block.text());
    texts.next().unwrap_or(JsonStr::EMPTY)
}

fn call_all(client: &mut DeviceClient<'_>, now: Duration, out: &mut Sink<'_>, report: &mut Sender) {
    for purpose in CALLS {
        check(purpose, call(client, purpose, now, out), report);
    }
}

fn call(
    client: &mut DeviceClient<'_>,
    purpose: Purpose,
    now: Duration,
    out: &mut Sink<'_>,
) -> Result<Ticket, RequestError> {
    let ask = RequestOptions::at(now).with_context(purpose);
    match purpose {
        Purpose::Unknown => client.call_tool(ask, "nope", out, |_| {}),
        _ => client.call_tool(ask, "add", out, |arguments| {
            match purpose {
                Purpose::Misuse => arguments.name("a").string("forty"),
                _ => arguments.name("a").integer(40),
            };
            arguments.name("b").integer(2);
        }),
    }
}

/// Tells what could not be asked.
fn check(purpose: Purpose, asked: Result<Ticket, RequestError>, report: &mut Sender) {
    if let Err(error) = asked {
        tell(report, format_args!("{purpose:?}: not asked, {error}"));
    }
}
