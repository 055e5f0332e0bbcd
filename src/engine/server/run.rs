//! Calls of the handler: for a request that came, again with the client's answers, and late.

use core::sync::atomic::AtomicBool;

use super::answer::{self, Written};
use super::application::Application;
use super::close::Extra;
use super::engine::{Engine, context_of};
use super::methods::params::{Malformed, retry};
use super::outcome::{Made, Outcome};
use super::reply::{
    Asking, CompletionReply, Draft, Line, PromptReply, ResourceReply, ResumedReply, ToolReply, Way, read_kept,
};
#[cfg(feature = "seal")]
use super::seal::Purpose;
use super::settle::{Settled, not_kept};
use super::state::State;
use super::storage::{CallState, TaskState};
use super::{
    Answer, Answers, CallError, Completion, Context, Decimal, Event, Handler, Parts, PromptGet, ResourceRead,
    Resumed, ToolCall,
};
use crate::bytes::Sink;
use crate::json::JsonStr;
use crate::mcp::{Method, Text};
#[cfg(feature = "seal")]
use crate::rpc::ErrorCode;
use crate::rpc::Response;

/// A call of the handler.
#[derive(Clone, Copy)]
pub(super) enum Turn<'a> {
    Tool(ToolCall<'a>),
    Read(ResourceRead<'a>),
    Prompt(PromptGet<'a>),
    Complete(Completion<'a>),
    /// With the client's answers to what the call before has asked.
    Again(Resumed<'a>),
}

impl<'a> Turn<'a> {
    /// Name of the tool or the prompt, or URI of the resource.
    const fn subject(&self) -> JsonStr<'a> {
        match self {
            Self::Tool(call) => call.name,
            Self::Read(read) => read.uri,
            Self::Prompt(get) => get.name,
            Self::Complete(_) => JsonStr::EMPTY,
            Self::Again(resumed) => resumed.subject,
        }
    }
}

/// Members at the end of a result, by the method of its request.
const fn extra_of(method: Method) -> Extra<'static> {
    match method {
        Method::ResourcesRead => Extra::CacheHints,
        _ => Extra::Nothing,
    }
}

impl<H: Handler + ?Sized> Application<'_, H> {
    /// Calls the method of the handler.
    fn run<'a, P: Parts>(
        &mut self,
        turn: &Turn<'a>,
        method: Method,
        line: Line<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match *turn {
            Turn::Tool(call) => self.call(|app| app.call_tool(call, ToolReply::new(line))),
            Turn::Read(read) if P::RESOURCES => {
                self.call(|app| app.read_resource(read, ResourceReply::new(line)))
            }
            Turn::Prompt(get) if P::PROMPTS => self.call(|app| app.get_prompt(get, PromptReply::new(line))),
            Turn::Complete(completion) if P::COMPLETIONS => {
                self.call(|app| app.complete(completion, CompletionReply::new(line)))
            }
            Turn::Again(resumed) if P::ASKING => {
                let reply = match method {
                    Method::ResourcesRead if P::RESOURCES => ResumedReply::Resource(ResourceReply::new(line)),
                    Method::PromptsGet if P::PROMPTS => ResumedReply::Prompt(PromptReply::new(line)),
                    _ => ResumedReply::Tool(ToolReply::new(line)),
                };
                resumed.judged(self.call(|app| app.resume(resumed, reply)))
            }
            _ => Err(CallError::Internal),
        }
    }
}

