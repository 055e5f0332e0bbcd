//! The job of `barewire call`: the request that is sent to the server.

use barewire::bytes::Sink;
use barewire::engine::client::{RequestError, RequestOptions, Ticket};
use barewire::json::{JsonStr, Object, RawValue, Writer};

use super::arguments::Arguments;
use super::given::Given;
use super::ids::Caller;
use super::list::List;
use super::schema;

/// The request to send.
pub(crate) enum Job {
    List(List),
    Read(String),
    /// A tool or a prompt.
    Named(Named),
}

/// A call of a tool, or a request for a prompt.
pub(crate) struct Named {
    /// The list that has an entry for it: [`List::Tools`] or [`List::Prompts`].
    pub(crate) list: List,
    pub(crate) name: String,
    given: Given,
    /// The arguments as they are sent: the text of an object.
    arguments: Vec<u8>,
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
    pub(crate) fn new(arguments: &Arguments) -> Result<Self, String> {
        let request = &arguments.request;
        let (list, name) = match (&request.tool, &request.prompt, &request.read) {
            (Some(name), ..) => (List::Tools, name),
            (_, Some(name), _) => (List::Prompts, name),
            _ if arguments.args.is_some() || !arguments.arg.is_empty() => {
                return Err("only tools and prompts have arguments".to_owned());
            }
            (.., Some(uri)) => return Ok(Self::Read(uri.clone())),
            (None, None, None) => return Ok(Self::List(request.list.unwrap_or(List::Tools))),
        };
        Ok(Self::Named(Named {
            list,
            name: name.clone(),
            given: Given::new(arguments.args.as_deref(), &arguments.arg)?,
            arguments: Vec::new(),
        }))
    }

    /// Sends the request; for a list, that for the page that starts at `cursor`.
    pub(crate) fn send(
        &self,
        client: &mut Caller<'_>,
        ask: RequestOptions<'_>,
        cursor: Option<JsonStr<'_>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        match self {
            Self::List(list) => list.send(client, ask, cursor, out),
            Self::Read(uri) => client.read_resource(ask, uri.as_str(), out),
            Self::Named(named) if named.list == List::Prompts => {
                client.get_prompt(ask, named.name.as_str(), out, |json| named.write_arguments(json))
            }
            Self::Named(named) => {
                client.call_tool(ask, named.name.as_str(), out, |json| named.write_arguments(json))
            }
        }
    }
}

impl Named {
    /// Decides how the arguments are sent, and checks them against the entry of the list, if known.
    ///
    /// # Errors
    /// A sentence for the user.
    pub(crate) fn prepare(&mut self, entry: Option<&[u8]>) -> Result<(), String> {
        let entry = entry.map(object);
        let schema = entry.and_then(|tool| tool.get("inputSchema")?.as_object());
        self.arguments = match self.list {
            List::Prompts => self.given.of_prompt()?,
            _ => self.given.of_tool(schema)?,
        };
        let arguments = object(&self.arguments);
        let faults = match (self.list, entry, schema) {
            (List::Prompts, Some(prompt), _) => schema::faults_of_prompt(prompt, arguments),
            (_, _, Some(schema)) => schema::faults(schema, arguments),
            _ => Vec::new(),
        };
        match faults.is_empty() {
            true => Ok(()),
            false => Err(faults.join("; ")),
        }
    }

    /// A hint about arguments that the schema of a tool does not name, which may be typing errors. `entry` is as for
    /// [`prepare`](Named::prepare).
    pub(crate) fn hint(&self, entry: Option<&[u8]>) -> Option<String> {
        let schema = object(entry?).get("inputSchema")?.as_object()?;
        schema::unnamed(schema, object(&self.arguments)).filter(|_| self.list == List::Tools)
    }

    fn write_arguments(&self, json: &mut Writer<'_, '_>) {
        for member in object(&self.arguments).members() {
            json.member(member);
        }
    }
}
