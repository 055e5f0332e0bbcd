//! Tasks: calls that go on after their answer, and whose result is fetched later.

use super::State;
use crate::bytes::Wide;
use crate::engine::server::storage::{Span, TaskSlot, TaskState, Version, Watched};
use crate::engine::server::{Context, Decimal, Origin, Parts, TaskToken};
use crate::json::JsonStr;
use crate::mcp::{Era, Feature, ProtocolVersion, TaskId, TaskStatus, TaskView};

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

    /// The task with this id, if it belongs to the session of the frame or to none.
    pub(in crate::engine::server) fn find_task_by_id(
        &self,
        origin: Origin,
        id: JsonStr<'_>,
    ) -> Option<&TaskSlot> {
        self.tasks_of(origin).find(|task| self.id_of_task(task).is(id))
    }

    /// The tasks that a client may know of.
    pub(in crate::engine::server) fn tasks_of(&self, origin: Origin) -> impl Iterator<Item = &TaskSlot> {
        self.tasks.iter().filter(move |task| task.session.is_none() || task.session == origin.session())
    }

    pub(in crate::engine::server) const fn id_of_task(&self, task: &TaskSlot) -> TaskId {
        TaskId::of(self.core.options.tasks.seed, task.token.0)
    }

    pub(in crate::engine::server) fn view(&self, task: &TaskSlot, version: ProtocolVersion) -> TaskView {
        let (created, started) = (task.created.get(), task.started.get());
        TaskView {
            id: self.id_of_task(task),
            status: task.status(version),
            message: task.message,
            created,
            updated: created.saturating_add(task.updated.get().saturating_sub(started)),
            ttl: task.ttl,
            poll_interval: self.core.options.tasks.poll_interval(),
        }
    }

    /// The token that a new task would get. `None` when the table is full of tasks that have not ended, or whose result was not fetched
    /// yet.
    pub(in crate::engine::server) fn offer_task(&self) -> Option<TaskToken> {
        let has_room = !self.tasks.is_full() || self.tasks.iter().any(|task| task.is_fetched);
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
        let progress_token = token.and_then(|token| self.arena.append(|sink| sink.write(token.as_bytes())));
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
            progress_token: progress_token.unwrap_or(Span::EMPTY),
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
        let (token, progress_token) = (task.token, task.progress_token);
        // The order stays: lists are paged by it.
        self.tasks.remove(place);
        self.forget(progress_token);
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
