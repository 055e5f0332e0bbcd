//! The calls that are answered later: by the application, or by the client's answer to a question.

use core::fmt;
use core::num::NonZeroU32;

use heapless::Vec;

use super::kept::Kept;
use super::{CallToken, Context, NotKept, TaskToken};
use crate::bytes::Wide;
use crate::engine::table;
use crate::json::RawValue;
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
    pub(super) head: Head<ID>,
    /// Of the task that it asks for, or that asks, if the head says so; else of the call.
    token: u32,
    /// The last progress that was reported; the next must be greater.
    progress: Wide,
    /// What the client was asked, if it is the client that the call waits for.
    pub(super) question: Option<Question>,
    /// Of the question, as [`read_kept`](super::resume::read_kept) reads it; nothing for one that belongs to no call.
    kept: Kept<TEXT>,
}

/// What is known of the request itself.
#[derive(Debug, Clone)]
pub(super) struct Head<const ID: usize> {
    tokens: Tokens<ID>,
    is_of_task: bool,
    pub(super) method: Method,
    pub(super) version: ProtocolVersion,
    pub(super) log_level: Option<LoggingLevel>,
}

impl<const ID: usize> Head<ID> {
    pub(super) fn id(&self) -> RequestId<'_> {
        self.tokens.id()
    }

    pub(super) fn progress_token(&self) -> Option<RawValue<'_>> {
        self.tokens.progress_token()
    }
}

/// There are a few of them in each server: what is in one has no room to spare.
const _: () = assert!(size_of::<Entry<48, 64>>() == 144);

/// A request of the server's own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    /// Never 0, which marks an entry without a question.
    pub(super) id: NonZeroU32,
    /// After how many milliseconds it is given up.
    patience: u32,
}

impl<const ID: usize, const TEXT: usize> Entry<ID, TEXT> {
    /// The token of the call, if it is one, or of the application's own question.
    pub(super) const fn token(&self) -> CallToken {
        CallToken(self.token)
    }

    /// The task that it asks for, or that asks.
    pub(super) fn task(&self) -> Option<TaskToken> {
        self.head.is_of_task.then_some(TaskToken(self.token))
    }

    fn is(&self, token: CallToken) -> bool {
        !self.head.is_of_task && self.token == token.0
    }

    /// Whether it is the client's request that is kept here, and not just one of the server's own.
    fn is_call(&self) -> bool {
        self.head.tokens.id_len > 0
    }

    /// Whether the application itself has asked.
    pub(super) fn is_own(&self) -> bool {
        self.question.is_some() && !self.head.is_of_task && !self.is_call()
    }

    /// Whether the application is to answer it.
    pub(super) fn is_deferred(&self) -> bool {
        self.question.is_none() && !self.head.is_of_task
    }

    fn waits_for(&self, task: TaskToken) -> bool {
        self.task() == Some(task) && self.question.is_none()
    }

    pub(super) fn progress(&self) -> i64 {
        self.progress.get().cast_signed()
    }

    pub(super) fn set_progress(&mut self, progress: i64) {
        self.progress = Wide::new(progress.cast_unsigned());
    }

    /// What was kept of the question.
    pub(super) fn kept(&self) -> &[u8] {
        self.kept.as_bytes()
    }
}

/// The texts of a request's id and of its progress token, one after the other. Many clients use one for both: then it
/// is kept once. Ids that are equal but spelled otherwise are not one: each is echoed as it was sent.
#[derive(Debug, Clone)]
struct Tokens<const ID: usize> {
    text: Kept<ID>,
    id_len: u16,
    wants_progress: bool,
}

impl<const ID: usize> Tokens<ID> {
    fn new() -> Self {
        Self {
            text: Kept::new(),
            id_len: 0,
            wants_progress: false,
        }
    }

    /// Keeps both, if there were none before.
    fn set(&mut self, id: RequestId<'_>, progress_token: Option<RawValue<'_>>) -> Result<(), NotKept> {
        self.text.append_id(id).ok_or(NotKept::IdTooLong)?;
        self.id_len = u16::try_from(self.text.len()).map_err(|_| NotKept::IdTooLong)?;
        self.wants_progress = progress_token.is_some();
        match progress_token.map(RawValue::as_bytes) {
            Some(token) if token != self.text.as_bytes() => {
                self.text.append(token).ok_or(NotKept::ProgressTokenTooLong)
            }
            _ => Ok(()),
        }
    }

