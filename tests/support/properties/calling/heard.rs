//! What a server sends to a client that waits, and what the client makes of it.

use barewire::engine::List;
use barewire::engine::client::{ClientOutcome, Incoming, ResponseFault, Ticket};
use barewire::mcp::ProtocolVersion;
use barewire::rpc::Reason;
use serde_json::{Value, json};

use super::requests::Call;
use super::value;

/// What the request was, as far as its response depends on it.
#[derive(Debug)]
pub(super) struct Sent<'c> {
    pub(super) call: &'c Call,
    pub(super) version: ProtocolVersion,
    /// The server may make a task of it.
    pub(super) may_be_task: bool,
}

/// The members of a response.
pub(super) const RESPONSES: [&str; 14] = [
    r#""result":{}"#,
    r#""result":{"resultType":"input_required","requestState":"s\u0031\n","inputRequests":{"\u006b":{"method":"roots/list"}}}"#,
    r#""result":{"content":[],"isError":true,"resultType":"complete"}"#,
    r#""error":{"code":-32602,"message":"n\u006f"}"#,
    r#""result":{"resultType":"input_required"}"#,
    r#""result":{"resultType":"task","taskId":"t","status":"working"}"#,
    r#""result":{"task":{"taskId":"t"}}"#,
    r#""result":{"resultType":"other"}"#,
    r#""result":[]"#,
    r#""result":{"resultType":"complete","resultType":"complete"}"#,
    r#""result":{"resultType":"input_required","inputRequests":{"a":{"method":7}}}"#,
    r#""result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m","messages":[],"maxTokens":5}},"b":{"method":"sampling/createMessage","params":{"message":"m","messages":[],"maxTokens":5}}}}"#,
    r#""result":{"resultType":"input_required","requestState":"","inputRequests":{"a":{"method":"tools/list","params":{}}}}"#,
    r#""result":{"resultType":"input_required","requestState":7}"#,
];

/// How the request ends with that response.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Result,
    ToolError,
    Refused,
    InputRequired,
    Task,
    Invalid(ResponseFault),
}

pub(super) fn expected_end(response: usize, sent: &Sent<'_>) -> End {
    let is_modern = sent.version == ProtocolVersion::V2026_07_28;
    let may_ask = ["tools/call", "prompts/get", "resources/read"].contains(&sent.call.method);
    match response {
        2 if ["tools/call", "tasks/result"].contains(&sent.call.method) => End::ToolError,
        3 => End::Refused,
        1 | 11 | 12 if is_modern && may_ask => End::InputRequired,
        4 | 10 | 13 if is_modern && may_ask => End::Invalid(ResponseFault::InputRequired),
        // Results of methods that the client does not know are not compared.
        9 if sent.call.method != "x/y" => End::Invalid(ResponseFault::Repeated),
        1 | 4 | 7 | 9..=13 if is_modern => End::Invalid(ResponseFault::ResultType),
        5 if is_modern && sent.may_be_task => End::Task,
        5 if is_modern && sent.call.method != "tasks/get" => End::Invalid(ResponseFault::ResultType),
        6 if !is_modern && sent.may_be_task => End::Task,
        8 => End::Invalid(ResponseFault::Envelope(Reason::ResultNotAnObject)),
        _ => End::Result,
    }
}

