//! Tasks: calls that go on after their answer, and whose result is fetched later.

use heapless::Vec;

use super::Context;
use super::kept::Kept;
use crate::bytes::Wide;
use crate::engine::table;
use crate::json::{JsonStr, RawValue};
use crate::mcp::{Era, PackedCapabilities, ProtocolVersion, TaskId, TaskStatus, TaskView};

/// Names a task, for the application. Never used twice, up to 2^32 tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TaskToken(pub(super) u32);

impl TaskToken {
    /// As a number: to pass through C, or into a register.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The token of a number from [`to_bits`](TaskToken::to_bits).
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// How a task has ended.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{
///     CallError, Disposition, Handler, NotInFlight, Server, Status, TaskEnd, TaskToken, ToolCall, ToolReply,
/// };
/// use barewire::mcp::{Implementation, TaskSupport, Tool};
///
/// struct Oven { task: Option<TaskToken> }
///
/// impl Handler for Oven {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("oven", "1.0")
/// #     }
/// #
///     fn tools(&self) -> &[Tool<'_>] {
///         const { &[Tool::new("bake", "Bakes.").with_task_support(TaskSupport::Required)] }
///     }
///
///     fn call_tool<'a>(
///         &mut self,
///         call: ToolCall<'a>,
///         _: &mut ToolReply<'_, '_>,
///     ) -> Result<Disposition, CallError<'a>> {
///         self.task = call.task();
///         self.task.map(Disposition::Task).ok_or(CallError::Internal)
///     }
///
///     fn task_result<'a>(
///         &mut self,
///         _: TaskToken,
///         reply: &mut ToolReply<'_, '_>,
///     ) -> Result<(), CallError<'a>> {
///         reply.text("a cake");
///         Ok(())
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut memory = [0; 512];
/// let mut server: Server<Oven> = Server::new(Oven { task: None });
/// for line in [
///     r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#,
///     r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bake","task":{}}}"#,
///     // Waits for the end of the task.
///     r#"{"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":"e220a8397b1dcdaf"}}"#,
/// ] {
///     let _ = server.handle_frame(line.as_bytes(), &mut Sink::new(&mut memory));
/// }
///
/// let task = server.handler().task.ok_or("no task")?;
/// assert!(server.is_task_running(task));
/// let mut out = Sink::new(&mut memory);
/// assert_eq!(server.finish_task(task, TaskEnd::Completed, &mut out), Ok(Status::Done));
/// assert!(String::from_utf8_lossy(out.finish()?).contains(
///     r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"a cake"}],"isError":false,"#
/// ));
/// let again = server.finish_task(task, TaskEnd::Error, &mut Sink::new(&mut memory));
/// assert_eq!(again, Err(NotInFlight));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum TaskEnd {
    /// The tool has done what it was to do.
    Completed,
    /// The tool has failed: its result says so, `isError: true`.
    ToolError,
    /// There is no result, but an error of the protocol.
    Error,
}

/// Whether a call may, or must, become a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TaskOffer {
    pub(super) token: Option<TaskToken>,
    /// The client has asked for a task, and takes nothing else (2025-11-25).
    pub(super) is_asked: bool,
    /// In milliseconds.
    pub(super) ttl: u32,
}

impl TaskOffer {
    pub(super) const NONE: Self = Self {
        token: None,
        is_asked: false,
        ttl: 0,
    };
}

/// How a task is: what [`TaskStatus`] says in all revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Working,
    InputRequired,
    Ended(TaskEnd),
    Cancelled,
}

impl State {
    pub(super) const fn is_final(self) -> bool {
        matches!(self, Self::Ended(_) | Self::Cancelled)
    }
}

/// A task. In this order the text is aligned: no function is linked that clears what is not.
#[derive(Debug, Clone)]
#[repr(C)]
pub(super) struct Task<const ID: usize> {
    /// The last that was reported.
    pub(super) progress: Wide,
    /// Time of day at the start, in milliseconds since 1970; only shown.
    created: Wide,
    pub(super) message: Option<&'static str>,
    pub(super) token: TaskToken,
    /// Milliseconds since the start.
    age: u32,
    /// Age at the last change of the state.
    updated: u32,
    /// Age at which the task is forgotten.
    ttl: u32,
    /// Nothing where the client wants no progress.
    pub(super) progress_token: Kept<ID>,
    /// As the request said that has become the task.
    pub(super) client: PackedCapabilities,
    pub(super) state: State,
    pub(super) version: ProtocolVersion,
    /// The client has got the result.
    pub(super) is_fetched: bool,
}

impl<const ID: usize> Task<ID> {
    /// The modern era has a status for a tool's failure only within the result.
    fn status(&self, version: ProtocolVersion) -> TaskStatus {
        match self.state {
            State::Working => TaskStatus::Working,
            State::InputRequired => TaskStatus::InputRequired,
            State::Cancelled => TaskStatus::Cancelled,
            State::Ended(TaskEnd::Completed) => TaskStatus::Completed,
            State::Ended(TaskEnd::ToolError) if version.era() == Era::Modern => TaskStatus::Completed,
            State::Ended(_) => TaskStatus::Failed,
        }
    }

