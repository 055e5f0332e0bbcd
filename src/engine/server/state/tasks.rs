//! Tasks: calls that go on after their answer, and whose result is fetched later.

use super::State;
use crate::bytes::Wide;
use crate::engine::server::storage::{TaskSlot, TaskState, Version, Watched};
use crate::engine::server::{Context, Decimal, Origin, Parts, Principal, TaskToken};
use crate::json::{JsonStr, Writer};
use crate::mcp::{Era, Feature, ProtocolVersion, TaskDigits, TaskId, TaskStatus, TaskView};

/// Length of a random id.
const ID: usize = 16;
/// Length of a principal.
const PRINCIPAL: usize = 8;

const fn bytes_of(principal: Principal) -> [u8; PRINCIPAL] {
    principal.number().to_be_bytes()
}

impl TaskSlot {
    /// The modern era has a status for a tool's failure only within the result.
    fn status(&self, version: ProtocolVersion) -> TaskStatus {
        match self.state {
            TaskState::Working => TaskStatus::Working,
            TaskState::InputRequired => TaskStatus::InputRequired,
            TaskState::Cancelled => TaskStatus::Cancelled,
            TaskState::Completed => TaskStatus::Completed,
            TaskState::ToolError if version.era() == Era::Modern => TaskStatus::Completed,
            TaskState::ToolError | TaskState::Error => TaskStatus::Failed,
        }
    }
}

