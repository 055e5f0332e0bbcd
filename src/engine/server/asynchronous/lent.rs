//! The application while it is lent to a tool.

use super::answered::Answered;
#[cfg(feature = "tokio")]
use super::call::Started;
use crate::engine::server::{
    CallError, CallToken, Completion, CompletionReply, Event, Handler, Outcome, PromptGet, PromptReply,
    ResourceRead, ResourceReply, Resumed, ResumedReply, ToolCall, ToolReply, forward_tables,
};
use crate::mcp::Era;

/// Whether a request that needs the application can wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Queued {
    /// It cannot: it gets the error `Server busy`.
    Never,
    /// It can, as a deferred call.
    Possible,
    /// It does.
    Yes,
}

/// The tables of an application that is lent to a tool. Requests that need the application are deferred.
pub(crate) struct Lent<'a, T> {
    tables: &'a mut T,
    frame: &'a [u8],
    pub(crate) queued: Queued,
    /// A deferred call was cancelled.
    pub(crate) has_cancelled: bool,
    /// The client has answered this question, or its time is over.
    pub(crate) answered: Option<(CallToken, Answered)>,
    /// The request that waits. A host runs several, and needs no second look at a call.
    #[cfg(feature = "tokio")]
    pub(crate) token: Option<CallToken>,
    /// The call of a tool that waits.
    #[cfg(feature = "tokio")]
    pub(crate) started: Option<Started>,
}

impl<'a, T: Handler> Lent<'a, T> {
    /// For work without a frame, or for this one.
    pub(crate) const fn new(tables: &'a mut T, frame: &'a [u8], queued: Queued) -> Self {
        Self {
            tables,
            frame,
            queued,
            has_cancelled: false,
            answered: None,
            #[cfg(feature = "tokio")]
            token: None,
            #[cfg(feature = "tokio")]
            started: None,
        }
    }

    fn queue(
        &mut self,
        deferred: impl FnOnce() -> Result<(CallToken, Outcome), CallError<'static>>,
    ) -> Result<Outcome, CallError<'static>> {
        if self.queued != Queued::Possible {
            return Err(CallError::Busy);
        }
        let (_token, outcome) = deferred()?;
        self.queued = Queued::Yes;
        #[cfg(feature = "tokio")]
        {
            self.token = Some(_token);
        }
        Ok(outcome)
    }
}

impl<T: Handler> Handler for Lent<'_, T> {
    forward_tables!(tables);

    fn call_tool<'a>(
        &mut self,
        _call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let outcome = self.queue(|| reply.defer())?;
        #[cfg(feature = "tokio")]
        {
            self.started = self.token.map(|token| Started::new(token, &_call, self.frame));
        }
        Ok(outcome)
    }

    fn read_resource<'a>(
        &mut self,
        _: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        self.queue(|| reply.defer())
    }

    fn get_prompt<'a>(
        &mut self,
        _: PromptGet<'a>,
        reply: PromptReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        self.queue(|| reply.defer())
    }

    /// A completion cannot be deferred.
    fn complete<'a>(
        &mut self,
        _: Completion<'a>,
        _: CompletionReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Err(CallError::Busy)
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        // A call of a legacy client cannot wait: the line with the answer is not its own.
        if call.context().version().era() == Era::Legacy {
            return Err(CallError::Busy);
        }
        let _is_tool = matches!(reply, ResumedReply::Tool(_));
        let outcome = self.queue(|| match reply {
            ResumedReply::Tool(reply) => reply.defer(),
            ResumedReply::Resource(reply) => reply.defer(),
            ResumedReply::Prompt(reply) => reply.defer(),
        })?;
        #[cfg(feature = "tokio")]
        {
            let tool = self.tables.tools().iter().position(|tool| _is_tool && call.is(tool.name()));
            let started = self.token.zip(tool);
            self.started = started.map(|(token, tool)| Started::again(token, tool, &call, self.frame));
        }
        Ok(outcome)
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Cancelled(_) => self.has_cancelled = true,
            Event::Answered(token, answer) => self.answered = Some((token, Answered::of(self.frame, answer))),
            _ => {}
        }
    }
}
