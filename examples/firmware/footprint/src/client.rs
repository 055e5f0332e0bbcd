//! The client that is measured.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::client::{Ask, Client, ClientHandler, Incoming, Outcome};
use barewire::json::RawValue;
use barewire::mcp::{Implementation, ListResult, ToolResult};

use crate::keep;

/// A client without anything to offer: four requests in flight.
pub type OperatorClient = Client<Operator>;

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
    pub fn react(client: &mut OperatorClient, incoming: Incoming<'_, ()>, now: Duration, out: &mut Sink<'_>) {
        match incoming {
            Incoming::Connected(_) => keep(client.list_tools(Ask::at(now), None, out).is_ok()),
            Incoming::Ended(ended) => match ended.outcome {
                Outcome::Result(result) => {
                    let page = ListResult::of(result);
                    if let Some(cursor) = page.next_cursor() {
                        keep(client.list_tools(Ask::at(now), Some(cursor), out).is_ok());
                    }
                    for tool in page.entries("tools") {
                        keep(
                            tool.get("name")
                                .and_then(RawValue::as_string)
                                .is_some_and(|name| name == "set_lamp"),
                        );
                    }
                    look(ToolResult::of(result));
                    let call = client.call_tool(Ask::at(now), "set_lamp", out, |arguments| {
                        arguments.name("on").boolean(true);
                    });
                    keep(call.is_ok());
                }
                Outcome::ToolError(result) => look(result),
                Outcome::ProtocolError(error) => keep((error.code(), error.message().is_empty())),
                _ => {}
            },
            _ => {}
        }
    }
}

fn look(result: ToolResult<'_>) {
    for text in result.content().filter_map(|block| block.text()) {
        keep(text.as_escaped());
    }
}
