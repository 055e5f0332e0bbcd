//! The client that is measured.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::client::{
    ClientEngine, ClientFixed, ClientHandler, ClientOptions, ClientOutcome, ClientParts, Counter, Incoming,
    RequestOptions,
};
use barewire::engine::{Full, ToolsOnly};
use barewire::json::{JsonStr, RawValue};
use barewire::mcp::{Implementation, ListResult, ToolResult};

use crate::{keep, memory};

/// Four requests in flight.
pub type Storage<P> = ClientFixed<(), 4, Counter, P>;

/// A client that declares no capabilities.
pub type OperatorClient<P = Full> = ClientEngine<Storage<P>>;

/// One before its handshake.
pub const fn operator_client<P: ClientParts>() -> OperatorClient<P> {
    OperatorClient::with(Storage::new(), ClientOptions::DEFAULT, Counter::new())
}

/// The smallest client of use: it calls the tool of a [`Lamp`](crate::Lamp).
#[derive(Debug)]
pub struct Operator;

impl ClientHandler for Operator {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("operator", "1.0")
    }
}

impl Operator {
    /// Lists the tools once connected, calls one for each page, and looks at what came of it.
    pub fn react<P: ClientParts>(
        client: &mut OperatorClient<P>,
        incoming: Incoming<'_, ()>,
        now: Duration,
        out: &mut Sink<'_>,
    ) {
        match incoming {
            Incoming::Connected(_) => list(client, None, now, out),
            Incoming::Ended(ended) => match ended.outcome {
                ClientOutcome::Result(result) => {
                    let page = ListResult::of(result);
                    if let Some(cursor) = page.next_cursor() {
                        list(client, Some(cursor), now, out);
                    }
                    for tool in page.entries("tools") {
                        keep(
                            tool.get("name")
                                .and_then(RawValue::as_string)
                                .is_some_and(|name| name == "set_lamp"),
                        );
                    }
                    look(ToolResult::of(result));
                    call(client, now, out);
                }
                ClientOutcome::ToolError(result) => look(result),
                ClientOutcome::ProtocolError(error) => keep((error.code(), error.message().is_empty())),
                _ => {}
            },
            _ => {}
        }
    }
}

fn list<P: ClientParts>(
    client: &mut OperatorClient<P>,
    cursor: Option<JsonStr<'_>>,
    now: Duration,
    out: &mut Sink<'_>,
) {
    keep(client.bind(&mut Operator).list_tools(RequestOptions::at(now), cursor, out).is_ok());
}

/// A function of its own, so that what it needs is off the stack where the tools are listed.
#[inline(never)]
fn call<P: ClientParts>(client: &mut OperatorClient<P>, now: Duration, out: &mut Sink<'_>) {
    let called =
        client.bind(&mut Operator).call_tool(RequestOptions::at(now), "set_lamp", out, |arguments| {
            arguments.name("on").boolean(true);
        });
    keep(called.is_ok());
}

fn look(result: ToolResult<'_>) {
    for text in result.content().filter_map(|block| block.text()) {
        keep(text.as_escaped());
    }
}

/// What [`ToolsOnly`] leaves out, and 2026-07-28.
#[derive(Debug)]
pub struct LegacyCaller;

impl ClientParts for LegacyCaller {
    const MODERN: bool = false;
    const ASKING: bool = ToolsOnly::ASKING;
    const PROGRESS: bool = ToolsOnly::PROGRESS;
    const LOGGING: bool = ToolsOnly::LOGGING;
    const SUBSCRIPTIONS: bool = ToolsOnly::SUBSCRIPTIONS;
    const TASKS: bool = ToolsOnly::TASKS;
}

/// What [`ToolsOnly`] leaves out, and the revisions before.
#[derive(Debug)]
pub struct ModernCaller;

impl ClientParts for ModernCaller {
    const LEGACY: bool = false;
    const ASKING: bool = ToolsOnly::ASKING;
    const PROGRESS: bool = ToolsOnly::PROGRESS;
    const LOGGING: bool = ToolsOnly::LOGGING;
    const SUBSCRIPTIONS: bool = ToolsOnly::SUBSCRIPTIONS;
    const TASKS: bool = ToolsOnly::TASKS;
}

/// Gives a line to the client, or lets it connect where there is none, and lets time pass: all that an `entry` of these
/// clients does.
///
/// # Safety
/// As [`memory`], for the line and for the output; nobody else uses the client.
pub unsafe fn work<P: ClientParts>(
    client: *mut OperatorClient<P>,
    input: *mut u8,
    length: usize,
    output: *mut u8,
    room: usize,
    seconds: u32,
) {
    // SAFETY: by the caller's promise.
    let (client, line, output) = unsafe { (&mut *client, memory(input, length), memory(output, room)) };
    let now = Duration::from_secs(u64::from(seconds));
    let mut out = Sink::new(output);
    if line.is_empty() {
        keep(client.bind(&mut Operator).connect(now, &mut out).is_ok());
    } else {
        let incoming = client.bind(&mut Operator).handle_frame(line, now, &mut out);
        Operator::react(client, incoming, now, &mut out);
    }
    while let Some(incoming) = client.bind(&mut Operator).expire(now, &mut out) {
        Operator::react(client, incoming, now, &mut out);
    }
    keep(client.next_deadline());
    keep(out.finish().is_ok());
}
