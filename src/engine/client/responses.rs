//! Responses: from a result or an error to the outcome of a request.

use super::engine::ClientEngine;
use super::event::{ClientOutcome, Ended, EventOf, Incoming};
use super::fault::ResponseFault;
use super::input::InputRequired;
use super::parts::{ClientParts, is_modern};
use super::pending::Entry;
use super::repeated::repeats;
use super::storage::ClientStorage;
use crate::json::{Object, RawValue};
use crate::mcp::{Method, ProtocolVersion, Task, ToolResult};
use crate::rpc::Response;

impl<S: ClientStorage> ClientEngine<S> {
    /// Ends the request whose id has the type and the value of the response's.
    // Not inlined: 120 bytes less stack in the client of the footprint.
    #[inline(never)]
    pub(super) fn response<'f>(&mut self, response: Response<'f>) -> EventOf<'f, S> {
        let Some(entry) = response.id().and_then(|id| self.take_id(id)) else {
            return Incoming::Unmatched(response);
        };
        let outcome = match (response.outcome(), self.version()) {
            (Err(error), _) => ClientOutcome::ProtocolError(error),
            (Ok(result), Some(version)) => outcome::<S::Parts, _, _>(&entry, version, result),
            // Not reached: requests are only sent in a connection.
            (Ok(result), None) => ClientOutcome::Result(result),
        };
        Incoming::Ended(Ended::of(entry, outcome))
    }
}

fn outcome<'f, P: ClientParts, C, Id>(
    entry: &Entry<C, Id>,
    version: ProtocolVersion,
    result: Object<'f>,
) -> ClientOutcome<'f> {
    // The client does not read the results of unknown methods.
    if entry.method.is_some() && repeats(result) {
        return ClientOutcome::Invalid(ResponseFault::Repeated);
    }
    let is_modern = is_modern::<P>(version);
    let kind = match is_modern {
        true => result_type::<P, _, _>(entry, result),
        false => ResultType::Complete,
    };
    match kind {
        ResultType::Invalid => return ClientOutcome::Invalid(ResponseFault::ResultType),
        ResultType::InputRequired => {
            return InputRequired::of(result)
                .map_or_else(ClientOutcome::Invalid, ClientOutcome::InputRequired);
        }
        ResultType::Task => return ClientOutcome::Task(Task::of(result)),
        ResultType::Complete => {}
    }
    if P::TASKS
        && !is_modern
        && entry.may_be_task
        && let Some(task) = result.get("task").and_then(RawValue::as_object)
    {
        return ClientOutcome::Task(Task::of(task));
    }
    // The result of a task is that of the call.
    let is_of_tool = matches!(entry.method, Some(Method::ToolsCall | Method::TasksResult));
    let of_tool = ToolResult::of(result);
    match is_of_tool && of_tool.is_error() {
        true => ClientOutcome::ToolError(of_tool),
        false => ClientOutcome::Result(result),
    }
}

enum ResultType {
    Complete,
    InputRequired,
    Task,
    /// Unknown, or not allowed for the request.
    Invalid,
}

/// Reads `resultType`. If absent, the result is complete; an unknown one makes the response invalid (MCP 2026-07-28).
fn result_type<P: ClientParts, C, Id>(entry: &Entry<C, Id>, result: Object<'_>) -> ResultType {
    let Ok(kind) = result.get_once("resultType") else {
        return ResultType::Invalid;
    };
    let Some(kind) = kind else {
        return ResultType::Complete;
    };
    match (kind.as_string(), entry.method) {
        (Some(kind), _) if kind == "complete" => ResultType::Complete,
        (Some(kind), Some(Method::ToolsCall | Method::PromptsGet | Method::ResourcesRead))
            if P::ASKING && kind == "input_required" =>
        {
            ResultType::InputRequired
        }
        (Some(kind), _) if P::TASKS && entry.may_be_task && kind == "task" => ResultType::Task,
        // The examples of the tasks extension have `task` here too, its text has `complete`.
        (Some(kind), Some(Method::TasksGet)) if P::TASKS && kind == "task" => ResultType::Complete,
        _ => ResultType::Invalid,
    }
}
