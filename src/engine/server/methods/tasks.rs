//! Calls of tools that go on as tasks, and `tasks/get`, `tasks/result`, `tasks/cancel`, `tasks/list`, `tasks/update`
//! (MCP tasks of 2025-11-25; the extension of 2026-07-28).

use core::sync::atomic::AtomicBool;

use super::params::{answers, present, strings};
use crate::bytes::Sink;
use crate::engine::server::Outcome;
use crate::engine::server::answer::{self, Written, invalid_params};
use crate::engine::server::application::Application;
use crate::engine::server::channel::Scope;
use crate::engine::server::close::Extra;
use crate::engine::server::context::TaskOffer;
use crate::engine::server::engine::Engine;
use crate::engine::server::reply::{Answered, Asking, Draft, Line, Part, TaskQuestions, ToolReply, Way};
use crate::engine::server::settle::{Settled, not_kept, write_missing};
use crate::engine::server::state::State;
use crate::engine::server::storage::{CallSlot, CallState, SessionPhase, TaskSlot, TaskState};
use crate::engine::server::{
    Answers, AskError, CallError, Context, Decimal, Event, Handler, NotKept, Parts, TaskToken,
};
use crate::json::{JsonStr, Object, Writer};
use crate::mcp::{ClientCapabilities, Feature, Method, ProtocolVersion, TaskDigits, TaskSupport};
use crate::rpc::ErrorCode;

const UNKNOWN_TASK: &str = "Unknown task";

/// Capability of a client that accepts tasks of the extension.
pub(super) const EXTENSION: ClientCapabilities = ClientCapabilities::TASKS_EXTENSION;

