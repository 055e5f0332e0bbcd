//! The requests that a client can make.

use barewire::bytes::Sink;
use barewire::engine::client::{CompletionFor, RequestError, RequestOptions, Ticket};
use barewire::mcp::{LoggingLevel, ProtocolVersion, Text, Versions};

use super::Requester;

/// A request of a client with a table of this size.
pub type Call<const N: usize> =
    fn(&mut Requester<'_, N>, RequestOptions<'_, u64>, &mut Sink<'_>) -> Result<Ticket, RequestError>;

/// Every request, the revisions that have it, and how it ends.
pub const fn requests<const N: usize>() -> [(Call<N>, Versions, &'static str); 19] {
    [
        (|client, ask, out| client.ping(ask, out), Versions::LEGACY, "result"),
        (|client, ask, out| client.list_tools(ask, None, out), Versions::ALL, "result"),
        (|client, ask, out| client.list_resources(ask, None, out), Versions::ALL, "result"),
        (|client, ask, out| client.list_resource_templates(ask, None, out), Versions::ALL, "result"),
        (|client, ask, out| client.list_prompts(ask, None, out), Versions::ALL, "result"),
        (
            |client, ask, out| {
                client.call_tool(ask, "echo", out, |arguments| {
                    arguments.name("text").string("\u{1F600}\n\"");
                })
            },
            Versions::ALL,
            "result",
        ),
        (|client, ask, out| client.call_tool(ask, "add", out, |_| {}), Versions::ALL, "tool error"),
        (|client, ask, out| client.call_tool(ask, "none", out, |_| {}), Versions::ALL, "error -32602"),
        (
            |client, ask, out| {
                client.call_tool(ask, "behave", out, |arguments| {
                    arguments.name("how").string("refuse");
                })
            },
            Versions::ALL,
            "error 7",
        ),
        (|client, ask, out| client.read_resource(ask, "demo://readme", out), Versions::ALL, "result"),
        (
            |client, ask, out| {
                client.get_prompt(ask, "greet", out, |arguments| {
                    arguments.name("name").string("a");
                })
            },
            Versions::ALL,
            "result",
        ),
        (|client, ask, out| client.get_prompt(ask, "greet", out, |_| {}), Versions::ALL, "error -32602"),
        (|client, ask, out| client.subscribe(ask, "demo://counter", out), Versions::LEGACY, "result"),
        (|client, ask, out| client.unsubscribe(ask, "demo://counter", out), Versions::LEGACY, "result"),
        (|client, ask, out| client.set_level(ask, LoggingLevel::Error, out), Versions::LEGACY, "result"),
        (
            |client, ask, out| {
                let of = CompletionFor::Prompt(Text::Plain("greet"));
                client.complete(ask, of, "language", "", out, |_| {})
            },
            Versions::ALL,
            "result",
        ),
        (|client, ask, out| client.request(ask, "x/y", out, |_| {}), Versions::ALL, "error -32601"),
        (
            |client, ask, out| client.list_tasks(ask.even_if_not_offered(), None, out),
            Versions::only(ProtocolVersion::V2025_11_25),
            "result",
        ),
        (
            |client, ask, out| client.update_task(ask.even_if_not_offered(), "t", out, |_| {}),
            Versions::MODERN,
            "error -32021",
        ),
    ]
}
