//! Questions to the client: what is kept of a call that asks, and how it goes on.

use core::fmt;
use core::time::Duration;

use super::answer::Written;
use super::in_flight::Entry;
use super::methods::{Turn, not_kept};
use super::reply::{Asking, Way, can_ask, write_ping, write_request};
use super::resume::{Answers, read_kept};
use super::tasks::State;
use super::time::milliseconds;
use super::{
    Answer, CallError, CallToken, Context, Event, Handler, NotKept, Parts, Resumed, Server, Status, notify,
};
use crate::bytes::Sink;
use crate::json::{JsonStr, Writer};
use crate::mcp::{Feature, InputRequest, Method, PackedCapabilities, ProtocolVersion};
use crate::rpc::{RequestId, Response};

/// Why the client was not asked.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::demo::{Demo, NoHost};
/// use barewire::engine::{AskError, Server};
/// use barewire::mcp::{Elicitation, InputRequest, Schema};
///
/// const AGE: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"age":{"type":"integer"}}}"#);
///
/// let mut server: Server<Demo<NoHost>> = Server::new(Demo::new(NoHost));
/// let mut memory = [0; 512];
/// let asked = server.ask(&InputRequest::Roots, &mut Sink::new(&mut memory));
/// assert_eq!(asked, Err(AskError::NoSession));
///
/// for line in [
///     r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}}"#,
///     r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
/// ] {
///     let _ = server.handle_frame(line.as_bytes(), &mut Sink::new(&mut memory));
/// }
/// let question = Elicitation::form("How old are you?", AGE).into();
/// let asked = server.ask(&question, &mut Sink::new(&mut memory));
/// assert_eq!(asked, Err(AskError::MissingCapability));
///
/// let mut out = Sink::new(&mut memory);
/// assert!(server.ask(&InputRequest::Roots, &mut out).is_ok());
/// assert_eq!(out.finish(), Ok(&b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n"[..]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum AskError {
    /// The task has ended or is forgotten.
    NotRunning,
    /// There is no legacy session whose client is ready. A modern client is never sent a request.
    NoSession,
    /// The client has not declared what the question needs.
    MissingCapability,
    /// The handler has asked nothing.
    NothingAsked,
    /// What is kept of the question has more than `TEXT` bytes.
    TooLong,
    /// The table of calls in flight is full.
    Busy,
    /// The output has no room for the question.
    NoRoom,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotRunning => "the task has ended",
            Self::NoSession => "no session whose client can be asked",
            Self::MissingCapability => "the client has not declared the capability",
            Self::NothingAsked => "nothing was asked",
            Self::TooLong => "what is kept of the question is too long",
            Self::Busy => "the table of calls in flight is full",
            Self::NoRoom => "no room in the output",
        })
    }
}

impl core::error::Error for AskError {}

impl From<CallError<'_>> for AskError {
    /// Of what stops a question.
    fn from(error: CallError<'_>) -> Self {
        match error {
            CallError::MissingCapability(_) => Self::MissingCapability,
            CallError::Busy => Self::Busy,
            _ => Self::NothingAsked,
        }
    }
}

impl From<NotKept> for AskError {
    fn from(reason: NotKept) -> Self {
        match reason {
            NotKept::Busy => Self::Busy,
            _ => Self::TooLong,
        }
    }
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
    /// Asks the client of the legacy session, outside of any call: for its roots, say. The answer is
    /// [`Event::Answered`] with this token.
    ///
    /// # Errors
    /// [`AskError`]: nothing is written.
    pub fn ask(&mut self, request: &InputRequest<'_>, out: &mut Sink<'_>) -> Result<CallToken, AskError> {
        let version = self.session.version.filter(|_| self.session.is_ready);
        let version = version.ok_or(AskError::NoSession)?;
        if !can_ask(request, version, self.session.client) {
            return Err(AskError::MissingCapability);
        }
        self.send(request.method(), version, out, |json, id| {
            write_request(json, id, request, version, None);
        })
    }

