//! What the application has to say of its tasks.

use super::answer::Written;
use super::reply::{Answered, Asking, Questions, Way};
use super::tasks::State;
use super::{
    AskError, Event, Handler, NotInFlight, Parts, Progress, Server, Status, TaskEnd, TaskToken, notify,
};
use crate::bytes::{Sink, Wide};
use crate::json::{JsonStr, Object, RawValue, Writer};
use crate::mcp::{Feature, Method, PackedCapabilities, ProtocolVersion};
use crate::rpc::RequestId;

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
    /// Whether the task still runs: it is neither at its end nor forgotten.
    pub fn is_task_running(&self, token: TaskToken) -> bool {
        self.tasks.get(token).is_some_and(|task| !task.state.is_final())
    }

    /// The task has ended. Its result is asked for with [`Handler::task_result`], now if somebody waits for it, and until
    /// [`Event::TaskForgotten`].
    ///
    /// On [`Status::More`] send the output and make the same call again, before any other.
    ///
    /// # Errors
    /// [`NotInFlight`] when it had ended before, was cancelled or is forgotten.
    pub fn finish_task(
        &mut self,
        token: TaskToken,
        end: TaskEnd,
        out: &mut Sink<'_>,
    ) -> Result<Status, NotInFlight> {
        let task = self.tasks.get(token).ok_or(NotInFlight)?;
        let goes_on = task.state == State::Ended(end) && self.session.telling == Some(token);
        if task.state.is_final() && !goes_on {
            return Err(NotInFlight);
        }
        if !goes_on {
            self.tasks.set(token, State::Ended(end));
            self.session.told = 0;
            self.drop_questions_of(token, out);
        }
        Ok(self.tell_on(token, out))
    }

    /// What the task is doing, for people to read; whoever watches it is told.
    ///
    /// On [`Status::More`] send the output and make the same call again, before any other.
    ///
    /// # Errors
    /// [`NotInFlight`] when it has ended or is forgotten.
    pub fn describe_task(
        &mut self,
        token: TaskToken,
        message: &'static str,
        out: &mut Sink<'_>,
    ) -> Result<Status, NotInFlight> {
        let task = self.tasks.get_mut(token).filter(|task| !task.state.is_final());
        let task = task.ok_or(NotInFlight)?;
        task.message = Some(message);
        let state = task.state;
        self.tasks.set(token, state);
        Ok(self.tell_on(token, out))
    }

    /// Reports the progress of a task, if its client asked for it. False when nothing was written.
    ///
    /// Only tasks of 2025-11-25 have progress: later revisions have none after the response.
    ///
    /// # Errors
    /// [`NotInFlight`] when it has ended or is forgotten.
    pub fn task_progress(
        &mut self,
        token: TaskToken,
        progress: &Progress<'_>,
        out: &mut Sink<'_>,
    ) -> Result<bool, NotInFlight> {
        let seed = self.options.tasks.seed;
        let task = self.tasks.get_mut(token).filter(|task| !task.state.is_final());
        let task = task.ok_or(NotInFlight)?;
        let is_behind = progress.progress <= task.progress.get().cast_signed();
        let progress_token = &task.progress_token;
        if progress_token.is_empty() {
            return Ok(false);
        }
        if is_behind || task.version.has(Feature::Extensions) {
            return Ok(false);
        }
        let id = Some(task.id(seed));
        let token = RawValue::from_valid(progress_token.as_bytes());
        let written = notify::progress(out, task.version, token, progress, id);
        if written == Written::Yes {
            task.progress = Wide::new(progress.progress.cast_unsigned());
        }
        Ok(written == Written::Yes)
    }

    /// The task needs the client to go on: [`Handler::task_asks`] says what for, [`Handler::task_answered`] gets the
    /// answers. In the legacy era the client is asked one thing at a time, the first; in the modern one it sees all of it
    /// when it asks for the task.
    ///
    /// On [`Status::More`] there was no room: send the output and make the same call again.
    ///
    /// # Errors
    /// [`AskError`]: no output of this size has room for the question, say.
    pub fn task_needs_input(&mut self, token: TaskToken, out: &mut Sink<'_>) -> Result<Status, AskError> {
        let task = self.tasks.get(token).filter(|task| !task.state.is_final());
        let task = task.ok_or(AskError::NotRunning)?;
        let is_new = task.state != State::InputRequired;
        let (version, client) = (task.version, task.client);
        if is_new && version.has(Feature::Extensions) {
            // What the client cannot be asked, nobody would ever answer.
            let mut nowhere = Sink::counting();
            self.write_task_questions(&mut Writer::new(&mut nowhere), token, version, client)?;
        } else if is_new && self.ask_for_task(token, version, out)? == Status::More {
            return Ok(Status::More);
        }
        if is_new {
            self.tasks.set(token, State::InputRequired);
            self.session.told = 0;
        }
        Ok(self.tell_on(token, out))
    }

    /// Asks a legacy client the first of what the task asks.
    fn ask_for_task(
        &mut self,
        token: TaskToken,
        version: ProtocolVersion,
        out: &mut Sink<'_>,
    ) -> Result<Status, AskError> {
        let task = self.tasks.get(token).ok_or(AskError::NotRunning)?;
        let id = task.id(self.options.tasks.seed);
        let mut memory = [0; TEXT];
        // A session of another revision is another client's word: the task began before it.
        if !P::ASKING || self.session.version != Some(version) || !self.session.is_ready {
            return Err(AskError::NoSession);
        }
        if self.calls.is_full() {
            return Err(AskError::Busy);
        }
        let next = self.calls.next_question().get();
        let client = self.session.client;
        let mut asking = Asking::new(Way::Request(Ok(next)), client, JsonStr::EMPTY, &mut memory);
        let mark = out.mark();
        let was_empty = out.is_empty();
        let mut questions = Questions::request(out, version, &mut asking, &id);
        self.handler.task_asks(token, &mut questions);
        let length = questions.finish();
        if out.is_full() && !was_empty {
            out.rollback(mark);
            return Ok(Status::More);
        }
        if out.is_full() {
            // It fits no output of this size.
            out.rollback(mark);
            return Err(AskError::NoRoom);
        }
        let asked = length.and_then(|length| {
            let kept = memory.get(..length).ok_or(AskError::TooLong)?;
            let patience = self.options.question_timeout();
            self.calls
                .insert_own(Method::TasksUpdate, version, patience, Some((token, kept)))
                .map_err(AskError::from)
        });
        if let Err(error) = asked {
            out.rollback(mark);
            return Err(error);
        }
        Ok(Status::Done)
    }

    /// The member `inputRequests` of a modern task. Nothing is written when its client cannot be asked that.
    pub(super) fn write_task_questions(
        &mut self,
        json: &mut Writer<'_, '_>,
        token: TaskToken,
        version: ProtocolVersion,
        client: PackedCapabilities,
    ) -> Result<(), AskError> {
        let before = json.mark();
        let mut asking = Asking::new(Way::Member, client, JsonStr::EMPTY, &mut []);
        let mut questions = Questions::member(json.members(), version, &mut asking);
        self.handler.task_asks(token, &mut questions);
        let asked = questions.finish().map(drop);
        if asked.is_err() {
            json.rollback(before);
        }
        asked
    }

    /// How far these answers are to what a modern task asks. Nothing is written.
    #[inline(never)]
    pub(super) fn questions_answered(
        &mut self,
        token: TaskToken,
        version: ProtocolVersion,
        client: PackedCapabilities,
        answers: Object<'_>,
    ) -> Answered {
        let mut nowhere = Sink::counting();
        let mut asking = Asking::new(Way::Answered(answers), client, JsonStr::EMPTY, &mut []);
        let mut questions = Questions::member(Writer::new(&mut nowhere), version, &mut asking);
        self.handler.task_asks(token, &mut questions);
        questions.answered()
    }

    /// Nobody is to answer what the task has asked.
    #[inline(never)]
    pub(super) fn drop_questions_of(&mut self, token: TaskToken, out: &mut Sink<'_>) {
        while let Some(entry) = &self.calls.take_question_of(token) {
            self.give_up(entry, out);
        }
    }

    /// [`tell_task`](Self::tell_task) as one of several rounds.
    fn tell_on(&mut self, token: TaskToken, out: &mut Sink<'_>) -> Status {
        let status = self.tell_task(token, out);
        self.session.telling = match status {
            Status::Done => None,
            Status::More => Some(token),
        };
        status
    }

    /// Answers whoever waits for the result of a task that has ended, and tells of its state.
    pub(super) fn tell_task(&mut self, token: TaskToken, out: &mut Sink<'_>) -> Status {
        let is_final = !self.is_task_running(token);
        if is_final && self.answer_waiting(token, out) == Status::More {
            return Status::More;
        }
        let Some(task) = self.tasks.get(token) else {
            return Status::Done;
        };
        let id = task.id(self.options.tasks.seed);
        let session = self.session.version.filter(|version| {
            self.session.is_ready && *version == task.version && version.has(Feature::Tasks)
        });
        if let (0, Some(version)) = (self.session.told, session)
            && self.tell_one(Method::TasksStatus.name(), token, None, version, out) == Status::More
        {
            return Status::More;
        }
        self.session.told = self.session.told.max(1);
        loop {
            let at = self.session.told.saturating_sub(1);
            let Some(stream) = self.subscriptions.stream(at) else {
                break;
            };
            if self.subscriptions.stream_watches_task(at, id) {
                let stream = stream.id.clone();
                let version = ProtocolVersion::LATEST_MODERN;
                if self.tell_one(Method::Tasks.name(), token, Some(stream.as_id()), version, out)
                    == Status::More
                {
                    return Status::More;
                }
            }
            self.session.told = self.session.told.saturating_add(1);
        }
        self.session.told = 0;
        Status::Done
    }

    /// One notification with all of the task.
    fn tell_one(
        &mut self,
        method: &str,
        token: TaskToken,
        stream: Option<RequestId<'_>>,
        version: ProtocolVersion,
        out: &mut Sink<'_>,
    ) -> Status {
        let before = out.len();
        let params = |json: &mut Writer<'_, '_>| {
            self.write_task(json, token, version);
            if let Some(id) = stream {
                notify::subscription_meta(json, id);
            }
        };
        match notify::write(out, method, params) {
            Written::Yes | Written::Instead => Status::Done,
            Written::No if before > 0 => Status::More,
            Written::No => {
                // It fits no output of this size.
                self.handler.event(Event::NoRoom);
                Status::Done
            }
        }
    }

    pub(super) fn answer_waiting(&mut self, token: TaskToken, out: &mut Sink<'_>) -> Status {
        while let Some(entry) = self.calls.waiting(token) {
            // No more of the entry than the answer needs: it stays where it is until there was room.
            let head = entry.head.clone();
            let (before, mark) = (out.len(), out.mark());
            let written = self.write_task_result(&self.context_of(&head), token, out);
            if written != Written::Yes && before > 0 {
                // The next output has room for all of it.
                out.rollback(mark);
                return Status::More;
            }
            self.calls.drop_waiting(token);
            self.mark_fetched(token, written != Written::No);
            self.check_room(written);
        }
        Status::Done
    }

    /// Forgets the tasks whose time is over, and answers whoever waits in vain.
    pub(super) fn tick_tasks(&mut self, out: &mut Sink<'_>) -> Status {
        while let Some(token) = self.tasks.take_over() {
            self.handler.event(Event::TaskForgotten(token));
            self.drop_questions_of(token, out);
        }
        let is_late = |server: &Self, token: &TaskToken| !server.is_task_running(*token);
        loop {
            let Some(token) = self.calls.awaited().find(|token| is_late(self, token)) else {
                return Status::Done;
            };
            if self.answer_waiting(token, out) == Status::More {
                return Status::More;
            }
        }
    }
}
