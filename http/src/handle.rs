//! The server, for the rest of the program.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Weak;

use barewire::bytes::Sink;
use barewire::engine::{
    CallError, CallToken, Handler, List, NotInFlight, Outcome, Progress, PromptMessages, ResourceContents,
    Sent, Server, TaskEnd, TaskToken, ToolContent,
};
use barewire::mcp::LoggingLevel;

use crate::hub::{Hub, Outside};
use crate::storage::Storage;

/// The server, for the rest of the program: it reports changes, and answers deferred calls.
///
/// Its methods may be called on any thread, also by the methods of the application. They do not wait: where the server is busy, its current user
/// serves the call. Calls and tasks that have ended meanwhile are left alone, and after the end of the server nothing happens.
#[derive(Clone)]
pub struct Handle {
    hub: Weak<Hub>,
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Handle")
    }
}

impl Handle {
    pub(crate) const fn new(hub: Weak<Hub>) -> Self {
        Self { hub }
    }

    fn call(
        &self,
        is_answer: bool,
        write: impl FnOnce(&mut Server<Storage>, &mut dyn Handler, &mut Sink<'_>) -> Result<Sent, NotInFlight>
        + Send
        + 'static,
    ) {
        if let Some(hub) = self.hub.upgrade() {
            let write = |server: &mut Server<Storage>, app: &mut dyn Handler, out: &mut Sink<'_>| {
                write(server, app, out).unwrap_or(Sent::Nothing)
            };
            hub.call(Outside { is_answer, write: Box::new(write) });
        }
    }

    /// Notifies the clients that a list has changed.
    pub fn list_changed(&self, list: List) {
        self.call(true, move |server, _, _| {
            server.list_changed(list);
            Ok(Sent::Nothing)
        });
    }

    /// Notifies the clients that have subscribed to this resource.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        let uri = uri.into();
        self.call(true, move |server, _, _| {
            server.resource_updated(&uri);
            Ok(Sent::Nothing)
        });
    }

    /// Answers a deferred call of a tool: `write` writes the result. If it panics, the answer is an internal error.
    pub fn complete_tool(
        &self,
        token: CallToken,
        write: impl FnOnce(ToolContent<'_, '_>) -> Result<Outcome, CallError<'static>> + Send + 'static,
    ) {
        self.call(true, move |server, app, out| {
            server.complete_tool(token, app, out, |content| guard(|| write(content)))
        });
    }

    /// Answers a deferred read of a resource with this URI, as [`complete_tool`](Handle::complete_tool) answers a call.
    pub fn complete_read(
        &self,
        token: CallToken,
        uri: impl Into<String>,
        write: impl FnOnce(ResourceContents<'_, '_>) -> Result<Outcome, CallError<'static>> + Send + 'static,
    ) {
        let uri = uri.into();
        self.call(true, move |server, app, out| {
            server.complete_read(token, &uri, app, out, |contents| guard(|| write(contents)))
        });
    }

    /// Answers a deferred request for a prompt, as [`complete_tool`](Handle::complete_tool) answers a call.
    pub fn complete_prompt(
        &self,
        token: CallToken,
        description: Option<String>,
        write: impl FnOnce(PromptMessages<'_, '_>) -> Result<Outcome, CallError<'static>> + Send + 'static,
    ) {
        self.call(true, move |server, app, out| {
            let write = |messages: PromptMessages<'_, '_>| guard(|| write(messages));
            server.complete_prompt(token, description.as_deref(), app, out, write)
        });
    }

    /// Reports the progress of a deferred call, if its client has requested it. Dropped if the client reads slowly.
    pub fn progress<'p>(&self, token: CallToken, progress: impl Into<Progress<'p>>) {
        let (progress, message) = owned(progress.into());
        self.call(false, move |server, _, out| {
            server.progress(token, with(progress, message.as_deref()), out)
        });
    }

    /// Sends a log message about a deferred call, if its client wants the level. Dropped if the client reads slowly.
    pub fn log(&self, token: CallToken, level: LoggingLevel, data: impl std::fmt::Display) {
        let data = data.to_string();
        self.call(false, move |server, _, out| server.log_for(token, level, None, &data, out));
    }

    /// Sends a log message to the legacy sessions whose clients want the level. Dropped where there is no standing stream.
    pub fn log_to_sessions(&self, level: LoggingLevel, data: impl std::fmt::Display) {
        let data = data.to_string();
        let sessions = self.hub.upgrade().map_or(0, |hub| hub.sessions);
        for session in 0..sessions {
            let data = data.clone();
            self.call(false, move |server, app, out| Ok(server.log(session, level, None, &data, app, out)));
        }
    }

    /// Ends a task. Its result is written by [`TaskHandler::task_result`](barewire::engine::TaskHandler::task_result).
    pub fn finish_task(&self, token: TaskToken, end: TaskEnd) {
        self.call(true, move |server, _, _| server.finish_task(token, end).map(|()| Sent::Nothing));
    }

    /// Makes a task wait for input of its client: the answers to [`TaskHandler::task_questions`](barewire::engine::TaskHandler::task_questions).
    /// A task whose client cannot be asked ends with an error.
    pub fn task_needs_input(&self, token: TaskToken) {
        self.call(true, move |server, app, out| {
            server.task_needs_input(token, app, out).or_else(|_| {
                let end = TaskEnd::Error;
                server.finish_task(token, end).map(|()| Sent::Nothing)
            })
        });
    }

    /// Describes the state of a task to its client.
    pub fn describe_task(&self, token: TaskToken, message: &'static str) {
        self.call(true, move |server, _, _| server.describe_task(token, message).map(|()| Sent::Nothing));
    }

    /// Reports the progress of a task, if its client has requested it.
    pub fn task_progress<'p>(&self, token: TaskToken, progress: impl Into<Progress<'p>>) {
        let (progress, message) = owned(progress.into());
        self.call(false, move |server, _, out| {
            server.task_progress(token, with(progress, message.as_deref()), out)
        });
    }

    /// Whether a deferred call has neither been answered nor cancelled. Waits while a method of the application runs, so such a method must not
    /// call it.
    pub fn is_in_flight(&self, token: CallToken) -> bool {
        let hub = self.hub.upgrade();
        hub.is_some_and(|hub| hub.with(|state| state.endpoint.server().is_in_flight(token)))
    }
}

/// Calls code of the application; a panic is an internal error.
fn guard(write: impl FnOnce() -> Result<Outcome, CallError<'static>>) -> Result<Outcome, CallError<'static>> {
    catch_unwind(AssertUnwindSafe(write)).unwrap_or(Err(CallError::Internal))
}

fn owned(progress: Progress<'_>) -> (Progress<'static>, Option<String>) {
    let (progress, message) = progress.without_message();
    (progress, message.map(str::to_owned))
}

fn with<'m>(progress: Progress<'static>, message: Option<&'m str>) -> Progress<'m> {
    match message {
        Some(message) => progress.with_message(message),
        None => progress,
    }
}