    fn split(&self) -> (&[u8], &[u8]) {
        let text = self.text.as_bytes();
        text.split_at_checked(usize::from(self.id_len))
            .unwrap_or((text, &[]))
    }

    fn id(&self) -> RequestId<'_> {
        RequestId::from_appended(self.split().0)
    }

    fn progress_token(&self) -> Option<RawValue<'_>> {
        match self.split() {
            _ if !self.wants_progress => None,
            (id, []) => Some(RawValue::from_valid(id)),
            (_, token) => Some(RawValue::from_valid(token)),
        }
    }
}

/// Whether the id and the progress token of a call fit this number of bytes.
fn fit(id: RequestId<'_>, progress_token: Option<RawValue<'_>>, room: usize) -> Result<(), NotKept> {
    let room = room.checked_sub(id.text_len()).ok_or(NotKept::IdTooLong)?;
    let is_id = |token: &RawValue<'_>| RequestId::of(*token).is_some_and(|token| token.is_written_as(id));
    match progress_token.filter(|token| !is_id(token)) {
        Some(token) if token.as_bytes().len() > room => Err(NotKept::ProgressTokenTooLong),
        _ => Ok(()),
    }
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
            .any(|entry| entry.is_call() && entry.head.id() == id)
    }

    /// The id that the next question gets. Never used twice, up to 2^32 questions.
    pub(super) fn next_question(&self) -> NonZeroU32 {
        let next = self.last_question.and_then(|last| last.checked_add(1));
        next.unwrap_or(NonZeroU32::MIN)
    }

    /// The token that a call with this id and progress token would get, or why it could not be kept.
    pub(super) fn offer(&self, context: &Context<'_>) -> Result<CallToken, NotKept> {
        // A table without room links nothing of this.
        if CALLS == 0 {
            return Err(NotKept::Busy);
        }
        // First the texts that can never fit.
        fit(context.id, context.progress_token, ID)?;
        match self.is_full() {
            true => Err(NotKept::Busy),
            false => Ok(CallToken(self.next)),
        }
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
        patience: u32,
    ) -> Result<(), NotKept> {
        self.push(context, progress, None)?;
        self.ask_in_last(kept, patience)
    }

    /// What there is to an entry is put where it lies: it is long, and the stack of a device short.
    fn push(
        &mut self,
        context: &Context<'_>,
        progress: Option<i64>,
        task: Option<TaskToken>,
    ) -> Result<(), NotKept> {
        let entry = self.push_empty(context.method, context.version, task)?;
        entry.set_progress(progress.unwrap_or(i64::MIN));
        entry.head.log_level = context.log_level;
        // No progress is reported for `tasks/result`.
        let progress_token = context.progress_token.filter(|_| task.is_none());
        let kept = entry.head.tokens.set(context.id, progress_token);
        if kept.is_err() {
            self.entries.pop();
        }
        kept
    }

    /// A function of its own, so that the entry on the stack is gone when it is filled in.
    #[inline(never)]
    fn push_empty(
        &mut self,
        method: Method,
        version: ProtocolVersion,
        task: Option<TaskToken>,
    ) -> Result<&mut Entry<ID, TEXT>, NotKept> {
        let entry = Entry {
            head: Head {
                tokens: Tokens::new(),
                is_of_task: task.is_some(),
                method,
                version,
                log_level: None,
            },
            token: task.map_or(self.next, |task| task.0),
            progress: Wide::new(i64::MIN.cast_unsigned()),
            question: None,
            kept: Kept::new(),
        };
        self.entries.push(entry).map_err(|_| NotKept::Busy)?;
        self.next = self.next.wrapping_add(1);
        self.entries.last_mut().ok_or(NotKept::Busy)
    }

    /// Makes the last entry one that asks, or takes it back.
    fn ask_in_last(&mut self, kept: &[u8], patience: u32) -> Result<(), NotKept> {
        let id = self.next_question();
        let entry = self.entries.last_mut().ok_or(NotKept::Busy)?;
        if entry.kept.append(kept).is_none() {
            self.entries.pop();
            return Err(NotKept::StateTooLong);
        }
        entry.question = Some(Question { id, patience });
        self.last_question = Some(id);
        Ok(())
    }

    /// Whether there is room for one more.
    pub(super) fn is_full(&self) -> bool {
        CALLS == 0 || self.entries.is_full()
    }

    /// Keeps a request for the result of a task until that has ended.
    pub(super) fn insert_waiting(&mut self, context: &Context<'_>, task: TaskToken) -> Result<(), NotKept> {
        if CALLS == 0 {
            return Err(NotKept::Busy);
        }
        fit(context.id, None, ID)?;
        self.push(context, None, Some(task))
    }

    /// Keeps a question of the application's own or of a task, which got [`next_question`](Self::next_question).
    pub(super) fn insert_own(
        &mut self,
        method: Method,
        version: ProtocolVersion,
        patience: u32,
        task: Option<(TaskToken, &[u8])>,
    ) -> Result<CallToken, NotKept> {
        let (task, kept) = task.unzip();
        let token = self.push_empty(method, version, task)?.token();
        self.ask_in_last(kept.unwrap_or_default(), patience)?;
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
        entries.find(|entry| entry.is(token) && entry.is_deferred())
    }

    /// A call that the application is to answer.
    pub(super) fn get_mut(&mut self, token: CallToken) -> Option<&mut Entry<ID, TEXT>> {
        let mut entries = self.entries.iter_mut();
        entries.find(|entry| entry.is(token) && entry.is_deferred())
    }

    pub(super) fn take(&mut self, token: CallToken) -> Option<Entry<ID, TEXT>> {
        self.take_where(|entry| entry.is(token))
    }

    pub(super) fn take_id(&mut self, id: RequestId<'_>) -> Option<Entry<ID, TEXT>> {
        self.take_where(|entry| entry.is_call() && entry.head.id() == id)
    }

    /// One that waits for the result of this task.
    pub(super) fn waiting(&self, task: TaskToken) -> Option<&Entry<ID, TEXT>> {
        self.entries().iter().find(|entry| entry.waits_for(task))
    }

    /// Drops the same.
    pub(super) fn drop_waiting(&mut self, task: TaskToken) {
        self.take_where(|entry| entry.waits_for(task));
    }

    /// A question of this task.
    pub(super) fn take_question_of(&mut self, task: TaskToken) -> Option<Entry<ID, TEXT>> {
        self.take_where(|entry| entry.task() == Some(task) && entry.question.is_some())
    }

    /// The tasks whose result somebody waits for.
    pub(super) fn awaited(&self) -> impl Iterator<Item = TaskToken> {
        let waiting = self.entries().iter().filter(|entry| entry.question.is_none());
        waiting.filter_map(Entry::task)
    }

    /// The one whose question has this number for an id.
    pub(super) fn take_asked(&mut self, id: i64) -> Option<Entry<ID, TEXT>> {
        let has_id = |question: Question| i64::from(question.id.get()) == id;
        self.take_where(|entry| entry.question.is_some_and(has_id))
    }

    /// Brings the deadlines of all questions closer by this number of milliseconds.
    pub(super) fn pass_time(&mut self, passed: u32) {
        for question in self
            .entries
            .iter_mut()
            .filter_map(|entry| entry.question.as_mut())
        {
            question.patience = question.patience.saturating_sub(passed);
        }
    }

    /// All patience is at its end.
    pub(super) fn end_patience(&mut self) {
        self.pass_time(u32::MAX);
    }

    /// One whose question is to be given up.
    pub(super) fn take_expired(&mut self) -> Option<Entry<ID, TEXT>> {
        self.take_where(|entry| entry.question.is_some_and(|question| question.patience == 0))
    }

    /// After how many milliseconds the next question is to be given up.
    pub(super) fn least_patience(&self) -> Option<u32> {
        let questions = self.entries().iter().filter_map(|entry| entry.question);
        questions.map(|question| question.patience).min()
    }

    fn take_where(&mut self, wanted: impl Fn(&Entry<ID, TEXT>) -> bool) -> Option<Entry<ID, TEXT>> {
        if CALLS == 0 {
            return None;
        }
        // The order of the table does not matter.
        table::take(&mut self.entries, wanted)
    }
}