    pub(super) const fn id(&self, seed: u64) -> TaskId {
        TaskId::of(seed, self.token.0)
    }

    pub(super) fn view(&self, version: ProtocolVersion, seed: u64, poll_interval: u32) -> TaskView {
        TaskView {
            id: self.id(seed),
            status: self.status(version),
            message: self.message,
            created: self.created.get(),
            updated: self.created.get().saturating_add(u64::from(self.updated)),
            ttl: self.ttl,
            poll_interval,
        }
    }

    /// Milliseconds until the task is forgotten.
    const fn time_left(&self) -> u32 {
        self.ttl.saturating_sub(self.age)
    }
}

/// A fixed table of them.
#[derive(Debug)]
pub(super) struct Tasks<const N: usize, const ID: usize> {
    tasks: Vec<Task<ID>, N>,
    next: u32,
}

impl<const N: usize, const ID: usize> Tasks<N, ID> {
    pub(super) const fn new() -> Self {
        Self {
            tasks: Vec::new(),
            next: 0,
        }
    }

    pub(super) fn as_slice(&self) -> &[Task<ID>] {
        &self.tasks
    }

    /// The token that a new task would get. `None` when the table is full of tasks that are not over, or whose result
    /// nobody has got yet.
    pub(super) fn offer(&self) -> Option<TaskToken> {
        let has_room = !self.tasks.is_full() || self.tasks.iter().any(|task| task.is_fetched);
        has_room.then_some(TaskToken(self.next))
    }

    /// What was offered is not offered again, also where there is no task: work may have begun under it.
    pub(super) fn spend(&mut self, offered: Option<TaskToken>) {
        if offered == Some(TaskToken(self.next)) {
            self.next = self.next.wrapping_add(1);
        }
    }

    /// Keeps a task under the token that it was offered, and returns the one that had to go for it. The token must have
    /// been offered.
    #[inline(never)]
    pub(super) fn insert(
        &mut self,
        context: &Context<'_>,
        progress: Option<i64>,
        time_of_day: u64,
    ) -> Option<TaskToken> {
        let gone = match self.tasks.is_full() {
            true => self.take_where(|task| task.is_fetched),
            false => None,
        };
        let task = Task {
            token: TaskToken(self.next),
            state: State::Working,
            version: context.version,
            client: context.client,
            message: None,
            created: Wide::new(time_of_day),
            age: 0,
            updated: 0,
            ttl: context.task.ttl,
            is_fetched: false,
            progress_token: Kept::new(),
            progress: Wide::new(progress.unwrap_or(i64::MIN).cast_unsigned()),
        };
        if self.tasks.push(task).is_ok() {
            self.next = self.next.wrapping_add(1);
        }
        gone
    }

    /// Keeps the progress token of the task that was inserted last.
    pub(super) fn keep_progress_token(&mut self, token: Option<RawValue<'_>>) {
        if let (Some(task), Some(token)) = (self.tasks.last_mut(), token) {
            let _ = task.progress_token.append(token.as_bytes());
        }
    }

    pub(super) fn get(&self, token: TaskToken) -> Option<&Task<ID>> {
        self.tasks.iter().find(|task| task.token == token)
    }

    pub(super) fn get_mut(&mut self, token: TaskToken) -> Option<&mut Task<ID>> {
        self.tasks.iter_mut().find(|task| task.token == token)
    }

    /// The task of that id.
    pub(super) fn find(&self, seed: u64, id: JsonStr<'_>) -> Option<&Task<ID>> {
        self.tasks.iter().find(|task| task.id(seed).is(id))
    }

    /// The task is in another state from now on.
    pub(super) fn set(&mut self, token: TaskToken, state: State) {
        if let Some(task) = self.get_mut(token) {
            task.state = state;
            task.updated = task.age;
        }
    }

    /// Sets the start of tasks that began before the engine had a time.
    pub(super) fn begin_time(&mut self, time_of_day: u64) {
        for task in &mut self.tasks {
            task.created = Wide::new(time_of_day);
        }
    }

    /// Makes all tasks older by this number of milliseconds.
    pub(super) fn pass_time(&mut self, passed: u32) {
        for task in &mut self.tasks {
            task.age = task.age.saturating_add(passed);
        }
    }

    /// One whose time is over.
    pub(super) fn take_over(&mut self) -> Option<TaskToken> {
        self.take_where(|task| task.time_left() == 0)
    }

    pub(super) fn take(&mut self, token: TaskToken) {
        self.take_where(|task| task.token == token);
    }

    /// Any of them.
    pub(super) fn pop(&mut self) -> Option<TaskToken> {
        self.tasks.pop().map(|task| task.token)
    }

    /// Milliseconds until the next task is forgotten.
    pub(super) fn least_time_left(&self) -> Option<u32> {
        self.tasks.iter().map(Task::time_left).min()
    }

    /// The order of the others stays: lists are paged by it.
    fn take_where(&mut self, wanted: impl Fn(&Task<ID>) -> bool) -> Option<TaskToken> {
        let at = self.tasks.iter().position(wanted)?;
        table::take_in_order(&mut self.tasks, at).map(|task| task.token)
    }
}
