//! Work of deferred calls and of tasks, on threads beside the loop.

use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::borrow::{Cow, ToOwned};
use std::boxed::Box;
use std::io;
use std::panic::catch_unwind;
use std::string::ToString;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

use super::call::{Call, Ticket};
use super::inbox::{Change, Inbox, drop_carefully};
use super::threads;
use crate::bytes::Sink;
use crate::engine::{
    CallError, CallToken, Handler, List, NotInFlight, Outcome, Progress, Sent, Server, Storage, TaskEnd,
    TaskToken, ToolContent,
};
use crate::mcp::LoggingLevel;

/// Number of calls of threads that wait for the loop; further threads wait until the loop has taken them.
pub(super) const MOST_CALLS: usize = 64;

/// Creates both ends of a queue of work: [`Jobs`] for the [`Handler`](crate::engine::Handler), which queues work, and [`JobQueue`] for
/// the [`Stdio`](super::Stdio) loop, whose threads run it. Give the queue to [`Stdio::with_jobs`](super::Stdio::with_jobs): work and changes
/// that are sent to a queue without a loop are lost, and their calls get no answer.
///
/// ```no_run
/// use barewire::engine::{CallError, Handler, Outcome, ToolCall, ToolReply};
/// use barewire::mcp::{Implementation, Tool};
/// use barewire::transport::{Jobs, Stdio, jobs};
///
/// struct Sums { jobs: Jobs }
///
/// impl Handler for Sums {
///     fn info(&self) -> Implementation<'_> {
///         Implementation::new("sums", "1.0")
///     }
///
///     fn tools(&self) -> &[Tool<'_>] {
///         const { &[Tool::new("sum", "Adds up a lot.")] }
///     }
///
///     fn call_tool<'a>(
///         &mut self,
///         _: ToolCall<'a>,
///         reply: ToolReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         let (token, outcome) = reply.defer()?;
///         self.jobs.run(token, |job| {
///             let sum: u64 = (0..1_000_000_000u64).take_while(|n| n % 4096 != 0 || !job.is_cancelled()).sum();
///             move |result| Ok(result.text(sum).done())
///         });
///         Ok(outcome)
///     }
/// }
///
/// # fn main() -> std::io::Result<()> {
/// let (jobs, queue) = jobs();
/// Stdio::new().with_jobs(queue, 4).serve(Sums { jobs })
/// # }
/// ```
pub fn jobs() -> (Jobs, JobQueue) {
    let (sender, calls) = mpsc::sync_channel(MOST_CALLS);
    let inbox = Arc::new(Inbox::new(sender));
    (Jobs(Arc::clone(&inbox)), JobQueue { inbox, calls })
}

/// Sender of work to the threads of the pool. Cheap to clone.
#[derive(Clone)]
pub struct Jobs(Arc<Inbox>);

impl core::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Jobs")
    }
}

/// Queue of work that waits for a thread.
#[must_use = "give it to `Stdio::with_jobs`, or its calls are never answered"]
pub struct JobQueue {
    pub(super) inbox: Arc<Inbox>,
    pub(super) calls: Receiver<Call>,
}

impl core::fmt::Debug for JobQueue {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("JobQueue")
    }
}

impl Jobs {
    /// Runs `work` on a thread of the pool; the function that it returns writes the result of the deferred call `token`. A call that was
    /// cancelled meanwhile is not answered, and work that had not begun is skipped. If the work or that function panics, the answer is an
    /// internal error.
    ///
    /// Work that ends with one of several functions returns a [`JobReply`](super::JobReply).
    pub fn run<R>(&self, token: CallToken, work: impl FnOnce(&Job<'_>) -> R + Send + 'static)
    where
        R: FnOnce(ToolContent<'_, '_>) -> Result<Outcome, CallError<'static>> + Send + 'static,
    {
        let work = move |inbox: &Inbox, ticket: Ticket| {
            let reply = catch_unwind(AssertUnwindSafe(|| work(&Job { inbox, ticket })));
            Call::Complete(
                token,
                match reply {
                    Ok(reply) => Box::new(reply),
                    Err(_) => Box::new(|_| Err(CallError::Internal)),
                },
            )
        };
        self.0.give(Ticket::Call(token), Box::new(work));
    }

    /// Runs the work of a task on a thread of the pool; it returns how the task has ended. The result is written by
    /// [`TaskHandler::task_result`](crate::engine::TaskHandler::task_result). The end of a task that was cancelled meanwhile is ignored,
    /// and work that had not begun is skipped. If the work panics, the task has failed.
    pub fn run_task(&self, token: TaskToken, work: impl FnOnce(&Job<'_>) -> TaskEnd + Send + 'static) {
        let work = move |inbox: &Inbox, ticket: Ticket| {
            let end = catch_unwind(AssertUnwindSafe(|| work(&Job { inbox, ticket })));
            Call::Finish(token, end.unwrap_or(TaskEnd::Error))
        };
        self.0.give(Ticket::Task(token), Box::new(work));
    }

    /// Notifies the clients that have subscribed to this resource; for a change by a handler, right after its answer.
    pub fn resource_updated(&self, uri: impl Into<Cow<'static, str>>) {
        self.0.change(Change::Resource(uri.into()));
    }

    /// Notifies the clients that a list has changed; for a change by a handler, right after its answer.
    pub fn list_changed(&self, list: List) {
        self.0.change(Change::List(list));
    }
}

/// Handle of running work to its call or task.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    pub(super) inbox: &'a Inbox,
    pub(super) ticket: Ticket,
}

impl core::fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Job({:?})", self.ticket)
    }
}

