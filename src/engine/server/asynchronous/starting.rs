//! The application while it is free.

use super::call::Started;
use super::handler::{AsyncHandler, ToolMode};
use crate::engine::server::{
    CallError, Completion, CompletionReply, Event, Handler, Outcome, PromptGet, PromptReply, ResourceRead,
    ResourceReply, Resumed, ResumedReply, TaskHandler, ToolCall, ToolReply, forward_tables,
};

/// An application whose asynchronous tools are deferred instead of called, at most one for each message.
pub(crate) struct Starting<'a, A> {
    app: &'a mut A,
    frame: &'a [u8],
    /// The call to run.
    pub(crate) started: Option<Started>,
    /// A deferred call was cancelled.
    #[cfg(feature = "tokio")]
    pub(crate) has_cancelled: bool,
}

impl<'a, A: AsyncHandler> Starting<'a, A> {
    pub(crate) const fn new(app: &'a mut A, frame: &'a [u8]) -> Self {
        Self {
            app,
            frame,
            started: None,
            #[cfg(feature = "tokio")]
            has_cancelled: false,
        }
    }
}

impl<A: AsyncHandler> Handler for Starting<'_, A> {
    forward_tables!(app);

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        if A::mode(call.index()) == ToolMode::Sync {
            return self.app.call_tool(call, reply);
        }
        let (token, outcome) = reply.defer()?;
        self.started = Some(Started::new(token, &call, self.frame));
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
        let ResumedReply::Tool(reply) = reply else {
            return self.app.resume(call, reply);
        };
        let tool = self.app.tools().iter().position(|tool| call.is(tool.name()));
        match tool.filter(|tool| A::mode(*tool) != ToolMode::Sync) {
            Some(tool) => {
                let (token, outcome) = reply.defer()?;
                self.started = Some(Started::again(token, tool, &call, self.frame));
                Ok(outcome)
            }
            None => self.app.resume(call, ResumedReply::Tool(reply)),
        }
    }

    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        self.app.tasks()
    }

    fn event(&mut self, event: Event<'_>) {
        #[cfg(feature = "tokio")]
        {
            self.has_cancelled |= matches!(event, Event::Cancelled(_));
        }
        self.app.event(event);
    }
}
