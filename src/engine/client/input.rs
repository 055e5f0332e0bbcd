//! Input requests of a server: input that it needs before it returns a result (MCP 2026-07-28, multi round-trip requests).

use super::fault::ResponseFault;
use super::repeated::repeats;
use crate::json::{JsonStr, Kind, Object, RawValue, Writer};
use crate::mcp::Method;

/// Input requests and state of an `input_required` result: at least one of the two.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{ClientEngine, Incoming, ClientOutcome, Plain, RequestOptions};
/// use barewire::mcp::{Implementation, Method};
/// use core::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (mut memory, now) = ([0; 512], Duration::ZERO);
/// let (mut engine, mut app) = (ClientEngine::new(), Plain(Implementation::new("probe", "1.0")));
/// let mut client = engine.bind(&mut app);
/// client.connect(now, &mut Sink::new(&mut memory))?;
/// let line = br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}"#;
/// let _ = client.handle_frame(line, now, &mut Sink::new(&mut memory));
///
/// client.call_tool(RequestOptions::at(now), "scan", &mut Sink::new(&mut memory), |_| {})?;
/// let line = br#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"where":{"method":"roots/list"}},"requestState":"s1"}}"#;
/// let incoming = client.handle_frame(line, now, &mut Sink::new(&mut memory));
/// let Incoming::Ended(ended) = incoming else { unreachable!() };
/// let ClientOutcome::InputRequired(input) = ended.outcome else { unreachable!() };
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
    pub(super) fn of(result: Object<'a>) -> Result<Self, ResponseFault> {
        let [requests, state] =
            result.get_each(["inputRequests", "requestState"]).map_err(|_| ResponseFault::InputRequired)?;
        let is_request = |request: RawValue<'a>| request.as_object().is_some_and(is_request);
        let is_well_formed = match requests {
            Some(requests) => requests
                .as_object()
                .is_some_and(|requests| requests.members().all(|member| is_request(member.value))),
            None => state.is_some(),
        };
        if !is_well_formed || state.is_some_and(|state| state.kind() != Kind::String) {
            return Err(ResponseFault::InputRequired);
        }
        Ok(Self {
            requests: requests.and_then(RawValue::as_object),
            state: state.and_then(RawValue::as_string),
        })
    }

    /// The input requests. None if the server only needs the request to be sent again.
    pub fn requests(&self) -> impl Iterator<Item = ClientInputRequest<'a>> {
        let members = self.requests.unwrap_or(Object::EMPTY).members();
        members.filter_map(|member| {
            let request = member.value.as_object()?;
            Some(ClientInputRequest {
                key: member.name,
                method: request.get("method")?.as_string()?,
                params: request.get("params").and_then(RawValue::as_object),
            })
        })
    }

    /// Whether the member `inputRequests` is present; then a retry has `inputResponses`.
    pub const fn has_requests(&self) -> bool {
        self.requests.is_some()
    }

    /// The server's state, which a retry sends back unchanged.
    pub const fn state(&self) -> Option<JsonStr<'a>> {
        self.state
    }

    /// Writes the member `requestState`, if there is a state: for a caller that writes the params of a retry itself.
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

/// One input request of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientInputRequest<'a> {
    /// Its name in `inputRequests`, and of its response in `inputResponses`.
    pub key: JsonStr<'a>,
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: JsonStr<'a>,
    /// Its params.
    pub params: Option<Object<'a>>,
}

impl ClientInputRequest<'_> {
    /// Its method, if MCP has a method of that name.
    pub fn known_method(&self) -> Option<Method> {
        Method::from_name(self.method)
    }
}
