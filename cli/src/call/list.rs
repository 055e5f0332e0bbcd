//! The lists of a server.

use barewire::bytes::Sink;
use barewire::engine::client::{RequestError, RequestOptions, Ticket};
use barewire::json::JsonStr;
use barewire::mcp::{Capabilities, Method};
use clap::ValueEnum;

use super::ids::Caller;

/// A list.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum List {
    Tools,
    Resources,
    Templates,
    Prompts,
}

impl List {
    const fn method(self) -> Method {
        match self {
            Self::Tools => Method::ToolsList,
            Self::Resources => Method::ResourcesList,
            Self::Templates => Method::ResourcesTemplatesList,
            Self::Prompts => Method::PromptsList,
        }
    }

    /// The member of the result with the entries.
    pub(crate) const fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }

    /// The capability that a server with the list declares.
    pub(crate) const fn capability(self) -> &'static str {
        match self {
            Self::Templates => "resources",
            other => other.member(),
        }
    }

    /// Whether the server has declared the list.
    pub(crate) const fn is_declared(self, server: &Capabilities) -> bool {
        server.has(match self {
            Self::Tools => Capabilities::TOOLS,
            Self::Resources | Self::Templates => Capabilities::RESOURCES,
            Self::Prompts => Capabilities::PROMPTS,
        })
    }

    /// Requests the page that starts at `cursor`.
    pub(crate) fn send(
        self,
        client: &mut Caller<'_>,
        ask: RequestOptions<'_>,
        cursor: Option<JsonStr<'_>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        client.request(ask, self.method().name(), out, |params| {
            if let Some(cursor) = cursor {
                params.name("cursor").json_string(cursor);
            }
        })
    }
}
