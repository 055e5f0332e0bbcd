//! What the server is asked for.

use barewire::bytes::Sink;
use barewire::engine::client::{Ask, Client, Plain, RequestError, Ticket};
use barewire::json::{JsonStr, Object, RawValue, Writer};
use clap::ValueEnum;

use super::ids::Ids;

/// The client of this command: it asks one thing at a time.
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
    /// The member of the result.
    pub(crate) const fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }
}

/// What to ask for. Arguments are the text of an object.
pub(crate) enum Job {
    List(List),
    Tool { name: String, arguments: Vec<u8> },
    Read(String),
    Prompt { name: String, arguments: Vec<u8> },
}

impl Job {
    /// Sends the request: of a list, the page that starts at `cursor`.
    pub(crate) fn send(
        &self,
        client: &mut Caller,
        ask: Ask<'_>,
        cursor: Option<JsonStr<'_>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        match self {
            Self::List(List::Tools) => client.list_tools(ask, cursor, out),
            Self::List(List::Resources) => client.list_resources(ask, cursor, out),
            Self::List(List::Templates) => client.list_resource_templates(ask, cursor, out),
            Self::List(List::Prompts) => client.list_prompts(ask, cursor, out),
            Self::Tool { name, arguments } => client.call_tool(ask, name.as_str(), out, |json| {
                members(arguments, json);
            }),
            Self::Read(uri) => client.read_resource(ask, uri.as_str(), out),
            Self::Prompt { name, arguments } => client.get_prompt(ask, name.as_str(), out, |json| {
                members(arguments, json);
            }),
        }
    }
}

fn members(object: &[u8], json: &mut Writer<'_, '_>) {
    let object = RawValue::new(object).ok().and_then(RawValue::as_object);
    for member in object.unwrap_or(Object::EMPTY).members() {
        json.member(member);
    }
}

/// The arguments as the text of an object: the one that was given, or made of `name=value`. A value that is JSON stands
/// for itself where `as_json` says so, any other is a string.
pub(crate) fn arguments(whole: Option<&str>, single: &[String], as_json: bool) -> Result<Vec<u8>, String> {
    if let Some(whole) = whole {
        let value = RawValue::new(whole.as_bytes()).map_err(|error| format!("--args: {error}"))?;
        let object = value.as_object().ok_or("--args is no JSON object")?;
        return Ok(object.as_bytes().to_vec());
    }
    let mut memory = Vec::new();
    let mut sink = Sink::growable(&mut memory, usize::MAX);
    let mut json = Writer::new(&mut sink);
    json.begin_object();
    for argument in single {
        let Some((name, value)) = argument.split_once('=') else {
            return Err(format!("--arg {argument} has no ="));
        };
        json.name(name);
        match RawValue::new(value.as_bytes()) {
            Ok(value) if as_json => json.raw(value),
            _ => json.string(value),
        };
    }
    json.end_object();
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use super::arguments;

    fn made(single: &[&str], as_json: bool) -> String {
        let single: Vec<String> = single.iter().map(|argument| (*argument).to_owned()).collect();
        String::from_utf8(arguments(None, &single, as_json).unwrap()).unwrap()
    }

    #[test]
    fn arguments_are_json_or_strings() {
        let given = ["a=1", "b=x y", "c=\"1\"", "d=", "e=[1, 2]", "f=a=b"];
        assert_eq!(
            made(&given, true),
            r#"{"a":1,"b":"x y","c":"1","d":"","e":[1,2],"f":"a=b"}"#
        );
        assert_eq!(
            made(&given, false),
            r#"{"a":"1","b":"x y","c":"\"1\"","d":"","e":"[1, 2]","f":"a=b"}"#
        );
        assert_eq!(made(&[], true), "{}");
        assert!(arguments(None, &["a".to_owned()], true).is_err());
        assert_eq!(
            arguments(Some(r#" {"a": 1} "#), &[], true).unwrap(),
            br#"{"a": 1}"#
        );
        assert!(arguments(Some("[1]"), &[], true).is_err());
        assert!(arguments(Some("{"), &[], true).is_err());
    }
}
