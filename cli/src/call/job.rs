//! The job of `barewire call`: the request that is sent to the server.

use barewire::bytes::Sink;
use barewire::engine::client::{Ask, Client, Plain, RequestError, Ticket};
use barewire::json::{JsonStr, Object, RawValue, Writer};
use barewire::mcp::{Capabilities, Method};
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
        client: &mut Caller,
        ask: Ask<'_>,
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
    fn new(arguments: &super::Arguments) -> Result<Self, String> {
        Ok(Self {
            given: Given::new(arguments.args.as_deref(), &arguments.arg)?,
            text: Vec::new(),
        })
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
    /// The job that the arguments of the command describe.
    ///
    /// # Errors
    /// A sentence for the user.
    pub(crate) fn new(arguments: &super::Arguments) -> Result<Self, String> {
        let request = &arguments.request;
        let is_given = arguments.args.is_some() || !arguments.arg.is_empty();
        if is_given && request.tool.is_none() && request.prompt.is_none() {
            return Err("only tools and prompts have arguments".to_owned());
        }
        let given = Arguments::new(arguments)?;
        Ok(
            match (request.tool.clone(), request.prompt.clone(), &request.read) {
                (Some(name), ..) => Self::Tool {
                    name,
                    arguments: given,
                },
                (_, Some(name), _) => Self::Prompt {
                    name,
                    arguments: given,
                },
                (.., Some(uri)) => Self::Read(uri.clone()),
                (None, None, None) => Self::List(request.list.unwrap_or(List::Tools)),
            },
        )
    }

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
    pub(crate) fn prepare(&mut self, entry: Option<&[u8]>) -> Result<(), String> {
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
    /// [`prepare`](Job::prepare).
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