impl<H: Handler + ?Sized, P: Parts> Engine<'_, H, P> {
    /// The task that a call of this tool may, or must, become.
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
        if !P::TASKS || is_plain || !self.offered(context.origin).has_task_calls(context.version) {
            return Ok(TaskOffer::NONE);
        }
        let refused =
            |message| Err(CallError::Refused { code: ErrorCode::METHOD_NOT_FOUND, message, data: None });
        if context.version.has(Feature::Extensions) {
            let is_taken = context.client.has(EXTENSION) && support != TaskSupport::Forbidden;
            let token = self.state.offer_task().filter(|_| is_taken);
            return match support {
                TaskSupport::Required if !is_taken => Err(CallError::MissingCapability(EXTENSION)),
                TaskSupport::Required if token.is_none() => Err(CallError::Busy),
                _ => Ok(TaskOffer { token, is_asked: false, ttl: self.state.core.options.tasks.max_ttl() }),
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
        let max_ttl = self.state.core.options.tasks.max_ttl();
        let progress_token = context.progress_token.map_or(0, |token| token.as_bytes().len());
        if progress_token > self.state.arena.free().saturating_sub(State::<P>::task_bytes()) {
            return Err(CallError::ProgressTokenTooLong);
        }
        let token = self.state.offer_task().ok_or(CallError::Busy)?;
        Ok(TaskOffer { token: Some(token), is_asked: true, ttl: ttl.map_or(max_ttl, |ttl| ttl.min(max_ttl)) })
    }

    /// Keeps a call as a task, and answers with the task.
    pub(in crate::engine::server) fn begin_task(
        &mut self,
        context: &Context<'_>,
        progress: Option<Decimal>,
        out: &mut Sink<'_>,
    ) -> Written {
        if self.state.tasks.is_full()
            && let Some(fetched) = self.state.tasks.iter().position(|task| task.is_fetched)
            && let Some(gone) = self.state.remove_task(fetched)
        {
            self.app.event(Event::TaskForgotten(gone));
        }
        self.state.insert_task(context, progress);
        let Some(task) = context.task.token.and_then(|token| self.state.task(token)) else {
            return not_kept(out, context, NotKept::Busy);
        };
        let token = task.token;
        let mark = out.mark();
        let mut json = Writer::new(out);
        if context.version.has(Feature::Extensions) {
            answer::begin_task(&mut json, &context.id);
            self.state.write_task(&mut json, task, context.version);
        } else {
            answer::begin(&mut json, &context.id, context.version);
            json.name("task").begin_object();
            self.state.write_task(&mut json, task, context.version);
            json.end_object();
        }
        self.app.close::<P>(&mut json, context.version, Extra::Nothing);
        if out.is_full() || self.app.has_failed() {
            out.rollback(mark);
            if let Some(place) = self.state.find_task(token) {
                self.state.remove_task(place);
            }
            self.app.event(Event::TaskForgotten(token));
            return answer::too_large(out, &context.id);
        }
        Written::Yes
    }

    /// Any of the methods of tasks.
    pub(super) fn task_method(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        if context.version.has(Feature::Extensions) && !context.client.has(EXTENSION) {
            return self.app.missing_capability::<P>(context, &EXTENSION, out);
        }
        if context.method == Method::TasksList {
            return self.list(context, out);
        }
        let Ok([Some(id)]) = strings(context.params, ["taskId"]) else {
            return invalid_params(out, &context.id);
        };
        let Some(task) = self.state.find_task_by_id(context.origin, id) else {
            return answer::error(out, &context.id, ErrorCode::INVALID_PARAMS, UNKNOWN_TASK);
        };
        let (token, state) = (task.token, task.state);
        match context.method {
            Method::TasksGet => self.get_task(context, token, out),
            Method::TasksCancel => self.cancel_task(context, token, state, out),
            Method::TasksUpdate => self.update_task(context, token, state, out),
            _ if state.is_final() => {
                let written = self.app.answer_task_result::<P>(&self.state, context, token, out);
                self.mark_fetched(token, written != Written::No);
                written
            }
            _ => match self.state.insert_call(context, CallState::AwaitsTask(token), None) {
                Ok(_) => Written::Yes,
                Err(reason) => not_kept(out, context, reason),
            },
        }
    }

    fn get_task(&mut self, context: &Context<'_>, token: TaskToken, out: &mut Sink<'_>) -> Written {
        let mark = out.mark();
        // The client must learn the task's status even if the output has no room for its result.
        for has_room in [true, false] {
            let mut json = Writer::new(out);
            answer::begin(&mut json, &context.id, context.version);
            let is_final = match has_room {
                true => self.write_task(&mut json, token, context.version),
                false => self.write_task_in_short(&mut json, token, context.version),
            };
            self.app.close::<P>(&mut json, context.version, Extra::Nothing);
            if !out.is_full() {
                self.mark_fetched(token, is_final && has_room);
                return Written::Yes;
            }
            out.rollback(mark);
        }
        answer::too_large(out, &context.id)
    }

    /// [`write_task`](Self::write_task) with an error in place of the result.
    fn write_task_in_short(
        &self,
        json: &mut Writer<'_, '_>,
        token: TaskToken,
        version: ProtocolVersion,
    ) -> bool {
        let Some(task) = self.state.task(token) else {
            return false;
        };
        self.state.write_task(json, task, version);
        if task.state.has_ended() && version.has(Feature::Extensions) {
            let error = CallError::Refused {
                code: ErrorCode::INTERNAL_ERROR,
                message: "Response too large",
                data: None,
            };
            write_error(json, &error, version);
        }
        task.state.is_final()
    }

    /// Lets the task make room, now that its result was sent.
    pub(in crate::engine::server) fn mark_fetched(&mut self, token: TaskToken, is_fetched: bool) {
        if let Some(task) = self.state.task_mut(token) {
            task.is_fetched |= is_fetched;
        }
    }

    /// Writes the members of a task, in the modern era with its questions, its result or its error. Whether it has ended.
    pub(in crate::engine::server) fn write_task(
        &mut self,
        json: &mut Writer<'_, '_>,
        token: TaskToken,
        version: ProtocolVersion,
    ) -> bool {
        let Some(task) = self.state.task(token).copied() else {
            return false;
        };
        self.state.write_task(json, &task, version);
        if !P::MODERN || !version.has(Feature::Extensions) {
            return false;
        }
        match task.state {
            TaskState::InputRequired => {
                // They could be asked when the task began to wait for input.
                let _ = self.write_task_questions(json, token);
            }
            state if state.has_ended() => self.write_task_outcome(json, token, version),
            _ => {}
        }
        task.state.is_final()
    }

    /// Writes the member `result`, or `error` when there is none.
    fn write_task_outcome(&mut self, json: &mut Writer<'_, '_>, token: TaskToken, version: ProtocolVersion) {
        let before = json.mark();
        json.name("result");
        let mut draft = Draft::new(json.sink(), version, None);
        let has_error = self.state.task(token).is_some_and(has_error);
        let line = Line::inside(json.value(), &mut draft);
        let mut outcome = self.app.task_result(token, has_error, line);
        if let Err(error) = &outcome
            && let Some(text) = error.tool_error()
        {
            json.sink().rollback(draft.start);
            draft = Draft::new(json.sink(), version, None);
            let line = Line::inside(Writer::new(json.sink()), &mut draft);
            outcome = Ok(ToolReply::new(line).fail(text));
        }
        if outcome.as_ref().is_ok_and(|outcome| draft.misuse_of(*outcome).is_some()) {
            outcome = Err(CallError::Internal);
        }
        match outcome {
            Ok(_) => {
                let mut result = Writer::resumed(json.sink(), draft.has_members);
                if draft.part == Part::Meta {
                    result.end_object();
                }
                result.end_object();
            }
            Err(error) => {
                json.rollback(before);
                write_error(json, &error, version);
            }
        }
    }

    /// Writes the questions of a task as a member of the object that is open; a client that cannot be asked gets none.
    pub(in crate::engine::server) fn write_task_questions(
        &mut self,
        json: &mut Writer<'_, '_>,
        token: TaskToken,
    ) -> Result<(), AskError> {
        let Some(task) = self.state.task(token) else {
            return Err(AskError::NotRunning);
        };
        let before = json.mark();
        let mut draft = Draft::new(json.sink(), task.version.get(), None);
        let mut asking = Asking::new(Way::Member, task.client, JsonStr::EMPTY, &mut []);
        let mut questions = TaskQuestions::new(json.members(), &mut draft, &mut asking);
        self.app.tell(true, |app| {
            if let Some(tasks) = app.tasks() {
                tasks.task_questions(token, &mut questions);
            }
        });
        let asked = questions.finish();
        if asked.is_err() {
            json.rollback(before);
        }
        asked
    }

    /// Compares the answers of a modern client with the questions of a task.
    fn compare_answers(&mut self, token: TaskToken, answers: Object<'_>) -> Answered {
        let Some(task) = self.state.task(token) else {
            return Answered::None;
        };
        let mut nowhere = Sink::counting();
        let mut draft = Draft::new(&nowhere, task.version.get(), None);
        let mut asking = Asking::new(Way::Answered(answers), task.client, JsonStr::EMPTY, &mut []);
        let json = Writer::new(&mut nowhere);
        let mut questions = TaskQuestions::new(json, &mut draft, &mut asking);
        self.app.tell(true, |app| {
            if let Some(tasks) = app.tasks() {
                tasks.task_questions(token, &mut questions);
            }
        });
        questions.answered()
    }

    /// Cancels a task. One that has ended stays as it is: that is an error in the legacy era only.
    fn cancel_task(
        &mut self,
        context: &Context<'_>,
        token: TaskToken,
        state: TaskState,
        out: &mut Sink<'_>,
    ) -> Written {
        let is_modern = context.version.has(Feature::Extensions);
        if state.is_final() && !is_modern {
            return answer::error(out, &context.id, ErrorCode::INVALID_PARAMS, "Task has ended");
        }
        if !state.is_final() {
            self.state.set_task(token, TaskState::Cancelled);
            self.state.task_changed(token);
            self.app.event(Event::TaskCancelled(token));
        }
        let written = match is_modern {
            true => self.empty(context, out),
            false => self.get_task(context, token, out),
        };
        if !state.is_final() {
            // There is no result to wait for: the task may make room.
            self.mark_fetched(token, written == Written::Yes);
        }
        written
    }

    /// Takes the answers to the questions of a task (2026-07-28, the extension `tasks`). A task that has no questions is left alone, and so
    /// is one of whose questions none is answered. It goes on waiting for the answers that are missing.
    fn update_task(
        &mut self,
        context: &Context<'_>,
        token: TaskToken,
        state: TaskState,
        out: &mut Sink<'_>,
    ) -> Written {
        let given = context.params.map(|params| params.get_once("inputResponses"));
        let Some(Ok(Some(given))) = given else {
            return invalid_params(out, &context.id);
        };
        let Some(answers) = answers(given) else {
            return invalid_params(out, &context.id);
        };
        let answered = match state {
            TaskState::InputRequired => self.compare_answers(token, answers),
            _ => Answered::None,
        };
        if answered == Answered::Malformed {
            return invalid_params(out, &context.id);
        }
        if answered == Answered::All {
            self.state.set_task(token, TaskState::Working);
        }
        if answered != Answered::None {
            self.app.tell(true, |app| {
                if let Some(tasks) = app.tasks() {
                    tasks.task_answered(token, Answers::all(answers, &AtomicBool::new(false)));
                }
            });
            // A task of the other era has asked by a request: it is answered once.
            self.state.withdraw_questions_of(token);
        }
        self.empty(context, out)
    }

    /// Sends the first question of a task to its legacy client.
    pub(in crate::engine::server) fn ask_for_task(
        &mut self,
        token: TaskToken,
        out: &mut Sink<'_>,
    ) -> Result<u16, AskError> {
        let Some(task) = self.state.task(token).copied() else {
            return Err(AskError::NotRunning);
        };
        let session = task.session.ok_or(AskError::NoSession)?;
        let phase = self.state.phase(Some(session));
        // A session of another revision is another client's: the task began before it.
        if !P::ASKING || phase != SessionPhase::Ready(task.version.get()) {
            return Err(AskError::NoSession);
        }
        if !P::CALLS || self.state.calls.is_full() {
            return Err(AskError::Busy);
        }
        let next = self.state.next_question();
        let client = self.state.session(Some(session)).map(|session| session.client);
        let mut digits = TaskDigits::default();
        let id = self.state.id_of_task(&task, &mut digits);
        let mark = out.mark();
        let (_, free) = self.state.arena.split();
        let client = client.unwrap_or(task.client);
        let mut asking = Asking::new(Way::Request(Ok(next)), client, JsonStr::EMPTY, free).for_task(id);
        let mut draft = Draft::new(out, task.version.get(), None);
        let mut questions = TaskQuestions::new(Writer::new(out), &mut draft, &mut asking);
        self.app.tell(true, |app| {
            if let Some(tasks) = app.tasks() {
                tasks.task_questions(token, &mut questions);
            }
        });
        let mut asked = questions.finish();
        if asked.is_ok() && out.is_full() {
            asked = Err(AskError::NoRoom);
        }
        let asked = asked.and_then(|()| {
            let kept = self.state.arena.keep(draft.kept).ok_or(AskError::TooLong)?;
            let call = CallSlot {
                session: Some(session),
                scope: Scope::Session(session),
                method: Method::TasksUpdate,
                version: task.version,
                ..CallSlot::FREE
            };
            let state = CallState::AskedByTask(token);
            let inserted = self.state.insert_question(call, state, kept);
            inserted.map(|_| session).map_err(AskError::from)
        });
        if asked.is_err() {
            out.rollback(mark);
        }
        asked
    }
}

