//! The job of `barewire call`: the request that is sent to the server.

use barewire::bytes::Sink;
use barewire::engine::client::{Ask, Client, Plain, RequestError, Ticket};
use barewire::json::{JsonStr, Object, RawValue, Writer};
use barewire::mcp::Capabilities;
use clap::ValueEnum;

use super::given::Given;
use super::ids::Ids;
use super::schema;

/// The client of this command, which sends one request at a time.
pub(crate) type Caller = Client<Plain, (), 1, Ids>;

/// A list.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum List {
    Tools,
    Resources,
    Templates,
    Prompts,
}

impl List {
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
            Self::Tools => "tools",
            Self::Resources | Self::Templates => "resources",
            Self::Prompts => "prompts",
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
        client: &mut Caller,
        ask: Ask<'_>,
        cursor: Option<JsonStr<'_>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        match self {
            Self::Tools => client.list_tools(ask, cursor, out),
            Self::Resources => client.list_resources(ask, cursor, out),
            Self::Templates => client.list_resource_templates(ask, cursor, out),
            Self::Prompts => client.list_prompts(ask, cursor, out),
        }
    }
}

/// The request to send.
pub(crate) enum Job {
    List(List),
    Tool { name: String, arguments: Arguments },
    Read(String),
    Prompt { name: String, arguments: Arguments },
}

/// Arguments as given, and as sent.
pub(crate) struct Arguments {
    given: Given,
    /// The text of an object.
    text: Vec<u8>,
}

impl Arguments {
    pub(crate) const fn new(given: Given) -> Self {
        let text = Vec::new();
        Self { given, text }
    }

    fn write(&self, json: &mut Writer<'_, '_>) {
        for member in object(&self.text).members() {
            json.member(member);
        }
    }
}

fn object(text: &[u8]) -> Object<'_> {
    let object = RawValue::new(text).ok().and_then(RawValue::as_object);
    object.unwrap_or(Object::EMPTY)
}

impl Job {
    /// The list with an entry for the tool or prompt, and the name of the entry.
    pub(crate) fn listed(&self) -> Option<(List, &str)> {
        match self {
            Self::Tool { name, .. } => Some((List::Tools, name)),
            Self::Prompt { name, .. } => Some((List::Prompts, name)),
            Self::List(_) | Self::Read(_) => None,
        }
    }

    /// Decides how the arguments are sent, and checks them against the entry of the list, if known.
    ///
    /// # Errors
    /// A sentence for the user.
    pub(crate) fn settle(&mut self, entry: Option<&[u8]>) -> Result<(), String> {
        let entry = entry.map(object);
        let faults = match self {
            Self::List(_) | Self::Read(_) => return Ok(()),
            Self::Tool { arguments, .. } => {
                let schema = entry.and_then(|tool| tool.get("inputSchema")?.as_object());
                arguments.text = arguments.given.of_tool(schema)?;
                schema.map(|schema| schema::faults(schema, object(&arguments.text)))
            }
            Self::Prompt { arguments, .. } => {
                arguments.text = arguments.given.of_prompt();
                entry.map(|prompt| schema::faults_of_prompt(prompt, object(&arguments.text)))
            }
        };
        match faults.unwrap_or_default() {
            none if none.is_empty() => Ok(()),
            faults => Err(faults.join("; ")),
        }
    }

    /// A hint about arguments that the schema does not name, which may be typing errors. `entry` is as for
    /// [`settle`](Job::settle).
    pub(crate) fn hint(&self, entry: Option<&[u8]>) -> Option<String> {
        let Self::Tool { arguments, .. } = self else {
            return None;
        };
        let schema = object(entry?).get("inputSchema")?.as_object()?;
        schema::unnamed(schema, object(&arguments.text))
    }

    /// Sends the request; for a list, that for the page that starts at `cursor`.
    pub(crate) fn send(
        &self,
        client: &mut Caller,
        ask: Ask<'_>,
        cursor: Option<JsonStr<'_>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        match self {
            Self::List(list) => list.send(client, ask, cursor, out),
            Self::Tool { name, arguments } => client.call_tool(ask, name.as_str(), out, |json| {
                arguments.write(json);
            }),
            Self::Read(uri) => client.read_resource(ask, uri.as_str(), out),
            Self::Prompt { name, arguments } => client.get_prompt(ask, name.as_str(), out, |json| {
                arguments.write(json);
            }),
        }
    }
}