impl<P: Parts> State<'_, P> {
    /// Number of a task's slot.
    pub(in crate::engine::server) fn find_task(&self, token: TaskToken) -> Option<usize> {
        self.tasks.iter().position(|task| task.token == token)
    }

    pub(in crate::engine::server) fn task(&self, token: TaskToken) -> Option<&TaskSlot> {
        self.tasks.iter().find(|task| task.token == token)
    }

    pub(in crate::engine::server) fn task_mut(&mut self, token: TaskToken) -> Option<&mut TaskSlot> {
        self.tasks.iter_mut().find(|task| task.token == token)
    }

    /// The task with this id, if it belongs to the peer.
    pub(in crate::engine::server) fn find_task_by_id(
        &self,
        origin: Origin,
        id: JsonStr<'_>,
    ) -> Option<&TaskSlot> {
        let mut digits = TaskDigits::default();
        self.tasks.iter().find(|task| {
            self.is_task_of(task, origin)
                && match P::TASK_RANDOM {
                    Some(_) => self.id_of_task(task, &mut digits).is_secret(id),
                    None => self.id_of_task(task, &mut digits).is(id),
                }
        })
    }

    /// The tasks that are listed for a peer. Anonymous peers without a session cannot be told apart: they get none.
    pub(in crate::engine::server) fn tasks_of(&self, origin: Origin) -> impl Iterator<Item = &TaskSlot> {
        let is_known = P::TASK_RANDOM.is_none()
            || origin.session().is_some()
            || origin.principal() != Principal::ANONYMOUS;
        self.tasks.iter().filter(move |task| is_known && self.is_task_of(task, origin))
    }

    /// Whether a task belongs to the legacy session and the principal of this peer.
    fn is_task_of(&self, task: &TaskSlot, origin: Origin) -> bool {
        let [_, principal, _] = self.texts_of_task(task);
        let is_of_principal = P::TASK_RANDOM.is_none() || principal == bytes_of(origin.principal());
        task.session == origin.session() && is_of_principal
    }

    pub(in crate::engine::server) fn id_of_task<'t>(
        &self,
        task: &TaskSlot,
        digits: &'t mut TaskDigits,
    ) -> TaskId<'t> {
        if P::TASK_RANDOM.is_some() {
            let [id, ..] = self.texts_of_task(task);
            return TaskId::random(id, digits);
        }
        TaskId::of(self.core.options.tasks.seed, task.token.0, digits)
    }

    /// Random id, principal and progress token of a task. The first two are empty where task ids are not random.
    pub(in crate::engine::server) fn texts_of_task(&self, task: &TaskSlot) -> [&[u8]; 3] {
        let text = self.arena.texts().get(task.texts);
        if P::TASK_RANDOM.is_none() {
            return [&[], &[], text];
        }
        let (id, rest) = text.split_at_checked(ID).unwrap_or_default();
        let (principal, progress_token) = rest.split_at_checked(PRINCIPAL).unwrap_or_default();
        [id, principal, progress_token]
    }

    /// Bytes that a task needs in the arena besides its progress token.
    pub(in crate::engine::server) const fn task_bytes() -> usize {
        match P::TASK_RANDOM {
            Some(_) => ID + PRINCIPAL,
            None => 0,
        }
    }

    /// Writes the members that describe a task into the open object.
    pub(in crate::engine::server) fn write_task(
        &self,
        json: &mut Writer<'_, '_>,
        task: &TaskSlot,
        version: ProtocolVersion,
    ) {
        let (created, started) = (task.created.get(), task.started.get());
        let mut digits = TaskDigits::default();
        let view = TaskView {
            id: self.id_of_task(task, &mut digits),
            status: task.status(version),
            message: task.message,
            created,
            updated: created.saturating_add(task.updated.get().saturating_sub(started)),
            ttl: task.ttl,
            poll_interval: self.core.options.tasks.poll_interval(),
        };
        view.write_members(json, version);
    }

    /// The token that a new task would get. `None` when the table is full of tasks that have not ended, or whose result was not fetched
    /// yet.
    pub(in crate::engine::server) fn offer_task(&self) -> Option<TaskToken> {
        let has_slot = !self.tasks.is_full() || self.tasks.iter().any(|task| task.is_fetched);
        let has_room = has_slot && (P::TASK_RANDOM.is_none() || self.arena.free() >= Self::task_bytes());
        has_room.then_some(TaskToken(self.core.next_task))
    }

    /// Never offers the token again, even if no task was made: the application may have begun work for it.
    pub(in crate::engine::server) fn spend_task(&mut self, offered: Option<TaskToken>) {
        if offered == Some(TaskToken(self.core.next_task)) {
            self.core.next_task = self.core.next_task.wrapping_add(1);
        }
    }

    /// Keeps a task under the token that was offered. The caller has made room.
    pub(in crate::engine::server) fn insert_task(
        &mut self,
        context: &Context<'_>,
        progress: Option<Decimal>,
    ) {
        // In the modern era there is no progress after the response.
        let token = context.progress_token.filter(|_| !context.version.has(Feature::Extensions));
        let texts = self.arena.append(|sink| {
            if let Some(random) = P::TASK_RANDOM {
                let mut id = [0; ID];
                random(&mut id);
                sink.write(&id);
                sink.write(&bytes_of(context.origin.principal()));
            }
            if let Some(token) = token {
                sink.write(token.as_bytes());
            }
        });
        let Some(texts) = texts else {
            return;
        };
        let now = Wide::new(self.core.now);
        let mut task = TaskSlot {
            token: TaskToken(self.core.next_task),
            version: Version::new(context.version),
            client: context.client,
            session: context.origin.session(),
            created: Wide::new(self.core.time_of_day),
            started: now,
            updated: now,
            ttl: context.task.ttl,
            texts,
            ..TaskSlot::FREE
        };
        task.set_progress(progress);
        if self.tasks.push(task).is_some() {
            self.core.next_task = self.core.next_task.wrapping_add(1);
            self.core.wake_at(task.deadline());
        }
    }

    /// Forgets a task: requests for its result are due with an error, its input requests are withdrawn.
    pub(in crate::engine::server) fn remove_task(&mut self, place: usize) -> Option<TaskToken> {
        let task = self.tasks.get(place)?;
        let (token, texts) = (task.token, task.texts);
        // The order stays: lists are paged by it.
        self.tasks.remove(place);
        self.forget(texts);
        self.unwatch_task(token);
        self.withdraw_questions_of(token);
        self.answer_waiting(token);
        Some(token)
    }

    /// Changes the state, and marks what follows as due: first the requests that wait for the result, then the notifications.
    pub(in crate::engine::server) fn set_task(&mut self, token: TaskToken, state: TaskState) {
        let now = Wide::new(self.core.now);
        if let Some(task) = self.task_mut(token) {
            task.state = state;
            task.updated = now;
        }
        if state.is_final() {
            self.withdraw_questions_of(token);
            self.answer_waiting(token);
        }
    }

    /// Marks the state of a task as due to its session and to the streams that watch it.
    pub(in crate::engine::server) fn task_changed(&mut self, token: TaskToken) {
        if let Some(task) = self.tasks.iter_mut().find(|task| task.token == token) {
            self.core.mark(&mut task.due);
        }
        for watch in self.watches.iter_mut() {
            if P::SUBSCRIPTIONS && watch.watched == Watched::Task(token) {
                self.core.mark(&mut watch.due);
            }
        }
    }

    /// Marks the answers to `tasks/result` for this task as due.
    fn answer_waiting(&mut self, token: TaskToken) {
        for call in self.calls.iter_mut() {
            if call.awaits(token) {
                self.core.mark(&mut call.due);
            }
        }
    }

    /// Withdraws the input requests of a task (legacy era).
    pub(in crate::engine::server) fn withdraw_questions_of(&mut self, token: TaskToken) {
        while let Some(place) = self.calls().iter().position(|call| call.is_question_of(token)) {
            self.withdraw(place);
        }
    }

    /// Whether a task is still running.
    pub(in crate::engine::server) fn is_task_running(&self, token: TaskToken) -> bool {
        self.task(token).is_some_and(|task| !task.state.is_final())
    }
}