impl<H: Handler + ?Sized, P: Parts> Engine<'_, H, P> {
    /// Calls the handler for a request: again, if a modern client sends answers with it.
    pub(super) fn call(&mut self, context: &Context<'_>, first: &Turn<'_>, out: &mut Sink<'_>) -> Written {
        let is_malformed = AtomicBool::new(false);
        let again;
        let mut turn = first;
        if self.app.has_failed() {
            // Nothing may be kept: the caller answers with an error.
            return Written::Yes;
        }
        if let Some(params) = context.params.filter(|_| P::ASKING && P::MODERN && context.is_modern())
            && !matches!(first, Turn::Complete(_))
        {
            match retry(params) {
                Ok(None) => {}
                Ok(Some(retry)) => {
                    let state = retry.state;
                    #[cfg(feature = "seal")]
                    let Some(state) = self.open_state(context, first.subject(), state) else {
                        let text = "Invalid request state";
                        return answer::error(out, &context.id, ErrorCode::INVALID_PARAMS, text);
                    };
                    again = Turn::Again(Resumed {
                        context,
                        subject: first.subject(),
                        state,
                        answers: Answers::all(retry.answers, &is_malformed),
                    });
                    turn = &again;
                }
                Err(Malformed) => return answer::invalid_params(out, &context.id),
            }
        }
        self.run_request(context, turn, out)
    }

    /// The state that a modern client has sent back; `None` if its seal is wrong.
    #[cfg(feature = "seal")]
    fn open_state<'s>(
        &self,
        context: &Context<'_>,
        subject: JsonStr<'_>,
        state: JsonStr<'s>,
    ) -> Option<JsonStr<'s>> {
        let core = &self.state.core;
        match &core.seal {
            Some(seal) => seal.opened(&Purpose::of(context, subject), core.time_of_day, state),
            None => Some(state),
        }
    }

    fn run_request(&mut self, context: &Context<'_>, turn: &Turn<'_>, out: &mut Sink<'_>) -> Written {
        let subject = turn.subject();
        let next_question = self.state.next_question();
        let mut draft = Draft::new(out, context.version, None);
        let (_, free) = self.state.arena.split();
        // The ids are kept after the question.
        let room = free.len().saturating_sub(State::<P>::ids_len(context));
        let free = free.get_mut(..room).unwrap_or_default();
        let way = match P::MODERN && context.is_modern() {
            true => Way::Result,
            false => Way::Request(context.deferral.map(|_| next_question)),
        };
        let mut asking = Asking::new(way, context.client, subject, free);
        #[cfg(feature = "seal")]
        {
            asking.seal = self.state.core.seal();
        }
        let asking = Some(&mut asking).filter(|_| P::ASKING && !matches!(turn, Turn::Complete(_)));
        let line = Line::new(out, context, &mut draft, asking);
        let mut outcome = self.app.run::<P>(turn, context.method, line);
        if P::TASKS && context.task.is_asked && matches!(turn, Turn::Tool(_)) {
            only_a_task(&mut outcome);
        }
        let is_done = draft.is_answer();
        let extra = extra_of(context.method);
        let settled = self.app.settle::<P>(context, outcome, &draft, extra, out);
        let written = match settled {
            Settled::Answered(written) => written,
            Settled::Asked(length) if P::ASKING && P::LEGACY => {
                self.keep_question(context, draft.progress, length, out)
            }
            Settled::Asked(_) => Written::Yes,
            Settled::Deferred(_) => {
                match self.state.insert_call(context, CallState::Deferred, draft.progress) {
                    Ok(_) => Written::Yes,
                    Err(reason) => not_kept(out, context, reason),
                }
            }
            Settled::Task(_) if P::TASKS => self.begin_task(context, draft.progress, out),
            Settled::Task(_) => Written::Yes,
        };
        if !is_done {
            self.state.spend(context.deferral);
            if P::TASKS {
                self.state.spend_task(context.task.token);
            }
        }
        written
    }

    /// Keeps a call whose question to a legacy client is written.
    fn keep_question(
        &mut self,
        context: &Context<'_>,
        progress: Option<Decimal>,
        length: usize,
        out: &mut Sink<'_>,
    ) -> Written {
        let kept = self.state.arena.keep(length);
        let kept = kept.unwrap_or(super::storage::Span::EMPTY);
        match self.state.insert_call(context, CallState::Asked, progress) {
            Ok(_) => {
                let place = self.state.calls.len().saturating_sub(1);
                self.state.await_answer(place, CallState::Asked, kept);
                Written::Yes
            }
            Err(reason) => {
                self.state.forget(kept);
                not_kept(out, context, reason)
            }
        }
    }

    /// Passes the client's answer to the source of the question: a call, a task or the application.
    pub(super) fn answered(&mut self, place: usize, response: Option<&Response<'_>>, out: &mut Sink<'_>) {
        let answer = response.map_or(Answer::Malformed, |response| Answer::of(response.outcome()));
        self.resume(place, answer, out);
    }

    /// Continues after an answer of the client, or after the lack of one.
    pub(super) fn resume(&mut self, place: usize, answer: Answer<'_>, out: &mut Sink<'_>) {
        let Some(call) = self.state.calls.get(place) else {
            return;
        };
        let token = call.token;
        match call.state {
            CallState::AskedByTask(task) if P::TASKS => {
                let [key, ..] = read_kept(self.state.arena.texts().get(call.kept));
                let answers = Answers::one(key, answer);
                self.app.tell(true, |app| {
                    if let Some(tasks) = app.tasks() {
                        tasks.task_answered(task, answers);
                    }
                });
                self.state.remove_call(place);
                self.state.set_task(task, TaskState::Working);
            }
            CallState::Asked => self.resume_call(place, answer, out),
            _ => {
                self.state.remove_call(place);
                self.app.event(Event::Answered(token, answer));
            }
        }
    }

    fn resume_call(&mut self, place: usize, answer: Answer<'_>, out: &mut Sink<'_>) {
        let Some(call) = self.state.calls.get(place) else {
            return;
        };
        let log_level = self.state.log_level_of(call);
        let client = self.state.session(call.session).map(|session| session.client);
        let next_question = self.state.next_question();
        let token = super::CallToken(self.state.core.next_call);
        let (texts, free) = self.state.arena.split();
        let mut context = context_of(texts, call, log_level);
        context.deferral = Ok(token);
        context.client = client.unwrap_or(context.client);
        let [key, subject, state] = read_kept(texts.get(call.kept));
        context.uri = Text::Json(subject);
        let resumed = Resumed { context: &context, subject, state, answers: Answers::one(key, answer) };
        let mut draft = Draft::new(out, context.version, call.progress());
        let mut asking = Asking::new(Way::Request(Ok(next_question)), context.client, subject, free);
        let line = Line::new(out, &context, &mut draft, Some(&mut asking));
        let outcome = self.app.run::<P>(&Turn::Again(resumed), context.method, line);
        let is_done = draft.is_answer();
        let extra = extra_of(context.method);
        let settled = self.app.settle::<P>(&context, outcome, &draft, extra, out);
        if !is_done {
            self.state.spend(Ok(token));
        }
        match settled {
            Settled::Asked(length) => {
                if let Some(kept) = self.state.arena.keep(length) {
                    self.state.await_answer(place, CallState::Asked, kept);
                }
            }
            Settled::Deferred(token) => self.state.defer(place, token, draft.progress),
            // A call that has asked cannot become a task: it was offered none.
            Settled::Task(_) => self.state.remove_call(place),
            Settled::Answered(written) => {
                self.state.remove_call(place);
                self.check_room(written);
            }
        }
    }

    /// Answers a request that was deferred. It stays in its slot if not even an error fits.
    pub(super) fn complete<'e>(
        &mut self,
        place: usize,
        uri: Text<'_>,
        out: &mut Sink<'_>,
        write: impl FnOnce(Line<'_, '_>) -> Result<Outcome, CallError<'e>>,
    ) -> Written {
        let Some(call) = self.state.calls.get(place) else {
            return Written::Yes;
        };
        let log_level = self.state.log_level_of(call);
        let mut context = context_of(self.state.arena.texts(), call, log_level);
        context.uri = uri;
        let mut draft = Draft::new(out, context.version, call.progress());
        self.app.take_failure();
        let outcome = write(Line::new(out, &context, &mut draft, None));
        let extra = extra_of(context.method);
        let settled = self.app.settle::<P>(&context, outcome, &draft, extra, out);
        let Settled::Answered(written) = settled else {
            return Written::Yes;
        };
        let written = self.app.unless_failed(written, draft.start, &context.id, out);
        if written != Written::No {
            self.state.remove_call(place);
        }
        written
    }
}

/// Leaves nothing but a task, or an error, to a client that accepts nothing else.
fn only_a_task(outcome: &mut Result<Outcome, CallError<'_>>) {
    if !matches!(outcome, Ok(Outcome(Made::Task(_) | Made::Error)) | Err(_)) {
        *outcome = Err(CallError::Internal);
    }
}