    /// Asks the client of the legacy session whether it is there, also before it is ready. The answer is
    /// [`Event::Answered`] with this token.
    ///
    /// # Errors
    /// [`AskError`]: nothing is written.
    pub fn ping(&mut self, out: &mut Sink<'_>) -> Result<CallToken, AskError> {
        // Without that part nobody would take the answer.
        let version = self.session.version.filter(|_| P::ASKING && P::LEGACY);
        let version = version.ok_or(AskError::NoSession)?;
        self.send(Method::Ping, version, out, write_ping)
    }

    fn send(
        &mut self,
        method: Method,
        version: ProtocolVersion,
        out: &mut Sink<'_>,
        write: impl FnOnce(&mut Writer<'_, '_>, u32),
    ) -> Result<CallToken, AskError> {
        if self.calls.is_full() {
            return Err(AskError::Busy);
        }
        let mark = out.mark();
        let id = self.calls.next_question().get();
        write(&mut Writer::new(out), id);
        if out.is_full() {
            out.rollback(mark);
            return Err(AskError::NoRoom);
        }
        let patience = self.options.question_timeout();
        let token = self.calls.insert_own(method, version, patience, None);
        token.map_err(AskError::from)
    }

    /// [`tick_at`](Server::tick_at) for a caller with only one clock, which must be monotonic. `createdAt` of a task
    /// shows it as the time since 1970-01-01T00:00:00Z.
    ///
    /// On [`Status::More`] send the output and call again.
    pub fn tick(&mut self, now: Duration, out: &mut Sink<'_>) -> Status {
        self.tick_at(now, now, out)
    }

    /// Sets the time of the engine, which has no clock, and gives up everything that has passed its deadline. The
    /// resolution is a millisecond.
    ///
    /// `now` is monotonic and counts from any fixed moment; deadlines depend on it alone. `time_of_day` counts from
    /// 1970-01-01T00:00:00Z and may jump; only `createdAt` of a new task shows it. Before the first call there is no
    /// time: nothing is given up, and questions and tasks count from the first call.
    ///
    /// On [`Status::More`] send the output and call again.
    pub fn tick_at(&mut self, now: Duration, time_of_day: Duration, out: &mut Sink<'_>) -> Status {
        // Leaves room for a later moment, so that a question asked now is not overdue at once.
        let now = milliseconds(now).min(u64::MAX - 1);
        self.time_of_day = milliseconds(time_of_day);
        if !self.has_time {
            self.has_time = true;
            self.now = now;
            self.tasks.begin_time(self.time_of_day);
        }
        let passed = u32::try_from(now.saturating_sub(self.now)).unwrap_or(u32::MAX);
        self.calls.pass_time(passed);
        self.tasks.pass_time(passed);
        self.now = self.now.max(now);
        if P::TASKS && self.tick_tasks(out) == Status::More {
            return Status::More;
        }
        self.give_up_questions(out)
    }

    /// Gives up all questions, since their client is gone (its input has ended, say): the calls go on with
    /// [`Answer::TimedOut`], and nothing more is asked in this session. On [`Status::More`] send the output and call again.
    pub fn end_questions(&mut self, out: &mut Sink<'_>) -> Status {
        // Whoever asks again is told that it cannot be asked.
        self.session.client = PackedCapabilities::NONE;
        self.calls.end_patience();
        self.give_up_questions(out)
    }

    /// Gives up the questions whose time is over.
    fn give_up_questions(&mut self, out: &mut Sink<'_>) -> Status {
        if !P::ASKING || !P::LEGACY {
            return Status::Done;
        }
        while self.calls.least_patience() == Some(0) {
            if !out.is_empty() {
                // The next answer may need all of the room.
                return Status::More;
            }
            let Some(entry) = &self.calls.take_expired() else {
                break;
            };
            self.go_on(entry, Answer::TimedOut, out);
            self.give_up(entry, out);
        }
        Status::Done
    }

