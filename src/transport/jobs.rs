//! Work of deferred calls and of tasks, on threads beside the loop.

use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::borrow::Cow;
use std::boxed::Box;
use std::io;
use std::panic::catch_unwind;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Instant;
use std::vec::Vec;

use super::serving::{JobReply, Serving, Ticket};
use super::threads;
use super::waiting::{Backlog, Giver, Work};
use crate::engine::{CallError, CallToken, List, Progress, TaskEnd, TaskToken};
use crate::mcp::LoggingLevel;

/// A change that clients are notified of.
pub(super) enum Change {
    Resource(Cow<'static, str>),
    List(List),
}

/// Changes that no client was notified of yet. The loop takes them at the end of each frame, so that a handler's changes follow its
/// answer and precede the next frame. Changes from elsewhere are taken by a thread of their own, since the pool may be busy for a long
/// time.
#[derive(Clone, Default)]
pub(super) struct Changes {
    waiting: Arc<Mutex<Vec<Change>>>,
}

impl Changes {
    fn push(&self, change: Change) {
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(change);
    }

    pub(super) fn take(&self) -> Vec<Change> {
        core::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Creates both ends of a queue of work: [`Jobs`] for the [`Handler`](crate::engine::Handler), which queues work, and [`JobQueue`] for
/// the [`Stdio`](super::Stdio) loop, whose threads run it.
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
///             Box::new(move |result| Ok(result.text_format(format_args!("{sum}")).done()))
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
    let backlog = Arc::<Backlog>::default();
    // One call takes all changes that wait.
    let (wake, woken) = mpsc::sync_channel(1);
    let changes = Changes::default();
    let jobs = Jobs {
        giver: Arc::new(Giver::new(&backlog)),
        wake,
        changes: changes.clone(),
    };
    let queue = JobQueue {
        backlog,
        woken,
        changes,
    };
    (jobs, queue)
}

/// Sender of work to the threads of the pool. Cheap to clone.
#[derive(Clone)]
pub struct Jobs {
    giver: Arc<Giver>,
    wake: SyncSender<()>,
    changes: Changes,
}

impl core::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Jobs")
    }
}

/// Queue of work that waits for a thread.
pub struct JobQueue {
    backlog: Arc<Backlog>,
    woken: Receiver<()>,
    changes: Changes,
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
    pub fn run(&self, token: CallToken, work: impl FnOnce(&Job<'_>) -> JobReply + Send + 'static) {
        let ticket = Ticket::Call(token);
        let work: Work = Box::new(move |link| {
            if !link.is_wanted(ticket) {
                return;
            }
            let job = Job { link, ticket };
            let reply = catch_unwind(AssertUnwindSafe(|| work(&job)));
            link.complete(
                token,
                reply.unwrap_or_else(|_| Box::new(|_| Err(CallError::Internal))),
            );
        });
        self.giver.give(ticket, work);
    }

    /// Runs the work of a task on a thread of the pool; it returns how the task has ended. The result is written by
    /// [`TaskHandler::task_result`](crate::engine::TaskHandler::task_result). The end of a task that was cancelled meanwhile is ignored,
    /// and work that had not begun is skipped. If the work panics, the task has failed.
    pub fn run_task(&self, token: TaskToken, work: impl FnOnce(&Job<'_>) -> TaskEnd + Send + 'static) {
        let ticket = Ticket::Task(token);
        let work: Work = Box::new(move |link| {
            if !link.is_wanted(ticket) {
                return;
            }
            let job = Job { link, ticket };
            let end = catch_unwind(AssertUnwindSafe(|| work(&job)));
            link.finish(token, end.unwrap_or(TaskEnd::Error));
        });
        self.giver.give(ticket, work);
    }

    /// Notifies the clients that have subscribed to this resource; for a change by a handler, right after its answer.
    pub fn resource_updated(&self, uri: impl Into<Cow<'static, str>>) {
        self.changed(Change::Resource(uri.into()));
    }

    /// Notifies the clients that a list has changed; for a change by a handler, right after its answer.
    pub fn list_changed(&self, list: List) {
        self.changed(Change::List(list));
    }

    fn changed(&self, change: Change) {
        self.changes.push(change);
        // This fails without a running loop, or if the loop is about to take all changes anyway.
        let _ = self.wake.try_send(());
    }
}

/// Handle of running work to its call or task.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    link: &'a dyn Serving,
    ticket: Ticket,
}

impl core::fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Job({:?})", self.ticket)
    }
}

impl Job<'_> {
    /// Reports progress, if the client has requested it.
    pub fn progress(&self, progress: &Progress<'_>) {
        self.link.progress(self.ticket, progress);
    }

    /// Sends a log message about a call, if its client wants the level. Does nothing for a task.
    pub fn log(&self, level: LoggingLevel, data: &str) {
        if let Ticket::Call(token) = self.ticket {
            self.link.log(token, level, data);
        }
    }

    /// Sets the status message of a task, for people to read. Does nothing for a call.
    pub fn describe(&self, message: &'static str) {
        if let Ticket::Task(token) = self.ticket {
            self.link.describe(token, message);
        }
    }

    /// Whether the call was cancelled or the task was cancelled or forgotten.
    pub fn is_cancelled(&self) -> bool {
        !self.link.is_wanted(self.ticket)
    }

    /// Waits. Returns false at once if the call or the task is [cancelled](Job::is_cancelled).
    pub fn sleep(&self, duration: Duration) -> bool {
        const LONGEST_NAP: Duration = Duration::from_millis(10);
        let end = Instant::now().checked_add(duration);
        loop {
            if self.is_cancelled() {
                return false;
            }
            let left = match end {
                Some(end) => end.saturating_duration_since(Instant::now()),
                None => LONGEST_NAP,
            };
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(LONGEST_NAP));
        }
    }
}

impl JobQueue {
    pub(super) fn changes(&self) -> Changes {
        self.changes.clone()
    }

    /// Work that waits, as long as there are threads for it.
    pub(super) fn backlog(&self) -> Weak<Backlog> {
        Arc::downgrade(&self.backlog)
    }

    /// Starts the threads. A thread ends when the last [`Jobs`] is dropped. The server's handler may own that one, so a thread holds the
    /// server only while it works.
    ///
    /// # Errors
    /// A thread could not be started. The threads started before end.
    pub(super) fn start(self, link: &Weak<dyn Serving>, threads: usize) -> io::Result<()> {
        let (woken, notified) = (self.woken, Weak::clone(link));
        threads::spawn(move || {
            while woken.recv().is_ok() {
                match notified.upgrade() {
                    Some(link) => link.take_changes(),
                    None => return,
                }
            }
        })?;
        for _ in 0..threads.max(1) {
            let (backlog, link) = (Arc::clone(&self.backlog), Weak::clone(link));
            threads::spawn_one_of_many(move || {
                while let Some(work) = backlog.take() {
                    let Some(link) = link.upgrade() else {
                        return;
                    };
                    // Dropping the values that the work owns may panic too; the pool keeps its threads.
                    let _ = catch_unwind(AssertUnwindSafe(|| work(&*link)));
                }
            })?;
        }
        Ok(())
    }
}
