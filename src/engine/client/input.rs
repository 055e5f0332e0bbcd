//! What a server wants to know before it gives a result (MCP 2026-07-28, multi round-trip requests).

use super::Fault;
use super::repeated::repeats;
use crate::json::{JsonStr, Kind, Object, RawValue, Writer};
use crate::mcp::Method;

/// What a server wants to know, and its state; at least one of them.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{Ask, Client, Incoming, Outcome, Plain};
/// use barewire::mcp::{Implementation, Method};
/// use core::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (mut memory, now) = ([0; 512], Duration::ZERO);
/// let mut client: Client<Plain> = Client::new(Plain(Implementation::new("probe", "1.0")));
/// client.connect(now, &mut Sink::new(&mut memory))?;
/// let line = br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}"#;
/// let _ = client.handle_frame(line, now, &mut Sink::new(&mut memory));
///
/// client.call_tool(Ask::at(now), "scan", &mut Sink::new(&mut memory), |_| {})?;
/// let line = br#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"where":{"method":"roots/list"}},"requestState":"s1"}}"#;
/// let incoming = client.handle_frame(line, now, &mut Sink::new(&mut memory));
/// let Incoming::Ended(ended) = incoming else { unreachable!() };
/// let Outcome::InputRequired(input) = ended.outcome else { unreachable!() };
/// for request in input.requests() {
///     assert_eq!(request.key, "where");
///     assert_eq!(request.known_method(), Some(Method::RootsList));
/// }
/// assert_eq!(input.requests().count(), 1);
/// assert!(input.state().is_some_and(|state| state == "s1"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputRequired<'a> {
    requests: Option<Object<'a>>,
    state: Option<JsonStr<'a>>,
}

impl<'a> InputRequired<'a> {
    pub(super) fn of(result: Object<'a>) -> Result<Self, Fault> {
        let [requests, state] = result
            .get_each(["inputRequests", "requestState"])
            .map_err(|_| Fault::InputRequired)?;
        let is_request = |request: RawValue<'a>| request.as_object().is_some_and(is_request);
        let is_well_formed = match requests {
            Some(requests) => requests
                .as_object()
                .is_some_and(|requests| requests.members().all(|member| is_request(member.value))),
            None => state.is_some(),
        };
        if !is_well_formed || state.is_some_and(|state| state.kind() != Kind::String) {
            return Err(Fault::InputRequired);
        }
        Ok(Self {
            requests: requests.and_then(RawValue::as_object),
            state: state.and_then(RawValue::as_string),
        })
    }

    /// What the server asks. Nothing where it only wants to be asked again.
    pub fn requests(&self) -> impl Iterator<Item = InputRequest<'a>> {
        let members = self.requests.unwrap_or(Object::EMPTY).members();
        members.filter_map(|member| {
            let request = member.value.as_object()?;
            Some(InputRequest {
                key: member.name,
                method: request.get("method")?.as_string()?,
                params: request.get("params").and_then(RawValue::as_object),
            })
        })
    }

    /// Whether the server asks anything: then a retry has `inputResponses`.
    pub const fn has_requests(&self) -> bool {
        self.requests.is_some()
    }

    /// What the server wants to have back as it is.
    pub const fn state(&self) -> Option<JsonStr<'a>> {
        self.state
    }

    /// The member `requestState`, if there is a state: for params that the caller writes alone.
    pub fn write_state(&self, json: &mut Writer<'_, '_>) {
        if let Some(state) = self.state {
            json.name("requestState").json_string(state);
        }
    }
}

fn is_request(request: Object<'_>) -> bool {
    match request.get_each(["method", "params"]) {
        Ok([Some(method), params]) => {
            method.kind() == Kind::String
                && params.is_none_or(|params| params.as_object().is_some_and(|params| !repeats(params)))
        }
        _ => false,
    }
}

/// One thing that the server wants to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputRequest<'a> {
    /// Its name in the answer.
    pub key: JsonStr<'a>,
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: JsonStr<'a>,
    /// Its params.
    pub params: Option<Object<'a>>,
}

impl InputRequest<'_> {
    /// Its method, where that is one of MCP.
    pub fn known_method(&self) -> Option<Method> {
        Method::from_name(self.method)
    }
}
