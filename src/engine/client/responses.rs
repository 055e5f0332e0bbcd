//! What a response is to its request.

use super::parts::is_modern;
use super::pending::Entry;
use super::repeated::repeats;
use super::{Client, ClientHandler, ClientParts, Ended, Fault, IdSource, Incoming, InputRequired, Outcome};
use crate::json::{Object, RawValue};
use crate::mcp::{Method, ProtocolVersion, Task, ToolResult};
use crate::rpc::Response;

impl<H: ClientHandler + ?Sized, C, const CALLS: usize, I: IdSource, P: ClientParts>
    Client<H, C, CALLS, I, P>
{
    /// Matches a response by the type and the value of its id. One that nobody waits for is ignored.
    #[inline(never)]
    pub(super) fn response<'a>(&mut self, response: Response<'a>) -> Incoming<'a, C> {
        let Some(entry) = response.id().and_then(|id| self.pending.take_id(id)) else {
            return Incoming::Unmatched(response);
        };
        let outcome = match (response.outcome(), self.version()) {
            (Err(error), _) => Outcome::ProtocolError(error),
            (Ok(result), Some(version)) => outcome::<P, _, _>(&entry, version, result),
            // Requests are sent in a connection only.
            (Ok(result), None) => Outcome::Result(result),
        };
        Incoming::Ended(Ended {
            ticket: entry.ticket,
            method: entry.method,
            context: entry.context,
            outcome,
        })
    }
}

fn outcome<'a, P: ClientParts, C, Id>(
    entry: &Entry<C, Id>,
    version: ProtocolVersion,
    result: Object<'a>,
) -> Outcome<'a> {
    // The client does not read the results of unknown methods.
    if entry.method.is_some() && repeats(result) {
        return Outcome::Invalid(Fault::Repeated);
    }
    let is_modern = is_modern::<P>(version);
    let kind = match is_modern {
        true => result_type::<P, _, _>(entry, result),
        false => ResultType::Complete,
    };
    match kind {
        ResultType::Unknown => return Outcome::Invalid(Fault::ResultType),
        ResultType::InputRequired => {
            return InputRequired::of(result).map_or_else(Outcome::Invalid, Outcome::InputRequired);
        }
        ResultType::Task => return Outcome::Task(Task::of(result)),
        ResultType::Complete => {}
    }
    if P::TASKS
        && !is_modern
        && entry.may_be_task
        && let Some(task) = result.get("task").and_then(RawValue::as_object)
    {
        return Outcome::Task(Task::of(task));
    }
    // The result of a task is that of the call.
    let is_of_tool = matches!(entry.method, Some(Method::ToolsCall | Method::TasksResult));
    let of_tool = ToolResult::of(result);
    match is_of_tool && of_tool.is_error() {
        true => Outcome::ToolError(of_tool),
        false => Outcome::Result(result),
    }
}

enum ResultType {
    Complete,
    InputRequired,
    Task,
    /// Or one that the request cannot have.
    Unknown,
}

/// Absent, it is complete; one that is not known makes the response invalid (MCP 2026-07-28, `resultType`).
fn result_type<P: ClientParts, C, Id>(entry: &Entry<C, Id>, result: Object<'_>) -> ResultType {
    let Ok(kind) = result.get_once("resultType") else {
        return ResultType::Unknown;
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
        // The examples of the extension have it here too, its text has `complete`.
        (Some(kind), Some(Method::TasksGet)) if P::TASKS && kind == "task" => ResultType::Complete,
        _ => ResultType::Unknown,
    }
}