    /// When [`tick`](Server::tick) has something to do next, in the same time; `None` when nothing has a deadline.
    pub fn next_deadline(&self) -> Option<Duration> {
        // Who waits for a task that has ended had no room.
        let mut awaited = self.calls.awaited();
        let is_overdue = P::TASKS && awaited.any(|token| !self.is_task_running(token));
        let waits = [self.calls.least_patience(), self.tasks.least_time_left()];
        let wait = if is_overdue {
            Some(0)
        } else {
            waits.into_iter().flatten().min()
        };
        wait.map(|wait| Duration::from_millis(self.now.saturating_add(u64::from(wait))))
    }

    /// Tells the client that its answer is no longer needed. The notification may be lost, so it comes after the answer
    /// to the call, for which the room is reserved.
    pub(super) fn give_up(&mut self, entry: &Entry<ID, TEXT>, out: &mut Sink<'_>) {
        let Some(question) = entry.question else {
            return;
        };
        let id = RequestId::from(i64::from(question.id.get()));
        let _ = notify::cancelled(out, id);
    }

    /// The answer to the question whose id is this number: a string is none. Whether somebody waits for it. Without a
    /// response it was something that is none, but has the id of a question: nobody will send another.
    #[inline(never)]
    pub(super) fn answered(
        &mut self,
        question: Option<i64>,
        response: Option<&Response<'_>>,
        out: &mut Sink<'_>,
    ) -> bool {
        // By reference, here and where else an entry was taken out: that is no copy of it.
        let Some(entry) = &question.and_then(|id| self.calls.take_asked(id)) else {
            return false;
        };
        let answer = response.map_or(Answer::Malformed, |response| Answer::of(response.outcome()));
        self.go_on(entry, answer, out);
        true
    }

    /// The call goes on, or the application hears of the answer. The entry is out of the table: there is room for the
    /// call if it is to be kept again.
    fn go_on(&mut self, entry: &Entry<ID, TEXT>, answer: Answer<'_>, out: &mut Sink<'_>) {
        if let Some(task) = entry.task().filter(|_| P::TASKS) {
            let [key, ..] = read_kept(entry.kept());
            self.tasks.set(task, State::Working);
            return self.handler.task_answered(task, Answers::one(key, answer));
        }
        let mut context = self.context_of(&entry.head);
        context.deferral = self.calls.offer(&context);
        context.client = self.session.client;
        let [key, subject, state] = read_kept(entry.kept());
        let resumed = Resumed {
            context: &context,
            subject,
            state,
            answers: Answers::one(key, answer),
        };
        let progress = Some(entry.progress());
        let written = match entry.head.method {
            Method::ToolsCall => self.run_tool(Turn::Again(resumed), progress, out),
            Method::ResourcesRead if P::RESOURCES => self.run_read(Turn::Again(resumed), progress, out),
            Method::PromptsGet if P::PROMPTS => self.run_prompt(Turn::Again(resumed), progress, out),
            _ => {
                self.handler.event(Event::Answered(entry.token(), answer));
                Written::Yes
            }
        };
        self.check_room(written);
    }

    /// How a handler may ask while it answers this request.
    pub(super) fn asking<'r>(
        &self,
        context: &Context<'r>,
        subject: JsonStr<'r>,
        memory: &'r mut [u8],
    ) -> Option<Asking<'r>> {
        if !P::ASKING {
            return None;
        }
        let way = if P::MODERN && context.version.has(Feature::ResultType) {
            Way::Result
        } else {
            Way::Request(context.deferral.map(|_| self.calls.next_question().get()))
        };
        Some(Asking::new(way, context.client, subject, memory))
    }

    /// Keeps a call whose client was asked.
    #[inline(never)]
    pub(super) fn keep_asked(
        &mut self,
        context: &Context<'_>,
        progress: Option<i64>,
        kept: &[u8],
        out: &mut Sink<'_>,
    ) -> Written {
        let patience = self.options.question_timeout();
        match self.calls.insert_asked(context, progress, kept, patience) {
            Ok(()) => Written::Yes,
            Err(reason) => not_kept(out, context, reason),
        }
    }
}
