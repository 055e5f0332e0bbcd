//! Work of jobs, as the loop of a server serves it.

use core::panic::AssertUnwindSafe;
use std::collections::VecDeque;
use std::io;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::vec::Vec;

use super::call::{Call, JobReply, Ticket};
use super::faults;
use super::hosted::{Hosted, Waiting};
use super::inbox::{Change, Inbox, drop_carefully};
use super::jobs::JobQueue;
use super::question::Question;
use crate::bytes::Sink;
use crate::engine::{CallError, CallToken, Handler, Sent, Server, Storage, refusal};

/// Number of answered calls that are kept, to find a second answer.
const MOST_ANSWERED: usize = 64;

/// The work of a [`JobQueue`], for a server loop other than [`Stdio`](super::Stdio), which has one already.
///
/// The loop gives the server the [application](JobHost::application) that the host lends it. After each frame, and whenever it is woken, it
/// calls [`settle`](JobHost::settle) and polls the server; then it [serves](JobHost::serve) each call of
/// [`next_call`](JobHost::next_call), settles and polls again; and at last it calls [`cancel_ended`](JobHost::cancel_ended).
pub struct JobHost {
    /// Dropped first, so that work is cancelled.
    queue: JobQueue,
    /// No thread waits for an answer once these are dropped.
    waiting: Vec<Waiting>,
    /// The last calls that jobs have answered, at most [`MOST_ANSWERED`].
    answered: VecDeque<CallToken>,
    /// There are threads for the work of deferred calls.
    has_threads: bool,
}

impl core::fmt::Debug for JobHost {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("JobHost")
    }
}

impl JobHost {
    /// Starts this number of threads for the work of `queue`. They end with the host.
    ///
    /// # Errors
    /// A thread could not be started.
    pub fn start(queue: JobQueue, threads: usize) -> io::Result<Self> {
        queue.start(threads)?;
        Ok(Self { queue, waiting: Vec::new(), answered: VecDeque::new(), has_threads: threads > 0 })
    }

    /// Has `wake` called, on any thread, whenever there may be something for the loop. The application causes such calls too, by the changes
    /// that it reports. Only the first call of this method has an effect.
    pub fn set_waker(&self, wake: impl Fn() + Send + Sync + 'static) {
        self.queue.inbox.set_waker(std::boxed::Box::new(wake));
    }

    /// The application as the server must see it, so that jobs may ask its clients.
    pub fn application<'a, A: Handler + ?Sized>(&'a mut self, app: &'a mut A) -> impl Handler + 'a {
        self.hosted(app)
    }

    pub(super) fn hosted<'a, A: ?Sized>(&'a mut self, app: &'a mut A) -> Hosted<'a, A> {
        Hosted { app, inbox: &self.queue.inbox, waiting: &mut self.waiting, has_threads: self.has_threads }
    }

    pub(super) const fn inbox(&self) -> &Arc<Inbox> {
        &self.queue.inbox
    }

    /// Reports changes to the server, releases work to the idle threads, and withdraws the questions of calls that have ended.
    pub fn settle<S: Storage>(&mut self, server: &mut Server<S>) {
        let most = server.capacity();
        let answered = &self.answered;
        let changes = self.queue.inbox.settle(most, |ticket| {
            let is_wanted = ticket.is_wanted(server);
            if !is_wanted {
                check_unanswered(answered, "the work", ticket);
            }
            is_wanted
        });
        for change in changes {
            match change {
                Change::Resource(uri) => server.resource_updated(&uri),
                Change::List(list) => server.list_changed(list),
            }
        }
        // Nobody waits for the answer to a question whose call has ended.
        self.waiting.retain(|waiting| {
            let is_wanted = server.is_in_flight(waiting.call);
            if !is_wanted {
                server.withdraw(waiting.question);
            }
            is_wanted
        });
    }

    /// The next call of a thread.
    pub fn next_call(&self) -> Option<JobCall> {
        self.queue.calls.try_recv().ok().map(JobCall)
    }

    /// Cancels the work of calls and tasks that have ended.
    pub fn cancel_ended<S: Storage>(&self, server: &mut Server<S>) {
        self.queue.inbox.cancel_work(|ticket| ticket.is_wanted(server));
    }

