//! Calls of tools that go on as tasks, and `tasks/get`, `tasks/result`, `tasks/cancel`, `tasks/list`, `tasks/update`
//! (MCP tasks of 2025-11-25; the extension of 2026-07-28).

use core::sync::atomic::AtomicBool;

use super::outcome::{not_kept, write_missing};
use super::params::{answers, present, strings};
use super::{apart, invalid_params, refuse};
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Tail, Written};
use crate::engine::server::kept::Kept;
use crate::engine::server::reply::{Answered, Reply};
use crate::engine::server::resume::Answers;
use crate::engine::server::tasks::{State, Task, TaskOffer};
use crate::engine::server::{
    CallError, Context, Disposition, Event, Handler, NotKept, Parts, Server, TaskEnd, TaskToken, ToolReply,
};
use crate::json::{Object, Writer};
use crate::mcp::{ClientCapabilities, Feature, Method, ProtocolVersion, TaskSupport, TaskView};
use crate::rpc::ErrorCode;

const UNKNOWN_TASK: &str = "Unknown task";

/// The client takes tasks of the extension.
pub(super) fn extension() -> ClientCapabilities {
    let mut needed = ClientCapabilities::NONE;
    needed.tasks_extension = true;
    needed
}

impl<
    H: Handler + ?Sized,
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const ID: usize,
    const TEXT: usize,
    const TASKS: usize,
> Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>
{
    /// What a call of this tool may become.
    pub(super) fn task_offer(
        &self,
        context: &Context<'_>,
        support: TaskSupport,
    ) -> Result<TaskOffer, CallError<'static>> {
        let asked = match context.params {
            Some(params) if P::TASKS && context.version.has(Feature::Tasks) => params.get_once("task"),
            _ => Ok(None),
        };
        // Most calls have nothing to do with tasks: for them the application need not be asked again.
        let asked = asked.map(present);
        let is_plain = support == TaskSupport::Forbidden && matches!(asked, Ok(None));
        if !P::TASKS || is_plain || !self.offered().tasks {
            return Ok(TaskOffer::NONE);
        }
        let refused = |message| {
            Err(CallError::Refused {
                code: ErrorCode::METHOD_NOT_FOUND,
                message,
                data: None,
            })
        };
        if context.version.has(Feature::Extensions) {
            let is_taken = context.client.has(&extension()) && support != TaskSupport::Forbidden;
            let token = self.tasks.offer().filter(|_| is_taken);
            return match support {
                TaskSupport::Required if !is_taken => Err(CallError::MissingCapability(extension())),
                TaskSupport::Required if token.is_none() => Err(CallError::Busy),
                _ => Ok(TaskOffer {
                    token,
                    is_asked: false,
                    ttl: self.options.tasks.max_ttl(),
                }),
            };
        }
        let Some(asked) = asked.map_err(|_| CallError::InvalidParams)? else {
            return match support {
                TaskSupport::Required => refused("Task required"),
                _ => Ok(TaskOffer::NONE),
            };
        };
        let ttl = asked_ttl(asked.as_object().ok_or(CallError::InvalidParams)?)?;
        if support == TaskSupport::Forbidden {
            return refused("Task not supported");
        }
        let max_ttl = self.options.tasks.max_ttl();
        let progress_token = context.progress_token.map_or(0, |token| token.as_bytes().len());
        if !Kept::<ID>::can_hold(progress_token) {
            return Err(CallError::ProgressTokenTooLong);
        }
        let token = self.tasks.offer().ok_or(CallError::Busy)?;
        Ok(TaskOffer {
            token: Some(token),
            is_asked: true,
            ttl: ttl.map_or(max_ttl, |ttl| ttl.min(max_ttl)),
        })
    }

    /// Keeps a call as a task, and answers so.
    #[inline(never)]
    pub(super) fn begin_task(
        &mut self,
        context: &Context<'_>,
        token: TaskToken,
        progress: Option<i64>,
        out: &mut Sink<'_>,
    ) -> Written {
        if !P::TASKS || context.task.token != Some(token) {
            return self.misuse(context, "a task without this call's token", out);
        }
        let gone = self.tasks.insert(context, progress, self.time_of_day);
        if !context.version.has(Feature::Extensions) {
            // In the modern era there is no progress after the response.
            self.tasks.keep_progress_token(context.progress_token);
        }
        if let Some(gone) = gone {
            self.handler.event(Event::TaskForgotten(gone));
        }
        let Some(task) = self.tasks.get(token) else {
            return not_kept(out, context, NotKept::Busy);
        };
        let options = self.options.tasks;
        let view = task.view(context.version, options.seed, options.poll_interval());
        let mark = out.mark();
        let mut json = Writer::new(out);
        if context.version.has(Feature::Extensions) {
            answer::begin_task(&mut json, &context.id);
            view.write_members(&mut json, context.version);
        } else {
            answer::begin(&mut json, &context.id, context.version);
            json.name("task").begin_object();
            view.write_members(&mut json, context.version);
            json.end_object();
        }
        Tail::<_, P>::new(&self.handler, context.version).write(&mut json);
        if out.is_full() || self.handler.has_failed() {
            out.rollback(mark);
            self.tasks.take(token);
            self.handler.event(Event::TaskForgotten(token));
            return answer::too_large(out, &context.id);
        }
        Written::Yes
    }

    /// Any of the methods that are about a task.
    #[inline(never)]
    pub(super) fn task_method(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        if context.version.has(Feature::Extensions) && !context.client.has(&extension()) {
            return self.missing_capability(context, &extension(), out);
        }
        if context.method == Method::TasksList {
            return self.list(context, out);
        }
        let Ok([Some(id)]) = strings(context.params, ["taskId"]) else {
            return invalid_params(out, context);
        };
        let Some(task) = self.tasks.find(self.options.tasks.seed, id) else {
            return refuse(out, context, ErrorCode::INVALID_PARAMS, UNKNOWN_TASK);
        };
        let (token, state) = (task.token, task.state);
        match context.method {
            Method::TasksGet => self.get_task(context, token, out),
            Method::TasksCancel => self.cancel_task(context, token, state, out),
            Method::TasksUpdate => self.update_task(context, token, state, out),
            _ if state.is_final() => {
                let written = self.write_task_result(context, token, out);
                self.mark_fetched(token, written != Written::No);
                written
            }
            _ => match self.calls.insert_waiting(context, token) {
                Ok(()) => Written::Yes,
                Err(reason) => not_kept(out, context, reason),
            },
        }
    }

    /// What is told of a task.
    pub(super) fn view(&self, task: &Task<ID>, version: ProtocolVersion) -> TaskView {
        let options = self.options.tasks;
        task.view(version, options.seed, options.poll_interval())
    }

    fn get_task(&mut self, context: &Context<'_>, token: TaskToken, out: &mut Sink<'_>) -> Written {
        let mark = out.mark();
        // A client must learn how the task stands, also when there is no room for what it has come to.
        for has_room in [true, false] {
            let mut json = Writer::new(out);
            answer::begin(&mut json, &context.id, context.version);
            let is_final = match has_room {
                true => self.write_task(&mut json, token, context.version),
                false => self.write_task_in_short(&mut json, token, context.version),
            };
            Tail::<_, P>::new(&self.handler, context.version).write(&mut json);
            if !out.is_full() {
                self.mark_fetched(token, is_final && has_room);
                return Written::Yes;
            }
            out.rollback(mark);
        }
        answer::too_large(out, &context.id)
    }

    /// The same with an error in the place of the result.
    fn write_task_in_short(
        &self,
        json: &mut Writer<'_, '_>,
        token: TaskToken,
        version: ProtocolVersion,
    ) -> bool {
        let Some(task) = self.tasks.get(token) else {
            return false;
        };
        let options = self.options.tasks;
        task.view(version, options.seed, options.poll_interval())
            .write_members(json, version);
        if matches!(task.state, State::Ended(_)) && version.has(Feature::Extensions) {
            let error = CallError::Refused {
                code: ErrorCode::INTERNAL_ERROR,
                message: "Response too large",
                data: None,
            };
            write_error(json, &error, version);
        }
        task.state.is_final()
    }

    pub(in crate::engine::server) fn mark_fetched(&mut self, token: TaskToken, is_fetched: bool) {
        if let Some(task) = self.tasks.get_mut(token) {
            task.is_fetched |= is_fetched;
        }
    }

    /// The members of a task, in the modern era with what it asks or has come to. Whether it has come to something.
    pub(in crate::engine::server) fn write_task(
        &mut self,
        json: &mut Writer<'_, '_>,
        token: TaskToken,
        version: ProtocolVersion,
    ) -> bool {
        let Some(task) = self.tasks.get(token) else {
            return false;
        };
        let (state, client) = (task.state, task.client);
        let options = self.options.tasks;
        let view = task.view(version, options.seed, options.poll_interval());
        view.write_members(json, version);
        if !P::MODERN || !version.has(Feature::Extensions) {
            return false;
        }
        match state {
            State::InputRequired => {
                // It could be asked when the task began to wait for it.
                let _ = self.write_task_questions(json, token, version, client);
            }
            State::Ended(_) => self.write_task_outcome(json, token, version),
            State::Working | State::Cancelled => {}
        }
        state.is_final()
    }

    /// Lets the handler write the result of a task. A task that has ended with an error has none, whatever the handler
    /// says: work that panicked could not report its failure to the handler.
    fn task_result(
        &mut self,
        token: TaskToken,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<(), CallError<'static>> {
        self.handler.task_result(token, reply)?;
        let task = self.tasks.get(token);
        match task.is_some_and(|task| task.state == State::Ended(TaskEnd::Error)) {
            true => Err(CallError::Internal),
            false => Ok(()),
        }
    }

    /// The member `result`, or `error` when there is none.
    fn write_task_outcome(&mut self, json: &mut Writer<'_, '_>, token: TaskToken, version: ProtocolVersion) {
        let before = json.mark();
        json.name("result");
        let mut reply = ToolReply::inside(json.value(), version);
        let outcome = self.task_result(token, &mut reply);
        if let Err(error) = reply.settle_inside(outcome) {
            json.rollback(before);
            write_error(json, &error, version);
        }
    }

    /// The answer to `tasks/result`: exactly what the call would have been answered with (2025-11-25).
    pub(in crate::engine::server) fn write_task_result(
        &mut self,
        context: &Context<'_>,
        token: TaskToken,
        out: &mut Sink<'_>,
    ) -> Written {
        let Some(task) = self.tasks.get(token) else {
            return refuse(out, context, ErrorCode::INVALID_PARAMS, UNKNOWN_TASK);
        };
        if task.state == State::Cancelled {
            return refuse(out, context, ErrorCode::INVALID_PARAMS, "Task cancelled");
        }
        let related = task.id(self.options.tasks.seed);
        let settled = apart::<P, _>(|| {
            let mut reply = ToolReply::new(out, context, None, None);
            let outcome = self.task_result(token, &mut reply);
            let outcome = outcome.map(|()| Disposition::Done);
            let tail = Tail::<_, P>::of_task(&self.handler, context.version, &related);
            reply.settle(outcome, &tail)
        });
        self.conclude(context, settled, &[], out)
    }

    /// What has ended stays as it is: an error in the legacy era, no matter in the modern one.
    #[inline(never)]
    fn cancel_task(
        &mut self,
        context: &Context<'_>,
        token: TaskToken,
        state: State,
        out: &mut Sink<'_>,
    ) -> Written {
        let is_modern = context.version.has(Feature::Extensions);
        if state.is_final() && !is_modern {
            return refuse(out, context, ErrorCode::INVALID_PARAMS, "Task has ended");
        }
        if !state.is_final() {
            self.tasks.set(token, State::Cancelled);
            self.handler.event(Event::TaskCancelled(token));
        }
        let written = match is_modern {
            true => self.empty(context, out),
            false => self.get_task(context, token, out),
        };
        if !state.is_final() {
            // There is no result to wait for: it may make room.
            self.mark_fetched(token, written == Written::Yes);
            self.drop_questions_of(token, out);
            // What has no room now: who waits for the result is answered by `tick`; the rest need not be told.
            let _ = self.tell_task(token, out);
            self.session.told = 0;
        }
        written
    }

    /// The answers to what a task asks (2026-07-28, the extension `tasks`). A task that does not ask is left alone, and so is
    /// one of whose questions none is answered. It goes on waiting for those that are left.
    #[inline(never)]
    fn update_task(
        &mut self,
        context: &Context<'_>,
        token: TaskToken,
        state: State,
        out: &mut Sink<'_>,
    ) -> Written {
        let given = context.params.map(|params| params.get_once("inputResponses"));
        let Some(Ok(Some(given))) = given else {
            return invalid_params(out, context);
        };
        let Some(answers) = answers(given) else {
            return invalid_params(out, context);
        };
        let client = self.tasks.get(token).map(|task| task.client);
        let answered = match client.filter(|_| state == State::InputRequired) {
            Some(client) => self.questions_answered(token, context.version, client, answers),
            None => Answered::None,
        };
        if answered == Answered::Malformed {
            return invalid_params(out, context);
        }
        if answered == Answered::All {
            self.tasks.set(token, State::Working);
        }
        if answered != Answered::None {
            self.handler
                .task_answered(token, Answers::all(answers, &AtomicBool::new(false)));
        }
        let written = self.empty(context, out);
        if answered != Answered::None {
            // A task of the other era has asked by a request: it is answered once.
            self.drop_questions_of(token, out);
        }
        written
    }
}