/// The same, as it was found; each part of it is what stands in the response.
pub(super) fn end_of(outcome: &ClientOutcome<'_>, body: &Value) -> End {
    match outcome {
        ClientOutcome::Result(result) => {
            assert_eq!(value(result.as_value().as_json()), body["result"]);
            End::Result
        }
        ClientOutcome::ToolError(result) => {
            assert!(result.is_error());
            End::ToolError
        }
        ClientOutcome::ProtocolError(error) => {
            assert_eq!(value(error.object().as_value().as_json()), body["error"]);
            End::Refused
        }
        ClientOutcome::InputRequired(input) => {
            let found: Vec<Value> = input
                .requests()
                .map(|request| {
                    let known = request.known_method().map(|method| method.name());
                    assert_eq!(known, Some(&*request.method.to_string()));
                    let params = request.params.map(|params| value(params.as_value().as_json()));
                    json!([request.key.to_string(), request.method.to_string(), params])
                })
                .collect();
            let requests = body["result"].get("inputRequests").and_then(Value::as_object);
            assert_eq!(input.has_requests(), requests.is_some());
            let expected: Vec<Value> = requests
                .into_iter()
                .flatten()
                .map(|(key, request)| json!([key, request["method"], request.get("params")]))
                .collect();
            assert_eq!(found, expected);
            let state = input.state().map(|state| state.to_string());
            assert_eq!(state.as_deref(), body["result"]["requestState"].as_str());
            End::InputRequired
        }
        ClientOutcome::Task(task) => {
            assert!(task.id().is_some_and(|id| id == "t"));
            End::Task
        }
        ClientOutcome::Invalid(fault) => {
            let expected = match fault {
                ResponseFault::Envelope(Reason::TooLong) => "not a valid response: too-long",
                ResponseFault::Envelope(_) => "not a valid response: result-not-an-object",
                ResponseFault::ResultType => "the request cannot have a result of this `resultType`",
                ResponseFault::InputRequired => "input is required but not described",
                ResponseFault::Repeated => "a member occurs twice, or an object has more than 64 members",
                other => panic!("{other:?}"),
            };
            assert_eq!(fault.to_string(), expected);
            End::Invalid(*fault)
        }
        other => panic!("{other:?}"),
    }
}

/// A notification: its method, and its params but for the metadata.
pub(super) const NOTIFICATIONS: [(&str, &str); 10] = [
    ("notifications/tools/list_changed", ""),
    ("notifications/resources/list_changed", ""),
    ("notifications/prompts/list_changed", ""),
    ("notifications/resources/updated", r#""uri":"r:\u0031","#),
    ("notifications/message", r#""level":"error","logger":"l","data":[1],"#),
    ("notifications/message", r#""level":"loud","data":1,"#),
    ("notifications/message", r#""level":"debug","data":null,"#),
    ("notifications/x", ""),
    ("notifications/subscriptions/acknowledged", r#""notifications":7,"#),
    ("notifications/resources/updated", ""),
];

/// What the client makes of it. `subscription` is the one that the metadata name, if it is open; in the modern era such a
/// notification belongs to one.
pub(super) fn is_heard(
    at: usize,
    incoming: &Incoming<'_, u64>,
    is_modern: bool,
    subscription: Option<Ticket>,
) {
    let is_for_us = !is_modern || subscription.is_some();
    let expected = subscription.filter(|_| is_modern);
    match (at, incoming) {
        (0..=2, Incoming::ListChanged { list, subscription }) if is_for_us => {
            let lists = [List::Tools, List::Resources, List::Prompts];
            assert_eq!((*list, *subscription), (lists[at], expected));
        }
        (3, Incoming::ResourceUpdated { uri, subscription }) if is_for_us => {
            assert_eq!((uri.to_string().as_str(), *subscription), ("r:1", expected));
        }
        (4, Incoming::Log(log)) => {
            assert!(log.level.as_str() == "error" && log.logger.is_some_and(|logger| logger == "l"));
            assert_eq!(log.data.as_json(), "[1]");
        }
        (6, Incoming::Log(log)) => {
            assert!(log.level.as_str() == "debug" && log.logger.is_none() && log.data.is_null());
        }
        (0..=3, Incoming::Notification(_)) => assert!(!is_for_us),
        (5 | 7..=9, Incoming::Notification(notification)) => {
            assert!(notification.method() == NOTIFICATIONS[at].0);
        }
        (_, other) => panic!("{:?}: {other:?}", NOTIFICATIONS[at]),
    }
}