    /// Lets the server write the line of a call to the empty output. A call or task that has ended meanwhile is left alone.
    pub fn serve<S: Storage, A: Handler + ?Sized>(
        &mut self,
        call: JobCall,
        server: &mut Server<S>,
        app: &mut A,
        out: &mut Sink<'_>,
    ) -> Sent {
        match call.0 {
            Call::Complete(token, reply) if server.is_in_flight(token) => {
                self.complete(token, reply, server, app, out)
            }
            Call::Complete(token, reply) => {
                check_unanswered(&self.answered, "an answer", Ticket::Call(token));
                drop_carefully(reply);
                Sent::Nothing
            }
            Call::Finish(token, end) => {
                let _ = server.finish_task(token, end);
                Sent::Nothing
            }
            Call::Describe(token, message) => {
                let _ = server.describe_task(token, message);
                Sent::Nothing
            }
            Call::Progress(ticket, mut progress, message) => {
                if let Some(message) = &message {
                    progress = progress.with_message(message);
                }
                let reported = match ticket {
                    Ticket::Call(token) => server.progress(token, progress, out),
                    Ticket::Task(token) => server.task_progress(token, progress, out),
                };
                reported.unwrap_or_else(|_| {
                    check_unanswered(&self.answered, "progress", ticket);
                    Sent::Nothing
                })
            }
            Call::Log(token, level, data) => {
                server.log_for(token, level, None, &data, out).unwrap_or(Sent::Nothing)
            }
            Call::Ask(question) if server.is_in_flight(question.call) => self.ask(question, server, out),
            Call::Ask(_) => Sent::Nothing,
            Call::AskWithResult(question) => server.ask_with_result(
                (question.client.call, question.client.caller()),
                &mut self.hosted(app),
                out,
                |json| question.write_questions(json),
                |json| question.write_state(json),
            ),
        }
    }

    fn complete<S: Storage, A: Handler + ?Sized>(
        &mut self,
        token: CallToken,
        reply: JobReply,
        server: &mut Server<S>,
        app: &mut A,
        out: &mut Sink<'_>,
    ) -> Sent {
        self.queue.inbox.end(token);
        let completed = server.complete_tool(token, &mut self.hosted(app), out, |result| {
            catch_unwind(AssertUnwindSafe(|| reply(result))).unwrap_or(Err(CallError::Internal))
        });
        if self.answered.len() >= MOST_ANSWERED {
            self.answered.pop_front();
        }
        self.answered.push_back(token);
        completed.unwrap_or_else(|_| {
            faults::print(
                "a job has answered a request that is not a call of a tool, so it stays unanswered",
            );
            Sent::Nothing
        })
    }

    /// Asks a legacy client.
    fn ask<S: Storage>(&mut self, question: Question, server: &mut Server<S>, out: &mut Sink<'_>) -> Sent {
        let asked = server.ask_written(question.call, question.kind, question.members(), out);
        let Question { call, kind: (_, needs), answer, .. } = question;
        match asked {
            Ok((question, sent)) => {
                self.waiting.push(Waiting { call, question, answer });
                sent
            }
            Err(error) => {
                // The thread waits for it, and the channel has room for one.
                drop(answer.try_send(Err(refusal(error, needs))));
                Sent::Nothing
            }
        }
    }
}

/// Call of a thread to the server: an answer, a question, progress, a log message, the end of a task.
#[must_use = "a call that is not served may be an answer that is lost"]
pub struct JobCall(Call);

impl core::fmt::Debug for JobCall {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("JobCall")
    }
}

impl JobCall {
    /// Whether the line may be dropped where a client does not keep up: progress, and log messages.
    pub const fn may_be_dropped(&self) -> bool {
        matches!(self.0, Call::Progress(..) | Call::Log(..))
    }
}

/// Prints a fault if this is for a call that a job has answered already.
fn check_unanswered(answered: &VecDeque<CallToken>, what: &str, ticket: Ticket) {
    if let Ticket::Call(token) = ticket
        && answered.contains(&token)
    {
        faults::print(format_args!("{what} of a job was dropped: its call is answered already"));
    }
}