/// The member `error` of a task.
fn write_error(json: &mut Writer<'_, '_>, error: &CallError<'_>, version: ProtocolVersion) {
    let (code, message, data) = error.as_error(version);
    json.name("error").begin_object();
    json.name("code").integer(code.0);
    json.name("message").string(message);
    if let CallError::MissingCapability(missing) = error {
        write_missing(json.name("data"), missing);
    } else if let Some(data) = data {
        json.name("data").raw(data);
    }
    json.end_object();
}

/// The time to live that the client wants, in milliseconds; `null` is as long as the server allows.
fn asked_ttl(task: Object<'_>) -> Result<Option<u32>, CallError<'static>> {
    let Some(ttl) = present(task.get_once("ttl").map_err(|_| CallError::InvalidParams)?) else {
        return Ok(None);
    };
    let ttl = ttl.as_number().filter(|ttl| ttl.is_integer());
    let ttl = ttl.ok_or(CallError::InvalidParams)?;
    match ttl.to_i64() {
        Ok(ttl) if ttl >= 0 => Ok(Some(u32::try_from(ttl).unwrap_or(u32::MAX))),
        // Of more digits than 64 bits hold.
        Err(_) if !ttl.as_bytes().starts_with(b"-") => Ok(Some(u32::MAX)),
        _ => Err(CallError::InvalidParams),
    }
}
