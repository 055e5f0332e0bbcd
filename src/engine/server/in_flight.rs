//! The calls that are answered later: by the application, or by the client's answer to a question.

use core::fmt;
use core::num::NonZeroU32;

use heapless::Vec;

use super::{CallToken, Context, NotKept, TaskToken};
use crate::engine::table;
use crate::mcp::{LoggingLevel, Method, ProtocolVersion};
use crate::rpc::RequestId;

/// A token whose call was completed or cancelled before, or is of another kind.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{
///     CallError, CallToken, Disposition, Handler, NotInFlight, Server, Status, ToolCall, ToolReply,
/// };
/// use barewire::mcp::{Implementation, Tool};
///
/// struct Slow { token: Option<CallToken> }
///
/// impl Handler for Slow {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("slow", "1.0")
/// #     }
/// #
///     fn tools(&self) -> &[Tool<'_>] {
///         const { &[Tool::new("wait", "Takes its time.")] }
///     }
///
///     fn call_tool<'a>(
///         &mut self,
///         call: ToolCall<'a>,
///         _: &mut ToolReply<'_, '_>,
///     ) -> Result<Disposition, CallError<'a>> {
///         let token = call.context().defer()?;
///         self.token = Some(token);
///         Ok(Disposition::Deferred(token))
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut server: Server<Slow> = Server::new(Slow { token: None });
/// let mut memory = [0; 256];
/// let line = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}"#;
/// let _ = server.handle_frame(line, &mut Sink::new(&mut memory));
/// let token = server.handler().token.ok_or("not called")?;
/// for expected in [Ok(Status::Done), Err(NotInFlight)] {
///     let completed = server.complete_tool(token, &mut Sink::new(&mut memory), |reply| {
///         reply.text("at last");
///         Ok(())
///     });
///     assert_eq!(completed, expected);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct NotInFlight;

impl fmt::Display for NotInFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the call is not in flight")
    }
}

impl core::error::Error for NotInFlight {}

/// What is kept of a call until its answer.
#[derive(Debug, Clone)]
pub(super) struct Entry<const ID: usize, const TEXT: usize> {
    pub(super) token: CallToken,
    tokens: Tokens<ID>,
    /// The last progress that was reported; the next must be greater.
    pub(super) progress: i64,
    pub(super) method: Method,
    pub(super) version: ProtocolVersion,
    pub(super) log_level: Option<LoggingLevel>,
    /// What the client was asked, if it is the client that the call waits for.
    pub(super) question: Option<Question<TEXT>>,
    /// The task that it asks for, or that asks.
    pub(super) task: Option<TaskToken>,
}

/// A request of the server's own.
#[derive(Debug, Clone)]
pub(super) struct Question<const TEXT: usize> {
    /// Never 0, which marks an entry without a question.
    pub(super) id: NonZeroU32,
    /// When it is given up, in the caller's time.
    pub(super) deadline: u64,
    /// As [`read_kept`](super::resume::read_kept) reads it; nothing for a question that belongs to no call.
    pub(super) kept: Vec<u8, TEXT>,
}

impl<const ID: usize, const TEXT: usize> Entry<ID, TEXT> {
    /// Whether it is the client's request that is kept here, and not just one of the server's own.
    fn is_call(&self) -> bool {
        self.tokens.id_len > 0
    }

    /// Whether the application itself has asked.
    pub(super) fn is_own(&self) -> bool {
        self.question.is_some() && self.task.is_none() && !self.is_call()
    }

    /// Whether the application is to answer it.
    pub(super) fn is_deferred(&self) -> bool {
        self.question.is_none() && self.task.is_none()
    }

    pub(super) fn id(&self) -> RequestId<'_> {
        self.tokens.id()
    }

    pub(super) fn progress_token(&self) -> Option<RequestId<'_>> {
        self.tokens.progress_token()
    }
}

/// The texts of a request's id and of its progress token, one behind the other. Many clients use one for both: then it
/// is kept once. Ids that are equal but spelled otherwise are not one: each is echoed as it was sent.
#[derive(Debug, Clone)]
struct Tokens<const ID: usize> {
    text: Vec<u8, ID>,
    id_len: u16,
    wants_progress: bool,
}

impl<const ID: usize> Tokens<ID> {
    const NONE: Self = Self {
        text: Vec::new(),
        id_len: 0,
        wants_progress: false,
    };

    /// Where there were none. `None` when they have no room.
    fn set(&mut self, id: RequestId<'_>, progress_token: Option<RequestId<'_>>) -> Option<()> {
        id.append_to(&mut self.text).ok()?;
        self.id_len = u16::try_from(self.text.len()).ok()?;
        self.wants_progress = progress_token.is_some();
        match progress_token {
            Some(token) if !token.is_written_as(id) => token.append_to(&mut self.text).ok(),
            _ => Some(()),
        }
    }

