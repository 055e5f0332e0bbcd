//! The application as the engine sees it: jobs may ask its clients.

use std::vec::Vec;

use super::faults;
use super::inbox::Inbox;
use super::question::{CallClient, Received, Reply, answers_to_job};
use crate::engine::{
    CallError, CallToken, Completion, CompletionReply, Event, Handler, Outcome, PromptGet, PromptReply,
    ResourceRead, ResourceReply, Resumed, ResumedReply, TaskHandler, ToolCall, ToolReply, forward_tables,
};
use crate::mcp::Era;

/// A question of a job to a legacy client that is not answered.
pub(super) struct Waiting {
    pub(super) call: CallToken,
    pub(super) question: CallToken,
    pub(super) answer: Reply,
}

/// An application whose jobs may ask.
///
/// A call of a modern client that answers a job is a call for the first time to the application: its job runs again.
pub(super) struct Hosted<'a, A: ?Sized> {
    pub(super) app: &'a mut A,
    pub(super) inbox: &'a Inbox,
    pub(super) waiting: &'a mut Vec<Waiting>,
    pub(super) has_threads: bool,
}

impl<A: ?Sized> Hosted<'_, A> {
    /// Takes note of a call that is deferred.
    fn deferred(&self, client: CallClient) {
        if !self.has_threads {
            faults::print("a call was deferred, but there is no thread to answer it (`Stdio::with_jobs`)");
        }
        self.inbox.begin(client);
    }
}

impl<A: Handler + ?Sized> Handler for Hosted<'_, A> {
    forward_tables!(app);

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let outcome = self.app.call_tool(call, reply)?;
        if let Some(token) = outcome.deferred() {
            self.deferred(CallClient::new(token, call.context(), call.name()));
        }
        Ok(outcome)
    }

    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        self.app.read_resource(read, reply)
    }

    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: PromptReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        self.app.get_prompt(get, reply)
    }

    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: CompletionReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        self.app.complete(completion, reply)
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let reply = match reply {
            ResumedReply::Tool(reply) => reply,
            other => return self.app.resume(call, other),
        };
        let Some(answers) = answers_to_job(&call)? else {
            let outcome = self.app.resume(call, ResumedReply::Tool(reply))?;
            // A modern client would make the call again, which is not that of `resume`.
            if let Some(token) = outcome.deferred().filter(|_| call.context().version().era() == Era::Legacy)
            {
                self.deferred(CallClient::new(token, call.context(), call.subject()));
            }
            return Ok(outcome);
        };
        let again = call.again(self.app.tools()).ok_or(CallError::NotFound)?;
        let outcome = self.app.call_tool(again, reply)?;
        if let Some(token) = outcome.deferred() {
            self.deferred(CallClient::with_answers(token, call.context(), call.subject(), answers));
        }
        Ok(outcome)
    }

    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        self.app.tasks()
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Answered(token, answer) => {
                let place = self.waiting.iter().position(|waiting| waiting.question == token);
                if let Some(place) = place {
                    // The thread waits for it, and the channel has room for one.
                    let _ = self.waiting.swap_remove(place).answer.try_send(Ok(Received::new(answer)));
                    return;
                }
            }
            Event::Cancelled(token) => self.inbox.end(token),
            _ => {}
        }
        self.app.event(event);
    }
}
