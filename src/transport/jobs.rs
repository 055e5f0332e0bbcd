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
use crate::engine::{
    Answer, CallError, CallToken, List, Outcome, Progress, TaskEnd, TaskToken, ToolAnswer, ToolContent,
};
use crate::mcp::{InputRequest, LoggingLevel};

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

    /// [`run`](Jobs::run) for work that returns the answer itself, so that `?` works in it.
    ///
    /// ```
    /// use barewire::engine::{CallError, Outcome, ToolReply};
    /// use barewire::mcp::{Elicitation, Schema};
    /// use barewire::transport::Jobs;
    ///
    /// const AGREE: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"agree":{"type":"boolean"}}}"#);
    ///
    /// fn erase(jobs: &Jobs, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
    ///     let (token, outcome) = reply.defer()?;
    ///     jobs.answer(token, |job| {
    ///         let question = Elicitation::form("Erase everything?", AGREE).into();
    ///         let agrees = job.ask("agree", &question, |answer| {
    ///             let form = answer.elicited()?.accepted()?;
    ///             form.get("agree")?.as_bool()
    ///         })?;
    ///         match agrees {
    ///             Some(true) => Ok("erased"),
    ///             _ => Err(CallError::Failed("the user does not agree")),
    ///         }
    ///     });
    ///     Ok(outcome)
    /// }
    /// ```
    pub fn answer<R>(&self, token: CallToken, work: impl FnOnce(&Job<'_>) -> R + Send + 'static)
    where
        R: ToolAnswer + Send + 'static,
    {
        self.run(token, |job| {
            let answer = work(job);
            move |content| answer.answer_tool(content.restart())
        });
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

    /// Asks the client, its user or its model. `key` names the question: each question of a call has another one. `read` makes a value of the
    /// answer.
    ///
    /// A legacy client gets the question as a request, and the thread waits for the answer, or until the question's
    /// [time](crate::engine::Options::with_question_timeout) is over. To a modern client the question is the result of the call, and `ask`
    /// returns an error: **the work runs again from its start** when the client makes the call again, with this answer and those of earlier
    /// questions at hand. (The handler's `call_tool` is called again, and starts it.) So one source serves both eras, if everything
    /// before a question may run more than once: ask first, then act.
    ///
    /// Answers are input like any other. Those of earlier questions travel through a modern client, who can change them.
    ///
    /// # Errors
    /// Return the error, by `?` in [`Jobs::answer`]: whoever ignores it acts without the answer.
    /// - [`CallError::MissingCapability`] when the client has not declared what the question needs, [`CallError::Busy`] when there is no
    ///   slot for it, [`CallError::InvalidParams`] for an answer of a modern client that is not an object.
    /// - [`CallError::Internal`] when the call has ended: because a modern client is asked, the call is cancelled, or the server has ended.
    ///   Nothing that the work returns is sent then. Also in the work of a task, which asks by
    ///   [`TaskHandler::task_questions`](crate::engine::TaskHandler::task_questions), and in work for a modern client that
    ///   [`Handler::resume`](crate::engine::Handler::resume) has started.
    pub fn ask<T>(
        &self,
        key: &str,
        request: &InputRequest<'_>,
        read: impl FnOnce(Answer<'_>) -> T,
    ) -> Result<T, CallError<'static>> {
        let Ticket::Call(token) = self.ticket else {
            return Err(CallError::Internal);
        };
        let client = self.inbox.client(token).ok_or(CallError::Internal)?;
        client.check(request)?;
        if client.is_modern() {
            if let Some(answer) = client.answer(key)? {
                return Ok(read(answer));
            }
            self.inbox.call(Call::AskWithResult(token, client.result(key, request)));
            self.inbox.end(token);
            return Err(CallError::Internal);
        }
        let (sender, answer) = mpsc::sync_channel(1);
        self.inbox.call(Call::Ask(client.question(request, sender)));
        // The loop drops the sender when the call ends, and when it ends itself.
        let received = answer.recv().unwrap_or(Err(CallError::Internal))?;
        Ok(read(received.answer()))
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

impl JobQueue {
    /// Starts the threads, which end with the queue.
    ///
    /// # Errors
    /// A thread could not be started.
    pub(super) fn start(&self, threads: usize) -> io::Result<()> {
        for _ in 0..threads {
            let inbox = Arc::clone(&self.inbox);
            threads::spawn_one_of_many(move || inbox.run_work())?;
        }
        Ok(())
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