    fn split(&self) -> (&[u8], &[u8]) {
        self.text
            .split_at_checked(usize::from(self.id_len))
            .unwrap_or((&self.text, &[]))
    }

    fn id(&self) -> RequestId<'_> {
        RequestId::from_appended(self.split().0)
    }

    fn progress_token(&self) -> Option<RequestId<'_>> {
        match self.split() {
            _ if !self.wants_progress => None,
            (id, []) => Some(RequestId::from_appended(id)),
            (_, token) => Some(RequestId::from_appended(token)),
        }
    }
}

/// How many bytes a call with these needs.
fn length(id: RequestId<'_>, progress_token: Option<RequestId<'_>>) -> usize {
    let token = progress_token.filter(|token| !token.is_written_as(id));
    id.text_len().saturating_add(token.map_or(0, RequestId::text_len))
}

/// A fixed table of them.
#[derive(Debug)]
pub(super) struct InFlight<const CALLS: usize, const ID: usize, const TEXT: usize> {
    entries: Vec<Entry<ID, TEXT>, CALLS>,
    next: u32,
    /// The id of the last question.
    last_question: Option<NonZeroU32>,
}

impl<const CALLS: usize, const ID: usize, const TEXT: usize> InFlight<CALLS, ID, TEXT> {
    pub(super) const fn new() -> Self {
        Self {
            entries: Vec::new(),
            next: 0,
            last_question: None,
        }
    }

    /// All of them. A table without room is known to be empty: what looks for something in it is not linked.
    fn entries(&self) -> &[Entry<ID, TEXT>] {
        match CALLS {
            0 => &[],
            _ => &self.entries,
        }
    }

    /// How many wait for the application.
    pub(super) fn deferred(&self) -> usize {
        let waiting = self.entries().iter().filter(|entry| entry.question.is_none());
        waiting.count()
    }

    pub(super) fn contains(&self, id: RequestId<'_>) -> bool {
        self.entries()
            .iter()
            .any(|entry| entry.is_call() && entry.id() == id)
    }

    /// The id that the next question gets. Never used twice, up to 2^32 questions.
    pub(super) fn next_question(&self) -> NonZeroU32 {
        let next = self.last_question.and_then(|last| last.checked_add(1));
        next.unwrap_or(NonZeroU32::MIN)
    }

    /// The token that a call with this id would get, or why it could not be kept.
    pub(super) fn offer(
        &self,
        id: RequestId<'_>,
        progress_token: Option<RequestId<'_>>,
    ) -> Result<CallToken, NotKept> {
        if self.is_full() {
            return Err(NotKept::Busy);
        }
        if length(id, progress_token) > ID {
            return Err(NotKept::IdTooLong);
        }
        Ok(CallToken(self.next))
    }

    /// What was offered is not offered again, also where the call is not kept: work may have begun under it.
    pub(super) fn spend(&mut self, offered: Result<CallToken, NotKept>) {
        if offered == Ok(CallToken(self.next)) {
            self.next = self.next.wrapping_add(1);
        }
    }

    /// Keeps the call under the token that it was offered.
    pub(super) fn insert(&mut self, context: &Context<'_>, progress: Option<i64>) -> Result<(), NotKept> {
        self.push(context, progress, None)
    }

    /// Keeps the call until the question is answered that got [`next_question`](Self::next_question).
    pub(super) fn insert_asked(
        &mut self,
        context: &Context<'_>,
        progress: Option<i64>,
        kept: &[u8],
        deadline: u64,
    ) -> Result<(), NotKept> {
        self.push(context, progress, None)?;
        self.ask_in_last(kept, deadline)
    }

    /// What there is to an entry is put where it lies: it is long, and the stack of a device short.
    fn push(
        &mut self,
        context: &Context<'_>,
        progress: Option<i64>,
        task: Option<TaskToken>,
    ) -> Result<(), NotKept> {
        let entry = self.push_empty(context.method, context.version, task)?;
        entry.progress = progress.unwrap_or(i64::MIN);
        entry.log_level = context.log_level;
        if entry.tokens.set(context.id, context.progress_token).is_none() {
            self.entries.pop();
            return Err(NotKept::IdTooLong);
        }
        Ok(())
    }

    fn push_empty(
        &mut self,
        method: Method,
        version: ProtocolVersion,
        task: Option<TaskToken>,
    ) -> Result<&mut Entry<ID, TEXT>, NotKept> {
        let entry = Entry {
            token: CallToken(self.next),
            tokens: Tokens::NONE,
            progress: i64::MIN,
            method,
            version,
            log_level: None,
            question: None,
            task,
        };
        self.entries.push(entry).map_err(|_| NotKept::Busy)?;
        self.next = self.next.wrapping_add(1);
        self.entries.last_mut().ok_or(NotKept::Busy)
    }