impl Job<'_> {
    /// Reports progress, a number or a [`Progress`] with its total and a message, if the client has requested it.
    pub fn progress<'p>(&self, progress: impl Into<Progress<'p>>) {
        let (progress, message) = progress.into().without_message();
        let message = message.map(ToOwned::to_owned);
        self.inbox.call(Call::Progress(self.ticket, progress, message));
    }

    /// Sends a log message about a call, if its client wants the level. Does nothing for a task.
    pub fn log(&self, level: LoggingLevel, data: impl core::fmt::Display) {
        if let Ticket::Call(token) = self.ticket {
            self.inbox.call(Call::Log(token, level, data.to_string()));
        }
    }

    /// Sets the status message of a task, for people to read. Does nothing for a call.
    pub fn describe(&self, message: &'static str) {
        if let Ticket::Task(token) = self.ticket {
            self.inbox.call(Call::Describe(token, message));
        }
    }

    /// Whether the call was cancelled, the task was cancelled or forgotten, or the server has ended.
    pub fn is_cancelled(&self) -> bool {
        self.inbox.is_cancelled(self.ticket)
    }

    /// Waits. Returns false at once if the call or the task is [cancelled](Job::is_cancelled).
    pub fn sleep(&self, duration: Duration) -> bool {
        self.inbox.wait_for_cancellation(self.ticket, duration);
        !self.is_cancelled()
    }
}

/// For a loop other than [`Stdio`](super::Stdio) that serves the queue.
///
/// After each frame, and when it is woken, the loop calls [`settle`](JobQueue::settle), [serves](JobCall::serve) the calls that
/// [`next_call`](JobQueue::next_call) returns, polls the server, and calls [`cancel_ended`](JobQueue::cancel_ended).
impl JobQueue {
    /// Starts this number of threads for the work. They end with the queue.
    ///
    /// # Errors
    /// A thread could not be started.
    pub fn start(&self, threads: usize) -> io::Result<()> {
        for _ in 0..threads {
            let inbox = Arc::clone(&self.inbox);
            threads::spawn_one_of_many(move || inbox.run_work())?;
        }
        Ok(())
    }

    /// Has `wake` called, on any thread, whenever there may be something for the loop. The handler calls it too, by the changes that it
    /// reports. Only the first call of this method has an effect.
    pub fn set_waker(&self, wake: impl Fn() + Send + Sync + 'static) {
        self.inbox.set_waker(Box::new(wake));
    }

    /// Reports the changes to the server, and releases work to the idle threads.
    pub fn settle<S: Storage>(&self, server: &mut Server<S>) {
        let most = server.capacity();
        for change in self.inbox.settle(most, |ticket| ticket.is_wanted(server)) {
            match change {
                Change::Resource(uri) => server.resource_updated(&uri),
                Change::List(list) => server.list_changed(list),
            }
        }
    }

    /// The next call of a thread.
    pub fn next_call(&self) -> Option<JobCall> {
        self.calls.try_recv().ok().map(JobCall)
    }

    /// Cancels the work of calls and tasks that have ended.
    pub fn cancel_ended<S: Storage>(&self, server: &mut Server<S>) {
        self.inbox.cancel_work(|ticket| ticket.is_wanted(server));
    }
}

/// Call of a thread of the pool to the server: an answer, progress, a log message, the end of a task.
#[must_use = "a call that is not served may be an answer that is lost"]
pub struct JobCall(Call);

impl core::fmt::Debug for JobCall {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("JobCall")
    }
}

impl JobCall {
    /// Whether the call answers its request. Other lines may be dropped where a client does not keep up.
    pub const fn is_answer(&self) -> bool {
        matches!(self.0, Call::Complete(..))
    }

    /// Lets the server write the line of the call to the empty output. A call or task that has ended meanwhile is left alone.
    pub fn serve<S: Storage, A: Handler + ?Sized>(
        self,
        server: &mut Server<S>,
        app: &mut A,
        out: &mut Sink<'_>,
    ) -> Sent {
        self.try_serve(server, app, out).unwrap_or(Sent::Nothing)
    }

    fn try_serve<S: Storage, A: Handler + ?Sized>(
        self,
        server: &mut Server<S>,
        app: &mut A,
        out: &mut Sink<'_>,
    ) -> Result<Sent, NotInFlight> {
        match self.0 {
            Call::Complete(token, reply) if server.is_in_flight(token) => {
                server.complete_tool(token, app, out, |result| {
                    catch_unwind(AssertUnwindSafe(|| reply(result))).unwrap_or(Err(CallError::Internal))
                })
            }
            Call::Complete(_, reply) => {
                drop_carefully(reply);
                Ok(Sent::Nothing)
            }
            Call::Finish(token, end) => server.finish_task(token, end).map(|()| Sent::Nothing),
            Call::Describe(token, message) => server.describe_task(token, message).map(|()| Sent::Nothing),
            Call::Progress(ticket, mut progress, message) => {
                if let Some(message) = &message {
                    progress = progress.with_message(message);
                }
                match ticket {
                    Ticket::Call(token) => server.progress(token, progress, out),
                    Ticket::Task(token) => server.task_progress(token, progress, out),
                }
            }
            Call::Log(token, level, data) => server.log_for(token, level, None, &data, out),
        }
    }
}

impl Drop for JobQueue {
    fn drop(&mut self) {
        self.inbox.close();
        while let Ok(call) = self.calls.try_recv() {
            drop_carefully(call);
        }
    }
}