/// Whether a task has ended with a protocol error.
fn has_error(task: &TaskSlot) -> bool {
    task.state == TaskState::Error
}

impl<H: Handler + ?Sized> Application<'_, H> {
    /// Lets the handler write the result of a task. A task that has ended with an error has none, whatever the handler returns: work that
    /// panicked could not report its failure to the handler.
    fn task_result(
        &mut self,
        token: TaskToken,
        has_error: bool,
        line: Line<'_, '_>,
    ) -> Result<Outcome, CallError<'static>> {
        self.call(|app| match app.tasks() {
            Some(tasks) => {
                let outcome = tasks.task_result(token, ToolReply::new(line).content())?;
                match has_error {
                    true => Err(CallError::Internal),
                    false => Ok(outcome),
                }
            }
            None => Err(CallError::Internal),
        })
    }

    /// Writes the answer to `tasks/result`: exactly the answer that the call would have got (2025-11-25).
    pub(in crate::engine::server) fn answer_task_result<P: Parts>(
        &mut self,
        state: &State<'_, P>,
        context: &Context<'_>,
        token: TaskToken,
        out: &mut Sink<'_>,
    ) -> Written {
        let Some(task) = state.task(token) else {
            return answer::error(out, &context.id, ErrorCode::INVALID_PARAMS, UNKNOWN_TASK);
        };
        if task.state == TaskState::Cancelled {
            return answer::error(out, &context.id, ErrorCode::INVALID_PARAMS, "Task cancelled");
        }
        let mut digits = TaskDigits::default();
        let extra = Extra::RelatedTask(state.id_of_task(task, &mut digits));
        let mut draft = Draft::new(out, context.version, None);
        let line = Line::new(out, context, &mut draft, None);
        let outcome = self.task_result(token, has_error(task), line);
        if let Err(CallError::Failed(text)) = outcome {
            out.rollback(draft.start);
            return self.tool_failure::<P>(context, &[text], extra, out);
        }
        match self.settle::<P>(context, outcome, &draft, extra, out) {
            Settled::Answered(written) => written,
            _ => Written::Yes,
        }
    }
}

/// The member `error` of a task.
fn write_error(json: &mut Writer<'_, '_>, error: &CallError<'_>, version: ProtocolVersion) {
    let (code, message, data) = error.in_version(version);
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
