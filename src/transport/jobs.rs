//! Work that runs beside the loop: a call is deferred, a thread does it, and answers.

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

/// Something that clients are to be told of.
pub(super) enum Change {
    Resource(Cow<'static, str>),
    List(List),
}

/// The changes that nobody was told of yet. The loop takes them at the end of each frame, so that what a handler has
/// changed follows its answer and precedes the next frame; what comes from elsewhere is taken by a thread of its own,
/// since the pool may be busy for a long time.
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

/// Makes both ends: the one that a [`Handler`](crate::engine::Handler) keeps to hand over work, and the one that the
/// [`Stdio`](super::Stdio) loop runs it from.
///
/// ```no_run
/// use barewire::engine::{CallError, Disposition, Handler, Server, ToolCall, ToolReply};
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
///         call: ToolCall<'a>,
///         _: &mut ToolReply<'_, '_>,
///     ) -> Result<Disposition, CallError<'a>> {
///         let token = call.context().defer()?;
///         self.jobs.run(token, |job| {
///             let sum: u64 = (0..1_000_000_000u64).take_while(|n| n % 4096 != 0 || !job.is_cancelled()).sum();
///             Box::new(move |reply| {
///                 reply.text_with(|json| {
///                     json.unsigned(sum);
///                 });
///                 Ok(())
///             })
///         });
///         Ok(Disposition::Deferred(token))
///     }
/// }
///
/// # fn main() -> std::io::Result<()> {
/// let (jobs, queue) = jobs();
/// Stdio::new().with_jobs(queue, 4).serve(Server::<Sums>::new(Sums { jobs }))
/// # }
/// ```
pub fn jobs() -> (Jobs, JobQueue) {
    let backlog = Arc::<Backlog>::default();
    // However many changes wait, one call tells of all.
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

/// Hands over work. Cheap to clone.
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

/// Where the work waits for its threads.
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
    /// Runs `work` on a thread of the pool; what it returns writes the reply of the call that was deferred under
    /// `token`. When the call was cancelled meanwhile, nothing is written; work that had not begun is left out. Work or a
    /// reply that panics answers with an internal error.
    pub fn run(&self, token: CallToken, work: impl FnOnce(&Job<'_>) -> JobReply + Send + 'static) {
        let ticket = Ticket::Call(token);
        let work: Work = Box::new(move |link| {
            // Cancelled while it waited for a thread: nobody waits for it.
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

    /// Runs the work of a task on a thread of the pool; what it returns is how the task has ended. Its result is written by
    /// [`Handler::task_result`](crate::engine::Handler::task_result). When the task was cancelled meanwhile, nothing is
    /// told; work that had not begun is left out. Work that panics ends with an error.
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

    /// Tells whoever watches the resource that it has changed: when a handler says so, right after its answer.
    pub fn resource_updated(&self, uri: impl Into<Cow<'static, str>>) {
        self.changed(Change::Resource(uri.into()));
    }

    /// Tells whoever wants to know that a list has changed: when a handler says so, right after its answer.
    pub fn list_changed(&self, list: List) {
        self.changed(Change::List(list));
    }

    fn changed(&self, change: Change) {
        self.changes.push(change);
        // Without a running loop there is nobody to tell, and one that is about to look will see this change too.
        let _ = self.wake.try_send(());
    }
}

/// The piece of work that runs, and its call or task.
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
    /// Reports progress, if the client asked for it.
    pub fn progress(&self, progress: &Progress<'_>) {
        self.link.progress(self.ticket, progress);
    }

    /// Sends a log message about a call, if its client wants the level. A task has none.
    pub fn log(&self, level: LoggingLevel, data: &str) {
        if let Ticket::Call(token) = self.ticket {
            self.link.log(token, level, data);
        }
    }

    /// What a task is doing, for people to read. A call has nothing of the kind.
    pub fn describe(&self, message: &'static str) {
        if let Ticket::Task(token) = self.ticket {
            self.link.describe(token, message);
        }
    }

    /// Whether nobody wants the outcome any more.
    pub fn is_cancelled(&self) -> bool {
        !self.link.is_wanted(self.ticket)
    }

    /// Waits; false when the call was cancelled meanwhile.
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

    /// The work that waits, as long as there are threads for it.
    pub(super) fn backlog(&self) -> Weak<Backlog> {
        Arc::downgrade(&self.backlog)
    }

    /// Starts the threads. Each ends when the last [`Jobs`] is gone, which the server's handler may own: so a thread
    /// holds the server only while it works.
    ///
    /// # Errors
    /// A thread could not be started. The threads that were started end.
    pub(super) fn start(self, link: &Weak<dyn Serving>, threads: usize) -> io::Result<()> {
        let (woken, teller) = (self.woken, Weak::clone(link));
        threads::spawn(move || {
            while woken.recv().is_ok() {
                match teller.upgrade() {
                    Some(link) => link.tell_changes(),
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