    /// Makes the last entry one that asks, or takes it back.
    fn ask_in_last(&mut self, kept: &[u8], deadline: u64) -> Result<(), NotKept> {
        let id = self.next_question();
        let entry = self.entries.last_mut().ok_or(NotKept::Busy)?;
        let question = entry.question.insert(Question {
            id,
            deadline,
            kept: Vec::new(),
        });
        if question.kept.extend_from_slice(kept).is_err() {
            self.entries.pop();
            return Err(NotKept::Busy);
        }
        self.last_question = Some(id);
        Ok(())
    }

    /// Whether there is room for one more.
    pub(super) fn is_full(&self) -> bool {
        CALLS == 0 || self.entries.is_full()
    }

    /// Keeps a request for the result of a task until that has ended.
    pub(super) fn insert_waiting(&mut self, context: &Context<'_>, task: TaskToken) -> Result<(), NotKept> {
        self.push(context, None, Some(task))
    }

    /// Back to where it was taken from.
    pub(super) fn put_back(&mut self, entry: Entry<ID, TEXT>) {
        // There was room for it.
        let _ = self.entries.push(entry);
    }

    /// Keeps a question of the application's own or of a task, which got [`next_question`](Self::next_question).
    pub(super) fn insert_own(
        &mut self,
        method: Method,
        version: ProtocolVersion,
        deadline: u64,
        task: Option<(TaskToken, &[u8])>,
    ) -> Result<CallToken, NotKept> {
        let (task, kept) = task.unzip();
        let token = self.push_empty(method, version, task)?.token;
        self.ask_in_last(kept.unwrap_or_default(), deadline)?;
        Ok(token)
    }

    /// Any of them.
    pub(super) fn pop(&mut self) -> Option<Entry<ID, TEXT>> {
        match CALLS {
            0 => None,
            _ => self.entries.pop(),
        }
    }

    /// A call that the application is to answer.
    pub(super) fn get(&self, token: CallToken) -> Option<&Entry<ID, TEXT>> {
        let mut entries = self.entries().iter();
        entries.find(|entry| entry.token == token && entry.is_deferred())
    }

    /// A call that the application is to answer.
    pub(super) fn get_mut(&mut self, token: CallToken) -> Option<&mut Entry<ID, TEXT>> {
        let mut entries = self.entries.iter_mut();
        entries.find(|entry| entry.token == token && entry.is_deferred())
    }

    pub(super) fn take(&mut self, token: CallToken) -> Option<Entry<ID, TEXT>> {
        self.take_where(|entry| entry.token == token)
    }

    pub(super) fn take_id(&mut self, id: RequestId<'_>) -> Option<Entry<ID, TEXT>> {
        self.take_where(|entry| entry.is_call() && entry.id() == id)
    }

    /// One that waits for the result of this task.
    pub(super) fn take_waiting(&mut self, task: TaskToken) -> Option<Entry<ID, TEXT>> {
        self.take_where(|entry| entry.task == Some(task) && entry.question.is_none())
    }

    /// A question of this task.
    pub(super) fn take_question_of(&mut self, task: TaskToken) -> Option<Entry<ID, TEXT>> {
        self.take_where(|entry| entry.task == Some(task) && entry.question.is_some())
    }

    /// The tasks whose result somebody waits for.
    pub(super) fn awaited(&self) -> impl Iterator<Item = TaskToken> {
        let waiting = self.entries().iter().filter(|entry| entry.question.is_none());
        waiting.filter_map(|entry| entry.task)
    }

    /// The one whose question has this id: the same number, and a number (`1` is not `"1"`).
    pub(super) fn take_asked(&mut self, id: RequestId<'_>) -> Option<Entry<ID, TEXT>> {
        let has_id = |question: &Question<TEXT>| RequestId::from(i64::from(question.id.get())) == id;
        self.take_where(|entry| entry.question.as_ref().is_some_and(has_id))
    }

    /// The time of before was none: now it is this.
    pub(super) fn begin_time(&mut self, now: u64) {
        let questions = self
            .entries
            .iter_mut()
            .filter_map(|entry| entry.question.as_mut());
        for question in questions {
            question.deadline = question.deadline.saturating_add(now);
        }
    }

    /// One whose question is to be given up.
    pub(super) fn take_expired(&mut self, now: u64) -> Option<Entry<ID, TEXT>> {
        let is_late = |question: &Question<TEXT>| question.deadline <= now;
        self.take_where(|entry| entry.question.as_ref().is_some_and(is_late))
    }

    /// When the next question is to be given up.
    pub(super) fn next_deadline(&self) -> Option<u64> {
        let questions = self.entries().iter().filter_map(|entry| entry.question.as_ref());
        questions.map(|question| question.deadline).min()
    }

    fn take_where(&mut self, wanted: impl Fn(&Entry<ID, TEXT>) -> bool) -> Option<Entry<ID, TEXT>> {
        if CALLS == 0 {
            return None;
        }
        // The order of the table does not matter.
        table::take(&mut self.entries, wanted)
    }
}
