//! Two channels of one server whose peers use equal ids: each gets its own lines and nothing of the other's.

mod ends;
mod scripts;
mod stage;
mod turns;

use crate::engine_kit::{initialize_with, modern, modern_of, request};
use stage::Step;

pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

pub(crate) fn frame(text: &str) -> Step {
    Step::Frame(text.to_owned())
}

pub(crate) fn legacy(id: &str, tool: &str, members: &str) -> Step {
    Step::Frame(request(id, "tools/call", &format!(r#"{{"name":"{tool}"{members}}}"#)))
}

pub(crate) fn modern_call(id: &str, tool: &str) -> Step {
    let capabilities = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{}}"#;
    Step::Frame(modern_of(id, "tools/call", &format!(r#""name":"{tool}""#), capabilities))
}

pub(crate) fn handshake(version: &str) -> [Step; 2] {
    let initialize = initialize_with(version, r#"{"elicitation":{},"roots":{}}"#);
    [Step::Frame(initialize), frame(INITIALIZED)]
}

pub(crate) fn listen(id: &str) -> Step {
    let filter = r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["r:1"]}"#;
    Step::Frame(modern(id, "subscriptions/listen", filter))
}

pub(crate) fn subscribe(uri: &str) -> Step {
    let params = format!(r#"{{"uri":"{uri}"}}"#);
    Step::Frame(request("9", "resources/subscribe", &params))
}
